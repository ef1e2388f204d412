"""Children: one list of all, views of it by field, edits through any of them, the order of writing."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polybody as pb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polybody import mjcf, x_xy
from polybody.base import Node, children_of, fields_held, held
from polybody.document.registry import format_of

from .tools import body as body_text
from .tools import parse

Build = Callable[[str], Node]


class Ordered:
    """Actuators: an element whose order is significant."""

    makers: dict[str, Build] = {  # noqa: RUF012
        "motor": lambda name: mjcf.Motor(name=name),
        "position": lambda name: mjcf.Position(name=name),
        "general": lambda name: mjcf.General(name=name),
    }
    singles = ()

    @staticmethod
    def make() -> tuple[Node, Any]:
        actuator = mjcf.Actuator()
        return mjcf.Mujoco(actuator=actuator), actuator


class Unordered:
    """A body of x_xy: an element whose order is not significant, with a child that may occur once."""

    makers: dict[str, Build] = {  # noqa: RUF012
        "geom": lambda name: x_xy.Geom(color=name),
        "omc": lambda name: x_xy.Omc(name=name),
        "body": lambda name: x_xy.Body(name=name),
    }
    singles = ("omc",)

    @staticmethod
    def make() -> tuple[Node, Any]:
        body = x_xy.Body(name="outer")
        return x_xy.XXy(worldbody=x_xy.Worldbody(body=[body])), body


def label(node: Any) -> str:
    return str(node.color if isinstance(node, x_xy.Geom) else node.name)


class Model:
    """Reference model of the children: one list of (field, node)."""

    def __init__(self, node: Any, kit: Any) -> None:
        self.node, self.kit, self.all = node, kit, list[tuple[str, Node]]()
        self.fields = [field for field, _ in type(node).CHILDREN.values()]

    def places(self, field: str) -> list[int]:
        return [place for place, (other, _) in enumerate(self.all) if other == field]

    def add(self, field: str, node: Node) -> None:
        """The index at which one more child of a kind is inserted."""
        place = len(self.all)
        if not type(self.node).ORDERED:
            rank = self.fields.index(field)
            while place and self.fields.index(self.all[place - 1][0]) > rank:
                place -= 1
        self.all.insert(place, (field, node))

    def insert(self, field: str, index: int, node: Node) -> None:
        places = self.places(field)
        index = max(index + len(places), 0) if index < 0 else index
        if index < len(places):
            self.all.insert(places[index], (field, node))
        else:
            self.add(field, node)

    def take(self, field: str, kept: list[Node]) -> None:
        """Remove all but some children of a kind."""
        self.all = [pair for pair in self.all if pair[0] != field or any(pair[1] is n for n in kept)]

    def arrange(self, field: str, nodes: list[Node]) -> None:
        """Put other elements, the same number, at the positions of a kind."""
        for place, node in zip(self.places(field), nodes, strict=True):
            self.all[place] = (field, node)

    def check(self) -> None:
        node = self.node
        assert [id(child) for child in node.children] == [id(child) for _, child in self.all]
        for field in self.kit.makers:
            expected = [child for other, child in self.all if other == field]
            if field in self.kit.singles:
                assert getattr(node, field) is (expected[0] if expected else None)
                continue
            view = getattr(node, field)
            assert view == expected
            assert [id(child) for child in view] == [id(child) for child in expected]
            assert isinstance(view, list)
            assert len(view) == len(expected)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from([Ordered, Unordered]))
def test_edits_through_every_view_are_one_truth(data: st.DataObject, kit: Any) -> None:
    root, node = kit.make()
    model = Model(node, kit)
    lists = [field for field in kit.makers if field not in kit.singles]
    kept_views = {field: getattr(node, field) for field in data.draw(st.sets(st.sampled_from(lists)))}
    for step in range(data.draw(st.integers(1, 12))):
        act = data.draw(st.sampled_from(ACTS))
        act(data, model, f"n{step}")
        model.check()
        for field, view in kept_views.items():
            assert view is getattr(node, field)
    form = format_of(root)
    again, _ = parse(pb.write(root), form, rules=False)
    twin = next(each for each in again.walk() if type(each) is type(node))
    assert [label(child) for child in twin.children] == [label(child) for _, child in model.all]
    for remade in (copy.copy(node), copy.deepcopy(node), pickle.loads(pickle.dumps(node))):
        assert remade == node
        assert [label(child) for child in remade.children] == [label(child) for _, child in model.all]


def _some(data: st.DataObject, model: Model, name: str) -> tuple[str, Any, Node]:
    """A field of repeated children, its list, and a new node for it."""
    field = data.draw(st.sampled_from([f for f in model.kit.makers if f not in model.kit.singles]))
    return field, getattr(model.node, field), model.kit.makers[field](name)


def _append(data: st.DataObject, model: Model, name: str) -> None:
    field, view, node = _some(data, model, name)
    view.append(node)
    model.add(field, node)


def _insert(data: st.DataObject, model: Model, name: str) -> None:
    field, view, node = _some(data, model, name)
    index = data.draw(st.integers(-len(view) - 1, len(view) + 1))
    view.insert(index, node)
    model.insert(field, index, node)


def _extend(data: st.DataObject, model: Model, name: str) -> None:
    field, view, node = _some(data, model, name)
    more = [node, model.kit.makers[field](name + "b")]
    if data.draw(st.booleans()):
        view.extend(iter(more))
    else:
        setattr(model.node, field, [*view, *more])
    for each in more:
        model.add(field, each)


def _remove(data: st.DataObject, model: Model, name: str) -> None:
    field, view, _ = _some(data, model, name)
    if not view:
        with pytest.raises(IndexError):
            view.pop()
        return
    index = data.draw(st.integers(-len(view), len(view) - 1))
    gone = view[index]
    edit = data.draw(st.sampled_from(["remove", "pop", "del", "assign", "children"]))
    left = [each for each in view if each is not gone]
    if edit == "remove":
        view.remove(gone)
    elif edit == "pop":
        assert view.pop(index) is gone
    elif edit == "del":
        del view[index]
    elif edit == "assign":
        setattr(model.node, field, left)
    else:
        model.node.children.remove(gone)
    model.take(field, left)


def _cut(data: st.DataObject, model: Model, name: str) -> None:
    field, view, _ = _some(data, model, name)
    piece = data.draw(st.slices(len(view)))
    left = list(view)
    del left[piece]
    del view[piece]
    model.take(field, left)


def _exchange(data: st.DataObject, model: Model, name: str) -> None:
    field, view, node = _some(data, model, name)
    if view:
        index = data.draw(st.integers(-len(view), len(view) - 1))
        nodes = list(view)
        nodes[index] = view[index] = node
        model.arrange(field, nodes)


def _exchange_all(data: st.DataObject, model: Model, name: str) -> None:
    field, view, _ = _some(data, model, name)
    nodes = [model.kit.makers[field](f"{name}.{place}") for place in range(len(view))]
    view[:] = nodes
    model.arrange(field, nodes)


def _sort(data: st.DataObject, model: Model, name: str) -> None:
    field, view, _ = _some(data, model, name)
    down = data.draw(st.booleans())
    nodes = sorted(view, key=label, reverse=down)
    edit = data.draw(st.sampled_from(["sort", "assign", "reverse"]))
    if edit == "sort":
        view.sort(key=label, reverse=down)
    elif edit == "assign":
        view[:] = nodes
    else:
        nodes = list(view)[::-1]
        view.reverse()
    model.arrange(field, nodes)


def _single(data: st.DataObject, model: Model, name: str) -> None:
    for field in model.kit.singles:
        if data.draw(st.booleans()):
            node = model.kit.makers[field](name)
            there = bool(model.places(field))
            setattr(model.node, field, node)
            model.arrange(field, [node]) if there else model.add(field, node)
        else:
            setattr(model.node, field, None)
            model.take(field, [])


def _children(data: st.DataObject, model: Model, name: str) -> None:
    """Plain edits of the whole list."""
    field, _, node = _some(data, model, name)
    children, pairs = model.node.children, model.all
    place = data.draw(st.integers(0, len(pairs)))
    edit = data.draw(st.sampled_from(["append", "insert", "delete", "reverse", "assign", "clear"]))
    if edit == "append":
        children.append(node)
        pairs.append((field, node))
    elif edit == "insert":
        children.insert(place, node)
        pairs.insert(place, (field, node))
    elif edit == "delete":
        del children[place:]
        del pairs[place:]
    elif edit == "reverse":
        children.reverse()
        pairs.reverse()
    elif edit == "assign":
        model.all = data.draw(st.permutations(pairs))
        model.node.children = (child for _, child in model.all)
    else:
        children.clear()
        pairs.clear()


def _refused(data: st.DataObject, model: Model, name: str) -> None:
    """A rejected child changes nothing."""
    field, view, node = _some(data, model, name)
    other = next(f for f in model.kit.makers if f != field)
    wrong = model.kit.makers[other](name)
    with pytest.raises(ValueError, match=f"`{field}` of <\\w+> contains <{field}>, not <{wrong.TAG}>"):
        view.append(wrong)
    with pytest.raises(ValueError, match="contains"):
        view[:] = [node, wrong]
    for value in (None, "text", 3):
        with pytest.raises(TypeError, match="contains elements, not"):
            view.insert(0, value)
        with pytest.raises(TypeError, match="contains elements, not"):
            model.node.children.append(value)
    with pytest.raises(ValueError, match="does not allow <option>"):
        model.node.children += [mjcf.Option()]
    for single in model.kit.singles:
        make = model.kit.makers[single]
        with pytest.raises(ValueError, match=f"allows only one <{single}>"):
            model.node.children.extend([make("x"), make("y")])
        with pytest.raises(
            ValueError, match=f"`{single}` of <\\w+> must be a <{single}>, not a <{node.TAG}>"
        ):
            setattr(model.node, single, node)
    for value in (node, "text"):
        with pytest.raises(TypeError, match=f"`{field}` of <\\w+> must be a list of elements"):
            setattr(model.node, field, value)


ACTS = [
    *(_append, _insert, _extend, _remove, _cut, _exchange, _exchange_all, _sort, _single, _children, _refused)
]


def test_removing_the_first_of_a_kind_moves_no_other() -> None:
    text = '<mujoco><actuator><motor name="m1"/><position name="p1"/><motor name="m2"/></actuator></mujoco>'
    root, _ = parse(text, format_of(mjcf.Mujoco()), rules=False)
    root.actuator.motor.remove(root.actuator.motor[0])
    assert pb.write(root, layout="canonical").split() == [
        *("<mujoco>", "<actuator>", "<position", 'name="p1"/>', "<motor", 'name="m2"/>'),
        *("</actuator>", "</mujoco>"),
    ]


def test_a_new_child_takes_the_place_of_a_removed_one() -> None:
    def motors(*names: str) -> list[mjcf.Motor]:
        return [mjcf.Motor(name=name) for name in names]

    def order(change: Callable[[mjcf.Actuator, list[Any]], None]) -> str:
        actuator = mjcf.Actuator()
        first, second = motors("a", "b")
        actuator.children = [first, mjcf.Position(name="p"), second, mjcf.Position(name="q")]
        change(actuator, [first, second])
        return "".join(label(child) for child in actuator.children)

    def assign(*names: str | int) -> str:
        def change(actuator: mjcf.Actuator, old: list[Any]) -> None:
            actuator.motor = [old[n] if isinstance(n, int) else motors(n)[0] for n in names]

        return order(change)

    assert assign(0, 1) == "apbq"
    assert assign(1, 0) == "bpaq"
    assert assign(1) == "pbq"
    assert assign("x") == "xpq"
    assert assign("x", "y") == "xpyq"
    assert assign("x", "y", "z") == "xpyqz"
    assert assign("x", 1) == "xpbq"
    assert assign("x", "y", 1) == "xpybq"
    assert assign(0, "x") == "apxq"
    assert assign(0, "x", 1) == "apxbq"
    assert assign(0, 1, "x") == "apbqx"
    assert assign(1, "x") == "pbqx"
    assert assign(0, 0) == "apaq"


def test_lists_behave_as_lists() -> None:
    body = x_xy.Body(geom=[x_xy.Geom(color=name) for name in "abc"])
    a, b, c = body.geom
    assert [a].__add__(body.geom) == [a, a, b, c]
    assert type(body.geom.__add__([a])) is type(body.geom[:]) is type(body.geom.copy()) is list
    assert body.geom != [a, b]
    assert body.geom == [a, b, copy.copy(c)]
    assert (body.geom.index(b), body.geom.count(b)) == (1, 1)
    assert b in body.geom
    assert x_xy.Geom() not in body.geom
    match body.geom:
        case [first, *_]:
            assert first is a
    view = body.geom
    view += [x_xy.Geom(color="d")]
    body.geom += [x_xy.Geom(color="e")]
    assert view is body.geom
    assert [label(geom) for geom in body.children] == list("abcde")
    view *= 2
    assert len(body.children) == 10
    with pytest.raises(ValueError, match="attempt to assign sequence of size"):
        view[::2] = [a]
    assert len(body.children) == len(view) == 10
    for made in (copy.copy(view), pickle.loads(pickle.dumps(view)), copy.deepcopy(view)):
        assert type(made) is list
        assert made == view
    assert copy.deepcopy(view)[0] is not view[0]
    twin = replace(body, name="twin")
    twin.geom.clear()
    assert (len(body.geom), twin.children) == (10, [])


def test_a_list_outlives_its_node() -> None:
    body = x_xy.Body(geom=[x_xy.Geom(color="a")])
    view, children = body.geom, body.children
    del body
    view.append(x_xy.Geom(color="b"))
    assert [label(child) for child in children] == ["a", "b"]
    del children
    view.append(x_xy.Geom(color="c"))
    view.reverse()
    view[1:] = []
    assert [label(child) for child in view] == ["c"]
    assert type(view)([1, 2]) == [1, 2]


def test_asking_for_lists_makes_no_cycles() -> None:
    def count() -> int:
        return sum(isinstance(each, x_xy.Body) for each in gc.get_objects())

    gc.collect()
    before = count()
    gc.disable()
    try:
        for _ in range(3):
            root = pb.read("a.xml", text=body_text())
            root.worldbody.body[0].geom.append(x_xy.Geom())
            root.worldbody.children.reverse()
            del root
            assert count() == before
    finally:
        gc.enable()


def test_reading_leaves_no_lists_behind() -> None:
    body = x_xy.Body()
    assert (held(body, "geom"), held(body, "omc"), held(body, "name"), children_of(body)) == ([], [], [], ())
    assert body._children is None
    assert fields_held(body) == set()
    body.omc = mark = x_xy.Omc()
    assert held(body, "omc") == [mark]
    body.geom.append(x_xy.Geom())
    assert fields_held(body) == {"geom", "omc"}
    del body.omc
    assert body.omc is None
    with pytest.raises(TypeError, match="expected an element"):
        held(3, "geom")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected an element"):
        x_xy.Body.__dict__["geom"].__get__(3, int)


def test_children_are_in_the_schemas_order_where_order_has_no_meaning() -> None:
    count = 2000
    body = x_xy.Body()
    for number in range(count):
        body.geom.append(x_xy.Geom(color=str(number)))
        body.body.append(x_xy.Body(name=str(number)))
    assert len(body.children) == 2 * count
    assert [label(geom) for geom in body.geom[:3]] == ["0", "1", "2"]
    assert body.children[:count] == body.geom
