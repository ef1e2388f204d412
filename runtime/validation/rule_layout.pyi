from polybody.base import Attribute, Element, Rule, Text
from polybody.document.parser.tables import Table

class Suites:
    """The rules of one format in C."""

    table: Table
    def __init__(self, table: Table) -> None: ...

def rule_names(rule: Rule) -> list[str]:
    """The names that a rule refers to."""

def values_of(row: Element) -> tuple[Attribute | Text, ...]:
    """The attributes of an element, then its text, in the order of a table."""

def suites_of(table: Table) -> Suites:
    """The rules of a format in C, created on first use."""
