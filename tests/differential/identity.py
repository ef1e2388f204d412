"""The identity of a file, from which its random states follow."""

from __future__ import annotations

import json
from pathlib import Path


def identity(path: Path) -> str:
    """A file's id in the manifest of its folders, or its name."""
    for folder in path.absolute().parents:
        manifest = folder / "manifest.json"
        if manifest.exists():
            name = str(path.absolute().relative_to(folder))
            known = json.loads(manifest.read_text())
            rows = known.get("files", []) if isinstance(known, dict) else []
            return next((row["id"] for row in rows if row.get("file") == name and "id" in row), path.stem)
    return path.stem
