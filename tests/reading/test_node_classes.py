"""Constructors of nodes, which are compiled when one is called for the first time."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest
from polybody.base import Node
from polybody.base.node_classes import dataclass

from tests.waiting import PATIENCE


def classes() -> tuple[type[Node], type[Node]]:
    """The same class by `node_classes` and by `dataclasses`; of neither an instance was made."""
    made = []
    for decorate in (dataclass, dataclasses.dataclass):

        @decorate(slots=True, kw_only=True, eq=False, repr=False)
        class Leaf(Node):
            TAG: ClassVar[str] = "leaf"
            FIELDS: ClassVar[tuple[str, ...]] = ("name", "rows", "needed")
            needed: float
            name: str | None = None
            rows: list[float] = dataclasses.field(default_factory=list)

        made.append(Leaf)
    return made[0], made[1]


def test_the_constructor_is_that_of_dataclasses() -> None:
    ours, theirs = classes()
    assert inspect.signature(ours) == inspect.signature(theirs)
    one, other = ours(needed=1.0), ours(needed=2.0, name="a", rows=[3.0])  # type: ignore[call-arg]
    assert [getattr(one, each.name) for each in dataclasses.fields(ours)] == [1.0, None, []]  # type: ignore[arg-type]
    assert one != other
    assert dataclasses.replace(other, needed=1.0, name=None, rows=[]) == one  # type: ignore[type-var]


@pytest.mark.parametrize("values", [(), (1.0,)])
@pytest.mark.parametrize("fields", [{}, {"needed": 1.0, "other": 2}, {"name": "a"}])
def test_wrong_arguments_are_the_same_errors_at_every_call(
    values: tuple[object, ...], fields: dict[str, object]
) -> None:
    messages = []
    for cls in (*classes(), classes()[0]):
        for _ in range(2):
            with pytest.raises(TypeError) as caught:
                cls(*values, **fields)
            messages.append(str(caught.value))
    assert len(set(messages)) == 1, messages


def test_derived_classes_inherit_and_call_it() -> None:
    class Plain(classes()[0]):  # type: ignore[misc]
        __slots__ = ()

    class Own(classes()[0]):  # type: ignore[misc]
        __slots__ = ()

        def __init__(self, name: str) -> None:
            super().__init__(needed=4.0, name=name)

    assert (Plain(needed=3.0).needed, Plain(needed=3.0).rows) == (3.0, [])
    assert [(each.needed, each.name) for each in (Own("a"), Own("b"))] == [(4.0, "a"), (4.0, "b")]


def test_threads_make_the_first_instance_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    cls, made = classes()[0], dataclasses.make_dataclass
    both = threading.Barrier(2, timeout=PATIENCE)

    def make(*values: Any, **options: Any) -> type:
        both.wait(PATIENCE)
        return made(*values, **options)

    monkeypatch.setattr(dataclasses, "make_dataclass", make)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda needed: cls(needed=needed), (1.0, 2.0))  # type: ignore[call-arg]
    assert [(each.needed, each.name) for each in (first, second)] == [(1.0, None), (2.0, None)]  # type: ignore[attr-defined]
    late = object.__new__(cls)  # of a thread that found no constructor yet, while another one made it
    Node.__init__(late, needed=3.0)
    assert late.needed == 3.0  # type: ignore[attr-defined]


def test_a_node_of_no_class_takes_no_arguments() -> None:
    assert Node() == Node()
    with pytest.raises(TypeError):
        Node(1)  # type: ignore[call-arg]


def test_reading_compiles_no_constructor() -> None:
    run = """
import polybody
from polybody.base.node_classes import compile_constructor
document = polybody.read("a.xml", text='<mujoco><worldbody><geom size="1"/></worldbody></mujoco>')
kinds = [type(node) for node in document.walk()]
assert not [kind for kind in kinds if "__init__" in vars(kind)], kinds
assert [compile_constructor(kind) for kind in kinds] == kinds
assert all("__init__" in vars(kind) for kind in kinds)
"""
    subprocess.run([sys.executable, "-c", run], check=True, timeout=PATIENCE)
