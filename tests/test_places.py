"""Files and folders prepared by others: pipes, devices, links. Nothing hangs or is written elsewhere."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import polybody as pb
import pytest
from polybody.files import is_file, open_regular, replacing
from polybody.geometry.cache import content
from polybody.geometry.errors import GeometryError
from polybody.simulation.plotting import plot
from polybody.simulation.recording import Recorder
from polybody.simulation.stepper import Stepper

from tests.waiting import PATIENCE

from .runtime.models import pendulum

if sys.platform == "win32":
    pytest.skip("no such pipes and links on Windows", allow_module_level=True)

SHAPE = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
ROBOT = f'<robot name="r"><link name="l">{SHAPE}</link></robot>'
WORLD = '<sdf version="1.9"><world name="w"><include><uri>{}</uri></include></world></sdf>'
MESH = '<mujoco><asset><{} name="a" file="{}"/></asset></mujoco>'
DRAWN = (
    '<body name="b"><visualization_shape><geometry><mesh><file_name>{}</file_name><scale>1 1 1</scale></mesh>'
    "</geometry></visualization_shape></body>"
)
FORMATS = {
    "urdf": ROBOT,
    "sdf": WORLD,
    "mesh": MESH.replace("{}", "mesh", 1),
    "hfield": MESH.replace("{}", 'hfield size="1 1 1 1"', 1),
    "texture": MESH.replace("{}", 'texture type="cube"', 1),
    "skin": MESH.replace("{}", "skin", 1),
    "model": MESH.replace("{}", "model", 1),
    "flexcomp": '<mujoco><worldbody><flexcomp name="f" type="gmsh" file="{}"/></worldbody></mujoco>',
    "mjcf": '<mujoco><include file="{}"/></mujoco>',
    "skel": f'<skel version="1.0"><world name="w"><skeleton name="s">{DRAWN}</skeleton></world></skel>',
    "kinbody": '<environment><KinBody file="{}"/></environment>',
    "trimesh": "<kinbody><body name='b'><geom type='trimesh'><data>{}</data></geom></body></kinbody>",
}
NAMES = (
    *(
        "a" * 300,
        "x/" * 3000 + "y",
        "loop.obj",
        "loop.obj/x",
        "pipe.obj",
        "/dev/zero",
        "/dev/stdin",
        "file:///dev/zero",
    ),
    *(
        ".",
        "..",
        "/",
        " ",
        "a&#9;b",
        "//[x",
        "http://[::1",
        "package://\u2100/x",
        "package:///x",
        "package://a/%00",
    ),
    *("file://%00", "file:///" + "a" * 300, "~nosuch/x", "model://pipes", "pipes", "package://pipes/a.obj"),
    *(
        "%ff%fe",
        "C:\\x",
        "\\\\host\\x",
        "ftp://x/y",
        "?",
        "#",
        "a?b#c",
        ":",
        "://",
        "file:",
        "package:",
        "model:",
    ),
)


def polybody(folder: Path, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        [sys.executable, "-m", "polybody", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr
    return done


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A folder with pipes in place of every file that is looked up there and above, and a link to itself."""
    folder = tmp_path / "models"
    (folder / "pipes").mkdir(parents=True)
    for place in ("model.config", "package.xml", "pipe.obj", "pipes/model.config", "pipes/package.xml"):
        os.mkfifo(folder / place)
    os.mkfifo(tmp_path / "package.xml")
    (folder / "loop.obj").symlink_to("loop.obj")
    return folder


@pytest.mark.parametrize("kind", FORMATS)
def test_names_of_files(kind: str, prepared: Path) -> None:
    path = prepared / "m.xml"
    for name in NAMES:
        path.write_text(FORMATS[kind].format(name), encoding="utf-8")
        found = pb.check(path, "lenient")
        assert all(finding.line >= 1 for finding in found)
        if not name.isspace():
            assert [finding for finding in pb.check(path) if finding.code != "PB064"], name


def test_a_document_that_is_no_file(prepared: Path) -> None:
    for name in ("pipe.obj", "loop.obj", "a" * 300, "/dev/zero", ".", "nul\0", "\udcff"):
        (finding,) = pb.check(prepared / name if name != "nul\0" else name)
        assert finding.code == "PB001"


def test_packages_on_the_path(prepared: Path) -> None:
    path = prepared / "m.urdf"
    path.write_text(ROBOT.format("package://other/a.obj"))
    found = pb.check(path, package_path=[prepared], packages={"third": prepared / "pipes"})
    assert "PB037" in {finding.code for finding in found}


def test_settings_of_an_editor(prepared: Path, tmp_path: Path) -> None:
    settings = prepared / ".vscode" / "settings.json"
    settings.parent.mkdir()
    os.mkfifo(settings)
    assert polybody(prepared, "editor", ".").returncode == 1
    settings.unlink()
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text('{"secret": 1}')
    settings.symlink_to(elsewhere)
    assert polybody(prepared, "editor", ".").returncode == 1
    assert elsewhere.read_text() == '{"secret": 1}'
    settings.unlink()
    shutil.rmtree(settings.parent)
    settings.parent.symlink_to(tmp_path)
    assert polybody(prepared, "editor", ".").returncode == 1
    assert not (tmp_path / "settings.json").exists()
    settings.parent.unlink()
    for text in ("[" * 100_000, "x" * (2 << 20)):
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(text)
        assert polybody(prepared, "editor", ".").returncode == 1
    settings.unlink()
    assert polybody(prepared, "editor", ".").returncode == 0
    assert "xml.catalogs" in json.loads(settings.read_text())


def test_saved_files_do_not_follow_links(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    target = tmp_path / "m.npz"
    for name in (f"m.npz.{os.getpid()}.part", "m.npz.part", ".m.npz.part", "m.npz"):
        (tmp_path / name).symlink_to(victim)
    pendulum().save(target)
    assert victim.read_text() == "precious"
    assert not target.is_symlink()
    assert pb.Model.load(target) == pendulum()
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "missing" / "m.npz"))):
        pendulum().save(tmp_path / "missing" / "m.npz")
    os.mkfifo(tmp_path / "pipe.npz")
    with pytest.raises(OSError, match="not a file"):
        pb.Model.load(tmp_path / "pipe.npz")


def test_replacing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a"
    target.write_bytes(b"old")

    def fail() -> None:
        with replacing(target) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_devices_and_pipes_are_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link, tmp_path, Path(os.devnull)):
        with pytest.raises(OSError), replacing(path):  # noqa: PT011  (what it says is the system's)
            pytest.fail("was opened")
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert link.is_symlink()
    assert stat.S_ISCHR(Path(os.devnull).lstat().st_mode)


def test_results_of_a_simulation_do_not_follow_links(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    pendulum().save(tmp_path / "m.npz")
    for name in ("out.npz", "plot.svg"):
        (tmp_path / name).symlink_to(victim)
    sim = ("sim", "m.npz", "--steps", 5, "--out", "out.npz", "--record", "xpos", "--plot", "plot.svg")
    done = polybody(tmp_path, *sim)
    assert done.returncode == 0, done.stderr
    assert victim.read_text() == "precious"
    assert not (tmp_path / "out.npz").is_symlink()
    assert b"<svg" in (tmp_path / "plot.svg").read_bytes()
    with np.load(tmp_path / "out.npz") as saved:
        assert len(saved["time"]) == len(saved["xpos"]) == 6
    assert {path.name for path in tmp_path.iterdir()} == {"m.npz", "out.npz", "plot.svg", "victim"}
    os.mkfifo(tmp_path / "pipe.svg")
    for option in ("--out", "--plot"):
        done = polybody(tmp_path, "sim", "m.npz", "--steps", 5, option, "pipe.svg")
        assert done.returncode == 2
        assert b"not a file" in done.stderr


def test_a_picture_without_a_suffix(tmp_path: Path) -> None:
    """It gets that of matplotlib's usual file type, as matplotlib does it."""
    model = pendulum()
    recorder = Recorder(Stepper(model))
    recorder.run(2)
    trajectory = recorder.trajectory
    plot(tmp_path / "picture", trajectory, model)
    assert [path.name for path in tmp_path.iterdir()] == ["picture.png"]
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_regular_files_only(prepared: Path) -> None:
    for name in ("pipe.obj", "loop.obj", ".", "/dev/zero"):
        with pytest.raises(OSError):  # noqa: PT011  (what it says is the system's)
            open_regular(prepared / name)
        with pytest.raises(GeometryError):
            content(prepared / name)
        assert not is_file(prepared / name)


def test_names_that_others_chose_are_looked_up_in_one_place() -> None:
    """Path.is_file raises for names that are too long, Path.open waits for a writer of a pipe."""
    runtime = Path(pb.__file__).parent
    unsafe = re.compile(
        r"\.(is_file|is_dir|exists|read_bytes|read_text|stat|resolve)\(|(?<![\w.])(?<!def )open\("
    )
    for folder in ("document", "validation", "geometry", "lowering"):
        for path in (runtime / folder).rglob("*.py"):
            name = path.relative_to(runtime).as_posix()
            found = [line for line in path.read_text().splitlines() if unsafe.search(line)]
            mine = r"(numbered|roots|Roots\(.*\))\.resolve\("
            found = [line for line in found if not re.search(mine, line)]
            assert not found or name == "geometry/cache.py", (name, found)


def test_outputs_are_written_in_one_place() -> None:
    """`replacing` is atomic and follows no link; the cache of programs has its own folder and rules."""
    runtime = Path(pb.__file__).parent
    writes = re.compile(
        r"""write_text\(|write_bytes\(|open\([^)]*["'][wax]b?["']|savefig\(os|np\.savez?\((?!file)"""
    )
    own = (
        "files.py",
        "programs/",
        "diagnostics/internal.py",
        "cli/streams.py",
        "cli/__init__.py",
    )  # null devices and a log
    for path in runtime.rglob("*.py"):
        name = path.relative_to(runtime).as_posix()
        if not name.startswith((*own, "codegen/", "generated/", "schemas/")):
            assert not writes.search(path.read_text(encoding="utf-8")), name
