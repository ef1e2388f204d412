"""What MuJoCo's libraries print of MJCF, as facts for tests that need no network.

    python -m tests.codegen.release_facts mjcf 4.0.0

asks a release, which is installed or downloaded, and adds it to the facts. Each attribute of an element has a
mark for each release: x if the release has it, otherwise a dot. The name <> is the element itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen.releases.files import release
from codegen.releases.printed import printed
from codegen.releases.versions import known_name

FACTS = Path(__file__).parent / "facts" / "mjcf_printed.json"
ELEMENT = "<>"
Masks = dict[str, dict[str, str]]
"""By path and name: the marks."""


def stored() -> tuple[list[str], Masks]:
    """The releases, and the marks of each attribute of each path."""
    data: Any = json.loads(FACTS.read_text(encoding="utf-8"))
    masks = {
        path: {name: mask for mask, names in by_mask.items() for name in names.split()}
        for path, by_mask in data["elements"].items()
    }
    return data["releases"], masks


def of_release(masks: Masks, place: int) -> dict[str, set[str]]:
    """The names of each element that a release has."""
    found = {
        path: {name for name, mask in named.items() if mask[place] == "x"} for path, named in masks.items()
    }
    return {path: names for path, names in found.items() if names}


def store(releases: list[str], masks: Masks) -> None:
    """Write the facts, an element in a line."""
    lines = []
    for path, named in masks.items():
        by_mask: dict[str, list[str]] = {}
        for name in sorted(named):
            by_mask.setdefault(named[name], []).append(name)
        shown = json.dumps({mask: " ".join(names) for mask, names in by_mask.items()})
        lines.append(f"  {json.dumps(path)}: {shown}")
    body = ",\n".join(lines)
    FACTS.write_text(
        f'{{\n "releases": {json.dumps(releases)},\n "elements": {{\n{body}\n }}\n}}\n', encoding="utf-8"
    )


def added(releases: list[str], masks: Masks, name: str, said: Mapping[str, set[str]]) -> list[str]:
    """Add a release's elements to the marks; return the releases."""
    place = releases.index(name) if name in releases else len(releases)
    for named in masks.values():
        for key, mask in named.items():
            named[key] = mask[:place] + "." + mask[place + 1 :]
    for path, names in said.items():
        for key in (ELEMENT, *names):
            mask = masks.setdefault(path, {}).get(key, "." * max(place + 1, len(releases)))
            masks[path][key] = mask[:place] + "x" + mask[place + 1 :]
    return releases if name in releases else [*releases, name]


def main(version: str) -> None:
    """Ask a release, and store what it prints."""
    releases, masks = stored()
    theirs = printed(release(version, Path("build/releases")).library)
    said = {"/".join(path): set(element.attributes) for path, element in theirs.items()}
    store(added(releases, masks, known_name("mjcf", version), said), masks)


if __name__ == "__main__":
    main(sys.argv[2])
