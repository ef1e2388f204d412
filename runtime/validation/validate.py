"""From a text or a document in memory to all findings: syntax, tables, and the format's own rules."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from polybody.base import Format, Node, Source
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.diagnostics.warned import note
from polybody.document.includes import Files, Includes, takes_files
from polybody.document.left_out import report_left_out
from polybody.document.notations import (
    Document,
    Notation,
    notation_named,
    notation_of,
    written_otherwise,
)
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.registry import detect, home_of, root_tags
from polybody.document.sources import LIMITS, Limits, first_tags, make_source, root_tag
from polybody.validation.dropped import note_dropped
from polybody.validation.rule_check import check_rules
from polybody.validation.scene import PartScene

FOREIGN = {
    "COLLADA": "COLLADA files can be meshes of a model; robots in COLLADA are not read",
    "package": "this is the manifest of a package, not a model",
    "launch": "this is a launch file of ROS, not a model",
}
"""Advice about files of other kinds, by their root elements."""


def validate(document: Node | Document, policy: Policy = "strict") -> list[Diagnostic]:
    """Check a document in memory that was read, changed, or made in Python; returns its findings.

    Findings about elements that were read have their places in that text; other places refer to the text that
    `write` produces.

    Raises:
        TypeError: an element has a class that is not allowed in its place.
        ValueError: the document contains something that cannot be written.
    """
    if isinstance(document, Document):
        return _examine_other(document, policy)
    from polybody.validation.in_memory import examine  # which a text does not need

    return examine(document, policy, _read_text).findings.sorted()


def valid(document: Node, policy: Policy) -> Node:
    """A document as its text would be read, which is usually the document itself.

    Raises:
        ValidationError: it has errors under the policy.
        TypeError, ValueError: as in `validate`.
    """
    from polybody.validation.in_memory import examine

    examined = examine(document, policy, _read_text)
    examined.findings.raise_errors()
    note(examined.findings.items)
    return examined.document


def _examine_other(document: Document, policy: Policy) -> list[Diagnostic]:
    """The findings about a document that is not XML, at positions in the text that `write` produces, and
    about the documents of the files that it includes.
    """
    from polybody.validation.in_memory import NAME

    found: list[Diagnostic] = []
    waiting: list[Any] = [document]
    met: set[int] = set()
    while waiting:
        each = waiting.pop(0)
        if id(each) in met:
            continue
        met.add(id(each))
        if not isinstance(each, Document):
            found += validate(each, policy)
            continue
        notation = notation_named(each.FORMAT)
        assert notation is not None
        findings = Findings(policy, format=each.FORMAT)
        source = make_source(f"{NAME}{notation.endings[0]}", written_otherwise(each).encode(), LIMITS)
        read = notation.read(source, findings, Files(source, LIMITS, reads=False), lambda other: None)
        if read is not None:
            waiting += read.take_contents(each)
            import_module(f"polybody.validation.rules.{notation.name}").check(read, PartScene(findings))
        found += findings.sorted()
    return found


def _read_text(source: Source, form: Format, findings: Findings) -> Node | None:
    return read_source(source, form, LIMITS, findings)


def read_source(
    source: Source, form: Format | Notation | None, limits: Limits, findings: Findings
) -> Any | None:
    """The document of a source, or None if there is none. Findings are added to ``findings``.

    form: how the text is to be read; None: detected from the file name, then from the root element.
    """
    notation = notation_of(source.path) if form is None else form
    files = Files(source, limits)
    with CollectorPaused():
        if isinstance(notation, Notation):
            root = notation.read(source, findings, files, lambda o: _read_paused(o, None, findings, files))
            if root is not None and not findings.full:
                import_module(f"polybody.validation.rules.{notation.name}").check(root, PartScene(findings))
            if root is not None:
                with findings.about(notation.name):
                    report_left_out(root, findings)
            return root
        root = _read_paused(source, notation, findings, files)
        if root is not None:
            report_left_out(root, findings)
        return root


def _read_paused(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None = None
) -> Node | None:
    if form is None:
        tag = root_tag(source)
        form = None if tag is None else detect(tag, first_tags(source), source.path.rpartition(".")[2])
    with findings.about(home_of(form)):
        return _read_form(source, form, findings, files, includes)


def _read_form(
    source: Source, form: Format | None, findings: Findings, files: Files, includes: Includes | None
) -> Node | None:
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
        tag = root_tag(source)
        message = f"<{tag}> is not the root of any known format; expected one of {known}"
        findings.add("PB007", place, message, hint=FOREIGN.get(tag or ""), source=source)
    if form is None or parse.root is None:
        return None
    if not findings.full:
        included = includes is not None and includes.used
        check_rules(parse.root, form, findings, parse.poisoned, parse.lost, included)
    if parse.poisoned:
        note_dropped(parse.root, form, parse.poisoned, findings)
    root: Node = parse.root
    return root


def _includes(form: Format, source: Source, findings: Findings, files: Files) -> Includes:
    def read_other(other: Source, includes: Includes) -> Node | None:
        return _read_paused(other, None, findings, files, includes)

    return Includes(form, source, findings, files, read_other)
