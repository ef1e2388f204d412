from typing import Any

def distinct(names: list[Any]) -> bool:
    """Whether names are distinct; None is ignored."""

class Edges:
    """The graph of edges between names, some of which are known.

    Attributes:
        count: the number of edges between known names; other edges are ignored below.
        is_forest: whether the graph has no cycle.
        differ: whether the targets are distinct.
        roots: the number of the first ``own`` known names that are not targets, plus the number of the other
            known names that are sources.
    """

    count: int
    is_forest: bool
    differ: bool
    roots: int

    def __init__(self, known: list[Any], own: int, sources: list[Any], targets: list[Any]) -> None: ...

def is_forest(sources: list[str], targets: list[str]) -> bool:
    """Whether the graph of edges, each from a source to the target at the same index, has no cycle."""
