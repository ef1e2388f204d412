"""Converts regular expressions of XSD to those of Python."""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from elementpath.regex import RegexError, translate_pattern

MAX_POSITIONS = 10_000
"""Maximum size of a pattern with its repetitions expanded; a repeated single character counts once."""
_BLANKS, _CLASSES = re.compile(r"\\[sS]"), re.compile(r"\\[dDwWbB]")


class PatternError(Exception):
    """A pattern that is invalid or too long to be matched."""


def python_pattern(pattern: str) -> str:
    """An XSD regular expression, which matches whole texts, as one of Python.

    Raises:
        PatternError: it is invalid, or larger than a reader can match.
    """
    try:
        translated = translate_pattern(pattern, back_references=False, lazy_quantifiers=False, anchors=False)
        body = translated.removeprefix("^(?:").removesuffix(r")$(?!\n\Z)")
        # XSD's \s is XML's four white-space characters, which are the only ASCII white space that XML allows.
        made = f"(?a:{body})" if _BLANKS.search(body) and not _CLASSES.search(body) else body
        tree = parser.parse(made)
        re.compile(made)
        alone = len(tree) == 1 and tree[0][0] is op.MAX_REPEAT and _positions(tree[0][1][2]) == 1
        positions = 1 if alone else _positions(tree)
    except RecursionError:
        raise PatternError("is nested too deeply") from None
    except (RegexError, re.error, ValueError, OverflowError) as error:
        raise PatternError(f"is none that can be read: {error}") from None
    if positions > MAX_POSITIONS:
        raise PatternError(f"has more than {MAX_POSITIONS:,} parts with each repetition written out")
    return made


def _positions(tree: Any) -> int:
    """Number of character sets of a pattern with its repetitions expanded."""
    total = 0
    for kind, value in tree:
        if kind is op.SUBPATTERN:
            total += _positions(value[3])
        elif kind is op.BRANCH:
            total += sum(map(_positions, value[1]))
        elif kind is op.MAX_REPEAT:
            low, high, body = value
            total += _positions(body) * max(1, low if high is op.MAXREPEAT else high)
        else:
            total += 1
    return total
