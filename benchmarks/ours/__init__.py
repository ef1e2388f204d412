"""Our kernels in a C loop: the shipped extension, called through its C interface as the peers are called."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

from benchmarks.peers import CACHE, STATES

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KERNELS = "polybody.generated.kernels.dynamics"


def shipped() -> Path:
    """The compiled kernels that ``import polybody`` uses."""
    spec = importlib.util.find_spec(KERNELS)
    if spec is None or spec.origin is None:
        raise ImportError(f"{KERNELS} is not built")
    return Path(spec.origin)


def build_native() -> Path:
    """The kernels compiled once more, for the machine at hand (``-Dnative=true``)."""
    folder = CACHE / "native"
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    if not (folder / "build.ninja").exists():
        options = ["-Dnative=true", "-Dbuildtype=release", "-Db_ndebug=true"]
        subprocess.run(
            [*meson, "setup", folder, ROOT, *options], check=True, capture_output=True, env=environment
        )
    subprocess.run([*meson, "compile", "-C", folder], check=True, capture_output=True, env=environment)
    return next(folder.rglob(shipped().name))


def build_loop() -> Path:
    """Compile loop.pyx against the kernels' .pxd, unless that was done before."""
    from tools.view import make_view

    sources = [HERE / "loop.pyx", HERE.parent / "peers" / "timing.h"]
    sources += sorted((ROOT / "generated" / "kernels").glob("*.[hp]*"))
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = CACHE / f"loop-{key}"
    module = folder / f"loop{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_view(CACHE / "view")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "cython",
                "-3",
                "-I",
                CACHE / "view",
                HERE / "loop.pyx",
                "-o",
                folder / "loop.c",
            ],
            check=True,
        )
        includes = [sysconfig.get_path("include"), sources[1].parent, ROOT / "generated" / "kernels"]
        flags = ["-O2", "-shared", "-fPIC", *(f"-I{include}" for include in includes)]
        made = module.with_suffix(f".{os.getpid()}")
        subprocess.run([os.environ.get("CC", "cc"), folder / "loop.c", *flags, "-o", made], check=True)
        made.replace(module)
    return module


def run(
    kernels: Path, loop: Path, model: Path, states: Path, result: Path, *, copies: Path
) -> dict[str, float]:
    """Time a fresh copy of the compiled ``kernels`` in a fresh interpreter; microseconds by name."""
    copy = copies / kernels.name
    shutil.copy(kernels, copy)
    paths = [str(path) for path in (copy, loop, model, states, result)]
    command = [sys.executable, "-m", "benchmarks.ours", *paths]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    copy.unlink()
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def _load(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def worker(kernels: str, loop: str, model_file: str, states: str, result: str) -> None:
    """What :func:`run` starts: the kernels at ``kernels``, loops over the states, one line printed a loop."""
    import numpy as np

    _load(KERNELS, kernels)
    from polybody import Data

    with Path(model_file).open("rb") as file:
        model = pickle.load(file)
    qacc = np.empty((STATES, model.nv))
    timed = _load("loop", loop)
    timed.run(model.kernel, Data(model).kernel, np.fromfile(states), qacc)
    qacc.tofile(result)
