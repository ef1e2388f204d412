"""A format's own coordinates, and their conversion from and to those of the Model, joint by joint.

    parts = [Part("shoulder", SAME, q=0, v=0, qpos=0, qvel=0), Part("ball", BallRpy(frame), 1, 1, 1, 1)]
    native = Native(model, parts)
    native.q(qpos), native.qpos(q), native.v(qpos, qvel), native.qvel(q, v), native.vdot(data)

Velocities in native coordinates are linear in those of the Model, v = T(qpos) qvel. Therefore accelerations
are vdot = T qacc + (dT/dt) qvel.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.model.model import Model

Reals = NDArray[np.float64]


class Coordinates(Protocol):
    """The native coordinates of a joint; those of the Model are its primitives' in order.

    Arguments and results have any number of leading dimensions.
    """

    nq: int
    """Number of native coordinates."""
    nv: int
    """Number of native velocities, and of velocities of the Model."""
    nqpos: int
    """Number of coordinates of the Model."""

    def q(self, qpos: Reals) -> Reals:
        """Native coordinates (..., nq) from the Model's (..., nqpos)."""

    def qpos(self, q: Reals) -> Reals:
        """The inverse."""

    def rates(self, qpos: Reals) -> Reals:
        """T, (..., nv, nv)."""

    def drift(self, qpos: Reals, qvel: Reals) -> Reals:
        """(dT/dt) qvel, (..., nv)."""


class Same:
    """Coordinates equal to the Model's, possibly in another order: native[i] is the Model's [order[i]]."""

    def __init__(
        self, nqpos: int, order: Sequence[int] | None = None, vorder: Sequence[int] | None = None
    ) -> None:
        self.q_order = list(range(nqpos) if order is None else order)
        self.v_order = list(self.q_order if vorder is None else vorder)
        self.nq = self.nqpos = nqpos
        self.nv = len(self.v_order)

    def q(self, qpos: Reals) -> Reals:
        """Native coordinates (..., nq)."""
        return qpos[..., self.q_order]

    def qpos(self, q: Reals) -> Reals:
        """The Model's, (..., nqpos)."""
        found = np.empty_like(q)
        found[..., self.q_order] = q
        return found

    def rates(self, qpos: Reals) -> Reals:
        """A permutation, (nv, nv)."""
        return np.eye(self.nv)[self.v_order]

    def drift(self, qpos: Reals, qvel: Reals) -> Reals:
        """Zero."""
        return np.zeros_like(qvel)


class Part(NamedTuple):
    """A joint of the format, and the first indices of its values."""

    name: str
    coordinates: Coordinates
    q: int
    v: int
    qpos: int
    qvel: int

    @property
    def slices(self) -> tuple[slice, slice, slice, slice]:
        """Its entries of q, v, qpos and qvel."""
        kind = self.coordinates
        sizes = (kind.nq, kind.nv, kind.nqpos, kind.nv)
        starts = (self.q, self.v, self.qpos, self.qvel)
        a, b, c, d = (slice(start, start + size) for start, size in zip(starts, sizes, strict=True))
        return a, b, c, d


class Native:
    """Native coordinates of a Model.

    Arrays may have any number of leading dimensions.

    Args:
        model: the Model.
        parts: all movable joints of the format; every coordinate and velocity belongs to one.

    Attributes:
        nq, nv: numbers of native coordinates and velocities.
        q_slices, v_slices: the entries of each joint in q and v by its name; those of a free body by the
        body's name.
    """

    def __init__(self, model: Model, parts: Sequence[Part]) -> None:
        self.model = model
        self.parts = tuple(parts)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model.name!r}: nq {self.nq}, nv {self.nv}>"

    @cached_property
    def nq(self) -> int:
        return sum(part.coordinates.nq for part in self.parts)

    @cached_property
    def nv(self) -> int:
        return sum(part.coordinates.nv for part in self.parts)

    @cached_property
    def q_slices(self) -> dict[str, slice]:
        return {part.name: slice(part.q, part.q + part.coordinates.nq) for part in self.parts}

    @cached_property
    def v_slices(self) -> dict[str, slice]:
        return {part.name: slice(part.v, part.v + part.coordinates.nv) for part in self.parts}

    def q(self, qpos: ArrayLike) -> Reals:
        """Native coordinates (..., nq) from qpos."""
        given = sized(qpos, self.model.nq, "qpos")
        found = np.zeros((*given.shape[:-1], self.nq))
        for part in self.parts:
            native, _, own, _ = part.slices
            found[..., native] = part.coordinates.q(given[..., own])
        return found

    def qpos(self, q: ArrayLike) -> Reals:
        """qpos from native coordinates (..., nq)."""
        given = sized(q, self.nq, "q")
        found = np.empty((*given.shape[:-1], self.model.nq))
        for part in self.parts:
            native, _, own, _ = part.slices
            found[..., own] = part.coordinates.qpos(given[..., native])
        return found

    def v(self, qpos: ArrayLike, qvel: ArrayLike) -> Reals:
        """Native velocities (..., nv) from qvel, with the Model at qpos."""
        where, given = sized(qpos, self.model.nq, "qpos"), sized(qvel, self.model.nv, "qvel")
        found = np.zeros((*given.shape[:-1], self.nv))
        for part in self.parts:
            _, native, at, own = part.slices
            rates = part.coordinates.rates(where[..., at])
            found[..., native] = (rates @ given[..., own, None])[..., 0]
        return found

    def qvel(self, q: ArrayLike, v: ArrayLike) -> Reals:
        """qvel from native velocities (..., nv) at native coordinates q."""
        where, given = self.qpos(q), sized(v, self.nv, "v")
        found = np.zeros((*given.shape[:-1], self.model.nv))
        for part in self.parts:
            _, native, at, own = part.slices
            rates = part.coordinates.rates(where[..., at])
            found[..., own] = np.linalg.solve(rates, given[..., native, None])[..., 0]
        return found

    def rates(self, qpos: ArrayLike) -> Reals:
        """The matrix T (..., nv, model.nv) of v = T qvel; native joint forces are T^-T times the Model's."""
        where = sized(qpos, self.model.nq, "qpos")
        found = np.zeros((*where.shape[:-1], self.nv, self.model.nv))
        for part in self.parts:
            _, native, at, own = part.slices
            found[..., native, own] = part.coordinates.rates(where[..., at])
        return found

    def accelerations(self, qpos: ArrayLike, qvel: ArrayLike, qacc: ArrayLike) -> Reals:
        """Native accelerations, the derivatives (..., nv) of v, from qacc."""
        where = sized(qpos, self.model.nq, "qpos")
        moving, given = sized(qvel, self.model.nv, "qvel"), sized(qacc, self.model.nv, "qacc")
        found = np.zeros((*given.shape[:-1], self.nv))
        for part in self.parts:
            _, native, at, own = part.slices
            rates = part.coordinates.rates(where[..., at])
            drift = part.coordinates.drift(where[..., at], moving[..., own])
            found[..., native] = (rates @ given[..., own, None])[..., 0] + drift
        return found

    def vdot(self, data: Any) -> Reals:
        """The acceleration (nv,) that the reference engine reports in the state of a Data, from its qacc."""
        return self.accelerations(data.qpos, data.qvel, data.qacc)


def sized(values: ArrayLike, size: int, name: str) -> Reals:
    """An array (..., size).

    Raises:
        ValueError: it has another shape.
    """
    found = np.asarray(values, dtype=np.float64)
    if found.shape[-1:] != (size,):
        raise ValueError(f"{name} must have the shape ({size},) or (..., {size}), got {found.shape}")
    return found
