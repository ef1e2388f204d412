"""Values at the start of MJCF's lowering are those of `polybody.resolve`, except for vectors that are too
short, orientations, and shortcuts of actuators.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest
from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering.mjcf import reading, values
from polybody.lowering.mjcf.actuator_values import COMMON
from polybody.lowering.mjcf.problems import Problems

from tests.reading.test_effective import CLASSES
from tests.reading.test_effective import compare as twins

KEYS = {row.cls: key for key, row in FORMAT.elements.items()}
TARGETS = {default.target for default in FORMAT.defaults}
"""The kinds of elements that defaults classes fill."""
ORIENTATIONS = {"quat", *values.ALTERNATIVES}
ALWAYS_LIMITED = ("damper", "adhesion")
"""Shortcuts that limit their control by themselves."""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ACTUATORS = """<mujoco><default><general gear="2" ctrlrange="-1 1"/>
<default class="a"><motor forcerange="0 3"/>
<default class="b"><position group="2" kp="3"/></default></default></default>
<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>
<actuator><general joint="j"/><motor class="a" joint="j"/><position class="b" joint="j"/>
<velocity class="b" group="4" joint="j"/></actuator></mujoco>"""
TWO_FILES = """<mujoco>


<default><geom rgba="1 0 0 1" size="1"/></default>
<include file="other.xml"/><worldbody><geom/><body><geom class="a"/></body></worldbody></mujoco>"""
OTHER = """<mujoco><default><geom rgba="0 1 0 1"/>
<default class="a"><geom size="3"/></default></default></mujoco>"""


def compare(document: Node) -> int:
    """Compare the values of every element that is read for the Model; returns the number of elements."""
    resolved = pb.resolve(document)
    own = set(map(id, elements(resolved.expanded)))  # an attached model has its own defaults
    count = 0

    def recorded(kind: str, base: dict[str, Any], node: Node) -> dict[str, Any]:
        nonlocal count
        found = values.filled(kind, base, node)
        if KEYS[type(node)] in TARGETS and id(node) in own:
            count += _compare(resolved, kind, node, found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "filled", recorded)
        reading.Reader(resolved.expanded, Problems(Findings("warn"))).read()
    return count


def elements(root: Node) -> Iterator[Node]:
    """The elements of a document."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting.extend(children_of(node))
        yield node


def _compare(resolved: Any, kind: str, node: Node, found: dict[str, Any]) -> int:
    count = 0
    for attribute in FORMAT.elements[KEYS[type(node)]].attributes:
        name = attribute.field
        effective = resolved.value(node, attribute.name)
        if name == "class_" or name in ORIENTATIONS or (kind == "actuator" and name not in COMMON):
            continue
        elsewhere = values.OTHERWISE.get(kind, {}) | values.FORMERLY.get(kind, ("", {}))[1]
        if effective.origin == "schema" and (name not in found or name in elsewhere):
            continue
        if name == "ctrllimited" and node.TAG in ALWAYS_LIMITED:
            continue
        given, had = effective.value, found.get(name)
        if (name in values.SHORT.get(kind, ()) and given is not None) or (
            kind == "tendon" and name == "springlength"
        ):
            had = had[: len(given)]
        assert had == given, (node.place, kind, name, had, given)
        count += 1
    if "alternative" in found and getattr(node, "quat", None) is None:
        given = [(name, resolved.given(node, name)) for name in values.ALTERNATIVES if name in found]
        assert found["alternative"] == next((each for each in given if each[1] is not None), None), node.place
        count += 1
    return count


@pytest.mark.parametrize("text", [CLASSES, ACTUATORS], ids=["classes", "actuators"])
def test_small_documents(text: str) -> None:
    assert compare(pb.read("m.xml", text=text, policy="lenient")) > 90


def test_a_class_in_two_files(tmp_path: Path) -> None:
    """The value read last counts, whatever its line in its own file."""
    path = tmp_path / "m.xml"
    path.write_text(TWO_FILES)
    (tmp_path / "other.xml").write_text(OTHER)
    document = pb.read(path)
    assert compare(document) > 20
    model, engine = pb.lower(document), mujoco.MjModel.from_xml_path(str(path))
    assert model.geom_rgba.tolist() == engine.geom_rgba.tolist() == [[0, 1, 0, 1]] * 2
    assert model.geom_size.tolist() == engine.geom_size.tolist()


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("**/*.xml")), ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        document = pb.read(path)
    if document.TAG == "mujoco":
        assert compare(document) > 0


def sections(rng: random.Random) -> tuple[str, list[str]]:
    """A document with a geom of each class, and included files: sections of defaults with classes nested
    between settings.
    """
    names = iter(range(1000))
    classes: list[str] = []

    def settings() -> str:
        given = rng.sample(("margin", "gap", "mass", "group", "condim", "density"), rng.randint(0, 2))
        numbers = {"group": rng.randint(0, 5), "condim": rng.choice((1, 3, 4, 6))}
        return (
            "<geom " + " ".join(f'{name}="{numbers.get(name, rng.randint(1, 99))}"' for name in given) + "/>"
        )

    def nested(depth: int) -> str:
        classes.append(f"c{next(names)}")
        return f'<default class="{classes[-1]}">{content(depth + 1)}</default>'

    def content(depth: int) -> str:
        parts = [settings()]
        if depth < 3:
            parts += [nested(depth) for _ in range(rng.randint(0, 2))]
        rng.shuffle(parts)
        return "".join(dict.fromkeys(parts))

    files = [f"<default>{content(0)}</default>" for _ in range(rng.randint(1, 5))]
    geoms = "".join(f'<geom class="{name}" size="1"/>' for name in classes)
    includes = "".join(f'<include file="{number}.xml"/>' for number in range(len(files)))
    world = f'<worldbody><body><geom size="1"/>{geoms}</body></worldbody>'
    return f"<mujoco>{includes}{world}</mujoco>", files


@pytest.mark.parametrize("seed", range(40))
def test_a_class_is_a_copy_of_the_one_around_it_as_it_was_then(seed: int, tmp_path: Path) -> None:
    """Values that later sections give to the outermost class do not reach classes that earlier sections nest
    in it.
    """
    text, files = sections(random.Random(seed))
    for number, section in enumerate(files):
        (tmp_path / f"{number}.xml").write_text(f"<mujoco>{section}</mujoco>")
    path = tmp_path / "m.xml"
    path.write_text(text)
    theirs, ours = mujoco.MjModel.from_xml_path(str(path)), pb.load(path)
    for name in ("geom_margin", "geom_gap", "geom_group", "geom_condim", "body_mass"):
        assert np.array_equal(getattr(theirs, name), getattr(ours, name)), name
    assert compare(pb.read(path))
    assert twins(pb.read(path))


def test_a_section_cannot_add_to_what_nested_classes_are_copies_of() -> None:
    first = '<default><geom size="1"/>{}</default>'
    text = f'<mujoco>{first}\n<default><geom size="2"/></default><worldbody><geom/></worldbody></mujoco>'
    assert pb.lower(pb.read("m.xml", text=text.format(""))).geom_size[0, 0] == 2
    with pytest.raises(pb.ValidationError, match="an earlier <default> section has nested classes") as caught:
        pb.lower(pb.read("m.xml", text=text.format('<default class="c"/>')))
    (found,) = [each for each in caught.value.diagnostics if each.severity == "error"]
    assert (found.line, found.column) == (2, 10)


def test_many_sections_of_defaults_are_let_go() -> None:
    """A chain of a hundred thousand classes is freed without recursion."""
    one = '<default><geom margin="1"/><default class="c{}"/></default>'
    text = "".join(one.format(number) for number in range(100_000))
    text = f'<mujoco>{text}<worldbody><geom size="1"/></worldbody></mujoco>'
    assert pb.check("m.xml", "warn", text=text, model=False) == []
