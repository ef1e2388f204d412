"""Worlds, skeletons, bodies and shapes of SKEL as DART 6.20 reads them, and what is rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.generated.model import Integrator, ShapeType
from polybody.lowering import lowered

from .documents import HEAVY, axis, body, joint, made, refused, said, world

BALL = "<geometry><sphere><radius>0.1</radius></sphere></geometry>"


def shape(geometry: str, transformation: str = "", tag: str = "visualization_shape") -> str:
    place = f"<transformation>{transformation}</transformation>" if transformation else ""
    return f"<{tag}>{place}<geometry>{geometry}</geometry></{tag}>"


# --- world and skeletons -----------------------------------------------------------------------------------


def test_options() -> None:
    model = made(body() + joint("free")).model
    assert (model.opt_timestep, model.opt_gravity.tolist()) == (0.002, [0, -9.81, 0])
    assert (model.opt_integrator, model.opt_implicit_stiffness) == (Integrator.Euler, True)
    assert model.name == "w"


def test_what_dart_takes_where_a_world_says_nothing() -> None:
    text = world(body() + joint("free"), physics="")
    model = lowered(pb.read("a.skel", text=text)).model
    assert (model.opt_timestep, model.opt_gravity.tolist()) == (0.001, [0, 0, -9.81])


def test_a_time_step_that_is_none_is_darts() -> None:
    text = world(body() + joint("free"), physics="<physics>\n<time_step>0</time_step></physics>")
    found = lowered(pb.read("a.skel", text=text))
    assert found.model.opt_timestep == 0.001
    assert [each.line for each in found.findings if "<time_step> is 0" in each.message] == [3]


def test_names_have_their_skeleton_where_there_are_several() -> None:
    one = body() + joint("revolute", axis())
    assert made(one).model.names["body"] == ("world", "b")
    found = made(one, one)
    assert found.model.names["body"] == ("world", "s0::b", "s1::b")
    assert found.model.names["joint"] == ("s0::j", "s1::j")
    assert found.native.q_slices == {"s0::j": slice(0, 1), "s1::j": slice(1, 2)}


def test_a_name_that_is_taken_gets_a_number() -> None:
    joints = [joint("revolute", axis(), parent, child, "j") for parent, child in (("b", "c"), ("world", "b"))]
    found = made(body() + body("c") + "".join(joints))
    assert list(found.native.v_slices) == ["s0::j", "s0::j(1)"]
    assert found.model.names["joint"] == ("s0::j", "s0::j(1)")
    assert refused(body() + body("c") + "".join(joints), policy="strict")


def test_joints_are_made_in_darts_order() -> None:
    """c(b) d(a) b(a) a(world) gives a b c d; the Model has its bodies in depth-first order."""
    ends = {"c": "b", "d": "a", "b": "a", "a": "world"}
    joints = [joint("revolute", axis(), parent, child, f"j{child}") for child, parent in ends.items()]
    found = made("".join(map(body, "dcba")) + "".join(joints))
    assert list(found.native.v_slices) == [f"s0::j{name}" for name in "abcd"]
    assert found.model.names["body"][1:] == ("a", "b", "c", "d")
    swapped = made("".join(map(body, "abcd")) + "".join(joints[::-1]))
    assert list(swapped.native.v_slices) == [f"s0::j{name}" for name in "abdc"]
    assert swapped.model.names["body"][1:] == ("a", "b", "c", "d")
    order = np.array([0, 1, 3, 2])
    v = np.arange(4.0)
    assert swapped.native.qvel(v, v)[order].tolist() == v.tolist()


def test_a_root_without_a_joint_moves_freely_from_where_it_is() -> None:
    placed = "<transformation>1 2 3 0.1 0.2 0.3</transformation>" + HEAVY
    found = made(body("a", placed) + body("b") + joint("weld", parent="a"))
    assert found.native.q_slices == {"s0::root": slice(0, 6), "s0::j": slice(6, 6)}
    assert found.model.names["joint"] == ("s0::root",)
    data = pb.Data(found.model)
    assert found.native.q(data.qpos) == pytest.approx([0] * 6)
    assert data.qpos[:3].tolist() == [1, 2, 3]


def test_the_skeletons_transformation_goes_before_those_of_bodies() -> None:
    turned = f"<transformation>0 0 1 0 {np.pi / 2} 0</transformation>"
    found = made(turned + body(inside="<transformation>1 0 0 0 0 0</transformation>") + joint("weld"))
    assert found.model.body_pos[1] == pytest.approx([0, 0, 0], abs=1e-15)


def test_an_immobile_skeleton_stays_at_its_initial_pose() -> None:
    inside = body() + joint("prismatic", axis() + "<init_pos>2</init_pos>")
    for word in ("<mobile>0</mobile>", "<immobile>1</immobile>"):
        found = made(word + inside, inside)
        assert (found.model.nv, found.native.nv) == (1, 2)
        assert found.model.body_pos[1].tolist() == [0, 0, 2]
        assert found.native.q(np.array([5.0])).tolist() == [2, 5]
        assert found.native.qpos(np.array([7.0, 5.0])).tolist() == [5]
        assert found.native.v(np.array([5.0]), np.array([1.0])).tolist() == [0, 1]
        assert found.native.vdot(pb.Data(found.model)).shape == (2,)
        assert bool(said(found, "PB088")) == ("immobile" in word)


# --- bodies -----------------------------------------------------------------------------------------------


def test_gravity_does_not_act_on_every_body() -> None:
    still = "<gravity>0</gravity><inertia><mass>3</mass></inertia>"
    found = made(body("a", still) + body() + joint("free", child="a") + joint("free", name="k"))
    acceleration = found.native.vdot(pb.Data(found.model))
    assert acceleration[3:6].tolist() == [0, 0, 0]
    assert acceleration[9:] == pytest.approx([0, -9.81, 0], abs=1e-12)


def test_inertia_without_the_element_is_one() -> None:
    model = made(body(inside=shape("<sphere><radius>9</radius></sphere>")) + joint("free")).model
    assert (model.body_mass[1], model.body_inertia[1].tolist()) == (1, [1, 1, 1])


def test_a_given_moment_is_about_the_offset() -> None:
    model = made(body() + joint("free")).model
    assert model.body_ipos[1].tolist() == [0.1, 0.2, 0.3]
    assert sum(model.body_inertia[1]) == pytest.approx(1.8)


def test_shapes_share_the_mass_by_their_volumes() -> None:
    """By the parallel-axis theorem, by hand: spheres of radius 1 at x = 3 and of radius 2 at the origin."""
    spheres = shape("<sphere><radius>1</radius></sphere>", "3 0 0 0 0 0") + shape(
        "<sphere><radius>2</radius></sphere>", tag="collision_shape"
    )
    inside = "<inertia><mass>9</mass><offset>1 0 0</offset></inertia>" + spheres
    model = made(body(inside=inside) + joint("free")).model
    about = 1 * 0.4 + 8 * 0.4 * 4
    assert model.body_ipos[1].tolist() == [1, 0, 0]
    expected = [about, about + 1 * 4 + 8 * 1, about + 1 * 4 + 8 * 1]
    assert np.sort(model.body_inertia[1]) == pytest.approx(expected)


def test_markers_are_sites() -> None:
    found = made(body(inside='<marker name="tip"><offset>1 2 3</offset></marker>') + joint("free"))
    assert found.model.names["site"] == ("tip",)
    assert found.model.site_pos[0].tolist() == [1, 2, 3]


# --- shapes -------------------------------------------------------------------------------------------------

SHAPES = {
    "<box><size>1 2 3</size></box>": (ShapeType.box, [0.5, 1, 1.5]),
    "<sphere><radius>2</radius></sphere>": (ShapeType.sphere, [2, 0, 0]),
    "<ellipsoid><size>1 2 3</size></ellipsoid>": (ShapeType.ellipsoid, [0.5, 1, 1.5]),
    "<cylinder><radius>1</radius><height>3</height></cylinder>": (ShapeType.cylinder, [1, 1.5, 0]),
    "<capsule><radius>1</radius><height>3</height></capsule>": (ShapeType.capsule, [1, 1.5, 0]),
    "<plane><normal>0 2 0</normal><offset>3</offset></plane>": (ShapeType.plane, [0, 0, 1]),
}


@pytest.mark.parametrize("geometry", SHAPES)
def test_shapes_are_geoms(geometry: str) -> None:
    seen = shape(geometry, "1 0 0 0 0 0") + shape(geometry, tag="collision_shape")
    model = made(body(inside=HEAVY + seen) + joint("free")).model
    kind, size = SHAPES[geometry]
    assert model.geom_type.tolist() == [kind, kind]
    assert model.geom_size[0].tolist() == size
    assert model.geom_group.tolist() == [1, 0]
    assert (model.geom_contype > 0).tolist() == [False, True]
    if kind is ShapeType.plane:
        assert model.geom_pos.tolist() == [[1, 3, 0], [0, 3, 0]]


def test_cones_and_spheres_together_are_meshes() -> None:
    cone = shape("<cone><radius>1</radius><height>2</height></cone>")
    ball = "<sphere><radius>{}</radius><position>{} 0 0</position></sphere>"
    spheres = shape(f"<multi_sphere>{ball.format(1, 0)}{ball.format(0.5, 2)}</multi_sphere>")
    model = made(body(inside=HEAVY + cone + cone + spheres) + joint("free")).model
    assert model.geom_type.tolist() == [ShapeType.mesh] * 3
    assert model.nmesh == 2
    corners = model.mesh_vert[: model.mesh_vertnum[0]] @ np.eye(3)
    assert np.ptp(np.linalg.norm(corners - corners.mean(axis=0), axis=1)) < 2
    assert model.geom_dataid.tolist() == [0, 0, 1]


def test_skeletons_touch_each_other_and_not_themselves() -> None:
    touched = f"<collision_shape>{BALL}</collision_shape>"
    quiet = f"<collision_shape>{BALL}<collidable>0</collidable></collision_shape>"
    inside = (
        body("a", touched) + body("b", touched + quiet) + joint("free", child="a") + joint("free", name="k")
    )
    model = made(inside, inside).model
    own, seek = model.geom_contype, model.geom_conaffinity
    meets = (own[:, None] & seek[None]) | (own[None] & seek[:, None])
    rows = np.array([0, 1, 3, 4])
    assert (meets[np.ix_(rows, rows)] > 0).tolist() == np.kron([[0, 1], [1, 0]], np.ones((2, 2))).tolist()
    assert not meets[2].any()


MESH = "<mesh><file_name>{}</file_name><scale>2 1 1</scale></mesh>"
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def write(folder: Path, inside: str) -> Path:
    (folder / "part.obj").write_text(TETRAHEDRON)
    path = folder / "a.skel"
    path.write_text(world(body(inside=inside) + joint("free")))
    return path


def test_meshes(tmp_path: Path) -> None:
    """The inertia of a mesh is that of its bounding box, about the origin of its file."""
    inside = "<inertia><mass>12</mass></inertia>" + shape(MESH.format("part.obj"))
    model = pb.load(write(tmp_path, inside))
    assert model.geom_type.tolist() == [ShapeType.mesh]
    assert model.names["mesh"] == ("part",)
    assert model.body_ipos[1].tolist() == [0, 0, 0]
    assert np.sort(model.body_inertia[1]) == pytest.approx([1 + 1, 1 + 4, 1 + 4])


def test_a_mesh_out_of_reach_is_an_error(tmp_path: Path) -> None:
    """Whether anything depends on it or not."""
    for mass in (HEAVY, "<inertia><mass>1</mass></inertia>"):
        path = write(tmp_path, mass + shape(MESH.format("../part.obj")))
        with pytest.raises(pb.ValidationError, match="PB010"):
            pb.load(path, policy="lenient", confined=True)
        assert "PB010" in [found.code for found in pb.check(path, "lenient", confined=True)]


# --- rejections and findings --------------------------------------------------------------------------------

ONE = body()
SOFT = (
    "<soft_shape><total_mass>1</total_mass><geometry><box><size>1 1 1</size><frags>3 3 3</frags></box>"
    "</geometry></soft_shape>"
)
PARALLEL = (
    '<plane type="arbitrary"><translation_axis1><xyz>1 0 0</xyz></translation_axis1>'
    "<translation_axis2><xyz>2 0 0</xyz></translation_axis2></plane>"
)
ROUND = shape("<sphere><radius>1</radius></sphere>")
WEIGHTLESS = "<inertia><mass>0</mass></inertia>"
REFUSED = {
    "its own parent": (ONE + joint("weld", parent="b"), "PB033"),
    "a cycle": (ONE + body("c") + joint("weld", parent="c") + joint("weld", "", "b", "c", "k"), "PB033"),
    "two parents": (ONE + body("c") + joint("weld") + joint("weld", parent="c", name="k"), "PB034"),
    "no such parent": (ONE + joint("weld", parent="c"), "PB032"),
    "a shape and no joint": (ONE + body("c", ROUND) + joint("weld"), "PB063"),
    "an unknown plane": (ONE + joint("planar", '<plane type="xz"/>'), "PB018"),
    "parallel axes": (ONE + joint("planar", PARALLEL), "PB063"),
    "an unknown order": (ONE + joint("euler", "<axis_order>XYZ</axis_order>"), "PB018"),
    "no direction": (ONE + joint("revolute", axis(xyz="0 0 0")), "PB046"),
    "short coordinates": (ONE + joint("ball", "<init_pos>1 2</init_pos>"), "PB024"),
    "no mass on a slide": (body("b", WEIGHTLESS) + joint("prismatic", axis()), "PB063"),
    "a soft body": (body("b", SOFT) + joint("free"), "PB064"),
    "the world as a body": (body("world") + ONE + joint("weld"), "PB063"),
    "a world in capitals": (ONE + joint("weld", parent="World"), "PB032"),
    "a world with blanks": (ONE + joint("weld", parent=" world "), "PB032"),
    "a body twice": (ONE + ONE + joint("weld"), "PB031"),
    "numbers with commas": ("<transformation>1,2,3 0 0 0</transformation>" + ONE + joint("weld"), "PB016"),
    "too few numbers": ("<transformation>1 2 3</transformation>" + ONE + joint("weld"), "PB017"),
    "too many numbers": ("<transformation>1 2 3 4 5 6 7</transformation>" + ONE + joint("weld"), "PB017"),
    "a number that is none": (body("b", "<inertia><mass>nan</mass></inertia>") + joint("weld"), "PB020"),
    "an empty element": ("<mobile></mobile>" + ONE + joint("weld"), "PB086"),
    "a mass below zero": (body("b", "<inertia><mass>-1</mass></inertia>") + joint("free"), "PB063"),
    "a moment that is missing": (body("b", HEAVY.replace("<iyz>0.03</iyz>", "")) + joint("free"), "PB015"),
    "a joint without a type": (ONE + joint("weld").replace(' type="weld"', ""), "PB021"),
    "a joint of an unknown type": (ONE + joint("hinge"), "PB018"),
    "a joint without a parent": (ONE + joint("weld").replace("<parent>world</parent>", ""), "PB015"),
    "an axis that is missing": (ONE + joint("universal", axis()), "PB021"),
    "a plane's axis that is missing": (ONE + joint("planar", PARALLEL.replace("2>", "1>")), "PB021"),
    "an actuator of an API": (ONE + joint("revolute", axis(), actuator="mimic"), "PB018"),
    "a degree of freedom too many": (ONE + joint("ball", '<dof local_index="3"/>'), "PB024"),
    "a shape without geometry": (body("b", "<visualization_shape/>") + joint("free"), "PB015"),
    "a sphere without radius": (body("b", shape("<sphere/>")) + joint("free"), "PB015"),
    "damping without end": (ONE + joint("revolute", axis("<damping>inf</damping>")), "PB020"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_their_line(name: str) -> None:
    inside, code = REFUSED[name]
    found = refused("\n\n" + inside)
    assert found
    assert {(line, code) for line, code, _ in found} == {(5, code)}


def test_moments_that_no_body_can_have_are_taken_as_dart_takes_them() -> None:
    inside = HEAVY.replace("<izz>0.7</izz>", "<izz>7</izz>")
    model = made(body(inside=inside) + joint("free")).model
    assert sum(model.body_inertia[1]) == pytest.approx(8.1)
    assert refused(body(inside=inside) + joint("free"), policy="strict")


def test_a_weightless_body_has_the_moments_that_dart_gives_it() -> None:
    model = made(body("b", WEIGHTLESS) + joint("revolute", axis())).model
    assert (model.body_mass[1], model.body_inertia[1].tolist()) == (0, [1, 1, 1])


@pytest.mark.parametrize(
    ("inside", "word"),
    [
        (ONE + joint("screw", axis()), "screw"),
        (ONE + joint("translational2d"), "translational2d"),
        (ONE + joint("universal", axis(xyz="0 0 2") + axis(xyz="1 0 0", tag="axis2")), "normalised"),
        (ONE + body("c") + joint("weld"), "belongs to no joint"),
        (ONE + joint("revolute", axis("<dynamics><damping>-1</damping></dynamics>")), "0 is used"),
        (ONE + joint("revolute", axis("<damping>-1</damping>")), "0 is used"),
        (
            ONE + joint("free", '<dof local_index="0"><spring_stiffness>-1</spring_stiffness></dof>'),
            "0 is used",
        ),
        (ONE + joint("ball", '<dof local_index="0"><friction>-1</friction></dof>'), "0 is used"),
    ],
)
def test_where_dart_differs_a_warning_says_so(inside: str, word: str) -> None:
    (message,) = said(made(inside), "PB088")
    assert word in message


def test_skeletons_without_a_world() -> None:
    """DART reads only the first, with its default gravity and time step."""
    text = f'<skel version="1.0"><skeleton name="s">{ONE}{joint("free")}</skeleton></skel>'
    found = lowered(pb.read("a.skel", text=text, policy="lenient"), policy="lenient")
    assert found.model.opt_gravity.tolist() == [0, 0, -9.81]
    assert found.native.nv == 6
