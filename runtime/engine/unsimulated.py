"""Elements of a Model that would act and are not simulated yet.

Nothing is omitted silently: an error names the missing feature, its place in the source and the flag that
disables it. A row here is removed when a kernel is added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from polybody.collision import has_distance, uncollided
from polybody.errors import ModelError
from polybody.generated.model import (
    BiasType,
    EqualityType,
    GainType,
    Integrator,
    JointType,
    Prescription,
    Release,
    SensorType,
    ShapeType,
)
from polybody.model.bending import shells
from polybody.model.flags import DISABLE
from polybody.model.instances import instances, joined
from polybody.model.model import RELEASES, Columns, Model
from polybody.plugins import FIRST_PARTY, Cable, Shape, number

Rows = Any  # an array of flags
FAR = 1e9
"""N or N m: larger bounds of force are treated as none."""
MOST = 5
"""Maximum number of rows that a message names; the rest is counted."""


def require_simulated(
    model: Model, stepping: bool = True, measuring: bool = True, beside: bool = False
) -> None:
    """Refuse a Model with elements that would act and are not simulated.

    Args:
        model: the Model.
        stepping: whether steps are to be taken; otherwise the integrator does not matter.
        measuring: whether sensors are evaluated; otherwise they do not matter.
        beside: whether user plugins, which are computed in Python, are allowed.

    Raises:
        ModelError: there are such elements; lists them with their places in the source and their flags.
    """
    problems = unsimulated(model, stepping, measuring, beside)
    if problems:
        raise ModelError([problem.text for problem in problems])


class Unsimulated(NamedTuple):
    """Elements that would act and are not simulated."""

    kind: str
    """The kind of their rows."""
    row: int
    """The first of them."""
    text: str
    """What is missing, for people, with the names and places of the first few."""


def unsimulated(
    model: Model, stepping: bool = True, measuring: bool = True, beside: bool = True
) -> tuple[Unsimulated, ...]:
    """The elements that `require_simulated` would refuse, with the same arguments."""
    asked = f"unsimulated {stepping} {measuring} {beside}"
    return model.once(asked, lambda: tuple(_all_problems(model, stepping, measuring, beside)))


def _all_problems(model: Model, stepping: bool, measuring: bool, beside: bool) -> Iterator[Unsimulated]:
    if model.nv:  # otherwise nothing moves
        yield from _problems(model, ACTING)
        yield from _contacts(model)
    if measuring:
        yield from _problems(model, SENSORS)
    if not beside:
        yield from _problems(model, tuple([part for part in BESIDE if measuring or part[0] != "sensor"]))
    if stepping:
        yield from _integrator(model)


def _problems(model: Model, parts: tuple[Part, ...]) -> Iterator[Unsimulated]:
    off = int(model.opt_disableflags)
    for kind, what, words, rows in parts:
        if len(model.names.get(kind, (None,))) and not any(off & DISABLE[word] for word in words):
            found = np.flatnonzero(rows(model)).tolist()
            if found:
                yield Unsimulated(kind, found[0], _sentence(model, kind, what, words, found))


def _sentence(model: Model, kind: str, what: str, words: tuple[str, ...], rows: list[int]) -> str:
    shown = ", ".join(_called(model, kind, row) for row in rows[:MOST])
    more = f" and {len(rows) - MOST} more" if len(rows) > MOST else ""
    hint = f"; disable={words[0]!r} switches it off" if words else ""
    return f"{what} is not simulated yet: {shown}{more}{hint}"


def _called(model: Model, kind: str, row: int) -> str:
    name = model.names[kind][row] if kind in model.names else ""
    places = model.places.get(kind, ())
    where = f" ({places[row]})" if row < len(places) and places[row] else ""
    return f"{kind} {row} {name!r}{where}" if name else f"{kind} {row}{where}"


def _integrator(model: Model) -> Iterator[Unsimulated]:
    name = Integrator(int(model.opt_integrator)).name
    implicit = model.opt_integrator in (Integrator.implicit, Integrator.implicitfast)
    given = {Prescription.velocity} if model.opt_integrator == Integrator.RK4 else set()
    if implicit:
        given = {Prescription.velocity, Prescription.acceleration}
    driven = np.flatnonzero(np.isin(model.jnt_prescribed, list(given))).tolist()
    if driven:
        what = f"a joint with prescribed motion, with the integrator {name},"
        text = _sentence(model, "joint", what, (), driven)
        yield Unsimulated("joint", driven[0], f"{text}; model.replace(opt_integrator='Euler')")
    aside = np.flatnonzero((model.jnt_inparent > 0) & (model.jnt_type == JointType.free)).tolist()
    if aside and implicit:
        what = f"a free joint with springs and dampers along the parent's axes, with the integrator {name},"
        text = _sentence(model, "joint", what, (), aside)
        yield Unsimulated("joint", aside[0], f"{text}; model.replace(opt_integrator='Euler')")


# --- what would act ---------------------------------------------------------------------------------------


def _equality(model: Model) -> Rows:
    solved = [EqualityType[name] for name in ("connect", "weld", "joint", "tendon", "flex", "formula")]
    return (model.eq_active0 > 0) & ~np.isin(model.eq_type, solved)


def _muscles(model: Model) -> Rows:
    """Muscles without a length range."""
    kinds = model.actuator_gaintype == GainType.muscle, model.actuator_biastype == BiasType.muscle
    low, high = model.actuator_lengthrange.T
    return np.any(kinds, axis=0) & (model.actuator_acts > 0) & (low >= high)


def _in_parent(model: Model) -> Rows:
    """Free joints with jnt_inparent and armature, or springs or dampers with terms of higher order."""
    found: Rows = np.zeros(model.njnt, dtype=bool)
    added = (model.dof_armature != 0) | (model.dof_dampingpoly != 0).any(axis=1)
    added |= (model.jnt_stiffnesspoly != 0).any(axis=1)[model.dof_jntid]
    found[model.dof_jntid[(model.dof_inparent > 0) & added]] = True
    return found


def _used(model: Model, rows: Rows, own: bool) -> Rows:
    """Rows with an instance of a user plugin, or with one of MuJoCo's or of an unknown plugin."""
    built_in = {plugin.name for plugin in FIRST_PARTY}
    made = instances(Columns(model)) if model.nplugin else []
    kinds = [each.plugin is not None and each.type not in built_in for each in made]
    found: Rows = np.array([row >= 0 and kinds[row] is own for row in rows.tolist()], dtype=bool)
    return found


def _shaping(model: Model) -> Rows:
    """Instances of plugins that are shapes, whose distances are used by collision detection."""
    made = instances(Columns(model)) if model.nplugin else []
    return np.array([isinstance(each.plugin, Shape) for each in made], dtype=bool)


def _plugged(model: Model) -> Rows:
    """Bodies with a plugin that no kernel supports: in cables those that no ball joint connects to the
    previous body, in shells those that belong to no flex.
    """
    found = _used(model, model.body_plugin, own=False)
    known = Columns(model)
    for row, instance in enumerate(instances(known)):
        if isinstance(instance.plugin, Cable):
            bodies = np.flatnonzero(model.body_plugin == row)
            stiff = any(number(instance.config, key) for key in ("twist", "bend"))
            found[bodies] = False
            found[[body for body, joint in joined(known, row) if joint < 0 and stiff]] = True
    for flex, _ in shells(known):
        first = int(model.flex_vertadr[flex])
        found[model.flex_vertbodyid[first : first + int(model.flex_vertnum[flex])]] = False
    return found


def _newest(rows: Callable[[Model], Rows]) -> Callable[[Model], Rows]:
    """The rows of Models that are simulated as the newest release, of others none."""
    return lambda model: rows(model) & (model.opt_release == RELEASES[Release.v4_0])


def _touching_flexes(model: Model) -> Rows:
    """Flexes that can touch something, whose contacts have other weights as of 4.0."""
    return (np.asarray(model.flex_contype) | np.asarray(model.flex_conaffinity)) != 0


def _elastic_flexes(model: Model) -> Rows:
    """Flexes with elastic elements, whose constants are others as of 4.0."""
    stiff: Rows = np.asarray(model.flex_stiffness).any(axis=1)
    first, count = np.asarray(model.flex_elemadr), np.asarray(model.flex_elemnum)
    return np.array([stiff[a : a + n].any() for a, n in zip(first, count, strict=True)], dtype=bool)


def _sensors(*names: str) -> Callable[[Model], Rows]:
    codes = [int(SensorType[name]) for name in names]
    return lambda model: np.isin(model.sensor_type, codes)


def _of_odd_shapes(model: Model) -> Rows:
    """Sensors of distances in a Model with shapes for which the distance is not implemented."""
    odd = bool(((model.geom_type == ShapeType.sdf) & ~has_distance(model)).any())
    return _sensors("distance", "normal", "fromto")(model) & odd


def _enclosing(model: Model) -> Rows:
    """Sensors of how far whole objects are inside sites."""
    return _sensors("insidesite")(model) & (model.sensor_intprm[:, 0] != 0)


def _odd_plugins(model: Model) -> Rows:
    """Sensors of unknown plugins, and touch grids that are not at a site."""
    return _used(model, model.sensor_plugin, own=False) & (model._column("sensor_gridnum") == 0)


def _without_kernels(model: Model) -> Rows:
    """Sensors of a type that the kernels do not have; those of users keep what users write."""
    from polybody.generated.kernels import layout

    return ~np.isin(model.sensor_type, [*layout.SENSOR_STAGES, SensorType.user])


def _unmeasured(model: Model) -> Rows:
    """Sensors of which past values are kept although none is measured."""
    off = int(model.opt_disableflags) & DISABLE["sensor"]
    return (model.sensor_history[:, 0] > 0) & bool(off)


Part = tuple[str, str, tuple[str, ...], Callable[[Model], Rows]]
SENSORS: tuple[Part, ...] = (
    (
        "sensor",
        "a distance sensor with shapes whose distance is not implemented",
        ("sensor",),
        _of_odd_shapes,
    ),
    ("sensor", "a sensor of how far an object is inside a site", ("sensor",), _enclosing),
    ("sensor", "a sensor of a plugin", ("sensor",), _odd_plugins),
    ("sensor", "a sensor that no kernel computes", ("sensor",), _without_kernels),
    ("sensor", "the past of a sensor with the flag `sensor` disabled", (), _unmeasured),
)
"""Sensors that are not simulated, whether or not anything moves."""
BESIDE: tuple[Part, ...] = (
    (
        "plugin",
        "an instance of a user plugin in a Stepper or a batch",
        (),
        lambda m: _used(m, np.arange(m.nplugin), own=True) & ~_shaping(m),
    ),
)
"""Elements that are computed in Python, only by `forward` and `step`."""
ACTING: tuple[Part, ...] = (
    ("equality", "an equality constraint", ("equality", "constraint"), _equality),
    (
        "joint",
        "a free joint of a moving body with armature, and with springs and dampers along the parent's axes",
        (),
        _in_parent,
    ),
    ("body", "the force of a plugin", ("passive",), _plugged),
    (
        "actuator",
        "an actuator of a plugin",
        ("actuation",),
        lambda m: _used(m, m.actuator_plugin, own=False) & (m.actuator_controller == 0),
    ),
    ("actuator", "a muscle without `lengthrange`", ("actuation",), _muscles),
    ("flex", "a flex with contacts as of MuJoCo 4.0", ("contact", "constraint"), _newest(_touching_flexes)),
    ("flex", "an elastic flex as of MuJoCo 4.0", ("passive",), _newest(_elastic_flexes)),
    (
        "geom",
        "a signed distance field as of MuJoCo 4.0, which samples it in an octree,",
        (),
        _newest(lambda model: np.asarray(model.geom_type) == ShapeType.sdf),
    ),
)
"""The kind of the rows, what is missing, the flags that disable it, and the rows."""


def _contacts(model: Model) -> Iterator[Unsimulated]:
    """Pairs of shapes for which contacts are not implemented, of geoms that could touch."""
    for pair in uncollided(model):
        shapes = " and ".join(ShapeType(model.geom_type[geom]).name for geom in pair)
        geoms = " and ".join(_called(model, "geom", geom) for geom in pair)
        what = f"contacts of {shapes} are not simulated yet, and {geoms} could touch"
        yield Unsimulated("geom", pair[0], f"{what}; disable='contact' switches them off")
