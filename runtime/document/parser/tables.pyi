from typing import Any

from polybody.base import Element, Format

class Table:
    """The tables of one format, ready for the parse."""

    format: Format
    direct: bool
    def __init__(self, format: Format, direct: bool = True) -> None: ...
    def parse_value(self, key: str, attribute: str, text: bytes) -> Any:
        """What the reader makes of one attribute's text; None where it refuses it."""

def version_number(text: str | None) -> int: ...
def table_of(format: Format, direct: bool = True) -> Table:
    """The laid-out tables of a format, made when first asked for."""

def slot_names(cls: type) -> list[str]: ...
def has_plain_slots(row: Element) -> bool: ...
