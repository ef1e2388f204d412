"""The answers of a language server about the documents with faults.

``python -m tests.editing.transcript`` queries it, stores the answers and writes them into the page on
editors.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from .client import SERVER, Client, command, talking_to
from .documents import DOCUMENTS, Faulty

KEPT = Path(__file__).with_name("transcript.json")
PAGE = Path(__file__).parents[2] / "docs" / "editors.md"
BLOCK = re.compile(r"(?<=```text\n).*?(?=```)", re.DOTALL)
OF_ANY_XML = ("<!--", "<![CDATA[", "#region", "#endregion")
"""Completion items that are offered in any document."""
WIDE, MANY = 150, 10


def record(program: list[str], folder: Path) -> dict[str, Any]:
    """For each format the server's diagnostics for its document and the completion items at the mark."""
    for document in DOCUMENTS.values():
        (folder / document.file).write_text(document.text, encoding="utf-8")
    with talking_to(program, folder) as client:
        return {name: _one(client, folder / document.file, document) for name, document in DOCUMENTS.items()}


def _one(client: Client, path: Path, document: Faulty) -> dict[str, Any]:
    findings = [
        {
            "line": found["range"]["start"]["line"] + 1,
            "column": found["range"]["start"]["character"] + 1,
            "code": found.get("code"),
            "message": " ".join(found["message"].split()).removesuffix(" Code:"),
        }
        for found in client.diagnostics(path)
    ]
    line, character = document.place
    items = client.completion(path, line, character)
    offered = [
        {"label": item["label"], "documentation": _plain(item.get("documentation"))}
        for item in sorted(items, key=lambda item: item["label"])
        if item["label"] not in OF_ANY_XML
    ]
    return {"diagnostics": findings, "line": line + 1, "column": character + 1, "completion": offered}


def _plain(said: Any) -> str:
    """The documentation of an item, without the line that names the schema."""
    text = str(said.get("value", "") if isinstance(said, dict) else said or "")
    return text.partition("\n\nSource:")[0]


def shown(said: dict[str, Any]) -> str:
    """The answers as shown on the page: for each document the first diagnostic and the completion items at
    the mark.
    """
    lines = []
    for name, about in said.items():
        file, found = DOCUMENTS[name].file, about["diagnostics"][0]
        lines.append(f"{file}:{found['line']}:{found['column']}: {found['message']}")
        lines.append(f"{file}:{about['line']}:{about['column']} can have")
        items = about["completion"]
        lines += [f"    {item['label']:20}{item['documentation']}".rstrip() for item in items[:MANY]]
        lines += [f"    and {len(items) - MANY} more"] * (len(items) > MANY)
    return "".join(f"{line if len(line) <= WIDE else line[: WIDE - 3] + '...'}\n" for line in lines)


def main() -> int:
    program = command()
    if not program:
        print(f"{SERVER} names no language server", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        said = record(program, Path(folder))
    KEPT.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: shown(said), page, count=1), encoding="utf-8")
    print(shown(said), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
