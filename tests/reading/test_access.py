"""Which files a document may open, where they are looked for, and that a document remembers both."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import mujoco
import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.document import packages, searches
from polybody.document.packages import MARKERS, project
from polybody.lowering import lowered

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
TETRAHEDRON = """solid t
facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 .1 0 vertex .1 0 0 endloop endfacet
facet normal 0 0 0 outer loop vertex 0 0 0 vertex .1 0 0 vertex 0 0 .1 endloop endfacet
facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 .1 vertex 0 .1 0 endloop endfacet
facet normal 0 0 0 outer loop vertex .1 0 0 vertex 0 .1 0 vertex 0 0 .1 endloop endfacet
endsolid
"""
CORNERS = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
INERTIA = (
    '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
MJCF = (
    '<mujoco><asset><mesh name="t" file="{}"/></asset><worldbody><geom type="mesh" mesh="t"/></worldbody>'
    "</mujoco>"
)
SDF = (
    '<sdf version="1.9"><model name="m"><link name="a"><collision name="c"><geometry><mesh><uri>{}</uri>'
    "</mesh></geometry></collision></link></model></sdf>"
)
SHAPE = '<collision><geometry><mesh filename="{}"/></geometry></collision>'
URDF = f'<robot name="r"><link name="a">{INERTIA}{SHAPE}</link></robot>'
SKEL = """<skel version="1.0"><world name="w"><skeleton name="s"><body name="b"><inertia><mass>1</mass>
<moment_of_inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz>
</moment_of_inertia></inertia>
<collision_shape><geometry><mesh><file_name>{}</file_name><scale>1 1 1</scale></mesh></geometry>
</collision_shape></body>
<joint type="free" name="j"><parent>world</parent><child>b</child></joint></skeleton></world></skel>"""
TEXTS = {"m.xml": MJCF, "m.urdf": URDF, "m.sdf": SDF, "m.skel": SKEL}
LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


def mesh(folder: Path, name: str = "t.obj") -> Path:
    """A mesh file in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(CORNERS if name.lower().endswith("obj") else TETRAHEDRON)
    return path


def errors(path: Path, **how: Any) -> list[str]:
    return [
        found.code for found in pb.check(path, "warn", **how) if found.code in ("PB010", "PB036", "PB037")
    ]


# --- which folder -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", MARKERS)
def test_the_project_is_the_nearest_folder_with_a_marker(tmp_path: Path, marker: str) -> None:
    folder = tmp_path / "a" / "b" / "c"
    folder.mkdir(parents=True)
    assert project(folder) == folder.parent
    (tmp_path / "a" / marker).mkdir()  # it is not opened, so it may be anything
    assert project(folder) == tmp_path / "a"
    (folder.parent / marker).symlink_to("nowhere")
    assert project(folder) == folder.parent
    (folder / marker).touch()
    assert project(folder) == folder


def test_a_marker_in_a_home_or_temporary_folder_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(home))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    for place in (home, tmp_path / "tmp"):
        inner = place / "one"
        (inner / "two").mkdir(parents=True)
        (place / ".git").mkdir()
        assert project(place) == place
        assert project(inner) == inner  # not its parent, whose other files have nothing to do with it
        assert project(inner / "two") == inner
    (tmp_path / ".git").mkdir()  # above the home folder
    assert project(home / "one") == home / "one"
    assert project(Path(home.anchor)) == Path(home.anchor)


def test_a_project_is_on_one_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted = tmp_path / "mounted"
    (mounted / "models").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert project(mounted / "models") == tmp_path
    monkeypatch.setattr(packages, "_device", lambda place: int(place.is_relative_to(mounted)))
    assert project(mounted / "models") == project(mounted) == mounted


@pytest.mark.parametrize("name", TEXTS)
def test_files_in_the_project_are_opened_unless_the_document_is_confined(tmp_path: Path, name: str) -> None:
    """By every way of reading, and in the same way."""
    mesh(tmp_path / "meshes")
    path = tmp_path / "robot" / name
    path.parent.mkdir()
    path.write_text(TEXTS[name].format("../meshes/t.obj"))
    assert errors(path) == []
    assert pb.load(path).ngeom == pb.lower(pb.read(path)).ngeom == 1
    assert errors(path, confined=True) == ["PB010"]
    confined = {**dict.fromkeys(("load", "lower"))}
    for call in confined:
        try:
            made = pb.load(path, confined=True) if call == "load" else pb.lower(pb.read(path, confined=True))
            confined[call] = made.ngeom
        except pb.ValidationError as error:
            confined[call] = [found.code for found in error.diagnostics if found.severity == "error"]
    assert confined["load"] == confined["lower"]
    assert confined["load"] in (0, ["PB010"])
    assert pb.load(path, confined=True, roots=[tmp_path / "meshes"]).ngeom == 1
    for options, code in (([], 0), (["--confined"], 1)):
        assert (
            CliRunner().invoke(app, ["check", str(path), "--min-severity", "error", *options]).exit_code
            == code
        )


@LINKS
def test_a_link_counts_by_its_target(tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "elsewhere"
    mesh(outside)
    (inside / "meshes").mkdir(parents=True)
    (inside / ".git").mkdir()
    path = inside / "m.urdf"
    path.write_text(URDF.format("meshes/t.obj"))
    (inside / "meshes" / "t.obj").symlink_to(outside / "t.obj")
    assert errors(path) == ["PB010"]
    assert errors(path, roots=[outside]) == []
    (inside / "meshes" / "t.obj").unlink()
    (inside / "meshes" / "t.obj").symlink_to("t.obj")
    assert errors(path) == ["PB036"]
    mesh(inside, "real.obj")
    (inside / "meshes" / "t.obj").unlink()
    (inside / "meshes" / "t.obj").symlink_to("../real.obj")
    assert errors(path) == []
    # The document itself may be a link, and its files are beside the link.
    (outside / "n.urdf").symlink_to(path)
    (outside / "meshes").mkdir()
    assert errors(outside / "n.urdf") == ["PB036"]


def test_a_path_into_a_package_beside_the_own_one(tmp_path: Path) -> None:
    """It leads to where `package://` leads, too."""
    for name in ("arm", "hand", "bare"):
        mesh(tmp_path / name / "meshes")
    for name in ("arm", "hand"):
        (tmp_path / name / "package.xml").write_text(f"<package><name>{name}</name></package>")
    path = tmp_path / "arm" / "m.urdf"
    for other, expected in (("hand", []), ("bare", ["PB010"])):
        path.write_text(URDF.format(f"../{other}/meshes/t.obj"))
        assert errors(path) == expected
        assert errors(path, confined=True) == ["PB010"]


# --- where files are looked for -----------------------------------------------------------------------------

ASSETS = {
    "mesh": ("t.obj", '<asset><mesh name="t" file="{}"/></asset>'),
    "texture": ("t.png", '<asset><texture name="t" type="2d" file="{}"/></asset>'),
    "hfield": ("t.png", '<asset><hfield name="t" size="1 1 1 1" file="{}"/></asset>'),
    "flexcomp": ("t.obj", '<worldbody><flexcomp name="t" type="mesh" dim="2" file="{}"/></worldbody>'),
}
COMPILERS = (
    "",
    'meshdir="d"',
    'texturedir="d"',
    'assetdir="d"',
    'assetdir="d" meshdir="e"',
    'meshdir="d" strippath="true"',
)
FOLDERS = ("", "d", "e", "inc", "inc/d")


@pytest.mark.parametrize("kind", ASSETS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_files_of_assets_are_where_mujoco_finds_them(tmp_path: Path, kind: str, compiler: str) -> None:
    from PIL import Image

    name, text = ASSETS[kind]
    top, inner = tmp_path / "top.xml", tmp_path / "inc" / "part.xml"
    inner.parent.mkdir()
    picture = tmp_path / "picture.png"
    Image.new("L" if kind == "hfield" else "RGB", (4, 4), 120).save(picture)
    found = set()
    for written in (name, f"inc/{name}", f"x/../{name}"):
        part = text.format(written)
        for included in (False, True):
            head = f"<mujoco><compiler {compiler}/>"
            top.write_text(
                head + ('<include file="inc/part.xml"/></mujoco>' if included else f"{part}</mujoco>")
            )
            inner.write_text(f"<mujoco>{part}</mujoco>")
            for folder in FOLDERS:
                path = tmp_path / folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                if kind in ("texture", "hfield"):
                    shutil.copy(picture, path)
                else:
                    mesh(path.parent, name)
                try:
                    mujoco.MjModel.from_xml_path(str(top))
                    engine = True
                except ValueError:
                    engine = False
                ours = [each.code for each in pb.check(top, "warn") if each.severity == "error"]
                assert ours == ([] if engine else ["PB036"]), (written, included, folder)
                if engine:
                    pb.load(top)
                found.add(engine)
                path.unlink()
    assert found == {True, False}


def test_a_name_in_other_letters_is_suggested(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(MJCF.format("Meshes/Arm.STL"))
    mesh(tmp_path / "meshes", "arm.stl")
    if (tmp_path / "MESHES").exists():
        pytest.skip("names of files do not distinguish upper and lower case here")
    (found,) = pb.check(path, "warn")
    assert (found.code, found.severity) == ("PB036", "error")
    assert str(found.suggestion).endswith(f"; there is {tmp_path}/meshes/arm.stl")
    with pytest.raises(ValueError, match="No such file"):
        mujoco.MjModel.from_xml_path(str(path))


@LINKS
def test_a_package_on_the_path_may_be_a_link(tmp_path: Path) -> None:
    """As installed ones are that lead to their sources."""
    path = tmp_path / "robots" / "r" / "m.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(URDF.format("package://arm/t.obj"))
    mesh(tmp_path / "sources" / "arm")
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "arm").symlink_to(tmp_path / "sources" / "arm")
    assert pb.load(path, package_path=[tmp_path / "installed"], confined=True).nmesh == 1


@LINKS
def test_names_behind_a_link_are_not_suggested(tmp_path: Path) -> None:
    """A suggestion would tell that there is such a file where none may be opened."""
    path = tmp_path / "robots" / "r" / "m.xml"
    path.parent.mkdir(parents=True)
    (path.parent / ".git").touch()
    path.write_text(MJCF.format("meshes/arm.stl"))
    mesh(tmp_path / "others", "arm.stl")
    (path.parent / "Meshes").symlink_to(tmp_path / "others")
    if (path.parent / "meshes").exists():
        pytest.skip("names of files do not distinguish upper and lower case here")
    (found,) = pb.check(path, "warn")
    assert "there is" not in str(found.suggestion)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("there", [True, False])
def test_a_reference_is_looked_up_once_in_a_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, there: bool
) -> None:
    """Nor does what was found remain: the next load looks again."""
    asked: list[str] = []
    find = searches.destination

    def counted(reference: str, *rest: Any) -> Any:
        asked.append(reference)
        return find(reference, *rest)

    monkeypatch.setattr(searches, "destination", counted)
    path = tmp_path / name
    path.write_text(TEXTS[name].format("t.obj"))
    if there:
        mesh(tmp_path)
    for call in (pb.load, pb.check):
        asked.clear()
        with suppress(pb.ValidationError):
            call(path)
        assert asked == ["t.obj"]


@pytest.mark.parametrize("name", TEXTS)
def test_the_next_call_finds_what_was_missing(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name].format("t.obj"))
    document = pb.read(path, policy="lenient")
    assert any(each.code == "PB036" for each in pb.check(path, "warn"))
    with suppress(pb.ValidationError):
        assert pb.load(path).nmesh == 0
    mesh(tmp_path)
    assert pb.lower(document).nmesh == 1
    assert pb.load(path).nmesh == 1
    (tmp_path / "t.obj").unlink()
    assert any(each.code == "PB036" for each in pb.check(path, "warn"))


@pytest.mark.parametrize("name", ["top.xml", "robot/arm.xml"])
def test_a_missing_file_has_no_consequences(tmp_path: Path, name: str) -> None:
    """A body without its mesh has no mass, which is not worth a word."""
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        MJCF.format("gone.stl")
        .replace("<geom", "<body><freejoint/><geom")
        .replace("</world", "</body></world")
    )
    for policy in ("warn", "lenient"):
        with pytest.raises(pb.ValidationError) as caught:
            pb.load(path, policy=policy)  # type: ignore[arg-type]
        (found,) = caught.value.diagnostics
        assert found.code == ("PB036" if policy == "warn" else "PB063")
        assert "there is no file `gone.stl`" in found.message


def test_models_that_include_the_same_file_and_have_their_own_folders(tmp_path: Path) -> None:
    """An attached model is a document of its own: its folder is where its files are."""
    for name in ("a", "b"):
        folder = tmp_path / name
        mesh(folder)
        (folder / "common.xml").write_text(
            f'<mujoco><asset><mesh name="{name}" file="t.obj"/></asset></mujoco>'
        )
        (folder / "m.xml").write_text(
            f'<mujoco model="{name}"><include file="common.xml"/><worldbody><body name="{name}">'
            '<geom size="1"/></body></worldbody></mujoco>'
        )
    models = "".join(f'<model name="{name}" file="{name}/m.xml"/>' for name in "ab")
    attached = "".join(f'<attach model="{name}" body="{name}" prefix="{name}_"/>' for name in "ab")
    path = tmp_path / "top.xml"
    path.write_text(f"<mujoco><asset>{models}</asset><worldbody><body>{attached}</body></worldbody></mujoco>")
    mujoco.MjModel.from_xml_path(str(path))
    assert pb.check(path, "warn") == []
    assert pb.load(path).nmesh == 2


# --- workspaces of colcon -----------------------------------------------------------------------------------


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace whose installed files are links to their sources: two packages with a prefix each."""
    for name in ("arm", "hand"):
        source, shared = tmp_path / "ws" / "src" / name, tmp_path / "ws" / "install" / name / "share" / name
        mesh(source / "meshes")
        (source / "package.xml").write_text(f"<package><name>{name}</name></package>")
        (source / "urdf").mkdir()
        (source / "urdf" / "m.urdf").write_text(URDF.format("package://hand/meshes/t.obj"))
        for file in ("meshes/t.obj", "package.xml", "urdf/m.urdf"):
            (shared / file).parent.mkdir(parents=True, exist_ok=True)
            (shared / file).symlink_to(source / file)
    return tmp_path / "ws"


@LINKS
def test_links_of_an_installation_lead_to_the_sources_beside_it(workspace: Path) -> None:
    share = workspace / "install" / "arm" / "share" / "arm"
    path = share / "urdf" / "m.urdf"
    assert errors(path) == []
    assert pb.load(path).ngeom == 1
    assert errors(path, confined=True) == ["PB010"]
    assert errors(path, confined=True, roots=[workspace / "src"]) == []
    # a document elsewhere, with the installed package declared
    other = workspace.parent / "other" / "deep" / "m.urdf"
    mesh(other.parent)
    other.write_text(URDF.format("package://arm/meshes/t.obj"))
    assert errors(other, packages={"arm": share}) == []
    (workspace / "src").rename(workspace / "sources")
    for file in share.rglob("*"):
        if file.is_symlink():
            target = Path(str(file.readlink()).replace("/src/", "/sources/"))
            file.unlink()
            file.symlink_to(target)
    assert errors(other, packages={"arm": share}) == ["PB010"]


@LINKS
def test_a_home_folder_is_no_workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(workspace))
    path = workspace / "install" / "hand" / "share" / "hand" / "urdf" / "m.urdf"
    assert errors(path) == ["PB010"]


# --- what a document remembers ------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["packages", "package_path", "roots", "confined"])
def test_a_document_remembers_how_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """From another working directory, as a copy or a pickle, edited, and under every policy."""
    monkeypatch.chdir(tmp_path)
    parts = tmp_path / "share" / "parts"
    mesh(parts)
    (parts / "package.xml").write_text("<package><name>parts</name></package>")
    path = tmp_path / "deep" / "er" / "m.urdf"
    path.parent.mkdir(parents=True)
    path.write_text(
        URDF.format("../../share/parts/t.obj" if how in ("roots", "confined") else "package://parts/t.obj")
    )
    words: dict[str, Any] = {
        "packages": {"packages": {"parts": "share/parts"}},
        "package_path": {"package_path": "share"},
        "roots": {"roots": ["share"]},
        "confined": {"roots": ["share/parts"], "confined": True},
    }[how]
    assert pb.load(path).ngeom == 0
    assert pb.load(path, **words).ngeom == 1
    document = pb.read(Path("deep/er/m.urdf"), **words)
    monkeypatch.chdir(tmp_path.parent)
    edited = copy.deepcopy(document)
    edited.link[0].inertial.mass.value = 2.0
    edited.link.append(type(edited.link[0])(name="made in Python"))
    for each in (document, copy.deepcopy(document), pickle.loads(pickle.dumps(document)), edited):
        for policy in ("warn", "lenient"):
            assert lowered(each, policy=policy).model.ngeom == 1
        assert "PB037" not in {found.code for found in pb.validate(each)}
        assert "PB010" not in {found.code for found in pb.validate(each)}


def test_shapes_made_in_python_are_looked_for_in_the_documents_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh(tmp_path / "robot")
    path = tmp_path / "robot" / "m.urdf"
    path.write_text(URDF.format("t.obj"))
    document = pb.read(path)
    made = copy.deepcopy(document.link[0].collision[0])
    made.geometry.mesh._source = made.geometry.mesh._position = None
    document.link[0].collision.append(made)
    assert pb.lower(document).ngeom == 2
    # A document without a source is in the working directory.
    bare = pb.read("m.urdf", text=path.read_text())
    for node in bare.walk():
        node._source = node._position = None
    assert pb.lower(bare).ngeom == 0
    assert [each.code for each in pb.validate(bare, "warn")] == ["PB036"]
    monkeypatch.chdir(path.parent)
    assert pb.lower(bare).ngeom == 1


def test_included_and_attached_documents_remember_it_too(tmp_path: Path) -> None:
    """One read with declared packages has a part that refers to them, and the part alone is lowered."""
    parts = tmp_path / "share" / "parts"
    mesh(parts)
    folder = tmp_path / "robot"
    (folder / "inner").mkdir(parents=True)
    words: dict[str, Any] = {"packages": {"parts": parts}, "confined": True}
    (folder / "inner" / "m.sdf").write_text(SDF.format("package://parts/t.obj"))
    top = folder / "top.sdf"
    top.write_text(
        '<sdf version="1.9"><world name="w"><include><uri>inner/m.sdf</uri></include></world></sdf>'
    )
    document = pb.read(top, **words)
    assert pb.load(top, **words).ngeom == pb.lower(document).ngeom == 1
    assert pb.lower(document.world[0].include[0].content).ngeom == 1
    (folder / "inner" / "m.xml").write_text(
        MJCF.format("package://parts/t.obj").replace(
            "<worldbody>", '<worldbody><body name="b"><geom size="1"/></body>'
        )
    )
    main = folder / "top.xml"
    main.write_text(
        '<mujoco><asset><model name="m" file="inner/m.xml"/></asset>'
        '<worldbody><attach model="m" body="b" prefix="p"/></worldbody></mujoco>'
    )
    attached = pb.read(main, **words)
    assert pb.load(main, **words).nmesh == pb.lower(attached).nmesh == 1
    assert pb.lower(attached.asset.model[0].content).nmesh == 1


# --- texts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_in_the_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = tmp_path / "robot"
    mesh(folder / "meshes")
    text = TEXTS[name].format("meshes/t.obj")
    monkeypatch.chdir(tmp_path)
    for path in (f"robot/{name}", str(folder / name)):  # there is no such file
        assert pb.load(path, text=text).ngeom == pb.lower(pb.read(path, text=text)).ngeom == 1
        assert [each.code for each in pb.check(path, "warn", text=text) if each.code == "PB036"] == []
    assert [each.code for each in pb.check(name, text=text) if each.code == "PB036"] == ["PB036"]
    monkeypatch.chdir(folder)
    assert pb.load(name, text=text).ngeom == 1
    assert pb.load("<a name>", text=text).ngeom == 1


def test_a_text_in_a_home_or_temporary_folder_opens_no_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody put it there; a file in that folder has the files beside it."""
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    mesh(tmp_path)
    text = URDF.format("t.obj")
    assert [each.code for each in pb.check("m.urdf", text=text)] == ["PB010"]
    assert pb.lower(pickle.loads(pickle.dumps(pb.read("m.urdf", text=text)))).ngeom == 0
    assert pb.check("m.urdf", text=text, roots=["."]) == []
    assert pb.check(str(tmp_path / "m.urdf"), text=text) == []
    (tmp_path / "m.urdf").write_text(text)
    assert pb.check("m.urdf") == []


@pytest.mark.parametrize("command", ["check", "info"])
def test_standard_input_is_in_the_folder_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    folder = tmp_path / "robot"
    mesh(folder)
    monkeypatch.chdir(tmp_path)

    def said(*options: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [command, "-", *options], input=MJCF.format("t.obj"))
        return done.exit_code, done.output

    code, output = said()
    assert code == 1
    assert "<stdin>:1:" in output
    assert "there is no file `t.obj`" in output
    assert said("--stdin-filename", "robot/m.xml")[0] == 0
    (tmp_path / "elsewhere").mkdir()
    code, output = said("--stdin-filename", "elsewhere/m.xml")
    assert (code, "elsewhere/m.xml:1:" in output) == (1, True)
    monkeypatch.chdir(folder)
    assert said()[0] == 0


def test_files_that_are_not_looked_up_are_one_warning_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shapes = "".join(SHAPE.format(f"package://arm/{n}.obj") for n in range(20))
    text = f'<robot name="r"><link name="a">{INERTIA}{shapes}</link></robot>'
    for found in (
        pb.check("m.urdf", text=text),
        lowered(pb.read("m.urdf", text=text)).findings,
        pb.validate(pb.read("m.urdf", text=text)),
    ):
        (one,) = (each for each in found if each.code == "PB037")
        assert one.severity == "warning"
        assert "the files of 20 elements cannot be found" in one.message
    done = CliRunner().invoke(app, ["info", "-"], input=text)
    assert "20 elements" in done.output


def test_a_working_directory_that_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    if sys.platform == "win32":
        pytest.skip("a working directory cannot be removed there")
    gone.rmdir()
    try:
        assert [each.code for each in pb.check("m.xml", "warn", text=MJCF.format("t.obj"))] == ["PB010"]
    finally:
        os.chdir(tmp_path)
