"""Which texts a form allows: patterns, lengths, and the rules of XSD's built-in types of dates, names and
binary data.

Bounds of repetitions and choices are such that each expression is matched in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from polybody.base import UNBOUNDED, Value
from polybody.document.parser.pattern import matcher

SPACE = " \t\r\n"
_ZONE = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_YEAR, _MONTH, _DAY = r"-?(?:[1-9][0-9]{3,}|0[0-9]{3})", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12][0-9]|3[01])"
_DATE = f"{_YEAR}-{_MONTH}-{_DAY}"
_CLOCK = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_YEARS, _DAYS = "(?:[0-9]+Y)?(?:[0-9]+M)?", "(?:[0-9]+D)?"
_HOURS = r"(?:T(?!$)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?"
_FIRST = (
    r"A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F"
    r"\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_LATER = rf"{_FIRST}.0-9\u00B7\u0300-\u036F\u203F-\u2040\-"
_NAME = f"[{_FIRST}][{_LATER}]*"
_BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?"
BUILT_IN = {
    "dateTime": f"{_DATE}T{_CLOCK}{_ZONE}",
    "dateTimeStamp": f"{_DATE}T{_CLOCK}{_ZONE.removesuffix('?')}",
    "date": f"{_DATE}{_ZONE}",
    "time": f"{_CLOCK}{_ZONE}",
    "gYearMonth": f"{_YEAR}-{_MONTH}{_ZONE}",
    "gYear": f"{_YEAR}{_ZONE}",
    "gMonthDay": f"--{_MONTH}-{_DAY}{_ZONE}",
    "gDay": f"---{_DAY}{_ZONE}",
    "gMonth": f"--{_MONTH}{_ZONE}",
    "duration": f"-?P(?!$){_YEARS}{_DAYS}{_HOURS}",
    "yearMonthDuration": f"-?P(?!$){_YEARS}",
    "dayTimeDuration": f"-?P(?!$){_DAYS}{_HOURS}",
    "hexBinary": "(?:[0-9a-fA-F]{2})*",
    "base64Binary": _BASE64,
    "NMTOKEN": f"[{_LATER}:]+",
    "Name": f"[{_FIRST}:][{_LATER}:]*",
    **dict.fromkeys(("NCName", "ID", "IDREF", "ENTITY"), _NAME),
    **dict.fromkeys(("QName", "NOTATION"), f"{_NAME}(?::{_NAME})?"),
    "language": "[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
}
"""The lexical forms of built-in types as regular expressions of Python."""
EXAMPLES = {
    "dateTime": "2026-01-31T12:30:00Z",
    "dateTimeStamp": "2026-01-31T12:30:00Z",
    "date": "2026-01-31",
    "time": "12:30:00",
    "gYearMonth": "2026-01",
    "gYear": "2026",
    "gMonthDay": "--01-31",
    "gDay": "---31",
    "gMonth": "--01",
    "duration": "P1DT12H",
    "yearMonthDuration": "P1Y6M",
    "dayTimeDuration": "P1DT12H",
    "hexBinary": "0aff",
    "base64Binary": "Cv8=",
    "language": "en-GB",
}
_DATED = ("date", "dateTime", "dateTimeStamp", "gMonthDay")
_MONTH_AND_DAY = re.compile(rf"({_YEAR}|-)-({_MONTH})-({_DAY})")


def checker(value: Value) -> Callable[[str], object] | None:
    """A predicate for texts of a form, after white space was collapsed if the form does that; None if all are
    allowed.
    """
    if value.pattern is None and not value.built_in and not value.shortest and value.longest == UNBOUNDED:
        return None
    if value.pattern is not None and not value.built_in and value.longest == UNBOUNDED and not value.shortest:
        return matcher(value.pattern)
    return lambda text: fault(value, text) is None


def fault(value: Value, text: str, shown: str = "") -> str | None:
    """What is wrong with a text, as the end of a sentence; ``shown`` is the text in it."""
    if value.built_in and not _is_built_in(value.built_in, text):
        example = f", such as `{EXAMPLES[value.built_in]}`" if value.built_in in EXAMPLES else ""
        return f"is `{shown}`, which is not an xs:{value.built_in}{example}"
    if value.shortest or value.longest != UNBOUNDED:
        length, unit = _length(value.built_in, text)
        if not value.shortest <= length <= value.longest:
            return f"has {_counted(length, unit)}; expected {_span(value, unit)}"
    if value.pattern is not None and not matcher(value.pattern)(text):
        return f"does not match the pattern `{value.pattern}`"
    return None


@cache
def _matcher(name: str) -> Callable[[str], object]:
    return re.compile(BUILT_IN[name]).fullmatch


def _is_built_in(name: str, text: str) -> bool:
    """Whether a text has the lexical form of a built-in type."""
    text = re.sub(f"[{SPACE}]", "", text) if name == "base64Binary" else text
    if not _matcher(name)(text):
        return False
    dated = _MONTH_AND_DAY.match(text) if name in _DATED else None
    return dated is None or int(dated[3]) <= _days(dated[1], int(dated[2]))


def _days(year: str, month: int) -> int:
    """Number of days of a month, in a leap year if there is no year."""
    if month != 2:
        return 30 if month in (4, 6, 9, 11) else 31
    if year == "-":
        return 29
    # The last four digits and the one before them tell leap years: 400 divides 10,000.
    number = int(year.removeprefix("-")[-4:])
    return 29 if number % 4 == 0 and (number % 100 != 0 or number % 400 == 0) else 28


def _length(name: str, text: str) -> tuple[int, str]:
    """The length of a text as its type counts it."""
    if name == "hexBinary":
        return len(text) // 2, "octet"
    if name == "base64Binary":
        digits = re.sub(f"[{SPACE}]", "", text)
        return len(digits) * 3 // 4 - digits.count("="), "octet"
    return len(text), "character"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'s' * (number != 1)}"


def _span(value: Value, unit: str) -> str:
    if value.shortest == value.longest:
        return _counted(value.shortest, unit)
    if value.longest == UNBOUNDED:
        return f"at least {_counted(value.shortest, unit)}"
    return (
        f"{value.shortest} to {_counted(value.longest, unit)}"
        if value.shortest
        else (f"at most {_counted(value.longest, unit)}")
    )
