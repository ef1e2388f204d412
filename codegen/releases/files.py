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
    found = _installed(version) or _chosen(folder.joinpath(version).rglob("*"))
    if found is None:
        _download(version, folder / version)
        found = _chosen(folder.joinpath(version).rglob("*"))
    if found is None:
        raise OSError(f"the wheel of MuJoCo {version} has no library")
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
        if file.name.startswith(("libmujoco.", "mujoco.dll")):
            library = file
        elif file.name == MANUAL:
            manual = file
    return None if library is None else Release(library, manual)


def _download(version: str, folder: Path) -> None:
    """Download the wheel of a release, and take the library and the manual from it."""
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
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if Path(member).name.startswith(("libmujoco.", "mujoco.dll")) or member.endswith(
                    (MANUAL, BESIDE)
                ):
                    archive.extract(member, folder)
