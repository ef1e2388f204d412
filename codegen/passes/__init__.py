"""Transformations of a model before an algorithm is traced for it, in the order of PASSES.

A pass is an algorithm over the machine of one model (staging/specialise.py) that replaces columns of links
and bodies by equivalent ones that are cheaper to compute with. The further steps to C are in
specialised/program.py.

alike_rows        rows that take the same branches: elements of tendons' paths, actuators
alike_subtrees    isomorphic subtrees of links: with the same joints and the same branching
base_parameters   moves inertia without an effect on a link to its parent: what remains are base parameters
factor_rotations  constant rotations as products of elementary rotations
hinge_frames      the orientation of a hinge's link: its frame may be rotated about its own axis
hoist             separates what a kernel computes only from the model's inputs, which is the same in every
                  step
inertias          inertias of bodies from mass, centre and principal moments, if these remain inputs of a
                  program
leaf_links        leaf links, with their frame on the parent side of the joint
snap_zeros        sets numbers to zero that are nonzero only due to rounding
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..physics.links import prepare
from ..physics.spatial import Inertia
from ..staging.machines import Machine
from .base_parameters import base_parameters
from .factor_rotations import factor_rotations
from .hinge_frames import hinge_frames
from .inertias import SOURCES, inertias
from .leaf_links import leaf_links
from .snap_zeros import snap_zeros

# The columns that base_parameters() reads.
GEOMETRIC = SOURCES | {"body_spatial", "body_pos", "body_quat", "jnt_pos", "jnt_quat", "jnt_axis"}


@dataclass(frozen=True)
class Purpose:
    """The purpose of a trace.

    Attributes:
        named: columns that remain inputs of the program.
        posing: world poses of bodies are results, so links must keep their bodies' frames.
        prepared: what depends only on named columns is computed once, so its cost does not matter.
        observed: a step whose results include poses of bodies: links keep frames that move with them.
    """

    named: frozenset[str]
    posing: bool = False
    prepared: bool = False
    observed: bool = False


@dataclass(frozen=True)
class Pass:
    """One of the passes.

    Attributes:
        apply: transforms a machine's tables.
        when: whether it applies to a purpose.
        decides: integer columns that it stores, which are constants from then on.
    """

    apply: Callable[[Machine, Any], None]
    when: Callable[[Purpose], bool] = lambda purpose: True
    decides: tuple[str, ...] = ()


def empty(m: Machine, t: Any) -> None:
    """Initialises the inertias of links to zero. No row of M counts as diagonal: tracing finds its zeros."""
    t.link_spatial[0] = Inertia.zero()
    for k in m.links():
        t.link_spatial[k] = Inertia.zero()
    for i in m.dofs():
        t.dof_alone[i] = 0


def moving(purpose: Purpose) -> bool:
    return not purpose.posing


def sources_named(purpose: Purpose) -> bool:
    return bool(SOURCES & purpose.named)


def regrouping(purpose: Purpose) -> bool:
    """If inertias or offsets are inputs, regrouping costs more than it saves in every step."""
    return purpose.prepared or not GEOMETRIC & purpose.named


LINKS = (
    *("link_type", "link_parentid", "link_qposadr", "link_dofadr", "link_dofnum", "link_mocapid"),
    *("body_linkid", "dof_chainadr", "dof_chainparentid"),
)
PASSES = (
    Pass(empty, decides=("dof_alone",)),
    Pass(inertias, when=sources_named),
    Pass(prepare, decides=LINKS),
    Pass(snap_zeros),
    Pass(factor_rotations),
    Pass(base_parameters, when=regrouping),
    Pass(hinge_frames, when=moving),
    Pass(
        base_parameters, when=lambda purpose: moving(purpose) and regrouping(purpose)
    ),  # slightly more in new axes
    Pass(leaf_links, when=lambda purpose: moving(purpose) and not purpose.observed, decides=("link_tip",)),
)
