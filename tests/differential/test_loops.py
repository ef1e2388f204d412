"""Cassie, whose joints form loops and gearboxes: Drake rejects them, `lenient` turns them into constraints.

Drake gets the remaining tree: its accelerations are ours without constraints. Constraints do no work along
the motions that the joints of the document admit according to Drake's Jacobians.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polybody as pb
import pydrake.all as pydrake
import pytest
from polybody.generated.model import EqualityType
from polybody.lowering import lowered

from benchmarks.models.robots import installed

ROBOTS = "cmeel.prefix/share/example-robot-data/robots"
FOLDER = installed("example-robot-data", f"{ROBOTS}/cassie_description/robots/cassie.sdf").parent
FILES = {  # and the number of joints that are cut
    "cassie": 6,
    "cassie_reduced": 4,
    "cassie_simple": 4,
    "cassie_v2": 4,
    "cassie_wo_gearbox_spring": 4,
}
pytestmark = pytest.mark.filterwarnings("ignore::polybody.errors.ModelWarning")


def opened(name: str, cut: list[str]) -> Any:
    """Drake's plant of a file without gearboxes, and the joints that are cut."""
    text = (FOLDER / f"{name}.sdf").read_text()
    for joint in re.findall(r"<joint .*?</joint>", text, re.S):
        heading = joint.partition(">")[0]
        if "gearbox" in heading or any(re.search(f"[\"']{each}[\"']", heading) for each in cut):
            text = text.replace(joint, "")
    plant = pydrake.MultibodyPlant(0.0)
    pydrake.Parser(plant).AddModelsFromString(text, "sdf")
    plant.Finalize()
    return plant


def jacobian(plant: Any, context: Any, document: Any, cut: list[str]) -> Any:
    """Jacobian of the document's constraints: how velocities change the angles of gearboxes and the gaps of
    loops.
    """
    where, world = pydrake.JacobianWrtVariable.kV, plant.world_frame()
    rows = []
    for joint in document.model.joint:
        if joint.type.value == "gearbox":
            row = np.zeros(plant.num_velocities())
            ip, op = (joint.name.replace("-joint", end) for end in ("-ip", "-op"))
            row[plant.GetJointByName(op).velocity_start()] = 1.0
            row[plant.GetJointByName(ip).velocity_start()] = joint.gearbox_ratio
            rows.append(row[None])
        if joint.name not in cut:
            continue
        child, parent = (plant.GetBodyByName(each).body_frame() for each in (joint.child, joint.parent))
        pose = [0.0] * 6 if joint.pose is None else list(joint.pose.text)
        turn = pydrake.RollPitchYaw(*pose[3:]).ToRotationMatrix().matrix()
        points = [np.array(pose[:3])]
        if joint.type.value == "revolute":
            points.append(points[0] + turn @ np.array(joint.axis.xyz.text))
            if joint.axis.use_parent_model_frame:
                rest = plant.CalcRelativeTransform(context, world, child).rotation().matrix()
                points[1] = points[0] + rest.T @ np.array(joint.axis.xyz.text)
        for point in points:
            there = plant.CalcPointsPositions(context, child, point, parent)
            rows.append(
                plant.CalcJacobianTranslationalVelocity(context, where, parent, there, world, world)
                - plant.CalcJacobianTranslationalVelocity(context, where, child, point, world, world)
            )
    return np.vstack(rows)


@pytest.mark.parametrize("name", FILES)
def test_loops_and_gearboxes_are_rows_on_the_tree_that_drake_has(name: str) -> None:
    document: Any = pb.read(FOLDER / f"{name}.sdf", policy="lenient")
    made = lowered(document, policy="lenient", disable=("limit", "contact"))
    said = [
        each.message for each in made.findings if each.code == "PB083" and "closes a loop" in each.message
    ]
    cut = [message.split("`")[1] for message in said]
    assert len(cut) == FILES[name]
    plant, model, native = opened(name, cut), made.model, made.native
    context = plant.CreateDefaultContext()
    assert plant.num_velocities() == model.nv
    rng = np.random.default_rng(1)
    forces = rng.normal(size=model.nv)
    rows = jacobian(plant, context, document, cut)
    elements = pydrake.MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, elements)
    inertia = plant.CalcMassMatrix(context)
    resting = plant.CalcInverseDynamics(context, np.zeros(model.nv), elements)
    free = np.linalg.solve(inertia, forces - resting)

    data = pb.Data(model)
    data.qpos = native.qpos(plant.GetPositions(context))
    rates = native.rates(data.qpos)
    data.qfrc_applied = rates.T @ forces
    pb.forward(model, data)
    ours = native.accelerations(data.qpos, data.qvel, data.qacc)
    smooth = native.accelerations(data.qpos, data.qvel, data.qacc_smooth)
    assert np.abs(smooth - free).max() < 1e-10 * np.abs(free).max()
    assert np.abs(data.efc_pos).max() < 1e-12  # loops are closed at the initial state

    rank = np.linalg.matrix_rank(rows)
    assert data.nefc == len(rows)
    assert np.linalg.matrix_rank(data.efc_J) == rank
    kinds = [EqualityType(int(kind)) for kind in model.eq_type]
    assert kinds.count(EqualityType.joint) == sum(j.type.value == "gearbox" for j in document.model.joint)
    # Forces of the rows do no work along motions that all joints of the document admit.
    still = np.linalg.svd(rows)[2][rank:]
    assert np.abs(still @ (inertia @ (ours - free))).max() < 1e-8 * np.abs(inertia @ ours).max()


@pytest.mark.parametrize("name", FILES)
def test_loops_stay_closed(name: str) -> None:
    options = {"base": "fixed", "disable": ("limit", "contact")}
    model = pb.load(FOLDER / f"{name}.sdf", policy="lenient", **options)
    data = pb.Data(model)
    joined = np.flatnonzero(model.eq_type == EqualityType.connect)
    bodies = np.array([model.eq_obj1id[joined], model.eq_obj2id[joined]])
    points = model.eq_data[joined, :6].reshape(-1, 2, 3)
    for _ in range(10):
        pb.step(model, data, 20)
        pb.forward(model, data)
        one, other = (
            data.xpos[bodies[end]]
            + np.einsum("nij,nj->ni", data.xmat[bodies[end]].reshape(-1, 3, 3), points[:, end])
            for end in (0, 1)
        )
        assert np.abs(one - other).max() < 1e-3  # m
