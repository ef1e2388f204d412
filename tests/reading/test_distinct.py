"""Whether names are unique, beside what a set says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polybody.validation.distinct import distinct

NAMES = st.lists(st.one_of(st.none(), st.text(max_size=2), st.integers(0, 3)), max_size=40)


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
