"""The contents of an installation, compared file by file with the folders, and run outside the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / f"cp{sys.version_info.major}{sys.version_info.minor}"
FOLDERS = {"runtime": "", "codegen": "codegen", "generated": "generated", "schemas": "schemas"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder ``polybody`` as an installation lays it out, from the editable install's build."""
    if not (BUILD / "build.ninja").exists():
        pytest.fail(f"{BUILD} is missing: install with `pip install --no-build-isolation --editable .`")
    import polybody  # noqa: F401  brings the build up to date

    target = tmp_path_factory.mktemp("installed")
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    subprocess.run(
        [*meson, "install", "--no-rebuild", "--destdir", str(target)],
        cwd=BUILD,
        check=True,
        capture_output=True,
        timeout=PATIENCE,
    )
    (found,) = target.rglob("polybody/__init__.py")
    return found.parent


def run(installed: Path, *arguments: str) -> str:
    environment = os.environ | {"MESONPY_EDITABLE_SKIP": str(BUILD), "PYTHONPATH": str(installed.parent)}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=installed.parent,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return done.stdout


def test_every_source_and_data_file_is_installed(installed: Path) -> None:
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and path.name != "meson.build":
                assert (installed / package / path.relative_to(ROOT / folder)).is_file(), path


def test_every_cython_module_is_compiled(installed: Path) -> None:
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*.pyx"):
            where = (installed / package / path.relative_to(ROOT / folder)).parent
            assert list(where.glob(path.stem + ".*.so")) + list(where.glob(path.stem + ".*.pyd")), path


def test_types_are_announced(installed: Path) -> None:
    assert (installed / "py.typed").is_file()


def test_it_starts_outside_the_checkout(installed: Path) -> None:
    where = run(installed, "-c", "import polybody; print(polybody.__file__)")
    assert where.strip() == str(installed / "__init__.py")
    assert run(installed, "-m", "polybody", "--version").startswith("polybody ")


def test_versions_agree() -> None:
    import polybody

    for name in ("pyproject.toml", "meson.build"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("'", '"').replace(" = ", ": ")
        assert f'version: "{polybody.__version__}"' in text, name


def test_an_installation_can_check_its_generated_code(installed: Path) -> None:
    assert run(installed, "-m", "polybody.codegen", "--check") == ""


def test_an_installation_can_compile_kernels(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYBODY_CACHE", str(tmp_path))
    model = ROOT / "examples" / "gripper.xml"  # its constraints include headers of the installation
    assert "kernels    step of " in run(installed, "-m", "polybody", "compile", str(model))
    code = f"import polybody as pb; print(pb.Stepper(pb.load({str(model)!r}), 'specialized').reason)"
    assert run(installed, "-c", code).endswith("from the cache\n")
