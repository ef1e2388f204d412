"""Forces of contacts."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.engine.data import Data
from polybody.engine.dynamics import same
from polybody.model.model import Model

Read = tuple[int, NDArray[np.float64] | None]
"""The number of contacts, and the force of one if there is such a contact."""


def contact_force(model: Model, data: Data, contact: int) -> NDArray[np.float64]:
    """The force of a contact of the last forward() or step() on its second geom; the opposite acts on the
    first.

    Args:
        model: what is simulated.
        data: the simulation.
        contact: its index in ``data.contact``.

    Returns:
        (6,): force along the normal and the two tangents, N, then torque about these, N m. The axes in the
        world are the rows of ``data.contact["frame"][contact]``, and the force acts at ``["pos"][contact]``.

    Raises:
        IndexError: there is no such contact.
        RuntimeError: another thread is using ``data``.
        ValueError: ``data`` simulates another Model.
    """
    same(model, data)
    number = index(contact)

    def read(solver: Any) -> Read:
        count = int(solver.counts[0])
        return count, solver.contact_force(number) if 0 <= number < count else None

    nothing: Read = (0, None)
    count, found = data.solved(read, nothing)
    if found is None:
        raise IndexError(f"there is no contact {number}: there are {count}")
    return found
