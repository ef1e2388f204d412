"""MJCF's reader accepts a document exactly if an XSD processor does: a sample of the documents of
`tests.codegen.equivalence`, which runs any number of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from polybody.base import Element, Format
from polybody.document.registry import format_named

from tests.amounts import amount

from .equivalence import accepted, differences
from .sample import sample


def test_verdicts_on_mjcf() -> None:
    results = list(differences(format_named("mjcf"), amount(150, 50), seed=3, most=250))
    assert [difference for _, difference in results if difference is not None] == []
    valid = sum(verdict for verdict, _ in results)
    assert min(valid, len(results) - valid) > len(results) / 5, "both verdicts must be tried"


def reached(form: Format) -> Iterator[Element]:
    """The elements of a release; its tables have those of the others as well."""
    waiting: list[str] = [form.root, *form.roots]
    met: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in met:
            met.add(key)
            yield form.elements[key]
            waiting += [child.element for child in form.elements[key].children]


def test_every_element_and_attribute_is_in_the_sample() -> None:
    form = format_named("mjcf")
    text = sample(form, seed=3, most=10_000)
    assert accepted(form, text) == []
    for row in reached(form):
        assert f"<{row.tag}".encode() in text, row.key
        for attribute in row.attributes:
            assert f' {attribute.name}="'.encode() in text, (row.key, attribute.name)
