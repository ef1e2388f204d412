"""Build the compiled modules with sanitizers, in a separate folder, and run a module with them.

    python tools/sanitize.py tests.fuzz --minutes 5 --format sdf --seed 7
    python tools/sanitize.py --kernels tests.hostile.mutations --seconds 3600

AddressSanitizer finds accesses outside of allocated memory, UndefinedBehaviorSanitizer undefined behaviour in
C; both end the process and report the location. The modules below `runtime/`, the generated kernels and the
programs that are compiled for Models all have them. With `--kernels`, only the modules that simulate have,
and of undefined behaviour only bounds of arrays and conversions to integers are checked, which is faster.
The result is stored in `build/sanitize`, or `build/sanitize-kernels`, and rebuilt if a source has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = sys.argv[1:2] == ["--kernels"]
FOLDER = ROOT / "build" / ("sanitize-kernels" if KERNELS else "sanitize")
PLACE = FOLDER / "package"
FOLDERS = {"runtime": ".", "generated": "generated", "codegen": "codegen", "schemas": "schemas"}
SOURCES = {"runtime": ".", "generated": "generated"}
"""Folders with modules to compile, and where they are below the package."""
SIMULATING = ("collision", "constraints", "engine", "kernels", "model", "programs")
"""Folders with the modules that simulate."""
SANITIZERS = "address" if KERNELS else "address,undefined"
STOPPING = "-fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
CHECKS = f"-fsanitize={SANITIZERS},bounds,float-cast-overflow {STOPPING}"
SETTINGS = (
    *("--buildtype=debug", "-Doptimization=1", f"-Db_sanitize={SANITIZERS}", "-Db_lundef=false"),
    *(f"-Dc_args={CHECKS}", f"-Dc_link_args={CHECKS}"),
)
MEMORY = 6 << 10
"""Megabytes of memory of a process: sanitizers need several times as much as usual."""


def packages() -> list[str]:
    """The folders of installed packages of this Python."""
    return [folder for folder in sys.path if folder.endswith("site-packages")]


def program(name: str) -> str:
    """The path of a program next to this Python or its packages, otherwise from the search path."""
    beside = [Path(sys.executable).parent, *(Path(folder).parents[2] / "bin" for folder in packages())]
    found = shutil.which(name, path=os.pathsep.join(map(str, [*beside, *os.get_exec_path()])))
    if found is None:
        raise SystemExit(f"{name} is not installed")
    return found


def build() -> None:
    """Compile, and lay out the package with the compiled modules."""
    settings = os.environ | {"CYTHON": program("cython")}
    settings["PATH"] = os.pathsep.join((str(Path(program("ninja")).parent), os.environ.get("PATH", "")))
    if not (FOLDER / "build.ninja").exists():
        command = [program("meson"), "setup", *SETTINGS, str(FOLDER), str(ROOT)]
        subprocess.run(command, check=True, env=settings, stdout=subprocess.DEVNULL)
    places = {
        path.stem: PLACE / "polybody" / below / path.parent.relative_to(ROOT / folder)
        for folder, below in SOURCES.items()
        for path in (ROOT / folder).rglob("*.pyx")
    }
    # The set of modules may have changed since the folder was configured.
    command = [program("ninja"), "-C", str(FOLDER), "build.ninja"]
    subprocess.run(command, check=True, env=settings, stdout=subprocess.DEVNULL)
    command = [program("ninja"), "-C", str(FOLDER), "-t", "targets", "all"]
    listed = subprocess.run(command, check=True, env=settings, capture_output=True, text=True).stdout
    targets = [line.partition(":")[0] for line in listed.splitlines()]
    starts = tuple(f"{folder}/" for folder in SOURCES)
    modules = [name for name in targets if name.startswith(starts) and name.endswith((".so", ".pyd"))]
    modules = [name for name in modules if not KERNELS or places[stem(name)].name in SIMULATING]
    subprocess.run([program("ninja"), "-C", str(FOLDER), *modules], check=True, env=settings)
    shutil.rmtree(PLACE, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", "*.so", "*.c")
    for folder, below in FOLDERS.items():
        shutil.copytree(ROOT / folder, PLACE / "polybody" / below, ignore=ignored, dirs_exist_ok=True)
    for module in modules:
        shutil.copy2(FOLDER / module, places[stem(module)])
    for name in places.keys() - set(map(stem, modules)):
        dotted = ".".join((places[name] / name).relative_to(PLACE).parts)
        shutil.copy2(str(import_module(dotted).__file__), places[name])


def stem(module: str) -> str:
    """The name of a compiled module without the suffix of its platform."""
    return Path(module).name.partition(".")[0]


def library(name: str) -> str:
    """The path of a compiler library that must be loaded before all others."""
    compiler = os.environ.get("CC", "cc")
    found = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def environment() -> dict[str, str]:
    """The process's environment: the sanitized package before others, no memory pools of Python, and a
    compiler of programs with sanitizers, which have a cache of their own.
    """
    return os.environ | {
        "CC": f"{os.environ.get('CC', 'cc')} {CHECKS}",
        "POLYBODY_CACHE": str(FOLDER / "cache"),
        "LD_PRELOAD": " ".join(map(library, ("libasan.so", "libubsan.so", "libstdc++.so"))),
        "ASAN_OPTIONS": f"detect_leaks=0:hard_rss_limit_mb={MEMORY}:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join((str(PLACE), str(ROOT), *packages())),
    }


def main() -> int:
    build()
    arguments = sys.argv[1 + KERNELS :]
    if not arguments:
        return 0
    # -S: no .pth files, so that an editable install does not take precedence.
    command = [sys.executable, "-S", "-m", *arguments]
    return subprocess.run(command, check=False, env=environment()).returncode


if __name__ == "__main__":
    raise SystemExit(main())
