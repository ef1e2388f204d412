"""Written documents read back equal, to the last bit of every number and the last character of every name."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polybody import mjcf, x_xy
from polybody.base import Node

from tests.amounts import amount

from . import small
from .tools import parse

XML_TEXT = st.text(
    st.characters(
        exclude_categories=("Cs",), exclude_characters=[chr(i) for i in range(32) if i not in (9, 10, 13)]
    )
).filter(lambda text: "\ufffe" not in text and "\uffff" not in text)
REALS = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=1e-300, max_value=1e300, exclude_min=True)


def vector(length: int, of: st.SearchStrategy[float] = REALS) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[of] * length)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


GEOMS = st.sampled_from([("box", 3), ("sphere", 1), ("capsule", 2), ("cylinder", 2)]).flatmap(
    lambda kind: st.builds(
        x_xy.Geom,
        type=st.just(x_xy.GeomType(kind[0])),
        dim=vector(kind[1], POSITIVE),
        mass=st.floats(min_value=0, allow_infinity=False),
        pos=maybe(vector(3)),
        euler=maybe(vector(3)),
        color=maybe(
            st.sampled_from(["red", "#ff0000"]) | vector(3, st.floats(0, 1)) | vector(4, st.floats(0, 1))
        ),
    )
)
OMCS = st.builds(
    x_xy.Omc, name=maybe(XML_TEXT), pos_marker=st.integers(-(2**31), 2**31 - 1), pos=maybe(vector(3))
)


@st.composite
def bodies(draw: Any, depth: int = 0) -> x_xy.Body:
    below = draw(st.lists(GEOMS, max_size=2))
    below += draw(st.lists(OMCS, max_size=1))
    if depth < 3:
        below += draw(st.lists(bodies(depth + 1), max_size=2))
    body = x_xy.Body(
        joint=draw(st.sampled_from([x_xy.Joint.RX, x_xy.Joint.PZ])),
        pos=draw(maybe(vector(3))),
        damping=draw(maybe(vector(1, st.floats(min_value=0, allow_infinity=False)))),
        spring_zero=draw(maybe(vector(1))),
    )
    body.children = draw(st.permutations(below))
    return body


@st.composite
def documents(draw: Any) -> x_xy.XXy:
    root = x_xy.XXy(
        model=draw(maybe(XML_TEXT)),
        options=draw(maybe(st.builds(x_xy.Options, gravity=maybe(vector(3)), dt=maybe(POSITIVE)))),
        worldbody=x_xy.Worldbody(body=draw(st.lists(bodies(), min_size=1, max_size=2))),
    )
    names = draw(
        st.lists(XML_TEXT.filter(lambda t: t.strip(" \t\r\n") != ""), min_size=40, max_size=40, unique=True)
    )
    for node, name in zip((n for n in root.walk() if isinstance(n, x_xy.Body)), names, strict=False):
        node.name = name
    return root


def bits(node: Node) -> list[str]:
    return [repr([getattr(n, name) for name in n.FIELDS]) for n in node.walk()]


@settings(max_examples=amount(120, 40), suppress_health_check=list(HealthCheck))
@given(documents())
def test_what_is_written_reads_back_equal(root: x_xy.XXy) -> None:
    text = pb.write(root)
    again = pb.read("again.xml", text=text)
    assert again == root
    assert bits(again) == bits(root), "equal to the last bit, zeros with their signs, children in order"
    assert pb.write(again) == text


def test_texts_orders_and_unusual_numbers() -> None:
    item = small.Item(name="a", class_="k", any=(math.inf, -math.inf), flags=(True, False), flag=True)
    box = small.Box(name="<&>\"'\t\n\r\u2028]]>")
    box.children = (
        small.Note(text=" a <b> & ]]> \r\n\t"),
        item,
        small.Box(name="x"),
        small.Note(),
        small.Item(a="1", shades=(small.Shade.DARK,), pose=small.Pose(text=(1, 2, 3, 4, 5, -0.0))),
    )
    root = small.Small(box=[box])
    again, findings = parse(pb.write(root), small.FORMAT)
    assert findings.items == []
    assert again == root
    assert str(again.box[0].item[1].pose.text[5]) == "-0.0"


@pytest.mark.parametrize("name", ["\x00", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_what_xml_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"body/@name: XML cannot represent the character U\+"):
        pb.write(x_xy.XXy(worldbody=x_xy.Worldbody(body=[x_xy.Body(name=name)])))


def test_values_of_other_types_are_refused() -> None:
    root = x_xy.XXy(options=x_xy.Options(dt=object()))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="options/@dt"):
        pb.write(root)


def test_a_list_of_nothing_is_written() -> None:
    text = '<mujoco><deformable><flex name="f" body="" vertex="" element=""/></deformable></mujoco>'
    root = pb.read("a.xml", text=text, policy="lenient")
    flex = root.deformable.flex[0]
    assert (flex.body, flex.vertex) == ((), ())
    assert ' body="" ' in pb.write(root)
    assert pb.read("a.xml", text=pb.write(root), policy="lenient") == root


def test_a_deep_document_is_written_and_read() -> None:
    depth = 5000
    text = "<x_xy><worldbody>" + "".join(f'<body name="{i}" joint="rx">' for i in range(depth))
    text += '<geom type="sphere" mass="1" dim="1"/>' + "</body>" * depth + "</worldbody></x_xy>"
    root = pb.read("deep.xml", text=text)
    assert pb.read("again.xml", text=pb.write(root)) == root


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("joint", x_xy.GeomType.BOX, "expected a Joint"),
        ("name", 5, "body/@name: 5 is not a value"),
        ("name", x_xy.Joint.RX, "body/@name"),
        ("pos", "0 0 1", "body/@pos: '0 0 1' is not a value"),
        ("pos", ("0", "0", "1"), "body/@pos"),
    ],
)
def test_values_of_another_type_are_refused_though_their_text_would_do(
    field: str, value: object, said: str
) -> None:
    body = x_xy.Body(name="a", joint=x_xy.Joint.RX)
    setattr(body, field, value)
    document = x_xy.XXy(worldbody=x_xy.Worldbody(body=[body]))
    for use in (pb.write, pb.validate, pb.lower):
        with pytest.raises(ValueError, match=re.escape(said)):
            use(document)


def test_keywords_may_be_texts_and_vectors_arrays() -> None:
    geom: Any = mjcf.Geom(type="box", size=np.array([0.1, 0.2, 0.3]), pos=[0, 0, 1])  # type: ignore[arg-type]
    document = mjcf.Mujoco(worldbody=mjcf.Worldbody(geom=[geom]))
    assert pb.validate(document) == []
    assert pb.write(document).count('type="box"') == pb.write(document).count('size="0.1 0.2 0.3"') == 1
    assert pb.lower(document).geom_size.tolist() == [[0.1, 0.2, 0.3]]
    geom.type = "boxx"
    (finding,) = pb.validate(document)
    assert "boxx" in finding.message
    assert finding.suggestion == "did you mean `box`?"


def test_a_deep_document_is_not_all_blanks() -> None:
    deep = x_xy.Body(name="0", joint=x_xy.Joint.FROZEN)
    document = x_xy.XXy(worldbody=x_xy.Worldbody(body=[deep]))
    for number in range(1, 2000):
        deep.body = [x_xy.Body(name=str(number), joint=x_xy.Joint.FROZEN)]
        (deep,) = deep.body
    text = pb.write(document)
    assert len(text) < 2000 * 200
    assert pb.read("deep.xml", text=text) == document


def test_a_path_of_bytes(tmp_path: Path) -> None:
    (finding,) = pb.check(bytes(tmp_path / "none.xml"))  # type: ignore[arg-type]
    assert finding.path == str(tmp_path / "none.xml")


@pytest.mark.parametrize(
    "text", ["<Robot file='a.xml'/>", "<robot file='a.xml'></robot>", "<Robot><KinBody/></Robot>"]
)
def test_a_robot_of_openrave_is_none_of_urdf(text: str) -> None:
    read = pb.read("m.xml", text=text, policy="lenient", format="openrave")
    assert pb.read("again.xml", text=pb.write(read), policy="lenient") == read
