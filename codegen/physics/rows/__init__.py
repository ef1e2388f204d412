"""The formulas of constraint rows and of contacts: pure functions, each written once (staging/inline.py).

impedance   how stiff rows are: impedances, reference accelerations, regularisation
"""

from __future__ import annotations

from .impedance import FORMULAS as IMPEDANCE

FORMULAS = (*IMPEDANCE,)
"""All formulas, in the order of their C functions."""
IN_BLOCKS = ()
"""Those that are also written for several rows of one state at a time."""
