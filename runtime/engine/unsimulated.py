"""What a Model holds that would act and that the kernels do not have yet.

Nothing is left out in silence: whoever simulates such a Model is told what is missing, where in its source it
is written, and which flag switches it off. A row here goes when a kernel comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from polybody.collision import uncollided
from polybody.errors import ModelError
from polybody.generated.model import (
    BiasType,
    EqualityType,
    GainType,
    Integrator,
    Prescription,
    SensorType,
    ShapeType,
)
from polybody.model.flags import DISABLE
from polybody.model.model import Model

Rows = Any  # an array of flags
MOST = 5
"""Rows that a message names; of more it says how many."""


def require_simulated(model: Model, stepping: bool = True, measuring: bool = True) -> None:
    """Refuse a Model that holds what would act and is not simulated.

    Args:
        model: the Model.
        stepping: whether steps are to be taken; the integrator is of no interest else.
        measuring: whether sensors are to measure; they are of no interest else.

    Raises:
        ModelError: it does; each such thing with its rows, their places in the source and its flag.
    """
    problems = model.once("unsimulated", lambda: (*_problems(model, ACTING), *_contacts(model)))
    if not model.nv:  # nothing moves
        problems = ()
    if measuring:
        problems = (*problems, *model.once("unmeasured", lambda: tuple(_problems(model, SENSORS))))
    if stepping:
        problems = (*problems, *_integrator(model))
    if problems:
        raise ModelError(list(problems))


def _problems(model: Model, parts: tuple[Part, ...]) -> Iterator[str]:
    off = int(model.opt_disableflags)
    for kind, what, words, rows in parts:
        if not any(off & DISABLE[word] for word in words):
            found = np.flatnonzero(rows(model)).tolist()
            if found:
                yield _sentence(model, kind, what, words, found)


def _sentence(model: Model, kind: str, what: str, words: tuple[str, ...], rows: list[int]) -> str:
    shown = ", ".join(_called(model, kind, row) for row in rows[:MOST])
    more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    hint = f"; disable={words[0]!r} leaves it out" if words else ""
    return f"{what} is not simulated yet: {shown}{more}{hint}"


def _called(model: Model, kind: str, row: int) -> str:
    name = model.names[kind][row] if kind in model.names else ""
    places = model.places.get(kind, ())
    where = f" ({places[row]})" if row < len(places) and places[row] else ""
    return f"{kind} {row} {name!r}{where}" if name else f"{kind} {row}{where}"


def _integrator(model: Model) -> Iterator[str]:
    name = Integrator(model.opt_integrator).name
    if model.opt_integrator in (Integrator.implicit, Integrator.implicitfast):
        yield (
            f"the integrator {name} is not simulated yet: "
            "model.replace(opt_integrator='Euler') or 'RK4' takes another"
        )
    driven = np.flatnonzero(model.jnt_prescribed == Prescription.velocity).tolist()
    if driven and model.opt_integrator == Integrator.RK4:
        what = f"a joint whose velocity is given, with the integrator {name},"
        yield f"{_sentence(model, 'joint', what, (), driven)}; model.replace(opt_integrator='Euler')"


# --- what would act ---------------------------------------------------------------------------------------


def _equality(model: Model) -> Rows:
    solved = [EqualityType[name] for name in ("connect", "weld", "joint", "tendon")]
    return (model.eq_active0 > 0) & ~np.isin(model.eq_type, solved)


def _given_motion(model: Model) -> Rows:
    """Joints that move as they are told, where constraints may act."""
    given = np.isin(model.jnt_prescribed, (Prescription.acceleration, Prescription.velocity))
    return given & bool(model.opt_constrained)


def _fluid(model: Model) -> Rows:
    return np.array([(model.opt_density > 0 or model.opt_viscosity > 0) and bool(model.body_mass.any())])


def _muscles(model: Model) -> Rows:
    """Muscles without a range of lengths: it follows from a simulation with constraints."""
    kinds = model.actuator_gaintype == GainType.muscle, model.actuator_biastype == BiasType.muscle
    low, high = model.actuator_lengthrange.T
    return np.any(kinds, axis=0) & (model.actuator_acts > 0) & (low >= high)


def _on_mocap(model: Model) -> Rows:
    """Joints between a body that mocap_pos moves and what is below it."""
    found: Rows = model.body_mocaprootid[model.body_parentid[model.jnt_bodyid]] >= 0
    return found


def _in_parent(model: Model) -> Rows:
    """Free joints with jnt_inparent that are not the first of their tree."""
    found: Rows = np.zeros(model.njnt, dtype=bool)
    found[model.dof_jntid[(model.dof_inparent > 0) & (model.dof_depth >= 6)]] = True
    return found


def _sensors(*names: str) -> Callable[[Model], Rows]:
    codes = [int(SensorType[name]) for name in names]
    return lambda model: np.isin(model.sensor_type, codes)


Part = tuple[str, str, tuple[str, ...], Callable[[Model], Rows]]
SENSORS: tuple[Part, ...] = (
    ("sensor", "a rangefinder", ("sensor",), _sensors("rangefinder")),
    ("sensor", "a sensor of distances", ("sensor",), _sensors("distance", "normal", "fromto")),
    ("sensor", "a sensor of a plugin", ("sensor",), _sensors("plugin")),
)
"""What measures, whether or not anything moves."""
ACTING: tuple[Part, ...] = (
    ("equality", "an equality constraint", ("equality", "constraint"), _equality),
    ("joint", "a joint whose motion is given, beside constraints,", ("constraint",), _given_motion),
    ("joint", "a servo motor", ("constraint",), lambda m: m.jnt_prescribed == Prescription.servo),
    ("joint", "a joint below a mocap body", (), _on_mocap),
    (
        "joint",
        "a free joint of a moving body whose springs and dampers keep the parent's axes",
        (),
        _in_parent,
    ),
    ("option", "drag and lift of the medium", ("passive",), _fluid),
    ("actuator", "a muscle without `lengthrange`, which a simulation would find,", ("actuation",), _muscles),
)
"""Of what kind the rows are, what is missing, the flags that switch it off, the rows themselves."""


def _contacts(model: Model) -> Iterator[str]:
    """Pairs of shapes whose contacts are not found yet, of geoms that could touch."""
    for pair in uncollided(model):
        shapes = " and ".join(ShapeType(model.geom_type[geom]).name for geom in pair)
        geoms = " and ".join(_called(model, "geom", geom) for geom in pair)
        what = f"contacts of {shapes} are not simulated yet, and {geoms} could touch"
        yield f"{what}; disable='contact' leaves them out"
