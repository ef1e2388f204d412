"""Numbers and words: compiled parsing compared with its rules in Python, and with Python's numbers."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polybody.base import Attribute
from polybody.document.parser.tables import table_of
from polybody.document.parser.value_faults import examine

from tests.amounts import amount

from . import small

TABLE = table_of(small.FORMAT)
ITEM = {a.name: a for a in small.ITEM_ATTRIBUTES}
LEXICAL = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
PIECES = st.sampled_from(
    [
        "0", "1", "9", ".", "-", "+", "e", "E", " ", "\t", "\n", "INF", "NaN", "nan", "inf", "_",
        "x", "light", "dark", "true", "false", "٣", "00000000000000000000",
        "18446744073709551616", "4503599627370497", "\u00a0", "308", "\v", "\f", "abc"
    ]
)  # fmt: skip


def compiled(name: str, text: str) -> object:
    return TABLE.parse_value("small/box/item", name, text.encode())


@settings(max_examples=amount(1500, 300))
@given(st.sampled_from(sorted(ITEM)), st.lists(PIECES, max_size=7).map("".join))
def test_the_compiled_parse_and_the_words_agree(name: str, text: str) -> None:
    attribute: Attribute = ITEM[name]
    value = compiled(name, text)
    problem = examine(attribute.forms, text)
    assert (value is None) == (problem is not None), (name, text, value, problem)


@settings(max_examples=amount(1500, 300))
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["r", "e", "g", "f"]))
def test_doubles_are_read_exactly(number: float, how: str) -> None:
    text = repr(number) if how == "r" else f"{number:.17{how}}" if how != "f" else f"{number:.30f}"
    value = compiled("low", text)
    assert isinstance(value, float)
    assert value == float(text)
    assert math.copysign(1, value) == math.copysign(1, float(text))


@settings(max_examples=amount(800, 200))
@given(st.from_regex(LEXICAL, fullmatch=True))
def test_any_decimal_is_rounded_as_python_rounds_it(text: str) -> None:
    value = compiled("low", text)
    if math.isinf(float(text)):
        assert value is None
    else:
        assert value == float(text)


@pytest.mark.parametrize(
    "text",
    [
        "9007199254740993", "9007199254740992.5", "1e23", "8.5e22", "123456789012345678e-22",
        "2.2250738585072011e-308", "4.9e-324", "1e-400",
        "0.000000000000000000000000000000000000001", "1" + "0" * 400 + "e-400", "-0", "0e999999",
        "179769313486231580793e288", "+.5", "5.", "7450580596923828125e-25"
    ],
)  # fmt: skip
def test_difficult_numbers(text: str) -> None:
    value = compiled("low", text)
    assert value == float(text)
    assert str(value) == str(float(text))


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "1_0", "0x10", "1e", "e1", ".", "+", "-", "--1", "1..2", "1.2.3", "1,5", "nan",
        "inf", "Infinity", "INFINITY", "+INF", "INF", "-INF", "NaN", "1e999", "٣", "1 2",
        "1\u00a0", "1\x0b", "one", "1d5", "1f", "½"
    ],
)  # fmt: skip
def test_what_is_no_finite_double(text: str) -> None:
    assert compiled("low", text) is None
    assert examine(ITEM["low"].forms, text) is not None


def test_unbounded_forms_take_infinities() -> None:
    assert compiled("any", "INF -INF +INF") == (math.inf, -math.inf, math.inf)


def test_whole_numbers() -> None:
    assert compiled("count", " +7 ") == 7
    assert compiled("whole", "-9223372036854775809 123456789012345678901234567890") == (
        -9223372036854775809,
        123456789012345678901234567890,
    )
    for bad in ("1.0", "1e3", "", "11", "-1", "0x1", "1 2"):
        assert compiled("count", bad) is None
    assert compiled("whole", "1 " + "9" * 5000) is None


@pytest.mark.parametrize(
    ("name", "text", "code", "hint"),
    [
        ("low", "0,5", "PB016", "write `0.5`"),
        ("low", "0.5,", "PB016", "write `0.5`: spaces separate numbers"),
        ("low", "0.5kg", "PB016", "write `0.5` without a unit"),
        ("low", "0.5kilos", "PB016", None),
        ("low", "nan", "PB020", None),
        ("low", "Infinity", "PB020", None),
        ("low", "1 2", "PB017", None),
        ("shade", "drak", "PB018", "did you mean `dark`?"),
        ("flag", "True", "PB074", "did you mean `true`?"),
        ("flag", "tru", "PB016", "did you mean `true`?"),
        ("count", "-1", "PB019", None),
        ("count", "1.5", "PB016", None),
        ("name", "A", "PB026", None),
        ("class", " ", "PB026", None),
        ("any", "1 x", "PB016", None),
        ("any", "-", "PB016", None),
    ],
)
def test_problems_have_codes_and_hints(name: str, text: str, code: str, hint: str | None) -> None:
    problem = examine(ITEM[name].forms, text)
    assert problem is not None
    assert (problem.code, problem.hint) == (code, hint)
