"""Rules about the references between elements."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Element, Schema, SchemaError
from .arguments import Names, Truth, Word
from .rule import Rule


@dataclass(frozen=True, kw_only=True)
class Graph(Rule):
    """The children ``edges`` connect names of the namespace ``of`` and form no cycle. In a ``tree``, none has
    two edges to it, and there is one root.
    """

    of: Word
    edges: Names
    from_: Word
    to: Word
    tree: Truth = False
    says = "the {of} names form no cycle along {edges}, from {from} to {to}"

    def check(self, schema: Schema, element: Element) -> None:
        if all(value.meaning.declares != self.of for each in schema.elements for value in each.values):
            raise SchemaError(self.place, f'pb:graph: nothing declares the namespace "{self.of}"')
        super().check(schema, element)
        for child in element.children:
            if child.tag in self.edges:
                for end in (self.from_, self.to):
                    self.demand(schema, schema.element(child.element), end)

    def words(self) -> str:
        words = super().words()
        return words.replace("no cycle", "no cycle and one tree") if self.tree else words
