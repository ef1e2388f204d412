"""Writing: whole files or none, orphans gone, what is not ours left alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from polybody.codegen import command
from polybody.codegen.generate import with_manifest
from polybody.codegen.write import MANIFEST, compare, difference, write


def files(**texts: str) -> dict[str, str]:
    return with_manifest({name.replace("__", "/") + ".py": text for name, text in texts.items()}, "make it")


def tree(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_folder_comes_to_hold_exactly_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    first = files(a="1\n", sub__b="2\n")
    assert write(first, folder).new == ("MANIFEST", "a.py", "sub/b.py")
    assert tree(folder) == first
    assert not write(first, folder)
    second = files(a="changed\n", c="3\n")
    changes = write(second, folder)
    assert (changes.new, changes.changed, changes.orphans) == (("c.py",), ("MANIFEST", "a.py"), ("sub/b.py",))
    assert tree(folder) == second
    assert not (folder / "sub").exists()


def test_only_files_that_were_generated_are_removed(tmp_path: Path) -> None:
    write(files(a="1\n", sub__b="2\n"), tmp_path)
    (tmp_path / "sub" / "mine.py").write_text("mine\n")
    (tmp_path / "outside.txt").write_text("outside\n")
    folder = tmp_path / "sub"
    folder.joinpath(MANIFEST).write_text("../outside.txt\n/etc/hostname\n")
    write(files(a="1\n"), folder)
    write(files(a="1\n"), tmp_path)
    assert (tmp_path / "outside.txt").exists()
    assert (tmp_path / "sub" / "mine.py").exists()
    assert not (tmp_path / "sub" / "b.py").exists()


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00", b"# nothing\n", b"a.py\nMANIFEST\nb.py\n"])
def test_a_damaged_manifest_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    made = files(a="1\n")
    write(made, tmp_path)
    (tmp_path / MANIFEST).write_bytes(damage)
    (tmp_path / "a.py").write_bytes(b"\xff not utf-8")
    assert set(compare(made, tmp_path).changed) == {"MANIFEST", "a.py"}
    write(made, tmp_path)
    assert tree(tmp_path) == made


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(files(a="1\n"), tmp_path)
    before = tree(tmp_path)

    def fail(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write(files(a="2\n"), tmp_path)
    assert tree(tmp_path) == before


def test_the_difference_is_a_diff(tmp_path: Path) -> None:
    write(files(a="1\nsame\n", gone="x\n"), tmp_path)
    text = difference(files(a="2\nsame\n", new="y"), tmp_path)
    assert "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-1\n+2\n same\n" in text
    assert "--- a/gone.py\n+++ /dev/null\n" in text
    assert "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+y\n" in text


def test_check_prints_the_diff_and_the_command_that_repairs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema = tmp_path / "my.xsd"
    schema.write_text(
        '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="root"><xs:complexType>'
        '<xs:assert test="true()"/></xs:complexType></xs:element></xs:schema>'
    )
    out = tmp_path / "package"
    assert command.run(schema, out, check=True) == 1
    assert not out.exists()
    printed = capsys.readouterr()
    assert "+class Root(Node):" in printed.out
    assert f"run `polybody generate --schema {schema} --out {out}`" in printed.err
    assert "warning: my.xsd:1: xs:assert is not enforced" in printed.err
    assert command.run(schema, out) == 0
    assert command.run(schema, out, check=True) == 0
    schema.write_text("<broken")
    before = tree(out)
    assert command.run(schema, out) == 2
    assert tree(out) == before
    assert "my.xsd:1: not well-formed XML" in capsys.readouterr().err
