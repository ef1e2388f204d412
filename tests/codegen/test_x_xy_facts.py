"""The facts of x_xy, recorded by hand from its documentation and its engine, compared with its schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from polybody.base import Default, Length
from polybody.cli.schema import describe
from polybody.codegen.schema import SCHEMAS, load
from polybody.generated.formats.x_xy import FORMAT, Joint

JOINTS = [
    "free",
    "cor",
    "free_2d",
    "frozen",
    "spherical",
    "px",
    "py",
    "pz",
    "rx",
    "ry",
    "rz",
    "saddle",
    "p3d",
    "rr",
    "rr_imp",
    "rsaddle",
]
SHAPES = ["box", "sphere", "cylinder", "xyz", "capsule"]

# (name, type, size, default, required)
Fact = tuple[str, str, int | str | None, str | None, bool]
PLACEMENT: list[Fact] = [
    ("pos", "real", 3, "0 0 0", False),
    ("euler", "real", 3, "0 0 0", False),
    ("quat", "real", 4, "1 0 0 0", False),
]


def body(required: bool) -> list[Fact]:
    return [
        ("name", "string", None, None, required),
        ("joint", "enum", None, None, required),
        *PLACEMENT,
        ("pos_min", "real", 3, "0 0 0", False),
        ("pos_max", "real", 3, "0 0 0", False),
        ("damping", "real", "qd_size", "0 ...", False),
        ("armature", "real", "qd_size", "0 ...", False),
        ("spring_stiff", "real", "qd_size", "0 ...", False),
        ("spring_zero", "real", "q_size", "0 ...", False),
    ]


def geom(required: bool) -> list[Fact]:
    return [
        ("mass", "real", 1, None, required),  # of every shape except xyz
        ("type", "enum", None, None, required),
        ("dim", "real", "1..3", None, required),  # of every shape except xyz
        ("color", "string", None, None, False),  # or 3 to 4 numbers
        ("edge_color", "string", None, None, False),  # or 3 to 4 numbers
        *PLACEMENT,
    ]


FACTS: dict[str, tuple[list[Fact], list[str]]] = {
    # The documentation requires the model's name, and spells it `name` and `model` at different places. The
    # engine accepts only `model`, and its own files omit it. Both spellings are read, neither is required.
    "x_xy": (
        [("name", "string", None, None, False), ("model", "string", None, None, False)],
        ["options", "defaults", "worldbody"],
    ),
    "x_xy/options": ([("gravity", "real", 3, "0 0 9.81", False), ("dt", "real", 1, "0.01", False)], []),
    "x_xy/defaults": ([], ["geom", "body"]),
    "x_xy/defaults/geom": (geom(False), []),
    "x_xy/defaults/body": (body(False), []),
    "x_xy/worldbody": ([], ["body", "geom"]),
    "x_xy/worldbody/body": (body(True), ["geom", "omc", "body"]),
    "x_xy/worldbody/body/geom": (geom(True), []),
    "x_xy/worldbody/body/omc": (
        [
            ("name", "string", None, None, False),
            ("pos_marker", "int", 1, None, True),
            ("pos", "real", 3, "0 0 0", False),
        ],
        [],
    ),
}
SIZES = {  # joint: (q, qd)
    "free": (7, 6), "cor": (10, 9), "free_2d": (3, 3), "frozen": (0, 0), "spherical": (4, 3),
    "px": (1, 1), "py": (1, 1), "pz": (1, 1), "rx": (1, 1), "ry": (1, 1), "rz": (1, 1),
    "saddle": (2, 2), "p3d": (3, 3), "rr": (1, 1), "rr_imp": (2, 2), "rsaddle": (2, 2),
}  # fmt: skip
CARDINALITY = {  # parent: {child: (minimum, maximum)}; None: any number
    "XXy": {"options": (0, 1), "defaults": (0, 1), "worldbody": (1, 1)},
    "Defaults": {"geom": (0, 1), "body": (0, 1)},
    "Worldbody": {"body": (1, None), "geom": (0, None)},
    "Body": {"geom": (0, None), "omc": (0, 1), "body": (0, None)},
}


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    text: dict[str, Any] = json.loads(json.dumps(describe(FORMAT)))
    return text


def test_there_are_nine_elements_and_forty_five_attributes(described: dict[str, Any]) -> None:
    assert [element["path"] for element in described["elements"]] == list(FACTS)
    assert sum(len(element["attributes"]) for element in described["elements"]) == 45
    assert (described["format"], described["version"]) == ("x_xy", "1.7.1")


@pytest.mark.parametrize("path", FACTS)
def test_an_element_is_as_the_facts_say(described: dict[str, Any], path: str) -> None:
    (element,) = (e for e in described["elements"] if e["path"] == path)
    attributes, children = FACTS[path]
    found = {
        a["name"]: (a["name"], a["type"], a["size"], a["default"], a["required"])
        for a in element["attributes"]
    }
    assert found == {fact[0]: fact for fact in attributes}
    assert element["children"] == children
    assert element["tag"] == path.rpartition("/")[2]
    assert element["text"] is None
    assert element["recursive"] == (path == "x_xy/worldbody/body")
    keywords = {"joint": JOINTS, "type": SHAPES}
    for attribute in element["attributes"]:
        assert attribute["enum"] == (keywords[attribute["name"]] if attribute["type"] == "enum" else None)
        assert attribute.get("alternatives") == (["real 3..4"] if "color" in attribute["name"] else None)


def test_what_is_not_simulated_says_why(described: dict[str, Any]) -> None:
    parsed = {
        f"{e['path']}/@{a['name']}": a["reason"]
        for e in described["elements"]
        for a in e["attributes"]
        if a["status"] != "simulated"
    }
    assert {path.rpartition("/")[2] for path in parsed} == {
        "@color",
        "@edge_color",
        "@name",
        "@pos_marker",
        "@pos",
    }
    assert {path for path in parsed if "color" not in path} == {
        f"x_xy/worldbody/body/omc/@{name}" for name in ("name", "pos_marker", "pos")
    }
    statuses = {element["path"]: element["status"] for element in described["elements"]}
    assert statuses.pop("x_xy/worldbody/body/omc") == "parsed"
    assert set(statuses.values()) == {"simulated"}


def test_numbers_of_children_are_those_of_the_facts() -> None:
    from polybody.base import UNBOUNDED

    found = {
        key: {child.tag: (child.low, None if child.high == UNBOUNDED else child.high) for child in e.children}
        for key, e in FORMAT.elements.items()
        if e.children
    }
    assert found == CARDINALITY


def test_sizes_and_defaults_follow_the_joint() -> None:
    rules = FORMAT.elements["Body"].rules
    lengths = {rule.name: rule for rule in rules if isinstance(rule, Length)}
    defaults = {rule.name: rule.values for rule in rules if isinstance(rule, Default)}
    assert set(lengths) == set(defaults) == {"damping", "armature", "spring_stiff", "spring_zero"}
    for joint in Joint:
        q, qd = SIZES[joint.value]
        for name in ("damping", "armature", "spring_stiff"):
            assert lengths[name].sizes[joint] == (qd, qd)
            assert defaults[name][joint] == (0.0,) * qd
        assert lengths["spring_zero"].sizes[joint] == (q, q)
        start = (1.0, 0.0, 0.0, 0.0) if joint in (Joint.FREE, Joint.COR, Joint.SPHERICAL) else ()
        assert defaults["spring_zero"][joint] == start + (0.0,) * (q - len(start))


def test_joint_types_are_sequences_of_primitives() -> None:
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    found = {
        joint.value: [(primitive.joint, primitive.axis) for primitive in FORMAT.sequences[joint]]
        for joint in Joint
    }
    assert found == {
        "free": [("free", None)],
        "cor": [("free", None), ("slide", x), ("slide", y), ("slide", z)],
        "free_2d": [("slide", y), ("slide", z), ("hinge", x)],
        "frozen": [],
        "spherical": [("ball", None)],
        "px": [("slide", x)], "py": [("slide", y)], "pz": [("slide", z)],
        "rx": [("hinge", x)], "ry": [("hinge", y)], "rz": [("hinge", z)],
        "saddle": [("hinge", y), ("hinge", z)],
        "p3d": [("slide", x), ("slide", y), ("slide", z)],
        "rr": [("hinge", None)],
        "rr_imp": [("hinge", None), ("hinge", None)],
        "rsaddle": [("hinge", None), ("hinge", None)],
    }  # fmt: skip


def test_everything_is_documented() -> None:
    schema = load(SCHEMAS / "x_xy.xsd")
    for element in schema.elements:
        assert element.doc, element.key
        for attribute in element.attributes:
            assert len(attribute.doc) > 10, f"{element.key}/@{attribute.name}"
            if attribute.forms[0].kind.value == "real":
                assert attribute.meaning.unit, f"{element.key}/@{attribute.name}"
    for enum in schema.enums:
        assert all(member.doc for member in enum.members)
