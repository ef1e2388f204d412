"""README and the pages that it names are correct: examples run, links have targets, commands exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
]
PATH = re.compile(r"`((?:(?:[\w.-]|<format>)+/)*(?:\w|<format>)(?:[\w.-]|<format>)*/?)`")
SUFFIXES = ("py", "pyx", "pxd", "md", "xsd", "xml", "jinja", "patch", "txt", "toml")
WRITTEN = "<!-- from here on written by"
"""After this, a page has tables, which name positions in documents."""
ELSEWHERE = {
    "docs/ci.md": {"package.xml", "polybodyFinding/v2"},  # of the reader; a key
    "docs/editors.md": {".vscode/polybody"},  # of the reader
    "docs/policies.md": {"CMakeLists.txt", "package.xml", "polybody.toml", "visual/"},  # of the reader
    "docs/security.md": {  # of whoever checks models
        *(".vscode/settings.json", "CMakeLists.txt", "NAME/share/NAME", "package.xml", "polybody.toml"),
    },
    "docs/getting-started.md": {"pendulum.xml"},  # the reader's
    "docs/openrave.md": {  # OpenRAVE's
        "openrave_sensors/test/wamscene.env.xml",
        "src/data/puma.env.xml",
        "src/data/testphysics.env.xml",
        "test/ikfastrobots/fail3.robot.xml",
        "test/spectypes.xml",
    },
    "docs/own-schema.md": {"crane.xsd", "lab/urdf.xsd", "lab/urdf/link.xsd", "package.xml"},  # the reader's
    "docs/spec-change.md": {  # of the generated packages
        f"documents/{name}.py" for name in ("composite", "deformable", "asset", "sensor", "sensor_contact")
    },
    "docs/tasks.md": {"gripper/finger"},  # a name in dm_control
    "docs/urdf.md": {"package.xml", "unittest/srdf"},  # of ROS
}
"""Paths that name no file of a checkout, by page; `make` writes to build/ and output/."""


def named(page: str) -> set[str]:
    """The paths in backquotes on a page: words with a slash, or with the suffix of a file."""
    text, _, _ = (ROOT / page).read_text(encoding="utf-8").partition(WRITTEN)
    found = PATH.findall(text)
    return {path for path in found if "/" in path or path.rpartition(".")[2] in SUFFIXES}


def exists(path: str) -> bool:
    """Whether a path exists from the checkout's root, ``<format>`` being any format; a bare name may be in
    any folder.
    """
    pattern = path.rstrip("/").replace("<format>", "*")
    return any(ROOT.glob(pattern)) or ("/" not in path and path in files())


@cache
def files() -> frozenset[str]:
    folders = (
        "codegen",
        "schemas",
        "generated",
        "runtime",
        "tests",
        "benchmarks",
        "docs",
        "tools",
        "examples",
    )
    return frozenset(path.name for folder in folders for path in (ROOT / folder).rglob("*.*"))


def test_the_python_example_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        exec(compile(block, "README.md", "exec"), names)
        assert names["simulation"].data.time == pytest.approx(10.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in link]
    assert [link for link in links if not ((ROOT / page).parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_to_headings_lead_to_one(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [
        (path or Path(page).name, anchor) for path, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text)
    ]
    assert [link for link in links if link[1] not in anchors((ROOT / page).parent / link[0])] == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST generate them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str) -> None:
    missing = {
        path for path in named(page) if not path.startswith(("build/", "output/")) and not exists(path)
    }
    assert missing == ELSEWHERE.get(page, set())


def test_the_command_line_has_the_commands_it_shows() -> None:
    from polybody.cli.commands import MODULES

    shown = set(
        re.findall(r"^    polybody (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert shown == set(MODULES)
