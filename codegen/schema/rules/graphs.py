"""Rules about the references between elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...markdown import code
from ...python_source import Expression, call, optional, quoted
from ...render import literal
from ..model import Element, Schema, SchemaError
from .arguments import Names, Truth, Word
from .rule import Rule, listed


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

    def check(self, schema: Schema, element: Element) -> None:
        if all(value.meaning.declares != self.of for each in schema.elements for value in each.values):
            raise SchemaError(self.place, f'pb:graph: nothing declares the namespace "{self.of}"')
        super().check(schema, element)
        for child in element.children:
            if child.tag in self.edges:
                for end in (self.from_, self.to):
                    self.demand(schema, schema.element(child.element), end)

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        ends = map(literal, (self.from_, self.to))
        yield call("Graph", literal(self.of), quoted(self.edges), *ends, **optional(tree=str(self.tree)))

    def words(self) -> str:
        what = f"the {code(self.of)} names form no cycle{' and one tree' if self.tree else ''}"
        return f"{what} along {listed(self.edges)}, from {code(self.from_)} to {code(self.to)}"
