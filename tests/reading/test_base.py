"""Nodes: children, equality, repr, copies, pickles, spans, all at depths at which recursion would fail."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from polybody.base import COLUMN_BITS, Node, Source


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Leaf(Node):
    TAG: ClassVar[str] = "leaf"
    FIELDS: ClassVar[tuple[str, ...]] = ("name", "pos")
    name: str | None = None
    pos: tuple[float, float, float] | None = None


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Mark(Node):
    TAG: ClassVar[str] = "mark"
    FIELDS: ClassVar[tuple[str, ...]] = ("pos",)
    pos: tuple[float, float, float] | None = None


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Tree(Node):
    TAG: ClassVar[str] = "tree"
    FIELDS: ClassVar[tuple[str, ...]] = ("name",)
    name: str | None = None
    leaf: list[Leaf] = field(default_factory=list)
    mark: Mark | None = None
    tree: list[Tree] = field(default_factory=list)
    CHILDREN: ClassVar[dict[str, tuple[str, bool]]] = {
        "leaf": ("leaf", True),
        "mark": ("mark", False),
        "tree": ("tree", True),
    }


class Ordered(Tree):
    __slots__ = ()
    ORDERED = True


def chain(depth: int) -> Tree:
    top = Tree(name="0")
    here = top
    for i in range(1, depth):
        below = Tree(name=str(i), leaf=[Leaf(pos=(1.0, 2.0, float(i)))])
        here.tree.append(below)
        here = below
    return top


@pytest.mark.parametrize("depth", [1, 3, 20_000])
def test_deep_trees_compare_copy_print_and_pickle(depth: int) -> None:
    tree = chain(depth)
    deep = copy.deepcopy(tree)
    again = pickle.loads(pickle.dumps(tree))
    assert deep == tree
    assert again == tree
    assert deep is not tree
    if depth > 1:
        assert deep.tree[0] is not tree.tree[0]
        assert copy.copy(tree).tree[0] is tree.tree[0]
        assert copy.copy(tree).tree is not tree.tree
    assert repr(again) == repr(tree)
    assert sum(1 for _ in tree.walk()) == 2 * depth - 1
    last = list(deep.walk())[-1]
    last.name = "another"
    assert deep != tree


def test_repr_can_be_evaluated() -> None:
    tree = Tree(name="a'\n", leaf=[Leaf(name="x"), Leaf()], tree=[Tree(mark=Mark(pos=(1, 2, 3)))])
    assert repr(Tree()) == "Tree()"
    assert eval(repr(tree)) == tree


def test_what_is_not_there_is_read_without_a_trace() -> None:
    tree = Tree()
    assert tree.span is None
    assert tree.mark is None
    assert tree.leaf == tree.children == []
    assert tree == Tree()
    assert repr(tree) == "Tree()"
    assert tree.leaf is tree.leaf
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        tree.colour  # noqa: B018


def test_children_keep_the_order_of_the_document() -> None:
    a, b, c, d = Leaf(name="a"), Tree(name="b"), Leaf(name="c"), Tree(name="d")
    tree = Tree()
    tree.children = (b, a, c, d)
    assert [child.name for child in tree.children] == ["b", "a", "c", "d"]
    assert tree.leaf == [a, c]
    tree.leaf.append(Leaf(name="e"))
    tree.tree.remove(b)
    assert [child.name for child in tree.children] == ["a", "c", "e", "d"]
    for remade in (copy.copy(tree), copy.deepcopy(tree), pickle.loads(pickle.dumps(tree))):
        assert [child.name for child in remade.children] == ["a", "c", "e", "d"]
    with pytest.raises(ValueError, match="does not allow <bush>"):
        tree.children = [type("Bush", (Node,), {"TAG": "bush"})()]


def test_order_counts_only_where_it_means_something() -> None:
    def make(cls: type[Tree], flip: bool) -> Tree:
        children = [Leaf(name="a"), Tree(name="b")]
        tree = cls()
        tree.children = reversed(children) if flip else children
        return tree

    assert make(Tree, True) == make(Tree, False)
    assert make(Ordered, True) != make(Ordered, False)
    assert make(Ordered, True) == make(Ordered, True)
    assert Tree() != Ordered()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_spans_count_characters(end: str) -> None:
    text = f"<tree>{end} \U0001f600 <leaf name='é中'{end}  pos =\t'1 2 3' />{end}</tree>"
    source = Source("t.xml", text.encode())
    leaf = Leaf()
    leaf._source, leaf._position = source, 2 << COLUMN_BITS | 3
    span = leaf.span
    assert span is not None
    assert (span.line, span.column, span.end_line, span.end_column) == (2, 4, 3, 19)
    where = leaf.attribute_span("pos")
    assert where is not None
    assert (where.line, where.column, where.end_line, where.end_column) == (3, 3, 3, 16)
    assert leaf.attribute_span("dim") == span
    assert source.line(2) == " \U0001f600 <leaf name='é中'"
    assert source.line(4) == "</tree>"
    assert source.line(9) == ""
    again = pickle.loads(pickle.dumps(leaf))
    assert again.span == span
