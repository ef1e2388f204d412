"""Rules about attributes, names and references, with a format that has each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from polybody.base import Rule, When

from . import small
from .small.tables import ITEM, Shade
from .tools import parse

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from polybody.base.frozen_rows import dataclass


def found(item: str, usual: str = "") -> list[tuple[str, int]]:
    head = f"<usual {usual}/>" if usual else ""
    text = f'<small>{head}\n<box name="b">\n{item}\n</box></small>'
    _, findings = parse(text, small.FORMAT)
    return [(d.code, d.line) for d in findings.sorted()]


@pytest.mark.parametrize(
    ("item", "usual", "expected"),
    [
        ('<item a="1"/>', "", []),
        ('<item a="1" b="2"/>', "", [("PB022", 3)]),
        ('<item a="1"/>', 'b="2"', [("PB022", 3)]),
        ("<item/>", 'a="1" b="2"', [("PB022", 1)]),
        ("<item/>", "", [("PB023", 3)]),
        ("<item/>", 'c="1"', []),
        ('<item kind="k"/>', "", []),
        ('<item kind="k" class="l"/>', "", [("PB025", 3)]),
        ('<item a="1" low="1"/>', "", [("PB023", 3)]),
        ('<item a="1" low="1"/>', 'high="2"', []),
        ('<item a="1" low="3"/>', 'high="2"', [("PB044", 3)]),
        ('<item a="1" low="2" high="2"/>', "", []),
        ('<item a="1" flags="1"/>', "", [("PB023", 3)]),
        ('<item a="1" flags="1" flag="0"/>', "", []),
        ('<item a="1" shade="dark"/>', "", [("PB021", 3)]),
        ('<item a="1" shade="dark"/>', 'count="1"', []),
        ('<item a="1"/>', 'shade="dark"', [("PB021", 3)]),
        ('<item a="1" whole="1 2 3"/>', "", [("PB024", 3)]),
        ('<item a="1" whole="1 2 3" shade="dark" count="0"/>', "", []),
        ('<item a="1"/>', 'whole="1 2 3"', [("PB024", 1), ("PB024", 3)]),
        ('<item a="1" c="1"/>', "", [("PB045", 3)]),
        ('<item a="1" turn="9 2 0 0 0"/>', "", []),
        ('<item a="1" turn="9 2 0 0 0" shade="dark" count="1"/>', "", [("PB043", 3)]),
        ('<item a="1" turn="9 0 0 0 0" shade="dark" count="1"/>', "", [("PB041", 3)]),
        ('<item a="1" turn="9 0 1 0 0" shade="dark" count="1"/>', "", []),
        ('<item a="1" flag="1" shade="dark" count="1"/>', "", [("PB027", 3)]),
        ('<item a="1" shade="dark" count="1"/>', 'flag="1"', []),
        # names
        ('<item a="1" name="x"/><item a="1" of="x y"/>', "", [("PB032", 3)]),
        ('<item a="1" of="x"/><item a="1" name="x"/>', "", []),
        ('<item a="1" name="x"/><item a="1" name="x"/>', "", [("PB031", 3)]),
        # number of occurrences
        ('<item a="1"/>' * 4, "", [("PB014", 3)]),
        # what was not understood has no consequences
        ('<item a="1" low="x"/>', "", [("PB016", 3)]),
        ('<item clas="k"/>', "", [("PB012", 3)]),
        ('<item a="1" shade="drak" whole="1 2 3"/>', "", [("PB018", 3)]),
        # texts
        ('<item a="1"><pose>1 2 3</pose></item>', "", [("PB017", 3)]),
        ('<item a="1"><pose/></item>', "", [("PB086", 3)]),
        ('<item a="1"><pose>1 2 3 4 5 -101</pose></item>', "", [("PB019", 3)]),
        ('<item a="1"><pose>1 2 3 <note/>4 5 6</pose></item>', "", [("PB011", 3)]),
        ("<note>&#32;any <![CDATA[text]]></note>", "", []),
    ],
)
def test_rule(item: str, usual: str, expected: list[tuple[str, int]]) -> None:
    assert found(item, usual) == expected


def test_a_misspelt_element_is_not_missing_too() -> None:
    _, findings = parse('<small><bax name="b"/></small>', small.FORMAT)
    assert [d.code for d in findings.items] == ["PB011"]
    _, findings = parse("<small/>", small.FORMAT)
    assert [d.code for d in findings.items] == ["PB015"]


@dataclass(frozen=True, slots=True)
class Fits(Rule):
    """A number is not greater than how many numbers a list has; no compiled check knows this kind."""

    about = ("number", "numbers")
    code = "PB045"
    number: str
    numbers: str
    when: When | None = None
    unless: When | None = None

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        return f"{names[0]} exceeds {names[1]}" if values[0] > len(values[1]) else None


@dataclass(frozen=True, slots=True)
class Two(Rule):
    """At least two are given."""

    about = ("names",)
    code = "PB023"
    partial = True
    names: tuple[str, ...]

    def fault(self, values: Sequence[Any], names: Sequence[str]) -> str | None:
        return None if len(values) - values.count(None) > 1 else f"two of {', '.join(names)}"


DARK = When("shade", (Shade.DARK,))


@pytest.mark.parametrize(
    ("rule", "item", "usual", "expected"),
    [
        (Fits("high", "flags"), 'high="3" flags="1 0"', "", ["PB045 `high` exceeds `flags`"]),
        (Fits("high", "flags"), 'high="2" flags="1 0"', "", []),
        (Fits("high", "flags"), 'high="3"', "", []),
        (Fits("high", "flags"), 'high="3"', 'flags="1 0"',
         ["PB045 `high` exceeds `flags` from the defaults at line 1"]),
        (Fits("high", "flags", when=DARK), 'high="3" flags="1 0"', "", []),
        (Fits("high", "flags", when=DARK), 'high="3" flags="1" shade="dark"', "",
         ["PB045 `high` exceeds `flags`"]),
        (Fits("high", "flags", unless=DARK), 'high="3" flags="1"', "", ["PB045 `high` exceeds `flags`"]),
        (Fits("high", "flags", unless=DARK), 'high="3" flags="1" shade="dark"', "", []),
        (Fits("high", "pose/text()"), 'high="7"', "", ["PB045 `high` exceeds <pose>"]),
        (Fits("high", "pose/text()"), 'high="6"', "", []),
        (Fits("high", "pose/@frame"), 'high="7"', "", ["PB045 `high` exceeds `frame` of <pose>"]),
        (Fits("high", "flags"), 'high="x" flags="1"', "", []),
        (Two(("a", "b", "c")), 'b="1"', "", ["PB023 two of `a`, `b`, `c`"]),
        (Two(("a", "b", "c")), "", "", ["PB023 two of `a`, `b`, `c`"]),
        (Two(("a", "b", "c")), 'b="1"', 'a="1"', []),
        (Two(("a", "b", "pose/@frame")), 'b="1"', "", []),
    ],
)  # fmt: skip
def test_a_rule_that_only_its_row_knows(rule: Rule, item: str, usual: str, expected: list[str]) -> None:
    elements = {**small.FORMAT.elements, ITEM.key: replace(ITEM, rules=(rule,))}
    form = replace(small.FORMAT, elements=elements)
    pose = '<pose frame="abc">1 2 3 4 5 6</pose>'
    text = f'<small><usual {usual}/>\n<box name="b">\n<item {item}>{pose}</item></box></small>'
    _, findings = parse(text, form)
    found = [f"{each.code} {each.message}" for each in findings.sorted()]
    assert [each for each in found if not each.startswith("PB016")] == expected
