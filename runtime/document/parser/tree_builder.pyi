from polybody.base import Node

class Tree:
    """The tree of a document while it is built; ``root`` is its outermost element."""

    root: Node | None
