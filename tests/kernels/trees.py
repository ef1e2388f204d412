"""Trees of bodies as columns, built without the package's builder, so that kernels are tested in
isolation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from polybody.codegen.schema import physics
from polybody.generated.kernels import layout
from polybody.rotations.arrays import of_matrix

ROWS = physics().joints
NQ, NV, CODES = ({row.name: getattr(row, n) for row in ROWS} for n in ("nq", "nv", "code"))
NV_OF = {row.code: row.nv for row in ROWS}
FILL = {
    **dict.fromkeys(("body_mocapid", "body_mocaprootid", "body_geomadr"), -1),
    **dict.fromkeys(("opt_actuation_acts", "opt_clampctrl"), 1),
}
ROWS_OF = {"jnt_quat": (1.0, 0.0, 0.0, 0.0)}
Array = np.ndarray[Any, Any]


@dataclass
class Joint:
    type: str
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    pos: Array = field(default_factory=lambda: np.zeros(3))
    pitch: float = 0.0


@dataclass
class Body:
    parent: int
    joints: list[Joint] = field(default_factory=list)
    pos: Array = field(default_factory=lambda: np.zeros(3))
    quat: Array = field(default_factory=lambda: np.array([1.0, 0, 0, 0]))
    mass: float = 1.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.eye(3))  # about the centre of mass, in the body's axes


def unit(x: Array) -> Array:
    return x / np.linalg.norm(x)


def matrix(q: Array) -> Array:
    """The rotation matrix of a unit quaternion."""
    w, v = q[0], q[1:]
    return (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew(v)


def skew(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0.0]])


def random_joint(rng: np.random.Generator, type_: str, anchored: bool = True) -> Joint:
    pos = 0.3 * rng.normal(size=3) * (anchored and type_ != "free")
    return Joint(type_, unit(rng.normal(size=3)), pos, 0.3 * rng.normal() if type_ == "screw" else 0.0)


def random_body(rng: np.random.Generator, parent: int, joints: list[Joint]) -> Body:
    A = rng.normal(size=(3, 3))
    return Body(
        parent, joints, 0.4 * rng.normal(size=3), unit(rng.normal(size=4)),
        1.0 + rng.random(), 0.1 * rng.normal(size=3), 0.02 * (A @ A.T + np.eye(3)),
    )  # fmt: skip


def random_tree(seed: int, nbody: int = 12, types: tuple[str, ...] = tuple(NV)) -> list[Body]:
    """Bodies in depth-first order: some welded, some with several joints, free joints at the root or at any
    depth.
    """
    rng = np.random.default_rng(seed)
    bodies = []
    for b in range(1, nbody):
        parent = 0 if b == 1 else int(rng.choice(spine(bodies, b - 1)))
        n = int(rng.choice([0, 1, 1, 1, 2, 3]))
        joints = []
        for k in range(n):
            allowed = [t for t in types if t != "free" or k == 0]
            if allowed:
                joints.append(random_joint(rng, str(rng.choice(allowed))))
        bodies.append(random_body(rng, parent, joints))
    return bodies


def spine(bodies: list[Body], b: int) -> list[int]:
    """b and the bodies between it and the world, the world included."""
    path = [b]
    while path[-1]:
        path.append(bodies[path[-1] - 1].parent)
    return path


def chain(n: int, joint: str = "hinge", seed: int = 0) -> list[Body]:
    rng = np.random.default_rng(seed)
    out = []
    for b in range(1, n + 1):
        body = random_body(rng, b - 1, [Joint(joint, unit(rng.normal(size=3)))])
        body.pos, body.quat = np.array([0.0, 0.0, -0.2]), unit(np.array([1.0, *0.1 * rng.normal(size=3)]))
        out.append(body)
    return out


def columns(bodies: list[Body], seed: int = 0, timestep: float = 1e-3, **options: Any) -> dict[str, Array]:
    """The given and derived columns that kernels read; armature, damping, stiffness: upper bounds of the
    random values.
    """
    rng = np.random.default_rng(seed)
    nbody = len(bodies) + 1
    c: dict[str, Any] = {
        n: np.zeros((nbody, k)) for n, k in (("body_pos", 3), ("body_ipos", 3), ("body_spatial", 10))
    }
    c["body_quat"] = np.tile([1.0, 0, 0, 0], (nbody, 1))
    c["body_mass"] = np.zeros(nbody)
    for n in ("parentid", "jntadr", "jntnum"):
        c[f"body_{n}"] = np.zeros(nbody, np.int32)
    jnt: dict[str, list[Any]] = {
        n: [] for n in ("type", "bodyid", "pos", "axis", "pitch", "qposadr", "dofadr")
    }
    above: list[int] = []
    last = [-1] * nbody
    depth: list[int] = []
    rest: list[float] = []
    for b, body in enumerate(bodies, 1):
        c["body_parentid"][b], c["body_pos"][b], c["body_quat"][b] = body.parent, body.pos, body.quat
        c["body_mass"][b], c["body_ipos"][b] = body.mass, body.com
        J = body.inertia + body.mass * (body.com @ body.com * np.eye(3) - np.outer(body.com, body.com))
        c["body_spatial"][b] = [body.mass, *body.mass * body.com, *J[np.tril_indices(3)]]
        c["body_jntadr"][b], c["body_jntnum"][b] = len(jnt["type"]) if body.joints else -1, len(body.joints)
        before = last[body.parent]
        for j in body.joints:
            for n, x in zip(
                jnt, (CODES[j.type], b, j.pos, j.axis, j.pitch, len(rest), len(above)), strict=True
            ):
                jnt[n].append(x)
            rest += {"free": [0, 0, 0, 1, 0, 0, 0], "ball": [1, 0, 0, 0]}.get(j.type, [0] * NQ[j.type])
            for _ in range(NV[j.type]):
                depth.append(depth[before] + 1 if before >= 0 else 0)
                above.append(before)
                before = len(above) - 1
        last[b] = before
    for n, x in jnt.items():
        dtype = np.int32 if n in ("type", "bodyid", "qposadr", "dofadr") else float
        c[f"jnt_{n}"] = np.array(x, dtype).reshape((-1, 3) if n in ("pos", "axis") else (-1,))
    nv = len(above)
    c["dof_parentid"], c["dof_depth"] = np.array(above, np.int32), np.array(depth, np.int32)
    lengths = np.array(depth, np.int64) + 1
    c["M_rowadr"] = np.cumsum(lengths) - lengths
    c["qpos_spring"] = np.array(rest, float)
    for n in ("armature", "damping", "stiffness"):
        c[f"dof_{n}"] = rng.random(nv) * options.pop(n, 0.0)
    c["opt_timestep"] = np.array([timestep])
    c |= option_columns(**options)
    c["body_lastdof"] = np.array(last, np.int32)
    dofs = [NV_OF[code] for code in jnt["type"]]
    c["dof_jntid"] = np.repeat(np.arange(len(dofs), dtype=np.int32), dofs)
    c["body_iquat"], c["body_inertia"] = principal(bodies)
    c["body_rootid"] = np.array([spine(bodies, b)[-2] if b else 0 for b in range(nbody)], np.int32)
    c["body_subtreemass"] = c["body_mass"].copy()
    for b in range(nbody - 1, 0, -1):
        c["body_subtreemass"][c["body_parentid"][b]] += c["body_subtreemass"][b]
    c["jnt_plasticadr"] = np.full(len(jnt["type"]), -1, np.int32)  # no spring yields
    return with_rest(c)


def with_controls(c: dict[str, Array]) -> None:
    """One control for each actuator, which is its input."""
    count = len(c["actuator_target"])
    c["nu"] = c["nout"] = np.array(count, np.int32)
    c["actuator_outadr"][...], c["actuator_outnum"][...] = np.arange(count), 1
    for name in ("ctrladr", "input"):
        c[f"actuator_{name}"][...] = np.arange(count)
    servos = ("ctrlpos", "ctrlvel", "ctrlff", "ctrlvoltage", "slewed", "gathered", "temperature")
    for name in (*servos, "bristle", "current", "turned"):  # it is none
        c[f"actuator_{name}"][...] = -1


def option_columns(
    gravity: tuple[float, float, float] = (0.3, -0.4, -9.81),
    integrator: int = 0,
    regularization: float = 0.0,
    implicit_damping: bool = True,
    gravity_acts: bool = True,
    passive_acts: bool = True,
) -> dict[str, Array]:
    flags = {"implicit_damping": implicit_damping, "gravity_acts": gravity_acts}
    flags |= dict.fromkeys(("passive_acts", "springs_act", "dampers_act"), passive_acts)
    return {
        "opt_gravity": np.array([gravity]),
        "opt_integrator": np.array([integrator], np.int32),
        "opt_regularization": np.array([regularization]),
        **{f"opt_{name}": np.array([value]) for name, value in flags.items()},
    }


def axes(inertia: Array) -> tuple[Array, Array]:
    """The quaternion of the principal axes, and the moments."""
    moments, turn = np.linalg.eigh(inertia)
    turn[:, 2] = np.cross(turn[:, 0], turn[:, 1])
    return of_matrix(turn), moments


def principal(bodies: list[Body]) -> tuple[Array, Array]:
    """body_iquat, body_inertia."""
    found = [axes(body.inertia) for body in bodies]
    quats = np.array([[1.0, 0, 0, 0], *[q for q, _ in found]])
    return quats, np.array([np.zeros(3), *[moments for _, moments in found]])


def with_rest(c: dict[str, Array]) -> dict[str, Array]:
    """The columns plus those that describe absent features: no sites, no actuators, no flags."""
    rows = {axis: len(c[name]) for axis, name in layout.COUNTED if name in c} | {"one": 1}
    filled = {
        name: np.full((rows.get(axis, 0), *shape), ROWS_OF.get(name, FILL.get(name, 0)), layout.DTYPES[base])
        for name, axis, base, shape in layout.GIVEN
        if name not in c
    }
    counted = {
        name: np.zeros((0,) if "_" in name else (), np.int32)
        for _, name in layout.COUNTED
        if name not in c | filled
    }
    return c | filled | counted


def random_state(c: dict[str, Array], rng: np.random.Generator, scale: float = 1.0) -> dict[str, Array]:
    """qpos (unit quaternions), qvel, qfrc_applied."""
    qpos = scale * rng.normal(size=len(c["qpos_spring"]))
    for a in quaternions(c):
        qpos[a : a + 4] = unit(rng.normal(size=4))
    nv = len(c["dof_parentid"])
    return {"qpos": qpos, "qvel": scale * rng.normal(size=nv), "qfrc_applied": 3.0 * rng.normal(size=nv)}


def quaternions(c: dict[str, Array]) -> list[int]:
    """Where in qpos quaternions start."""
    return [
        int(a) + 3 * (t == 0) for t, a in zip(c["jnt_type"], c["jnt_qposadr"], strict=True) if t in (0, 1)
    ]


def dense(c: dict[str, Array], sparse: Array) -> Array:
    """The dense mass matrix, from its rows."""
    nv = len(c["dof_parentid"])
    M = np.zeros((nv, nv))
    for i in range(nv):
        k = i
        while k >= 0:
            M[i, k] = M[k, i] = sparse[c["M_rowadr"][i] + c["dof_depth"][k]]
            k = int(c["dof_parentid"][k])
    return M
