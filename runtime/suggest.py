"""Suggestions for misspelt words, among the words that are valid in their place."""

from __future__ import annotations

import string
from collections.abc import Collection, Iterable, Iterator, Mapping, Set

MANY = 300
"""If there are more valid words than this, only those at distance 1 are found. This bounds the work."""
LISTED, LONGEST = 12, 80
"""Maximum number of valid words that a hint lists, and of characters of each."""
LETTERS = string.ascii_letters + string.digits + "_-.:/"


def distance(a: str, b: str, limit: int) -> int:
    """The number of insertions, deletions, replacements and transpositions of neighbours between two words.

    If it exceeds ``limit``, the result is ``limit + 1``.
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before, last = last, row
    return min(last[-1], limit + 1)


def closest(word: str, legal: Iterable[str]) -> str | None:
    """The valid word nearest to a misspelt one; None if no word is near enough."""
    if len(word) > 80:
        return None
    if isinstance(legal, Collection) and len(legal) > MANY:
        names = legal if isinstance(legal, Set | Mapping) else frozenset(legal)
        return next((near for near in _neighbours(word) if near in names), None)
    best: tuple[int, str] | None = None
    for candidate in legal:
        if candidate.lower() == word.lower():
            return candidate
        limit = max(1, min(len(word), len(candidate)) // 3)
        found = distance(word.lower(), candidate.lower(), limit)
        if found <= limit and (best is None or found < best[0]):
            best = (found, candidate)
    if best is not None:
        return best[1]
    begun = [
        c for c in legal if len(word) >= 3 and (c.startswith(word) or (word.startswith(c) and len(c) >= 3))
    ]
    return begun[0] if len(begun) == 1 else None


def _neighbours(word: str) -> Iterator[str]:
    """The word in other letter cases, and the words at distance 1."""
    yield from (word.lower(), word.upper(), word.title())
    cuts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    yield from (a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1)
    yield from (a + b[1:] for a, b in cuts if b)
    yield from (a + letter + b[1:] for a, b in cuts if b for letter in LETTERS)
    yield from (a + letter + b for a, b in cuts for letter in LETTERS)


def did_you_mean(word: str, legal: Iterable[str]) -> str | None:
    """A question that proposes the nearest valid word; None if there is none."""
    found = closest(word, legal)
    return None if found is None else f"did you mean `{found}`?"


def nearest_or_all(word: str, legal: Iterable[str]) -> str | None:
    """The question of `did_you_mean`; if no word is near, a list of the valid words, alphabetically. None if
    there are none.
    """
    known = sorted({each for each in legal if each})
    near = did_you_mean(word, known)
    if near is not None or not known:
        return near
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    return f"valid here: {', '.join(f'`{each[:LONGEST]}`' for each in known[:LISTED])}{more}"


def no_attribute(owner: object, name: str) -> str:
    """The message about a public attribute that an object lacks, with the nearest one that it has."""
    text = f"{type(owner).__name__!r} object has no attribute {name!r}"
    if name.startswith("_"):
        return text
    close = did_you_mean(name, [known for known in dir(type(owner)) if not known.startswith("_")])
    return text if close is None else f"{text}; {close}"
