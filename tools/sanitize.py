"""Build the compiled modules with sanitizers, in a folder of their own, and run a module of Python on them.

    python tools/sanitize.py tests.fuzz --minutes 5 --format sdf --seed 7

AddressSanitizer finds reads and writes outside of what is allocated, UndefinedBehaviorSanitizer what C leaves
undefined; either ends the process, with the place. Only gcc's are known here. What is built is kept in
`build/sanitize` and built again where a source has changed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "sanitize"
SETTINGS = (
    *("--buildtype=debug", "-Doptimization=1", "-Db_sanitize=address,undefined", "-Db_lundef=false"),
    "-Dc_args=-fno-sanitize-recover=all -fno-omit-frame-pointer -g1",
)
MEMORY = 6 << 10
"""Megabytes that a process may hold: sanitizers keep several times what is used."""


def program(name: str) -> str:
    """A program beside this Python, else wherever it is found, first of all beside the packages in use."""
    beside = [Path(sys.executable).parent, *(Path(folder).parents[2] / "bin" for folder in packages())]
    found = shutil.which(name, path=os.pathsep.join(map(str, [*beside, *os.get_exec_path()])))
    if found is None:
        raise SystemExit(f"{name} is not installed")
    return found


def packages() -> list[str]:
    """The folders of installed packages that this Python knows."""
    return [folder for folder in sys.path if folder.endswith("site-packages")]


def build() -> Path:
    """The folder in which the package is, compiled with sanitizers."""
    environment = os.environ | {"CYTHON": program("cython")}
    environment["PATH"] = os.pathsep.join((str(Path(program("ninja")).parent), os.environ.get("PATH", "")))
    if not (FOLDER / "build.ninja").exists():
        place = ("--prefix", str(FOLDER / "root"), f"-Dpython.platlibdir={FOLDER / 'root'}")
        place = (*place, f"-Dpython.purelibdir={FOLDER / 'root'}")
        command = [program("meson"), "setup", *SETTINGS, *place, str(FOLDER), str(ROOT)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    command = [program("meson"), "install", "-C", str(FOLDER), "--quiet", "--only-changed"]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return FOLDER / "root"


def library(name: str) -> str:
    """The path of a sanitizer's library, which has to be loaded before all others."""
    compiler = os.environ.get("CC", "cc")
    found = subprocess.run([compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def environment(place: Path) -> dict[str, str]:
    """What the process needs: the sanitized package before others, memory that Python does not pool."""
    return os.environ | {
        "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')} {library('libstdc++.so')}",
        "ASAN_OPTIONS": f"detect_leaks=0:hard_rss_limit_mb={MEMORY}:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join((str(place), str(ROOT), *packages())),
    }


def main() -> int:
    place = build()
    if len(sys.argv) < 2:
        return 0
    # -S: no .pth file, lest an editable install come first.
    return subprocess.run(
        [sys.executable, "-S", "-m", *sys.argv[1:]], env=environment(place), check=False
    ).returncode


if __name__ == "__main__":
    raise SystemExit(main())
