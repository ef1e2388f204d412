"""Files of a schema: only those in its folder, or in the package that contains it, are opened, each once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.codegen.schema import SchemaError, load, read_file

HEAD = '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">'
SECRET = "TOPSECRET-LINE"
PART = f'{HEAD}<xs:simpleType name="T"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>'
REFERRING = ("include", "redefine", "override")
LINKS = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")


def schema(folder: Path, location: str, tag: str = "include") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "robot.xsd"
    path.write_text(
        f'{HEAD}<xs:{tag} schemaLocation="{location}"/><xs:element name="a" type="xs:int"/></xs:schema>'
    )
    return path


def generate(path: Path) -> tuple[int, str]:
    made = path.parent / "made"
    done = CliRunner().invoke(app, ["generate", "--schema", str(path), "--out", str(made)])
    return done.exit_code, done.output


@pytest.mark.parametrize("tag", REFERRING)
def test_a_file_outside_of_the_folder_is_not_opened(tmp_path: Path, tag: str) -> None:
    outside = tmp_path / "outside.xsd"
    outside.write_text(SECRET)
    for location in ("../outside.xsd", outside.as_uri(), str(outside)):
        path = schema(tmp_path / "schemas", location, tag)
        code, said = generate(path)
        assert (code, "is not opened, because it is outside" in said) == (2, True), said
        assert SECRET not in said
        done = CliRunner().invoke(app, ["schema", "diff", str(path), str(path)])
        assert (done.exit_code, "is not opened, because it is outside" in done.output) == (2, True)


@LINKS
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.xsd").write_text(PART)
    path = schema(tmp_path / "schemas", "part.xsd")
    (tmp_path / "schemas" / "part.xsd").symlink_to(tmp_path / "outside.xsd")
    code, said = generate(path)
    assert (code, "is not opened, because it is outside" in said) == (2, True), said
    given = tmp_path / "given.xsd"  # what the user names may be a link
    (tmp_path / "schemas" / "part.xsd").unlink()
    given.symlink_to(schema(tmp_path / "schemas", "schemas/part.xsd"))
    (tmp_path / "schemas" / "part.xsd").write_text(PART)
    assert generate(given)[0] == 0


def test_files_of_the_folder_and_of_its_package(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    path = schema(tmp_path / "robot" / "schemas", "../common/part.xsd")
    (tmp_path / "robot" / "common").mkdir()
    (tmp_path / "robot" / "common" / "part.xsd").write_text(PART)
    assert generate(path)[0] == 2
    (tmp_path / "robot" / "package.xml").write_text("<package><name>robot</name></package>")
    assert generate(path)[0] == 0


def test_each_file_is_read_once(tmp_path: Path) -> None:
    """xmlschema gets the bytes that were checked, whatever is at the path by then."""
    path = schema(tmp_path, "part.xsd")
    part = tmp_path / "part.xsd"
    part.write_text(PART)
    names: list[str] = []

    def read(file: Path) -> bytes:
        names.append(file.name)
        data = read_file(file)
        file.write_text(SECRET)
        return data

    assert load(path, read=read).format == "robot"
    assert names == ["robot.xsd", "part.xsd"]
    assert part.read_text() == SECRET
    with pytest.raises(SchemaError):
        load(path)
