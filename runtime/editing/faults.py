"""Edits that would leave a document with new errors: they are tried on a copy, before anything is changed."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

from polybody.base import Node
from polybody.checking import validate
from polybody.diagnostics import Diagnostic, ValidationError
from polybody.diagnostics.warned import RemarksUnread
from polybody.document.registry import format_of, is_built_in
from polybody.geometry.meshes import MeshesUnread
from polybody.lowering import copies, has_models, lowered_as_read
from polybody.lowering.copies import CopiesBounded, TooManyCopies
from polybody.lowering.images import ImagesUnneeded

D = TypeVar("D", bound=Node)
OF_FILES = ("PB001", "PB010", "PB036", "PB037")
"""Codes of findings about files that cannot be had, which depends on where the document is going to be."""

OF_PARTS = ("PB028",)
"""Codes of findings about absent parts that some readers require, which count as errors here."""

MAX_COPIES = 5000
"""Number of elements, copies included, up to which errors of an edited document's Model are looked for."""


def twin_of(document: D, *nodes: Node) -> tuple[D, list[Any]]:
    """A copy of a document, and the elements of the copy that correspond to some of its elements."""
    copied = copy.deepcopy(document)
    twins = {id(old): new for old, new in zip(document.walk(), copied.walk(), strict=True)}
    return copied, [twins[id(node)] for node in nodes]


def _errors(document: Node, most: int) -> list[Diagnostic]:
    """The errors in a document under the policy ``strict``; none if it cannot be written.

    Also those of its Model if ``most``, the number of copies to look at, is not 0. Reading images and meshes
    would take long; what is in them makes no difference to an edit.

    Raises:
        TooManyCopies: its Model has more.
    """
    try:
        found = validate(document)
    except (TypeError, ValueError):
        return []
    severe = [each for each in found if each.severity == "error" or each.code in OF_PARTS]
    if not severe and most:
        severe = _of_model(document, most)
    return [each for each in severe if each.code not in OF_FILES]


def _of_model(document: Node, most: int) -> list[Diagnostic]:
    if not (is_built_in(format_of(document)) and has_models(format_of(document))):
        return []
    try:
        with RemarksUnread(), ImagesUnneeded(), MeshesUnread(), CopiesBounded(most):
            lowered_as_read(document, policy="warn")
    except ValidationError as error:
        return [each for each in error.diagnostics if each.severity == "error"]
    return []


def require_no_new_errors(before: Sequence[Node], after: Node, what: str) -> None:
    """Raise a ValueError if an edit made errors.

    Args:
        before: the documents before the edit.
        after: the document after it.
        what: with what there would be an error, for the message.
    """
    most = copies.MAX_COPIES  # an edit may make many of the few that there were
    try:
        old = [each for document in before for each in _errors(document, MAX_COPIES)]
    except TooManyCopies:
        most = 0
        old = [each for document in before for each in _errors(document, most)]
    known = Counter(each.code for each in old)
    found = _errors(after, most)
    for code, count in Counter(each.code for each in found).items():
        if count <= known[code]:
            continue
        messages = {each.message for each in old}
        same = [each for each in found if each.code == code]
        new = next((each for each in same if each.message not in messages), same[-1])
        at = "" if new.path.startswith("<") else f" at {new.place}"
        raise ValueError(f"{what}, the document would have an error: {new.message} ({new.code}{at})")
