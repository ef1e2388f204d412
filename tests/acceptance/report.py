"""A folder of files under a policy, compared with the engine of their format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polybody as pb
from polybody.diagnostics import Policy

SHARE = 0.99
"""Required fraction of accepted files among those that the engine loads."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One file: why the engine rejects it, "" if it does not; the errors under the policy."""

    file: str
    engine: str
    errors: tuple[str, ...]


def answers(
    paths: Iterable[Path],
    folder: Path,
    form: str,
    policy: Policy,
    refusal: Callable[[Path], str | None],
    **places: Any,
) -> list[Answer]:
    """The results of the engine and of the policy for each file."""
    found = []
    for path in paths:
        findings = pb.check(path, policy, format=form, **places)
        errors = tuple(str(finding) for finding in findings if finding.severity == "error")
        found.append(Answer(str(path.relative_to(folder)), refusal(path) or "", errors))
    return found


def summary(found: Iterable[Answer], form: str, policy: Policy) -> dict[str, Any]:
    """The numbers of files accepted and rejected by both, and every file about which they differ."""
    rows = list(found)
    loaded = [row for row in rows if not row.engine]
    refused = [row for row in loaded if row.errors]
    accepted = [row for row in rows if row.engine and not row.errors]
    share = 1 - len(refused) / len(loaded) if loaded else 1.0
    return {
        "format": form,
        "policy": policy,
        "files": len(rows),
        "loaded by the engine": len(loaded),
        "accepted of these": len(loaded) - len(refused),
        "share": share,
        "refused here, loaded by the engine": [asdict(row) for row in refused],
        "accepted here, refused by the engine": [asdict(row) for row in accepted],
        "ok": share >= SHARE,
    }


def text(report: Mapping[str, Any]) -> str:
    """The summary as text."""
    loaded, accepted = report["loaded by the engine"], report["accepted of these"]
    lines = [
        f"{report['format']}, {report['policy']}: {report['files']} files, of which the engine loads"
        f" {loaded}; {accepted} of these are accepted ({report['share']:.1%})"
    ]
    for kind in ("refused here, loaded by the engine", "accepted here, refused by the engine"):
        rows = report[kind]
        lines.append(f"{kind}: {len(rows)}")
        for row in rows:
            why = row["errors"][0] if row["errors"] else row["engine"].replace("\n", " ")
            lines.append(f"  {row['file']}: {why[:300]}")
    return "\n".join(lines)
