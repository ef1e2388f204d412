"""Quantities of a Model that several rules need, each computed on first use."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.engine.singular import LARGEST
from polybody.generated.model import JointType, ShapeType
from polybody.model.model import Model
from polybody.rotations.arrays import matrix

Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]
UNBOUNDED = (ShapeType.plane, ShapeType.hfield, ShapeType.sdf)
"""Shapes that say nothing about the size of their body."""


class Facts:
    """A Model and its document, as rules see them.

    Args:
        model: the Model.
        document: from which it was made.
        format: the name of the document's format.
        options: the names of the options with which the Model was made.
    """

    def __init__(self, model: Model, document: Any, format: str, options: Container[str] = ()) -> None:
        self.model, self.document, self.format, self.options = model, document, format, options

    @cached_property
    def moves(self) -> Flags:
        """Whether each body moves, (nbody,)."""
        return np.asarray(self.model.body_lastdof >= 0)

    @cached_property
    def data(self) -> Data | None:
        """The Model at its initial pose; None if its mass matrix is too large to be kept for a check."""
        return Data(self.model) if self.model.nM <= LARGEST else None

    @cached_property
    def box(self) -> tuple[Reals, Reals]:
        """The box around the shapes of each body along the body's axes: lower and upper ends, (nbody, 3), m;
        infinite and reversed for a body without shapes.
        """
        model = self.model
        low, high = np.full((model.nbody, 3), np.inf), np.full((model.nbody, 3), -np.inf)
        shaped = np.flatnonzero(~np.isin(model.geom_type, UNBOUNDED) & (model.geom_rbound > 0))
        owner, turn = model.geom_bodyid[shaped], matrix(model.geom_quat[shaped])
        centre, half = model.geom_aabb[shaped, :3], model.geom_aabb[shaped, 3:]
        centre = model.geom_pos[shaped] + np.einsum("nij,nj->ni", turn, centre)
        half = np.einsum("nij,nj->ni", np.abs(turn), half)
        np.minimum.at(low, owner, centre - half)
        np.maximum.at(high, owner, centre + half)
        return low, high

    @cached_property
    def shaped(self) -> Flags:
        """Whether each body has shapes, (nbody,)."""
        low, high = self.box
        return np.asarray(high[:, 0] >= low[:, 0])

    @cached_property
    def size(self) -> Reals:
        """The diagonal of the box around the shapes of each body, m, (nbody,); 0 without shapes."""
        low, high = self.box
        return np.where(
            self.shaped, np.linalg.norm(np.where(self.shaped[:, None], high - low, 0.0), axis=1), 0.0
        )

    @cached_property
    def greatest(self) -> Reals:
        """The greatest moments of inertia per mass about the body's axes that a body within that box can have
        about its centre of mass, m^2, (nbody, 3); those of a solid box are about a third.
        """
        low, high = self.box
        far = np.maximum(np.abs(low - self.model.body_ipos), np.abs(high - self.model.body_ipos)) ** 2
        far = np.where(self.shaped[:, None], far, 0.0)
        return np.asarray(far.sum(axis=1, keepdims=True) - far)

    @cached_property
    def assumed(self) -> Flags:
        """Whether the moments of each body are what the format assumes if the document gives none, (nbody,):
        in OpenRAVE those of a ball of 1 m.
        """
        mass = self.model.body_mass[:, None]
        ball = np.abs(self.model.body_inertia - 0.4 * mass).max(axis=1) <= 1e-9 * mass[:, 0]
        return np.asarray(ball & (self.format == "openrave"))

    @cached_property
    def scalar(self) -> NDArray[np.int64]:
        """The rows of joints with one coordinate."""
        return np.flatnonzero(~np.isin(self.model.jnt_type, (JointType.free, JointType.ball)))
