"""Formats are recognised by content, and other packages can register their own."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata

import polybody as pb
import pytest
from polybody.cli.schema import describe
from polybody.document import registry
from polybody.document.registry import format_named, format_of, names
from polybody.document.sources import LIMITS, first_tags, make_source
from polybody.generated import formats
from polybody.generated.formats.x_xy.tables import FORMAT as X_XY

from . import small
from .test_reader import SMALL_TEXT
from .tools import body


@pytest.fixture
def another(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A format registered by some installed package."""
    point = metadata.EntryPoint("small", "tests.reading.small", registry.ENTRY_POINTS)
    monkeypatch.setattr(
        metadata, "entry_points", lambda group: [point] if group == registry.ENTRY_POINTS else []
    )
    for cached in (registry._packages, format_named):
        cached.cache_clear()
    yield
    for cached in (registry._packages, format_named):
        cached.cache_clear()


def test_built_in_formats_come_with_their_documents_package() -> None:
    assert names() == sorted(registry.BUILT_IN)
    assert format_named("x_xy") is X_XY
    assert format_of(pb.read("a.xml", text=body())) is X_XY
    assert set(registry.BUILT_IN) <= set(names())
    for name, (_, tags) in registry.BUILT_IN.items():
        form = format_named(name)
        assert tuple(form.elements[key].tag for key in (form.root, *form.roots)) == tags
        assert form.folds_case == (name in formats.FOLDS_CASE)


@pytest.mark.usefixtures("another")
def test_formats_of_other_packages() -> None:
    assert names() == sorted([*registry.BUILT_IN, "small"])
    assert format_named("small") is small.FORMAT
    root = pb.read("a.xml", text=SMALL_TEXT)
    assert isinstance(root, small.Small)
    assert pb.check("a.xml", text=SMALL_TEXT, format="small") == []
    assert [d.code for d in pb.check("a.xml", text=SMALL_TEXT, format="x_xy")] == ["PB008"]
    assert [d.code for d in pb.check("a.xml", text=SMALL_TEXT.replace("small>", "smal>"))] == ["PB008"]
    assert pb.read("a.xml", text=body()) == pb.read("a.xml", text=body(), format="x_xy")
    resolved = pb.resolve(root)
    assert resolved.value(root.box[0].item[1], "count") == (3, "defaults", root.usual)


def test_a_format_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("odd", "tests.reading", registry.ENTRY_POINTS)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])
    registry._packages.cache_clear()
    try:
        with pytest.raises(ImportError):
            format_named("odd")
        with pytest.raises(ValueError, match="unknown format 'none'; expected one of auto, mjcf, odd, "):
            format_named("none")
    finally:
        registry._packages.cache_clear()
        format_named.cache_clear()


def test_formats_of_one_root_are_distinguished_by_the_first_clear_sign() -> None:
    plugins = '<gazebo><plugin name="p"><robotParam>x</robotParam></plugin></gazebo>' * 100
    urdf = '<link name="a"><inertial><mass value="1"/></inertial></link>' * 20
    own = '<KinBody><Body name="a"><Mass type="sphere"><density>1</density></Mass></Body></KinBody>' * 20
    for inside, form in ((urdf, "urdf"), (plugins + urdf, "urdf"), (own, "openrave")):
        source = make_source("a.xml", f"<robot>{inside}</robot>".encode(), LIMITS)
        found = registry.detect("robot", first_tags(source))
        assert found is not None
        assert found.name == form
        assert registry.detect("robot", []) is format_named("urdf")
    assert len(list(first_tags(make_source("a.xml", b"<robot/>", LIMITS)))) == 1


@pytest.mark.parametrize("name", registry.BUILT_IN)
def test_every_note_is_about_something(name: str) -> None:
    form = format_named(name)
    known = {"text()"}  # of any element
    for element in describe(form)["elements"]:
        known.add(element["path"])
        known.update(f"{element['path']}/@{item['name']}" for item in element["attributes"])
    for note in form.notes:
        for path in note.on:
            assert any(place == path or place.endswith("/" + path) for place in known), path
