"""The library and the manual of a release: installed, or in a wheel that pip downloads."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

from .manual import BESIDE

PACKAGES = ("mujoco-core", "mujoco")
"""Packages with the library: the first from release 4.0 on."""
LIBRARIES = ("libmujoco.", "mujoco.dll")
"""How the names of libraries begin."""
MANUAL = "XMLreference.rst"
"""The page of the manual that describes elements."""


class Release(NamedTuple):
    """The files of a release; `manual` is None if it ships none."""

    library: Path
    manual: Path | None


def release(version: str, folder: Path) -> Release:
    """The files of a release: of an installed one, else of a wheel that is downloaded into ``folder``.

    Raises:
        OSError: it cannot be downloaded, or the wheel has no library.
    """
    found, here = _installed(version), folder / version
    if found is None:
        if _chosen(here.rglob("*")) is None and not any(here.glob("*.whl")):
            _download(version, here)
        _extract(here)
        found = _chosen(here.rglob("*"))
    if found is None:
        raise OSError(f"the wheel of MuJoCo {version} in {here} has no library; --library states another one")
    return found


def _installed(version: str) -> Release | None:
    for name in PACKAGES:
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue
        if package.version == version:
            return _chosen(Path(str(package.locate_file(file))) for file in package.files or ())
    return None


def _chosen(files: Iterable[Path]) -> Release | None:
    library = manual = None
    for file in files:
        if file.name.startswith(LIBRARIES):
            library = file
        elif file.name == MANUAL:
            manual = file
    return None if library is None else Release(library, manual)


def _download(version: str, folder: Path) -> None:
    """Download the wheel of a release."""
    folder.mkdir(parents=True, exist_ok=True)
    reason = ""
    for name in PACKAGES:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", f"{name}=={version}"]
        done = subprocess.run([*command, "--dest", str(folder)], check=False, capture_output=True, text=True)
        if done.returncode == 0:
            break
        reason = (done.stderr.strip().splitlines() or ["pip gives no reason"])[-1]
    else:
        raise OSError(f"MuJoCo {version} cannot be downloaded: {reason}")


def _extract(folder: Path) -> None:
    """Take the library and the manual from the wheels in a folder."""
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                name = Path(member).name
                wanted = name.startswith(LIBRARIES) or name in (MANUAL, BESIDE)
                if wanted and not (folder / member).exists():
                    archive.extract(member, folder)
