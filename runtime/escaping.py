"""Texts from files in what people and programs are shown: what a terminal would obey is shown by its code.

Control characters, overrides of the direction of text, line breaks: names, paths and messages may have any of
them. Everything that is printed goes through here.
"""

from __future__ import annotations

import json


def printable(text: str) -> str:
    """A text on one line in which every character is shown; others are escaped as in JSON."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """The same of a text that may have several lines, and tabs."""
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
