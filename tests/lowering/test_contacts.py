"""Contacts and loops of URDF, SDFormat, SKEL and OpenRAVE behave physically, as in the formats' engines."""

from __future__ import annotations

import math

import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table
from polybody.lowering import lowered
from polybody.lowering.plants.contacts import dissipation

from benchmarks.scenes import documents, ours
from benchmarks.scenes.__main__ import swing

MU = {"urdf": 0.3, "sdf": 0.3, "skel": 1.0, "openrave": 0.3}
STIFFNESS = '<drake:point_contact_stiffness value="{}"/><drake:hunt_crossley_dissipation value="{}"/>'
KELVIN = "<contact><ode><kp>{}</kp><kd>{}</kd></ode></contact>"
BOUNCE = "<bounce><restitution_coefficient>{}</restitution_coefficient><threshold>{}</threshold></bounce>"


@pytest.mark.parametrize("form", ours.FORMATS)
def test_a_block_slides_as_far_as_friction_lets_it(form: str) -> None:
    speed = 2.0
    found = ours.slide(form, documents.BLOCK, MU[form], speed)
    ideal = speed**2 / (2 * MU[form] * ours.GRAVITY)
    assert found["distance"] == pytest.approx(ideal, abs=2 * speed * 1e-3), "within two steps"
    assert abs(found["creep"]) < 1e-6
    assert found["weight"] == pytest.approx(documents.BLOCK[0].mass * ours.GRAVITY, rel=1e-3)


@pytest.mark.parametrize("form", ours.FORMATS)
def test_forces_stay_in_the_cone_while_a_block_slides(form: str) -> None:
    it = ours.scene(form, documents.BLOCK, MU[form])
    it.run(0.3)
    it.data.qvel[it.qvel[0]] = 1.0
    ratios = []

    def look(data: pb.Data) -> None:
        for row in range(data.ncon):
            force = pb.contact_force(data.model, data, row)
            assert force[0] >= 0
            ratios.append(math.hypot(force[1], force[2]) / force[0] if force[0] > 1e-9 else 0.0)

    it.run(0.05, look)
    assert max(ratios) == pytest.approx(MU[form], rel=1e-3)


@pytest.mark.parametrize("form", ours.FORMATS)
def test_a_stack_stays(form: str) -> None:
    found = ours.stack(form, documents.STACK)
    assert found["drift"] < 1e-9
    assert found["speed"] < 1e-9
    assert 0 < found["sunk"] < 2e-4


@pytest.mark.parametrize("form", ours.FORMATS)
def test_a_sphere_that_slid_rolls(form: str) -> None:
    found = ours.roll(form, documents.BALL, MU[form])
    assert found["speed"] == pytest.approx(5 / 7, abs=2e-4)
    assert abs(found["slip"]) < 2e-4


@pytest.mark.parametrize("form", documents.LINKAGES)
def test_a_linkage_stays_closed_and_swings_as_a_pendulum(form: str) -> None:
    found = ours.linkage(form)
    assert found["gap"] < 1e-5
    assert found["angle"] == pytest.approx(swing(), abs=5e-3)


@pytest.mark.parametrize("share", [0.4, 0.6, 0.8, 1.0])
def test_gazebos_restitution_is_the_share_of_the_speed(share: float) -> None:
    found = ours.bounce("sdf", documents.DROPPED, BOUNCE.format(share, 0.01), meaning="gazebo")
    assert found["share"] == pytest.approx(share, abs=0.02)
    assert dissipation(share) == pytest.approx(dissipation(1.0), abs=1e-9) or share < 1


@pytest.mark.parametrize("form", ours.FORMATS)
def test_a_ball_that_falls_goes_no_deeper_than_where_it_is_found(form: str) -> None:
    """An impact ends within a step: the penetration is at most the distance of one step."""
    for height in np.linspace(0.6, 0.603, 4):
        it = ours.scene(form, documents.DROPPED)
        it.data.qpos[it.qpos[0] + 2] = height
        place = it.qpos[0] + 2
        depths = np.array(it.run(0.6, lambda data, place=place: 0.1 - data.qpos[place]))
        found = depths[depths > 0][0]
        assert depths.max() < found + 1e-4
        speed = np.sqrt(2 * ours.GRAVITY * (height - 0.1))
        assert found < speed * 1e-3


@pytest.mark.parametrize("form", ours.FORMATS)
def test_a_block_that_slides_fast_stays_on_the_ground(form: str) -> None:
    it = ours.scene(form, documents.BLOCK, MU[form])
    it.run(0.5)
    it.data.qvel[it.qvel[0]] = 2.0
    heights = it.run(0.3, lambda data: data.qpos[it.qpos[0] + 2] - documents.BLOCK[0].height)
    assert max(heights) < 2e-4


def test_nothing_bounces_in_gazebo_below_the_threshold() -> None:
    found = ours.bounce("sdf", documents.DROPPED, BOUNCE.format(0.8, 100000), meaning="gazebo")
    assert found["share"] < 0.1


@pytest.mark.parametrize("stiffness", [2e3, 1e5, 1e7])
def test_drakes_stiffness_is_the_depth_at_rest(stiffness: float) -> None:
    it = ours.scene("urdf", documents.BALL, 0.5, STIFFNESS.format(stiffness, 10))
    it.run(2.0)
    depth = documents.BALL[0].height - it.data.qpos[it.qpos[0] + 2]
    assert depth == pytest.approx(documents.BALL[0].mass * ours.GRAVITY / (stiffness / 2), rel=1e-3)


HYDROELASTIC = {
    "urdf": "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e6'/>"
    "<drake:mesh_resolution_hint value='.1'/>",
    "sdf": "<drake:proximity_properties><drake:compliant_hydroelastic/><drake:hydroelastic_modulus>1e6"
    "</drake:hydroelastic_modulus><drake:mesh_resolution_hint>.1</drake:mesh_resolution_hint>"
    "</drake:proximity_properties>",
}


@pytest.mark.parametrize("form", HYDROELASTIC)
def test_what_is_said_of_hydroelastic_contact_is_listed(form: str) -> None:
    text = ours.WRITERS[form](documents.BALL, 0.5, HYDROELASTIC[form] if form == "urdf" else "")
    if form == "sdf":
        own = text[text.index("<drake:proximity_properties>") : text.index("</drake:proximity_properties>")]
        text = text.replace(f"{own}</drake:proximity_properties>", HYDROELASTIC["sdf"])
    found = lowered(pb.read(f"scene.{form}", text=text, policy="warn")).findings
    listed = [each.message.split(" is read")[0] for each in found if each.code == "PB061"]
    for name in ("compliant_hydroelastic", "hydroelastic_modulus", "mesh_resolution_hint"):
        assert sum(f"drake:{name}" in what for what in listed) == 1, listed


def test_gazebos_spring_is_the_depth_at_rest() -> None:
    it = ours.scene("sdf", documents.BALL, 0.5, KELVIN.format(4e4, 10), meaning="gazebo")
    it.run(2.0)
    depth = documents.BALL[0].height - it.data.qpos[it.qpos[0] + 2]
    weight = documents.BALL[0].mass * 9.8  # in an SDFormat world without settings
    assert depth == pytest.approx(weight / 2e4, rel=1e-3)


@pytest.mark.parametrize(
    ("form", "meaning", "said"),
    [("urdf", "drake", '"0.8"'), ("sdf", "drake", ">0.8<"), ("sdf", "gazebo", ">0.8<")],
)
def test_engines_combine_friction_in_their_ways(form: str, meaning: str, said: str) -> None:
    rough, smooth = 0.8, 0.2
    text = ours.WRITERS[form](documents.BALL, rough)
    count = text.count(said) // 2  # the ground is first
    model = ours.loaded(text.replace(said, said.replace("0.8", "0.2"), count), form, meaning=meaning)
    (manner,) = collision_table(model).manners
    mixed = smooth if meaning == "gazebo" else 2 * rough * smooth / (rough + smooth)
    assert manner["friction"][0] == pytest.approx(mixed)


def test_elastic_contacts_lose_nothing_and_dampers_more() -> None:
    shares = [
        ours.bounce("urdf", documents.DROPPED, STIFFNESS.format(2e4, loss))["share"]
        for loss in (0, 0.1, 1, 10)
    ]
    assert shares[0] == pytest.approx(1, abs=0.01)
    assert np.all(np.diff(shares) < -0.02)
