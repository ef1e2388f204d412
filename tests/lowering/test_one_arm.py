"""The same arm in every format gives the same columns and the same motion."""

from __future__ import annotations

from math import cos, radians, sin
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.lowering import lowered
from polybody.rotations.arrays import matrix

TURN2, TURN3 = radians(30), radians(-40)
BOXES = {
    "link1": (2.0, 0.2, (0.1, 0.2, 0.4)),
    "link2": (1.5, 0.15, (0.2, 0.1, 0.3)),
    "link3": (0.7, 0.1, (0.1, 0.1, 0.2)),
}
"""By body: mass, height of its centre, edges of a box."""
PLACES = {
    "link1": ((0, 0, 0.5), (0, 0, 0)),
    "link2": ((0.1, 0.2, 0.4), (TURN2, 0, 0)),
    "link3": ((0.3, 0, 0.1), (0, 0, TURN3)),
}
"""Pose in the parent body: position, and angles about x, y, z of which at most one is not 0."""
AXES = {"link1": "z", "link2": "y", "link3": "x"}
"""The third joint slides."""
START, SPEED = (0.4, -0.3, 0.1), (0.5, 1.0, -0.2)


def moments(name: str) -> tuple[float, float, float]:
    mass, _, (x, y, z) = BOXES[name]
    return mass * (y * y + z * z) / 12, mass * (x * x + z * z) / 12, mass * (x * x + y * y) / 12


def words(*numbers: float) -> str:
    return " ".join(map(repr, map(float, numbers)))


def unit(name: str) -> str:
    return words(*(axis == AXES[name] for axis in "xyz"))


def x_xy() -> str:
    text = ""
    for name, joint in (("link3", "px"), ("link2", "ry"), ("link1", "rz")):
        mass, height, edges = BOXES[name]
        pos, angles = PLACES[name]
        euler = words(*np.rad2deg(angles))
        geom = f'<geom type="box" mass="{mass}" pos="0 0 {height}" dim="{words(*edges)}"/>'
        text = f'<body name="{name}" joint="{joint}" pos="{words(*pos)}" euler="{euler}">{geom}{text}</body>'
    return f'<x_xy model="arm"><options gravity="0 0 9.81" dt="0.001"/><worldbody>{text}</worldbody></x_xy>'


def mjcf() -> str:
    text = ""
    for name in ("link3", "link2", "link1"):
        mass, height, _ = BOXES[name]
        pos, angles = PLACES[name]
        inertial = f'<inertial mass="{mass}" pos="0 0 {height}" diaginertia="{words(*moments(name))}"/>'
        kind = "slide" if name == "link3" else "hinge"
        joint = f'<joint name="{name}" type="{kind}" axis="{unit(name)}"/>'
        text = (
            f'<body name="{name}" pos="{words(*pos)}" euler="{words(*angles)}">{joint}{inertial}{text}</body>'
        )
    compiler = '<compiler angle="radian"/><option timestep="0.001"/>'
    return f'<mujoco model="arm">{compiler}<worldbody>{text}</worldbody></mujoco>'


def inertia_elements(name: str) -> str:
    return "".join(
        f"<{key}>{value!r}</{key}>" for key, value in zip(("ixx", "iyy", "izz"), moments(name), strict=True)
    )


def urdf() -> str:
    text, parent = '<link name="world"/>', "world"
    for name, (mass, height, _) in BOXES.items():
        pos, angles = PLACES[name]
        xx, yy, zz = moments(name)
        text += (
            f'<link name="{name}"><inertial><origin xyz="0 0 {height}"/><mass value="{mass}"/>'
            f'<inertia ixx="{xx!r}" iyy="{yy!r}" izz="{zz!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        kind = "prismatic" if name == "link3" else "continuous"
        limit = '<limit lower="-9" upper="9" effort="9" velocity="9"/>' if name == "link3" else ""
        text += (
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{name}"/>'
            f'<origin xyz="{words(*pos)}" rpy="{words(*angles)}"/><axis xyz="{unit(name)}"/>{limit}</joint>'
        )
        parent = name
    return f'<robot name="arm">{text}</robot>'


def sdf() -> str:
    text, parent = "", "world"
    for name, (mass, height, _) in BOXES.items():
        pos, angles = PLACES[name]
        within = "" if parent == "world" else f' relative_to="{parent}"'
        text += (
            f'<link name="{name}"><pose{within}>{words(*pos, *angles)}</pose><inertial>'
            f"<pose>0 0 {height} 0 0 0</pose><mass>{mass}</mass><inertia>{inertia_elements(name)}"
            "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>"
        )
        kind = "prismatic" if name == "link3" else "continuous"
        text += (
            f'<joint name="joint_{name}" type="{kind}"><parent>{parent}</parent><child>{name}</child>'
            f"<axis><xyz>{unit(name)}</xyz></axis></joint>"
        )
        parent = name
    return f'<sdf version="1.9"><model name="arm">{text}</model></sdf>'


def skel() -> str:
    third = (0.1 + 0.3, 0.2 - 0.1 * sin(TURN2), 0.9 + 0.1 * cos(TURN2))
    where = {
        "link1": (0, 0, 0.5, 0, 0, 0),
        "link2": (0.1, 0.2, 0.9, TURN2, 0, 0),
        "link3": (*third, TURN2, 0, TURN3),
    }
    text, parent = "", "world"
    for name, (mass, height, _) in BOXES.items():
        text += (
            f'<body name="{name}"><transformation>{words(*where[name])}</transformation>'
            f"<inertia><mass>{mass}</mass><offset>0 0 {height}</offset>"
            f"<moment_of_inertia>{inertia_elements(name)}"
            "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></moment_of_inertia></inertia></body>"
        )
        kind = "prismatic" if name == "link3" else "revolute"
        text += (
            f'<joint type="{kind}" name="{name}"><parent>{parent}</parent><child>{name}</child>'
            f"<axis><xyz>{unit(name)}</xyz></axis></joint>"
        )
        parent = name
    physics = "<physics><time_step>0.001</time_step><gravity>0 0 -9.81</gravity></physics>"
    return (
        f'<skel version="1.0"><world name="w">{physics}<skeleton name="arm">{text}</skeleton></world></skel>'
    )


def openrave() -> str:
    text, parent = '<body name="base" type="static"/>', "base"
    for name, (mass, height, _) in BOXES.items():
        pos, angles = PLACES[name]
        degrees = np.rad2deg(angles)
        turn = (
            f"<rotationaxis>{words(*(degrees != 0) * 1.0, degrees.sum())}</rotationaxis>"
            if degrees.any()
            else ""
        )
        xx, yy, zz = moments(name)
        text += (
            f'<body name="{name}"><offsetfrom>{parent}</offsetfrom>'
            f"<translation>{words(*pos)}</translation>{turn}"
            f'<mass type="custom"><total>{mass}</total><com>0 0 {height}</com>'
            f"<inertia>{words(xx, 0, 0, 0, yy, 0, 0, 0, zz)}</inertia></mass></body>"
        )
        kind = "slider" if name == "link3" else "hinge"
        text += (
            f'<joint name="{name}" type="{kind}"><body>{parent}</body><body>{name}</body>'
            f"<offsetfrom>{name}</offsetfrom><axis>{unit(name)}</axis></joint>"
        )
        parent = name
    return f'<kinbody name="arm">{text}</kinbody>'


FORMATS = {"x_xy": x_xy, "mjcf": mjcf, "urdf": urdf, "sdf": sdf, "skel": skel, "openrave": openrave}


def made(form: str, folder: Path) -> pb.Model:
    """The Model with the settings that formats leave to their engines made equal: gravity, time step,
    integrator.
    """
    path = folder / f"arm.{form}"
    path.write_text(FORMATS[form](), encoding="utf-8")
    options = {"regularization": 0.0} if form == "x_xy" else {}
    document = pb.read(path, policy="warn", format=form)
    model: pb.Model = lowered(document, disable=("constraint", "contact"), **options).model
    return model.replace(opt_gravity=(0, 0, -9.81), opt_timestep=0.001, opt_integrator=0)


def links(model: pb.Model) -> list[int]:
    return [model.names["body"].index(name) for name in BOXES]


def columns(model: pb.Model) -> dict[str, np.ndarray]:
    """Columns of the bodies and joints of the arm, without frames welded to the world."""
    rows = links(model)
    joints = [int(model.body_jntadr[row]) for row in rows]
    axes = matrix(model.body_iquat[rows])
    return {
        "pos": model.body_pos[rows],
        "turn": matrix(model.body_quat[rows]),
        "mass": model.body_mass[rows],
        "ipos": model.body_ipos[rows],
        "inertia": np.einsum("nij,nj,nkj->nik", axes, model.body_inertia[rows], axes),
        "type": model.jnt_type[joints],
        "anchor": model.jnt_pos[joints],
        "axis": model.jnt_axis[joints],
    }


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "mjcf"])
def test_the_columns_are_those_of_mjcf(form: str, tmp_path: Path) -> None:
    ours, other = columns(made(form, tmp_path)), columns(made("mjcf", tmp_path))
    for name, values in ours.items():
        np.testing.assert_allclose(values, other[name], rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "mjcf"])
def test_the_motion_is_that_of_mjcf(form: str, tmp_path: Path) -> None:
    found = []
    for each in (form, "mjcf"):
        model = made(each, tmp_path)
        assert model.nv == 3
        data = pb.Data(model)
        data.qpos[:], data.qvel[:] = START, SPEED
        pb.step(model, data, 500)
        found.append((data.qpos.copy(), data.qvel.copy(), data.xpos[links(model)].copy()))
    for ours, other in zip(*found, strict=True):
        np.testing.assert_allclose(ours, other, rtol=0, atol=1e-9)
    assert np.abs(found[0][0] - START).max() > 0.1
