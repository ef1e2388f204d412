"""Classes with slots: the parameters of their constructors, and slots that are None if empty."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pytest
from polybody.base import Node
from polybody.base.slotted import OrNone, positional, record

from tests.waiting import PATIENCE


@record
@dataclass(slots=True, eq=False)
class Part:
    """A class with required fields, defaults, and a list of its own."""

    name: str
    size: float
    below: list[Any] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)
    colour: str = "grey"


@record
@dataclass(slots=True, eq=False)
class Wheel(Part):
    """A class with fields of its base."""

    spokes: int = 8


class Axle(Part):
    """A class with its own constructor."""

    def __init__(self) -> None:
        super().__init__("axle", 1.0)


@record
class Pair(NamedTuple):
    """A named tuple."""

    one: Any
    other: Any = 2


def values(part: Part) -> tuple[Any, ...]:
    return part.name, part.size, part.below, part.facts, part.colour


def test_fields_by_place_and_by_name() -> None:
    assert values(Part("a", 1.5)) == ("a", 1.5, [], {}, "grey")
    assert values(Part("a", colour="red", size=2.5)) == ("a", 2.5, [], {}, "red")
    assert values(Part(size=1.0, name="b")) == ("b", 1.0, [], {}, "grey")
    assert values(Part("a", 1.0, [1], {"x": 1}, "red")) == ("a", 1.0, [1], {"x": 1}, "red")
    wheel = Wheel("w", 1.0, spokes=5)
    assert (*values(wheel), wheel.spokes) == ("w", 1.0, [], {}, "grey", 5)
    assert values(Axle()) == ("axle", 1.0, [], {}, "grey")
    assert values(replace(Part("a", 1.0, [1]), size=3.0)) == ("a", 3.0, [1], {}, "grey")


def test_each_instance_has_its_own_list() -> None:
    one, other = Part("a", 1.0), Part("b", 1.0)
    one.below.append(1)
    one.facts["x"] = 1
    assert (other.below, other.facts) == ([], {})


def test_named_tuples() -> None:
    assert Pair(1) == (1, 2)
    assert Pair(other=3, one=1) == Pair(1, 3)
    assert type(Pair([])) is Pair
    assert pickle.loads(pickle.dumps(Pair("a", "b"))) == Pair("a", "b")
    assert Pair(1)._replace(other=4) == (1, 4)


@pytest.mark.parametrize(
    ("cls", "args", "names", "message"),
    [
        (Part, (), {}, "missing 2 required positional arguments: 'name' and 'size'"),
        (Part, ("a",), {"colour": "red"}, "missing 1 required positional argument: 'size'"),
        (Part, ("a", 1.0), {"name": "b"}, "multiple values for argument 'name'"),
        (Part, ("a", 1.0), {"weight": 1}, "unexpected keyword argument 'weight'"),
        (Part, ("a", 1.0, [], {}, "red", 6), {}, "takes from 3 to 6 positional arguments but 7"),
        (Pair, (), {}, "missing 1 required positional argument: 'one'"),
        (Pair, (1, 2, 3), {}, "takes from 2 to 3 positional arguments but 4"),
    ],
)
def test_arguments_that_do_not_fit(
    cls: type, args: tuple[Any, ...], names: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        cls(*args, **names)


def test_classes_that_are_no_records() -> None:
    @dataclass
    class Open:
        name: str

    @dataclass(slots=True)
    class Named:
        name: str = field(kw_only=True)

    @dataclass(slots=True)
    class Checked:
        name: str

        def __post_init__(self) -> None:
            pass

    for cls in (Open, Named, Checked):
        with pytest.raises(TypeError, match=cls.__name__):
            record(cls)


def test_empty_slots_are_none() -> None:
    class Element(Node):
        __slots__ = ()

    made = Element()
    assert (made._source, made._position, made.span, made.source) == (None, None, None, None)
    made._position = 3
    assert made._position == 3
    with pytest.raises(AttributeError, match="no attribute 'weight'"):
        _ = made.weight  # type: ignore[attr-defined]
    assert isinstance(Node._source, OrNone)
    with pytest.raises(TypeError, match="is no Node"):
        Node._source.__get__(object(), object)
    with pytest.raises(TypeError, match="is no Node"):
        Node._source.__set__(object(), None)


def test_fields_by_position() -> None:
    """Compiled code that passes fields by position is refused when they are others or in another order."""
    assert positional(Part, "name", "size", "below", "facts", "colour") is Part
    assert positional(Wheel, "name", "size") is Wheel
    for names in (
        ("size", "name"),
        ("name", "below"),
        ("name", "size", "below", "facts", "colour", "spokes"),
    ):
        with pytest.raises(TypeError, match="the fields of Part are name, size, below, facts, colour, and"):
            positional(Part, *names)


def test_compiled_modules_state_what_they_pass() -> None:
    """They cannot be imported if the fields of a class that they create have changed."""
    code = (
        "from polybody.assembly import parts; parts.Geom = parts.Site; "
        "import polybody.lowering.urdf.shapes"
    )
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert "TypeError: the fields of Site are name, pos, quat, node, and" in ended.stderr
