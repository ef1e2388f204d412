"""Derived columns of many Models that differ in numbers, computed for all of them at once.

A column that depends on such numbers is one of these: computed here for all Models; DISCRETE, so equal in all
Models of a kind; or neither, and then each Model derives it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.base.copies import Copies, Own
from polybody.generated.kernels.dynamics import KernelData
from polybody.generated.kernels.layout import GIVEN, PLACES, PREPARED, prepare
from polybody.model import frames, mounted
from polybody.model.at_reference import mean_inertia
from polybody.model.derived import derivation
from polybody.model.model import Model
from polybody.model.topology import put_mocap
from polybody.model.variants import Variants, muscular
from polybody.model.weights import Weights

Array = NDArray[Any]
Values = dict[str, Array]
Run = Callable[[Callable[[int], object], int], None]
"""Calls work(0), work(1)... in several threads; see Pool.run."""
WEIGHED = frozenset(
    (
        *("dof_M0", "body_invweight0", "dof_invweight0"),
        *("tendon_length0", "tendon_invweight0", "actuator_acc0"),
    )
)
"""Columns that Weights computes."""
EARLY = ("body_spatial", "body_subtreemass")
"""Columns that the kernels need before they compute the others."""
AFTER: dict[str, tuple[str, ...]] = {
    "stat_meaninertia": ("dof_M0",),
    "actuator_muscleacc": ("actuator_acc0",),
    "tendon_lengthspring": ("resting",),
    **dict.fromkeys(("cam_pos0", "cam_mat0", "light_pos0", "light_dir0"), ("xpos", "xmat")),
    **dict.fromkeys(("cam_poscom0", "light_poscom0"), ("xpos", "xmat", "xipos")),
}
"""Columns that are computed from what Weights finds, and what they need of it."""
TOGETHER = WEIGHED | AFTER.keys() | set(EARLY)
"""All columns that are computed for many Models at once."""
NUMBERS = {name: int(np.prod(shape, dtype=np.int64)) for name, _, base, shape in GIVEN if base == "double"}
"""Columns of numbers that kernels read, and the numbers in a row."""


class KernelCopies:
    """The kernels' structs of many Models of the same tree.

    Args:
        model: a Model with that tree.
        n: number of Models.
        varying: the columns in which they differ, given or derived.
    """

    def __init__(self, model: Model, n: int, varying: Collection[str]) -> None:
        kernel = model.kernel
        real, byte = np.dtype(np.float64), np.dtype(np.uint8)
        self.names = tuple(name for name in NUMBERS if name in varying and kernel.arrays[name].size)
        made = ("link", *(name for name, *_ in PREPARED))
        own = {name: Own(PLACES[name], real, kernel.arrays[name].size) for name in self.names}
        own |= {name: Own(PLACES[name], byte, kernel.arrays[name].nbytes) for name in made}
        self.copies = Copies(n, len(kernel.struct), own)

    def put(self, rows: Array, known: Variants) -> None:
        """Make copies of a Model's struct with the numbers that are known so far."""
        self.copies.put(rows, known.model.kernel.struct)
        self.fill(rows, known, self.names)
        self.copies["link"][rows] = 0
        prepare(self.copies.addresses[rows])

    def fill(self, rows: Array, known: Variants, names: Collection[str]) -> None:
        """Set the numbers of those columns that kernels read and that are known."""
        for name in names:
            if name in self.names and name in known.own:
                self.copies[name][rows] = known.own[name].reshape(known.count, -1)


class Derivations:
    """Computes derived columns of many Models at once.

    Args:
        model: a Model of their tree.
        varying: the given columns in which they differ.
        wanted: the derived columns, among TOGETHER.
        threads: the largest number of threads.
    """

    def __init__(self, model: Model, varying: Collection[str], wanted: Collection[str], threads: int) -> None:
        self._varying, self._wanted, self._threads = frozenset(varying), frozenset(wanted), threads
        needed = {each for name in wanted for each in AFTER.get(name, (name,))} - set(EARLY)
        if {"body_invweight0", "dof_invweight0"} & needed:
            needed |= {"body_invweight0", "dof_invweight0", "xipos"}
        self._needed = frozenset(needed)
        self._team: list[Weights] = []

    @property
    def weighs(self) -> bool:
        """Whether the kernels' structs of the Models are needed."""
        return bool(self._needed)

    def early(self, known: Variants) -> None:
        """Add what kernels need before they compute other columns."""
        if not self._varying.isdisjoint(("body_mass", "body_ipos", "body_iquat", "body_inertia")):
            known.own["body_spatial"] = _spatial(known)
        if "body_mass" in self._varying:
            known.own["body_subtreemass"] = _subtree_masses(known)

    def add(self, known: Variants, structs: Array, run: Run) -> None:
        """Add all other columns.

        Args:
            known: the Models, with :meth:`early`.
            structs: the addresses of the kernels' structs.
            run: spreads the work over threads.
        """
        found = self._weigh(known, structs, run)
        if "xmat" in found:
            found["xmat"] = found["xmat"].reshape(known.count, -1, 3, 3)
        known.own.update({name: found[name] for name in WEIGHED & found.keys()})
        if "stat_meaninertia" in self._wanted:
            known.own |= mean_inertia(known)
        if "actuator_muscleacc" in self._wanted:
            known.own["actuator_muscleacc"] = np.where(
                muscular(known.model), found["actuator_acc0"][:, known.model.actuator_outadr], 0.0
            )
        if "tendon_lengthspring" in self._wanted:
            known.own["tendon_lengthspring"] = _rests(known, found["resting"])
        for kind, poses in (("cam", mounted.cameras), ("light", mounted.lights)):
            named = {name for name in self._wanted if name.startswith(kind + "_")}
            if named - {f"{kind}_poscom0"}:
                known.own |= poses(known, found)
            if f"{kind}_poscom0" in named:
                known.own |= mounted.from_centres(kind, known, found)

    def _weigh(self, known: Variants, structs: Array, run: Run) -> Values:
        model = known.model
        if not self._needed:
            return {}
        if not self._team:
            self._team = [self._weights(model) for _ in range(self._threads)]
        shapes = self._team[0].shapes()
        found = {name: np.zeros((known.count, *shapes[name])) for name in self._needed}
        start, spring = (np.ascontiguousarray(known[name]) for name in ("qpos0", "qpos_spring"))
        mocap = _mocap_poses(known)
        central = (model.body_sameframe == frames.BODY).astype(np.uint8)
        sliding = (model.body_simple == 2).astype(np.uint8)
        size = -(-known.count // self._threads)
        pieces = iter(range(0, known.count, size))

        def work(worker: int) -> None:
            for first in pieces:
                part = slice(first, first + size)
                own = {name: array[part] for name, array in found.items()}
                pos, quat = (each[part] for each in mocap)
                weights = self._team[worker]
                weights.weigh(structs[part], start[part], pos, quat, central, sliding, own, spring[part])

        run(work, self._threads)
        return found

    def _weights(self, model: Model) -> Weights:
        return Weights(model.columns, KernelData(model.kernel))


def _spatial(known: Variants) -> Array:
    names = ("body_mass", "body_ipos", "body_iquat", "body_inertia")
    rows = {name: known[name].reshape(-1, *known[name].shape[2:]) for name in names}
    found = derivation("body_spatial").make(rows)["body_spatial"]
    return np.asarray(found.reshape(known.count, -1, 10))


def _subtree_masses(known: Variants) -> Array:
    mass, parents = np.array(known["body_mass"]), known["body_parentid"].tolist()
    for body in range(len(parents) - 1, 0, -1):
        mass[:, parents[body]] += mass[:, body]
    return mass


def _rests(known: Variants, resting: Array) -> Array:
    given = known["tendon_springlength"]
    asked = (given == -1).all(axis=-1)
    return np.where(asked[..., None], resting[..., None], given)


def _mocap_poses(known: Variants) -> tuple[Array, Array]:
    """mocap_pos and mocap_quat of the poses in the Models."""
    pos = np.zeros((known.model.nmocap, known.count, 3))
    quat = np.zeros((known.model.nmocap, known.count, 4))
    if len(pos):
        put_mocap(_Poses(known), pos, quat)
    return np.ascontiguousarray(pos.swapaxes(0, 1)), np.ascontiguousarray(quat.swapaxes(0, 1))


class _Poses:
    """The columns of bodies with the Models on the second axis, as put_mocap takes them."""

    def __init__(self, known: Variants) -> None:
        self.body_mocapid = known["body_mocapid"]
        self.body_pos, self.body_quat = (known[f"body_{name}"].swapaxes(0, 1) for name in ("pos", "quat"))
