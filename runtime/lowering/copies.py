"""How many copies of elements macros may make: of each document, and fewer where a Model is made only to
judge it.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar, Token

MAX_COPIES = 250_000
"""Maximum total number of elements that the macros of a document may make."""
_bound: ContextVar[int] = ContextVar("polybody_most_copies", default=MAX_COPIES)


class TooManyCopies(Exception):
    """Macros make more copies than the context permits."""


class CopiesBounded(AbstractContextManager[None]):
    """Within this context, macros that make more copies raise TooManyCopies."""

    _token: Token[int]

    def __init__(self, most: int) -> None:
        self._most = most

    def __enter__(self) -> None:
        self._token = _bound.set(self._most)

    def __exit__(self, *exception: object) -> None:
        _bound.reset(self._token)


def check_copies(count: int) -> None:
    """Raise TooManyCopies if the context permits fewer copies than these."""
    if count > _bound.get():
        raise TooManyCopies
