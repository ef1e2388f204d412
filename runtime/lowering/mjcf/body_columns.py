"""The columns of bodies and of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from polybody.assembly import gather as compiled
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, SINGLE, Columns, column, numbers
from polybody.generated.formats.mjcf import AutomaticOrOff
from polybody.lowering.mjcf.columns import Field, coded, gather, given, polynomials, users
from polybody.lowering.mjcf.elements import Element, Values
from polybody.lowering.mjcf.joints import along_dofs, reference
from polybody.lowering.mjcf.numbering import Numbered
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.shapes import Shapes
from polybody.lowering.mjcf.values import since

JOINT: tuple[Field, ...] = (
    ("jnt_group", "group", 0, INTEGER),
    ("jnt_limited", "is_limited", 0, BYTE),
    ("jnt_actfrclimited", "force_limited", 0, BYTE),
    ("jnt_actgravcomp", "actuatorgravcomp", 0, BYTE),
    ("jnt_solref", "solreflimit", 2, DOUBLE),
    ("jnt_solimp", "solimplimit", 5, DOUBLE),
    ("jnt_pos", "pos", 3, DOUBLE),
    ("jnt_axis", "axis", 3, DOUBLE),
    ("jnt_stiffness", "stiffness", 0, DOUBLE),
    ("jnt_range", "range", 2, DOUBLE),
    ("jnt_actfrcrange", "actuatorfrcrange", 2, DOUBLE),
    ("jnt_margin", "margin", 0, DOUBLE),
)
GEOM: tuple[Field, ...] = (
    ("geom_contype", "contype", 0, INTEGER),
    ("geom_conaffinity", "conaffinity", 0, INTEGER),
    ("geom_condim", "condim", 0, INTEGER),
    ("geom_group", "group", 0, INTEGER),
    ("geom_priority", "priority", 0, INTEGER),
    ("geom_solmix", "solmix", 0, DOUBLE),
    ("geom_solref", "solref", 2, DOUBLE),
    ("geom_solimp", "solimp", 5, DOUBLE),
    ("geom_size", "size", 3, DOUBLE),
    ("geom_aabb", "aabb", 6, DOUBLE),
    ("geom_rbound", "rbound", 0, DOUBLE),
    ("geom_pos", "pos", 3, DOUBLE),
    ("geom_quat", "quat", 4, DOUBLE),
    ("geom_friction", "friction", 3, DOUBLE),
    ("geom_margin", "margin", 0, DOUBLE),
    ("geom_gap", "gap", 0, DOUBLE),
    ("geom_fluid", "fluid", 12, DOUBLE),
    ("geom_rgba", "rgba", 4, SINGLE),
)
SURFACE: tuple[Field, ...] = (
    ("geom_surfacevel", "surfacevel", 6, DOUBLE),
    ("geom_adhesion", "adhesion", 0, DOUBLE),
)
"""Columns of attributes that not all releases have."""
YIELDING: tuple[Field, ...] = (("jnt_springyield", "springyield", 0, DOUBLE),)
SITE: tuple[Field, ...] = (
    ("site_group", "group", 0, INTEGER),
    ("site_size", "size", 3, DOUBLE),
    ("site_pos", "pos", 3, DOUBLE),
    ("site_quat", "quat", 4, DOUBLE),
    ("site_rgba", "rgba", 4, SINGLE),
)
CAMERA: tuple[Field, ...] = (
    ("cam_pos", "pos", 3, DOUBLE),
    ("cam_quat", "quat", 4, DOUBLE),
    ("cam_orthographic", "orthographic", 0, INTEGER),
    ("cam_fovy", "fovy", 0, DOUBLE),
    ("cam_ipd", "ipd", 0, DOUBLE),
    ("cam_resolution", "resolution", 2, INTEGER),
    ("cam_sensorsize", "sensorsize", 2, SINGLE),
)
LIGHT: tuple[Field, ...] = (
    ("light_directional", "directional", 0, BYTE),
    ("light_castshadow", "castshadow", 0, BYTE),
    ("light_bulbradius", "bulbradius", 0, SINGLE),
    ("light_active", "active", 0, BYTE),
    ("light_pos", "pos", 3, DOUBLE),
    ("light_dir", "dir", 3, DOUBLE),
    ("light_attenuation", "attenuation", 3, SINGLE),
    ("light_cutoff", "cutoff", 0, SINGLE),
    ("light_exponent", "exponent", 0, SINGLE),
    ("light_ambient", "ambient", 3, SINGLE),
    ("light_diffuse", "diffuse", 3, SINGLE),
    ("light_specular", "specular", 3, SINGLE),
)


def tree_columns(numbered: Numbered, znear: float, shapes: Shapes) -> Columns:
    """The columns of bodies, joints, degrees of freedom, geoms, sites, cameras and lights."""
    parts = numbered.parts
    found = _bodies(numbered) | _joints(numbered) | _geoms(numbered, shapes)
    found |= gather(parts["site"], SITE) | gather(parts["camera"], CAMERA) | gather(parts["light"], LIGHT)
    found["site_type"] = coded(parts["site"], "type")
    found["site_matid"] = materials(numbered, parts["site"])
    found["site_user"] = users(parts["site"], numbered.widths["site"])
    found["cam_user"] = users(parts["camera"], numbered.widths["camera"])
    near = np.array([znear, znear, 0.0, 0.0], dtype=SINGLE)
    optics = [camera.values["intrinsic"] for camera in parts["camera"]]
    found["cam_intrinsic"] = numbers([near if row is None else row for row in optics], 4, SINGLE)
    for kind, prefix in (("site", "site"), ("camera", "cam"), ("light", "light")):
        found[f"{prefix}_bodyid"] = np.array(numbered.owners[kind], dtype=INTEGER)
    for kind, prefix in (("camera", "cam"), ("light", "light")):
        found[f"{prefix}_mode"] = coded(parts[kind], "mode")
        found[f"{prefix}_targetbodyid"] = _targets(numbered, parts[kind])
    return found


def _bodies(numbered: Numbered) -> Columns:
    bodies = numbered.bodies
    mocap = np.cumsum([bool(body.values["mocap"]) for body in bodies]) - 1
    has = np.array([bool(body.values["mocap"]) for body in bodies])
    touching = [[geom.values for geom in body.geom] for body in bodies]
    found: dict[str, Any] = {
        "body_parentid": [0 if body.parent is None else body.parent.id for body in bodies],
        "body_mocapid": np.where(has, mocap, -1),
        "body_contype": [_either(geoms, "contype") for geoms in touching],
        "body_conaffinity": [_either(geoms, "conaffinity") for geoms in touching],
    }
    found = {name: np.array(rows, dtype=INTEGER) for name, rows in found.items()}
    newer = since("3.11.0")
    reach = [[g["margin"] + (g["gap"] if newer else 0.0) for g in geoms] for geoms in touching]
    found["body_margin"] = np.array([max((0.0, *each)) for each in reach])
    for name, width in (("pos", 3), ("quat", 4), ("ipos", 3), ("iquat", 4), ("mass", 0), ("inertia", 3)):
        found[f"body_{name}"] = compiled.reals(bodies, name, width)
    found["body_gravcomp"] = column([body.values["gravcomp"] for body in bodies], DOUBLE)
    if newer:
        unlike = [body.values["simple"] is AutomaticOrOff.FALSE for body in bodies]
        found["body_notsimple"] = column(unlike, BYTE)
    found["body_user"] = users(bodies, numbered.widths["body"])
    return found


def _either(geoms: list[Values], name: str) -> int:
    bits = 0
    for geom in geoms:
        bits |= geom[name]
    return bits


def _joints(numbered: Numbered) -> Columns:
    joints = numbered.parts["joint"]
    found = gather(joints, JOINT) | along_dofs(joints)
    found |= polynomials(joints, stiffness="jnt_stiffnesspoly")
    found |= given(joints, YIELDING)
    found["jnt_type"] = coded(joints, "type")
    found["jnt_bodyid"] = np.array(numbered.owners["joint"], dtype=INTEGER)
    found["jnt_user"] = users(joints, numbered.widths["joint"])
    rest = [reference(body, joint) for body in numbered.bodies for joint in body.joint]
    found["qpos0"] = np.array([number for start, _ in rest for number in start], dtype=DOUBLE)
    found["qpos_spring"] = np.array([number for _, spring in rest for number in spring], dtype=DOUBLE)
    return found


def _geoms(numbered: Numbered, shapes: Shapes) -> Columns:
    geoms = numbered.parts["geom"]
    found = gather(geoms, GEOM)
    found["geom_type"] = coded(geoms, "type")
    found["geom_bodyid"] = np.array(numbered.owners["geom"], dtype=INTEGER)
    found["geom_matid"] = materials(numbered, geoms)
    found["geom_dataid"] = np.array([shapes.number(geom) for geom in geoms], dtype=INTEGER)
    found["geom_user"] = users(geoms, numbered.widths["geom"])
    return found | given(geoms, SURFACE)


def materials(numbered: Numbered, elements: list[Element]) -> Any:
    """The indices of the elements' materials; -1 for none."""
    if numbered.spec.settings.values["discardvisual"]:
        return np.full(len(elements), -1, dtype=INTEGER)
    of_meshes = {mesh.name: mesh.values.get("material") for mesh in numbered.spec.lists["mesh"]}
    found = []
    for element in elements:
        name = element.values["material"] or of_meshes.get(element.values.get("mesh") or "")
        material = numbered.resolve(element, Reference("material", name), "material") if name else None
        found.append(-1 if material is None else material.id)
    return np.array(found, dtype=INTEGER)


def _targets(numbered: Numbered, elements: list[Element]) -> Any:
    found = []
    for element in elements:
        name = element.values.get("target")
        body = numbered.resolve(element, Reference("body", name), "target") if name else None
        found.append(-1 if body is None else body.id)
    return np.array(found, dtype=INTEGER)
