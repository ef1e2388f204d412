"""From a file to a typed document, and to everything that is to be said about it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

from polybody.base import Format, Node, Source
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.formats.registry import detect, format_named, format_of, is_built_in, root_tags
from polybody.sources import Limits, SourceError, first_tags, load, make_source, root_tag

AUTO = "auto"
LIMITS = Limits()
Packages = Mapping[str, str | os.PathLike[str]]
NOTHING: Packages = MappingProxyType({})


def read(
    path: str | os.PathLike[str],
    *,
    policy: Policy = "strict",
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Iterable[str | os.PathLike[str]] = (),
) -> Any:
    """Read a document and check it.

    Args:
        path: the file; with ``text``, only the name under which findings stand.
        policy: what counts as an error: ``strict``, ``warn`` (what engines tolerate in practice is a
        warning) or
            ``lenient`` (only what makes the meaning unknown is an error).
        format: name of the format, or its tables; ``auto`` looks at the root element.
        text: the document itself, instead of the file's content.
        limits: how large and how deep a document may be.
        packages: folders by the name that ``package://NAME/`` and ``model://NAME/`` call them.
        package_path: folders in which other packages are looked for, two levels deep, as in ROS_PACKAGE_PATH.

    Returns:
        The root element, an instance of the format's generated class. Effective values, which defaults may
        give, come from ``polybody.resolver.resolve``.

    Raises:
        ValidationError: an error remains under the policy; it carries all findings.
    """
    findings = Findings(policy)
    with _declare(packages, package_path):
        root = _read(path, format, text, limits, findings)
    findings.raise_errors()
    assert root is not None
    return root


def check(
    path: str | os.PathLike[str],
    policy: Policy = "strict",
    *,
    format: str | Format = AUTO,
    text: str | bytes | None = None,
    limits: Limits = LIMITS,
    packages: Packages = NOTHING,
    package_path: Iterable[str | os.PathLike[str]] = (),
) -> list[Diagnostic]:
    """All findings about a document, by their place; arguments as in `read`."""
    findings = Findings(policy)
    with _declare(packages, package_path):
        _read(path, format, text, limits, findings)
    return findings.sorted()


def validate(document: Node, policy: Policy = "strict") -> list[Diagnostic]:
    """The findings about a document that was made or changed in Python; places are those of its written
    text.
    """
    from polybody.writer import write

    return check("<document>", policy, format=format_of(document), text=write(document))


def _declare(packages: Packages, path: Iterable[str | os.PathLike[str]]) -> AbstractContextManager[None]:
    path = tuple(path)
    if not packages and not path:
        return nullcontext()
    from polybody.places import declare

    return declare(packages, path)


def _read(
    path: str | os.PathLike[str],
    format: str | Format,
    text: str | bytes | None,
    limits: Limits,
    findings: Findings,
) -> Node | None:
    if isinstance(format, Format):
        form: Format | None = format
    else:
        form = None if format == AUTO else format_named(format)
    shown = os.fsdecode(path)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    try:
        source = make_source(shown, load(shown, limits) if data is None else data, limits)
    except SourceError as error:
        findings.add(error.code, error.span, error.message, hint=error.hint)
        return None
    return _read_source(source, form, limits, findings)


def _read_source(source: Source, form: Format | None, limits: Limits, findings: Findings) -> Node | None:
    from polybody.reader.collector import CollectorPaused

    with CollectorPaused():
        return _read_paused(source, form, limits, findings)


def _read_paused(
    source: Source, form: Format | None, limits: Limits, findings: Findings, includes: Any = None
) -> Node | None:
    from polybody.reader.parse import Parse
    from polybody.reader.tables import table_of

    if form is None:
        tag = root_tag(source)
        form = None if tag is None else detect(tag, first_tags(source))
    if form is None or not takes_files(form):
        includes = None
    elif includes is None or includes.form is not form:
        includes = _includes(form, source, findings, limits)
    parse = Parse(None if form is None else table_of(form), source, findings, limits, includes)
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


def _includes(form: Format, source: Source, findings: Findings, limits: Limits) -> Any:
    from polybody.includes import Includes

    def read_other(other: Source, includes: Includes) -> Node | None:
        return _read_paused(other, None, limits, findings, includes)

    return Includes(form, source, findings, limits, read_other)


def takes_files(form: Format) -> bool:
    """Whether elements of the format can stand for other files."""
    return any(row.include for row in form.elements.values())


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
    from polybody.reader.rules import Rules
    from polybody.reader.tables import table_of

    own = _own_rules(form)
    keys: Iterable[str] = () if own is None else own.NODES
    if included and takes_files(form):
        from polybody.includes import clashes, expand
        from polybody.reader.messages import twice_included

        for row, first, second in clashes(root, form):
            twice_included(findings, row, first, second)
        root, twins = expand(root, form)
        poisoned |= {(id(twins[node]), name) for node, name in poisoned if node in twins}
    rules = Rules(table_of(form), root, keys)
    rules.lost, rules.poisoned = lost, poisoned
    if rules.violations or rules.duplicates or rules.references:
        from polybody.validator import report

        known = getattr(own, "known", None)
        report(root, form, rules, findings, poisoned, lost, None if known is None else known(rules))
    if rules.graphs:
        from polybody.graphs import check_graphs

        check_graphs(root, form, rules, findings, bool(lost or poisoned))
    if own is not None:
        own.check(root, rules, findings)
    if any(not finding.xpath for finding in findings.items):
        from polybody.locating import locate

        locate(root, findings)


def _own_rules(form: Format) -> Any:
    """The module ``polybody.rules.NAME``, where a format of ours has rules that no table row can say.

    It knows our document classes, so it is not for tables of that name made from another schema.
    """
    module = f"polybody.rules.{form.name}"
    return import_module(module) if is_built_in(form) and find_spec(module) is not None else None
