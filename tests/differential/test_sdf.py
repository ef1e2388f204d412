"""SDFormat against Drake: one small file for each feature that is rare in public files."""

from __future__ import annotations

from pathlib import Path

import polybody as pb
import pytest

from tests.amounts import some
from tests.differential import drake
from tests.differential.report import summary, text
from tests.differential.sdf_models import (
    BALL,
    BUSHING,
    FRAMES,
    MODELS,
    PLANAR,
    ROBOT,
    SPRING,
    UNIVERSAL,
    A,
    B,
    joint,
    link,
    model,
    nested,
    sdf,
    weighed,
)
from tests.oracles import drake_plant
from tests.oracles.random_sdf import KINDS, write_folder


def agrees(path: Path) -> dict[str, float]:
    """Compare a file; returns the worst errors."""
    found = drake.compare(path, drake_plant.ask(path), {})
    report = summary([found], drake.TOLERANCES)
    wrong = [entry for row in report["quantities"] for entry in row["failures"]]
    assert (wrong, found.refused, found.skipped) == ([], "", "")
    return found.errors


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(MODELS[name])
    assert {"mass", "poses"} <= set(agrees(path))


def mimicked(**said: str) -> str:
    """A joint with a <mimic> element of the given content."""
    written = " ".join(f'{name}="{value}"' for name, value in said.items())
    more = joint("revolute", "b", "c", "k").replace("</joint>", f"<drake:mimic {written}/></joint>")
    return model(A + B + joint("revolute", "a", "b") + link("c") + "\n" + more)


MIMIC = {"joint": "j", "multiplier": "2", "offset": ".1"}


def hinge(more: str = "", axis: str = "0 0 1", kind: str = "revolute", version: str = "1.9") -> str:
    return model(A + B + "\n" + joint(kind, "a", "b", axis=axis, more=more), version=version)


def without(text: str, tag: str) -> str:
    """A text without one of its leaves."""
    start = text.index(f"<{tag}>")
    return text[:start] + text[text.index(f"</{tag}>") + len(tag) + 3 :]


REFUSED: dict[str, str] = {
    "an unknown element": model(A + "\n<foo/>"),
    "two models": sdf(f'<model name="m">{A}</model>\n<model name="n">{A}</model>'),
    "a model beside a world": sdf(f'<model name="n">{A}</model>\n<world name="w"/>'),
    "a model without a link": sdf('\n<model name="m"></model>'),
    "a frame of a link's name": model(A + '\n<frame name="a"/>'),
    "a name upwards": model(A + f'<model name="n">{B}\n{joint("revolute", "m::a", "b")}</model>'),
    "models of one name": sdf(
        f'<world name="w"><model name="m">{A}</model>\n<model name="m">{A}</model></world>'
    ),
    "a quaternion in degrees": model(
        '<link name="a">\n<pose degrees="true" rotation_format="quat_xyzw">0 0 0 0 0 0 1</pose></link>'
    ),
    "a pose of five numbers": model('<link name="a">\n<pose>0 0 0 0 0</pose></link>'),
    "an unknown canonical link": sdf(f'\n<model name="m" canonical_link="z">{A}</model>'),
    "a circle of frames": model(A + '\n<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>'),
    "an unknown frame": model(A + '\n<frame name="f" attached_to="g"/>'),
    "a world's joint to the world": sdf(
        f'<world name="w"><model name="one">{A}</model><joint name="x" type="fixed"><parent>one::a</parent>'
        "\n<child>world</child></joint></world>",
        "1.11",
    ),
    "the world as a child": model(
        A + '<joint name="j" type="fixed"><parent>a</parent>\n<child>world</child></joint>'
    ),
    "computed inertia with a pose": model(weighed("box", more="\n<pose>1 0 0 0 0 0</pose>")),
    "planar and floating are no joints": hinge(kind="planar"),
    "floating is no joint": hinge(kind="floating"),
    "a hinge without an axis": model(A + B + "\n" + joint("revolute", "a", "b", axis="")),
    "a zero axis": hinge(axis="0 0 0"),
    "an axis shorter than 1e-6": hinge(axis="0 0 5e-7"),
    "axes at no right angle": model(A + B + "\n" + UNIVERSAL.replace("1 0 0", "1 1 0")),
    "one axis of a universal joint": hinge(kind="universal"),
    "inverted bounds": hinge("<limit><lower>1</lower><upper>-1</upper></limit>"),
    "a bound that is no number": hinge("<limit><lower>nan</lower></limit>"),
    "a negative acceleration": hinge("<limit><drake:acceleration>-1</drake:acceleration></limit>"),
    "negative damping": hinge("<dynamics><damping>-1</damping></dynamics>"),
    **{
        f"a negative spring of a {kind} joint": hinge(
            "<dynamics><spring_stiffness>-1</spring_stiffness></dynamics>", kind=kind
        )
        for kind in ("revolute", "prismatic", "continuous")
    },
    **{
        f"a mimic without its {name}": mimicked(**{each: MIMIC[each] for each in MIMIC if each != name})
        for name in MIMIC
    },
    "a mimic of an axis that is not there": model(
        A + B + joint("revolute", "a", "b") + link("c") + "\n"
        + joint("revolute", "b", "c", "k", more='<mimic joint="j" axis="axis2"/>'),
        version="1.11",
    ),
    "a former state": sdf(
        f'<world name="w"><model name="m">{A}</model>'
        '<state world_name="w">\n<model name="m"/></state></world>',
        "1.12",
    ),
    "an unknown part of a state": model(A + '<model_state name="m">\n<links/></model_state>', version="1.12"),
    "a parameter of computed inertia without a prefix": model(
        weighed("box", more="<auto_inertia_params>\n<size>1</size></auto_inertia_params>"), version="1.11"
    ),
    "a planar joint on the world": model(A + B + FRAMES + "\n" + PLANAR.replace(">f<", ">world<")),
    "a planar joint without damping": model(A + B + FRAMES + "\n" + without(PLANAR, "drake:damping")),
    "a planar joint with a pose": model(
        A + B + FRAMES + PLANAR.replace("<drake:damping>", "\n<pose>1 0 0 0 0 0</pose><drake:damping>")
    ),
    "a bushing without a damping": model(
        A + B + FRAMES + "\n" + without(BUSHING, "drake:bushing_torque_damping")
    ),
    "a bushing of negative stiffness": model(A + B + FRAMES + "\n" + BUSHING.replace("4 5 6", "-4 5 6")),
    "a spring of no length": model(A + B + "\n" + SPRING.replace(">.4<", ">0<")),
    "a spring of negative stiffness": model(A + B + "\n" + SPRING.replace(">7<", ">-7<")),
    "a spring to a link of a nested model": model(
        A + f'<model name="n">{link("c")}</model>\n' + SPRING.replace("B>b<", "B>n::c<")
    ),
    "a ball constraint on the world": model(A + B + "\n" + BALL.replace(">a<", ">world<")),
    "a ball constraint without a point": model(A + B + "\n" + without(BALL, "drake:ball_constraint_p_AP")),
}
"""A file that Drake does not load either; the fault is in its second line."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_drake_refuses_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sdf"
    path.write_text(REFUSED[name])
    with pytest.raises((RuntimeError, ValueError, SystemExit)):  # the last: a failed assertion
        drake_plant.ask(path)
    with pytest.raises(pb.ValidationError) as caught:
        drake.made_of(path, {})
    assert 2 in {each.line for each in caught.value.diagnostics if each.severity == "error"}


def test_random_files_agree(tmp_path: Path) -> None:
    every = write_folder(tmp_path / "random", count=30, seed=4)
    texts = "".join(path.read_text() for path in every)
    assert all(f'type="{kind}"' in texts for kind in KINDS)
    found = drake.compare_files(some(every, 5), seed=0, workers=2, steps=0)
    report = summary(found, drake.TOLERANCES, engine=drake.ENGINE, seed=0)
    assert report["ok"], text(report)
    assert not any(each.refused or each.skipped for each in found), text(report)


PART = model(
    "<pose>.1 .2 .3 .1 .2 .3</pose>"
    + A
    + B
    + joint("revolute", "a", "b")
    + '<frame name="f" attached_to="b"><pose>.1 0 0 0 .2 0</pose></frame>'
    + '<frame name="e"><pose relative_to="__model__">0 0 1 0 0 0</pose></frame>',
    "part",
)
SCENE = model(
    "<pose>.1 .2 .3 .1 .2 .3</pose>"
    + nested()
    + '<frame name="f" attached_to="n"><pose>1 0 0 0 0 .2</pose></frame>',
    "scene",
)
"""Its frame is attached to a model: Drake misplaces one that is attached to nothing if a world merges it."""
STATIC = "<static>true</static>"
FILES = {
    "part.sdf": PART,
    "robot.urdf": ROBOT,
    "scene.sdf": SCENE,
    "static.sdf": PART.replace("<link", STATIC + "<link", 1),
    "fixed.sdf": model(STATIC + link("p") + link("q") + joint("fixed", "p", "q", axis=""), "part"),
}


def include(uri: str, more: str = "", attributes: str = "") -> str:
    return f"<include {attributes}><uri>package://parts/{uri}</uri>{more}</include>"


MERGED = 'merge="true"'
POSE = "<pose>1 2 3 .4 .5 .6</pose>"
INCLUDES = {
    "include": model(A + include("part.sdf")),
    "include with a pose": model(A + include("part.sdf", POSE)),
    "include with a name": model(
        A + include("part.sdf", "<name>x</name>") + include("part.sdf", "<name>y</name>" + POSE)
    ),
    "include placed by a frame": model(
        A + include("part.sdf", POSE + "<placement_frame>f</placement_frame>")
    ),
    "include with joints": model(
        link("c") + include("part.sdf", POSE) + joint("revolute", "c", "part::f", "k")
    ),
    "include relative to a frame": model(
        A
        + '<frame name="g"><pose>0 1 0 0 .3 0</pose></frame>'
        + include("part.sdf", '<pose relative_to="g">1 0 0 0 0 .2</pose>')
    ),
    "merge": model(link("c") + include("part.sdf", "", 'merge="true"') + joint("revolute", "c", "b", "k")),
    "merge with a pose": model(link("c") + include("part.sdf", POSE, 'merge="true"')),
    "merge placed by a frame": model(
        link("c") + include("part.sdf", POSE + "<placement_frame>f</placement_frame>", 'merge="true"')
    ),
    "merge in a model in a model": model(
        link("c") + f'<model name="n">{POSE}{include("part.sdf", "", MERGED)}</model>'
    ),
    "merge of a static model that moves": model(link("c") + include("static.sdf", POSE, MERGED)),
    "merge that says static": model(link("c") + include("part.sdf", STATIC + POSE, MERGED)),
    "merge of fixed links that says not static": model(
        link("c") + include("fixed.sdf", "<static>false</static>" + POSE, MERGED)
    ),
    "merge of fixed links": model(
        link("c") + include("fixed.sdf", POSE, MERGED) + joint("revolute", "c", "q", "k")
    ),
    "merge into a static model": model(
        f'<model name="n">{STATIC}{link("c")}{include("fixed.sdf", "<static>false</static>" + POSE, MERGED)}'
        f"</model>{link('d')}"
    ),
    "include in a world": sdf(
        '<world name="w">' + include("part.sdf", "<name>x</name>") + include("part.sdf", POSE) + "</world>"
    ),
    "a robot of URDF": model(link("c") + include("robot.urdf", POSE)),
    "a robot of URDF with a joint": model(
        link("c") + include("robot.urdf", POSE) + joint("fixed", "c", "r::u", "w", axis="")
    ),
    "a robot of URDF, merged": model(
        link("c") + include("robot.urdf", "", 'merge="true"') + joint("revolute", "c", "u", "j")
    ),
    "models merged into a world": sdf(
        f'<world name="w">{include("scene.sdf", POSE, MERGED)}</world>', "1.10"
    ),
}


@pytest.mark.parametrize("name", INCLUDES)
def test_what_is_included_is_as_drake_has_it(name: str, tmp_path: Path) -> None:
    for file, written in FILES.items():
        (tmp_path / file).write_text(written)
    path = tmp_path / "model.sdf"
    path.write_text(INCLUDES[name])
    packages = {"parts": str(tmp_path)}
    found = drake.compare(path, drake_plant.ask(path, packages=packages), packages)
    report = summary([found], drake.TOLERANCES)
    assert not found.refused
    assert [entry for row in report["quantities"] for entry in row["failures"]] == []
    assert {"names", "start", "poses", "acceleration"} <= set(found.errors)


MOVING = nested() + nested().replace('"n"', '"o"') + joint("revolute", "n", "o")


@pytest.mark.parametrize("inside", [A, MOVING])
def test_what_drake_merges_into_no_world_is_refused(inside: str, tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text(model(inside))
    path = tmp_path / "world.sdf"
    path.write_text(sdf(f'<world name="w">\n{include("part.sdf", "", MERGED)}</world>', "1.12"))
    packages = {"parts": str(tmp_path)}
    with pytest.raises(RuntimeError):
        drake_plant.ask(path, packages=packages)
    with pytest.raises(pb.ValidationError) as caught:
        drake.made_of(path, packages)
    assert ("PB083", 2) in {(each.code, each.line) for each in caught.value.diagnostics}
