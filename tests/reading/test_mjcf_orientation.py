"""Which of several orientations takes effect, written or from defaults: MuJoCo's results."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import mujoco
import numpy as np
import polybody as pb
import pytest

WAYS = {
    "fromto": 'fromto="0 0 0 1 0 0"',
    "axisangle": 'axisangle="0 1 0 90"',
    "xyaxes": 'xyaxes="0 1 0 -1 0 0"',
    "zaxis": 'zaxis="0 1 0"',
    "euler": 'euler="90 0 0"',
    "quat": 'quat="0 1 0 0"',
}
SHAPE = 'type="capsule" size="0.1 0.2"'


def document(tag: str, written: str, outer: str = "", inner: str = "") -> str:
    """A shape, with defaults of its class and of the enclosing class."""
    shape = "" if tag == "camera" else SHAPE
    classes = f'<{tag} {outer}/>\n<default class="c"><{tag} {inner}/></default>'
    geom = "" if tag == "geom" else '<geom size="1"/>'
    body = f'<body>{geom}\n<{tag} class="c" {shape} {written}/></body>'
    return f"<mujoco>\n<default>\n{classes}</default>\n<worldbody>{body}</worldbody></mujoco>\n"


def compiled(tag: str, text: str) -> Any:
    model = mujoco.MjModel.from_xml_string(text)
    return getattr(model, {"geom": "geom_quat", "site": "site_quat", "camera": "cam_quat"}[tag])[-1]


def counting(tag: str, text: str) -> str:
    """The way that takes effect: the end points, else a way other than a quaternion that is not hidden, else
    the quaternion.
    """
    read = pb.read("m.xml", text=text)
    resolved = pb.resolve(read)
    node = getattr(read.worldbody.body[0], tag)[-1]
    ways = [name for name in WAYS if name != "fromto" or tag != "camera"]
    return next(name for name in ways if resolved.value(node, name).origin != "schema")


CASES = [
    (tag, *ways)
    for tag in ("geom", "site", "camera")
    for ways in permutations([name for name in WAYS if name != "fromto" or tag != "camera"], 3)
    if tag == "geom" or ways[0] < ways[2]  # all for one, half of them for the others
]


@pytest.mark.parametrize("tag", ["geom", "site", "camera"])
def test_the_way_that_counts_is_the_one_of_mujoco(tag: str) -> None:
    """Three ways: one written, one from the class, one from the enclosing class."""
    for _, written, inner, outer in (case for case in CASES if case[0] == tag):
        text = document(tag, WAYS[written], WAYS[outer], WAYS[inner])
        alone = document(tag, WAYS[counting(tag, text)])
        np.testing.assert_allclose(compiled(tag, text), compiled(tag, alone), atol=1e-12, err_msg=text)


def test_what_does_not_count_is_a_warning_that_names_the_defaults() -> None:
    def said(text: str) -> list[tuple[str, str]]:
        return [(each.code, each.message) for each in pb.check("m.xml", text=text)]

    ((code, message),) = said(document("geom", WAYS["quat"], outer=WAYS["euler"]))
    assert (code, message) == (
        "PB027",
        "`quat` has no effect on a <geom> with `euler` from the defaults at line 3",
    )
    ((code, message),) = said(document("site", WAYS["euler"] + " " + WAYS["fromto"]))
    assert (code, message) == ("PB027", "`euler` has no effect on a <site> with `fromto`")
    assert said(document("geom", WAYS["euler"], outer=WAYS["quat"], inner=WAYS["zaxis"])) == []
    ((code, message),) = said(document("geom", WAYS["euler"] + " " + WAYS["quat"]))
    assert code == "PB022"  # and not the finding that one of them has no effect


ENDS = WAYS["fromto"]
REFUSED = {
    "position": (f'{SHAPE} {ENDS} pos="1 0 0"', "", "PB022"),
    "position of the defaults": (f"{SHAPE} {ENDS}", 'pos="1 0 0"', "PB022"),
    "ends of the defaults": (f'{SHAPE} pos="1 0 0"', ENDS, "PB022"),
    "a sphere": (f'size="1" {ENDS}', "", "PB024"),
    "one point": (f'{SHAPE} fromto="1 0 0 1 0 0"', "", "PB024"),
}


@pytest.mark.parametrize(("written", "defaults", "code"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("tag", ["geom", "site"])
def test_what_ends_exclude(tag: str, written: str, defaults: str, code: str) -> None:
    text = document(tag, written, defaults).replace(SHAPE, "", 1)
    with pytest.raises(ValueError, match="fromto"):
        mujoco.MjModel.from_xml_string(text)
    assert [each.code for each in pb.check("m.xml", text=text)] == [code]


def test_ends_and_a_mesh() -> None:
    mesh = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
    text = document("geom", f'{ENDS} mesh="m"').replace("<worldbody>", mesh + "<worldbody>")
    with pytest.raises(ValueError, match="fromto cannot be used with mesh"):
        mujoco.MjModel.from_xml_string(text)
    assert [each.code for each in pb.check("m.xml", text=text)] == ["PB022"]


def test_of_other_groups_too_the_nearest_counts() -> None:
    """A gain from defaults has no value if another, written one excludes it."""
    text = (
        '<mujoco><default><position kv="5"/></default>'
        '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        '<actuator><position joint="j" dampratio="1"/></actuator></mujoco>'
    )
    alone = text.replace('kv="5"', "")
    bias = [mujoco.MjModel.from_xml_string(each).actuator_biasprm[0, 2] for each in (text, alone)]
    assert bias[0] == bias[1] != 0
    read = pb.read("m.xml", text=text)
    assert pb.resolve(read).value(read.actuator.position[0], "kv").origin == "schema"
