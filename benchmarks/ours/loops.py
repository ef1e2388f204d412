"""The loop kernels in a C loop: the shipped extension, called through its C interface."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.engine import CACHE, ROOT, STATES, TIMING, Engine, Reals, Times, fresh, run, write_states

if TYPE_CHECKING:
    from polybody import Model

HERE = Path(__file__).parent
KERNELS = "polybody.generated.kernels.dynamics"


class Loops(Engine):
    """The kernels that ``import polybody`` uses."""

    label = "loop"

    def __init__(self, model: Model, states: tuple[Reals, Reals, Reals], folder: Path) -> None:
        super().__init__(model, states, folder)
        (folder / "model").write_bytes(pickle.dumps(model))
        write_states(folder / "states", *states)

    def kernels(self) -> Path:
        """The compiled extension."""
        spec = importlib.util.find_spec(KERNELS)
        if spec is None or spec.origin is None:
            raise ImportError(f"{KERNELS} is not built")
        return Path(spec.origin)

    def measure(self) -> Times:
        copy = fresh(self.kernels(), self.folder)
        paths = [self.folder / name for name in ("model", "states", "qacc")]
        return run(sys.executable, "-m", "benchmarks.ours.loops", copy, build_loop(), *paths)

    def accelerations(self) -> Reals:
        return self.result()


class NativeLoops(Loops):
    """The same, compiled for the present machine (``-Dnative=true``)."""

    label = "loop, native"

    def kernels(self) -> Path:
        folder = CACHE / "native"
        meson: list[str | Path] = [sys.executable, "-m", "mesonbuild.mesonmain"]
        environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        commands = [[*meson, "compile", "-C", folder]]
        if not (folder / "build.ninja").exists():
            options = ["-Dnative=true", "-Dbuildtype=release", "-Db_ndebug=true"]
            commands.insert(0, [*meson, "setup", folder, ROOT, *options])
        for command in commands:
            subprocess.run(command, check=True, capture_output=True, env=environment)
        return next(folder.rglob(super().kernels().name))


def build_loop() -> Path:
    """Compile loop.pyx against the kernels' .pxd, unless already done."""
    from tools.view import make_view

    sources = [HERE / "loop.pyx", TIMING]
    sources += sorted((ROOT / "generated" / "kernels").glob("*.[hp]*"))
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = CACHE / f"loop-{key}"
    module = folder / f"loop{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_view(CACHE / "view")
        cython: list[str | Path] = [sys.executable, "-m", "cython", "-3", "-I", CACHE / "view"]
        subprocess.run([*cython, HERE / "loop.pyx", "-o", folder / "loop.c"], check=True)
        includes = [sysconfig.get_path("include"), TIMING.parent, ROOT / "generated" / "kernels"]
        flags = ["-O2", "-shared", "-fPIC", *(f"-I{include}" for include in includes)]
        made = module.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), folder / "loop.c", *flags, "-o", made], check=True)
        made.replace(module)
    return module


def _load(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def worker(kernels: str, loop: str, model_file: str, states: str, result: str) -> None:
    """Started by :meth:`Loops.measure`: runs the kernels at ``kernels`` and prints one line per work."""
    _load(KERNELS, kernels)
    from polybody import Data

    with Path(model_file).open("rb") as file:
        model = pickle.load(file)
    qacc = np.empty((STATES, model.nv))
    timed = _load("loop", loop)
    timed.run(model.kernel, Data(model).kernel, np.fromfile(states), qacc)
    qacc.tofile(result)


if __name__ == "__main__":
    worker(*sys.argv[1:])
