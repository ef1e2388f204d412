"""The smallest case with a given verdict: files and then ever smaller pieces are removed while the verdict
stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .cases import Case

TRIES = 400
_TAGS = re.compile(rb"<[^<>]*>|[^<>]+|[<>]")
Test = Callable[[Case], str]


def minimised(case: Case, signature: str, test: Test, tries: int = TRIES) -> Case:
    """A case minimised within a number of attempts, for which ``test`` still gives the same verdict."""
    left = [tries]

    def fails(other: Case) -> bool:
        left[0] -= 1
        return test(other) == signature

    for name in list(case.files)[1:]:
        fewer = replace(case, files={key: data for key, data in case.files.items() if key != name})
        if left[0] > 0 and fails(fewer):
            case = fewer
    for name in list(case.files):
        for split in (_lines, _tags, _bytes):
            case = _shorter(case, name, split(case.files[name]), fails, left)
    return case


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _tags(data: bytes) -> list[bytes]:
    return _TAGS.findall(data)


def _bytes(data: bytes) -> list[bytes]:
    return [data[place : place + 1] for place in range(len(data))]


def _shorter(
    case: Case, name: str, pieces: Sequence[bytes], fails: Callable[[Case], bool], left: list[int]
) -> Case:
    """Remove runs of pieces, first half of them, then shorter runs."""
    size = len(pieces) // 2
    kept = list(pieces)
    while size and left[0] > 0:
        start = 0
        while start < len(kept) and left[0] > 0:
            fewer = kept[:start] + kept[start + size :]
            other = replace(case, files={**case.files, name: b"".join(fewer)})
            if fails(other):
                kept, case = fewer, other
            else:
                start += size
        size //= 2
    return case
