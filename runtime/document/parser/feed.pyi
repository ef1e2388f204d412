from polybody.document.parser.tree_builder import Tree

class Feed(Tree):
    """A text handed over tag by tag; ``malformed``: it is no XML, ``given_up``: a bound was exceeded."""

    malformed: bool
    given_up: bool
