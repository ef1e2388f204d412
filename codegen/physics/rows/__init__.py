"""The formulas of constraint rows and of contacts: pure functions, each written once (staging/inline.py).

costs       the cost of rows, their forces, and derivatives along a line
impedance   how stiff rows are: impedances, reference accelerations, regularisation
"""

from __future__ import annotations

from . import costs, impedance

FORMULAS = (*impedance.FORMULAS, *costs.FORMULAS)
"""All formulas, in the order of their C functions."""
IN_BLOCKS = costs.IN_BLOCKS
"""Those that are also written for several rows of one state at a time."""
