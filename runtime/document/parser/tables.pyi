from typing import Any

from polybody.base import Element, Format

class Table:
    """The tables of one format, ready for the parser."""

    format: Format
    direct: bool
    def __init__(self, format: Format, direct: bool = True) -> None: ...
    def parse_value(self, key: str, attribute: str, text: bytes) -> Any:
        """The value of one attribute's text as the reader parses it; None if it is invalid."""

def version_number(text: str | None) -> int: ...
def table_of(format: Format, direct: bool = True) -> Table:
    """The tables of a format in C, created on first use."""

def slot_names(cls: type) -> list[str]: ...
def has_plain_slots(row: Element) -> bool: ...
