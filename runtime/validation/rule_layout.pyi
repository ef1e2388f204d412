from polybody.base import Attribute, Element, Rule, Text
from polybody.document.parser.tables import Table

class Suites:
    """The rules of one format, laid out."""

    table: Table
    def __init__(self, table: Table) -> None: ...

def rule_names(rule: Rule) -> list[str]:
    """The names of what a rule is about."""

def values_of(row: Element) -> tuple[Attribute | Text, ...]:
    """The attributes of an element, and behind them its text, as a table lays them."""

def suites_of(table: Table) -> Suites:
    """The laid-out rules of a format, made when first asked for."""
