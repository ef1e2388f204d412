"""Locations of the real robots: files of installed packages, read by the engine of their format."""

from __future__ import annotations

from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
import pinocchio as pin


class Urdf(NamedTuple):
    """A URDF of example-robot-data: whether its root floats, and the joints that are locked at zero."""

    file: str
    floating: bool
    locked: tuple[str, ...] = ()


URDF = {
    "panda": Urdf("panda_description/urdf/panda.urdf", False, ("panda_finger_joint1", "panda_finger_joint2")),
    "ur5": Urdf("ur_description/urdf/ur5_robot.urdf", False),
    "kinova": Urdf("kinova_description/robots/kinova.urdf", False),  # three joints without limits
    "anymal": Urdf("anymal_c_simple_description/urdf/anymal.urdf", True),
    "g1": Urdf("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "talos": Urdf("talos_data/robots/talos_reduced.urdf", True),  # the grippers are fixed
    "romeo": Urdf("romeo_description/urdf/romeo.urdf", True),
}
MJCF = {
    "humanoid": ("mujoco-mjx", "mujoco/mjx/test_data/humanoid/humanoid.xml"),
    "half-cheetah": ("gymnasium", "gymnasium/envs/mujoco/assets/half_cheetah.xml"),
}


def installed(package: str, file: str) -> Path:
    """A file of an installed package, which need not be importable."""
    return Path(str(distribution(package).locate_file(file)))


@cache
def pinocchio_model(name: str) -> Any:
    """The robot as Pinocchio reads its URDF, a pinocchio.Model; joints that carry no mass are locked as
    well.
    """
    urdf = URDF[name]
    path = str(installed("example-robot-data", f"cmeel.prefix/share/example-robot-data/robots/{urdf.file}"))
    robot = (
        pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
        if urdf.floating
        else pin.buildModelFromUrdf(path)
    )
    locked = [robot.getJointId(joint) for joint in urdf.locked]
    if not all(0 < joint < robot.njoints for joint in locked):
        raise ValueError(f"{name}: not all of the joints {urdf.locked} are there")
    locked += [joint for joint, mass in enumerate(carried(robot)) if joint and not mass]
    return pin.buildReducedModel(robot, locked, np.array(pin.neutral(robot))) if locked else robot


def carried(robot: Any) -> list[float]:
    """The mass that each joint of a pinocchio.Model carries, kg: its body and everything attached to it."""
    masses = [float(load.mass) for load in robot.inertias]
    for joint in range(robot.njoints - 1, 0, -1):
        masses[robot.parents[joint]] += masses[joint]
    return masses


@cache
def mujoco_model(name: str) -> Any:
    """The robot as MuJoCo compiles its MJCF: a mujoco.MjModel."""
    return mujoco.MjModel.from_xml_path(str(installed(*MJCF[name])))
