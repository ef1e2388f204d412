"""Contacts of convex shapes as of MuJoCo 4.0, by loops, programs and batches, beside what MuJoCo found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.collision import contacts, geom_distance

from tests.moving.newest_convex.models import MESHES, STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
CUTOFF = 0.3
ERRORS = {"rock": 1e-3, "brick": 2e-7, "prism": 2e-7}
"""Greatest errors where a mesh takes part: its vertices, and so the normals of its sides, are in single
precision, and the inertial frame of the irregular one differs from MuJoCo's by 2e-7 rad. A search between it
and an ellipsoid, which stops at 1e-6 m, magnifies that.
"""


def lowered(name: str, release: str = "4.0") -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release=release))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def fact(name: str, state: int, field: str) -> Any:
    return FACTS[f"{name}/{state}/{field}"]


def put(data: Any, name: str, state: int) -> None:
    for field in ("qpos", "qvel"):
        getattr(data, field)[...] = fact(name, state, field)


def error(model: pb.Model, pair: Any) -> float:
    """The greatest error of numbers about two geoms."""
    meshes = [list(MESHES)[k] for k in model.geom_dataid[pair] if k >= 0 and model.nmesh]
    return max((ERRORS[mesh] for mesh in meshes), default=1e-12)


def rows(found: Any) -> Any:
    return np.column_stack([found["dist"], found["pos"], found["frame"].reshape(-1, 9)])


@pytest.mark.parametrize("name", MODELS)
def test_contacts_and_distances_at_poses_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    for state in range(STATES):
        poses = fact(name, state, "geom_xpos"), fact(name, state, "geom_xmat")
        found = contacts(model, *poses)
        geoms = np.transpose([found["geom1"], found["geom2"]])
        np.testing.assert_array_equal(geoms, fact(name, state, "geom"))
        both = [rows(found), fact(name, state, "contact")]
        if name == "rocks":  # the last bits of its sides decide which of two contacts is first
            both = [each[np.lexsort((each[:, 0].round(6), geoms[:, 1], geoms[:, 0]))] for each in both]
        for pair, ours, theirs in zip(geoms, *both, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=error(model, pair))
        for k, expected in enumerate(fact(name, state, "nearest")):
            pair = np.array([2 * k, 2 * k + 1])[:: 1 - 2 * (k % 2)]
            dist, ends = geom_distance(model, *pair.tolist(), *poses, CUTOFF)
            ours = [dist, *np.ravel(ends)]
            np.testing.assert_allclose(ours, expected, rtol=0, atol=error(model, pair))


@pytest.mark.parametrize("name", MODELS)
def test_loops_find_the_contacts_of_mujoco(name: str) -> None:
    """The last bits of poses differ; they decide between points of round faces that are equally far apart."""
    model = lowered(name)
    data = pb.Data(model)
    for state in range(STATES):
        put(data, name, state)
        pb.forward(model, data)
        found, expected = data.contact, fact(name, state, "contact")
        np.testing.assert_array_equal(
            np.transpose([found["geom1"], found["geom2"]]), fact(name, state, "geom")
        )
        np.testing.assert_allclose(found["dist"], expected[:, 0], rtol=0, atol=2e-5)


def near(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4 * np.abs(theirs).max())


@pytest.mark.parametrize("name", [name for name in MODELS if name != "rocks"])
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(name), n=STATES, threads=1)
    for state in range(STATES):
        batch.qpos[state], batch.qvel[state] = fact(name, state, "qpos"), fact(name, state, "qvel")
    batch.step(1)
    for state in range(STATES):
        near(batch.qvel[state], fact(name, state, "next_qvel"))


@pytest.mark.long
@pytest.mark.parametrize("name", ["flat with margins", "height field"])
def test_programs_step_as_mujoco(name: str) -> None:
    model = lowered(name)
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        near(stepper.data.qvel, fact(name, state, "next_qvel"))


@pytest.mark.parametrize(
    ("flag", "most"), [("", 4), ('multiccd="disable"', 1), ('nativeccd="disable" multiccd="disable"', 1)]
)
def test_flags_disable_what_4_0_enables(flag: str, most: int) -> None:
    text = MODELS["flat"].replace("<mujoco>", f"<mujoco><option><flag {flag}/></option>")
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    data = pb.Data(model)
    put(data, "flat", 1)
    data.qpos[:] = fact("flat with margins", 1, "qpos")
    pb.forward(model, data)
    found = data.contact
    _, counts = np.unique(np.transpose([found["geom1"], found["geom2"]]), axis=0, return_counts=True)
    assert counts.max() == most


def test_as_of_3_2_7_these_shapes_have_one_contact() -> None:
    model = lowered("flat", "3.2.7")
    data = pb.Data(model)
    put(data, "flat", 1)
    pb.forward(model, data)
    pairs = np.transpose([data.contact["geom1"], data.contact["geom2"]])
    assert len(np.unique(pairs, axis=0)) == len(pairs)
