"""Edits that would leave a document with new errors: they are tried on a copy, before anything is changed."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any, TypeVar

from polybody.base import Node
from polybody.diagnostics import Diagnostic
from polybody.validation.validate import validate

D = TypeVar("D", bound=Node)
OF_FILES = ("PB001", "PB010", "PB036", "PB037")
"""Codes of findings about files that cannot be had, which depends on where the document is going to be."""

OF_PARTS = ("PB028",)
"""Codes of findings about absent parts that some readers require, which count as errors here."""


def twin_of(document: D, *nodes: Node) -> tuple[D, list[Any]]:
    """A copy of a document, and the elements of the copy that correspond to some of its elements."""
    copied = copy.deepcopy(document)
    twins = {id(old): new for old, new in zip(document.walk(), copied.walk(), strict=True)}
    return copied, [twins[id(node)] for node in nodes]


def errors_of(document: Node) -> list[Diagnostic]:
    """The errors in a document under the policy ``strict``; none if it cannot be written."""
    try:
        found = validate(document)
    except (TypeError, ValueError):
        return []
    severe = [each for each in found if each.severity == "error" or each.code in OF_PARTS]
    return [each for each in severe if each.code not in OF_FILES]


def require_no_new_errors(before: list[Diagnostic], after: Node, what: str) -> None:
    """Raise a ValueError if an edit made errors.

    Args:
        before: the errors before the edit.
        after: the document after it.
        what: with what there would be an error, for the message.
    """
    known = Counter(each.code for each in before)
    found = errors_of(after)
    for code, count in Counter(each.code for each in found).items():
        if count <= known[code]:
            continue
        messages = {each.message for each in before}
        same = [each for each in found if each.code == code]
        new = next((each for each in same if each.message not in messages), same[-1])
        at = "" if new.path.startswith("<") else f" at {new.place}"
        raise ValueError(f"{what}, the document would have an error: {new.message} ({new.code}{at})")
