"""Why a text is not a valid value of a form: the reader's rules again, with messages. Called for findings
only.
"""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any

from polybody.base import UNBOUNDED, Kind, Value
from polybody.document.parser.texts import SPACE, fault
from polybody.escaping import printable
from polybody.suggest import did_you_mean

# Patterns are compiled when first used, since most documents need none of them.
_WORDS = f"[^{SPACE}]+"
_DECIMAL = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_REAL = rf"{_DECIMAL}|[+-]?INF|NaN"
_INT = r"[+-]?[0-9]{1,4000}"
_NUMBER_LIKE = rf"[{SPACE}]*([+-]|\.?[0-9]|(?i:nan|inf)([{SPACE}]|$))"
_OTHER_NUMBERS = r"(?i)[+-]?(nan|inf|infinity)|0x[0-9a-f]+|[0-9_]+"
_INFINITE = r"(?i)([+-]?)(inf|infinity)"
_HEXADECIMAL = r"0[xX][0-9a-fA-F]{1,8}"
_UNSIGNED = r"[0-9]{1,10}[uU]"
_UNIT = rf"({_DECIMAL})[A-Za-z°%]{{1,4}}"
_COMMA = r"([+-]?[0-9]*),([0-9]+)"
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
        if guarded and re.match(_NUMBER_LIKE, text):
            continue
        problem = _examine(form, text)
        if problem is None:
            return None
        problems.append((form, problem))
    if all(form.enum is not None for form, _ in problems):
        return problems[-1][1]  # for the most general one
    numeric = bool(re.match(_NUMBER_LIKE, text))
    for form, problem in problems:
        if (form.kind in (Kind.REAL, Kind.INT)) == numeric:
            return problem
    return problems[0][1]


def _examine(form: Value, text: str) -> Problem | None:
    problem = _examine_free(form, text)
    if problem is not None or form.fixed is None or _value(form, text) == form.fixed:
        return problem
    return Problem("PB018", f"is `{clip(text)}`; it must be `{clip(_spelt(form.fixed))}`")


def _value(form: Value, text: str) -> Any:
    """The value of a text that has a form."""
    if form.kind == Kind.STRING and form.scalar:
        return _collapsed(form, text)
    if form.scalar:
        return _word(form, " ".join(re.findall(_WORDS, text)))
    return tuple(_word(form, word) for word in re.findall(_WORDS, text))


def _spelt(value: Any) -> str:
    """A value as a document has it."""
    if isinstance(value, tuple):
        return " ".join(map(_spelt, value))
    if isinstance(value, Enum):
        return str(value.value)
    return (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )


def _collapsed(form: Value, text: str) -> str:
    return " ".join(re.findall(_WORDS, text)) if form.collapsed else text


def _examine_free(form: Value, text: str) -> Problem | None:
    """The problem with a text, whatever value is fixed."""
    if form.kind == Kind.STRING and form.scalar:
        return _string(form, text)
    words = re.findall(_WORDS, text)
    if form.scalar and form.enum is not None and (form.exact or any(map(_has_blanks, form.enum))):
        return _keyword(form, text, words)
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
    wrong = fault(form, _collapsed(form, text), clip(text))
    return None if wrong is None else Problem("PB026", wrong)


def _has_blanks(member: Enum) -> bool:
    """Whether a keyword is not exactly one word."""
    return not re.fullmatch(_WORDS, str(member.value))


def _keyword(form: Value, text: str, words: list[str]) -> Problem | None:
    """The problem with a text that is a keyword as a whole, where keywords may contain blanks."""
    assert form.enum is not None
    members = {str(member.value) for member in form.enum if member not in form.others}
    plain = " ".join(words)
    if text in members or (plain in members and not form.exact):
        return None
    if plain in members:
        return Problem("PB018", "has white space around or in its keyword", f"write `{clip(plain)}`")
    if not words:
        return Problem("PB086", f"is empty; expected {amount(form)}")
    found = _word(form, plain)
    return found if isinstance(found, Problem) else None


def _word(form: Value, word: str) -> Any:
    """The value of one word, or the problem with it."""
    if form.kind == Kind.STRING:
        return _string(form, word) or word
    if form.kind == Kind.ENUM:
        assert form.enum is not None
        members = {member.value: member for member in form.enum if member not in form.others}
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
        if spelt in (("true", "false") if form.spelt_out else ("true", "1", "false", "0")):
            return spelt in ("true", "1")
        lower = _lower(word)
        if lower in ("true", "false") and not form.spelt_out:  # as engines read it
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
    if not re.fullmatch(pattern, word):
        hint = None
        engines = _as_engines_read(form, word)
        if engines is not None:
            return engines
        if comma := re.fullmatch(_COMMA, word):
            hint = f"write `{comma[1] or '0'}.{comma[2]}`"
        elif word[-1] in ",;" and re.fullmatch(pattern, word[:-1]):
            hint = f"write `{clip(word[:-1])}`: spaces separate numbers"
        elif unit := re.fullmatch(_UNIT, word):
            hint = f"write `{clip(unit[1])}` without a unit"
        elif re.fullmatch(_OTHER_NUMBERS, word) and "n" in word.lower():
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
    if form.bits and (re.fullmatch(_HEXADECIMAL, word) or re.fullmatch(_UNSIGNED, word)):
        hexadecimal = word[-1] not in "uU"
        number = int(word, 16) if hexadecimal else int(word[:-1])
        if _bound(form, number) is None:
            what = "hexadecimal numbers" if hexadecimal else "`u` after a number"
            said = f"contains `{word}`; some readers do not support {what}"
            return Problem("PB074", said, f"write `{number}`", number)
    infinite = None if form.finite or form.kind != Kind.REAL else re.fullmatch(_INFINITE, word)
    value = math.nan if infinite is None else -math.inf if infinite[1] == "-" else math.inf
    if infinite is None or _bound(form, value) is not None:
        return None
    right = f"{'-' * (value < 0)}INF"
    said = f"contains `{clip(word)}`, which XML Schema spells `{right}`"
    return Problem("PB074", said, f"write `{right}`", value)


def _bound(form: Value, value: float) -> str | None:
    """The bound that a number violates, for messages."""
    low, high = form.minimum, form.maximum
    if form.numbers:
        return None if value in form.numbers else listed(form)
    if math.isnan(value):
        return None if low is None and high is None else "a number"
    if low is not None and (value <= low if form.open else value < low):
        return f"greater than {low:g}" if form.open else f"at least {low:g}"
    if high is not None and (value >= high if form.open else value > high):
        return f"less than {high:g}" if form.open else f"at most {high:g}"
    return None


def listed(form: Value) -> str:
    """The numbers that a form allows, if it lists them."""
    *others, last = [f"{number:g}" for number in form.numbers]
    return f"{', '.join(others)} or {last}" if others else last


def clip(text: str, most: int = 60) -> str:
    """A text short enough for a message, on one line and without control characters."""
    shown = text if len(text) <= most else text[: most - 3] + "..."
    return printable(shown)
