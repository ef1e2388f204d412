"""What `polybody info` says about the releases of a document's format."""

from __future__ import annotations

from typing import Any

from polybody.base import Node, Released
from polybody.cli.streams import console
from rich.text import Text


def facts(document: Node | None) -> dict[str, Any]:
    """What `info --json` prints: the release as which a document is read, the oldest that can read it, and
    what in it means something else in another release. Nothing for formats without releases.
    """
    if not isinstance(document, Released):
        return {}
    from polybody.document.differences import differing, oldest
    from polybody.document.registry import format_of

    form = format_of(document)
    release, lacked = oldest(document, form)
    return {
        "release": document.release,
        "oldest_release": release,
        "needs": None if lacked is None else _at(lacked.what, lacked.span),
        "differs": [
            {
                "since": each.since,
                "what": each.what,
                "file": each.file or None,
                "line": each.span and each.span.line,
                "text": each.text,
            }
            for each in differing(document, form)
        ],
    }


def _at(what: str, span: Any) -> str:
    return what if span is None else f"{what} (line {span.line})"


def show(said: dict[str, Any]) -> None:
    """The same for people."""
    if not said:
        return
    out = console(highlight=False, soft_wrap=True)
    oldest = said["oldest_release"]
    needs = f", because of {said['needs']}" if said["needs"] else ""
    reads = "no release has all of it" if oldest is None else f"the oldest that reads it is {oldest}{needs}"
    out.print(Text("\nreleases of MJCF", style="bold"))
    out.print(Text(f"    read as {said['release']}; {reads}"))
    for each in said["differs"]:
        out.print(Text(f"    since {each['since']}: {_at(each['what'], None)}{_line(each)}: {each['text']}"))


def _line(each: dict[str, Any]) -> str:
    if not each["line"]:
        return ""
    return f" ({each['file']}:{each['line']})" if each["file"] else f" (line {each['line']})"
