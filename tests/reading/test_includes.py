"""Included files: read once, inserted at their position, and preserved when written."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import polybody as pb
from polybody.diagnostics import Diagnostic

MAIN = (
    '<mujoco>\n  <include file="parts/arm.xml"/>\n'
    '  <worldbody>\n    <geom size="1"/>\n  </worldbody>\n</mujoco>\n'
)
ARM = (
    '<any root="is fine">\n  <default>\n    <geom size="0.5"/>\n  </default>\n  <worldbody>\n'
    '    <body name="arm"/>\n  </worldbody>\n</any>\n'
)


def folder(path: Path, **files: str) -> Path:
    """A folder of files, `parts__arm` for parts/arm.xml; returns the path of main."""
    for name, text in files.items():
        file = path / (name.replace("__", "/") + ".xml")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path / "main.xml"


def codes(found: list[Diagnostic]) -> list[str]:
    return [d.code for d in found]


def test_included_content_is_inserted_in_place_and_written_as_an_include(tmp_path: Path) -> None:
    main = folder(tmp_path, main=MAIN, parts__arm=ARM)
    document = pb.read(main)
    assert [part.file for part in document.include] == ["parts/arm.xml"]
    assert document.include[0].content.worldbody.body[0].name == "arm"
    assert 'include file="parts/arm.xml"' in pb.write(document)
    assert "arm" not in pb.write(document).replace("parts/arm.xml", "")
    assert pb.read(main, text=pb.write(document)) == document


def test_sections_of_files_are_one_for_whoever_asks_what_they_mean(tmp_path: Path) -> None:
    document = pb.read(folder(tmp_path, main=MAIN, parts__arm=ARM))
    resolved = pb.resolve(document)
    world = resolved.expanded.worldbody  # type: ignore[attr-defined]
    assert [child.TAG for child in world.children] == ["body", "geom"]
    assert world.geom[0] is document.worldbody.geom[0]
    assert document.default is None
    assert resolved.expanded.default.geom.size == (0.5,)  # type: ignore[attr-defined]


def test_copies_and_pickles_keep_the_content(tmp_path: Path) -> None:
    document = pb.read(folder(tmp_path, main=MAIN, parts__arm=ARM))
    for other in (copy.deepcopy(document), pickle.loads(pickle.dumps(document))):
        assert other == document
        assert other.include[0].content.worldbody.body[0].name == "arm"


def test_findings_in_a_file_name_who_includes_it(tmp_path: Path) -> None:
    main = folder(tmp_path, main=MAIN, parts__arm=ARM.replace("<body name", "<body nam"))
    (found,) = pb.check(main)
    assert (Path(found.path).name, found.line, found.code) == ("arm.xml", 6, "PB012")
    assert [Path(place).name for place in found.include_stack] == ["main.xml:2"]


def test_names_are_known_and_taken_across_files(tmp_path: Path) -> None:
    main = MAIN.replace('<geom size="1"/>', '<body name="arm"/>\n<camera mode="targetbody" target="arm"/>')
    found = pb.check(folder(tmp_path, main=main, parts__arm=ARM))
    assert [(Path(d.path).name, d.code) for d in found] == [("main.xml", "PB031")]
    assert [Path(place).name for d in found for place in d.related] == ["arm.xml:6:11"]


def test_circles_are_named(tmp_path: Path) -> None:
    loop = '<mujoco>\n  <include file="main.xml"/>\n</mujoco>\n'
    (found,) = pb.check(folder(tmp_path, main=MAIN, parts__arm=loop))
    assert (found.code, Path(found.path).name, found.line) == ("PB039", "arm.xml", 2)
    assert "main.xml -> arm.xml -> main.xml" in found.message
    (found,) = pb.check(folder(tmp_path, main=loop))
    assert (found.code, found.line) == ("PB039", 2)


def test_a_file_is_included_once(tmp_path: Path) -> None:
    twice = MAIN.replace("  <worldbody>", '  <include file="parts/../parts/arm.xml"/>\n  <worldbody>')
    found = pb.check(folder(tmp_path, main=twice, parts__arm=ARM))
    assert [(d.code, d.line) for d in found] == [("PB038", 3)]
    assert "main.xml:2" in found[0].message


def test_files_stay_in_the_project(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text(ARM)
    inside = tmp_path / "model"
    inside.mkdir()
    (inside / ".git").touch()
    for reference in ("../secret.xml", str(tmp_path / "secret.xml"), "http://example.org/secret.xml"):
        main = folder(inside, main=MAIN.replace("parts/arm.xml", reference))
        assert codes(pb.check(main)) == ["PB010"], reference
    (inside / "parts").mkdir(exist_ok=True)
    (inside / "parts" / "arm.xml").symlink_to(tmp_path / "secret.xml")
    assert codes(pb.check(folder(inside, main=MAIN))) == ["PB010"]


def test_files_may_be_elsewhere_in_the_documents_package(tmp_path: Path) -> None:
    (tmp_path / "common").mkdir()
    (tmp_path / "common" / "arm.xml").write_text(ARM)
    main = folder(tmp_path / "model", main=MAIN.replace("parts/arm.xml", "../common/arm.xml"))
    assert codes(pb.check(main, confined=True)) == ["PB010"]
    (tmp_path / "package.xml").write_text("<package><name>robot</name></package>")
    assert pb.check(main, confined=True) == []
    (tmp_path / "package.xml").rename(tmp_path / "common" / "package.xml")
    assert codes(pb.check(main, confined=True)) == ["PB010"]


def test_missing_empty_and_broken_files_are_findings(tmp_path: Path) -> None:
    main = folder(tmp_path, main=MAIN)
    assert [(d.code, d.line) for d in pb.check(main)] == [("PB001", 2)]
    folder(tmp_path, parts__arm="<mujoco/>")
    assert [(d.code, d.line) for d in pb.check(main)] == [("PB015", 2)]
    folder(tmp_path, parts__arm="<mujoco><worldbody></mujoco>")
    assert [(d.code, Path(d.path).name) for d in pb.check(main)] == [("PB006", "arm.xml")]
    folder(tmp_path, parts__arm='<!DOCTYPE a [<!ENTITY b "c">]><mujoco><worldbody/></mujoco>')
    assert codes(pb.check(main)) == ["PB004"]


def test_a_file_beside_the_one_that_includes_it(tmp_path: Path) -> None:
    middle = '<mujoco>\n  <include file="hand.xml"/>\n</mujoco>\n'
    main = folder(tmp_path, main=MAIN, parts__arm=middle, parts__hand=ARM)
    assert pb.check(main) == []


def test_content_that_may_occur_once_is_not_included_again(tmp_path: Path) -> None:
    """A body has one inertia, whichever file has it; sections that are merged may occur twice."""
    inertial = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    (tmp_path / "more.xml").write_text(f"<mujocoinclude>\n{inertial}</mujocoinclude>")
    (tmp_path / "option.xml").write_text('<mujocoinclude><option timestep="1"/></mujocoinclude>')
    path = tmp_path / "a.xml"
    head = '<mujoco><option/><include file="option.xml"/><worldbody>'
    path.write_text(f'{head}<body>{inertial}<include file="more.xml"/></body></worldbody></mujoco>')
    (found,) = pb.check(path)
    assert (found.code, found.path, found.line) == ("PB014", str(tmp_path / "more.xml"), 2)
    assert f"the first is at {path}:1" in found.message
    path.write_text(f'{head}<body><include file="more.xml"/></body></worldbody></mujoco>')
    assert pb.check(path) == []


def test_a_malformed_file_hides_no_finding_of_another(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text("<mujoco><</mujoco>")
    main = tmp_path / "main.xml"
    main.write_text('<mujoco>\n  <visual><rgba foog="1"/></visual>\n  <include file="part.xml"/>\n</mujoco>')
    codes = [(Path(found.path).name, found.line, found.code) for found in pb.check(main)]
    assert codes == [("main.xml", 2, "PB012"), ("part.xml", 1, "PB005")]


def test_a_malformed_file_that_is_read_twice_is_reported(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(">")
    main = tmp_path / "main.xml"
    main.write_text('<mujoco><asset><model file="part.xml"/><include file="part.xml"/></asset></mujoco>')
    assert [Path(found.path).name for found in pb.check(main) if found.code == "PB005"] == ["part.xml"]
