"""What a document has and a release lacks, and which releases have it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from polybody.base import Attribute, Element, Span
from polybody.document.parser.value_faults import examine


class Lacked(NamedTuple):
    """A name, keyword or type that a release lacks; ``since`` and ``until`` are the first and the last
    release that have it, "" if there is no such limit. ``known`` is false if no release has it.
    """

    what: str
    since: str
    until: str
    span: Span | None
    known: bool = True


def named(row: Element, name: str, what: str, span: Span | None) -> Lacked:
    """An attribute or child that an element does not have."""
    for absent in row.absent:
        if name == getattr(absent, "tag", None) or name == getattr(absent, "name", None):
            return Lacked(what, absent.since or "", absent.until or "", span)
    return Lacked(what, "", "", span, known=False)


def valued(attribute: Attribute, text: str, what: str, span: Span | None) -> Lacked | None:
    """A value that is invalid; None if its type is the same in all releases.

    A keyword that no release has counts as a name that none has.
    """
    for form in attribute.forms:
        if form.others and examine((replace(form, others={}),), text) is None:
            words = {str(member.value): dates for member, dates in form.others.items()}
            found = [dates for word in text.split() if (dates := words.get(word)) is not None]
            return Lacked(what, *_shared(found), span)
    for since, until, forms in attribute.elsewhere:
        whole = tuple(replace(form, others={}) for form in forms)
        if examine(whole, text) is None:
            words = {str(m.value): d for form in forms for m, d in form.others.items()}
            found = [(since, until), *(words[word] for word in text.split() if word in words)]
            return Lacked(what, *_shared(found), span)
    if any(form.enum is not None for form in attribute.forms):
        return Lacked(what, "", "", span, known=False)
    return None


def _shared(dates: list[tuple[str, str]]) -> tuple[str, str]:
    """The releases in which all of these are."""
    from polybody.base.releases import number

    since = max((each for each, _ in dates if each), key=number, default="")
    until = min((each for _, each in dates if each), key=number, default="")
    return since, until
