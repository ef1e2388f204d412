"""Formulas over joints, in the syntax of the Function Parser library: trees of text, values, derivatives.

Nothing of a formula ever becomes code: it is parsed by a grammar of its own into a tree of a few classes.

derive          derivatives, computed from the expression tree by the rules of calculus
evaluate        the value of a formula for values of joints
expressions     a formula as a tree
functions       the functions of formulas: numbers of arguments, values, derivatives
parse           from text to tree: a lexer and a parser by precedence
printing        tree to text that parses back to an equal tree
roots           formulas with roots of a polynomial: their values, their derivatives, and which root belongs
                to a value
"""

from polybody.formulas.derive import NoDerivative, Work, derivative, replaced
from polybody.formulas.evaluate import NoValue, evaluate
from polybody.formulas.expressions import (
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
    joints_of,
)
from polybody.formulas.parse import FormulaError, Names, parse, parse_partials
from polybody.formulas.printing import show, show_partials
from polybody.formulas.roots import ROOT, VALUE, Rooted, rooted

__all__ = [
    "ROOT",
    "VALUE",
    "Call",
    "Chain",
    "Expression",
    "Formula",
    "FormulaError",
    "Local",
    "Names",
    "Negative",
    "NoDerivative",
    "NoValue",
    "Not",
    "Number",
    "Partials",
    "Power",
    "Rooted",
    "Variable",
    "Work",
    "derivative",
    "evaluate",
    "joints_of",
    "parse",
    "parse_partials",
    "replaced",
    "rooted",
    "show",
    "show_partials",
]
