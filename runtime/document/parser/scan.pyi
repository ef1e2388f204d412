from typing import Any

def begun(data: bytes) -> int:
    """Number of ``<`` in a text that are not followed by ``/``, an upper bound for the number of elements."""

def prolog_end(data: bytes, most: int) -> int:
    """The offset after white space, comments and processing instructions: that of a document type or the
    root. The search ends after ``most`` bytes.
    """

def tags_in(data: bytes, begin: int, end: int) -> dict[str, int]:
    """Numbers of occurrences of the tags, and of other words after ``<``, in a part of a text."""

def events(data: bytes, keeps: bool = True) -> tuple[list[tuple[int, int, Any]], bool]:
    """The events of a scan of a text, and whether it reaches the end.

    An event has a line, a column from 0, and (tag, attributes), the tag of an end tag, or a text as bytes.
    """
