"""Helpers that read texts in tests."""

from __future__ import annotations

from typing import Any

from polybody.base import Format, Node
from polybody.checking import check
from polybody.diagnostics import Diagnostic, Findings, Policy
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import Table, table_of
from polybody.document.sources import Limits, make_source
from polybody.validation.rule_check import check_rules

LIMITS = Limits()


def parse(
    text: str | bytes, form: Format, *, direct: bool = True, rules: bool = True
) -> tuple[Any, Findings]:
    """A document and its findings, with tables given directly."""
    findings = Findings()
    data = text.encode() if isinstance(text, str) else text
    table: Table = table_of(form, direct)
    run = Parse(table, make_source("test.xml", data, LIMITS), findings, LIMITS)
    run.run()
    root: Node | None = run.root
    if root is not None and rules:
        check_rules(root, form, findings, run.poisoned, run.lost)
    return root, findings


def codes(text: str | bytes, policy: Policy = "strict", severity: str | None = None) -> list[str]:
    """The codes of the findings about an x_xy document, in order of position."""
    return [d.code for d in check("test.xml", policy, text=text) if severity in (None, d.severity)]


def one(text: str | bytes) -> Diagnostic:
    """The only finding about an x_xy document."""
    found = check("test.xml", text=text)
    assert len(found) == 1, [str(d) for d in found]
    return found[0]


def model(inside: str, head: str = "") -> str:
    """An x_xy document: `head` at line 2, the content of worldbody from line 4."""
    return f"<x_xy>\n{head}\n<worldbody>\n{inside}\n</worldbody>\n</x_xy>\n"


def body(attributes: str = "", inside: str = "", head: str = "") -> str:
    """An x_xy document with one body, whose start tag is line 4."""
    given = {"name": 'name="a"', "joint": 'joint="rx"'}
    for name in list(given):
        if f"{name}=" in attributes.replace("_", ""):
            del given[name]
    mass = '<geom type="sphere" mass="1" dim="1"/>'
    return model(f"<body {' '.join(given.values())} {attributes}>\n{inside or mass}\n</body>", head)


def geom(attributes: str, head: str = "") -> str:
    """An x_xy document with one geom at line 5."""
    return body(inside=f"<geom {attributes}/>", head=head)
