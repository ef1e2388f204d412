"""Files that are replaced by links between the check of their path and the reading: no link is followed."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import polybody as pb
import pytest
from polybody import files
from polybody.files import contents, open_regular, real
from polybody.geometry.cache import content_of, digest
from polybody.geometry.errors import GeometryError

from .lowering.skel.documents import body, joint, world
from .test_places import FORMATS
from .waiting import process, python, until

if sys.platform == "win32":
    pytest.skip("links need a privilege on Windows", allow_module_level=True)

SECRET = "TOPSECRET-LINE\n"
CHECKS = 1500
"""Each read the file outside with a probability of about 3 %, when paths were opened by name again."""
KINDS = {
    "urdf": "parts/a.obj",
    "sdf": "parts/a.sdf",
    "mesh": "parts/a.obj",
    "hfield": "parts/a.png",
    "texture": "parts/a.png",
    "skin": "parts/a.skn",
    "flexcomp": "parts/a.msh",
    "mjcf": "parts/a.xml",
    "skel": "parts/a.obj",
    "kinbody": "parts/a.kinbody.xml",
    "trimesh": "parts/a.obj",
    "dmd": "package://inside/parts/a.sdf",
}
SHAPE = (
    "<collision_shape><geometry><mesh><file_name>{}</file_name><scale>1 1 1</scale></mesh></geometry>"
    "</collision_shape>"
)
TEXTS = FORMATS | {
    "skel": world(body(inside=f"<inertia><mass>1</mass></inertia>{SHAPE}") + joint("free")),
    "dmd": "directives:\n- add_model:\n    name: a\n    file: {}\n",
}


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A folder of a document, and one beside it whose files nobody may read."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "parts").mkdir(parents=True)
    outside.mkdir()
    return inside, outside


def swap_end(part: Path, outside: Path) -> None:
    part.unlink()
    part.symlink_to(outside / part.name)


def swap_folder(part: Path, outside: Path) -> None:
    part.parent.rename(part.parent.with_name("kept"))
    part.parent.symlink_to(outside)


@pytest.mark.parametrize("swap", [swap_end, swap_folder])
@pytest.mark.parametrize("walks", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_opened_is_what_was_checked(
    places: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    walks: bool,
    swap: Callable[[Path, Path], None],
) -> None:
    inside, outside = places
    part = inside / KINDS[kind].removeprefix("package://inside/")
    (inside / "package.xml").write_text("<package><name>inside</name></package>")
    for place in (part, outside / part.name):
        place.write_text(SECRET)
    document = inside / ("m.dmd.yaml" if kind == "dmd" else "m.xml")
    document.write_text(TEXTS[kind].format(KINDS[kind]))
    monkeypatch.setattr(files, "_WALKS", walks)
    opened, refused = files._opened, []

    def late(path: str | os.PathLike[str]) -> int:
        if Path(path).name == part.name and not refused:
            swap(part, outside)
            try:
                return opened(path)
            except OSError as error:
                refused.append(error)
                raise
        return opened(path)

    monkeypatch.setattr(files, "_opened", late)
    with suppress(pb.ValidationError, pb.ModelError), warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        pb.load(document, policy="lenient")
    assert refused, "the file was read, or never opened"


@pytest.mark.parametrize("walks", [True, False])
def test_only_checked_paths_refuse_links(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, walks: bool
) -> None:
    monkeypatch.setattr(files, "_WALKS", walks)
    inside, outside = places
    target = outside / "a"
    target.write_text(SECRET)
    (inside / "a").symlink_to(target)
    (inside / "b").symlink_to(outside)
    assert contents(inside / "a", 100) == contents(real(inside / "b" / "a"), 100) == SECRET.encode()
    for path in (real(inside) / "a", real(inside) / "b" / "a", real(inside) / "parts", real(inside) / "none"):
        with pytest.raises(OSError):  # noqa: PT011  (what it says is the system's)
            open_regular(path)


def test_links_that_are_replaced_while_they_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, left = os.path.realpath, [3]

    def late(path: str) -> str:
        left[0] -= 1
        if left[0] >= 0:
            raise OSError(22, "Invalid argument")
        return resolve(path)

    monkeypatch.setattr(os.path, "realpath", late)
    assert real(tmp_path / "a") == tmp_path / "a"
    left[0] = 1000
    with pytest.raises(ValueError, match="change all the time"):
        real(tmp_path / "a")


def test_a_file_that_changes_between_two_readings(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    path.write_text("v 0 0 0")
    name = digest(path.read_bytes())
    assert content_of(path, name) == b"v 0 0 0"
    path.write_text("v 0 0 1")
    with pytest.raises(GeometryError, match="changed while it was read"):
        content_of(path, name)


SWAPPING = """
import os
turn = 0
while True:
    beside = f".t{turn % 2}"
    try:
        os.unlink(beside)
    except FileNotFoundError:
        pass
    if turn % 2:
        os.symlink("../outside/secret.txt", beside)
    else:
        os.link("real.xml", beside)
    os.replace(beside, "inc.xml")
    turn += 1
"""


def test_a_file_that_is_replaced_all_the_time(places: tuple[Path, Path]) -> None:
    inside, outside = places
    (inside / "CMakeLists.txt").touch()  # the folder is a project
    (outside / "secret.txt").write_text(SECRET)
    (inside / "real.xml").write_text("<mujoco/>")
    path = inside / "m.xml"
    path.write_text('<mujoco><include file="inc.xml"/></mujoco>')
    codes: set[str] = set()
    with process(python(SWAPPING), cwd=inside):
        until((inside / "inc.xml").exists)
        for _ in range(CHECKS):
            codes |= {finding.code for finding in pb.check(path)}
        until(lambda: "PB010" in {finding.code for finding in pb.check(path)})  # the link is seen
    assert "PB005" not in codes, "the file outside was read"
