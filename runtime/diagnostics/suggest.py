"""What a misspelt word may have meant, among the words that are legal there."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, limit: int) -> int:
    """How many insertions, deletions, replacements and swaps of neighbours make one word of the other.

    More than ``limit`` is answered as ``limit + 1``.
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
    """The legal word nearest to a misspelt one, or None where none is near enough to be meant."""
    if len(word) > 80:
        return None
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


def did_you_mean(word: str, legal: Iterable[str]) -> str | None:
    """A question that proposes the nearest legal word, or None."""
    found = closest(word, legal)
    return None if found is None else f"did you mean `{found}`?"
