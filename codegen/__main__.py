"""``python -m codegen`` in a checkout, ``python -m polybody.codegen`` once installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .generate import COMMAND, generate
from .schema import SchemaError
from .write import Changes, compare, difference, write

GENERATED = Path(__file__).resolve().parents[1] / "generated"


def main(arguments: list[str] | None = None) -> int:
    """Regenerate ``generated/`` from ``schemas/``; --check only says what would change."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; print the diff, exit 1 if any")
    options = parser.parse_args(arguments)
    try:
        files = generate()
    except SchemaError as error:
        print(error, file=sys.stderr)
        return 2
    return check(files, GENERATED, COMMAND) if options.check else _write(files)


def check(files: dict[str, str], folder: Path, command: str) -> int:
    """Print how a folder differs from what is generated and the command that repairs it; 1 if it does."""
    changes = compare(files, folder)
    if not changes:
        return 0
    sys.stdout.write(difference(files, folder))
    print(f"{folder.name}/ is stale ({summary(changes)}); run `{command}`", file=sys.stderr)
    return 1


def _write(files: dict[str, str]) -> int:
    changes = write(files, GENERATED)
    print(f"{len(files)} files in {GENERATED.name}/: {summary(changes)}")
    return 0


def summary(changes: Changes) -> str:
    """How many files are new, changed, removed."""
    counts = {"new": changes.new, "changed": changes.changed, "orphaned": changes.orphans}
    return ", ".join(f"{len(paths)} {word}" for word, paths in counts.items() if paths) or "nothing changed"


if __name__ == "__main__":
    sys.exit(main())
