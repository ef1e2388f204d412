"""Effects of `<gazebo>`, which has none in Drake: every element in it is accepted and listed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polybody
import pytest

from .robots import SOLID, joint, link, made, motor

WORLD = link("world", "")
BOX = "<geometry><box size='1 1 1'/></geometry>"
BOXED = f"{SOLID}<collision>{BOX}</collision>"


def about(reference: str, **said: object) -> str:
    inside = "".join(f"<{tag}>{value}</{tag}>" for tag, value in said.items())
    return f'<gazebo reference="{reference}">{inside}</gazebo>' if reference else f"<gazebo>{inside}</gazebo>"


def gazebo(*parts: str) -> Any:
    return made(*parts, meaning="gazebo")


def not_simulated(result: Any) -> list[str]:
    return [each.message for each in result.findings if "not simulated" in each.message]


def touching(model: polybody.Model) -> set[str]:
    """Names of two links each that may collide, as "ab"."""
    names, excluded = model.names["body"], set(model.exclude_signature.tolist())
    bits = [
        (int(own), int(other)) for own, other in zip(model.geom_contype, model.geom_conaffinity, strict=True)
    ]
    found = set()
    for one, other in combinations(range(model.ngeom), 2):
        first, second = sorted((int(model.geom_bodyid[one]), int(model.geom_bodyid[other])))
        meet = bits[one][0] & bits[other][1] or bits[other][0] & bits[one][1]
        apart = model.body_weldid[first] != model.body_weldid[second]
        if meet and apart and (first << 16) + second not in excluded:
            found.add("".join(sorted((names[first], names[second]))))
    return found


def test_gazebo_says_how_links_look_touch_and_fall() -> None:
    said = (
        '<gazebo reference="a"><gravity>0</gravity><kd>9</kd><material>Gazebo/Orange</material>'
        "<kp>1e6</kp><maxVel>1</maxVel></gazebo>",
        '<gazebo reference="b"><self_collide>true</self_collide><material>Own</material>'
        "<maxVel>1</maxVel></gazebo>",
    )
    box = "<geometry><box size='1 1 1'/></geometry>"
    shapes = f"<collision>{box}</collision><visual>{box}</visual>"
    parts = (WORLD, link("a", SOLID + shapes), link("b", SOLID + shapes))
    joints = (joint("j", "continuous", "world", "a"), joint("k", "continuous", "a", "b"))
    result = made(*parts, *joints, *said, meaning="gazebo")
    model = result.model
    names = model.names["body"]
    assert model.body_gravcomp[[names.index("a"), names.index("b")]].tolist() == [1.0, 0.0]
    colours = model.geom_rgba[model.geom_group == 1]
    assert colours == pytest.approx(np.array([[1, 0.5088, 0.0468, 1], [0.5, 0.5, 0.5, 1]]))
    assert touching(model) == set(), "a joint connects them"
    assert model.geom_stiffness[model.geom_group == 0].tolist() == [1e6, 1e12]
    assert model.geom_damping[model.geom_group == 0].tolist() == [9, 1]
    assert not_simulated(result) == [
        "<maxVel> of <gazebo> is read but not simulated (written 2 times)",
        "<material> of <gazebo> is read but not simulated (written once)",
    ]


def test_friction_and_gazebos_springs_are_gazebos_alone() -> None:
    said = (
        '<gazebo reference="j"><springStiffness>7</springStiffness>'
        "<springReference>0.2</springReference></gazebo>",
        '<gazebo reference="a"><turnGravityOff>true</turnGravityOff><mu1>0.3</mu1><mu2>0.3</mu2></gazebo>',
    )
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    parts = (WORLD, link("a", SOLID + box), link("b", SOLID + box))
    joints = (
        joint("j", "continuous", "world", "a", '<dynamics damping="1" friction="2"/>'),
        joint("k", "continuous", "a", "b"),
    )
    drake = made(*parts, *joints, *said).model
    for name in ("dof_frictionloss", "dof_stiffness", "body_gravcomp"):
        assert not getattr(drake, name).any()
    assert any("gazebo" in each.message for each in made(*parts, *joints, *said).findings)
    result = made(*parts, *joints, *said, meaning="gazebo")
    assert not any("not simulated" in each.message for each in result.findings)
    model = result.model
    assert model.dof_frictionloss.tolist() == [2, 0]
    assert model.dof_stiffness.tolist() == [7, 0]
    assert model.qpos_spring.tolist() == [0.2, 0]
    assert model.body_gravcomp.tolist() == [0, 1, 0]
    assert model.geom_friction[:, 0].tolist() == [0.3, 1]
    with pytest.raises(ValueError, match="meaning"):
        made(*parts, *joints, meaning="webots")


CHAIN = (
    *(link(name, BOXED) for name in "abcd"),
    joint("ab", "continuous", "a", "b"),
    joint("bc", "fixed", "b", "c"),
    joint("cd", "continuous", "c", "d"),
)
"""Drake's links collide unless a joint connects them: a link on a fixed joint counts separately."""


def test_drake_parts_the_two_links_of_a_joint_alone() -> None:
    for said in ("", about("bc", preserveFixedJoint="true"), about("", self_collide="false")):
        assert touching(made(*CHAIN, said).model) == {"ac", "ad", "bd"}


def test_links_of_a_robot_touch_if_the_robot_or_one_of_both_says_so() -> None:
    assert touching(gazebo(*CHAIN).model) == set()
    kept = about("bc", preserveFixedJoint="true")
    assert touching(gazebo(*CHAIN, kept, about("a", selfCollide="true")).model) == {"ac", "ad"}
    assert touching(gazebo(*CHAIN, kept, about("", self_collide="true")).model) == {"ac", "ad", "bd"}
    without = about("a", selfCollide="false") + about("d", self_collide="0")
    assert touching(gazebo(*CHAIN, kept, about("", self_collide="true"), without).model) == {"ac", "bd"}


@pytest.mark.parametrize("kept", ["preserveFixedJoint", "disableFixedJointLumping"])
def test_links_of_a_fixed_joint_are_one_where_nothing_keeps_them_two(kept: str) -> None:
    """They are one link for collision filters, but remain two bodies, which move as one."""
    touch = about("", self_collide="true")
    lumped, two = gazebo(*CHAIN, touch), gazebo(*CHAIN, touch, about("bc", **{kept: "true"}))
    assert touching(lumped.model) == {"ad"}
    assert touching(two.model) == {"ac", "ad", "bd"}
    assert not_simulated(two) == []
    assert lumped.model.names["body"] == two.model.names["body"] == ("world", *"abcd")
    for name in ("body_mass", "body_inertia", "body_pos", "body_weldid", "jnt_axis"):
        np.testing.assert_array_equal(getattr(lumped.model, name), getattr(two.model, name))
    assert touching(gazebo(*CHAIN, touch, about("bc", **{kept: "false"})).model) == {"ad"}


def test_a_robot_touches_the_world() -> None:
    model = gazebo(link("world", f"<collision>{BOX}</collision>"), *CHAIN).model
    assert touching(model) == {"".join(sorted(("world", name))) for name in "abcd"}


def test_the_smaller_of_two_frictions_counts_in_all_directions() -> None:
    for said, friction, differ in (
        ({"mu1": 0.9, "mu2": 0.4}, 0.4, True),
        ({"mu1": 0.9}, 0.9, True),
        ({"mu1": 1.5}, 1.0, True),
        ({"mu1": 1.5, "mu2": 1.5}, 1.5, False),
        ({"mu2": 0.2}, 0.2, True),
    ):
        result = gazebo(link("a", BOXED), about("a", **said))
        assert result.model.geom_friction[0, 0] == friction
        assert any("`mu1` and `mu2`" in each.message for each in result.findings) == differ


def test_negative_numbers_are_warned_of_and_not_used() -> None:
    parts = (WORLD, link("a", BOXED), joint("j", "continuous", "world", "a"))
    for reference, said in (("a", "mu2"), ("a", "kp"), ("a", "kd"), ("j", "springStiffness")):
        result = gazebo(*parts, about(reference, **{said: -1}))
        (found,) = [each for each in result.findings if each.severity == "warning"]
        assert (found.code, found.line) == ("PB063", 5)
        assert "negative" in found.message
        plain = gazebo(*parts).model
        for name in ("geom_friction", "geom_stiffness", "geom_damping", "dof_stiffness"):
            np.testing.assert_array_equal(getattr(result.model, name), getattr(plain, name))


LISTED = {
    "a link": ("a", {"fdir1": "1 0 0", "slip1": 0.1, "slip2": 0.1, "dampingFactor": 0.1, "minDepth": 0.1}),
    "contacts of a link": (
        "a",
        {"maxVel": 0.1, "maxContacts": 3, "laserRetro": 1, "sensor": "", "bounce": ""},
    ),
    "a joint": ("j", {"stopCfm": 0, "stopErp": 1, "fudgeFactor": 1, "provideFeedback": 1, "cfmDamping": 1}),
    "a solver": ("j", {"implicitSpringDamper": 1}),
    "a robot": ("", {"plugin": "", "selfCollide": "true", "mu1": 1}),
    "a link's word at a joint": ("j", {"mu1": 1}),
    "a joint's word at a link": ("a", {"springStiffness": 1}),
    "nothing": ("nobody", {"mu1": 1}),
}


@pytest.mark.parametrize("name", LISTED)
def test_what_the_model_cannot_say_is_listed(name: str) -> None:
    reference, said = LISTED[name]
    parts = (WORLD, link("a", BOXED), joint("j", "continuous", "world", "a"), about(reference, **said))
    messages = [f"<{tag}> of <gazebo> is read but not simulated (written once)" for tag in said]
    assert sorted(not_simulated(gazebo(*parts))) == sorted(messages)
    assert [each for each in not_simulated(made(*parts)) if "<gazebo> is read" in each]


def test_springs_are_for_joints_of_one_degree_of_freedom() -> None:
    ball = joint("j", "ball", "world", "a", tag="drake:joint")
    (found,) = gazebo(WORLD, link("a"), ball, about("j", springStiffness=3)).findings
    assert (found.code, found.line) == ("PB027", 5)


@pytest.mark.parametrize(
    ("kind", "tag", "count"), [("universal", "drake:joint", 2), ("ball", "drake:joint", 3)]
)
def test_every_degree_of_freedom_of_a_joint_has_its_friction(kind: str, tag: str, count: int) -> None:
    parts = (WORLD, link("a"), joint("j", kind, "world", "a", '<dynamics damping="1" friction="2"/>', tag))
    assert gazebo(*parts).model.dof_frictionloss.tolist() == [2.0] * count
    assert not made(*parts).model.dof_frictionloss.any()


def test_a_static_robot_is_welded_where_it_is() -> None:
    """Including everything that acts on its joints."""
    tendon = (
        '<drake:tendon_constraint><drake:tendon_constraint_joint name="j" a="2"/>'
        '<drake:tendon_constraint_offset value="0"/><drake:tendon_constraint_lower_limit value="0"/>'
        '<drake:tendon_constraint_upper_limit value="1"/><drake:tendon_constraint_stiffness value="1"/>'
        '<drake:tendon_constraint_damping value="0"/></drake:tendon_constraint>'
    )
    gains = motor("j", inside='<drake:controller_gains p="1" d="1"/>')
    parts = (
        *(link(name) for name in "abc"),
        joint("j", "continuous", "a", "b"),
        joint("k", "continuous", "a", "c", '<mimic joint="j"/>'),
        *(gains, tendon, about("", static="true")),
    )
    model = gazebo(*parts).model
    assert (model.njnt, model.nu, model.neq, model.ntendon) == (0, 0, 0, 0)
    assert made(*parts).model.njnt == 3


def test_transmissions_are_the_same_under_both_meanings() -> None:
    limit = '<limit effort="5" velocity="1"/>'
    parts = (WORLD, link("a"), joint("j", "revolute", "world", "a", limit), motor("j"))
    drake, other = made(*parts).model, gazebo(*parts).model
    assert drake.names["actuator"] == other.names["actuator"] == ("motor",)
    assert drake.actuator_forcerange.tolist() == other.actuator_forcerange.tolist() == [[-5, 5]]


def test_values_are_read_as_gazebo_reads_them() -> None:
    said = '<mu1 value="0.2"/><mu2 value="0.3">9</mu2><turnGravityOff>yes</turnGravityOff>'
    model = gazebo(link("a", BOXED), f'<gazebo reference="a">{said}</gazebo>').model
    assert model.geom_friction[0, 0] == 0.2
    assert model.body_gravcomp[1] == 1
    still = '<gazebo><static value="1"/></gazebo>'
    assert gazebo(link("a", BOXED), still).model.nv == 0
