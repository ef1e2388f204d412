"""What happens to a model before an algorithm is traced for it, in the order of PASSES.

A pass is an algorithm over the machine of one model (staging/specialise.py) that changes columns of links and
bodies into ones that cost less and mean the same. The rest of the way to C is in specialised/program.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..physics.links import prepare
from ..physics.spatial import Inertia
from ..staging.machines import Machine
from .base_parameters import regroup
from .factor_rotations import elementary_turns
from .hinge_frames import facing
from .inertias import SOURCES, inertias
from .leaf_links import tips
from .snap_zeros import exact_zeros

# What regroup() reads.
GEOMETRIC = SOURCES | {"body_spatial", "body_pos", "body_quat", "jnt_pos", "jnt_quat", "jnt_axis"}


@dataclass(frozen=True)
class Purpose:
    """What a trace is for.

    Attributes:
        named: columns that stay inputs of the program.
        posing: it is about where bodies are in the world, so links must keep their bodies' frames.
        prepared: what named columns alone decide is computed once, so it may cost what it likes.
        observed: it moves, and it is also about where bodies are: links keep frames that move with them.
    """

    named: frozenset[str]
    posing: bool = False
    prepared: bool = False
    observed: bool = False


@dataclass(frozen=True)
class Pass:
    """One of the passes.

    Attributes:
        apply: what it does to a machine's tables.
        when: whether it serves a purpose.
        decides: columns of whole numbers that it stores and that are known from then on.
    """

    apply: Callable[[Machine, Any], None]
    when: Callable[[Purpose], bool] = lambda purpose: True
    decides: tuple[str, ...] = ()


def empty(m: Machine, t: Any) -> None:
    """Links have no inertia yet."""
    t.link_spatial[0] = Inertia.zero()
    for k in m.links():
        t.link_spatial[k] = Inertia.zero()


def moving(purpose: Purpose) -> bool:
    return not purpose.posing


def sources_named(purpose: Purpose) -> bool:
    return bool(SOURCES & purpose.named)


def regrouping(purpose: Purpose) -> bool:
    """With inertias or offsets that are inputs, regrouping costs more than it saves in every step."""
    return purpose.prepared or not GEOMETRIC & purpose.named


LINKS = (
    *("link_type", "link_parentid", "link_qposadr", "link_dofadr", "link_dofnum", "link_mocapid"),
    *("body_linkid", "dof_chainadr", "dof_chainparentid"),
)
PASSES = (
    Pass(empty),
    Pass(inertias, when=sources_named),
    Pass(prepare, decides=LINKS),
    Pass(exact_zeros),
    Pass(elementary_turns),
    Pass(regroup, when=regrouping),
    Pass(facing, when=moving),
    Pass(regroup, when=lambda purpose: moving(purpose) and regrouping(purpose)),  # in new axes a little more
    Pass(tips, when=lambda purpose: moving(purpose) and not purpose.observed, decides=("link_tip",)),
)
