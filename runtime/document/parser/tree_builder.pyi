from polybody.base import Node

class Tree:
    """The tree of a document under construction; ``root`` is its outermost element."""

    root: Node | None
