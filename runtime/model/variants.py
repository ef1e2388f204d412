"""Models that differ from one Model in some of its numbers, with one array for all of them by column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import BiasType, GainType, Integrator, JointType, Release, TransmissionType
from polybody.model import connections, servos
from polybody.model.actuation import BY_VELOCITY
from polybody.model.checks import AXES, FIRST, GIVEN, TRIANGLE_TOLERANCE, UNIT, UNIT_TOLERANCE, has_quaternion
from polybody.model.derived import LIGHTEST, ROLES, derivation, given_or_derived, joint_sizes
from polybody.model.frames import same
from polybody.model.model import EVERY, RELEASES, Model
from polybody.model.topology import ALIGNED, CENTRED

Array = NDArray[Any]


class Variants(Mapping[str, Array]):
    """Columns of ``count`` Models by name, (count, ...); those of whole numbers are the same for all and have
    no leading axis.

    Args:
        model: the Model that has the columns that do not vary.
        count: number of Models.
        own: the columns that vary, as far as they are known.
        varying: the names of derived columns that vary as well, to be added to ``own``.
    """

    def __init__(
        self, model: Model, count: int, own: Mapping[str, Array], varying: Collection[str] = frozenset()
    ) -> None:
        self.model, self.count, self.own, self._varying = model, count, dict(own), varying

    def __getitem__(self, name: str) -> Array:
        if name in self.own:
            return self.own[name]
        if name in self._varying:
            raise LookupError(f"{name} differs between these Models, and is not known yet")
        column = self.model._column(name)
        if column.dtype.kind != "f":
            return column
        return np.broadcast_to(column, (self.count, *column.shape))

    def __iter__(self) -> Iterator[str]:
        return iter(EVERY)

    def __len__(self) -> int:
        return len(EVERY)


# --- what varies --------------------------------------------------------------------------------


def muscular(model: Model) -> Array:
    """Which actuators are muscles."""
    gains, biases = model.actuator_gaintype == GainType.muscle, model.actuator_biastype == BiasType.muscle
    return np.asarray(gains | biases)


def _gyroscopic(model: Model) -> bool:
    """Whether derivatives of free bodies depend on what they carry."""
    return _newest(model) and model.opt_integrator == Integrator.implicitfast


def _newest(model: Model) -> bool:
    return model.opt_release == RELEASES[Release.v4_0]


def turning(model: Model) -> bool:
    """Whether actuators may act on rotations about a line: at ball joints, or at sites relative to others."""
    kind, targets = model.actuator_trntype, model.actuator_trnid
    at_joints = np.isin(kind, servos.TURNED)
    balls = bool((model.jnt_type[targets[at_joints, 0]] == JointType.ball).any())
    return balls or bool(((kind == TransmissionType.site) & (targets[:, 1] >= 0)).any())


ABSENT: dict[str, Callable[[Model], bool]] = {
    **dict.fromkeys(
        ("jnt_cable", "jnt_cablestiffness", "jnt_cablerest", "opt_cables"), lambda model: not model.nplugin
    ),
    **dict.fromkeys(
        ("flexbend_vertex", "flexbend_other", "flexbend_stiffness"), lambda model: not model.nflex
    ),
    **dict.fromkeys((f"connection_{name}" for name in connections.NAMES), lambda model: not model.opt_drifts),
    **dict.fromkeys(("dof_gyroscopic", "opt_gyroscopic"), lambda model: not _gyroscopic(model)),
    "actuator_period": lambda model: not (_newest(model) and turning(model)),
    **dict.fromkeys(
        ("opt_servos", *(f"actuator_{name}" for name in servos.NAMES)),
        lambda model: not (turning(model) or np.isin(model.actuator_gaintype, tuple(servos.KINDS)).any()),
    ),
    **dict.fromkeys(
        ("opt_orientations", "actuator_quatinput", "actuator_turned"),
        lambda model: not (model.actuator_trntype == TransmissionType.so3).any(),
    ),
    "actuator_adhesion": lambda model: not int(model._column("nadhesion")),
    "wrap_inside": lambda model: bool((np.asarray(model._column("wrap_side")) < 0).all()),
    "actuator_muscleacc": lambda model: not muscular(model).any(),
}
"""Columns that are the same whatever else the Model has, if it lacks something."""


def sources(model: Model, name: str) -> frozenset[str]:
    """The given columns on which a column depends in a Model: those of :func:`depends_on`, except those
    without rows, and those that only matter for what the Model lacks.
    """
    found: frozenset[str] = model.once(f"sources of {name}", lambda: _sources(model, name))
    return found


def _sources(model: Model, name: str) -> frozenset[str]:
    first = None if AXES[name] == "one" else FIRST.get(AXES[name])
    if (first and not len(model._column(first))) or (name in ABSENT and ABSENT[name](model)):
        return frozenset()
    if ROLES[name] == "model":
        return frozenset((name,)) if model._column(name).size else frozenset()
    names: set[str] = set()
    inert = bool(model._column("opt_reflects") or model._column("opt_tendon_inertia"))
    for read in given_or_derived(derivation(name).reads, inert):
        if read.endswith("*"):
            names |= {each for each in GIVEN if each.startswith(read[:-1])}
        else:
            names.add(read)
    return frozenset().union(*(sources(model, each) for each in names))


def varying(model: Model, given: Collection[str], names: Collection[str]) -> frozenset[str]:
    """Those of the named columns that vary if given ones do."""
    return frozenset(name for name in names if not sources(model, name).isdisjoint(given))


# --- kinds --------------------------------------------------------------------------------------


def _any(compare: Callable[[Array], Array]) -> Callable[[Variants, str], Array]:
    def find(known: Variants, name: str) -> Array:
        return np.asarray(compare(known[name]).reshape(known.count, -1).any(axis=1))

    return find


def _frames(known: Variants, name: str) -> Array:
    pos, quat = known["body_ipos"], known["body_iquat"]
    return same(pos.reshape(-1, 3), quat.reshape(-1, 4)).reshape(known.count, -1)


def _by_velocity(known: Variants, name: str) -> Array:
    return np.asarray(known[name][..., BY_VELOCITY] != 0)


def _sides(known: Variants, name: str) -> Array:
    return np.stack([_POSITIVE(known, name), _NONZERO(known, name)], axis=1)


_POSITIVE, _NONZERO = _any(lambda x: x > 0), _any(lambda x: x != 0)
TELLING: dict[str, Callable[[Variants, str], Array]] = {
    **dict.fromkeys(("opt_gravity", "opt_wind", "tendon_damping", "tendon_stiffness"), _NONZERO),
    **dict.fromkeys(("tendon_armature", "tendon_stiffnesspoly", "tendon_dampingpoly"), _NONZERO),
    **dict.fromkeys(("actuator_armature", "actuator_damping", "actuator_dampingpoly"), _NONZERO),
    **dict.fromkeys(("jnt_stiffnesspoly", "dof_dampingpoly"), _NONZERO),
    **dict.fromkeys(("body_gravcomp", "dof_stiffness", "opt_density", "opt_viscosity"), _POSITIVE),
    **dict.fromkeys(("dof_frictionloss", "tendon_frictionloss"), _POSITIVE),
    **dict.fromkeys(("geom_surfacevel", "geom_adhesion", "pair_adhesion"), _NONZERO),
    "dof_damping": _sides,
    "body_mass": lambda known, name: np.asarray(known[name] >= LIGHTEST),
    "geom_fluid": lambda known, name: np.asarray(known[name][..., 0] > 0),
    "body_ipos": _frames,
    "body_iquat": _frames,
    "jnt_axis": lambda known, name: np.asarray(np.sort(np.abs(known[name]), axis=-1)[..., 1] > ALIGNED),
    "jnt_pos": lambda known, name: np.asarray((np.abs(known[name]) > CENTRED).any(axis=-1)),
    "actuator_gainprm": _by_velocity,
    "actuator_biasprm": _by_velocity,
}
"""What of a given column determines the columns of DISCRETE, as whole numbers or flags, (count, ...)."""
DISCRETE = frozenset(
    (
        *("opt_gravcomp_acts", "body_fluid", "opt_fluid_acts", "opt_wind_acts", "ngravcomp"),
        *("opt_tendons", "opt_tendon_poses", "opt_tendon_forces", "opt_slopes", "opt_constrained"),
        *("actuator_target", "actuator_second", "actuator_common", "actuator_acts", "actuator_adhesion"),
        *("opt_transmission_poses", "dof_actfrclimited", "nadhesion", "opt_adheres", "opt_sticks"),
        *("opt_polynomials", "opt_reflects", "opt_tendon_inertia", "opt_tendon_limits", "actuator_clamped"),
        *(name for name, role in ROLES.items() if role == "derived" and name.startswith("opt_measures")),
        *("opt_late", "body_sameframe", "body_simple", "dof_simplenum", "dof_gyroscopic", "opt_gyroscopic"),
    )
)
"""Derived columns that depend on given numbers only through TELLING."""


def kinds(known: Variants, names: Collection[str]) -> Array:
    """What the DISCRETE columns depend on, as one row of bytes for each Model, if the named columns vary."""
    parts = [np.asarray(TELLING[name](known, name)) for name in sorted(names) if name in TELLING]
    rows = [np.zeros((known.count, 0), np.uint8), *(part.reshape(known.count, -1) for part in parts)]
    return np.concatenate([part.astype(np.uint8) for part in rows], axis=1)


# --- checks -------------------------------------------------------------------------------------


def invalid(known: Variants, names: Collection[str]) -> Array:
    """Which of the Models :meth:`Model.replace` refuses, (count,); the named columns vary."""
    found = np.zeros(known.count, dtype=bool)
    with np.errstate(all="ignore"):
        for name in names:
            found |= _any_of(_wrong(name, known[name]))
            for vectors in unit_vectors(known.model, name, known[name]):
                found |= _any_of(_unlike_unit(vectors))
        if not {"body_mass", "body_inertia", "body_ipos"}.isdisjoint(names):
            found |= _unreal(known)
        if "body_pos" in names:
            found |= _any_of(known["body_pos"][:, 0] != 0)
        if "body_quat" in names:
            found |= _any_of(known["body_quat"][:, 0] != (1, 0, 0, 0))
    return found


def _wrong(name: str, values: Array) -> Array:
    """Numbers of a column that are invalid by themselves."""
    column = GIVEN[name]
    wrong = ~np.isfinite(values)
    if column.minimum is not None:
        wrong |= values <= column.minimum if column.open else values < column.minimum
    return wrong


def _unlike_unit(rows: Array) -> Array:
    return np.asarray(~(np.abs(np.sqrt(np.square(rows).sum(axis=-1)) - 1) <= UNIT_TOLERANCE))


def unit_vectors(model: Model, name: str, values: Array) -> list[Array]:
    """Views of the unit vectors and quaternions among the values of a column, (count, ...)."""
    if name in UNIT:
        return [values]
    if name not in ("qpos0", "qpos_spring"):
        return []
    nq, nv = joint_sizes(model.jnt_type)
    ends = np.cumsum(nq)[has_quaternion(nq, nv)].tolist()
    return [values[:, end - 4 : end] for end in ends]


def _unreal(known: Variants) -> Array:
    """Models with impossible moments of inertia, or moments that overflow."""
    inertia = known["body_inertia"]
    total = inertia.sum(axis=-1)
    about_origin = total + known["body_mass"] * np.square(known["body_ipos"]).sum(axis=-1)
    wrong = ~np.isfinite(about_origin)
    if not known.model.opt_anyinertia:
        wrong |= 2 * inertia.max(axis=-1) - total > TRIANGLE_TOLERANCE * total
    return _any_of(wrong)


def _any_of(wrong: Array) -> Array:
    return np.asarray(wrong.reshape(len(wrong), -1).any(axis=1))
