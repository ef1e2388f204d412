"""ModelBuilder, and the checks that every Model passes."""

from __future__ import annotations

import pickle
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest
from polybody.assembly.builder import ModelBuilder
from polybody.engine.data import Data
from polybody.engine.dynamics import forward
from polybody.errors import ModelError
from polybody.model.model import Model
from polybody.rotations.arrays import matrix, of_matrix

from tests.runtime.models import chain, everything


def one_body(**arguments: object) -> Model:
    b = ModelBuilder()
    body = b.body(**({"name": "lump", "mass": 1.0, "inertia": (1, 1, 1)} | arguments))  # type: ignore[arg-type]
    b.joint(body, "hinge", name="pin")
    return b.build()


def test_columns_say_what_was_built() -> None:
    model = everything()
    assert (model.nbody, model.njnt, model.nq, model.nv) == (7, 6, 15, 13)
    assert model.names["body"] == ("world", "base", "arm", "welded", "hand", "drill", "other")
    assert model.body_jntnum.tolist() == [0, 1, 1, 0, 2, 1, 1]
    assert model.body_jntadr.tolist() == [-1, 0, 1, -1, 2, 4, 5]
    assert model.body_dofadr.tolist() == [-1, 0, 6, -1, 9, 11, 12]
    assert model.body_rootid.tolist() == [0, 1, 1, 1, 1, 1, 6]
    assert model.jnt_qposadr.tolist() == [0, 7, 11, 12, 13, 14]
    assert model.dof_parentid.tolist() == [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1]
    assert model.geom_bodyid.tolist() == [0, 1, 4], "geoms are in the order of their bodies"
    assert model.names["geom"] == ("floor", "", "palm")
    assert model.body_geomadr.tolist() == [0, 1, -1, -1, 2, -1, -1]
    assert model.jnt_axis[2] == pytest.approx([np.sqrt(0.5), np.sqrt(0.5), 0])


def test_the_sparse_mass_matrix_has_an_entry_for_every_pair_on_one_way_to_the_world() -> None:
    model = everything()
    rows = np.repeat(np.arange(model.nv), model.dof_depth + 1)
    pairs = set(zip(rows.tolist(), model.M_colind.tolist(), strict=True))
    expected = set()
    for dof in range(model.nv):
        ancestor = dof
        while ancestor >= 0:
            expected.add((dof, ancestor))
            ancestor = int(model.dof_parentid[ancestor])
    assert pairs == expected
    assert len(rows) == model.nM == len(expected)
    assert model.M_colind[model.M_rowadr + model.dof_depth].tolist() == list(range(model.nv))


def test_spatial_inertia_follows_the_parallel_axes() -> None:
    model = everything()
    turn = matrix(model.body_iquat)
    for body in range(model.nbody):
        mass, centre = model.body_mass[body], model.body_ipos[body]
        skew = np.array([[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]])
        moment = turn[body] @ np.diag(model.body_inertia[body]) @ turn[body].T + mass * skew @ skew.T
        spatial = model.body_spatial[body]
        assert spatial[:4] == pytest.approx([mass, *(mass * centre)])
        assert spatial[4:] == pytest.approx(moment[np.tril_indices(3)])
    assert model.body_subtreemass[0] == pytest.approx(model.body_mass.sum())
    assert model.body_subtreemass[3] == pytest.approx(model.body_mass[3:6].sum())


@pytest.mark.parametrize("form", ["matrix", "six"])
def test_a_full_inertia_is_turned_to_its_principal_axes(form: str) -> None:
    rng = np.random.default_rng(3)
    turn = matrix(np.array([[0.5, 0.5, -0.5, 0.5]]))[0]
    shape = np.linalg.qr(rng.normal(size=(3, 3)))[0] @ np.diag([1.0, 1.3, 1.6])
    full = shape @ shape.T / 2
    six = full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    model = one_body(inertia=full if form == "matrix" else six, iquat=(1, 1, -1, 1))
    back = matrix(model.body_iquat)[1]
    assert back @ np.diag(model.body_inertia[1]) @ back.T == pytest.approx(turn @ full @ turn.T)
    assert np.linalg.det(back) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(20))
def test_matrices_become_quaternions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    quat = np.round(rng.normal(size=4), 0 if seed % 2 else 9)  # half of them rotations by right angles
    quat = np.array([0, 0, 0, 1.0]) if not quat.any() else quat / np.linalg.norm(quat)
    turned = of_matrix(matrix(quat))
    assert turned[0] >= 0
    assert abs(turned @ quat) == pytest.approx(1, abs=1e-15)


def test_principal_moments_are_kept_to_the_last_digit() -> None:
    model = one_body(inertia=np.diag([0.3, 0.1, 0.2]))
    assert model.body_inertia[1].tolist() == [0.3, 0.1, 0.2]
    assert model.body_iquat[1].tolist() == [1, 0, 0, 0]


def test_a_free_joint_starts_and_rests_at_its_body() -> None:
    b = ModelBuilder()
    b.joint(b.body(pos=(1, 2, 3), quat=(0, 1, 0, 0), mass=1, inertia=(1, 1, 1)), "free")
    model = b.build()
    assert model.qpos0.tolist() == model.qpos_spring.tolist() == [1, 2, 3, 0, 1, 0, 0]


def test_a_tendon_is_a_sum_of_coordinates() -> None:
    b = ModelBuilder(gravity=(0, 0, 0))
    first, second = b.body(mass=1, inertia=(1, 1, 1)), b.body(mass=1, inertia=(1, 1, 1))
    b.joint(second, "slide", name="later", spring=0.2)
    b.joint(first, "hinge", name="sooner")
    b.joint(second, "ball", name="turn")
    b.tendon({"later": -0.5, "sooner": 2.0}, name="both", stiffness=3, damping=0.1)
    b.tendon({"sooner": 1.5}, stiffness=2, springlength=(0.1, 0.4))
    model = b.build()
    data = Data(model)
    data.joint("sooner").qpos, data.joint("later").qpos = 0.7, 0.3
    data.joint("sooner").qvel = 2.0
    forward(model, data)
    assert data.tendon("both").length == pytest.approx(2 * 0.7 - 0.5 * 0.3)
    assert data.tendon("both").velocity == pytest.approx(4.0)
    assert data.tendon(1).length == pytest.approx(1.05)
    force = -3 * (1.25 + 0.5 * 0.2) - 0.1 * 4.0
    assert data.joint("later").qfrc_passive == pytest.approx(-0.5 * force)
    assert data.joint("sooner").qfrc_passive == pytest.approx(2 * force - 1.5 * 2 * (1.05 - 0.4))
    assert data.ten_J.tolist() == [[2.0, -0.5, 0, 0, 0], [1.5, 0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"joints": {}}, "tendon 0: it needs joints with one degree"),
        (
            {"joints": {"turn": 1}},
            "'turn' is not one of the joints with one degree of freedom that exist: 'a'",
        ),
        ({"joints": {"a": "x"}, "name": "t"}, "tendon 0 't': a must be a number, not 'x'"),
        ({"joints": ["a"]}, "joints must be a mapping of names to coefficients"),
        ({"joints": {"a": 1}, "springlength": 3}, "springlength must be 2 numbers"),
    ],
)
def test_tendons_that_cannot_be(arguments: dict[str, Any], said: str) -> None:
    b = ModelBuilder()
    body = b.body(mass=1, inertia=(1, 1, 1))
    b.joint(body, "hinge", name="a")
    b.joint(body, "ball", name="turn")
    with pytest.raises(ModelError, match=said):
        b.tendon(**arguments)


def test_an_empty_model_is_a_world() -> None:
    model = ModelBuilder("nothing").build()
    assert (model.nbody, model.nq, model.nv, model.nM, model.njnt) == (1, 0, 0, 0, 0)
    assert len(model.M_colind) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"mass": -1.0}, "body 1 'lump': mass -1.0 is below 0"),
        ({"mass": float("nan")}, "body 1 'lump': mass is not finite"),
        ({"mass": "heavy"}, "body 1 'lump': mass must be a number"),
        ({"inertia": (1, 1, 3)}, "body 1 'lump': impossible principal moments"),
        ({"inertia": (1, -0.1, 1)}, "is below 0"),
        ({"inertia": np.diag([1, 1, -0.5]) + 0.1}, "is below 0"),
        ({"inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]}, "not symmetric"),
        ({"inertia": (1, 2)}, "3 or 6 numbers or 3x3"),
        ({"inertia": np.full((3, 3), np.inf)}, "not finite"),
        ({"pos": (0, 0)}, "body 1 'lump': pos must be 3 numbers"),
        ({"pos": (0, 0, np.inf)}, "pos is not finite"),
        ({"quat": (0, 0, 0, 0)}, "is not a rotation"),
        ({"quat": (np.nan, 0, 0, 0)}, "is not a rotation"),
        ({"parent": 1}, "its parent 1 does not exist yet"),
        ({"parent": -1}, "its parent -1 does not exist yet"),
        ({"name": "world"}, "the name 'world' is already used by body 0"),
        ({"name": "a\x00b"}, "XML cannot represent it"),
        ({"name": "\ud800"}, "XML cannot represent it"),
    ],
)
def test_bodies_that_cannot_be(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError) as error:
        one_body(**arguments)
    assert said in str(error.value)


def test_rounded_inertias_of_flat_plates_are_accepted() -> None:
    assert one_body(inertia=(0.333333, 0.333333, 0.6666665)).nbody == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"type": "elbow"}, "'elbow' is not one of free, ball, slide, hinge, screw"),
        ({"axis": (0, 0, 0)}, "has zero length"),
        ({"axis": (0, 0, np.inf)}, "has zero length"),
        ({"body": 0}, "body 0 is not one of 1 to 1"),
        ({"body": 2}, "body 2 is not one of 1 to 1"),
        ({"damping": (1, 2)}, "damping must be 1 number,"),
        ({"damping": -1}, "dof 1: damping -1.0 is below 0"),
        ({"stiffness": -1}, "stiffness -1.0 is below 0"),
        ({"armature": np.nan}, "dof 1: armature is not finite"),
        ({"qpos0": (1, 2)}, "qpos0 must be 1 number,"),
        ({"name": "first"}, "the name 'first' is already used by joint 0"),
        ({"type": "ball", "qpos0": (0, 0, 0, 0)}, "is not a rotation"),
        ({"type": "free"}, "a free joint must be the first of its body"),
        ({"pitch": np.inf, "type": "screw"}, "pitch is not finite"),
    ],
)
def test_joints_that_cannot_be(arguments: dict[str, object], said: str) -> None:
    b = ModelBuilder()
    body = b.body(mass=1, inertia=(1, 1, 1))
    b.joint(body, "slide", name="first")

    def finish() -> None:
        b.joint(**({"body": body, "type": "hinge"} | arguments))  # type: ignore[arg-type]
        b.build()

    with pytest.raises(ModelError) as error:
        finish()
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timestep": 0}, "option: timestep 0.0 is not above 0"),
        ({"timestep": -0.1}, "option: timestep -0.1 is not above 0"),
        ({"timestep": np.inf}, "option: timestep is not finite"),
        ({"gravity": (0, 0)}, "gravity must be 3 numbers"),
        ({"regularization": -1e-6}, "option: regularization -1e-06 is below 0"),
        ({"integrator": "leapfrog"}, "'leapfrog' is not one of Euler, RK4"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError) as error:
        ModelBuilder(**options).build()  # type: ignore[arg-type]
    assert said in str(error.value)


def test_every_problem_is_named_and_many_are_cut() -> None:
    b = ModelBuilder()
    for k in range(30):
        b.body(name=f"b{k}", mass=-1)
    with pytest.raises(ModelError) as error:
        b.build()
    assert len(error.value.problems) == 30
    assert str(error.value).endswith("... and 10 more")


def test_a_problem_is_a_record_of_its_row_and_column() -> None:
    b = ModelBuilder()
    b.body(name="b", mass=-1)
    with pytest.raises(ModelError) as error:
        b.build()
    (problem,) = error.value.problems
    assert problem == ("mass -1.0 is below 0", "body", 1, "b", "body_mass")
    assert str(problem) == "body 1 'b': mass -1.0 is below 0" == str(error.value)
    assert problem.in_document() == "body `b`: mass -1.0 is below 0"
    assert pickle.loads(pickle.dumps(error.value)).problems == (problem,)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("body_parentid", [0, 5, 1, 2, 3, 4, 0], "its parent 5 must come before it"),
        ("body_parentid", [0, 1, 1, 2, 3, 4, 0], "its parent 1 must come before it"),
        ("jnt_bodyid", [1, 2, 4, 4, 5, 99], "body 99 does not exist"),
        ("jnt_bodyid", [1, 2, 4, 4, 5, 0], "body 0 never moves"),
        ("jnt_bodyid", [2, 1, 4, 4, 5, 6], "jnt rows are not in the order of their bodies"),
        ("jnt_type", [0, 1, 2, 3, 4, 77], "jnt_type 77 is not one of"),
        ("jnt_type", [0, 1, 2, 3, 4, 1], "qpos0 has 15 rows, the joints have 18"),
        ("qpos0", np.zeros(15), "the quaternion in qpos0 has length 0"),
        ("body_mass", np.ones(3), "rows"),
        ("body_mass", np.ones((7, 1)), "body_mass has shape (7, 1)"),
        ("body_mass", ["1"] * 7, "values of type"),
        ("body_parentid", [2**40] * 7, "values that do not fit int32"),
        ("jnt_axis", 2 * np.eye(6, 3), "axis [2.0, 0.0, 0.0] does not have length 1"),
        ("body_pos", np.ones((7, 3)), "the world, must have an identity pose"),
        ("geom_contype", "1", "geom_contype has values of type"),
        ("opt_integrator", 9, "option: opt_integrator 9 is not one of [0, 1, 2, 3]"),
    ],
)
def test_columns_from_elsewhere_pass_the_same_gate(column: str, value: object, said: str) -> None:
    model = everything()
    with pytest.raises(ModelError) as error:
        model.replace(**{column: value})
    assert said in str(error.value)


def test_building_takes_as_many_calls_for_each_body_however_many_there_are() -> None:
    def calls(n: int) -> int:
        counted = 0

        def count(frame: object, event: str, argument: object) -> None:
            nonlocal counted
            counted += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            chain(n)
        finally:
            sys.setprofile(None)
        return counted

    calls(1)  # the first call imports more
    assert calls(2000) < 4.1 * calls(500)


def test_ten_thousand_bodies_are_built_without_their_mass_matrix() -> None:
    tracemalloc.start()
    model = chain(10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.nM == 10_000 * 10_001 // 2
    assert peak < 64e6, f"{peak / 1e6:.0f} MB; M alone would take 400"
