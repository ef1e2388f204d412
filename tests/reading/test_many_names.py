"""Uniqueness of many names and cycles of references, compared with implementations with sets."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polybody.validation.names import Edges, distinct, is_forest

NAMES = st.lists(st.one_of(st.none(), st.text(max_size=2), st.integers(0, 3)), max_size=40)
FEW = st.sampled_from(["a", "b", "c", "d", "e", "\xe9", "world", None])
PAIRS = st.lists(st.tuples(FEW, FEW), max_size=8)


@given(NAMES)
def test_it_says_what_a_set_says(names: list[Any]) -> None:
    known = [name for name in names if name is not None]
    assert distinct(names) == (len(set(known)) == len(known))


@pytest.mark.parametrize("count", [1, 2, 3, 1000, 100_000])
def test_one_name_more_is_found(count: int) -> None:
    names = [f"body {number}" for number in range(count)]
    assert distinct(names)
    assert not distinct([*names, "body 0"])
    assert not distinct([*names, f"body {count - 1}"])


def closes_no_loop(pairs: list[tuple[Any, Any]]) -> bool:
    """Reference implementation with sets of connected nodes."""
    groups: dict[Any, set[Any]] = {}
    for source, target in pairs:
        first, second = groups.get(source, {source}), groups.get(target, {target})
        if source == target or target in first:
            return False
        for name in first | second:
            groups[name] = first | second
    return True


@given(PAIRS, st.lists(st.sampled_from(["a", "b", "c", "\xe9"]), unique=True), st.booleans())
def test_edges_are_judged_as_by_sets(pairs: list[tuple[Any, Any]], own: list[str], world: bool) -> None:
    known = [*own, "world"] if world else own
    kept = [pair for pair in pairs if pair[0] in known and pair[1] in known]
    # Copies, so that names are not found by identity.
    sources, targets = (
        ([name and "".join([*name]) for name in names] for names in zip(*pairs, strict=True))
        if pairs
        else ([], [])
    )
    found = Edges(known, len(own), sources, targets)
    ends = {target for _, target in kept}
    anchors = {source for source, _ in kept if source not in own}
    assert found.count == len(kept)
    assert found.is_forest == closes_no_loop(kept)
    assert found.differ == (len(ends) == len(kept))
    assert found.roots == len(set(own) - ends) + len(anchors)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), max_size=6))
def test_a_forest_closes_no_loop(pairs: list[tuple[str, str]]) -> None:
    assert is_forest([a for a, _ in pairs], [b for _, b in pairs]) == closes_no_loop(pairs)


def test_beginnings_without_ends_are_refused() -> None:
    with pytest.raises(ValueError, match="2 beginnings, 1 ends"):
        Edges(["a"], 1, ["a", "a"], ["a"])
