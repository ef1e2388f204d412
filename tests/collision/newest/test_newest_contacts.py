"""Contacts as of MuJoCo 4.0 by loops, programs and batches: what MuJoCo 4.0 found at the same states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.collision.newest.models import STATES, models

FACTS = dict(np.load(Path(__file__).with_name("facts.npz")))
MODELS = models()
STATE = ("qpos", "qvel")
COLUMNS = ("geom1", "geom2", "exclude", "dist", "includemargin", "pos", "frame")

FIELD = """
<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 .4 .2" elevation="{heights}"/></asset>
<worldbody><geom type="hfield" hfield="h" margin=".01" gap=".01"/>
<body pos=".1 .3 {z}"><freejoint/><geom size=".1" margin=".02"/></body></worldbody></mujoco>"""
FLAT, SLOPING = "0 0 0 0", "0 1 0 1"
OVER_FIELDS: tuple[tuple[str, float, tuple[float, ...]], ...] = (
    (FLAT, 0.105, (0.005, 0.1, 0.0025, 1.0)),
    (FLAT, 0.139, (0.039, 0.1, 0.0195, 1.0)),
    (FLAT, 0.141, ()),
    (FLAT, 0.09, (-0.01, 0.1, -0.005, 1.0)),
    (SLOPING, 0.35, (0.02747548783981956, 0.12230580675690922, 0.238470966215454, 0.9805806756909203)),
    (SLOPING, 0.25, (-0.07058257972927243, 0.11269042214152468, 0.1865478892923771, 0.9805806756909199)),
)
"""Heights, the height of a sphere over them, and what MuJoCo 4.0 finds: the distance, x and z of the contact,
z of the normal.
"""


def lowered(name: str, release: str = "4.0") -> pb.Model:
    """A model whose solver runs to convergence."""
    model = pb.lower(pb.read("model.xml", text=MODELS[name], release=release))
    return model.replace(opt_tolerance=0.0, opt_iterations=200, opt_ls_tolerance=1e-10)


def put(target: Any, name: str, number: int) -> None:
    for field in STATE:
        getattr(target, field)[...] = FACTS[f"{name}/{field}"][number]


def agree(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(
        np.asarray(ours), theirs, rtol=1e-9, atol=1e-9 * (1 + np.abs(theirs).max(initial=0))
    )


def rows(data: pb.Data) -> Any:
    """The contacts, one a row, as in the facts."""
    found = data.contact
    return np.column_stack([np.reshape(found[name], (len(found["dist"]), -1)) for name in COLUMNS])


@pytest.mark.parametrize("name", MODELS)
def test_contacts_and_steps_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    data, theirs = pb.Data(model), FACTS[f"{name}/contact"]
    for number in range(STATES):
        put(data, name, number)
        pb.forward(model, data)
        agree(rows(data), theirs[theirs[:, 0] == number, 1:])
        pb.step(model, data)
        for field in STATE:
            agree(getattr(data, field), FACTS[f"{name}/next_{field}"][number])


@pytest.mark.parametrize("name", MODELS)
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(lowered(name), n=STATES, threads=1)
    for number in range(STATES):
        for field in STATE:
            getattr(batch, field)[number] = FACTS[f"{name}/{field}"][number]
    batch.step(1)
    for number in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[number], FACTS[f"{name}/next_{field}"][number])


@pytest.mark.long
@pytest.mark.parametrize("name", ["box with gaps", "capsule with gaps", "mesh"])
def test_programs_step_as_mujoco(name: str) -> None:
    stepper = pb.Stepper(lowered(name), kernels="specialized")
    for number in range(STATES):
        pb.reset(stepper.model, stepper.data)
        put(stepper.data, name, number)
        stepper.step(1)
        for field in STATE:
            agree(getattr(stepper.data, field), FACTS[f"{name}/next_{field}"][number])


@pytest.mark.parametrize("name", [name for name in MODELS if "gaps" not in name])
def test_as_of_3_2_7_contacts_differ(name: str) -> None:
    model = lowered(name, "3.2.7")
    data, theirs = pb.Data(model), FACTS[f"{name}/contact"]
    different = 0
    for number in range(STATES):
        put(data, name, number)
        pb.forward(model, data)
        ours, wanted = rows(data), theirs[theirs[:, 0] == number, 1:]
        different += ours.shape != wanted.shape or not np.allclose(ours, wanted, rtol=1e-6, atol=1e-6)
    assert different


@pytest.mark.parametrize(("heights", "z", "theirs"), OVER_FIELDS)
def test_margins_do_not_raise_height_fields(heights: str, z: float, theirs: tuple[float, ...]) -> None:
    text = FIELD.format(heights=heights, z=z)
    model = pb.lower(pb.read("model.xml", text=text, release="4.0"))
    data = pb.Data(model)
    pb.forward(model, data)
    found = data.contact
    assert len(found["dist"]) == bool(theirs)
    ours = np.column_stack([found["dist"], found["pos"][:, [0, 2]], found["frame"][:, 2]])
    np.testing.assert_allclose(ours.ravel(), theirs, rtol=1e-12, atol=1e-12)
