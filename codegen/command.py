"""The actions of ``python -m codegen`` and ``polybody generate``."""

from __future__ import annotations

import json
import sys
import traceback
from pathlib import Path
from typing import TextIO

from .generate import COMMAND, generate, generate_package, package_command
from .schema import Place, Read, SchemaError, read_file
from .write import Changes, compare, difference, write

PACKAGE = __name__.rpartition(".")[0]
ROOT = Path(__file__).resolve().parents[1]
GENERATED = ROOT / "generated"
LEAVES = ("elements", "fields")
"""What elements with only text can become."""


def checkout() -> Path | None:
    """The checkout that contains this code; None in an installation, which has no build file."""
    return ROOT if (ROOT / "pyproject.toml").is_file() else None


def run(
    schema: Path | str | None = None,
    out: Path | str | None = None,
    check: bool = False,
    root: str = "",
    read: Read = read_file,
    leaves: str = "",
) -> int:
    """Regenerate polybody's own code, or make the package of one schema, whose files ``read`` reads, with its
    leaves as "elements" or "fields".

    Returns:
        The exit code: 0; 1 if ``check`` finds that the folder would change; 2 if the schema has an error or
        the folder cannot be written. Errors are printed.
    """
    folder = Path(out or GENERATED)
    command = COMMAND if schema is None else package_command(schema, folder, root, leaves)
    try:
        unread: tuple[str, ...] = ()
        if schema is None:
            files = generate()
        else:
            files, unread = generate_package(Path(schema), root, read, leaves)
    except SchemaError as error:
        _tell(f"error: {error}")
        return 2
    except Exception as error:  # a bug; the caller reports it
        error.add_note(f"at {_place_of(error) or schema}")
        raise
    for note in unread:
        _tell(f"warning: {note}")
    if not check:
        try:
            changes = write(files, folder)
        except OSError as error:
            _tell(f"error: cannot write {folder}: {error.strerror or error}")
            return 2
        _tell(f"{len(files)} files in {folder.name}/: {summary(changes)}", sys.stdout)
        return 0
    changes = compare(files, folder)
    if not changes:
        return 0
    sys.stdout.write(difference(files, folder))
    _tell(f"{folder.name}/ is stale ({summary(changes)}); run `{command}`")
    return 1


def _tell(line: str, stream: TextIO | None = None) -> None:
    """Print a line, by default on standard error. What it quotes gets no lines of its own."""
    print("".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line), file=stream or sys.stderr)


def _place_of(error: BaseException) -> Place | None:
    """The place in a schema that was being processed when an exception was raised."""
    steps = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(steps):
        for value in list(frame.f_locals.values()):
            found = getattr(value, "place", None) if type(value).__module__.startswith(PACKAGE) else None
            for each in (value, found):
                if isinstance(each, Place):
                    return each
    return None


def summary(changes: Changes) -> str:
    """Numbers of new, changed and orphaned files."""
    counts = {"new": changes.new, "changed": changes.changed, "orphaned": changes.orphans}
    return ", ".join(f"{len(paths)} {word}" for word, paths in counts.items() if paths) or "nothing changed"
