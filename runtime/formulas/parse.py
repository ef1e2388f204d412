"""From text to tree: a lexer and a parser by precedence. Errors give the column in the text."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from polybody.formulas.expressions import (
    DEEPEST,
    LEVEL,
    Call,
    Chain,
    Expression,
    Formula,
    Local,
    Negative,
    Not,
    Number,
    Partials,
    Power,
    Variable,
    depth,
)
from polybody.formulas.functions import FUNCTIONS
from polybody.suggest import did_you_mean

LONGEST = 20_000
"""Maximum length of a formula, in characters."""
LONGEST_NAME = 64
"""Maximum length of a name that is not an identifier, in characters."""

_SPACE = re.compile(r"[ \t\r\n\v]*")
_HEX = re.compile(r"0[xX](?:[0-9A-Fa-f]+\.?[0-9A-Fa-f]*|\.[0-9A-Fa-f]+)(?:[pP][+-]?[0-9]+)?")
_DECIMAL = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[^\W\d]\w*")
_OPERATOR = re.compile(r":=|<=|>=|!=|[-+*/%^=<>&|!(),;]")
_UNUSUAL = re.compile(r"\w[^\s(),;|]*")
_NAME_END = re.compile(r"(_[0-9]{1,3})?(?!\w)")
_AXIS = re.compile(r"(.+)_([0-9]{1,3})")
_WORD = re.compile(r"\S+")
_NESTED = f"nested deeper than {DEEPEST}"


class FormulaError(ValueError):
    """An error in a formula: message, column in its text counted from 0, and a suggestion."""

    def __init__(self, message: str, column: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.column, self.hint = message, column, hint


class Token(NamedTuple):
    """``kind`` is "number", "name", "end", or the operator itself."""

    kind: str
    text: str
    column: int


class Names(Collection[str]):
    """Names that can occur in formulas, prepared once for many of them."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        # Names that are no identifiers are looked for as they are, by their length.
        self.unusual: dict[int, set[str]] = {}
        for name in known:
            self.add(name)

    def add(self, name: str) -> None:
        """Take in a name that is known from now on."""
        if name.isascii() and name.isidentifier():
            return  # as most are
        if len(name) <= LONGEST_NAME and not _NAME.fullmatch(name) and _UNUSUAL.fullmatch(name):
            self.unusual.setdefault(len(name), set()).add(name)

    def discard(self, name: str) -> None:
        """Forget a name that is known no longer."""
        self.unusual.get(len(name), set()).discard(name)

    def __contains__(self, name: object) -> bool:
        return name in self.known

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def parse(text: str, joints: Collection[str] | None = None) -> Formula:
    """The tree of a formula such as ``mimic_pos`` holds.

    Args:
        joints: names that can occur in it; without, any.
            A name with ``_1`` behind it is its second degree of freedom.
            For many formulas, as `Names`.

    Raises:
        FormulaError: it is none, or names what there is not.
    """
    parser = _Parser(text, joints)
    formula = Formula(parser.expression(), tuple(parser.definitions.items()))
    parser.expect("end", "an operator")
    return formula


def parse_partials(text: str, joints: Collection[str] | None = None) -> Partials:
    """The trees of partial derivatives such as ``mimic_vel`` holds: ``|joint formula |joint formula``.

    What is before the first bar gives values to names that the formulas use.

    Raises:
        FormulaError: as for `parse`.
    """
    bars = [place for place, letter in enumerate(text[:LONGEST]) if letter == "|"]
    first = bars[0] if bars else len(text)
    common = _Parser(text, joints, 0, first)
    common.only_definitions()
    if not bars:
        raise FormulaError("there is no `|joint formula`", first, "write `|joint` before each formula")
    found: dict[Variable, Expression] = {}
    for bar, end in zip(bars, [*bars[1:], len(text)], strict=True):
        match = _WORD.search(text, bar + 1, end)
        if match is None:
            raise FormulaError("a bar must be followed by the name of a joint", bar)
        variable = _known(match[0], joints)
        if variable is None:
            raise _unknown(match[0], match.start(), joints, ())
        if variable in found:
            raise FormulaError(f"the derivative with respect to `{match[0]}` is given twice", match.start())
        parser = _Parser(text, joints, match.end(), end, common.definitions)
        found[variable] = parser.expression()
        parser.expect("end", "an operator")
    return Partials(tuple(found.items()), tuple(common.definitions.items()))


class _Parser:
    """Reads one stretch of a text, one token ahead."""

    def __init__(
        self,
        text: str,
        joints: Collection[str] | None,
        start: int = 0,
        end: int | None = None,
        definitions: Mapping[str, Expression] = MappingProxyType({}),
    ) -> None:
        if len(text) > LONGEST:
            raise FormulaError(f"longer than {LONGEST:,} characters", LONGEST)
        self.text, self.joints = text, joints
        self.end = len(text) if end is None else end
        self.definitions = dict(definitions)
        names = joints if isinstance(joints, Names) else Names(joints or ())
        self.unusual = sorted(((n, known) for n, known in names.unusual.items() if known), reverse=True)
        self.nested = 0
        self.place = start
        self.operand_next = True
        self.token = self.read()

    # --- tokens ---------------------------------------------------------------------------------------------

    def read(self) -> Token:
        """The next token."""
        space = _SPACE.match(self.text, self.place, self.end)
        place = self.place if space is None else space.end()
        self.place = place
        if place >= self.end:
            return Token("end", "", place)
        for kind, text in self.candidates(place):
            self.place = place + len(text)
            return Token(kind, text, place)
        raise FormulaError(f"`{self.text[place]}` has no meaning in a formula", place)

    def candidates(self, place: int) -> list[tuple[str, str]]:
        """What could begin at a place, the first choice first."""
        found = []
        for length, names in self.unusual if self.operand_next else ():  # the longest first
            end = _NAME_END.match(self.text, place + length, self.end)
            if end is not None and self.text[place : place + length] in names:
                found.append(("name", self.text[place : end.end()]))
                break
        for kind, pattern in (("number", _HEX), ("number", _DECIMAL), ("name", _NAME), ("", _OPERATOR)):
            match = pattern.match(self.text, place, self.end)
            if match is not None:
                found.append((kind or match[0], match[0]))
        return found

    def take(self, *, before_operand: bool) -> Token:
        """The token ahead; the next is read, as one that could begin an operand or not."""
        token = self.token
        self.operand_next = before_operand
        self.token = self.read()
        return token

    def expect(self, kind: str, what: str) -> None:
        if self.token.kind != kind:
            raise self.unexpected(what)

    def unexpected(self, wanted: str) -> FormulaError:
        token = self.token
        found = f"`{token.text[:30]}`" if token.text else "the end"
        return FormulaError(f"{wanted} is missing before {found}", token.column)

    # --- grammar --------------------------------------------------------------------------------------------

    def only_definitions(self) -> None:
        """``name := expression;`` any number of times, and nothing behind."""
        while self.token.kind != "end":
            if not self.definition():
                raise FormulaError("a bar is missing before this", self.token.column)

    def definition(self) -> bool:
        """One ``name := expression;``, if that is here."""
        rest = _SPACE.sub("", self.text[self.place : min(self.end, self.place + 40)], count=1)
        if self.token.kind != "name" or not rest.startswith(":="):
            return False
        name = self.take(before_operand=False)
        if _known(name.text, self.joints) is not None and self.joints is not None:
            raise FormulaError(f"`{name.text}` is a joint; it cannot be assigned a value", name.column)
        if name.text in FUNCTIONS or name.text in self.definitions:
            raise FormulaError(f"the name `{name.text}` is already used", name.column)
        self.take(before_operand=True)
        value = self.chain()
        if self.token.kind != ";":
            raise self.unexpected("`;`")
        self.take(before_operand=True)
        self.definitions[name.text] = value
        return True

    def expression(self) -> Expression:
        """An expression, after what gives values to names."""
        while self.definition():
            pass
        return self.chain()

    def chain(self) -> Expression:
        """Operands and the operators between them: those of one level become one node."""
        column = self.token.column
        self.nested += 1
        if self.nested > DEEPEST:
            raise FormulaError(_NESTED, column)
        pending: list[tuple[int, Expression, list[tuple[str, Expression]], str]] = []
        while True:
            node = self.unary()
            operator = self.token.kind
            level = LEVEL.get(operator, -1)
            while pending and pending[-1][0] > level:
                _, first, rest, waiting = pending.pop()
                node = Chain(first, (*rest, (waiting, node)))
            if level < 0:
                break
            if pending and pending[-1][0] == level:
                _, first, rest, waiting = pending.pop()
                rest.append((waiting, node))
                pending.append((level, first, rest, operator))
            else:
                pending.append((level, node, [], operator))
            self.take(before_operand=True)
        self.nested -= 1
        if self.nested == 0 and depth(node) > DEEPEST:
            raise FormulaError(_NESTED, column)
        return node

    def unary(self) -> Expression:
        signs = []
        while self.token.kind in ("-", "!"):
            signs.append(self.take(before_operand=True))
            if len(signs) > DEEPEST:
                raise FormulaError(_NESTED, signs[0].column)
        node = self.power()
        for sign in reversed(signs):
            node = Negative(node) if sign.kind == "-" else Not(node)
        return node

    def power(self) -> Expression:
        base = self.primary()
        if self.token.kind != "^":
            return base
        column = self.take(before_operand=True).column
        self.nested += 1
        if self.nested > DEEPEST:
            raise FormulaError(_NESTED, column)
        exponent = self.unary()
        self.nested -= 1
        return Power(base, exponent)

    def primary(self) -> Expression:
        token = self.token
        if token.kind == "(":
            self.take(before_operand=True)
            node = self.chain()
            if self.token.kind != ")":
                raise FormulaError(
                    f"the parenthesis of column {token.column + 1} is not closed", self.token.column
                )
            self.take(before_operand=False)
            return node
        if token.kind == "number":
            self.take(before_operand=False)
            return _number(token)
        if token.kind != "name":
            raise self.unexpected("a number, a joint or a parenthesis")
        self.take(before_operand=False)
        if self.token.kind == "(" and token.text in FUNCTIONS:
            return self.call(token)
        if token.text in self.definitions:
            return Local(token.text)
        variable = _known(token.text, self.joints)
        if variable is None or self.token.kind == "(":
            raise _unknown(
                token.text, token.column, self.joints, self.definitions, is_call=self.token.kind == "("
            )
        return variable

    def call(self, name: Token) -> Expression:
        self.take(before_operand=True)
        arguments: list[Expression] = []
        while self.token.kind != ")" or arguments:
            arguments.append(self.chain())
            if self.token.kind != ",":
                break
            self.take(before_operand=True)
        wanted = FUNCTIONS[name.text].arguments
        if self.token.kind == ")" and len(arguments) != wanted:
            message = f"`{name.text}` takes {wanted} argument{'s' * (wanted != 1)}, not {len(arguments)}"
            raise FormulaError(message, name.column)
        if self.token.kind != ")":
            raise FormulaError(f"the parenthesis of `{name.text}` is not closed", self.token.column)
        self.take(before_operand=False)
        return Call(name.text, tuple(arguments))


def _number(token: Token) -> Number:
    is_hex = token.text[:2] in ("0x", "0X")
    try:
        value = float.fromhex(token.text) if is_hex else float(token.text)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise FormulaError(f"`{token.text[:30]}` is too large a number", token.column)
    return Number(value)


def _known(name: str, joints: Collection[str] | None) -> Variable | None:
    """The joint that a name means, if it means one."""
    if joints is not None and name in joints:
        return Variable(name)
    match = _AXIS.fullmatch(name)
    if match is not None and (joints is None or match[1] in joints):
        return Variable(match[1], int(match[2])) if joints is not None else Variable(name)
    return Variable(name) if joints is None and name not in FUNCTIONS else None


def _unknown(
    name: str, column: int, joints: Collection[str] | None, others: Collection[str], is_call: bool = False
) -> FormulaError:
    shown = name[:40]
    if is_call:
        return FormulaError(f"there is no function `{shown}`", column, did_you_mean(name, FUNCTIONS))
    if name in FUNCTIONS:
        return FormulaError(f"the function `{shown}` needs its arguments in parentheses", column)
    known = joints.known if isinstance(joints, Names) else joints or ()
    hint = did_you_mean(name, known) or did_you_mean(name, others)
    return FormulaError(f"there is no joint `{shown}`", column, hint)
