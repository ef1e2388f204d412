"""The rules of a document: those of its format's tables, then those of the format's module."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from polybody.base import Format, Node
from polybody.diagnostics import Findings
from polybody.document.includes import clashes, expand, takes_files
from polybody.document.parser.tables import table_of
from polybody.document.registry import is_built_in
from polybody.validation.checker import Rules
from polybody.validation.reference_graphs import check_graphs
from polybody.validation.scene import Scene


def check_rules(
    root: Node,
    form: Format,
    findings: Findings,
    poisoned: set[tuple[int, str]],
    lost: set[str],
    included: bool = True,
) -> None:
    """Check the rules of the format's tables, then those of its module.

    poisoned, lost: what the parser did not understand; see there.
    included: whether the document may contain content of other files.
    """
    own = _own_rules(form)
    keys: Iterable[str] = () if own is None else own.NODES
    twice: list[tuple[str, Node]] = []
    if included and takes_files(form):
        from polybody.document.parser.messages import twice_included

        clashing = list(clashes(root, form))
        root, twins = expand(root, form)
        twice = [(twice_included(*clash), twins.get(id(clash[2]), clash[2])) for clash in clashing]
        poisoned |= {(id(twins[node]), name) for node, name in poisoned if node in twins}
    rules = Rules(table_of(form), root, keys)
    rules.lost, rules.poisoned = lost, poisoned
    scene = Scene(root, rules, findings)
    for message, second in twice:
        scene.report("PB014", second, None, message)
    if rules.violations or rules.duplicates or rules.references:
        from polybody.validation.report import report

        known = getattr(own, "known", None)
        report(scene, poisoned, lost, None if known is None else known(rules))
        scene.tell()
    if rules.graphs:
        check_graphs(scene, bool(lost or poisoned))
    if form.constrained:
        from polybody.validation.identities import check_identities

        check_identities(scene, bool(lost or poisoned))
    if own is not None:
        own.check(scene)
    scene.tell()
    if findings.items:
        from polybody.validation.owners import name_owners

        name_owners(root, findings)


@cache
def _own_rules(form: Format) -> Any:
    """The module of a format below ``polybody.validation.rules``, if it has one.

    It uses our document classes, so it does not apply to tables of the same name that were made from another
    schema.
    """
    module = f"polybody.validation.rules.{form.name}"
    return import_module(module) if is_built_in(form) and find_spec(module) is not None else None
