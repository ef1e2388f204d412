"""The formulas of constraint rows and of contacts: pure functions, each written once (staging/inline.py).

costs       the cost of rows, their forces, and derivatives along a line
equalities  equalities of lengths, of points, and of frames
impedance   how stiff rows are: impedances, reference accelerations, regularisation
limits      limits of lengths and of ball joints, and rates that dry friction and servo motors resist
round       contacts of planes, spheres and capsules
"""

from __future__ import annotations

from . import costs, equalities, impedance, limits, round

FORMULAS = (*impedance.FORMULAS, *costs.FORMULAS, *limits.FORMULAS, *equalities.FORMULAS, *round.FORMULAS)
"""All formulas, in the order of their C functions."""
IN_BLOCKS = costs.IN_BLOCKS
"""Those that are also written for several rows of one state at a time."""
