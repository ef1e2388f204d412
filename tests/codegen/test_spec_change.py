"""The steps of docs/spec-change.md, executed: their output is that on the page."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import polybody as pb
import pytest
from click.testing import CliRunner
from polybody.cli import app
from polybody.codegen.command import run
from polybody.codegen.schema import SCHEMAS, load
from polybody.generated.formats import mjcf

from tests.waiting import PATIENCE

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "spec-change.md").read_text(encoding="utf-8")
OLD = SCHEMAS / "mjcf.xsd"


@pytest.fixture(scope="module", autouse=True)
def loaded_once() -> Iterator[None]:
    """The commands get each schema from a cache after its first use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("polybody.codegen.schema.load", cache(load))
        yield


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return patched(tmp_path_factory.mktemp("next"), "mjcf-3.3.0.patch")


def patched(folder: Path, name: str) -> Path:
    """The schema of MJCF in a copy of all schemas, with one of the page's patches."""
    shutil.copytree(SCHEMAS, folder / "schemas", ignore=shutil.ignore_patterns("__pycache__"))
    tool = ["patch", "-p1"] if shutil.which("patch") else ["git", "apply"]
    text = (DOCS / "spec-change" / name).read_bytes()
    subprocess.run(tool, cwd=folder, input=text, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
    return folder / "schemas" / "mjcf.xsd"


@pytest.fixture(scope="module")
def mjcf_330(new: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("package")
    assert run(new, folder / "mjcf_330") == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        yield importlib.import_module("mjcf_330")


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_report_is_the_one_on_the_page(new: Path) -> None:
    result = CliRunner().invoke(app, ["schema", "diff", str(OLD), str(new)])
    assert result.exit_code == 0
    assert result.stdout == shown("text")[0]
    data = CliRunner().invoke(app, ["schema", "diff", "--json", str(OLD), str(new)]).stdout
    assert data.startswith(shown("json")[0].removesuffix(" ...\n]\n"))
    changes = json.loads(data)
    assert len(changes) == len(result.stdout.splitlines()) - 1
    assert sum(change["breaking"] for change in changes) == 20


def test_the_patch_changes_what_it_must_and_nothing_else(mjcf_330: Any) -> None:
    made, ours = Path(mjcf_330.__file__).parent, Path(str(mjcf.__file__)).parent
    sections = {path.name for path in (ours / "documents").glob("*.py")} - {"__init__.py"}
    differing = {
        name for name in sections if _body(made / "documents" / name) != _body(ours / "documents" / name)
    }
    listed = set(re.findall(r"`documents/(\w+\.py)`", PAGE))
    # Elsewhere only the documentation of an attribute differs.
    assert differing - listed == {"default.py", "shape.py"}
    assert listed <= differing


def _body(path: Path) -> list[str]:
    """A module without the lines about its generation."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_what_the_page_says_of_the_bindings(mjcf_330: Any) -> None:
    assert (mjcf_330.FORMAT.name, mjcf_330.FORMAT.version) == ("mjcf", "3.3.0")
    assert mjcf.FORMAT.version == "3.2.7"
    for name in ("CompositeTendon", "CompositePin", "CompositeTendonKind"):
        assert hasattr(mjcf, name)
        assert not hasattr(mjcf_330, name)
    assert [kind.value for kind in mjcf_330.CompositeType] == ["cable"]
    assert [kind.value for kind in mjcf_330.CompositeJointKind] == ["main"]
    assert mjcf_330.MeshInertia.SHELL.value == "shell"
    assert "spacing" not in mjcf_330.Composite.FIELDS
    assert "dof" in mjcf_330.Flexcomp.FIELDS
    assert "node" in mjcf_330.Flex.FIELDS


GRID = """<mujoco><worldbody><body>
<composite type="grid" count="2 2 1" spacing="0.1"/>
</body></worldbody></mujoco>"""
NEW = """<mujoco><worldbody><body>
<flexcomp name="f" type="grid" count="4 4 4" dim="3" dof="trilinear"/>
</body></worldbody><sensor>
<e_kinetic name="k"/></sensor></mujoco>"""


def test_files_of_either_version_under_either(mjcf_330: Any) -> None:
    assert not [d for d in pb.check("a.xml", text=GRID, model=False) if d.severity == "error"]
    refused = pb.check("a.xml", text=GRID, format=mjcf_330.FORMAT)
    assert {(d.code, d.line) for d in refused if d.severity == "error"} == {("PB018", 2), ("PB012", 2)}
    newer = pb.check("a.xml", text=NEW)
    assert {(d.code, d.line) for d in newer if d.severity == "error"} == {("PB029", 2), ("PB029", 4)}
    assert "new in mjcf 3.3.0" in newer[0].message
    document = pb.read("a.xml", text=NEW, format=mjcf_330.FORMAT)
    assert document.sensor.e_kinetic[0].name == "k"


def test_the_default_is_another(mjcf_330: Any) -> None:
    text = "<mujoco><option><flag/></option></mujoco>"
    for form, switch in ((mjcf.FORMAT, mjcf.Switch.DISABLE), (mjcf_330.FORMAT, mjcf_330.Switch.ENABLE)):
        document = pb.read("a.xml", text=text, format=form)
        found = pb.resolve(document).value(document.option.flag, "nativeccd")
        assert (found.value, found.origin) == (switch, "schema")


def test_a_new_name_is_reported_and_suggested(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = patched(tmp_path, "mjcf-3.5.0-camera.patch")
    result = CliRunner().invoke(app, ["schema", "diff", str(OLD), str(schema)])
    assert result.stdout == shown("text")[1]
    assert run(schema, tmp_path / "mjcf_350") == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    form = importlib.import_module("mjcf_350").FORMAT
    text = '<mujoco><worldbody><camera {}="{}"/></worldbody></mujoco>'
    assert pb.check("a.xml", text=text.format("projection", "orthographic"), format=form) == []
    (found,) = pb.check("a.xml", text=text.format("orthographic", "true"), format=form)
    assert found.message in PAGE
    assert (found.code, found.suggestion) == ("PB012", "did you mean `projection`?")
