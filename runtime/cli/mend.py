"""``polybody fmt`` and ``polybody fix``: rewrite files in canonical layout, and correct misspelt words."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Literal, NamedTuple

import click
from polybody.cli import options
from polybody.cli.models import known_release, project_settings, released
from polybody.cli.streams import STANDARD_INPUT, content, say, tell
from polybody.cli.targets import targets

if TYPE_CHECKING:
    from polybody.base import Source
    from polybody.diagnostics import Diagnostic
    from polybody.document.layout import Layout
    from polybody.document.sources import SourceError

    Change = Callable[[str, Source], bytes]
    Mode = Literal["write", "check", "diff"]

SAFE = ("PB011", "PB012", "PB018")
"""Misspelt elements, attributes and keywords: the schema lists all valid words."""
MALFORMED = ("PB002", "PB005", "PB006")
PASSES = 8
_SUGGESTED = re.compile(r"did you mean `([^`]+)`\?")
_NAME = re.compile(rb"[^\s=]+")
_VALUE = re.compile(rb"""=\s*["']\s*([^"'\s]+)\s*["']$""")


class Asked(NamedTuple):
    """The release of MJCF as which files are read, and those files that must be MJCF."""

    release: str
    of: frozenset[str]


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    """Gives both commands their options. They receive a mode, the files and the arguments that name them."""

    @options.files
    @click.option("--check", is_flag=True, help="Write nothing; exit code 1 if a file would change.")
    @click.option(
        "--diff", is_flag=True, help="Write nothing; print a unified diff, exit code 1 if it is not empty."
    )
    @options.exclude
    @options.only_models
    @options.config
    @options.release
    @wraps(command)
    def shared(
        files: Sequence[str],
        check: bool,
        diff: bool,
        exclude: Sequence[str],
        only_models: bool,
        config: str | None,
        release: str | None,
    ) -> None:
        project = project_settings(config)
        names = targets(files, project, exclude, only_models)
        asked = Asked(known_release(release, project), frozenset(files if release is not None else ()))
        command("diff" if diff else "check" if check else "write", names, files, asked)

    return shared


@click.command()
@_shared
def fmt(mode: Mode, names: list[str], named: Sequence[str], asked: Asked) -> None:
    """Rewrite files in the canonical layout. Comments, order, numbers, texts and line ends are kept."""
    _each(names, named, partial(_formatted, asked), "formatted", mode)


@click.command()
@_shared
def fix(mode: Mode, names: list[str], named: Sequence[str], asked: Asked) -> None:
    """Correct misspelt elements, attributes and keywords. Only words for which a finding suggests a single
    replacement are changed.
    """
    _each(names, named, partial(_corrected, asked), "fixed", mode)


def _each(names: list[str], named: Sequence[str], change: Change, done: str, mode: Mode) -> None:
    """Apply a change to files, or to standard input, whose result is written to standard output.

    ``named`` are the arguments from which the names come.
    """
    from polybody.cli.differences import difference, show
    from polybody.document.notations import notation_of
    from polybody.document.sources import LIMITS, SourceError, encoded, load, make_source
    from polybody.files import replacing

    changed = unchanged = failed = 0
    report = partial(tell, lead="") if mode == "diff" else say
    for name in names:
        if notation_of(name) is not None:
            if name in named:  # not merely in a folder
                tell(f"{name}: only XML files can be {done}", lead="")
                failed += 1
            continue
        shown, given = content(name)
        try:
            data = load(name, LIMITS) if given is None else given
            source = make_source(shown, data, LIMITS)
            text = encoded(change(shown, source), source.encoding)
        except SourceError as error:
            tell(_said(error), lead="")
            failed += 1
            continue
        if name == STANDARD_INPUT and mode == "write":
            sys.stdout.buffer.write(text)
        elif text == data:
            unchanged += 1
        else:
            changed += 1
            what = done if mode == "write" else f"would be {done}"
            report(f"{what}: {shown}")
            if mode == "diff":
                show(difference(shown, data, text))
            elif mode == "write":
                with replacing(name) as file:
                    file.write(text)
    if unchanged:
        report(f"{unchanged} file{'s' * (unchanged > 1)} unchanged")
    if failed:
        raise click.exceptions.Exit(2)
    if changed and mode != "write":
        raise click.exceptions.Exit(1)


def _well_formed(asked: Asked, name: str, source: Source) -> list[Diagnostic]:
    """The findings about a text.

    Raises:
        SourceError: the text is not well-formed XML.
    """
    from polybody.base import Span
    from polybody.checking import check
    from polybody.document.sources import SourceError

    text = source.data.decode(errors="replace")
    found = released(
        lambda words: check(name, text=text, model=False, **words),
        {"release": asked.release},
        demanded=name in asked.of,
    )
    for finding in found:
        if finding.code in MALFORMED and finding.path == name:  # not an included file
            span = Span(name, finding.line, finding.column, finding.end_line, finding.end_column)
            raise SourceError(finding.code, finding.message, span, finding.suggestion)
    return found


def _said(error: SourceError) -> str:
    """An error as `check` reports it in one line."""
    span = error.span
    hint = f" ({error.hint})" if error.hint else ""
    return f"{span.path}:{span.line}:{span.column}: {error.code} error: {error.message}{hint}"


def _formatted(asked: Asked, name: str, source: Source) -> bytes:
    from polybody.document.formatting import formatted

    _well_formed(asked, name, source)
    text = formatted(source).replace(b"\r\n", b"\n")
    first = source.data.find(b"\n")
    return text.replace(b"\n", b"\r\n") if source.data[first - 1 : first] == b"\r" else text


def _corrected(asked: Asked, name: str, source: Source) -> bytes:
    """The text with the suggested corrections applied, repeatedly until no finding suggests one."""
    from polybody.base import Source
    from polybody.document.layout import Layout

    for _ in range(PASSES):
        edits: dict[int, tuple[int, bytes]] = {}
        layout: Layout | None = None
        for finding in _well_formed(asked, name, source):
            if finding.code in SAFE and finding.path == name:
                layout = layout or Layout(source)
                for start, end, word in _edits(finding, layout):
                    edits.setdefault(start, (end, word))
        if not edits:
            break
        data = source.data
        for start, (end, word) in sorted(edits.items(), reverse=True):
            data = data[:start] + word + data[end:]
        source = Source(source.path, data, (), source.encoding)
    return source.data


def _edits(finding: Diagnostic, layout: Layout) -> Iterator[tuple[int, int, bytes]]:
    """The corrections that a finding suggests: start offset, end offset and new word."""
    source = layout.source
    suggested = _SUGGESTED.fullmatch(finding.suggestion or "")
    start = source.offset(finding.line, finding.column - 1)
    end = source.offset(finding.end_line, finding.end_column - 1)
    if suggested is None:
        return
    word, text = suggested[1].encode(), source.data[start:end]
    if finding.code == "PB011":
        place = layout.places.get(start)
        if place is not None:
            yield start + 1, start + 1 + len(place.tag), word
            if not place.empty:
                yield place.closing + 2, place.closing + 2 + len(place.tag), word
    elif finding.code == "PB012":
        name = _NAME.match(text)
        around = layout.around(start)
        if name is not None and around is not None and word not in layout.attributes(around):
            yield start, start + name.end(), word
    else:
        value = _VALUE.search(text)
        if value is not None:
            yield start + value.start(1), start + value.end(1), word
