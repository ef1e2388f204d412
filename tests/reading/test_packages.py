"""Packages and models beside and above a document: what counts as one, and where the search ends."""

from __future__ import annotations

import sys
from pathlib import Path

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.document import packages
from polybody.document.packages import enclosing_package, own_folders, package_folder
from polybody.lowering import lowered

SECRET = "-----BEGIN OPENSSH PRIVATE KEY-----"
MANIFESTS = {
    "package.xml": '<?xml version="1.0"?><package format="3"><name> {} </name></package>',
    "model.config": '<?xml version="1.0"?><model><name>{}</name><sdf>model.sdf</sdf></model>',
}
REFERRING = {
    "m.mjcf": '<mujoco><include file="{}"/></mujoco>',
    "m.sdf": '<sdf version="1.9"><world name="w"><include><uri>{}</uri></include></world></sdf>',
    "m.urdf": '<robot name="r"><link name="l"><visual><geometry><mesh filename="{}"/></geometry></visual>'
    "</link></robot>",
    "m.dmd.yaml": "directives:\n- add_model:\n    name: a\n    file: {}\n",
}
LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a secret file and a folder of models."""
    folder = tmp_path / "home" / "someone"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id_rsa").write_text(f"{SECRET}\n")
    (folder / "models").mkdir()
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(folder))
    return folder


def manifest(folder: Path, name: str, kind: str = "package.xml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / kind).write_text(MANIFESTS[kind].format(name))
    return folder


def checked(path: Path) -> str:
    """What `polybody check` prints about a file."""
    return CliRunner().invoke(app, ["check", str(path)]).output


@pytest.mark.parametrize("name", REFERRING)
@pytest.mark.parametrize("scheme", ["package", "model"])
@pytest.mark.parametrize("place", ["home/someone/.ssh/id_rsa", "someone/.ssh/id_rsa", ".ssh/id_rsa"])
def test_a_folder_is_no_package_because_of_its_name(home: Path, name: str, scheme: str, place: str) -> None:
    path = home / "models" / name
    path.write_text(REFERRING[name].format(f"{scheme}://{place}"))
    said = checked(path)
    assert "is not known" in said
    assert SECRET not in said
    assert all(finding.path == str(path) for finding in pb.check(path))


@pytest.mark.parametrize("kind", MANIFESTS)
def test_folders_with_a_manifest(tmp_path: Path, kind: str) -> None:
    named = manifest(tmp_path / "ws" / "renamed", "robot", kind)
    beside = manifest(tmp_path / "ws" / "arm", "other", kind)
    (tmp_path / "ws" / "bare").mkdir()
    folder = named / "urdf" / "deep"
    folder.mkdir(parents=True)
    assert package_folder("robot", folder) == named
    assert package_folder("renamed", folder) == named
    assert package_folder("arm", folder) == beside
    for name in ("bare", "urdf", "deep", "ws", "other", "", ".", "..", "a\0b"):
        assert package_folder(name, folder) is None, name
    assert own_folders(folder) == ((folder, named) if kind == "package.xml" else (folder,))


@LINKS
def test_a_link_is_a_neighbour_only_of_what_is_beside_it(tmp_path: Path) -> None:
    elsewhere = manifest(tmp_path / "elsewhere" / "arm", "arm")
    folder = tmp_path / "ws" / "models"
    folder.mkdir(parents=True)
    (tmp_path / "ws" / "arm").symlink_to(elsewhere)
    (tmp_path / "ws" / "hand").symlink_to(manifest(tmp_path / "ws" / "v2", "hand"))
    assert package_folder("arm", folder) is None
    assert package_folder("hand", folder) == tmp_path / "ws" / "v2"


def test_the_search_ends_below_the_home_folder(home: Path) -> None:
    """A manifest in a home folder, or in one above it, does not open all that is in it."""
    manifest(home, "everything")
    manifest(home.parent, "everyone")
    beside = manifest(home / "arm", "arm")
    folder = home / "models"
    for name in ("everything", "someone", "everyone", "arm"):
        assert package_folder(name, folder) is None
    assert enclosing_package(folder) is None
    assert enclosing_package(home) is None
    assert enclosing_package(beside) == beside
    (home / "secret.xml").write_text("<mujoco/>")
    (folder / "m.mjcf").write_text('<mujoco><include file="../secret.xml"/></mujoco>')
    assert {finding.code for finding in pb.check(folder / "m.mjcf")} == {"PB010"}


@pytest.mark.parametrize("variable", ["TMPDIR", "TEMP", "TMP"])
def test_the_search_ends_below_a_folder_of_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    shared = manifest(tmp_path / "shared", "shared")
    folder = shared / "mine" / "models"
    folder.mkdir(parents=True)
    assert package_folder("shared", folder) == enclosing_package(folder) == shared
    monkeypatch.setenv(variable, str(shared))
    assert package_folder("shared", folder) is enclosing_package(folder) is None


def test_the_search_ends_at_another_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = manifest(tmp_path / "disk", "disk")
    mounted = disk / "mounted"
    folder = mounted / "models"
    folder.mkdir(parents=True)
    assert enclosing_package(folder) == disk
    monkeypatch.setattr(packages, "_device", lambda place: int(place.is_relative_to(mounted)))
    assert package_folder("disk", folder) is enclosing_package(folder) is None


def test_no_line_of_a_file_elsewhere_is_printed(tmp_path: Path) -> None:
    """A faulty file of another package is reported without its text, one of the own package with it."""
    folder = manifest(tmp_path / "ws" / "robot", "robot") / "models"
    folder.mkdir()
    manifest(tmp_path / "ws" / "arm", "arm")
    for place, own in (("package://arm/a.xml", False), ("package://robot/a.xml", True), ("a.xml", True)):
        file = tmp_path / "ws" / place[10:] if "://" in place else folder / place
        file.write_text(f"{SECRET}\n")
        path = folder / "m.mjcf"
        path.write_text(f'<mujoco><include file="{place}"/></mujoco>')
        said = checked(path)
        assert f"{file.name}:1:1: PB005" in said
        assert (SECRET in said) is own
    path.write_text(f"{SECRET}\n")
    assert SECRET in checked(path)


# --- URIs that cannot be opened ----------------------------------------------------------------------------

MODELS = "https://models.example.org/1.0/people"
WORLD = f"""<sdf version="1.9"><world name="w"><include><uri>{MODELS}/box</uri></include>
<model name="m"><link name="a"><visual name="v"><geometry><mesh><uri>{MODELS}/box/box.obj</uri></mesh>
</geometry></visual></link></model></world></sdf>"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A world with a model of a server, of which there is a copy."""
    copy = tmp_path / "copies" / "box"
    copy.mkdir(parents=True)
    (copy / "model.config").write_text('<model><name>box</name><sdf version="1.9">box.sdf</sdf></model>')
    (copy / "box.sdf").write_text('<sdf version="1.9"><model name="box"><link name="l"/></model></sdf>')
    (copy / "box.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
    (tmp_path / "worlds").mkdir()
    path = tmp_path / "worlds" / "w.sdf"
    path.write_text(WORLD)
    return path


def test_a_uri_that_is_not_downloaded_is_an_error_that_says_what_to_do(world: Path) -> None:
    found = pb.check(world)
    assert {each.code for each in found} == {"PB010"}
    assert all("`--map URI=PATH`" in (each.suggestion or "") for each in found)


def test_a_uri_is_mapped_to_a_copy(world: Path) -> None:
    copies = world.parents[1] / "copies"
    longest = {MODELS: None, f"{MODELS}/box": copies / "box"}
    for given in ({MODELS: copies}, {f"{MODELS}/": copies}, longest):
        assert pb.check(world, packages=given) == []
        model = pb.load(world, packages=given)
        assert model.names["body"] == ("world", "box::l", "m::a")
        assert model.ngeom == 1


def test_a_uri_is_left_out(world: Path) -> None:
    for uri, said in ((MODELS, f"`{MODELS}` is mapped to nothing: what 2 elements name is left out"),
                      (f"{MODELS}/box/box.obj", "what 1 element names is left out")):  # fmt: skip
        given = {MODELS: world.parents[1] / "copies", uri: None}
        for found in (pb.check(world, packages=given), lowered(pb.read(world, packages=given)).findings):
            (lacking,) = (each for each in found if "mapped to nothing" in each.message)
            assert said in lacking.message
            assert (lacking.code, lacking.severity) == ("PB061", "info")
    assert {each.severity for each in pb.check(world, packages={MODELS: None})} == {"info"}
    assert pb.load(world, packages={MODELS: None}).names["body"] == ("world", "a")
    run = CliRunner().invoke
    assert "what 2 elements name is left out" in run(app, ["info", "--map", f"{MODELS}=", str(world)]).output
    assert run(app, ["check", "--map", f"{MODELS}=", str(world)]).exit_code == 0
    copies = world.parents[1] / "copies"
    assert run(app, ["info", "--map", f"{MODELS}={copies}", str(world)]).exit_code == 0


def test_a_uri_is_left_out_of_directives_and_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "package.xml").write_text("<package><name>rob</name></package>")
    mesh = f'<visual><geometry><mesh filename="{MODELS}/a.obj"/></geometry></visual>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm"><link name="l">{mesh * 2}</link></robot>')
    model = "- add_model: {{file: 'package://{0}/arm.urdf', name: {1}}}\n"
    text = "directives:\n" + model.format("rob", "a") + model.format("far", "b") + model.format("far", "c")
    path = tmp_path / "s.dmd.yaml"
    path.write_text(text + "- add_weld: {parent: world, child: 'b::l'}\n")
    given = {MODELS: None, "package://far": None}
    remarks = [
        (str(path), 3, "`package://far` is mapped to nothing: what 2 elements name is left out"),
        (str(tmp_path / "arm.urdf"), 1, f"`{MODELS}` is mapped to nothing: what 2 elements name is left out"),
    ]
    found = pb.check(path, packages=given)
    assert {each.severity for each in found} == {"info"}
    assert sorted((each.path, each.line, each.message) for each in found) == sorted(remarks)
    assert [each.about for each in found if each.path == str(path)] == ["add_model `b`"]
    made = lowered(pb.read(path, packages=given))
    assert made.model.names["body"] == ("world", "l")
    said = [each.message for each in made.findings if each.code == "PB061"]
    assert [each for _, _, each in remarks if each not in said] == []
    assert any("no model `b` yet; it may be in a file that is left out" in each for each in said)


def test_a_mapped_uri_does_not_lead_out_of_its_folder(world: Path) -> None:
    (world.parents[1] / "box.sdf").write_text("<sdf/>")
    world.write_text(WORLD.replace("people/box<", "people/../box.sdf<"))
    found = pb.check(world, packages={MODELS: world.parents[1] / "copies"})
    assert [each.code for each in found] == ["PB010"]
    assert "is outside" in found[0].message
    assert len(pb.check(world, packages={MODELS.removesuffix("ple"): None})) == 2  # no part of a name


def test_what_a_uri_is_mapped_to_exists(world: Path) -> None:
    with pytest.raises(ValueError, match="no file or folder none"):
        pb.check(world, packages={MODELS: "none"})
    with pytest.raises(TypeError, match="only a URI can be left out"):
        pb.check(world, packages={"robot": None})
    run = CliRunner().invoke
    wrong = {f"{MODELS}=none": "there is no file or folder none", "models=.": "expected URI=PATH"}
    for option, said in wrong.items():
        result = run(app, ["check", "--map", option, str(world)])
        assert result.exit_code == 2
        assert said in result.output
