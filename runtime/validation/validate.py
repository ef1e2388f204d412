"""From a text to a document and all its findings: of form, by the tables' rules, by the format's own."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from polybody.base import Format, Node, Source
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.document.includes import Files, Includes, clashes, expand, takes_files
from polybody.document.registry import detect, format_of, is_built_in, root_tags
from polybody.document.sources import LIMITS, Limits, first_tags, make_source, root_tag


def validate(document: Node, policy: Policy = "strict") -> list[Diagnostic]:
    """The findings about a document that was made or changed in Python; places are those of its written
    text.
    """
    from polybody.document.writer import write

    findings = Findings(policy)
    source = make_source("<document>", write(document).encode(), LIMITS)
    read_source(source, format_of(document), LIMITS, findings)
    return findings.sorted()


def read_source(source: Source, form: Format | None, limits: Limits, findings: Findings) -> Node | None:
    """The document of a source, None where there is none; what is to be said of it goes to ``findings``."""
    from polybody.document.parser.gc_pause import CollectorPaused

    with CollectorPaused():
        return _read_paused(source, form, findings, Files(source, limits))


def _read_paused(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None = None
) -> Node | None:
    from polybody.document.parser.parse import Parse
    from polybody.document.parser.tables import table_of

    if form is None:
        tag = root_tag(source)
        form = None if tag is None else detect(tag, first_tags(source))
    if form is None or not takes_files(form):
        includes = None
    elif includes is None or includes.form is not form:
        includes = _includes(form, source, findings, files)
    table = None if form is None else table_of(form)
    parse = Parse(table, source, findings, files.limits, includes, None, files)
    parse.run()
    if form is None and not findings.items:
        place = source.between(0, 0)
        known = ", ".join(f"<{tag}>" for tag in root_tags())
        message = f"<{root_tag(source)}> is the root of no known format; known are {known}"
        findings.add("PB007", place, message, source=source)
    if form is None or parse.root is None:
        return None
    if not findings.full:
        included = includes is not None and includes.used
        check_rules(parse.root, form, findings, parse.poisoned, parse.lost, included)
    root: Node = parse.root
    return root


def _includes(form: Format, source: Source, findings: Findings, files: Files) -> Includes:
    def read_other(other: Source, includes: Includes) -> Node | None:
        return _read_paused(other, None, findings, files, includes)

    return Includes(form, source, findings, files, read_other)


def check_rules(
    root: Node,
    form: Format,
    findings: Findings,
    poisoned: set[tuple[int, str]],
    lost: set[str],
    included: bool = True,
) -> None:
    """The rules of the format's tables, then what only its own module can say.

    poisoned, lost: what the parse did not understand, see there.
    included: whether there may be content of other files in the document.
    """
    from polybody.document.parser.tables import table_of
    from polybody.validation.checker import Rules

    own = _own_rules(form)
    keys: Iterable[str] = () if own is None else own.NODES
    if included and takes_files(form):
        from polybody.document.parser.messages import twice_included

        for row, first, second in clashes(root, form):
            twice_included(findings, row, first, second)
        root, twins = expand(root, form)
        poisoned |= {(id(twins[node]), name) for node, name in poisoned if node in twins}
    rules = Rules(table_of(form), root, keys)
    rules.lost, rules.poisoned = lost, poisoned
    if rules.violations or rules.duplicates or rules.references:
        from polybody.validation.report import report

        known = getattr(own, "known", None)
        report(root, form, rules, findings, poisoned, lost, None if known is None else known(rules))
    if rules.graphs:
        from polybody.validation.reference_graphs import check_graphs

        check_graphs(root, form, rules, findings, bool(lost or poisoned))
    if own is not None:
        own.check(root, rules, findings)
    if any(not finding.xpath for finding in findings.items):
        from polybody.validation.xpaths import locate

        locate(root, findings)


def _own_rules(form: Format) -> Any:
    """The module of a format of ours below ``polybody.validation.rules``, where it has one.

    It knows our document classes, so it is not for tables of that name made from another schema.
    """
    module = f"polybody.validation.rules.{form.name}"
    return import_module(module) if is_built_in(form) and find_spec(module) is not None else None
