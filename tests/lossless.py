"""Read and write every file of some folders; exit with code 1 if more changes than the edits.

    python -m tests.lossless DIR...

A file that is not edited must keep its bytes. Then one value of each kind that the file contains is changed,
one at a time: exactly one line must differ, and the text must read as the edited document unless the new
value is invalid there. Documents with errors are read with `as_written`. Files that are malformed or of no
format are listed with the codes of their errors.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import polybody as pb
from polybody.base import Node, Untyped
from polybody.reading import as_written

ROOT = Path(__file__).resolve().parents[1]
CORPORA = next((path for each in ROOT.parents if (path := each / "shared" / "corpora").is_dir()), None)
"""Files of public repositories next to a checkout, or None."""
SUFFIXES = (".xml", ".urdf", ".sdf", ".skel", ".mjcf", ".world")


class Answer(NamedTuple):
    """Result for one file: why it cannot be read, or ""; the failures; which kinds of values were changed;
    the codes of its errors if it was read in spite of them.
    """

    path: Path
    unreadable: str = ""
    faults: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    errors: str = ""


def files(folder: Path) -> list[Path]:
    """Files of a folder that may be documents, judged by their suffixes."""
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.is_file())


def answer(path: Path) -> Answer:
    """Results of writing a file unchanged and with each edit."""
    errors = ""
    try:
        document: Any = pb.read(path, policy="lenient")
    except pb.ValidationError as error:
        errors = " ".join(sorted({found.code for found in error.diagnostics if found.severity == "error"}))
        document = as_written(path, "lenient")
        if document is None:
            return Answer(path, errors)
    original = pb.write(document)
    faults = [] if _bytes(document) == path.read_bytes() else ["not the same bytes"]
    drawn = _one_of_each_kind(document, random.Random(path.name))
    for kind, (node, field) in sorted(drawn.items()):
        old = getattr(node, field)
        setattr(node, field, _other(old))
        text = pb.write(document)
        lines = _changed_lines(original, text)
        if lines != (1, 1):
            faults.append(f"{kind} {field} of {node.place}: {lines[0]} lines became {lines[1]}")
        elif not _reads_as(document, path, text):
            faults.append(f"{kind} {field} of {node.place}: reads as another document")
        setattr(node, field, old)
    return Answer(path, faults=tuple(faults), changed=tuple(sorted(drawn)), errors=errors)


def _bytes(document: Node) -> bytes:
    """The bytes of the file to which a document is written."""
    with TemporaryDirectory(prefix="polybody-lossless-") as folder:
        path = Path(folder) / "written"
        pb.write(document, path)
        return path.read_bytes()


def _reads_as(document: Node, path: Path, text: str) -> bool:
    """Whether a text reads as the given document or is rejected: the new value may be an error at its
    position.
    """
    try:
        return bool(pb.read(path, text=text, policy="lenient") == document)
    except pb.ValidationError:
        return True


def _one_of_each_kind(document: Node, chance: random.Random) -> dict[str, tuple[Node, str]]:
    """For each kind of value in a document an element and the name of a field with such a value."""
    found: dict[str, list[tuple[Node, str]]] = {}
    for node in document.walk():
        if isinstance(node, Untyped) or node.source is not document.source:
            continue  # an element of an included file
        for field in node.FIELDS:
            kind = _kind(getattr(node, field))
            if kind:
                found.setdefault(kind, []).append((node, field))
    return {kind: chance.choice(places) for kind, places in found.items()}


def _kind(value: object) -> str:
    """The kind of a value; "" if it has none that can be changed."""
    if isinstance(value, tuple):
        return "vector" if value and _kind(value[0]) in ("number", "text") else ""
    if isinstance(value, Enum):
        return "keyword" if len(type(value)) > 1 else ""
    kinds = {bool: "boolean", int: "number", float: "number", str: "text"}
    return kinds.get(type(value), "")


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, tuple):
        return (_other(value[0]), *value[1:])
    if isinstance(value, Enum):
        return next(member for member in type(value) if member is not value)
    if isinstance(value, str):
        return f"{value}_"
    return not value if isinstance(value, bool) else 1 if value == 0 else value * 2


def _changed_lines(before: str, after: str) -> tuple[int, int]:
    """How many lines of each text differ from the other."""
    old, new = before.split("\n"), after.split("\n")
    if len(old) == len(new):
        count = sum(a != b for a, b in zip(old, new, strict=True))
        return count, count
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in blocks)
    return len(old) - same, len(new) - same


def report(answers: Iterator[Answer]) -> bool:
    """Print the results; returns whether there are no failures."""
    unreadable: dict[str, list[Path]] = {}
    changed: Counter[str] = Counter()
    readable = wrong = faulty = 0
    for found in answers:
        if found.unreadable:
            unreadable.setdefault(found.unreadable, []).append(found.path)
            continue
        readable += 1
        wrong += bool(found.faults)
        faulty += bool(found.errors)
        changed.update(found.changed)
        for fault in found.faults:
            print(f"{found.path}: {fault}")
    for code, paths in sorted(unreadable.items()):
        print(f"cannot be read, {code}: {len(paths)}")
        for path in paths:
            print(f"  {path}")
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(changed.items()))
    values = f"{changed.total()} values changed ({kinds})"
    print(f"{readable} files read and written, {faulty} of them with errors, {values}")
    print(f"{wrong} files with faults, {sum(map(len, unreadable.values()))} cannot be read")
    return readable > 0 and not wrong


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.lossless", description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    args = parser.parse_args(arguments)
    warnings.simplefilter("ignore", pb.ModelWarning)
    return 0 if report(answer(path) for folder in args.folders for path in files(folder)) else 1


if __name__ == "__main__":
    sys.exit(main())
