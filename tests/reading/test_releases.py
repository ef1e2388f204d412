"""Documents of a format with releases: as which release they are read, and what another one lacks."""

from __future__ import annotations

import copy
import pickle
import warnings
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody import mjcf
from polybody.base import at_release
from polybody.cli import app
from polybody.document.differences import differing, oldest
from polybody.document.registry import format_of
from polybody.errors import NoReleaseError, OptionError
from polybody.reading import as_written

NEWEST = mjcf.Mujoco.RELEASES[-1]


def document(tendon: str = "", option: str = "", extra: str = "") -> str:
    return (
        f"<mujoco>\n<option {option}/>\n"
        '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>\n'
        f'<tendon><fixed {tendon}><joint joint="j" coef="1"/></fixed></tendon>{extra}\n</mujoco>\n'
    )


ARMATURE, POLYNOMIAL, OLD = 'armature="1"', 'stiffness="1 2"', 'apirate="5"'
"""Since 3.3.1, since 3.7.0, and until 3.3.6."""

FREE = '<worldbody><body><freejoint/><geom size="1"/></body></worldbody>'


def read(text: str, **how: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        return pb.read("m.xml", text=text, **how)


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (document(), "3.2.7"),
        (document(option=OLD), "3.2.7"),
        (document(ARMATURE), NEWEST),
        (document(POLYNOMIAL), NEWEST),
        (document(ARMATURE, OLD), "3.3.6"),
    ],
)
def test_the_release_follows_from_names_and_types(text: str, release: str) -> None:
    assert read(text).release == release
    assert read(text, policy="strict").release == release


def test_values_make_no_difference() -> None:
    for text in (document('stiffness="x"'), document('stiffness="1 2 3 4"'), document('damping="-1"')):
        assert {d.code for d in pb.check("m.xml", text=text, model=False)}.isdisjoint({"PB093", "PB094"})


def test_a_typo_leaves_the_first_release() -> None:
    found = pb.check("m.xml", text=document(ARMATURE, 'gravty="0 0 0"'), model=False)
    assert [(d.code, d.line) for d in found] == [("PB012", 2), ("PB029", 4)]
    assert found[1].message == "`armature` of <fixed> is new in mjcf 3.3.1; this is 3.2.7"
    assert found[1].suggestion == f'with release="{NEWEST}" (--release {NEWEST}), it is known'


@pytest.mark.parametrize("release", ["auto", "3.2.7", "4.0"])
def test_parts_that_exclude_each_other_are_both_named(release: str) -> None:
    found = pb.check("m.xml", text=document(POLYNOMIAL, OLD), release=release, model=False)
    (apart,) = (d for d in found if d.code == "PB093")
    assert "`apirate` of <option> (until 3.3.6)" in apart.message
    assert "`1 2` for `stiffness` of <fixed> (since 3.7.0)" in apart.message
    assert (apart.line, apart.related) == (4, ("m.xml:2:9",))


def test_what_a_release_no_longer_has_says_until_when() -> None:
    (found,) = pb.check("m.xml", text=document(option=OLD), release="4.0", model=False)
    assert found.message == "`apirate` of <option> exists until mjcf 3.3.6; this is 4.0"
    assert 'release="3.3.6"' in str(found.suggestion)


@pytest.mark.parametrize(
    ("name", "release"),
    [
        *(("3.2.7", "3.2.7"), ("3.3", "3.3.7"), ("3.8", "3.8.1"), ("3", "3.17.0"), ("4.0", "4.0")),
        ("4.0.1", "4.0"),
    ],
)
def test_a_release_is_named_in_full_or_by_its_beginning(name: str, release: str) -> None:
    assert read(document(), release=name).release == release


@pytest.mark.parametrize("name", ["", "3.2.6", "5", "x", "4.0.x", None])
def test_an_unknown_release_lists_the_known_ones(name: Any) -> None:
    known = rf"no release .*; its releases are 3\.2\.7, 3\.3\.0.*, {NEWEST}, or auto"
    with pytest.raises(OptionError, match=known):
        pb.read("m.xml", text=document(), release=name)


def test_other_formats_have_no_releases() -> None:
    robot = '<robot name="r"><link name="a"/></robot>'
    for call in (pb.read, pb.load, pb.check):
        with pytest.raises(NoReleaseError, match="is for mjcf; urdf has no releases"):
            call("r.urdf", text=robot, release="4.0")
    urdf = pb.read("r.urdf", text=robot)
    for verb in (pb.validate, pb.lower, pb.write):
        with pytest.raises(NoReleaseError):
            verb(urdf, release="4.0")


def test_the_warning_and_the_finding_name_the_line_and_what_changes() -> None:
    text = document(ARMATURE, 'integrator="RK4"', f'<equality><weld body1="world"/></equality>{FREE}')
    with pytest.warns(pb.ModelWarning, match=rf"m\.xml:4:16: read as mjcf {NEWEST}, not 3\.2\.7: `armature`"):
        pb.read("m.xml", text=text, policy="lenient")
    (said,) = (d for d in pb.check("m.xml", text=text, model=False) if d.code == "PB094")
    assert said.severity == "info"
    assert "`integrator` of <option> (line 2): ball and free joints" in said.message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pb.read("m.xml", text=document(ARMATURE), release="4.0")


def test_included_files_and_attached_models_count(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(document(ARMATURE))
    main = tmp_path / "main.xml"
    main.write_text('<mujoco>\n<include file="part.xml"/>\n</mujoco>')
    assert as_written(main).release == NEWEST
    main.write_text('<mujoco>\n<asset><model file="part.xml" name="part"/></asset>\n</mujoco>')
    outer: Any = as_written(main)
    assert (outer.release, outer.asset.model[0].content.release) == (NEWEST, NEWEST)
    found = pb.check(main, release="3.2.7", model=False)
    assert [(Path(d.path).name, d.code) for d in found] == [("part.xml", "PB029")]


def test_a_document_keeps_its_release() -> None:
    new = read(document(ARMATURE))
    assert {copy.copy(new).release, copy.deepcopy(new).release} == {NEWEST}
    assert pickle.loads(pickle.dumps(new)).release == NEWEST
    assert mjcf.Mujoco().release == "3.2.7"
    new.release = "3.8"
    assert new.release == "3.8.1"
    with pytest.raises(ValueError, match="mujoco has no release '2'"):
        new.release = "2"


def test_a_document_is_checked_as_another_release() -> None:
    new = read(document(ARMATURE))
    assert pb.validate(new) == []
    (found,) = pb.validate(new, release="3.2.7")
    assert (found.code, found.path, found.line) == ("PB029", "m.xml", 4)
    with pytest.raises(pb.ValidationError, match="new in mjcf"):
        pb.lower(new, release="3.2.7")
    new.tendon.fixed[0].armature = None
    assert pb.validate(new, release="3.2.7") == []
    assert pb.lower(new, release="auto").opt_release == "3.2.7"


def test_a_model_cannot_have_a_release_that_is_not_simulated() -> None:
    model = pb.lower(read(document(), release="3.2.7"))
    assert model.replace(opt_release="3.2.7") == model
    assert model.replace(opt_release="4.0").opt_release == "4.0"
    with pytest.raises(TypeError, match=r"opt_release must be 3\.2\.7 or 4\.0, "):
        model.replace(opt_release="3.9")


def test_an_edit_that_the_release_lacks_is_found() -> None:
    old = read(document())
    old.tendon.fixed[0].armature = 2.0
    (found,) = pb.validate(old)
    assert (found.code, old.release) == ("PB029", "3.2.7")
    assert [d.code for d in pb.validate(old, release="auto")] == ["PB094"]
    assert 'armature="2"' in pb.write(old)
    assert 'armature="2"' in pb.write(old, layout="canonical")


# --- written as another release -----------------------------------------------------------------------------


def test_what_a_release_lacks_cannot_be_written() -> None:
    new = read(document(f"{ARMATURE} {POLYNOMIAL}"))
    with pytest.raises(pb.ValidationError) as caught:
        pb.write(new, release="3.2.7")
    assert [str(d) for d in caught.value.diagnostics] == [
        "m.xml:4:16: PB029 error: `armature` of <fixed> is not in mjcf 3.2.7: it is new in 3.3.1",
        "m.xml:4:29: PB029 error: `1 2` for `stiffness` of <fixed> is not in mjcf 3.2.7: it is new in 3.7.0",
    ]
    assert pb.write(new) == document(f"{ARMATURE} {POLYNOMIAL}")


def test_what_was_edited_in_is_examined_as_any_release() -> None:
    new = read(document(), release="3.2.7")
    new.tendon.fixed[0].armature = 1.0
    for release in ("3.2.7", "3.3.0"):
        with pytest.raises(pb.ValidationError, match=f"`armature` of <fixed> is not in mjcf {release}: it"):
            pb.write(new, release=release)
    assert 'armature="1"' in pb.write(new, release="3.3.1")


def test_included_files_are_not_written_and_must_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "look.xml").write_text('<mujoco><asset>\n<material name="m"/></asset></mujoco>')
    path = tmp_path / "m.xml"
    for including in ('<include file="look.xml"/>', '<asset><model name="look" file="look.xml"/></asset>'):
        path.write_text(document().replace("<worldbody>", f"{including}<worldbody>"))
        with pytest.raises(pb.ValidationError) as caught:
            pb.write(pb.read(path), release="4.0")
        found = caught.value.diagnostics
        places = [(each.code, Path(each.path).name, each.line) for each in found]
        assert places == [("PB029", "look.xml", 2)] * 2
        assert "`metallic` of <material>, in a file that is included" in found[0].message


def test_what_another_release_refuses_is_not_written() -> None:
    text = document().replace("<tendon>", '<actuator><intvelocity joint="j"/></actuator><tendon>')
    with pytest.raises(pb.ValidationError, match=r"m.xml:\d+:\d+: PB023.*<intvelocity> needs `actrange`"):
        pb.write(read(text, release="4.0"), release="3.2.7")


def test_what_changes_its_meaning_is_warned_of() -> None:
    text = document().replace('size="1"', 'size="1" gap=".1" margin=".2"')
    with pytest.warns(pb.ModelWarning, match=r"written for mjcf 4.0, not 3.2.7;.*`gap` of <geom>"):
        pb.write(read(text), release="4.0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pb.write(read(document()), release="4.0")


def test_bounds_are_no_reason_for_another_release() -> None:
    (found, *_) = pb.check("m.xml", text=document('armature="-1"'))
    assert (found.code, "must be at least 0" in found.message) == ("PB019", True)
    assert read(document('armature="-1"'), policy="lenient").release == NEWEST


def test_what_has_no_effect_is_left_out_and_other_defaults_are_written() -> None:
    new = read(document('armature="0"'), release="4.0")
    text = pb.write(new, release="3.2.7")
    assert "armature" not in text
    assert 'nativeccd="enable"' in text
    assert 'multiccd="enable"' in text
    assert read(text, release="3.2.7").release == "3.2.7"
    back = pb.write(read(document()), release="4.0")
    assert 'nativeccd="disable"' in back
    assert '<option ccd_iterations="50">' in back
    assert new.tendon.fixed[0].armature == 0
    assert new.release == "4.0"


def test_an_equivalent_is_written() -> None:
    old = read(document().replace("<option />", '<option><flag passive="disable"/></option>'))
    again = read(pb.write(old, release="4.0"), release="4.0")
    flags = again.option.flag
    if hasattr(flags, "spring"):
        assert (flags.passive, flags.spring, flags.damper) == (None, "disable", "disable")
        assert read(pb.write(again, release="3.2.7")).option.flag.passive == "disable"


@pytest.mark.parametrize("release", ["3.2.7", "3.6"])
def test_coefficients_that_are_zero_are_left_out(release: str) -> None:
    text = document('stiffness="2 0" damping="3 0 0"').replace('name="j"', 'name="j" stiffness="1 0 0"')
    text = text.replace("<worldbody>", '<default><joint damping="5 0"/></default>\n<worldbody>')
    new = read(text, release="4.0")
    old = read(pb.write(new, release=release), release=release)
    assert (old.tendon.fixed[0].stiffness, old.tendon.fixed[0].damping) == (2, 3)
    assert old.worldbody.body[0].joint[0].stiffness == 1
    assert new.tendon.fixed[0].stiffness == (2, 0)
    for name in ("dof_stiffness", "dof_damping", "tendon_stiffness", "tendon_damping"):
        one, other = (getattr(pb.lower(each), name).tolist() for each in (new, old))
        assert one == other
    with pytest.raises(pb.ValidationError, match="1 0 2"):
        pb.write(read(document('stiffness="1 0 2"'), release="4.0"), release=release)
    assert 'stiffness="2 0"' in pb.write(new, release="3.7.0")


# --- what differs ------------------------------------------------------------------------------------------


def test_the_oldest_release_that_reads_a_document() -> None:
    for text, release, what in (
        (document(), "3.2.7", None),
        (document(ARMATURE), "3.3.1", "`armature` of <fixed>"),
        (document(f"{ARMATURE} {POLYNOMIAL}"), "3.7.0", "`1 2` for `stiffness` of <fixed>"),
    ):
        new = read(text)
        found, lacked = oldest(new, format_of(new))
        assert (found, lacked and lacked.what) == (release, what)


def test_what_means_something_else_is_named_with_its_line() -> None:
    two = 2 * '<geom size="1" gap=".1" margin=".2"/>'
    text = document(option='integrator="implicitfast"').replace('<geom size="1"/>', two)
    old = read(text)
    found = [(each.since, each.what) for each in differing(old, format_of(old))]
    assert ("3.5.0", "`margin` of <geom>") in found
    assert ("3.9.0", "`gap` of <geom>") in found
    assert not any(what == "<freejoint>" for _, what in found)
    assert differing(old, format_of(old), after=NEWEST) == []


def test_what_attached_and_included_files_mean_is_reported_with_their_names(tmp_path: Path) -> None:
    """What only the document itself determines, such as options, counts in included files alone."""
    geom = '<worldbody><body name="b"><joint name="j"/><geom size=".1" gap=".1"/></body></worldbody>'
    gains = '<default><position kp="3"/></default>'
    options = '<option integrator="RK4"><flag energy="enable"/></option>'
    for name in ("sub", "part"):
        motor = '<actuator><motor joint="j"/></actuator>'
        (tmp_path / f"{name}.xml").write_text(f"<mujoco>{options}{gains}{geom}{motor}</mujoco>")
    model = '<asset><model name="m" file="sub.xml"/></asset>'
    body = '<worldbody><attach model="m" body="b" prefix="x_"/></worldbody>'
    (tmp_path / "attaching.xml").write_text(f"<mujoco>{model}{body}</mujoco>")
    (tmp_path / "including.xml").write_text('<mujoco>\n<include file="part.xml"/></mujoco>')
    attaching, including = (
        pb.read(tmp_path / f"{name}.xml", release="4.0") for name in ("attaching", "including")
    )
    found = {each.what: each.line for each in differing(attaching, format_of(attaching))}
    sub, part = str(tmp_path / "sub.xml:1"), str(tmp_path / "part.xml:1")
    assert found == {"`gap` of <geom>": sub, "<position>": sub}
    found = {each.what: each.line for each in differing(including, format_of(including))}
    for what in ("`gap` of <geom>", "<position>", "`nativeccd` of <flag>", "`integrator` of <option>"):
        assert found[what] == part
    with pytest.warns(pb.ModelWarning, match=r"this changed: .*<position> \(.*sub\.xml:1\): its gains"):
        pb.write(attaching, release="3.2.7")


def test_what_concerns_two_shapes_is_reported_of_two() -> None:
    one = '<geom type="box" size="1 1 1" margin=".1"/>'
    for inside, told in (
        (one, False),
        (one + one, True),
        (f'<replicate count="2">{one}</replicate>', True),
    ):
        new = read(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
        found = {each.what for each in differing(new, format_of(new))}
        assert ({"`margin` of <geom>", "`type` of <geom>"} <= found) == told


def test_info_tells_releases(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(document(option='integrator="RK4"', extra=FREE))
    shown = CliRunner().invoke(app, ["info", str(path)]).stdout
    assert "read as 3.2.7; the oldest that reads it is 3.2.7" in shown
    assert "since 4.0: `integrator` of <option> (line 2): ball and free joints" in shown


# --- the command line ---------------------------------------------------------------------------------------


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def test_the_option_concerns_mjcf_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.xml").write_text(document(ARMATURE))
    Path("r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert run("check", "--no-model", ".")[0] == 0
    code, said = run("check", "--no-model", "--release", "3.2.7", ".")
    assert (code, said.count("PB029")) == (1, 1)
    code, said = run("check", "--release", "3.2.7", "r.urdf")
    assert (code, "is for mjcf; urdf has no releases" in said) == (2, True)
    code, said = run("check", "--release", "1.0", "m.xml")
    assert (code, "its releases are 3.2.7, 3.3.0" in said) == (2, True)
    Path("polybody.toml").write_text('release = "3.2.7"\n')
    assert run("check", "--no-model", "m.xml")[0] == 1
    assert run("check", "--no-model", "r.urdf")[0] == 0
    assert run("check", "--no-model", "--release", "auto", "m.xml")[0] == 0
    Path("polybody.toml").write_text('release = "2"\n')
    code, said = run("check", "m.xml")
    assert (code, "polybody.toml: release: mjcf has no release '2'" in said) == (2, True)


def test_schemas_of_releases_are_shown_and_compared() -> None:
    assert run("schema", "mjcf", "--release", "3.8")[1].startswith("# mjcf 3.8.1")
    code, said = run("schema", "diff", "mjcf@3.2.7", "mjcf@3.3.0")
    assert code == 0
    assert "BREAKS re-defaulted mujoco/option/flag/@nativeccd: default disable is now enable\n" in said
    assert run("schema", "diff", "mjcf@4.0", "mjcf@4.0")[1] == "no changes\n"
    assert run("schema", "diff", "mjcf@4.0", "mjcf@9")[0] == 2
    assert run("schema", "urdf", "--release", "4.0")[0] == 2


def test_tables_of_a_release_are_made_once() -> None:
    form = format_of(mjcf.Mujoco())
    assert at_release(form, "3.2.7") is form
    assert at_release(form, "4.0") is at_release(at_release(form, "3.8.1"), "4.0")


def test_the_page_has_the_table() -> None:
    from tools.releases import PAGE, SPANS, page, refused, spanned, table

    assert PAGE.read_text(encoding="utf-8") == page(PAGE, table() + refused()), "python tools/releases.py"
    for each in SPANS:
        assert spanned(each.read_text(encoding="utf-8")) == each.read_text(encoding="utf-8"), "the same"
