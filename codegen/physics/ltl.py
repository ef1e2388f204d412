"""M = L^T D L without fill-in: row i has entries only for the degrees of freedom between i and the root. For
asymmetric matrices, A = U D L, the same holds for columns.

(Featherstone, Rigid Body Dynamics Algorithms, ch. 6.5.) Rows are stored from the root to the diagonal, so
that two rows share their first columns and the inner loop accesses consecutive memory.
"""

from __future__ import annotations

from typing import Any

from ..staging.machines import Machine
from .aba import resist
from .crba import mass_matrix
from .loads import load
from .rnea import bias


def factor(m: Machine, t: Any) -> None:
    """qLD, qLDiagInv from qM and the regularisation."""
    m.call(resist, 0.0)
    m.call(decompose)


def decompose(m: Machine, t: Any) -> None:
    """qLD, qLDiagInv from qM, with dof_resist on the diagonal instead of the armature."""
    for i in m.dofs():
        for j in m.ancestors(i, itself=True):
            t.qLD[i, j] = t.qM[i, j]
        t.qLD[i, i] += t.dof_resist[i] - t.dof_armature[i]
    for _ in m.when(t.opt_reflects[0] == 1):  # both contain it
        for i in m.dofs():
            t.qLD[i, i] -= t.dof_reflected[i]
    m.call(eliminate)


def eliminate(m: Machine, t: Any) -> None:
    """qLD, qLDiagInv: factors of a symmetric matrix in qLD."""
    for k in m.dofs(backward=True):
        inverse = 1.0 / t.qLD[k, k]
        t.qLDiagInv[k] = inverse
        for i in m.ancestors(k, nearest_first=True):
            factor = t.qLD[k, i] * inverse
            for j in m.ancestors(i, itself=True):
                t.qLD[i, j] -= factor * t.qLD[k, j]
            t.qLD[k, i] = factor


def solve(m: Machine, t: Any) -> None:
    """qacc from the joint forces."""
    m.call(load)
    m.call(substitute)


def substitute(m: Machine, t: Any) -> None:
    """qacc from dof_load, by the factors of decompose()."""
    for i in m.dofs():
        t.qacc[i] = t.dof_load[i] - t.qfrc_bias[i]
    for i in m.dofs(backward=True):
        x = t.qacc[i]
        for j in m.ancestors(i, nearest_first=True):
            t.qacc[j] -= t.qLD[i, j] * x
    for i in m.dofs():
        x = m.locals(sum=t.qacc[i] * t.qLDiagInv[i])
        for j in m.ancestors(i, nearest_first=True):
            x.sum = x.sum - t.qLD[i, j] * t.qacc[j]
        t.qacc[i] = x.sum


def composite(m: Machine, t: Any) -> None:
    """The result of released(), using the mass matrix: fewer operations for few degrees of freedom."""
    m.call(bias)
    m.call(mass_matrix)
    m.call(decompose)
    m.call(substitute)


def eliminate_both(m: Machine, t: Any) -> None:
    """qLD, qLDiagInv, qLD_above: factors of a matrix with its rows in qLD and its columns in qLD_above."""
    for k in m.dofs(backward=True):
        inverse = 1.0 / t.qLD[k, k]
        t.qLDiagInv[k] = inverse
        for i in m.ancestors(k, nearest_first=True):
            row, column = t.qLD[k, i] * inverse, t.qLD_above[k, i] * inverse
            for j in m.ancestors(i, itself=True):
                t.qLD[i, j] -= column * t.qLD[k, j]
                t.qLD_above[i, j] -= row * t.qLD_above[k, j]
            t.qLD[k, i], t.qLD_above[k, i] = row, column


def substitute_both(m: Machine, t: Any) -> None:
    """qacc from dof_load, by the factors of eliminate_both()."""
    for i in m.dofs():
        t.qacc[i] = t.dof_load[i] - t.qfrc_bias[i]
    for i in m.dofs(backward=True):
        x = t.qacc[i]
        for j in m.ancestors(i, nearest_first=True):
            t.qacc[j] -= t.qLD_above[i, j] * x
    for i in m.dofs():
        own = m.locals(sum=t.qacc[i] * t.qLDiagInv[i])
        for j in m.ancestors(i, nearest_first=True):
            own.sum = own.sum - t.qLD[i, j] * t.qacc[j]
        t.qacc[i] = own.sum
