"""SDFormat features that Gazebo supports and Drake does not: contacts, friction, gravity, self-collision."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered

from tests.differential.sdf_models import UNIVERSAL, A, B, joint, link, model, sdf
from tests.lowering.urdf.test_gazebo import touching

pytestmark = pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")
BALL = "<geometry><sphere><radius>.5</radius></sphere></geometry>"


def made(text: str, meaning: str = "gazebo", **options: Any) -> Any:
    options = {"disable": ("constraint",)} | options
    return lowered(pb.read("m.sdf", text=text), meaning=meaning, **options)


def shaped(name: str, surface: str = "", more: str = "", pose: str = "") -> str:
    """A link with a sphere."""
    shape = f'<collision name="c">{BALL}{surface and f"<surface>{surface}</surface>"}</collision>'
    return link(name, pose, more=shape + more)


def contact(**said: object) -> str:
    return "<contact>" + "".join(f"<{tag}>{value}</{tag}>" for tag, value in said.items()) + "</contact>"


def friction(ode: str = "", torsional: str = "") -> str:
    inside = (ode and f"<ode>{ode}</ode>") + (torsional and f"<torsional>{torsional}</torsional>")
    return f"<friction>{inside}</friction>"


def world(*links: str) -> str:
    """A world of models with one link each."""
    models = "".join(f'<model name="m{row}">{each}</model>' for row, each in enumerate(links))
    return sdf(f'<world name="w">{models}</world>')


def listed(result: Any) -> list[str]:
    return [each.message for each in result.findings if "not simulated" in each.message]


@pytest.mark.parametrize(
    ("first", "second", "touch"),
    [
        ({}, {}, True),
        ({"collide_bitmask": 1}, {"collide_bitmask": 2}, False),
        ({"collide_bitmask": 3}, {"collide_bitmask": 2}, True),
        ({"collide_bitmask": 2}, {}, True),
        ({"collide_bitmask": 0}, {}, False),
        ({"category_bitmask": 1, "collide_bitmask": 2}, {"category_bitmask": 1, "collide_bitmask": 2}, False),
        ({"category_bitmask": 1, "collide_bitmask": 2}, {"category_bitmask": 2, "collide_bitmask": 4}, True),
        ({"category_bitmask": 4, "collide_bitmask": 0}, {"category_bitmask": 1, "collide_bitmask": 4}, True),
    ],
)
def test_bits_of_category_and_collision_part_shapes(
    first: dict[str, int], second: dict[str, int], touch: bool
) -> None:
    """The rule of the format: (category1 & collide2) | (category2 & collide1)."""
    text = world(shaped("a", contact(**first)), shaped("b", contact(**second)))
    found = made(text)
    assert bool(touching(found.model)) == touch
    assert listed(found) == []
    assert touching(made(text, "drake").model) == {"m0::am1::b"}
    assert any("bitmask" in each for each in listed(made(text, "drake"))) == bool(first or second)


def test_bits_let_through_what_they_say_in_a_step() -> None:
    """Two spheres that overlap by half separate unless their bits exclude the contact."""
    speeds = []
    for mask in (1, 2):
        masked = contact(collide_bitmask=mask)
        pose = {"disable": ("gravity",)}
        text = world(shaped("a", contact(collide_bitmask=1)), shaped("b", masked, pose=".8 0 0 0 0 0"))
        found = made(text, **pose).model
        data = pb.Data(found)
        pb.step(found, data, 20)
        speeds.append(float(np.abs(data.qvel).max()))
    assert speeds[0] > 0.01
    assert speeds[1] == 0


CHAIN = (
    "".join(shaped(name, more="{" + name + "}") for name in "abc")
    + joint("revolute", "a", "b")
    + joint("revolute", "b", "c", "k")
)
YES, NO = "<self_collide>true</self_collide>", "<self_collide>false</self_collide>"


@pytest.mark.parametrize(
    ("whole", "own", "touch"),
    [
        ("", {}, set()),
        (YES, {}, {"ac"}),
        (NO, {}, set()),
        ("", {"a": YES}, {"ac"}),
        ("", {"b": YES}, set()),
        (YES, {"a": NO}, {"ac"}),
        (YES, {"a": NO, "c": NO}, set()),
    ],
)
def test_links_of_a_model_touch_if_the_model_or_one_of_both_says_so(
    whole: str, own: dict[str, str], touch: set[str]
) -> None:
    text = model(whole + CHAIN.format(**({"a": "", "b": "", "c": ""} | own)))
    found = made(text)
    assert touching(found.model) == touch
    assert listed(found) == []
    assert touching(made(text, "drake").model) == {"ac"}
    assert any("self_collide" in each for each in listed(made(text, "drake"))) == bool(whole or own)


@pytest.mark.parametrize(("whole", "file", "touch"), [(YES, NO, {"ac"}), (NO, YES, set()), ("", YES, set())])
def test_links_of_a_merged_file_touch_as_the_model_around_them_says(
    whole: str, file: str, touch: set[str], tmp_path: Path
) -> None:
    chain = CHAIN.format(a="", b="", c="")
    (tmp_path / "part.sdf").write_text(model(file + chain))
    path = tmp_path / "m.sdf"
    path.write_text(model(f'{whole}<include merge="true"><uri>part.sdf</uri></include>'))
    assert touching(pb.load(path, meaning="gazebo")) == touch


def test_models_touch_each_other_and_models_in_them() -> None:
    nested = model(shaped("a") + f'<model name="n">{shaped("b")}</model>')
    assert touching(made(nested).model) == {"m::am::n::b"}


def test_the_smaller_friction_counts_and_a_difference_is_said() -> None:
    for written, value, differ in (
        ("<mu>.3</mu><mu2>.8</mu2>", 0.3, True),
        ("<mu>.3</mu>", 0.3, True),
        ("<mu>.4</mu><mu2>.4</mu2>", 0.4, False),
        ("", 1.0, False),
    ):
        found = made(model(shaped("a", friction(written))))
        assert found.model.geom_friction[0, 0] == value
        assert any("`mu2`" in each for each in listed(found)) == differ


def test_directions_and_slip_are_listed() -> None:
    text = model(shaped("a", friction("<fdir1>1 0 0</fdir1><slip1>.1</slip1><slip2>.2</slip2>")))
    for meaning in ("gazebo", "drake"):
        told = listed(made(text, meaning))
        assert [any(f"`{name}`" in each for each in told) for name in ("fdir1", "slip1", "slip2")] == [
            True
        ] * 3


def test_what_a_link_loses_of_its_velocity_is_listed() -> None:
    decay = "<velocity_decay><linear>.1</linear></velocity_decay>"
    for meaning in ("gazebo", "drake"):
        told = listed(made(model(link("a", more=decay)), meaning))
        assert any("<velocity_decay>" in each for each in told)


PATCH = "<coefficient>{}</coefficient><patch_radius>{}</patch_radius>"


def test_torsional_friction_is_that_of_a_patch() -> None:
    """3 pi / 16 times coefficient and radius; a shape without a radius uses that of the other shape."""
    text = world(shaped("a", friction("", PATCH.format(0.8, 0.1))), shaped("b"))
    found = made(text)
    expected = 3 * math.pi / 16 * 0.8 * 0.1
    assert found.model.geom_condim.tolist() == [4, 3]
    np.testing.assert_allclose(found.model.geom_friction[:, 1], expected, rtol=1e-15)
    assert listed(found) == []
    drake = made(text, "drake")
    assert drake.model.geom_condim.tolist() == [3, 3]
    assert any("torsional" in each for each in listed(drake))


def test_a_ball_that_spins_on_the_ground_is_slowed_by_torsional_friction() -> None:
    """The torque is the torsional friction times the weight, the moment of inertia 2 m r^2 / 5."""
    plane = '<collision name="g"><geometry><plane/></geometry></collision>'
    inertia = "<inertia><ixx>.2</ixx><iyy>.2</iyy><izz>.2</izz></inertia>"
    solid = f"<inertial><mass>2</mass>{inertia}</inertial>"
    losses = []
    for torsional in ("", PATCH.format(1, 0.1)):
        shape = f'<collision name="c">{BALL}<surface>{friction("", torsional)}</surface></collision>'
        ball = f'<link name="b"><pose>0 0 .5 0 0 0</pose>{solid}{shape}</link>'
        text = sdf(
            f'<world name="w"><model name="ground"><static>true</static><link name="g">{plane}</link></model>'
            f'<model name="ball">{ball}</model></world>'
        )
        found = made(text, disable=()).model
        data = pb.Data(found)
        pb.step(found, data, 200)
        data.qvel[5] = 5.0
        pb.step(found, data, 100)
        losses.append(5.0 - float(data.qvel[5]))
    torque = 3 * math.pi / 16 * 0.1 * 2 * 9.8
    assert losses[0] == pytest.approx(0, abs=1e-9)
    assert losses[1] == pytest.approx(torque / 0.2 * 0.1, rel=0.02)


def test_what_of_a_surface_the_model_lacks_is_listed() -> None:
    grows = friction("", "<use_patch_radius>false</use_patch_radius><surface_radius>.1</surface_radius>")
    found = made(model(shaped("a", grows)))
    assert found.model.geom_condim.tolist() == [3]
    (told,) = listed(found)
    assert "`surface_radius`" in told
    slip = friction("", PATCH.format(1, 0.1) + "<ode><slip>.3</slip></ode>")
    (told,) = listed(made(model(shaped("a", slip))))
    assert "`slip`" in told


def test_bounce_is_gazebos() -> None:
    """The fraction of the speed that an impact restores, above a threshold that the Model lacks."""
    text = model(
        shaped(
            "a",
            "<bounce><restitution_coefficient>.6</restitution_coefficient><threshold>{}</threshold></bounce>",
        )
    )
    fast = made(text.format(0)).model.geom_dissipation[0]
    assert fast < made(text.format(1e5)).model.geom_dissipation[0], "a threshold that nothing reaches"
    assert listed(made(text.format(0))) == []
    (told,) = listed(made(text.format(0.2)))
    assert "`threshold` of <bounce>" in told
    drake = made(text.format(0), "drake")
    assert drake.model.geom_dissipation.tolist() == [50.0]
    assert any("<bounce>" in each for each in listed(drake))


def test_springs_of_contacts_are_gazebos_where_it_has_them_and_drakes_else() -> None:
    own = "<drake:proximity_properties><drake:point_contact_stiffness>1e4</drake:point_contact_stiffness>"
    own += "<drake:mu_dynamic>.3</drake:mu_dynamic></drake:proximity_properties>"
    for ode, stiffness, slides in (("", 1e4, 0.3), ("<ode><kp>7e3</kp><kd>8</kd></ode>", 7e3, 0.3)):
        shape = f'<collision name="c">{BALL}{own}<surface><contact>{ode}</contact></surface></collision>'
        found = made(model(link("a", more=shape))).model
        assert found.geom_stiffness[0] == stiffness
        assert found.geom_friction[0, 0] == slides
    assert found.geom_damping[0] == 8


WEIGHT = '<world name="w">{}<model name="m">' + A + "</model></world>"


def test_gravity_is_the_worlds() -> None:
    for written, value in (("", -9.8), ("<gravity>0 0 -3.7</gravity>", -3.7)):
        text = sdf(WEIGHT.format(written))
        assert made(text).model.opt_gravity.tolist() == [0, 0, value]
        assert made(text, "drake").model.opt_gravity.tolist() == [0, 0, -9.81]
        assert not any("gravity" in each for each in listed(made(text)))
        assert any("gravity" in each for each in listed(made(text, "drake"))) == bool(written)
    assert made(model(A)).model.opt_gravity.tolist() == [0, 0, -9.81]


def test_a_link_without_gravity_is_not_also_said_to_be_ignored() -> None:
    text = model(link("a", more="<gravity>false</gravity>"))
    assert made(text).model.body_gravcomp.tolist() == [0, 1]
    assert listed(made(text)) == []
    assert any("gravity" in each for each in listed(made(text, "drake")))


def test_each_axis_of_a_universal_joint_has_its_damping_and_friction() -> None:
    second = "</xyz><dynamics><damping>.9</damping><friction>.4</friction></dynamics></axis2>"
    text = model(A + B + UNIVERSAL.replace("</xyz></axis2>", second))
    assert made(text).model.dof_damping[6:].tolist() == [0.2, 0.9]
    assert made(text).model.dof_frictionloss[6:].tolist() == [0.0, 0.4]
    assert made(text, "drake").model.dof_damping[6:].tolist() == [0.2, 0.2]
    assert not made(text, "drake").model.dof_frictionloss.any()


def test_the_standards_mimic_is_gazebos() -> None:
    """Drake ignores it silently; we list it."""
    follows = (
        '<mimic joint="j"><multiplier>2</multiplier><offset>.1</offset><reference>.3</reference></mimic>'
    )
    text = model(
        A + B + joint("revolute", "a", "b") + link("c") + joint("revolute", "b", "c", "k", more=follows),
        version="1.11",
    )
    found = made(text)
    np.testing.assert_allclose(found.model.eq_data[0, :2], [0.1 - 2 * 0.3, 2])
    assert made(text, "drake").model.neq == 0
    assert any("mimic" in each.message for each in made(text, "drake").findings)
