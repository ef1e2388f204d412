"""Quaternions of origins, of URDF 1.1: used as by ROS's reader, which ignores them in older documents."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pinocchio
import polybody as pb
import pytest
from polybody.rotations.arrays import matrix

from tests.differential import drake, urdf_pinocchio
from tests.differential.report import summary
from tests.lowering.urdf.robots import SOLID, joint, link, robot
from tests.oracles import drake_plant

QUATERNION = 'xyz="0.1 0.2 0.3" quat_xyzw="0.1 -0.5 0.3 0.8"'
BOX = f'<collision><origin {QUATERNION}/><geometry><box size="1 2 3"/></geometry></collision>'
TURNED = SOLID.replace('rpy="0.3 0.1 0.2"', 'quat_xyzw="1 2 3 4"')
HINGE = '<axis xyz="0 1 0"/><limit effort="9" velocity="9" lower="-9" upper="9"/>'


def document(version: str, given: str = QUATERNION) -> str:
    text = robot(
        link("a", TURNED + BOX), link("b", TURNED), joint("j", "revolute", "a", "b", HINGE, origin=given)
    )
    return text.replace("<robot ", f'<robot version="{version}" ')


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_quaternions_are_those_of_pinocchio(version: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(document(version))
    found = urdf_pinocchio.compare(path)
    assert {"mass matrix", "acceleration"} <= found.errors.keys(), (found.refused, found.skipped)
    report = summary([found], urdf_pinocchio.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


def test_the_quaternion_of_a_shape_is_that_of_pinocchio(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(document("1.1"))
    there = pinocchio.buildModelFromUrdf(str(path))
    shape = pinocchio.buildGeomFromUrdf(there, str(path), pinocchio.COLLISION).geometryObjects[0]
    model = pb.load(path)
    assert np.allclose(matrix(model.geom_quat[0]), shape.placement.rotation, atol=1e-15)
    assert np.allclose(model.geom_pos[0], shape.placement.translation, atol=1e-15)


@pytest.mark.parametrize("given", [QUATERNION, QUATERNION + ' rpy="0.1 0.2 0.3"'])
def test_drake_ignores_them_as_older_documents_do(given: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(document("1.0", given))
    found = drake.compare(path, drake_plant.ask(path))
    assert "acceleration" in found.errors
    report = summary([found], drake.TOLERANCES)
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []


def test_an_attached_robot_keeps_its_turn() -> None:
    """Also in a document whose version has no quaternions."""
    for version, other, turned in (("1.0", "1.1", True), ("1.1", "1.0", False), ("1.1", "1.1", True)):
        host = pb.read("h.urdf", text=f'<robot name="h" version="{version}"><link name="base"/></robot>')
        arm = pb.read("r.urdf", text=document(other))
        before = pb.lower(arm)
        pb.attach(host, arm, host.link[0])
        after = pb.lower(host)
        quat = after.body("b").quat
        assert np.allclose(quat, before.body("b").quat, atol=1e-12)
        assert np.allclose(quat, [1, 0, 0, 0]) != turned
