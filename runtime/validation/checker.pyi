from collections.abc import Iterable, Sequence
from typing import Any

from polybody.base import Attribute, Element, Graph, Node, Rule, Text
from polybody.document.parser.tables import Table
from polybody.validation.kept import Kept

class Rules(Kept):
    """One check of one document against all rules of its format."""

    declared: dict[str, dict[str, Node]]
    violations: list[tuple[Node, Element, Rule]]
    duplicates: list[tuple[Node, Element, Attribute | Text, Node]]
    references: list[tuple[Node, Element, Attribute | Text, Sequence[Any]]]
    graphs: list[tuple[Node, Element, Graph]]
    lost: set[str]
    poisoned: set[tuple[int, str]]
    def __init__(self, table: Table, root: Node, keys: Iterable[str] = ()) -> None: ...

def is_surely_inertia(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> bool:
    """Whether six numbers certainly are a valid inertia tensor, by a sufficient condition that most
    satisfy.
    """

def names_in(rules: Rules, namespace: str) -> dict[str, Node | None]:
    """The declared and built-in names of a namespace, with the declaring node of each."""
