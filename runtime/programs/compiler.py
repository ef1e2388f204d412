"""The C compiler of this machine: finding it, and running it with a time limit."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polybody.errors import CompileError

USUAL = ("cc", "gcc", "clang")
SECONDS = 300.0
"""Maximum time of a compiler for one text, in seconds."""
SHOWN = 3
"""Maximum number of lines of a compiler's output that a message quotes."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler of this machine."""

    command: tuple[str, ...]
    """The program by its full path, and the arguments in CC."""
    identity: str
    """Identifies the compiler's version: paths, sizes and times of the files named in the command."""

    def version(self) -> str:
        """The first line of the compiler's version output; "" if there is none."""
        try:
            said = run([*self.command, "--version"], Path(self.command[0]).parent, 20.0)
        except CompileError:
            return ""
        return said.splitlines()[0].strip() if said.strip() else ""


def find() -> Compiler:
    """The compiler that CC names, including arguments, else a usual one. Starts no process.

    Raises:
        CompileError: there is none.
    """
    asked = os.environ.get("CC", "").strip()
    try:
        words = shlex.split(asked, posix=os.name == "posix")
    except ValueError as error:
        raise CompileError(f"CC={asked!r} cannot be parsed: {error}") from None
    if words:
        path = shutil.which(words[0])
        if path is None:
            raise CompileError(f"there is no C compiler {words[0]!r}, which CC names")
        return _known(path, words[1:])
    for name in USUAL:
        path = shutil.which(name)
        if path is not None:
            return _known(path, [])
    raise CompileError("there is no C compiler; install gcc or clang, or name one in CC")


def _known(program: str, arguments: Sequence[str]) -> Compiler:
    """The identity of a compiler; for `CC="ccache gcc"` it includes both files."""
    program = str(Path(program).absolute())
    facts = []
    for word in (program, *arguments):
        path = shutil.which(word)
        if path is None:
            facts.append(word)
        else:
            real = os.path.realpath(path)
            status = os.stat(real)  # noqa: PTH116  (one call; this is on the way to the first step)
            facts.append(f"{real} {status.st_size} {status.st_mtime_ns}")
    return Compiler((program, *arguments), "\n".join(facts))


def build(
    compiler: Compiler,
    texts: Sequence[str],
    library: Path,
    *,
    flags: Sequence[str],
    linking: Sequence[str],
    key: str = "",
    jobs: int = 1,
    seconds: float = SECONDS,
    progress: Callable[[int], object] = lambda done: None,
) -> None:
    """Compile complete C texts, ``jobs`` at a time, and link them into ``library``.

    The texts and intermediate files are written to the folder of ``library``. ``progress`` is called with the
    number of compiled texts.

    Raises:
        CompileError: the compiler failed, or took longer than ``seconds`` for one text.
        OSError: the folder cannot be written.
    """
    folder = library.parent
    define = [f'-DPB_KEY="{key}"'] if key else []
    objects = []
    for number, text in enumerate(texts):
        (folder / f"unit{number}.c").write_text(text, encoding="ascii")
        objects.append(f"unit{number}.o")

    def compile_one(number: int) -> None:
        unit = [*define, "-c", f"unit{number}.c", "-o", objects[number]]
        run([*compiler.command, *flags, *unit], folder, seconds)

    longest_first = sorted(range(len(texts)), key=lambda number: -len(texts[number]))
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        for done, _ in enumerate(pool.map(compile_one, longest_first), 1):
            progress(done)
    run([*compiler.command, *linking, *objects, "-o", library.name, "-lm"], folder, seconds)


def run(command: Sequence[str], folder: Path, seconds: float) -> str:
    """The output of a program, including standard error. Its temporary files are written to ``folder``.

    Raises:
        CompileError: it cannot be started, fails, or takes too long. In this case it is killed; processes
            that it started are left to the caller.
    """
    name = Path(command[0]).name
    environment = os.environ | {"LC_ALL": "C", "TMPDIR": str(folder)}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise CompileError(f"the C compiler {name} took longer than {seconds:g} s") from None
    except OSError as error:
        raise CompileError(f"the C compiler {name} cannot be started: {error.strerror or error}") from None
    said = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise CompileError(f"the C compiler {name} {_ended(done.returncode)}{_telling(said)}")
    return said


def _ended(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"failed with code {code}"


def _telling(said: str) -> str:
    """The most informative lines: those with an error, else the last ones."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "No space" in line] or lines[-SHOWN:]
    shown = "; ".join("".join(c if c.isprintable() else "?" for c in line[:200]) for line in telling[:SHOWN])
    return f": {shown}" if shown else ""
