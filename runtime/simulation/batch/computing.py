"""What is computed of the current states of a batch: Jacobians, and products with mass matrices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.engine.points import OFFSETS, Key, body_of, frame_of
from polybody.model.model import Model
from polybody.simulation.batch.memory import Memory

Reals = NDArray[Any]


class BatchComputing:
    """Quantities of all instances at their current states; states do not change."""

    __slots__ = ()
    n: int
    _model: Model
    _memory: Memory

    def compute(self, kernel: str) -> Mapping[str, Reals]:
        """Run a kernel on the current state of every instance."""
        raise NotImplementedError

    def jacobian(
        self,
        body: Key | None = None,
        point: ArrayLike | None = None,
        *,
        com: Key | None = None,
        geom: Key | None = None,
        site: Key | None = None,
    ) -> tuple[Reals, Reals]:
        """The Jacobians of a point in every instance: two new arrays of shape (n, 3, nv), in world axes.

        With ``jacp, jacr = batch.jacobian(site="hand")``, ``jacp[i] @ batch.qvel[i]`` is the velocity of the
        point of instance i, ``jacr[i] @ batch.qvel[i]`` the angular velocity of its body.

        Args:
            body: the origin of a body, by name or number.
            point: a point of the body instead of its origin, by its current position in the world, shape (3,)
                for all instances or (n, 3).
            com: the centre of mass of a body.
            geom: the centre of a geom.
            site: the origin of a site.

        Raises:
            KeyError, IndexError: no such body, geom or site.
            TypeError: not exactly one of body, com, geom and site is given.
            ValueError: ``point`` has another shape.
        """
        kind, row = frame_of(self._model, body, com, geom, site, point)
        given = None if point is None else np.asarray(point, dtype=self._memory.dtype)
        if given is not None and given.shape not in ((3,), (self.n, 3)):
            raise ValueError(f"a point must have the shape (3,) or ({self.n}, 3), got {given.shape}")
        on, (offset, _) = body_of(self._model, kind, row), OFFSETS[kind]
        found = self.compute("jacobian")
        if given is not None:
            at = np.broadcast_to(given, (self.n, 3))
        else:
            at = found["xpos"][:, on]
            if offset is not None:
                turn = found["xmat"][:, on].reshape(self.n, 3, 3)
                at = at + np.einsum("nij,nj->ni", turn, self._values(offset)[:, row])
        jacp, jacr = np.zeros((2, self.n, 3, self._model.nv), self._memory.dtype)
        dofs = _above(self._model, on)
        turning, moving = np.split(found["dof_xaxis"][:, dofs], 2, axis=2)
        moving = moving + np.cross(turning, at[:, None] - found["dof_xanchor"][:, dofs])
        jacr[:, :, dofs], jacp[:, :, dofs] = turning.swapaxes(1, 2), moving.swapaxes(1, 2)
        return jacp, jacr

    def mul_m(self, vector: ArrayLike) -> Reals:
        """The mass matrix of every instance, with the armature, times its vector, as a new array.

        Args:
            vector: of shape (nv,) for all instances, (n, nv), or (n, k, nv): k vectors of each.

        Returns:
            An array of shape (n, nv) or (n, k, nv).

        Raises:
            ValueError: ``vector`` has another shape.
        """
        x = self._vectors(vector)
        matrix, model = _entries(self.compute("mass_matrix")["qM"]), self._model
        found = np.empty_like(x)
        for i, (first, above) in enumerate(_rows(model)):
            end = first + len(above)
            found[i] = matrix[end] * x[i]
            if above:
                found[i] += (matrix[first:end] * x[above]).sum(axis=0)
                found[above] += matrix[first:end] * x[i]
        return _instances(found, vector)

    def solve_m(self, vector: ArrayLike) -> Reals:
        """Solve with the mass matrix of every instance, including armature and regularization: the
        accelerations that joint forces cause, as a new array.

        By the sparse factors L^T D L of all instances at once (Featherstone, Rigid Body Dynamics Algorithms,
        ch. 6.5). Where a matrix is singular, the result of that instance is not finite.

        Args:
            vector: of shape (nv,) for all instances, (n, nv), or (n, k, nv): k vectors of each.

        Returns:
            An array of shape (n, nv) or (n, k, nv).

        Raises:
            ValueError: ``vector`` has another shape.
        """
        x = self._vectors(vector).copy()
        matrix = _entries(self.compute("mass_matrix")["qM"]).copy()
        tree = _rows(self._model)
        for first, above in tree:
            matrix[first + len(above)] += self._values("opt_regularization")[..., None]
        with np.errstate(all="ignore"):
            _factor(matrix, tree)
            for i in range(len(tree) - 1, -1, -1):
                first, above = tree[i]
                x[above] -= matrix[first : first + len(above)] * x[i]
            for i, (first, above) in enumerate(tree):
                x[i] /= matrix[first + len(above)]
                x[i] -= (matrix[first : first + len(above)] * x[above]).sum(axis=0)
        return _instances(x, vector)

    def _values(self, name: str) -> Reals:
        """A column of the Model for every instance, (n, ...) or (1, ...): its own where it is a parameter."""
        return self._memory.view(name) if self._memory.has(name) else self._model.columns[name][None]

    def _vectors(self, vector: ArrayLike) -> Reals:
        """Vectors of all instances, (nv, n, k)."""
        given, nv = np.asarray(vector, dtype=self._memory.dtype), self._model.nv
        several = given.ndim == 3 and given.shape[::2] == (self.n, nv)
        if not several and given.shape not in ((nv,), (self.n, nv)):
            raise ValueError(
                f"a vector of each instance must have the shape ({nv},), ({self.n}, {nv}) or "
                f"({self.n}, k, {nv}), got {given.shape}"
            )
        whole = given if several else np.broadcast_to(given, (self.n, nv))[:, None]
        return np.ascontiguousarray(np.moveaxis(whole, -1, 0))


Tree = list[tuple[int, list[int]]]


def _rows(model: Model) -> Tree:
    """Of each row of the sparse mass matrix: its first entry, and the columns before the diagonal."""
    return model.once("rows of the mass matrix", lambda: _found_rows(model))


def _found_rows(model: Model) -> Tree:
    first, depth, columns = model.M_rowadr.tolist(), model.dof_depth.tolist(), model.M_colind.tolist()
    return [(start, columns[start : start + above]) for start, above in zip(first, depth, strict=True)]


def _entries(matrix: Reals) -> Reals:
    """The entries of the mass matrices, (nM, n, 1)."""
    return matrix.T[..., None]


def _factor(matrix: Reals, tree: Tree) -> None:
    """L^T D L in place of the entries. An ancestor's row has the first columns of the row itself."""
    for first, above in reversed(tree):
        own = matrix[first : first + len(above)].copy()
        matrix[first : first + len(above)] /= matrix[first + len(above)]
        for place, ancestor in enumerate(above):
            start = tree[ancestor][0]
            matrix[start : start + place + 1] -= matrix[first + place] * own[: place + 1]


def _instances(found: Reals, vector: ArrayLike) -> Reals:
    """Vectors (nv, n, k) in the shape of the argument."""
    result = np.ascontiguousarray(np.moveaxis(found, 0, -1))
    return result if np.ndim(vector) == 3 else result[:, 0]


def _above(model: Model, body: int) -> list[int]:
    """The degrees of freedom between a body and the world."""
    dof, found = int(model.body_lastdof[body]), []
    while dof >= 0:
        found.append(dof)
        dof = int(model.dof_parentid[dof])
    return found
