"""The facts of URDF and Drake, recorded in the file next to this one, compared with its schema; and its
decisions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from polybody.cli.schema import describe
from polybody.generated.formats.urdf import FORMAT

from tests.codegen.facts import Fact, named_facts, same_default, values_in

FACTS = Path(__file__).with_name("urdf_facts.txt")
DRAKE = (
    "visual/drake:illustration_properties",
    "visual/drake:perception_properties",
    "drake:linear_spring_damper",
    "drake:tendon_constraint",
    "drake:distance_constraint",
    "drake:surface_velocity_axis",
    *("drake:curves", "drake:initial_tangent", "drake:plane_normal", "drake:is_periodic"),
)
OTHERS = (
    *(
        "link/contact",
        "link/self_collision_checking",
        "link/self_filter",
        "collision/material",
        "material/specular",
    ),
    *("robot/mujoco", "robot/ros2_control", "robot/deformable", "robot/reduced_deformable", "robot/origin"),
    *("joint/joint_properties", "transmission/compensator", "transmission/motorTorqueConstant"),
    *("transmission/robotNamespace", "transmission/simulated_actuated_joint"),
    *("actuator/role", "actuator/offset", "joint/role", "joint/offset", "joint/mechanicalReduction"),
    *("joint/saturationLower", "joint/saturationUpper", "joint/deadBandLower", "joint/deadBandUpper"),
    "joint/ignoreTransmissionAbsoluteEncoder",
)
"""Elements, and their content, that are not in the facts: those of Drake, and of other readers."""
REQUIRED = {"transmission/mechanicalReduction", "actuator/mechanicalReduction"}
"""Texts without which their elements have no meaning."""


def facts() -> dict[str, dict[str, Fact]]:
    """Every element's path with its values; the name of its text is empty."""
    lines = [line for line in FACTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {path: named_facts(rest, " ; ") for path, _, rest in (line.partition(" :") for line in lines)}


TABLE = facts()
DESCRIBED: dict[str, Any] = {element["path"]: element for element in describe(FORMAT)["elements"]}


def test_the_facts_are_all_there() -> None:
    assert len(TABLE) == 121
    assert sum(len(values.keys() - {""}) for values in TABLE.values()) == 197


def test_what_the_facts_leave_out_is_known() -> None:
    more = DESCRIBED.keys() - TABLE.keys()
    assert all(any(f"/{end}/" in f"/{path}/" for end in (*DRAKE, *OTHERS)) for path in more), more


@pytest.mark.parametrize(("path", "values"), TABLE.items(), ids=list(TABLE))
def test_an_element_has_the_values_of_the_facts(path: str, values: dict[str, Fact]) -> None:
    ours = values_in(DESCRIBED[path])
    assert ours.keys() >= values.keys()
    for name, expected in values.items():
        found = ours[name]
        size = None if found["size"] in (None, 1) else str(found["size"])
        assert (found["type"], size) == (expected.kind, expected.size), name
        assert frozenset(found["enum"] or ()) == expected.keywords, name
        assert same_default(found["default"], expected.default), name
        decided = not name and any(path.endswith(end) for end in REQUIRED)
        assert (found["required"] == expected.required) != decided, name
