"""Texts from files are escaped before they are printed.

Names, paths and messages may contain control characters, overrides of the text direction and line breaks,
which a terminal would interpret. Everything that is printed passes through this module.
"""

from __future__ import annotations

import json


def printable(text: str) -> str:
    """A text on one line; characters that are not printable are escaped as in JSON."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """The same for a text that may have several lines, and tabs."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
