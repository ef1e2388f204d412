"""Elements of MJCF in each release, as MuJoCo's libraries of these releases read them."""

from __future__ import annotations

from pathlib import Path

import polybody as pb
import pytest
from polybody import mjcf
from polybody.base import children_of

MODEL = """<mujoco>
  {default}
  <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>
  <worldbody>
    <camera name="cam" resolution="2 2"/>
    <body name="b">
      <joint name="j" range="-1 1" limited="true"/><geom name="g" size=".1"/><site name="s"/>
      <body name="c">
        <joint name="ball" type="ball"/><geom name="g2" size=".1" pos="1 0 0"/><site name="s2"/>
      </body>
    </body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
  <{section}>{element}</{section}>
</mujoco>"""
LINES = Path(__file__).with_name("mjcf_verdicts.txt").read_text(encoding="utf-8").splitlines()
RELEASES = LINES[1].removeprefix("# ").split()
VERDICTS = [line.split(" ", 1) for line in LINES if not line.startswith("#")]
ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"),
    *("dcmotor", "orientation", "pid"),
)

SECTIONS = {
    "headlight": "visual",
    "mesh": "asset",
    "spatial": "tendon",
    **dict.fromkeys(("camera", "flexcomp", "site"), "worldbody"),
}
"""Of elements that are not actuators or sensors."""


def model(text: str) -> str:
    """The model with an actuator, a sensor or another element, and what is before it in <default>."""
    default, end, element = text.rpartition("</default>")
    tag = element[1:].partition(" ")[0]
    section = "actuator" if tag in ACTUATORS else SECTIONS.get(tag, "sensor")
    return MODEL.format(default=default + end, section=section, element=element)


def errors(text: str, release: str) -> list[tuple[str, str]]:
    """Codes and messages of the errors of a document."""
    try:
        pb.read("model.xml", text=text, release=release)
    except pb.ValidationError as error:
        return [(each.code, each.message) for each in error.diagnostics if each.severity == "error"]
    return []


@pytest.mark.parametrize("place", range(len(RELEASES)), ids=RELEASES)
@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_what_a_release_reads(place: int) -> None:
    wrong = []
    for verdicts, text in VERDICTS:
        found = errors(model(text), RELEASES[place])
        if verdicts[place] in ("xr" if not found else "y"):
            wrong.append((text, verdicts[place], found))
    assert wrong == []


def test_both_verdicts_are_tried_in_every_release() -> None:
    for place, release in enumerate(RELEASES):
        said = [verdicts[place] for verdicts, _ in VERDICTS]
        assert min(said.count("y"), said.count("x")) > 1, release
    assert len(VERDICTS) > 200


@pytest.mark.parametrize(
    ("text", "release", "message"),
    [
        ('<contact data="force found"/>', "4.0", "in this order, each once: `found force`"),
        ('<rangefinder site="s" data="dist dist"/>', "4.0", "in this order, each once: `dist`"),
        ('<contact data="found angvel"/>', "3.15.0", "is new in mjcf 3.16.0; this is 3.15.0"),
        ('<dcmotor joint="j" nominal="1 1 1" input="position"/>', "3.12.0", "exists until mjcf 3.11.0"),
        ('<dcmotor joint="j" resistance="1"/>', "4.0", "`motorconst`"),
        ('<general joint="j" gaintype="dcmotor"/>', "3.3.7", "new in mjcf 3.7.0; this is 3.3.7"),
    ],
)
def test_an_error_says_what_to_do(text: str, release: str, message: str) -> None:
    found = errors(model(text), release)
    assert len(found) == 1
    assert message in found[0][1]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('<pid joint="j"/>', {"kp": 1.0, "input": ("pos", "vel"), "posrange": (0.0, 0.0), "delay": 0.0}),
        ('<dcmotor joint="j" nominal="1 2 3"/>', {"input": ("voltage",), "lugre": (0.0,) * 5}),
        ('<motor joint="j" damping="1 2"/>', {"damping": (1.0, 2.0), "interp": "zoh", "nsample": 0}),
        ('<orientation joint="ball"/>', {"input": "expmap", "kv": 0.0}),
        ('<contact geom1="g"/>', {"data": ("found",), "num": 1, "reduce": "none", "interval": (0.0, 0.0)}),
        ('<insidesite site="s" objtype="geom" objname="g"/>', {"enclosed": False}),
    ],
)
@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_values_and_their_defaults(text: str, fields: dict[str, object]) -> None:
    document = pb.read("model.xml", text=model(text), release="4.0")
    node = children_of(document.actuator or document.sensor)[0]  # type: ignore[attr-defined]
    resolved = pb.resolve(document)
    assert {name: resolved.get(node, name) for name in fields} == fields


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_what_is_read_is_written() -> None:
    for verdicts, text in VERDICTS:
        if verdicts[-1] == "y":
            document = pb.read("model.xml", text=model(text), release="4.0")
            assert isinstance(document, mjcf.Mujoco)
            again = pb.read("model.xml", text=pb.write(document), release="4.0")
            assert pb.write(again) == pb.write(document)
            assert document == again, text
