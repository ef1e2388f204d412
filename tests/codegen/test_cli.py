"""`polybody schema` and `polybody generate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from polybody.cli import app

from .schemas import attribute, generated, write_schema

KEYS = {"name", "type", "size", "enum", "default", "required", "status"}


def test_schema_as_json() -> None:
    result = CliRunner().invoke(app, ["schema", "x_xy", "--json"])
    assert result.exit_code == 0
    described = json.loads(result.stdout)
    assert set(described) == {"format", "version", "elements"}
    for element in described["elements"]:
        assert set(element) == {"path", "tag", "attributes", "text", "children", "recursive", "status"}
        for item in element["attributes"]:
            assert KEYS <= set(item) <= KEYS | {"alternatives", "alias_of", "reason"}


def test_schema_for_people() -> None:
    result = CliRunner().invoke(app, ["schema", "x_xy"])
    assert result.exit_code == 0
    assert result.stdout.startswith("# x\\_xy 1.7.1\n")
    for text in (
        "## `<geom>` (`Geom`)",
        "required unless type is xyz",
        "| `free` | `free` | 7 | 6 |",
    ):
        assert text in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["schema", "nope"],
        ["schema"],
        ["generate", "--schema", "a.xsd"],
        ["generate", "--out", "b"],
        ["generate", "x"],
    ],
)
def test_wrong_usage_exits_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, arguments).exit_code == 2


def test_generate_makes_a_package_and_checks_it(tmp_path: Path) -> None:
    schema = write_schema(tmp_path, attribute('<xs:attribute name="a" type="xs:int"/>'))
    command = ["generate", "--schema", str(schema), "--out", str(tmp_path / "package")]
    assert CliRunner().invoke(app, [*command, "--check"]).exit_code == 1
    assert CliRunner().invoke(app, command).exit_code == 0
    assert CliRunner().invoke(app, [*command, "--check"]).exit_code == 0
    assert (tmp_path / "package" / "documents.py").exists()


def test_generated_code_of_the_installation_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polybody.codegen.command.generate", generated)
    monkeypatch.chdir(Path(__file__).parents[2])
    result = CliRunner().invoke(app, ["generate", "--check"])
    assert result.exit_code == 0, result.output
