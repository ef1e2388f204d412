"""The interface between kernels and the constraint solver: its stages, and the columns that each reads and
writes.

The solver is hand-written (runtime/native/solver/stages.h). Loops call it through a pointer in a simulation,
straight-line code through the column CONSTRAINTS.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """A stage: its code, the columns of a simulation that it reads, those that it writes, and whether it
    does so only if there may be constraints.
    """

    code: int
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    constrained: bool = True


_POSES = ("xpos", "xquat", "xmat", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat")
_FOUND = (
    *("qpos", *_POSES, "dof_xaxis", "dof_xanchor"),
    *("ten_length", "ten_entry", "formula_pos", "formula_entry", "flexvert_xpos", "flexedge_length"),
    *("connection_drift", "connection_twist", "qM"),
)
_METRIC = ("qM", "qLD", "qLDiagInv")
STAGES = {
    "find_constraints": Stage(0, reads=_FOUND),
    "solve_constraints": Stage(
        1,
        reads=("qvel", "dof_drive", *_METRIC, "qfrc_smooth", "qacc_smooth", "qacc_warmstart"),
        writes=("qacc", "qfrc_constraint", "qacc_warmstart"),
    ),
    "weigh_constraints": Stage(
        2, reads=("xpos", "xquat", "xmat"), writes=("xfrc_constraint", "ten_constraint")
    ),
    "invert_constraints": Stage(3, reads=("qvel", "dof_drive", "qacc"), writes=("qfrc_constraint",)),
    "measure_constraints": Stage(
        4, reads=("qvel", "dof_xaxis", "dof_xanchor"), writes=("sensor_constraint", "sensor_grids")
    ),
    "find_adhesion": Stage(5, reads=("dof_xaxis", "dof_xanchor"), writes=("adhesion_moment",)),
    "measure_geoms": Stage(
        6,
        reads=("geom_xpos", "geom_xmat", "site_xpos", "site_xmat"),
        writes=("sensor_geoms",),
        constrained=False,
    ),
    "measure_images": Stage(
        8,
        reads=("geom_xpos", "geom_xmat", "site_xpos", "site_xmat", "cam_xpos", "cam_xmat"),
        writes=("sensor_geoms",),
        constrained=False,
    ),
    "pull_contacts": Stage(7, reads=("dof_xaxis", "dof_xanchor"), writes=("qfrc_adhesion",)),
}
"""The stages, by the names used in algorithms."""
SINES = Stage(-1, reads=("qpos",), writes=("qsin", "qcos"), constrained=False)
"""What m.opaque("sines") reads and writes: not a stage of the solver, but hand-written as well."""
CALL, AFTER = "call", "after"
"""Nodes: a call, whose operands are stored before it; and a number that is read from memory after a call, or
before the first one if calls overwrite it.
"""


def stages(node_args: tuple[object, ...]) -> tuple[Stage, ...]:
    """The stages of a node of a call."""
    names = node_args[0]
    assert isinstance(names, tuple)
    return tuple(STAGES[name] for name in names)
