from polybody.document.parser.tree_builder import Tree

class Feed(Tree):
    """Delivers a text tag by tag. ``malformed``: it is not well-formed XML; ``given_up``: a limit was
    exceeded.
    """

    malformed: bool
    given_up: bool
