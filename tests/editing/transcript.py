"""What a language server says of the documents with faults: ``python -m tests.editing.transcript`` keeps it."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from .client import SERVER, Client, command, talking_to
from .documents import DOCUMENTS, Faulty

KEPT = Path(__file__).with_name("transcript.json")


def record(program: list[str], folder: Path) -> dict[str, Any]:
    """Per format, what the server finds in its document and offers at the mark."""
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
            "message": found["message"],
        }
        for found in client.diagnostics(path)
    ]
    line, character = document.place
    items = client.completion(path, line, character)
    offered = [
        {"label": item["label"], "documentation": _plain(item.get("documentation"))}
        for item in sorted(items, key=lambda item: item.get("sortText") or item["label"])
    ]
    return {"diagnostics": findings, "line": line + 1, "column": character + 1, "completion": offered}


def _plain(said: Any) -> str:
    return str(said.get("value", "") if isinstance(said, dict) else said or "")


def main() -> int:
    program = command()
    if not program:
        print(f"{SERVER} names no language server", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        said = record(program, Path(folder))
    KEPT.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for name, about in said.items():
        for found in about["diagnostics"]:
            print(f"{DOCUMENTS[name].file}:{found['line']}:{found['column']}: {found['message']}")
        for item in about["completion"]:
            print(f"  {item['label']}: {item['documentation']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
