from typing import Any

def begun(data: bytes) -> int:
    """How many ``<`` of a text are not followed by ``/``: every element begins with one."""

def events(data: bytes, keeps: bool = True) -> tuple[list[tuple[int, int, Any]], bool]:
    """What a scan finds in a text, as far as it goes, and whether it comes to the end.

    Each: line, column from 0, and what is there: (tag, attributes), a tag that ends, or a text as bytes.
    """
