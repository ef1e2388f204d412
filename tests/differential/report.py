"""What a comparison found, per quantity: files compared, worst error, what failed, what was not compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

FLOOR = 1e-6
"""Errors are relative to the largest number of an array; arrays smaller than this count as this large."""


def relative_error(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Largest difference over the largest of `theirs`; infinite if shapes differ or ours is not finite."""
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    if ours.shape != theirs.shape or not np.isfinite(ours).all():
        return math.inf
    if not theirs.size:
        return 0.0
    return float(np.abs(ours - theirs).max() / max(np.abs(theirs).max(), FLOOR))


@dataclasses.dataclass
class Comparison:
    """One file: worst relative error per quantity, why a quantity was not compared, and what broke."""

    file: str
    errors: dict[str, float] = dataclasses.field(default_factory=dict)
    withheld: dict[str, str] = dataclasses.field(default_factory=dict)
    failure: str = ""  # ours failed on a file that the engine takes
    skipped: str = ""  # the engine does not take the file

    def add(self, quantity: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        error = relative_error(ours, theirs)
        self.errors[quantity] = max(error, self.errors.get(quantity, 0.0))


def summary(
    comparisons: Sequence[Comparison], tolerances: Mapping[str, float], **facts: Any
) -> dict[str, Any]:
    """The report as plain data; `ok` says whether every error is within its quantity's tolerance."""
    quantities = []
    for name, tolerance in tolerances.items():
        errors = {c.file: c.errors[name] for c in comparisons if name in c.errors}
        worst = max(errors, key=errors.__getitem__, default=None)
        failures = [
            {"file": f, "reason": f"relative error {e:.3g}"} for f, e in errors.items() if not e <= tolerance
        ]
        failures += [{"file": c.file, "reason": c.failure} for c in comparisons if c.failure]
        missing = [{"file": c.file, "reason": c.skipped} for c in comparisons if c.skipped]
        missing += [{"file": c.file, "reason": c.withheld[name]} for c in comparisons if name in c.withheld]
        quantities.append(
            {
                "quantity": name,
                "tolerance": tolerance,
                "files": len(errors),
                "worst": None if worst is None else errors[worst],
                "worst_file": worst,
                "failures": failures,
                "not_compared": missing,
            }
        )
    ok = not any(row["failures"] for row in quantities)
    return {**facts, "files": len(comparisons), "ok": ok, "quantities": quantities}


def text(report: Mapping[str, Any]) -> str:
    """The report for people."""
    lines = [f"{report['files']} files against {report['engine']}, seed {report['seed']}"]
    lines.append(f"{'quantity':<20} {'compared':>8} {'worst':>9} {'allowed':>8} {'failed':>6}  worst file")
    for row in report["quantities"]:
        worst = "-" if row["worst"] is None else f"{row['worst']:.2e}"
        lines.append(
            f"{row['quantity']:<20} {row['files']:>8} {worst:>9} {row['tolerance']:>8.0e} "
            f"{len(row['failures']):>6}  {row['worst_file'] or ''}"
        )
    for heading, key in (("FAILED", "failures"), ("not compared", "not_compared")):
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in report["quantities"]:
            for entry in row[key]:
                reasons.setdefault((entry["file"], entry["reason"]), []).append(row["quantity"])
        if reasons:
            lines.append(f"{heading}:")
        every = len(report["quantities"])
        for (file, reason), names in reasons.items():
            lines.append(f"  {file}: {'all' if len(names) == every else ', '.join(names)}: {reason}")
    return "\n".join(lines)
