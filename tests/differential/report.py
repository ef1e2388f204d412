"""Result of a comparison, per quantity: files compared, worst error, failures, and what was not compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

FLOOR = 1e-6
"""Errors are relative to the largest number of an array, but at least to this."""

ROUNDING = float(np.finfo(float).eps)
UNDECIDED = 1e-3
"""If rounding changes a solution by more than this relative amount, two engines cannot be compared."""


def relative_error(ours: np.ndarray, theirs: np.ndarray, scale: float = FLOOR) -> float:
    """Largest difference over the largest of `theirs`; infinite if the shapes differ or ours has NaN or
    infinities.

    scale: the magnitude of the terms that the numbers are sums of, if these may cancel.
    """
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape or not np.isfinite(ours).all():
        return math.inf
    if not theirs.size:
        return 0.0
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), scale, FLOOR))


def condition(matrix: np.ndarray) -> float:
    """The condition number of a matrix (n, n): largest over smallest singular value; 1 for a matrix without
    rows.
    """
    return float(np.linalg.cond(matrix)) if len(matrix) else 1.0


def allowed(tolerance: float, condition: float) -> float:
    """The error allowed in a solution of linear equations: the rounding error grows with the condition
    number.

    To first order, rounding each entry of A and b changes the solution of A x = b by at most about
    eps cond(A) of its size (Golub and Van Loan, Matrix Computations, 2.6). A result that needs no solution of
    equations has condition number 1.
    """
    return max(tolerance, ROUNDING * condition)


@dataclasses.dataclass(frozen=True)
class Measured:
    """A relative error, and the condition number of the matrix that was solved for the quantity."""

    error: float
    condition: float = 1.0


@dataclasses.dataclass
class Comparison:
    """One file: relative errors per quantity, why a quantity was not compared, and failures."""

    file: str
    measured: dict[str, list[Measured]] = dataclasses.field(default_factory=dict)
    withheld: dict[str, str] = dataclasses.field(default_factory=dict)
    failure: str = ""  # ours failed on a file that the engine accepts
    skipped: str = ""  # the engine rejects the file
    refused: str = ""  # ours rejects it, for this reason
    notes: list[str] = dataclasses.field(default_factory=list)
    """Categories in which the file is counted separately."""

    def add(
        self,
        quantity: str,
        ours: np.ndarray,
        theirs: np.ndarray,
        condition: float = 1.0,
        scale: float = FLOOR,
    ) -> None:
        """Compare a quantity once more; for one that was solved for, with the matrix's condition number."""
        self.add_solved(quantity, relative_error(ours, theirs, scale), condition)

    def add_solved(self, quantity: str, error: float, condition: float) -> None:
        """The same with an error that is already known."""
        if ROUNDING * condition > UNDECIDED:
            self.withheld[quantity] = f"the matrix that is solved has condition number {condition:.1e}"
        else:
            self.add_error(quantity, error, condition)

    def add_error(self, quantity: str, error: float, condition: float = 1.0) -> None:
        """The same regardless of the condition number."""
        self.measured.setdefault(quantity, []).append(Measured(error, condition))

    @property
    def errors(self) -> dict[str, float]:
        """The worst error of each quantity."""
        return {name: max(each.error for each in found) for name, found in self.measured.items()}


def summary(
    comparisons: Sequence[Comparison], tolerances: Mapping[str, float], **facts: Any
) -> dict[str, Any]:
    """The report as plain data; `ok` tells whether every error is within the tolerance of its quantity."""
    quantities = []
    for name, tolerance in tolerances.items():
        found = {c.file: c.measured[name] for c in comparisons if name in c.measured}
        errors = {file: max(each.error for each in several) for file, several in found.items()}
        worst = max(errors, key=errors.__getitem__, default=None)
        conditions = [each.condition for several in found.values() for each in several]
        failures = [
            {"file": file, "reason": _excess(each, tolerance)}
            for file, several in found.items()
            for each in several
            if not each.error <= allowed(tolerance, each.condition)
        ]
        failures += [{"file": c.file, "reason": c.failure} for c in comparisons if c.failure]
        missing = [{"file": c.file, "reason": c.skipped} for c in comparisons if c.skipped]
        missing += [{"file": c.file, "reason": c.withheld[name]} for c in comparisons if name in c.withheld]
        quantities.append(
            {
                "quantity": name,
                "tolerance": tolerance,
                "condition": max(conditions, default=1.0),
                "files": len(errors),
                "worst": None if worst is None else errors[worst],
                "worst_file": worst,
                "failures": failures,
                "not_compared": missing,
            }
        )
    ok = not any(row["failures"] for row in quantities)
    failed = {entry["file"] for row in quantities for entry in row["failures"]}
    compared = {c.file for c in comparisons if c.measured or c.failure}
    facts = {**facts, "compared": len(compared), "agree": len(compared - failed)}
    facts["refused"] = [{"file": c.file, "reason": c.refused} for c in comparisons if c.refused]
    return {**facts, "files": len(comparisons), "ok": ok, "quantities": quantities}


def _excess(measured: Measured, tolerance: float) -> str:
    """Why an error is a failure."""
    limit = allowed(tolerance, measured.condition)
    solved = f" at condition number {measured.condition:.1e}" if measured.condition > 1 else ""
    return f"relative error {measured.error:.3g}, {limit:.1e} is allowed{solved}"


def text(report: Mapping[str, Any]) -> str:
    """The report as text."""
    lines = [f"{report['files']} files against {report['engine']}, seed {report['seed']}"]
    lines.append(
        f"{'quantity':<20} {'compared':>8} {'worst':>9} {'allowed':>8} {'condition':>9} {'failed':>6}"
        "  worst file"
    )
    for row in report["quantities"]:
        worst = "-" if row["worst"] is None else f"{row['worst']:.2e}"
        solved = f"{row['condition']:.0e}" if row["condition"] > 1 else "-"
        lines.append(
            f"{row['quantity']:<20} {row['files']:>8} {worst:>9} {row['tolerance']:>8.0e} {solved:>9} "
            f"{len(row['failures']):>6}  {row['worst_file'] or ''}"
        )
    if any(row["condition"] > 1 for row in report["quantities"]):
        lines.append(
            "condition: the largest condition number of the matrices that are solved, regularisation "
            f"included; {ROUNDING:.1e} times its own is allowed of a solution, where that is more"
        )
    share = 100 * report["agree"] / max(report["compared"], 1)
    of = f"{report['agree']} of {report['compared']} files"
    lines.append(f"{of} agree in everything that was compared: {share:.1f} %")
    if report["refused"]:
        lines.append("refused:")
        lines += [f"  {entry['file']}: {entry['reason']}" for entry in report["refused"]]
    for heading, key in (("FAILED", "failures"), ("not compared", "not_compared")):
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in report["quantities"]:
            for entry in row[key]:
                reasons.setdefault((entry["file"], entry["reason"]), []).append(row["quantity"])
        if reasons:
            lines.append(f"{heading}:")
        every = len(report["quantities"])
        for (file, reason), names in reasons.items():
            lines.append(f"  {file}: {'all' if len(names) == every else _listed(names)}: {reason}")
    return "\n".join(lines)


def _listed(names: Sequence[str], most: int = 12) -> str:
    """Names of quantities without duplicates; of a long list only the first and the last."""
    once = list(dict.fromkeys(names))
    return ", ".join(once) if len(once) <= most else f"{once[0]} ... {once[-1]} ({len(once)} quantities)"
