"""`polybody check` and `polybody explain`: the findings about model files, and what their codes mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, get_args

import click
from polybody.cli import baselines, options
from polybody.cli.models import HowToRead, attempt, check_format, project_settings, released, usage
from polybody.cli.report import Form, Report
from polybody.cli.streams import content, tell
from polybody.cli.targets import local, targets

if TYPE_CHECKING:
    from pathlib import Path

    from polybody.cli.settings import Settings
    from polybody.diagnostics import Diagnostic
    from polybody.diagnostics.baseline import Checked
    from polybody.diagnostics.chosen import Chosen
    from polybody.diagnostics.identity import Text


@click.command()
@options.files
@click.option(
    "--ignore",
    multiple=True,
    help="Do not report findings with these codes; may be given several times.",
    metavar="CODE[,CODE...]",
)
@options.keyword(
    *("--min-severity", "info", "warning", "error"), help="Report only findings of at least this severity."
)
@options.at_least(
    *(0, "--max-warnings", int), help="Exit with 1 if more warnings are reported.", metavar="INTEGER"
)
@options.exclude
@options.only_models
@click.option("--baseline", help="Do not report the findings that this file lists.", metavar="FILE")
@click.option(
    "--write-baseline",
    help="Write the findings to a file for --baseline, and report none.",
    metavar="FILE",
)
@options.how(
    options.keyword("--policy", "strict", "warn", "lenient", help=f"{options.POLICIES} Default: strict.")
)
@options.meaning
@options.srdf
@click.option(
    "--model/--no-model",
    default=True,
    help="Also judge the Model: what loading or the first step would refuse, and its physics.",
)
@options.keyword("--output-format", *get_args(Form), default="full", help="Format of the report.")
def check(
    files: Sequence[str],
    ignore: Sequence[str],
    min_severity: str | None,
    max_warnings: int | None,
    exclude: Sequence[str],
    only_models: bool,
    baseline: str | None,
    write_baseline: str | None,
    how: HowToRead,
    meaning: str | None,
    srdf: str | None,
    model: bool,
    output_format: Form,
) -> None:
    """Check model files and report every finding. The exit code is 1 if one of the findings is an error.

    A comment <!-- polybody: ignore PB012 --> suppresses findings on its own line and in the next start tag;
    before the root element, it applies to the whole file. PB090 reports a comment that suppresses nothing.
    Defaults for policy, ignore, min-severity, max-warnings, exclude, baseline, packages, package-path, roots,
    confined and release, and settings for some paths, are read from polybody.toml, or from [tool.polybody] in
    pyproject.toml, in the working directory or the nearest folder above it.
    """
    from polybody.diagnostics.chosen import unsuppressed

    if baseline is not None and write_baseline is not None:
        usage("give either --baseline or --write-baseline")
    project = project_settings(how.config)
    names = targets(files, project, exclude, only_models)
    chosen = _chosen(project, ignore, min_severity)
    words = how.words() | {"meaning": meaning or "drake", "srdf": srdf, "model": model}
    demanded = frozenset(files) if how.release is not None else frozenset()
    project_of_files = None if how.policy else project
    checked, texts = _checked(names, words, project_of_files, how.stdin_filename, demanded)
    read = cache(partial(_text, texts))
    reported = unsuppressed(checked, read)
    if write_baseline is not None:
        baselines.write(write_baseline, reported, read, chosen)
        return
    report = _report(reported, chosen, baseline or project.get("baseline", None), read)
    most = project.get("max-warnings", None) if max_warnings is None else max_warnings
    failing = report.failing(most)
    report.print(output_format, texts, failing, partial(_fingerprints, reported, read, project.folder))
    if "warning" in failing:
        tell(f"there are more warnings than --max-warnings allows: {most}")
    if failing.intersection(finding.severity for finding in report.findings):
        raise click.exceptions.Exit(1)


def _checked(
    names: list[str],
    how: dict[str, Any],
    project: Settings | None,
    stdin_filename: str | None,
    demanded: frozenset[str],
) -> tuple[Checked, dict[str, bytes]]:
    """The files with all findings about them, and the contents of those that are not files.

    project: settings that determine the policy of each file; demanded: files that must have releases.
    """
    from polybody import checking

    rows = [] if project is None else local(project)
    checked, texts = [], {}
    try:
        for name in names:
            shown, text = content(name, stdin_filename)
            if text is not None:
                texts[shown] = text
            if project is not None:
                said = [row["policy"] for pattern, row in rows if "policy" in row and pattern.matches(shown)]
                how["policy"] = said[-1] if said else project.get("policy", "strict")
            check = partial(_check, checking.check, shown, text)
            checked.append((shown, released(check, how, demanded=name in demanded)))
    except (TypeError, ValueError) as error:
        usage(error)
    return checked, texts


def _check(
    check: Callable[..., list[Diagnostic]], shown: str, text: bytes | None, how: dict[str, Any]
) -> list[Diagnostic]:
    return check(shown, text=text, **how)


def _report(reported: Checked, chosen: Chosen, baseline: str | None, text: Text) -> Report:
    """The findings to report: those selected that are not in the baseline."""

    def selected(found: Checked) -> Checked:
        return [(name, [each for each in own if chosen.takes(each)]) for name, own in found]

    report = Report(selected(reported))
    if baseline is None:
        return report
    fresh = Report(selected(baselines.without_known(baseline, reported, text)))
    return fresh._replace(known=len(report.findings) - len(fresh.findings))


def _fingerprints(reported: Checked, text: Text, folder: Path, found: list[Diagnostic]) -> list[str]:
    """The fingerprints of some of the findings, with paths relative to a folder. Where findings are numbered,
    those in a baseline count, too.
    """
    from polybody.diagnostics.identity import Identities
    from polybody.files import Relative

    every = [finding for _, own in reported for finding in own]
    prints = Identities(text, Relative(folder)).fingerprints(every)
    known = {id(finding): each for finding, each in zip(every, prints, strict=True)}
    return [known[id(finding)] for finding in found]


def _chosen(project: Settings, ignore: Sequence[str], least: str | None) -> Chosen:
    """The findings to report, according to options and settings."""
    from polybody.diagnostics.chosen import Chosen

    ignored = _codes(ignore, "--ignore")
    ignored |= _codes(project.get("ignore", []), f"{project.path}: ignore")
    rows = [
        (pattern.matches, _codes(row.get("ignore", []), f"{project.path}: per-path.{pattern.text!r}: ignore"))
        for pattern, row in local(project)
    ]
    return Chosen(ignored, least or project.get("min-severity", "info"), tuple(rows))


def _codes(entries: Sequence[str], option: str) -> frozenset[str]:
    """The codes in entries such as PB012,PB031. An unknown one ends the program."""
    from polybody.diagnostics.chosen import Chosen

    codes = frozenset(code.strip().upper() for entry in entries for code in entry.split(","))
    return attempt(partial(Chosen, codes), ValueError, option=option).ignore


def _text(given: dict[str, bytes], path: str) -> bytes | None:
    """The text of a file with findings, in UTF-8; None if it cannot be read."""
    from polybody.document.sources import LIMITS, SourceError, load, make_source

    try:
        data = given.get(path)
        return make_source(path, load(path, LIMITS) if data is None else data, LIMITS).data
    except SourceError:
        return None


@click.command()
@click.argument(
    "code",
    default="",
    help="A code such as PB012; without it, all codes are listed.",
    metavar="[CODE]",
)
@click.option(
    "--format-in",
    default="",
    show_default=False,
    help="Format of the example, such as urdf, if there is one in it, and the only format whose "
    "severities are listed.",
    metavar="FORMAT",
)
def explain(code: str, format_in: str) -> None:
    """Explain a code of findings with an example, or list all codes."""
    from polybody.diagnostics import output
    from polybody.diagnostics.catalogue import CATALOGUE

    if not code:
        for row in CATALOGUE.values():
            click.echo(f"{row.code}  {row.severities.strict:7}  {row.title}")
        return
    found = CATALOGUE.get(code.upper())
    if found is None:
        from polybody.suggest import did_you_mean

        hint = did_you_mean(code, CATALOGUE) or "`polybody explain` lists all codes"
        usage(f"unknown code {code!r}; {hint}")
    else:
        if format_in:
            check_format(format_in)
        shown = output.example(found, format_in)
        other = format_in and next(iter(_formats_of(*shown)), "")
        note = f" in {other}, as there is none in {format_in}" if other and other != format_in else ""
        click.echo(output.explain(found, format_in, note), nl=False)


def _formats_of(bad: str | bytes | None, good: str | None) -> Iterator[str]:
    """The formats of an example, first that of the corrected document."""
    from polybody.document.notations import NOTATIONS
    from polybody.document.registry import detect
    from polybody.document.sources import LIMITS, SourceError, first_tags, make_source, root_tag

    for text in (good, bad):
        data = text.encode() if isinstance(text, str) else text or b""
        if data.lstrip()[:1] not in (b"<", b""):
            yield from (each.name for each in NOTATIONS if data.startswith(each.name.encode()))
            continue
        try:
            source = make_source("", data, LIMITS)
        except SourceError:
            continue
        tag = root_tag(source)
        form = None if tag is None else detect(tag, first_tags(source))
        if form is not None:
            yield form.name
