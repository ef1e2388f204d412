"""The release as which a document of a format with releases is read.

`auto` is the first release if the document has no name, keyword or type that it lacks; otherwise the newest
release that has all of them; otherwise the first again. Values and policies make no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from polybody.base import Format, Node, Source, at_release, release_named
from polybody.base.releases import is_in, number
from polybody.diagnostics import Findings, warned
from polybody.document.access import AUTO
from polybody.document.notations import Notation
from polybody.document.parser.lacking import Lacked
from polybody.errors import NoReleaseError, OptionError

Lacks = Callable[[Format], Sequence[Lacked]]
"""Reads a document as a release, and returns what that lacks."""


def as_release(form: Format, release: str) -> Format:
    """The tables of the release that a caller names.

    Raises:
        OptionError: the format has no such release.
    """
    try:
        return at_release(form, release_named(form.name, form.releases, release))
    except ValueError as error:
        raise OptionError(f"{error}, or auto") from None


def release_of(form: Format) -> str:
    """The release that tables describe; of a format without releases its version."""
    return form.version


def require_releases(form: Format | Notation, release: str) -> None:
    """Refuse a release of a format that has none.

    Raises:
        NoReleaseError: a release is asked for, and the format has none.
    """
    if release != AUTO and not getattr(form, "releases", ()):
        raise NoReleaseError(
            f"release={release!r:.60} is for mjcf; {form.name} has no releases to choose from"
        )


class Chosen(NamedTuple):
    """The release that has all that a document has, and what the first one lacks of it; or, if no release
    has, two things that no release has together, if there are two such things.
    """

    form: Format | None
    missing: tuple[Lacked, ...] = ()
    apart: tuple[Lacked, Lacked] | None = None


def newest_that_has(form: Format, missing: Sequence[Lacked], lacks: Lacks) -> Chosen:
    """The newest release that has all that is in a document.

    Args:
        form: the tables of the release as which it was read.
        missing: what that release lacks.
        lacks: reads it as another one.
    """
    met: list[Lacked] = list(missing)
    tried = {form.version}
    while all(each.known for each in met):
        release = _newest(form.releases, met, tried)
        if release is None:
            return Chosen(None, tuple(missing), _apart(form.releases, met))
        tried.add(release)
        other = at_release(form, release)
        lacking = lacks(other)
        if not lacking:
            return Chosen(other, tuple(missing))
        met += lacking
    return Chosen(None, tuple(missing))


def _newest(releases: Sequence[str], met: Iterable[Lacked], tried: set[str]) -> str | None:
    """The newest release that may have all of these things."""
    for release in reversed(releases):
        if release not in tried and all(is_in(release, each.since, each.until) for each in met):
            return release
    return None


def _apart(releases: Sequence[str], met: Sequence[Lacked]) -> tuple[Lacked, Lacked] | None:
    """Two things of which the later began after the earlier ended."""
    late = max((each for each in met if each.since), key=lambda each: number(each.since), default=None)
    early = min((each for each in met if each.until), key=lambda each: number(each.until), default=None)
    if late is None or early is None or is_in(early.until, late.since, None):
        return None
    return early, late


def report_release(document: Node, chosen: Chosen, findings: Findings, source: Source) -> None:
    """Say as which release a document is read, which part of it asks for that, and what else it changes."""
    from polybody.document.differences import differing

    assert chosen.form is not None
    form, first = chosen.form, chosen.missing[0]
    which = f"new in {first.since}" if first.since else "not of it"
    others = len(chosen.missing) - 1
    more = f", as {'is' if others == 1 else 'are'} {others:,} more" if others else ""
    message = f"read as {form.name} {form.version}, not {form.releases[0]}: {first.what} is {which}{more}"
    changed = differing(document, form, form.releases[0], form.version)
    message += f"; thereby {', '.join(map(str, changed))}" if changed else ""
    findings.add("PB094", first.span, message, source=source)
    warned.say(findings.items[-1])


def report_apart(apart: tuple[Lacked, Lacked], form: Format, findings: Findings, source: Source) -> None:
    """Say which two parts of a document no release has together."""
    early, late = apart
    parts = f"{early.what} (until {early.until}) and {late.what} (since {late.since})"
    message = f"no release of {form.name} has both {parts}"
    findings.add("PB093", late.span, message, source=source, related=early.span)
