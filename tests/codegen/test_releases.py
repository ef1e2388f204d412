"""What a release of MuJoCo prints and says of MJCF, beside our schema."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

from codegen.releases import __main__ as command
from codegen.releases.comparison import Row, compare
from codegen.releases.described import Attribute, Element
from codegen.releases.files import release
from codegen.releases.manual import of_manual
from codegen.releases.ours import described
from codegen.releases.printed import parsed, printed
from codegen.schema import SCHEMAS, at_release, load

TABLE = """robot (!)                     model
   part (*)                   colour mass
                              size
   (world)body (R)            name
      joint (*)               axis
"""
MANUAL = """
.. _part-mass:

:at:`mass`: :at-val:`real, required`
   Its mass; see :ref:`part<part>`.

.. _body-joint-axis:

:at:`axis`: :at-val:`real(3), "0 0 1" for parts, "1 0 0" elsewhere`

.. _part-shape:
.. _part-form:

:at:`shape`, :at:`form`: :at-val:`[ball,
box], "ball"`

.. _part-size:

:at:`size`
   As elsewhere.

.. _part:

Text about :at:`colour`: :at-val:`string, optional`
"""
ACCEPTED = {
    *(
        f"mujoco/default/{tag}/@lengthrange"
        for tag in ("motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")
    ),
    *("mujoco/default/damper/@ctrllimited", "mujoco/actuator/damper/@ctrllimited"),
    *("mujoco/default/muscle/@tausmooth", "mujoco/equality/distance"),
}
"""What the manual of 3.2.7 has and its reader refuses: both variants are accepted."""


def test_a_printed_table() -> None:
    found = parsed(TABLE)
    assert {path: tuple(element.attributes) for path, element in found.items()} == {
        ("robot",): ("model",),
        ("robot", "part"): ("colour", "mass", "size"),
        ("robot", "worldbody", "body"): ("name",),
        ("robot", "worldbody", "body", "joint"): ("axis",),
    }


@pytest.mark.parametrize(("text", "line"), [("Usage: none\n", 1), ("a (!)  b\n         c (*) d\n", 2)])
def test_another_text_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"line {line}:"):
        parsed(text)


def test_the_manual() -> None:
    shape = Attribute("keyword", ("ball", "box"), "ball", False)
    assert of_manual(MANUAL) == {
        "part-mass": Attribute("real", (), None, True),
        "body-joint-axis": Attribute("real(3)", (), "0 0 1", False),
        "part-shape": shape,
        "part-form": shape,
    }


def test_each_difference_is_a_row() -> None:
    ours = {
        ("robot",): Element({"model": Attribute(), "name": Attribute()}),
        ("robot", "part"): Element({"mass": Attribute("real", (), "1", False), "size": Attribute("real")}),
        ("robot", "worldbody", "body"): Element({"name": Attribute()}),
        ("robot", "worldbody", "body", "joint"): Element({"axis": Attribute("real(3)", (), "0.0 0 1")}),
        ("robot", "worldbody", "body", "tip"): Element({"name": Attribute()}),
        ("robot", "worldbody", "part"): Element({"mass": Attribute()}),
    }
    assert list(compare(ours, parsed(TABLE), of_manual(MANUAL))) == [
        Row("attribute", "robot/@name", "there", ""),
        Row("attribute", "robot/part/@colour", "", '<xs:attribute name="colour"'),
        Row("required", "robot/part/@mass", "False", "True"),
        Row("required", "robot/worldbody/body/joint/@axis", "None", "False"),
        Row("element", "robot/worldbody/body/tip", "there", ""),
    ]


def test_our_schema_has_what_the_library_prints() -> None:
    """The only differences are what the manual of that release has in addition."""
    installed = version("mujoco")
    schema = load(SCHEMAS / "mjcf.xsd")
    assert installed == schema.version
    ours = described(at_release(schema, installed))
    rows = list(compare(ours, printed(release(installed, Path("unused")).library)))
    assert {row.path for row in rows if not row.theirs} == ACCEPTED
    assert [row for row in rows if row.theirs] == []


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["mjcf", version("mujoco")]) == 1
    out = capsys.readouterr().out
    assert f"element   mujoco/equality/distance: ours there; {version('mujoco')} none\n" in out
    assert "; no manual describes 1402 of 1402 attributes, whose types and defaults were not compared" in out
    text = tmp_path / "text.rst"
    text.write_text("Nothing about attributes.")
    installed = release(version("mujoco"), Path("unused")).library
    assert command.main(["mjcf", "3.2.7", "--library", str(installed), "--manual", str(text)]) == 2
    assert "describes no attributes" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["mjcf", "../4.0.0"])
    assert "'../4.0.0' is not a release" in capsys.readouterr().err
    library = tmp_path / "libmujoco.so"
    library.write_bytes(b"no library")
    assert command.main(["mjcf", "4.0.0", "--library", str(library)]) == 2
    assert "does not print its elements" in capsys.readouterr().err
