"""Whether a format's engine loads a file, determined in a process of its own since engines crash."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

from tests.waiting import forked

SECONDS = 60
"""Seconds after which an engine counts as hanging."""
Packages = Mapping[str, Path]


class RefusedError(Exception):
    """The engine does not load a file, without raising an exception of its own."""


def mujoco(path: Path, packages: Packages) -> None:
    from mujoco import MjModel

    MjModel.from_xml_path(str(path))


def drake(path: Path, packages: Packages) -> None:
    """A plant without geometry, whose parser knows the known packages and those around the file."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant = MultibodyPlant(0.0)
    parser = Parser(plant=plant)
    parser.SetAutoRenaming(True)
    known = parser.package_map()
    for name, folder in packages.items():
        if known.Contains(name):
            known.Remove(name)
        known.Add(name, str(folder))
    manifest = next(
        (up / "package.xml" for up in path.resolve().parents if (up / "package.xml").is_file()), None
    )
    if manifest is not None:
        name = ElementTree.parse(manifest).getroot().findtext("name", "").strip()
        if known.Contains(name):  # Drake includes some itself
            known.Remove(name)
        known.AddPackageXml(str(manifest))
    parser.AddModels(str(path))
    plant.Finalize()


def dart(path: Path, packages: Packages) -> None:
    import dartpy

    if dartpy.utils.SkelParser.readWorld(str(path)) is None:
        raise RefusedError("no world")


def ring(path: Path, packages: Packages) -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    import ring as engine

    engine.System.create(str(path))


def document(path: Path, packages: Packages) -> None:
    """Accepts any well-formed file, for a format whose engine is not available."""
    from lxml import etree

    etree.parse(path)


ENGINES: Mapping[str, Callable[[Path, Packages], None]] = {
    "mjcf": mujoco,
    "urdf": drake,
    "sdf": drake,
    "skel": dart,
    "x_xy": ring,
    "openrave": document,
}


IMPORTED = {
    "mjcf": ("mujoco",),
    "skel": ("dartpy",),
    **dict.fromkeys(("urdf", "sdf"), ("pydrake.multibody.parsing", "pydrake.multibody.plant")),
}


def prepare(form: str) -> None:
    """Import a format's engine, so that the processes that ask it do not each have to."""
    for module in IMPORTED.get(form, ()):
        import_module(module)


def refusal(form: str, path: Path, packages: Packages | None = None) -> str | None:
    """Why a format's engine does not load a file; None where it does."""
    said, code = forked(lambda: _asked(form, path, packages or {}), SECONDS)
    if code < 0:
        return "hangs" if code == -signal.SIGKILL else f"crashes: signal {-code}"
    return None if said == b"loads" else said.decode("utf-8", "replace") or f"ends with {code}"


def _asked(form: str, path: Path, packages: Packages) -> bytes:
    """In the child process: run the engine, which may print anything."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        ENGINES[form](path, packages)
    except BaseException as error:  # Drake raises SystemExit for failed assertions
        return (f"{type(error).__name__}: {error}"[:500] or "refused").encode("utf-8", "replace")
    return b"loads"
