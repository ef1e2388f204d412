"""Rows of tables behave like frozen dataclasses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from polybody.base import Attribute, Child, Format, Kind, Untyped, Value, rows
from polybody.base.frozen_rows import dataclass as shared
from polybody.document.registry import format_named

VALUE = Value(Kind.REAL, 3, 3, scalar=False, minimum=0.0)


def twins() -> list[Any]:
    """The same class made by `dataclasses` and here."""
    found = []
    for make in (dataclasses.dataclass, shared):

        class Row:
            """A row."""

            name: str
            forms: tuple[int, ...] = ()
            notes: dict[str, int] = dataclasses.field(default_factory=dict, compare=False, repr=False)

        found.append(make(frozen=True, slots=True)(Row))
    return found


def test_it_behaves_like_the_class_of_the_standard_library() -> None:
    for row in twins():
        one, same, other = row("a", (1,)), row(forms=(1,), name="a", notes={"n": 1}), row("a", (2,))
        assert one == same != other
        assert hash(one) == hash(same)
        assert len({one, same, other}) == 2
        assert one != ("a", (1,))
        assert repr(one).endswith("Row(name='a', forms=(1,))")
        assert dataclasses.replace(one, forms=(2,)) == other
        assert dataclasses.asdict(one) == {"name": "a", "forms": (1,), "notes": {}}
        assert row.__match_args__ == ("name", "forms", "notes")
        assert copy.deepcopy(same) == same
        assert copy.copy(same).notes == {"n": 1}
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
            one.name = "b"
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
            del one.name
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
            row()
        with pytest.raises(TypeError, match="unexpected keyword argument 'nmae'"):
            row(nmae="a")


def test_rows_of_tables() -> None:
    assert pickle.loads(pickle.dumps(VALUE)) == VALUE
    assert Attribute("a", "a", (VALUE,)) == Attribute("a", "a", (VALUE,))
    assert Child("a", "A", "a") != Child("a", "A", "a", 1)
    classes = {each for each in vars(rows).values() if isinstance(each, type) and each is not Untyped}
    assert len({each.__setattr__ for each in classes if dataclasses.is_dataclass(each)}) == 1


def test_formats_are_compared_by_identity() -> None:
    form = format_named("urdf")
    again = dataclasses.replace(form)
    assert isinstance(again, Format)
    assert form != again
    assert len({form, again}) == 2
