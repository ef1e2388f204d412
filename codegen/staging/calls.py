"""What kernels ask the constraint solver for: its stages, and the columns that each reads and leaves.

The solver is hand-written (runtime/constraints/stages.h). Loops call it through a pointer that a simulation
keeps, straight-line code through the column CONSTRAINTS.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """A stage: its code, the columns of a simulation that it reads, those that it leaves."""

    code: int
    reads: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()


_POSES = ("xpos", "xquat", "xmat", "geom_xpos", "geom_xmat", "site_xpos", "site_xmat")
_FOUND = (
    *("qpos", *_POSES, "dof_xaxis", "dof_xanchor"),
    *("ten_length", "ten_entry", "formula_pos", "formula_entry", "flexvert_xpos", "flexedge_length"),
)
_METRIC = ("qM", "qLD", "qLDiagInv")
STAGES = {
    "find_constraints": Stage(0, reads=_FOUND),
    "solve_constraints": Stage(
        1,
        reads=("qvel", "dof_drive", *_METRIC, "qfrc_smooth", "qacc_smooth", "qacc_warmstart"),
        leaves=("qacc", "qfrc_constraint", "qacc_warmstart"),
    ),
    "weigh_constraints": Stage(2, reads=("xpos", "xquat", "xmat"), leaves=("xfrc_constraint",)),
    "invert_constraints": Stage(3, reads=("qvel", "dof_drive", "qacc"), leaves=("qfrc_constraint",)),
    "measure_constraints": Stage(4, leaves=("sensor_constraint", "sensor_grids")),
    "find_adhesion": Stage(5, reads=("dof_xaxis", "dof_xanchor"), leaves=("adhesion_moment",)),
    "measure_geoms": Stage(
        6, reads=("geom_xpos", "geom_xmat", "site_xpos", "site_xmat"), leaves=("sensor_geoms",)
    ),
}
"""By the names that algorithms call them by."""
CALL, AFTER = "call", "after"
"""Nodes: of a call, whose operands are stored before it, and of a number that is read from memory after a
call, or before the first one where calls change what is in its place."""


def stages(node_args: tuple[object, ...]) -> tuple[Stage, ...]:
    """The stages that a node of a call asks for."""
    names = node_args[0]
    assert isinstance(names, tuple)
    return tuple(STAGES[name] for name in names)
