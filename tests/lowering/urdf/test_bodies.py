"""Mass, actuators, constraints, shapes and extensions of URDF documents."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polybody
import pytest
from polybody.generated.model import EqualityType, ShapeType
from polybody.lowering import lowered
from polybody.rotations.arrays import euler, matrix

from .robots import SOLID, joint, link, made, motor, refusal, robot

WORLD = link("world", "")
EFFORT = '<limit effort="5" velocity="1"/>'


def inertial(mass: str, moments: str, origin: str = "") -> str:
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    written = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {written}/></inertial>'


def tensor(model: polybody.Model, row: int) -> np.ndarray:
    turn = matrix(model.body_iquat[row])
    return turn @ np.diag(model.body_inertia[row]) @ turn.T


def test_inertia_is_about_the_centre_of_mass_along_the_axes_of_its_origin() -> None:
    model = made(link("a")).model
    roll, pitch, yaw = 0.3, 0.1, 0.2
    turn = matrix(euler((yaw, pitch, roll), "zyx"))
    given = np.array([[0.4, 0.01, 0.02], [0.01, 0.5, -0.03], [0.02, -0.03, 0.3]])
    assert tensor(model, 1) == pytest.approx(turn @ given @ turn.T, abs=1e-15)
    assert model.body_ipos[1].tolist() == [0.1, 0.2, -0.1]


@pytest.mark.parametrize(
    ("mass", "moments", "kept", "why"),
    [
        ("2", "1 1 3 0 0 0", 2.0, "greater than the sum of the others"),
        ("2", "1 1 -1 0 0 0", 2.0, "negative"),
        ("2", "1 1 1 0.9 0.9 -0.9", 2.0, "negative"),
        ("0", "1 1 1 0 0 0", 1.0, "no mass"),
    ],
)
def test_an_inertia_that_no_body_has_is_replaced_as_drake_does(
    mass: str, moments: str, kept: float, why: str
) -> None:
    text = inertial(mass, moments, '<origin xyz="1 2 3"/>')
    result = made(link("a", text))
    ball = 0.4 * kept * (3 * kept / (4000 * np.pi)) ** (2 / 3)
    assert result.model.body_mass[1] == kept
    assert tensor(result.model, 1) == pytest.approx(ball * np.eye(3), rel=1e-14)
    assert result.model.body_ipos[1].tolist() == [1, 2, 3]
    (found,) = [each for each in result.findings if each.code == "PB047"]
    assert (found.severity, found.line) == ("warning", 2)
    assert "link `a`" in found.message
    assert why in found.message
    assert f"{ball:g} kg m^2" in found.message
    assert {each.code for each in refusal(link("a", text), policy="strict")} == {"PB047"}


def test_drake_replaces_beyond_16_units_of_precision() -> None:
    unit = float(np.finfo(float).eps)
    for excess, replaced in ((30, False), (36, True)):
        found = made(link("a", inertial("1", f"1 1 {2 + excess * unit!r} 0 0 0"))).findings
        assert any(each.code == "PB047" for each in found) == replaced


def test_a_link_without_inertia_has_no_mass_and_a_mass_alone_is_a_point() -> None:
    point = '<inertial><origin xyz="0 0 1"/><mass value="2"/></inertial>'
    model = made(link("a", ""), link("b", point), link("c"), joint("j", "fixed", "c", "a")).model
    a, b = (model.names["body"].index(name) for name in "ab")
    assert (model.body_mass[a], model.body_mass[b]) == (0, 2)
    assert not model.body_inertia[[a, b]].any()
    assert model.body_ipos[b].tolist() == [0, 0, 1]


def test_a_massless_leaf_loads_and_names_its_line_when_it_moves() -> None:
    result = made(link("a"), link("tip", ""), joint("j", "continuous", "a", "tip"))
    data = polybody.Data(result.model)
    polybody.forward(result.model, data)
    assert np.isnan(data.qacc).all()
    assert np.isfinite(data.qfrc_bias).all()
    for attempt in (lambda: polybody.step(result.model, data), lambda: result.native.vdot(data)):
        with pytest.raises(polybody.ModelError, match=r"body 2 'tip' \(robot.urdf:3:1\)"):
            attempt()


# --- actuators -------------------------------------------------------------------------------------------


def test_a_transmission_makes_an_actuator_with_the_effort_as_its_bound() -> None:
    gears = '<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="100"/>'
    result = made(WORLD, link("a"), joint("j", "revolute", "world", "a", EFFORT), motor("j", inside=gears))
    model = result.model
    assert model.names["actuator"] == ("motor",)
    assert model.actuator_forcerange.tolist() == [[-5, 5]]
    assert model.dof_armature.tolist() == [100]
    data, clipped = polybody.Data(model), polybody.Data(model)
    data.ctrl[0], clipped.ctrl[0] = 5, 100
    assert result.native.vdot(data).tolist() == result.native.vdot(clipped).tolist()


def test_of_two_actuators_on_a_joint_the_last_ones_inertia_counts() -> None:
    first = motor("j", "one", '<drake:rotor_inertia value="3"/>')
    parts = (WORLD, link("a"), joint("j", "continuous", "world", "a"))
    assert made(*parts, first, motor("j", "two")).model.dof_armature.tolist() == [0]
    assert made(*parts, motor("j", "two"), first).model.dof_armature.tolist() == [3]


def test_what_makes_no_actuator_says_why() -> None:
    still = joint("j", "revolute", "world", "a", '<limit effort="0" velocity="1"/>')
    result = made(WORLD, link("a"), still, motor("j"))
    assert result.model.nu == 0
    assert any("effort limit" in each.message and each.line == 5 for each in result.findings)
    result = made(WORLD, link("a"), joint("j", "fixed", "world", "a"), motor("j"))
    assert result.model.nu == 0
    negative = motor("j", inside='<drake:rotor_inertia value="-1"/>')
    found = refusal(WORLD, link("a"), joint("j", "continuous", "world", "a"), negative)
    assert {each.line for each in found} == {5}


def test_gains_act_once_a_desired_state_is_given() -> None:
    inside = '<drake:controller_gains p="3" d="0.5"/>'
    result = made(WORLD, link("a"), joint("j", "revolute", "world", "a", EFFORT), motor("j", inside=inside))
    native, data = result.native, polybody.Data(result.model)
    data.qpos[0], data.qvel[0] = 0.1, 0.2
    alone = native.vdot(data)
    followed = native.vdot(data, ([0.5], [-0.3]))
    data.ctrl[0] = 3 * (0.5 - 0.1) + 0.5 * (-0.3 - 0.2)
    assert native.vdot(data) == pytest.approx(followed, rel=1e-14)
    assert abs(followed - alone) > 0.1


# --- constraints, forces ---------------------------------------------------------------------------------


def test_mimic_becomes_an_equality() -> None:
    follows = '<mimic joint="one" multiplier="2" offset="0.5"/>'
    model = made(
        WORLD,
        link("a"),
        link("b"),
        joint("two", "continuous", "world", "b", follows),
        joint("one", "continuous", "world", "a"),
    ).model
    rows = [model.names["joint"].index(name) for name in ("two", "one")]
    assert model.eq_type.tolist() == [EqualityType.joint]
    assert [model.eq_obj1id[0], model.eq_obj2id[0]] == rows
    assert model.eq_data[0, :3].tolist() == [0.5, 2, 0]
    sim = polybody.Stepper(model.replace(opt_disableflags=0))
    sim.data.qpos[rows] = 0.5, 0.0
    sim.data.qvel[rows] = 2.0, 1.0
    sim.step(300)
    two, one = sim.data.qpos[rows]
    assert two == pytest.approx(2 * one + 0.5, abs=0.01)
    assert abs(one) > 0.1


def test_links_that_do_not_touch() -> None:
    """Links connected by a joint, except the world, and links of filter groups."""
    ball = SOLID + '<collision><geometry><sphere radius="1"/></geometry></collision>'
    group = (
        '<drake:collision_filter_group name="g"><drake:member link="a"/><drake:member link="d"/>'
        '<drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>'
    )
    model = made(
        WORLD,
        *(link(name, ball) for name in "abcd"),
        joint("j", "continuous", "world", "a"),
        joint("k", "continuous", "a", "b"),
        joint("l", "fixed", "b", "c"),
        joint("m", "continuous", "c", "d"),
        group,
    ).model
    names = model.names["body"]
    pairs = {(names[code >> 16], names[code & 0xFFFF]) for code in model.exclude_signature.tolist()}
    assert pairs == {("a", "b"), ("c", "d"), ("a", "d")}


def test_a_spring_between_points_has_its_energy_and_force() -> None:
    spring = (
        "<drake:linear_spring_damper>"
        '<drake:linear_spring_damper_body_A name="a"/><drake:linear_spring_damper_body_B name="b"/>'
        '<drake:linear_spring_damper_p_AP value="0 0 0"/><drake:linear_spring_damper_p_BQ value="0 0 0"/>'
        '<drake:linear_spring_damper_free_length value="1"/>'
        '<drake:linear_spring_damper_stiffness value="10"/>'
        '<drake:linear_spring_damper_damping value="2"/></drake:linear_spring_damper>'
    )
    model = made(link("a"), link("b"), spring, disable=("gravity", "contact")).model
    data = polybody.Data(model)
    data.qpos[7:10] = 3, 0, 4
    data.qvel[6:9] = 0.6, 1.0, 0.8
    polybody.forward(model, data)
    pull = 10 * (5 - 1) + 2 * 1.0
    assert data.qfrc_element[:3] == pytest.approx([0.6 * pull, 0, 0.8 * pull])
    assert data.qfrc_element[6:9] == pytest.approx([-0.6 * pull, 0, -0.8 * pull])
    assert polybody.energy(model, data)[0] == pytest.approx(0.5 * 10 * 16)
    off = model.replace(opt_disableflags=int(model.opt_disableflags) | 32)
    other = polybody.Data(off)
    other.qpos[:] = data.qpos
    polybody.forward(off, other)
    assert not other.qfrc_passive.any(), "the flag passive switches it off"


def test_names_that_lead_nowhere_have_their_lines() -> None:
    lost = motor("nothing")
    (found, *_) = refusal(link("a"), lost)
    assert found.line == 3


# --- shapes ----------------------------------------------------------------------------------------------


def shape(kind: str, tag: str = "visual", more: str = "", name: str = "") -> str:
    named = f' name="{name}"' if name else ""
    return f'<{tag}{named}><origin xyz="1 2 3"/><geometry>{kind}</geometry>{more}</{tag}>'


def test_sizes_are_half_lengths() -> None:
    kinds = {
        '<box size="2 4 6"/>': (ShapeType.box, [1, 2, 3]),
        '<sphere radius="2"/>': (ShapeType.sphere, [2, 0, 0]),
        '<cylinder radius="2" length="6"/>': (ShapeType.cylinder, [2, 3, 0]),
        '<drake:capsule radius="2" length="6"/>': (ShapeType.capsule, [2, 3, 0]),
        '<drake:ellipsoid a="1" b="2" c="3"/>': (ShapeType.ellipsoid, [1, 2, 3]),
    }
    model = made(link("a", SOLID + "".join(map(shape, kinds)))).model
    assert model.geom_type.tolist() == [kind for kind, _ in kinds.values()]
    assert model.geom_size.tolist() == [size for _, size in kinds.values()]
    assert (model.geom_pos == [1, 2, 3]).all()
    assert not model.geom_contype.any()


def test_of_several_shapes_the_first_that_drake_looks_for_is_taken() -> None:
    both = '<sphere radius="2"/><box size="2 4 6"/>'
    assert made(link("a", SOLID + shape(both)), policy="warn").model.geom_type.tolist() == [ShapeType.box]


def test_a_scale_of_one_number_is_that_of_all_axes_and_one_may_mirror(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    places = []
    for scale in ("2", "2 2 2", "-2 2 2"):
        path = tmp_path / "a.urdf"
        path.write_text(robot(link("a", SOLID + shape(f'<mesh filename="cube.obj" scale="{scale}"/>'))))
        places.append(polybody.load(path).geom_pos[0].tolist())
    assert places[0] == places[1]
    assert places[2] == pytest.approx([places[0][0] - 2, *places[0][1:]], abs=1e-6)


def test_what_drake_passes_over_is_listed_once_for_each_kind() -> None:
    """Identified by the start of the messages and the line of the first."""
    bounds = '<limit lower="-1" upper="1" effort="1" velocity="1" drake:acceleration="2"/>'
    axis, origin = '<axis xyz="1 2 3"/>', 'xyz="1 2 3"'
    reduced = motor("h", inside="<mechanicalReduction>50</mechanicalReduction>")
    result = made(
        *(link(name) for name in "abcdefg"),
        joint("h", "revolute", "a", "b", bounds + '<dynamics damping="1" coulomb_window="1"/>'),
        joint("p", "planar", "a", "c", bounds),
        joint("u", "universal", "a", "d", axis, "drake:joint"),
        joint("f", "floating", "a", "e", origin=origin),
        joint("u2", "universal", "a", "f", axis, "drake:joint"),
        joint("f2", "floating", "a", "g"),
        reduced,
    )
    found = {each.message.split(" has no effect")[0].split(" is read")[0]: each for each in result.findings}
    assert {each.code for each in result.findings} == {"PB061"}
    assert found.keys() == {
        "`velocity` of <limit>",
        "`drake:acceleration` of <limit>",
        "`coulomb_window` of <dynamics>",
        "<limit> of a planar joint",
        "<axis> of a universal joint",
        "<origin> of a floating joint",
        "<mechanicalReduction>",
    }
    assert found["<axis> of a universal joint"].line == 11
    assert found["<axis> of a universal joint"].message.endswith("(written 2 times)")
    ordinary = motor("h", inside="<mechanicalReduction>1</mechanicalReduction>")
    assert made(link("a"), link("b"), joint("h", "continuous", "a", "b"), ordinary).findings == ()


def test_materials_are_known_by_name_from_anywhere() -> None:
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    blue = '<material name="blue"><color rgba="0 0 1 0.5"/></material>'
    sphere = '<sphere radius="1"/>'
    looks = [
        shape(sphere, more=more) for more in ('<material name="red"/>', blue, '<material name="blue"/>', "")
    ]
    model = made(link("a", SOLID + "".join(looks)), red).model
    assert model.geom_rgba.tolist() == [[1, 0, 0, 1], [0, 0, 1, 0.5], [0, 0, 1, 0.5], [0.5, 0.5, 0.5, 1]]
    assert model.names["material"] == ("red", "blue")
    assert model.geom_matid.tolist() == [0, 1, 1, -1]


def test_names_of_shapes_that_several_have_are_put_behind_the_links() -> None:
    ball = shape('<sphere radius="1"/>', name="ball")
    twice = ball + shape('<sphere radius="1"/>', "collision", name="ball")
    model = made(
        link("a", SOLID + twice), link("b", SOLID + ball + shape('<sphere radius="1"/>', name="own"))
    ).model
    assert model.names["geom"] == ("a::ball", "a::ball_1", "b::ball", "own")


def test_friction_is_the_dynamic_coefficient() -> None:
    values = '<drake:mu_static value="0.9"/><drake:mu_dynamic value="0.7"/>'
    proximity = f"<drake:proximity_properties>{values}</drake:proximity_properties>"
    model = made(link("a", SOLID + shape('<sphere radius="1"/>', "collision", proximity))).model
    assert model.geom_friction[0].tolist() == [0.7, 0.005, 0.0001]
    assert model.geom_contype.tolist() == [1]


# fmt: off
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "".join(
    f"f {a} {b} {c}\n"
    for a, b, c in (
        (1, 3, 7),
        (1, 7, 5),
        (2, 6, 8),
        (2, 8, 4),
        (1, 5, 6),
        (1, 6, 2),
        (3, 4, 8),
        (3, 8, 7),
        (1, 2, 4),
        (1, 4, 3),
        (5, 7, 8),
        (5, 8, 6),
    )
)
# fmt: on


def test_meshes_of_packages_are_found_and_faulty_ones_left_out(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>bot</name></package>")
    for folder in ("urdf", "meshes"):
        (tmp_path / folder).mkdir()
    (tmp_path / "meshes" / "cube.obj").write_text(CUBE)
    (tmp_path / "meshes" / "cut.stl").write_text("solid")
    meshes = [
        shape(f'<mesh filename="package://bot/meshes/{name}" scale="2 2 2"/>', tag)
        for name, tag in (
            ("cube.obj", "visual"),
            ("cube.obj", "collision"),
            ("cut.stl", "visual"),
            ("no.obj", "visual"),
        )
    ]
    path = tmp_path / "urdf" / "bot.urdf"
    path.write_text(robot(link("a", SOLID + "".join(meshes))))
    with pytest.warns(polybody.ModelWarning):
        document = polybody.read(path)
    with pytest.warns(polybody.ModelWarning):
        result = lowered(document, policy="warn")
    model = result.model
    assert model.ngeom == 2
    assert model.geom_pos == pytest.approx(np.array([[2, 3, 4]] * 2)), "the centre of the cube"
    assert model.geom_size == pytest.approx(np.ones((2, 3)))
    assert {each.code for each in result.findings} >= {"PB084", "PB036"}
    with pytest.raises(polybody.ValidationError):
        polybody.load(path, policy="strict")


def summed(**values: float) -> str:
    """A tendon constraint on twice the coordinate of joint j."""
    numbers = "".join(f'<drake:tendon_constraint_{name} value="{value}"/>' for name, value in values.items())
    each = '<drake:tendon_constraint_joint name="j" a="2"/>'
    return f"<drake:tendon_constraint>{each}{numbers}</drake:tendon_constraint>"


def test_what_drake_ignores_of_the_former_compliance_is_listed() -> None:
    """Elements that the schema does not describe are listed by their tags."""
    old = "<youngs_modulus>1e9</youngs_modulus><dissipation>3</dissipation>"
    shape = '<geometry><sphere radius="1"/></geometry>'
    shape = f"<collision>{shape}<drake_compliance>{old}</drake_compliance></collision>"
    found = made(WORLD, link("a", shape), "<gazebo><anything/></gazebo>").findings
    listed = [each.message.split(" is read")[0] for each in found if each.code == "PB061"]
    assert {"<youngs_modulus>", "<dissipation>"} <= set(listed)
    assert not [each for each in listed if "anything" in each]


def test_the_bounds_of_a_tendon_are_a_spring_where_they_have_a_stiffness() -> None:
    tendon = summed(offset=0.1, lower_limit=-0.2, upper_limit=0.3, stiffness=100, damping=0)
    result = made(WORLD, link("a"), joint("j", "prismatic", "world", "a"), tendon)
    assert result.findings == ()
    model, data = result.model, polybody.Data(result.model)
    assert not model.tendon_limited.any()
    for q, beyond in ((0.05, 0.0), (0.2, 0.2), (-0.3, -0.3)):  # the length 2 q + 0.1 is 0.2, 0.5, -0.5
        data.qpos[:] = q
        polybody.forward(model, data)
        assert data.qfrc_passive[0] == pytest.approx(-2 * 100 * beyond, abs=1e-12)


def test_the_damping_of_a_tendon_is_said_to_have_no_effect() -> None:
    tendon = summed(offset=0, lower_limit=-1, upper_limit=1, stiffness=math.inf, damping=2)
    result = made(WORLD, link("a"), joint("j", "continuous", "world", "a"), tendon)
    (finding,) = result.findings
    assert finding.code == "PB061"
    assert "`damping` of its bounds has no effect" in finding.message
    assert result.model.tendon_range.tolist() == [[-1.0, 1.0]]
