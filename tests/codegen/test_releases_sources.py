"""What releases say of their formats: tables of libraries, manuals, grammars and descriptions, in small."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.releases.described import ANY, TRUTH, Attribute, Rule
from codegen.releases.grammar import completed, of_grammar
from codegen.releases.manual import Manual, of_manual, pages
from codegen.releases.printed import parsed
from codegen.releases.sdf import comparable, of_descriptions

TABLE = """robot (!)                     model
   part (*)                   colour mass
                              size
   (world)body (R)            name
      joint (?)               axis
"""
MANUAL = """
.. _robot:

Robot
~~~~~

.. _part-mass:

:at:`mass`: :at-val:`real, required`
   Its mass; see :ref:`part<part>`.

.. _body-joint-axis:

:at:`axis`: :at-val:`real(3), "0 0 1" for parts, "1 0 0" elsewhere`

.. _part-shape:
.. _part-form:

:at:`shape`, :at:`form`: :at-val:`[ball,
box], "ball"`

.. _part-spring:

.. youtube:: a-film
   :width: 35%

:at:`spring`: :at-val:`real, "0 0 0"`
   Up to three numbers.

.. _part-list:

:at:`list`: :at-val:`int(2*(nlist+1)), optional`

.. _part-file:

:at:`file` : string, optional

.. _part-on:

:at:`on`: :at-val:`bool, "true"`

.. _part-pair:

:at:`pair`: :at-val:`real(1 or 2), optional`

.. _part-size:

:at:`size`
   As elsewhere.

.. _part:

Text about :at:`colour`: :at-val:`string, optional`
"""
SHARED = """
.. _motor-general:

general
^^^^^^^

.. _motor-general-name:

:at:`name`: :at-val:`string, required`

.. _motor-general-gear:

:at:`gear`: :at-val:`real(6), "1"`

.. _motor-fast:

fast
^^^^

Like :ref:`general<motor-general>`, but see :ref:`gear<motor-fast-gear>`.

.. _motor-fast-name:
.. _motor-fast-gear:
.. _motor-fast-ratio:

:at:`ratio`: :at-val:`real, "2"`

.. _motor-slow:

slow
^^^^

.. _motor-slow-name:

.. _motor-slow-gear:

.. _motor-slow-turn:

|names of attributes|
   As of :ref:`general<motor-general>`; see :ref:`CTurn`.

.. _default-motor:

.. _default-motor-gear:

.. _default-motor-ratio:

motor
^^^^^

Attributes of the :ref:`motor <motor>` of the class.

.. _default-slow:

slow
^^^^

Attributes of :ref:`slow <motor-slow>`.
"""
SECTION = """
.. _CTurn:

Turns
-----

:at:`turn`: :at-val:`real(4), optional`
   A turn.
"""
GRAMMAR = """# a format
enum kind : Kind {
  ball = BALL
  "2d" = FLAT     # quoted
}

group place variant {
  pos : double[3]
  at : string
}

element mujoco {
  model : ref<model>
  child default R
  child body R
}

element default {
  class : id<default>
  child default R
  child part ?
}

element body : Body {
  name : id<body>
  child body R
  child part *
  child other_part ?
}

element part : Part (alias=none) {
  set kind = BALL
  name       : id<part>
  class      : ref<default>
  kind       : enum<kind> = ball
  kinds      : flags<kind> (required)
  on         : bool = true
  pattern    : string (nodefault, pattern="[(#]{3}")   # a comment
  gear       : double[1..6] = {1, 0}
  rest       : float[1..NREST]
  list       : int[]
  code       : chars[3]
  use place
  exclusive on gear+rest
  together gear rest
  requires list code
  oneof kind gear+rest
}

element other_part (xml=part) {
  mass : double (required, min=0)
}

element worldbody (alias=body) {
  child body *
  child frame *
}

element frame (alias=body) {
  child part *
}
"""
ROOT = """<element name="sdf" required="1">
  <attribute name="version" type="string" default="1.9" required="1"/>
  <include filename="model.sdf" required="*"/>
</element>"""
MODEL = """<element name="model" required="*">
  <attribute name="name" type="string" default="__default__" required="1"/>
  <element name="fixed" type="bool" default="0" required="0"/>
  <element name="mass" type="double" default="1.0" required="1"/>
  <element name="link" type="string" default="" required="1"/>
  <element name="limit" required="1">
    <element name="upper" type="double" default="inf" required="1"/>
  </element>
  <element name="model" ref="model" required="*"/>
  <include filename="pose.sdf" required="-1"/>
  <include filename="model.sdf" required="+"/>
</element>"""
POSE = """<element name="pose" type="pose" default="0 0 0 0 0 0" required="0">
  <attribute name="of" type="string" default="" required="0"/>
</element>"""


def test_a_printed_table() -> None:
    found = parsed(TABLE)
    assert {path: tuple(element.attributes) for path, element in found.items()} == {
        ("robot",): ("model",),
        ("robot", "part"): ("colour", "mass", "size"),
        ("robot", "worldbody", "body"): ("name",),
        ("robot", "worldbody", "body", "joint"): ("axis",),
    }
    assert [(element.low, element.high) for element in found.values()] == [(1, 1), (0, ANY), (0, ANY), (0, 1)]


@pytest.mark.parametrize(("text", "line"), [("Usage: none\n", 1), ("a (!)  b\n         c (*) d\n", 2)])
def test_another_text_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"line {line}:"):
        parsed(text)


def test_the_manual() -> None:
    shape = Attribute("keyword", ("ball", "box"), "ball", False)
    assert of_manual(MANUAL).attributes == {
        "part-mass": Attribute("real", required=True, low=1, high=1),
        "body-joint-axis": Attribute("real", (), "0 0 1", False, None, 3),
        "part-shape": shape,
        "part-form": shape,
        "part-spring": Attribute("real", (), "0 0 0", False, 1, 3),
        "part-list": Attribute("int", required=False),
        "part-file": Attribute("string", required=False, low=1, high=1),
        "part-on": Attribute("keyword", TRUTH, "true", False, 1, 1),
        "part-pair": Attribute("real", required=False, low=1, high=2),
    }


def _of(manual: Manual, path: str) -> Attribute | None:
    *tags, name = path.split("/")
    return manual.of(tuple(tags), name)


def test_what_elements_share_is_described_once() -> None:
    manual = of_manual(SHARED, SECTION)
    name, gear = Attribute("string", (), None, True, 1, 1), Attribute("real", (), "1", False, None, 6)
    ratio = Attribute("real", (), "2", False, 1, 1)
    assert _of(manual, "robot/motor/slow/gear") == gear  # its block refers to the other element
    assert _of(manual, "robot/motor/slow/name") == name
    assert _of(manual, "robot/motor/slow/turn") == Attribute(
        "real", (), None, False, None, 4
    )  # or to a section
    assert (
        _of(manual, "robot/motor/fast/name") == name
    )  # only named there: the text of the element refers to it
    assert _of(manual, "robot/motor/fast/ratio") == ratio  # not of the targets before it
    assert _of(manual, "robot/motor/slow/ratio") is None
    assert _of(manual, "robot/default/motor/ratio") == Attribute("real", (), "2", None, 1, 1)  # of a child
    assert _of(manual, "robot/default/slow/name") == Attribute("string", (), None, None, 1, 1)


def test_pages_beside_the_reference_are_read(tmp_path: Path) -> None:
    reference = tmp_path / "XMLreference.rst"
    reference.write_text(f".. include:: parts/more.rst\n\n{SHARED}")
    tmp_path.joinpath("modeling.rst").write_text(SECTION)
    tmp_path.joinpath("parts").mkdir()
    tmp_path.joinpath("parts", "more.rst").write_text(MANUAL)
    manual = of_manual(*pages(reference))
    assert _of(manual, "robot/motor/slow/turn") is not None
    assert _of(manual, "robot/part/mass") is not None


def test_the_grammar() -> None:
    found = of_grammar(GRAMMAR)
    world = ("mujoco", "worldbody")
    assert list(found) == [
        *(("mujoco",), ("mujoco", "default"), ("mujoco", "default", "part"), world, (*world, "body")),
        *((*world, "body", "part"), (*world, "frame"), (*world, "frame", "part")),
    ]
    part = found[(*world, "frame", "part")]
    assert dict(part.attributes) == {
        "name": Attribute("string", low=1, high=1, declares="part"),
        "class": Attribute("string", low=1, high=1, refers="default"),
        "kind": Attribute("keyword", ("ball", "2d"), "ball", None, 1, 1),
        "kinds": Attribute("keyword", ("ball", "2d"), None, True, 1, ANY),
        "on": Attribute("keyword", TRUTH, "true", None, 1, 1),
        "pattern": Attribute("string", low=1, high=1),
        "gear": Attribute("real", (), "1 0", None, 1, 6),
        "rest": Attribute("real", low=1, high=None),
        "list": Attribute("int", low=0, high=ANY),
        "code": Attribute("string", low=1, high=1),
        "pos": Attribute("real", low=3, high=3),
        "at": Attribute("string", low=1, high=1),
    }
    assert (part.low, part.high) == (0, ANY)
    assert part.rules == (
        Rule("exclusive", ("at", "pos")),
        Rule("exclusive", ("gear", "on")),
        Rule("exclusive", ("on", "rest")),
        Rule("together", ("gear", "rest")),
        Rule("requires", ("list", "code")),
        Rule("anyOf", ("gear", "kind")),
        Rule("anyOf", ("kind", "rest")),
    )
    default = found["mujoco", "default", "part"]
    assert set(part.attributes) - set(default.attributes) == {"name", "class", "pattern"}
    assert default.attributes["kinds"].required is None
    assert found[(*world, "body", "part")].attributes["mass"].required is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("element part\n", r"f:1: expected enum, group or element"),
        (
            "element mujoco {\n  size = 3\n}\n",
            r"f:2: expected an attribute, use, child, set or a rule, not 'size = 3'",
        ),
        ("enum kind {\n  ball\n}\n", r"f:2: expected keyword = number, not 'ball'"),
        ("element mujoco {\n  use place\n}\n", r"f:2: no group 'place' is declared above"),
        ("element mujoco {\n  kind : enum<kind>\n}\n", r"f:2: no enum 'kind'"),
        ("\nelement mujoco {\n", r"f:2: no line closes this declaration"),
        ("element part {\n}\n", r"f: there is no element mujoco"),
        ("element mujoco {\n  child part *\n}\n", r"f:1: <mujoco> has a child 'part', which is not declared"),
    ],
)
def test_a_line_that_is_not_of_the_grammar_is_an_error(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        of_grammar(text, "f")


def test_a_library_decides_what_there_is() -> None:
    table = "mujoco (!)  model\n   (world)body (R)  name\n      part (*)  gear new\n   option (?)  a\n"
    found, notes = completed(parsed(table), of_grammar(GRAMMAR), "f")
    part = found["mujoco", "worldbody", "body", "part"]
    assert dict(part.attributes) == {"gear": Attribute(), "new": Attribute()}
    assert ("mujoco", "worldbody", "frame", "part") in found  # a library does not print it
    assert ("mujoco", "default") not in found
    assert notes == (
        "note: f and the library differ in mujoco/worldbody/body/part: gear mass new",
        "note: f has no mujoco/option, which the library prints",
    )


def test_descriptions(tmp_path: Path) -> None:
    for name, text in (("root", ROOT), ("model", MODEL), ("pose", POSE)):
        tmp_path.joinpath(f"{name}.sdf").write_text(text)
    found = of_descriptions(tmp_path)
    shown = {"/".join(path[1:]): element for path, element in found.items()}
    assert list(shown) == [
        *(
            "",
            "model",
            "model/fixed",
            "model/mass",
            "model/link",
            "model/limit",
            "model/limit/upper",
            "model/pose",
        )
    ]
    assert shown["model"].attributes["name"] == Attribute("string", (), None, True, 1, 1)
    assert shown["model/fixed"].text == Attribute("keyword", TRUTH, "false", None, 1, 1)
    assert shown["model/limit/upper"].text == Attribute("real", (), "INF", None, 1, 1)
    often = {name: (element.low, element.high) for name, element in shown.items()}
    assert often["model/mass"] == (None, 1)  # its default replaces a missing one
    assert often["model/limit"] == (None, 1)
    assert often["model/link"] == (1, 1)
    assert often["model"] == (0, ANY)
    pose = shown["model/pose"]
    assert (pose.low, pose.high, pose.kind) == (0, 1, "pose.sdf")
    assert shown["model/limit/upper"].kind == "model.sdf/limit/upper"
    assert comparable({("sdf", "own:part"): pose}) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<element name='sdf'>", r"root.sdf:1:\d+: no element found"),
        ("<sdf/>", 'root.sdf: expected <element name="...">'),
        (
            '<element name="sdf"><element name="a" type="matrix" required="0"/></element>',
            "type 'matrix'; known are",
        ),
        (
            '<element name="sdf"><element name="a" type="int" required="2"/></element>',
            "required '2' times; expected",
        ),
        ('<element name="sdf"><include filename="b.sdf" required="0"/></element>', "b.sdf: No such file"),
    ],
)
def test_other_files_are_errors(text: str, message: str, tmp_path: Path) -> None:
    tmp_path.joinpath("root.sdf").write_text(text)
    with pytest.raises((ValueError, OSError), match=message):
        of_descriptions(tmp_path)
