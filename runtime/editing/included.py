"""Names in files that a document includes: edits do not change these files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polybody.base import Node
from polybody.document.includes import expand
from polybody.document.references import References, Use

MAX_LISTED = 5
"""Maximum number of references in a message."""


class Included:
    """The names and references of a document's included files.

    Attributes:
        references: those of the document with the content of the files in place; None if it includes none.
    """

    def __init__(self, references: References) -> None:
        self.references: References | None = None
        if any(node.content is not None for node in references.carriers):
            root, self._twins = expand(references.document, references.form)
            self.references = References(root, references.form)
            self._own = {id(self._twins.get(id(node), node)) for node in references.document.walk()}

    def find(self, kinds: Sequence[str], name: str) -> Node | None:
        """The element of an included file with a name of one of some kinds."""
        if self.references is None:
            return None
        found = self.references.find(self.references.root, kinds, name)
        return None if found is None or id(found) in self._own else found

    def require_unused(self, nodes: Iterable[Node]) -> None:
        """Raise a ValueError if an included file refers to one of some elements of the document."""
        if self.references is None:
            return
        targets = {id(self._twins.get(id(node), node)) for node in nodes}
        uses = [
            use
            for use in self.references.uses()
            if id(use.target) in targets and id(use.node) not in self._own
        ]
        if uses:
            listed = ", ".join(self._shown(use) for use in uses[:MAX_LISTED])
            more = f" and {len(uses) - MAX_LISTED} more" if len(uses) > MAX_LISTED else ""
            raise ValueError(f"an included file, which is not changed, refers to it: {listed}{more}")

    def _shown(self, use: Use) -> str:
        assert self.references is not None
        name = self.references.word(use)
        return f"`{name}` of <{use.node.TAG}>{f' at {use.node.place}' if use.node.place else ''}"
