from typing import Any

def distinct(names: list[Any]) -> bool:
    """Whether names differ, those that are not None."""

class Edges:
    """What edges form, each from a name to another, of which some are known.

    Attributes:
        count: of the edges of which both names are known; the others are left out of what follows.
        is_forest: whether they close no loop.
        differ: whether they lead to no name twice.
        roots: how many names they do not lead to, of the first ``own`` that are known, and of the other known
            ones how many they begin at.
    """

    count: int
    is_forest: bool
    differ: bool
    roots: int

    def __init__(self, known: list[Any], own: int, sources: list[Any], targets: list[Any]) -> None: ...

def is_forest(sources: list[str], targets: list[str]) -> bool:
    """Whether edges, each from a name of one list to that of the other at its place, close no loop."""
