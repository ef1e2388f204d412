"""The steps of docs/spec-change.md, executed: their output is that on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polybody as pb
from click.testing import CliRunner
from polybody import mjcf
from polybody.cli import app
from polybody.generated.formats.mjcf.tables import FORMAT

PAGE = (Path(__file__).parents[2] / "docs" / "spec-change.md").read_text(encoding="utf-8")


def shown(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def diff(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["schema", "diff", *arguments, "mjcf@3.2.7", "mjcf@3.3.0"])
    assert result.exit_code == 0
    return result.stdout


def test_the_report_is_the_one_on_the_page() -> None:
    report, data = diff(), diff("--json")
    assert report == shown("text")[0]
    assert data.startswith(shown("json")[0].removesuffix(" ...\n]\n"))
    changes = json.loads(data)
    assert len(changes) == len(report.splitlines()) - 1
    assert sum(change["breaking"] for change in changes) == 20


def test_what_the_page_says_of_the_bindings() -> None:
    documents = Path(str(mjcf.__file__)).parent / "documents"
    listed = set(re.findall(r"`documents/(\w+)\.py`", PAGE))
    since = {path.stem for path in documents.glob("*.py") if "Since 3.3.0." in path.read_text("utf-8")}
    until = {path.stem for path in documents.glob("*.py") if "Until 3.2.7." in path.read_text("utf-8")}
    assert until == {"composite"}
    assert since | until | {"sensor_contact"} == listed
    assert mjcf.MeshInertia.SHELL.value == "shell"
    assert mjcf.EPotential.__module__.endswith("sensor_contact")
    assert FORMAT.version == "3.2.7"


def test_the_account_is_the_one_on_the_page() -> None:
    from tools.releases import ACCOUNT, account, page

    assert page(ACCOUNT, account()) == PAGE, "python tools/releases.py"


GRID = """<mujoco><worldbody><body>
<composite type="grid" count="2 2 1" spacing="0.1"/>
</body></worldbody></mujoco>"""
NEW = """<mujoco><worldbody><body>
<flexcomp name="f" type="grid" count="4 4 4" dim="3" dof="trilinear" spacing=".1 .1 .1"/>
</body></worldbody><sensor>
<e_kinetic name="k"/></sensor></mujoco>"""


def errors(text: str, release: str) -> set[tuple[str, int]]:
    found = pb.check("a.xml", text=text, release=release, model=False)
    return {(d.code, d.line) for d in found if d.severity == "error"}


def test_files_of_either_release_under_either() -> None:
    assert errors(GRID, "3.2.7") == set()
    assert errors(GRID, "3.3.0") == {("PB018", 2), ("PB012", 2)}
    assert errors(NEW, "3.2.7") == {("PB029", 2), ("PB029", 4)}
    assert errors(NEW, "3.3.0") == set()
