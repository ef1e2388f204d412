"""Why a text is not a valid value of a form: the reader's rules again, with messages. Called for findings
only.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from typing import Any

from polybody.base import UNBOUNDED, Kind, Value
from polybody.document.parser.pattern import matcher
from polybody.escaping import printable
from polybody.suggest import did_you_mean

SPACE = " \t\r\n"
_WORDS = re.compile(f"[^{SPACE}]+")
_DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_REAL = re.compile(rf"{_DECIMAL}|[+-]?INF|NaN")
_INT = re.compile(r"[+-]?[0-9]{1,4000}")
_NUMBER_LIKE = re.compile(rf"[{SPACE}]*([+-]|\.?[0-9]|(?i:nan|inf)([{SPACE}]|$))")
_OTHER_NUMBERS = re.compile(r"[+-]?(nan|inf|infinity)|0x[0-9a-f]+|[0-9_]+", re.IGNORECASE)
_INFINITE = re.compile(r"([+-]?)(inf|infinity)", re.IGNORECASE)
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,8}")
_UNSIGNED = re.compile(r"[0-9]{1,10}[uU]")
_MOST_BITS = 2**32 - 1  # numbers from 0 to this are read as bits
_UNIT = re.compile(rf"({_DECIMAL})[A-Za-z°%]{{1,4}}")
_COMMA = re.compile(r"([+-]?[0-9]*),([0-9]+)")
KIND_NAMES = {Kind.REAL: "a number", Kind.INT: "a whole number", Kind.BOOL: "true or false"}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a text is invalid: a code of the catalogue, the end of a sentence, a hint, and the value if there
    is one.

    ``fitted``: what engines use that read as many values as they need, of too many or too few; missing
    numbers are 0.
    """

    code: str
    text: str
    hint: str | None = None
    value: Any = None
    fitted: Any = None


def examine(forms: tuple[Value, ...], text: str) -> Problem | None:
    """The problem with a text, for the form that was probably intended; None if a form accepts it."""
    problems = []
    for index, form in enumerate(forms):
        guarded = form.kind == Kind.STRING and any(f.kind in (Kind.REAL, Kind.INT) for f in forms[:index])
        if guarded and _NUMBER_LIKE.match(text):
            continue
        problem = _examine(form, text)
        if problem is None:
            return None
        problems.append((form, problem))
    numeric = bool(_NUMBER_LIKE.match(text))
    for form, problem in problems:
        if (form.kind in (Kind.REAL, Kind.INT)) == numeric:
            return problem
    return problems[0][1]


def _examine(form: Value, text: str) -> Problem | None:
    if form.kind == Kind.STRING and form.scalar:
        return _string(form, text)
    words = _WORDS.findall(text)
    low, high = (1, 1) if form.scalar else (form.low, form.high)
    if not words and low:
        return Problem("PB086", f"is empty; expected {amount(form)}")
    values = []
    for word in words:
        value = _word(form, word)
        if isinstance(value, Problem) and value.value is None:
            return value
        values.append(value)
    if not low <= len(words) <= high:
        text = f"has {len(words)} value{'s' * (len(words) != 1)}; expected {amount(form)}"
        return Problem("PB017", text, fitted=_fitted(form, values, low, high))
    bad = next((value for value in values if isinstance(value, Problem)), None)
    if bad is None:
        return None
    plain = tuple(value.value if isinstance(value, Problem) else value for value in values)
    return Problem(bad.code, bad.text, bad.hint, plain[0] if form.scalar else plain)


def _fitted(form: Value, values: list[Any], low: int, high: int) -> Any:
    """As many values as a form needs, if numbers can be added; None if the values are not all valid."""
    if any(isinstance(value, Problem) for value in values) or (form.kind != Kind.REAL and len(values) < low):
        return None
    kept = (*values[:high], *[0.0] * (low - len(values)))
    return kept[0] if form.scalar else kept


def amount(form: Value) -> str:
    """The number of words of a form, for messages."""
    if form.kind == Kind.ENUM or form.kind == Kind.STRING:
        noun = "word"
    else:
        noun = {Kind.REAL: "number", Kind.INT: "whole number", Kind.BOOL: "boolean"}[form.kind]
    low, high = (1, 1) if form.scalar else (form.low, form.high)
    if low == high:
        return f"{low} {noun}{'s' * (low != 1)}"
    if high >= UNBOUNDED:
        return f"at least {low} {noun}{'s' * (low != 1)}"
    return f"{low} {'or' if high == low + 1 else 'to'} {high} {noun}s"


def _string(form: Value, text: str) -> Problem | None:
    if form.nonempty and not text.strip(SPACE):
        return Problem("PB026", "is empty")
    if form.pattern is not None and not matcher(form.pattern)(text):
        return Problem("PB026", f"does not match the pattern `{form.pattern}`")
    return None


def _word(form: Value, word: str) -> Any:
    """The value of one word, or the problem with it."""
    if form.kind == Kind.STRING:
        return _string(form, word) or word
    if form.kind == Kind.ENUM:
        assert form.enum is not None
        members = {member.value: member for member in form.enum}
        if word in members:
            return members[word]
        if form.folds_case:
            for name, member in members.items():
                if _lower(name) == _lower(word):
                    return member
        legal = ", ".join(f"`{name}`" for name in members)
        return Problem("PB018", f"is `{clip(word)}`; expected one of {legal}", did_you_mean(word, members))
    if form.kind == Kind.BOOL:
        spelt = _lower(word) if form.folds_case else word
        if spelt in (("true", "false") if form.pattern else ("true", "1", "false", "0")):
            return spelt in ("true", "1")
        lower = _lower(word)
        if lower in ("true", "false") and not form.pattern:  # as engines read it
            said = f"is `{clip(word)}`, which XML Schema spells `{lower}`"
            return Problem("PB074", said, f"did you mean `{lower}`?", lower == "true")
        return Problem(
            "PB016", f"is `{clip(word)}`; expected `true` or `false`", did_you_mean(word, ("true", "false"))
        )
    return _number(form, word)


def _lower(word: str) -> str:
    """A word in lower case, as far as the reader is concerned: only ASCII letters."""
    return word.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def _number(form: Value, word: str) -> Any:
    pattern = _INT if form.kind == Kind.INT else _REAL
    if not pattern.fullmatch(word):
        hint = None
        engines = _as_engines_read(form, word)
        if engines is not None:
            return engines
        if comma := _COMMA.fullmatch(word):
            hint = f"write `{comma[1] or '0'}.{comma[2]}`"
        elif word[-1] in ",;" and pattern.fullmatch(word[:-1]):
            hint = f"write `{clip(word[:-1])}`: spaces separate numbers"
        elif unit := _UNIT.fullmatch(word):
            hint = f"write `{clip(unit[1])}` without a unit"
        elif _OTHER_NUMBERS.fullmatch(word) and "n" in word.lower():
            if form.finite:
                return Problem("PB020", f"is `{clip(word)}`; it must be finite")
            hint = "write `NaN`" if "nan" in word.lower() else f"write `{'-' * (word[0] == '-')}INF`"
        return Problem("PB016", f"contains `{clip(word)}`, which is not {KIND_NAMES[form.kind]}", hint)
    if form.kind == Kind.INT:
        value: float = int(word)
        if abs(value) > sys.float_info.max:
            return Problem("PB019", f"is {clip(word)}; it must have fewer than 309 digits")
    else:
        value = float(word.replace("INF", "inf").replace("NaN", "nan"))
    if form.finite and not math.isfinite(value):
        return Problem("PB020", f"is `{clip(word)}`; it must be finite")
    bound = _bound(form, value)
    return value if bound is None else Problem("PB019", f"is {clip(word)}; it must be {bound}", None, value)


def _as_engines_read(form: Value, word: str) -> Problem | None:
    """A number in a spelling that engines accept and XML Schema does not."""
    if (
        form.kind == Kind.INT
        and form.minimum == 0
        and form.maximum == _MOST_BITS
        and _HEXADECIMAL.fullmatch(word)
    ):
        number = int(word, 16)
        said = f"contains `{word}`; some readers do not support hexadecimal numbers"
        return Problem("PB074", said, f"write `{number}`", number)
    if form.kind == Kind.INT and form.maximum == _MOST_BITS and _UNSIGNED.fullmatch(word):
        number = int(word[:-1])
        if number <= _MOST_BITS:
            said = f"contains `{word}`; some readers do not support `u` after a number"
            return Problem("PB074", said, f"write `{number}`", number)
    infinite = None if form.finite or form.kind != Kind.REAL else _INFINITE.fullmatch(word)
    value = math.nan if infinite is None else -math.inf if infinite[1] == "-" else math.inf
    if infinite is None or _bound(form, value) is not None:
        return None
    right = f"{'-' * (value < 0)}INF"
    said = f"contains `{clip(word)}`, which XML Schema spells `{right}`"
    return Problem("PB074", said, f"write `{right}`", value)


def _bound(form: Value, value: float) -> str | None:
    """The bound that a number violates, for messages."""
    low, high = form.minimum, form.maximum
    if math.isnan(value):
        return None if low is None and high is None else "a number"
    if low is not None and (value <= low if form.open else value < low):
        return f"greater than {low:g}" if form.open else f"at least {low:g}"
    if high is not None and (value >= high if form.open else value > high):
        return f"less than {high:g}" if form.open else f"at most {high:g}"
    return None


def clip(text: str, most: int = 60) -> str:
    """A text short enough for a message, on one line and without control characters."""
    shown = text if len(text) <= most else text[: most - 3] + "..."
    return printable(shown)
