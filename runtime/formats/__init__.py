"""The formats there are, told apart by content, and reading, checking and writing them."""

from polybody.formats.reading import check, read, validate
from polybody.formats.registry import BUILT_IN, detect, format_named, format_of, names

__all__ = ["BUILT_IN", "check", "detect", "format_named", "format_of", "names", "read", "validate"]
