"""The error for invalid files or numbers of a shape."""

from __future__ import annotations


class GeometryError(ValueError):
    """A file, or data, from which no shape can be made.

    The message is a predicate ("has 3 vertices; a mesh needs 4"), to which the caller adds the file or
    element as subject. ``hint`` is advice, or None. ``offset`` is the byte of the file and ``line`` its line
    (from 1) with the error, None if unknown.
    """

    def __init__(
        self, message: str, hint: str | None = None, *, offset: int | None = None, line: int | None = None
    ) -> None:
        super().__init__(message)
        self.message, self.hint, self.offset, self.line = message, hint, offset, line

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.message, self.hint, self.offset, self.line)


def _again(message: str, hint: str | None, offset: int | None, line: int | None) -> GeometryError:
    return GeometryError(message, hint, offset=offset, line=line)
