"""`polybody check` and `polybody explain`: the findings about model files, and what their codes mean."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from polybody.cli.models import (
    POLICIES,
    FormatIn,
    HowToRead,
    Map,
    Meaning,
    Package,
    PackagePath,
    Root,
    Srdf,
    attempt,
    project_settings,
    usage,
)
from polybody.cli.streams import content
from polybody.escaping import printable

if TYPE_CHECKING:
    from polybody.cli.settings import Settings
    from polybody.diagnostics import Diagnostic
    from polybody.diagnostics.chosen import Chosen

app = typer.Typer()
SUFFIXES = (".xml", ".urdf", ".srdf", ".sdf", ".skel", ".mjcf", ".world", ".robot", ".dmd.yaml", ".dmd.yml")


@app.command()
def check(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files, folders or patterns; - is standard input.", show_default=False, metavar="FILE..."
        ),
    ],
    format_in: FormatIn = "auto",
    policy: Annotated[
        Literal["strict", "warn", "lenient"] | None, typer.Option(help=f"{POLICIES} Default: strict.")
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            help="Do not report findings with these codes; may be given several times.",
            metavar="CODE[,CODE...]",
        ),
    ] = None,
    min_severity: Annotated[
        Literal["info", "warning", "error"] | None,
        typer.Option(help="Report only findings of at least this severity."),
    ] = None,
    package: Package = None,
    package_path: PackagePath = None,
    root: Root = None,
    mapped: Map = None,
    meaning: Meaning = None,
    srdf: Srdf = None,
    output_format: Annotated[
        Literal["full", "concise", "json", "sarif", "github"], typer.Option(help="Format of the report.")
    ] = "full",
) -> None:
    """Check model files and report every finding. The exit code is 1 if one of the findings is an error.

    A comment <!-- polybody: ignore PB012 --> suppresses findings on its own line and in the next start tag;
    before the root element, it applies to the whole file. PB090 reports a comment that suppresses nothing.
    Defaults for policy, ignore, min-severity, packages, package-path and roots are read from polybody.toml,
    or from [tool.polybody] in pyproject.toml, in the working directory or the nearest folder above it.
    """
    from polybody import reading

    project = project_settings()
    names = models_of(files)
    chosen = _chosen(project, ignore, min_severity)
    policy = policy or project.get("policy", "strict")
    checked: list[tuple[str, list[Diagnostic]]] = []
    texts: dict[str, bytes | None] = {}
    words = HowToRead(policy, package, package_path, root, format_in, mapped).words()
    meant: dict[str, Any] = {"meaning": meaning or "drake", "srdf": srdf}
    try:
        for name in names:
            shown, text = content(name)
            texts[shown] = text
            checked.append((shown, reading.check(shown, text=text, **words, **meant)))
    except (TypeError, ValueError) as error:
        usage(str(error))
    findings = chosen.of(checked, partial(_text, texts))
    known = {path: text for path, text in texts.items() if text is not None}
    _print(findings, output_format, len(names), known)
    if any(d.severity == "error" for d in findings):
        raise typer.Exit(1)


def _chosen(project: Settings, ignore: list[str] | None, least: str | None) -> Chosen:
    """The findings to report, according to options and settings."""
    from polybody.diagnostics.chosen import Chosen

    ignored: frozenset[str] = frozenset()
    said = {"--ignore": ignore or [], f"{project.path}: ignore": project.get("ignore", [])}
    for option, entries in said.items():
        codes = {code.strip().upper() for entry in entries for code in entry.split(",")}
        ignored |= attempt(partial(Chosen, frozenset(codes)), ValueError, option=option).ignore
    return Chosen(ignored, least or project.get("min-severity", "info"))


def _text(given: dict[str, bytes | None], path: str) -> bytes | None:
    """The text of a file with findings, in UTF-8; None if it cannot be read."""
    from polybody.document.sources import LIMITS, SourceError, load, make_source

    try:
        data = given.get(path)
        return make_source(path, load(path, LIMITS) if data is None else data, LIMITS).data
    except SourceError:
        return None


@app.command()
def explain(
    code: Annotated[
        str, typer.Argument(help="A code such as PB012; without it, all codes are listed.", metavar="CODE")
    ] = "",
) -> None:
    """Explain a code of findings with an example, or list all codes."""
    from polybody.diagnostics import output
    from polybody.diagnostics.catalogue import CATALOGUE

    if not code:
        for row in CATALOGUE.values():
            typer.echo(f"{row.code}  {row.severities.strict:7}  {row.title}")
        return
    found = CATALOGUE.get(code.upper())
    if found is None:
        from polybody.suggest import did_you_mean

        hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
        usage(f"unknown code {code!r}; {hint}")
    else:
        typer.echo(output.explain(found), nl=False)


def models_of(entries: list[str]) -> list[str]:
    """The files that the arguments name, with folders and patterns expanded. If one names no file, the
    program ends.
    """
    names: list[str] = []
    for entry in entries:
        found = _expand(entry)
        if not found:
            usage(f"no model files in {printable(entry)}" if _is_folder(entry) else _unmatched(entry))
        names.extend(found)
    return list(dict.fromkeys(names))


def _is_folder(entry: str) -> bool:
    from pathlib import Path

    return Path(entry).is_dir()


def _unmatched(pattern: str) -> str:
    return f"no file matches {printable(pattern)}"


def _expand(entry: str) -> list[str]:
    """A file unchanged; a folder or a pattern as the files in it."""
    if not _is_folder(entry) and not any(c in entry for c in "*?["):
        return [entry]
    from polybody.diagnostics.output import expand

    found = expand([entry], SUFFIXES)
    return [path for path in found if _is_model(path)] if _is_folder(entry) else found


def _is_model(path: str) -> bool:
    """Whether a file in a folder is a model; false for other XML files, such as a package.xml."""
    from polybody.document.notations import notation_of
    from polybody.document.registry import detect
    from polybody.document.sources import LIMITS, SourceError, load, make_source, root_tag

    if notation_of(path) is not None:
        return True
    try:
        tag = root_tag(make_source(path, load(path, LIMITS), LIMITS))
    except SourceError:
        return True  # the check reports what is wrong with it
    return tag is None or detect(tag) is not None


def _print(found: list[Diagnostic], output_format: str, files: int, texts: dict[str, bytes]) -> None:
    """Print findings. ``texts`` are the contents of sources that are not files, such as standard input."""
    from polybody.diagnostics import output

    if output_format == "full":
        from polybody.document.source_lines import source_lines

        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        text = output.full(found, source_lines(texts), colour) + output.summary(found, files)
        if colour:  # names in the text are already escaped
            sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
            sys.stdout.flush()
            return
    else:
        printers = {
            "concise": output.concise,
            "json": output.as_json,
            "sarif": output.sarif,
            "github": output.github,
        }
        text = printers[output_format](found)
    sys.stdout.write(text)
    sys.stdout.flush()
