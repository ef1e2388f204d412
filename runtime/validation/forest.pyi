def is_forest(a: list[str], b: list[str]) -> bool:
    """Whether edges, each from a name of one list to that of the other at its place, close no loop."""
