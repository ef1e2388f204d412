"""Errors name a milder policy only if it accepts the document; what was removed is said with its release."""

from __future__ import annotations

from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.base.releases import is_in
from polybody.document.removed import REMOVED
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering import lowered

BODY = (
    '<mujoco>%s<worldbody><body><joint name="j" axis="0 0 1"%s/><geom size=".1"/></body></worldbody>%s'
    "</mujoco>"
)
WEIGHTLESS = (
    '<mujoco><worldbody><body name="anchor"><freejoint/><body><joint/><geom size=".1"/></body></body>'
    "</worldbody></mujoco>"
)
IMPOSSIBLE = (
    '<mujoco><worldbody><body><inertial pos="0 0 0" mass=".02" diaginertia="1.4e-6 2e-7 8e-7"/><joint/>'
    "</body></worldbody></mujoco>"
)
SUSPENDED = (
    '<sdf version="1.6"><model name="m"><link name="a"/><link name="b"/>'
    '<joint name="j" type="revolute2"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>'
    "<axis2><xyz>0 1 0</xyz></axis2></joint></model></sdf>"
)
REFUSED = {
    "no mass": ("mjcf", WEIGHTLESS),
    "no range to inherit": (
        "mjcf",
        BODY % ("", "", '<actuator><position joint="j" kp="1" inheritrange="1"/></actuator>'),
    ),
    "a removed plugin": (
        "mjcf",
        BODY % ('<extension><plugin plugin="mujoco.elasticity.solid"/></extension>', "", ""),
    ),
    "a range without limited": ("mjcf", BODY % ('<compiler autolimits="false"/>', ' range="-1 1"', "")),
    "impossible moments": ("mjcf", IMPOSSIBLE),
    "a joint of two axes": ("sdf", SUSPENDED),
}
"""Documents that `lenient` does not load either, although none of their findings is an error then."""


@pytest.mark.parametrize("name", REFUSED)
def test_no_policy_is_named_that_refuses_the_document_too(name: str) -> None:
    form, text = REFUSED[name]
    with pytest.raises(pb.ValidationError) as strict:
        pb.load(f"m.{form}", text=text)
    try:
        pb.load(f"m.{form}", text=text, policy="lenient")
    except (pb.ValidationError, pb.ModelError):
        assert strict.value.accepting is None
        assert "--policy" not in str(strict.value)
    else:
        assert strict.value.accepting == "lenient"


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_a_policy_that_accepts_is_named() -> None:
    text = BODY % ("", ' dampng="1"', "")
    for failing in (lambda: pb.load("m.xml", text=text), lambda: pb.read("m.xml", text=text)):
        with pytest.raises(pb.ValidationError, match="--policy lenient"):
            failing()
    with pytest.raises(pb.ValidationError, match="--policy warn"):
        pb.load("r.urdf", text='<robot name="r" zz="1"><link name="a"/></robot>', policy="strict")
    nameless = '<robot><link name="a"/></robot>'
    for document, accepting in (
        (pb.read("m.xml", text=WEIGHTLESS, policy="lenient"), None),
        (pb.read("r.urdf", text=nameless, policy="lenient"), "lenient"),
    ):
        with pytest.raises(pb.ValidationError) as caught:
            lowered(document)
        assert caught.value.accepting == accepting


def removed_document(place: str) -> str:
    """An MJCF document with what was removed at a place."""
    tag, _, rest = place.partition("/")
    name, _, value = rest.removeprefix("@").partition("=")
    inside = f'<{tag} {name}="{value or 1}"/>' if rest.startswith("@") else f"<{tag}><{name}/></{tag}>"
    around = {
        "flag": "<option>%s</option>",
        "material": "<asset>%s</asset>",
        "plugin": "<extension>%s</extension>" if value else "<worldbody><body>%s</body></worldbody>",
        "joint": "<worldbody><body>%s</body></worldbody>",
        "composite": "<worldbody><body>%s</body></worldbody>",
    }
    return f"<mujoco>{around.get(tag, '%s') % inside}</mujoco>"


@pytest.mark.parametrize("place", REMOVED["mjcf"])
def test_what_was_removed_is_said_with_its_release(place: str) -> None:
    gone = REMOVED["mjcf"][place]
    text = removed_document(place)
    release = "auto" if is_in("3.2.7", gone.release, None) else gone.release
    said = pb.check("m.xml", "warn", text=text, release=release)
    found = [each for each in said if gone.release in each.message]
    assert [(str(each.severity), each.suggestion) for each in found] == [("error", gone.instead)]


@pytest.mark.parametrize("place", [each for each in REMOVED["mjcf"] if "=" in each and "plugin" not in each])
def test_no_policy_reads_a_removed_keyword_as_something_else(place: str) -> None:
    """Positions in the frame of the world would be read as positions in the parent's, for example."""
    text = removed_document(place)
    for policy in ("strict", "warn", "lenient"):
        found = [each for each in pb.check("m.xml", policy, text=text) if each.code == "PB018"]
        assert [each.severity for each in found] == ["error"]
        with pytest.raises(pb.ValidationError, match="was removed in MuJoCo") as caught:
            pb.load("m.xml", text=text, policy=policy)
        assert caught.value.accepting is None


def test_what_was_removed_is_not_part_of_the_format() -> None:
    for place, gone in REMOVED["mjcf"].items():
        tag, _, rest = place.partition("/")
        rows = [row for row in FORMAT.elements.values() if row.tag == tag]
        known = {each.name for row in rows for each in row.attributes}
        if rest.startswith("@") and "=" not in rest and tag != "plugin":
            assert rest[1:] not in known, place
        assert gone.now in (known | {""}), place


def test_fix_changes_no_removed_name(tmp_path: Path) -> None:
    from polybody.cli import app

    file = tmp_path / "old.xml"
    text = (
        '<mujoco>\n  <option collision="predefined" mpr_iterations="5" timestp="0.1">\n'
        '    <flag sensornoise="enable"/>\n  </option>\n</mujoco>\n'
    )
    file.write_text(text)
    assert CliRunner().invoke(app, ["fix", str(file)]).exit_code == 0
    assert file.read_text() == text.replace("timestp", "timestep")
