"""Baselines: files that list known findings, so that only others are reported."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from polybody.diagnostics.diagnostic import Diagnostic
from polybody.diagnostics.identity import Identities, Identity

Checked = Sequence[tuple[str, Sequence[Diagnostic]]]
"""Documents with findings that their checks reported."""

VERSION = 2
"""The version of the file; another one is refused, since the identities of findings may differ."""
KEY = "polybody-baseline"
FIELDS: dict[str, type] = {
    "code": str, "path": str, "element": str, "values": list, "count": int, "document": str,
}  # fmt: skip
AGAIN = "write it anew with --write-baseline"


class Found(NamedTuple):
    """A finding, the document whose check reported it, and its identity and number."""

    finding: Diagnostic
    document: str
    identity: Identity
    number: int


@dataclass
class Baseline:
    """Known findings: how many there are of each identity, and a document whose check reports them."""

    counts: Counter[Identity] = field(default_factory=Counter)
    documents: dict[Identity, str] = field(default_factory=dict)

    @classmethod
    def of(cls, found: Iterable[Found]) -> Baseline:
        """The baseline of findings."""
        baseline = cls()
        for each in found:
            baseline.counts[each.identity] = max(baseline.counts[each.identity], each.number)
            baseline.documents.setdefault(each.identity, each.document)
        return baseline

    @classmethod
    def read(cls, data: bytes) -> Baseline:
        """The baseline that a file contains.

        Raises:
            ValueError: the content is not a baseline, or one of another version.
        """
        try:
            table: Any = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not a baseline: {error}; {AGAIN}") from None
        version = table.get(KEY) if isinstance(table, dict) else None
        if version is None:
            raise ValueError(f"not a baseline: it has no key {KEY!r}; {AGAIN}")
        if version != VERSION or isinstance(version, bool):
            raise ValueError(
                f"a baseline of version {version!r:.40}; this program reads version {VERSION}; {AGAIN}"
            )
        rows = table.get("findings")
        if not isinstance(rows, list):
            raise ValueError(f"not a baseline: 'findings' must be a list; {AGAIN}")
        baseline = cls()
        for number, row in enumerate(rows, 1):
            baseline._add(number, row)
        return baseline

    def _add(self, number: int, row: Any) -> None:
        """Add a finding as the file lists it."""
        where = f"finding {number}"
        if not isinstance(row, dict) or not {"code", "path", "element"} <= row.keys() <= FIELDS.keys():
            raise ValueError(f"{where}: expected an object with the keys {', '.join(FIELDS)}; {AGAIN}")
        row = {"values": [], "count": 1, "document": row["path"], **row}
        odd = next((key for key, kind in FIELDS.items() if type(row[key]) is not kind), None)
        if odd is None and not all(isinstance(value, str) for value in row["values"]):
            odd = "values"
        if odd is None and row["count"] < 1:
            odd = "count"
        if odd is not None:
            raise ValueError(f"{where}: {odd!r} is invalid: {row[odd]!r:.40}; {AGAIN}")
        identity = Identity(row["code"], row["path"], row["element"], tuple(row["values"]))
        self.counts[identity] += row["count"]
        self.documents[identity] = row["document"]

    def text(self) -> str:
        """The content of the file, with one finding per line, sorted."""
        rows = []
        for identity in sorted(self.counts, key=lambda each: (each.path, each)):
            row: dict[str, Any] = {**identity._asdict(), "values": list(identity.values)}
            count, document = self.counts[identity], self.documents[identity]
            row |= {"count": count} if count > 1 else {}
            row |= {"document": document} if document != identity.path else {}
            rows.append("  " + json.dumps(row, ensure_ascii=False))
        listed = ",\n".join(rows)
        return f'{{\n "{KEY}": {VERSION},\n "findings": [\n{listed}\n ]\n}}\n'

    def new(self, found: Iterable[Found]) -> list[Found]:
        """The findings that are not known. If there are more of an identity than are known, those with the
        highest numbers are new.
        """
        return [each for each in found if each.number > self.counts[each.identity]]

    def absent(self, found: Iterable[Found], documents: Collection[str]) -> Counter[Identity]:
        """Known findings of documents that were checked which did not occur."""
        there = Baseline.of(found).counts
        absent = Counter({key: count - there[key] for key, count in self.counts.items()})
        return Counter({key: n for key, n in absent.items() if n > 0 and self.documents[key] in documents})


def identified(identities: Identities, reported: Sequence[tuple[str, Diagnostic]]) -> list[Found]:
    """Findings with their identities; each comes with the document whose check reported it."""
    numbered = identities.numbered(finding for _, finding in reported)
    return [
        Found(finding, document, identity, number)
        for (document, finding), (identity, number) in zip(reported, numbered, strict=True)
    ]
