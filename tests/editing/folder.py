"""Diagnostics of a language server for the models of a folder: ``python -m tests.editing.folder models/``.

It covers each model that the reader accepts and that is XML with namespaces. If a format ignores the case of
letters, the output of ``polybody.write`` is used instead.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polybody as pb
from lxml import etree
from polybody.document.registry import format_of

from .client import SERVER, command, talking_to


def accepted(folder: Path) -> Iterator[tuple[Path, str, str]]:
    """Path, format and text of the models below a folder that the reader accepts."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            document = pb.read(path)
            etree.parse(path)
        except (pb.ValidationError, etree.XMLSyntaxError, OSError, ValueError):
            continue
        form = format_of(document)
        try:
            text = pb.write(document) if form.folds_case else path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            continue
        yield path, form.name, text


def findings(program: list[str], folder: Path) -> Iterator[tuple[Path, str, list[dict[str, Any]]]]:
    """Path, format and the server's diagnostics, without those that are not errors."""
    with tempfile.TemporaryDirectory() as place, talking_to(program, Path(place)) as client:
        for number, (path, form, text) in enumerate(accepted(folder)):
            document = Path(place) / f"{number}.{form}"
            found = client.diagnostics(document, text)
            client.close(document)
            yield path, form, [each for each in found if each.get("severity", 1) == 1]


def main(folder: Path) -> int:
    if not command():
        print(f"{SERVER} names no language server", file=sys.stderr)
        return 2
    count: Counter[tuple[str, bool]] = Counter()
    for path, form, found in findings(command(), folder):
        count[form, not found] += 1
        for each in found[:1]:
            print(f"{path}:{each['range']['start']['line'] + 1}: {' '.join(each['message'].split())}")
    for (form, clean), files in sorted(count.items()):
        print(f"{form}: {files} files {'without a finding' if clean else 'with findings'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
