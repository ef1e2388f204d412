"""Files and the references between them: no reference leaves the roots."""

from __future__ import annotations

import os
import re
from pathlib import Path

import polybody as pb
import pytest
from polybody.base import Source
from polybody.document.access import Access, declared
from polybody.document.sources import Limits, SourceError, load, make_source
from polybody.document.uris import Places
from polybody.files import Followed, is_within


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("model", "shared", "outside"):
        (tmp_path / name / "meshes").mkdir(parents=True)
        (tmp_path / name / "meshes" / "a b.obj").touch()
    (tmp_path / "model" / "link").symlink_to(tmp_path / "outside")
    given = declared({"arm": tmp_path / "shared"}, confined=True)
    path = str(tmp_path / "model" / "m.xml")
    return Places(Source(path, b"", access=Access(path, given)))


def said(places: Places, reference: str) -> list[str]:
    """The messages about a reference."""
    messages: list[str] = []
    places.find(reference, lambda code, message, hint=None: messages.append(message))
    return messages


@pytest.mark.parametrize(
    ("reference", "where"),
    [
        ("meshes/a b.obj", "model"),
        ("./meshes/../meshes/a b.obj", "model"),
        ("package://arm/meshes/a%20b.obj", "shared"),
        ("model://arm/meshes/a b.obj", "shared"),
    ],
)
def test_references_within_their_roots(places: Places, reference: str, where: str) -> None:
    found = places.find(reference, pytest.fail)
    assert found == places.folder.parent / where / "meshes" / "a b.obj"


def test_absolute_references_within_a_root(places: Places) -> None:
    path = places.folder / "meshes" / "a b.obj"
    assert places.find(str(path), pytest.fail) == path
    assert places.find(path.as_uri(), pytest.fail) == path


@pytest.mark.parametrize(
    "reference",
    [
        "../outside/meshes/a b.obj",
        "meshes/../../outside",
        "link/meshes/a b.obj",
        "/etc/passwd",
        "file:///etc/passwd",
        "file://host/etc/passwd",
        "package://arm/../outside/x",
        "package://arm/%2e%2e/outside/x",
        "package://leg/x",
        "package:///etc/passwd",
        "http://example.org/x",
        "ftp://example.org/x",
        "data:text/plain,x",
        "a\0b",
    ],
)
def test_references_that_leave_are_refused(places: Places, reference: str) -> None:
    (message,) = said(places, reference)
    assert re.search(r"is outside|is not known|is empty|another machine|not downloaded|NUL", message)


FOLLOWED = (
    *("a/b/f", "a/link/f", "a/link/../f", "a/up/a/b/f", "a/b/own", "a/b/loop", "a/b/loop/f", "a/.."),
    *("a/b/", "a/b/none/f", "a/./b//f", "", ".", "f"),
)


@pytest.mark.parametrize("path", FOLLOWED)
def test_folders_that_are_followed_once_lead_where_each_path_does(tmp_path: Path, path: str) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "c").mkdir()
    for file in ("a/b/f", "c/f", "f"):
        (tmp_path / file).touch()
    links = {"a/link": "../c", "a/up": "..", "a/b/own": "f", "a/b/loop": "loop"}
    for link, target in links.items():
        (tmp_path / link).symlink_to(target)
    followed = Followed()
    for _ in range(2):
        assert followed.path(f"{tmp_path}/{path}") == os.path.realpath(f"{tmp_path}/{path}")
        assert followed.folder(tmp_path / path) == os.path.realpath(tmp_path / path)


def test_what_is_within_a_folder() -> None:
    assert is_within("/a/b", "/a")
    assert is_within("/a", "/a")
    assert is_within("/a", "/")
    assert not is_within("/ab", "/a")
    assert not is_within("/", "/a")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none", tmp_path / "\0", "x" * 5000):
        with pytest.raises(SourceError) as error:
            load(str(path), Limits())
        assert error.value.code == "PB001"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(SourceError, match="not a file"):
        load(str(fifo), Limits())


def test_limits(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_bytes(b"<a>" + b" " * 100 + b"</a>")
    with pytest.raises(SourceError) as error:
        make_source("a", load(str(path), Limits(bytes=50)), Limits(bytes=50))
    assert error.value.code == "PB002"
    for data, place in (
        (b"<a>" + b" " * 60, 1),
        (b"<a>\n<b " + b"x" * 60 + b"/></a>", 2),
        (b"\n" + b"x" * 51, 1),
    ):
        with pytest.raises(SourceError) as error:
            make_source("a", data, Limits(markup=50))
        assert (error.value.code, error.value.span.line) == ("PB002", place)
    make_source("a", b"<a>" * 100, Limits(markup=50))


@pytest.mark.parametrize("before", ["", "<!-- a -->", "<?strange to a scan of plain XML?>"])
@pytest.mark.parametrize("end", ["/>", "></x_xy>", " unfinished"])
def test_an_element_has_a_bounded_number_of_attributes(before: str, end: str) -> None:
    attributes = " ".join(f"a{number}='1'" for number in range(101))
    text = f"{before}\n<x_xy {attributes}{end}"
    codes = [
        {found.code for found in pb.check("a.xml", text=text, limits=Limits(attributes=n))}
        for n in (100, 101)
    ]
    plain = not before.startswith("<?")
    malformed = end == " unfinished"
    assert codes[0] == ({"PB005"} if malformed and not plain else {"PB002"})
    assert codes[1] == ({"PB005"} if malformed else {"PB012", "PB015"})
    if not malformed:
        (found,) = pb.check("a.xml", text=text, limits=Limits(attributes=100))
        assert (found.line, found.column) == (2, 1)
        assert found.message.startswith("an element with more than 100 attributes")


@pytest.mark.parametrize("most", [1, 2, 63, 64, 65])
def test_the_bound_of_attributes_holds_for_few(most: int) -> None:
    for count in (most, most + 1):
        attributes = " ".join(f"a{number}='1'" for number in range(count))
        found = pb.check("a.xml", text=f"<x_xy {attributes}/>", limits=Limits(attributes=most))
        assert ("PB002" in {each.code for each in found}) == (count > most)
