"""Does a format's reader accept what an XSD processor accepts? On any number of mutated documents.

    python -m tests.codegen.equivalence mjcf COUNT [--seed S]

Its documents are made from the schema alone, which suffices for formats without namespaces, case folding and
order; the tests of other formats mutate samples. What XSD cannot express is excluded: only findings of the
parser count, and attributes that the schema itself requires. Rules on effective values, names and files are
not run.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import xmlschema
from lxml import etree
from polybody.base import Format, Required
from polybody.codegen.schema import SCHEMAS
from polybody.diagnostics import Findings
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.registry import format_named
from polybody.document.sources import Limits, make_source
from polybody.validation.checker import Rules

from .mutations import Mutator
from .sample import sample

OTHER_DIGITS = re.compile(r"(?![0-9])\d|(?<=\d)_(?=\d)")
NOT_XSD = {"PB025", "PB029", "PB030", "PB054", "PB071"}
"""Findings of the parser that do not concern XSD: two names of one attribute, what only other releases have,
text that the format ignores, rejections due to the status, undeclared prefixes.
"""


def accepted(form: Format, text: bytes) -> list[str]:
    """The findings of the reader that XSD could express; none if it accepts the document."""
    findings = Findings()
    parse = Parse(table_of(form), make_source("m.xml", text, Limits()), findings, Limits())
    parse.run()
    said = [
        f"{f.code} {f.message}" for f in findings.items if f.severity == "error" and f.code not in NOT_XSD
    ]
    if parse.root is not None and not said:
        for _, row, rule in Rules(table_of(form), parse.root).violations:
            if isinstance(rule, Required) and rule not in row.rules:
                said.append(f"{row.key} without {rule.name}")
    return said


def as_xsd_sees_it(form: Format, text: bytes) -> etree._Element:
    """The document without the parts that the validator and the reader treat differently on purpose.

    Text between elements if the format ignores it; white space in an element without content, which XSD
    rejects but no engine does; digits of other scripts and `1_0`, which the validator accepts but XSD does
    not.
    """
    root = etree.fromstring(text, etree.XMLParser(remove_comments=True, remove_pis=True))
    typed = {row.tag for row in form.elements.values() if row.text is not None}
    names = {uri: prefix for prefix, uri in form.prefixes.items()}
    for node in root.iter():
        name = etree.QName(node)
        tag = f"{names[name.namespace]}:{name.localname}" if name.namespace in names else name.localname
        if tag not in typed and (form.ignores_text or not (node.text or "").strip(" \t\r\n")):
            node.text = None
        if form.ignores_text and node.getparent() is not None:
            node.tail = None
        for attribute, value in node.attrib.items():
            node.set(attribute, OTHER_DIGITS.sub("?", value))
    return root


def differences(form: Format, count: int, seed: int, most: int) -> Iterator[tuple[bool, str | None]]:
    """For each document, whether XSD accepts it, and what differs."""
    base = sample(form, seed, most)
    xsd = xmlschema.XMLSchema11(str(SCHEMAS / f"{form.name}.xsd"))
    mutator = Mutator(base, seed)
    for number in range(count):
        text = base if number == 0 else mutator.document()
        tree = as_xsd_sees_it(form, text)
        valid, found = xsd.is_valid(tree), accepted(form, text)
        if valid == bool(found):
            errors = [f"{error.path}: {error.reason}" for error in xsd.iter_errors(tree)][:3]
            yield valid, f"{number}: valid for XSD: {valid}\n{found}\n{errors}"
        else:
            yield valid, None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=400, help="elements of the document that is mutated")
    parser.add_argument("--out", type=Path, help="where the differing documents go")
    given = parser.parse_args()
    verdicts: Counter[bool] = Counter()
    differing = 0
    for valid, difference in differences(format_named(given.format), given.count, given.seed, given.most):
        verdicts[valid] += 1
        if difference is not None:
            differing += 1
            print(difference)
    print(f"{given.format}: {verdicts[True]} valid, {verdicts[False]} invalid, {differing} differ")


if __name__ == "__main__":
    main()
