"""Parts of documents of later releases that act and are not simulated: refused where they are."""

from __future__ import annotations

import warnings
from pathlib import Path

import polybody as pb
import pytest

BODY = '<body><joint name="j"{}/><geom size=".1"/></body>'
MESH = '<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset>'
ASLEEP = '<option>\n<flag sleep="enable"/></option>'


def document(option: str = "", joint: str = "", above: str = "") -> str:
    return f"<mujoco>{option}{above}\n<worldbody>{BODY.format(joint)}</worldbody></mujoco>"


def refused(text: str, **words: str) -> list[str]:
    """The errors of making a Model."""
    with pytest.raises(pb.ValidationError) as caught:
        pb.load("m.xml", text=text, **words)
    return [str(each) for each in caught.value.diagnostics if each.severity == "error"]


def test_a_value_is_refused_at_its_line() -> None:
    (found,) = refused(document(ASLEEP))
    assert found == "m.xml:2:7: PB064 error: `sleep` of <flag> is not simulated: bodies do not sleep yet"


def test_its_default_does_not_act() -> None:
    model = pb.load("m.xml", text=document(ASLEEP.replace("enable", "disable")), release="4.0")
    assert model.opt_release == "4.0"


def test_a_keyword_is_refused_at_its_line() -> None:
    (found,) = refused(document('<option\nintegrator="discrete"/>'))
    assert found.startswith("m.xml:2:1: PB064 error: `discrete` for `integrator` of <option> is not")


@pytest.mark.parametrize("used", [True, False])
def test_a_class_acts_where_it_is_used(used: bool) -> None:
    default = '<default><default class="c">\n<site mesh="m"/></default></default>' + MESH
    text = document("", '/><site class="c"' if used else "/><site", default)
    if used:
        (found,) = refused(text)
        assert found.startswith("m.xml:2:7: PB064 error: `mesh` of <site> is not simulated: ")
    else:
        assert pb.load("m.xml", text=text).opt_release == "4.0"


def test_several_are_one_error() -> None:
    (found,) = refused(document("", '/><site mesh="m"/><site mesh="m"', MESH))
    assert "is not simulated (written 2 times)" in found


@pytest.mark.parametrize("kind", ["included", "attached"])
def test_other_files_count(kind: str, tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(document('<option\nintegrator="discrete"/>').replace('name="j"', ""))
    including = '<include file="part.xml"/>'
    if kind == "attached":
        including = '<asset><model name="part" file="part.xml"/></asset>'
    (tmp_path / "m.xml").write_text(document("", "", including))
    with pytest.raises(pb.ValidationError, match=r"part.xml:2:1: PB064.*`discrete`"):
        pb.load(tmp_path / "m.xml")


def test_such_a_document_is_checked_but_not_judged() -> None:
    found = pb.check("m.xml", text=document(ASLEEP))
    assert [(each.code, each.severity) for each in found] == [("PB094", "info"), ("PB122", "warning")]
    assert found[1].message.startswith("the Model is not judged: `sleep` of <flag> is not simulated")


def test_what_changed_between_the_two_is_said() -> None:
    text = document().replace("<geom ", '<geom gap="1" ')
    message = r"3.8.1 is simulated as MuJoCo 4.0; from 3.8.1 to 4.0 this changed: `gap` of <geom> \(line 2\)"
    with pytest.warns(pb.ModelWarning, match=message):
        pb.load("m.xml", text=text, release="3.8")


def test_another_release_is_simulated_as_the_newest_and_says_so() -> None:
    with pytest.warns(pb.ModelWarning, match="mjcf 3.8.1 is simulated as MuJoCo 4.0"):
        model = pb.load("m.xml", text=document(), release="3.8")
    assert model.opt_release == "4.0"
    for release in ("3.2.7", "4.0"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert pb.load("m.xml", text=document(), release=release).opt_release == release


@pytest.mark.parametrize(
    ("flex", "words"),
    [
        ('<elasticity young="1e4"/><contact contype="0" conaffinity="0"/>', "an elastic flex"),
        ("", "a flex with contacts"),
    ],
)
def test_flexes_are_refused_before_anything_moves(flex: str, words: str) -> None:
    size = 'type="grid" count="3 3 1" spacing=".1 .1 .1" radius=".01" mass="1"'
    text = f'<mujoco>\n<worldbody><flexcomp name="f" {size}>{flex}</flexcomp></worldbody></mujoco>'
    for release in ("3.2.7", "4.0"):
        model = pb.load("m.xml", text=text, release=release)
        if release == "4.0":
            with pytest.raises(pb.ModelError, match=rf"{words} as of MuJoCo 4.0 is not.*m.xml:2:12"):
                pb.step(model, pb.Data(model))
        else:
            pb.step(model, pb.Data(model))
