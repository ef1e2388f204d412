"""What MuJoCo's libraries and manuals say of MJCF, as facts for tests that need no network.

    python -m tests.codegen.release_facts mjcf 4.0.0

asks a release, which is installed or downloaded, and adds it to the facts; --library and --manual state
files. In what libraries print, each attribute of an element has a mark for each release: x if the release has
it, otherwise a dot. The name <> is the element itself. What manuals say of an attribute is listed with the
first release that says so, "" for nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codegen.releases.files import Release, release
from codegen.releases.manual import BESIDE, of_manual, pages
from codegen.releases.printed import printed
from codegen.releases.versions import known_name

FACTS = Path(__file__).parent / "facts" / "mjcf_printed.json"
DESCRIBED = Path(__file__).parent / "facts" / "mjcf_described.json"
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


Said = dict[str, list[list[str]]]
"""By the manual's target: releases, each with what it and later ones say."""


def described() -> tuple[list[str], Said]:
    """The releases of the manuals, and what they say."""
    data: Any = json.loads(DESCRIBED.read_text(encoding="utf-8"))
    return data["releases"], data["described"]


def store_described(releases: list[str], said: Said) -> None:
    """Write what manuals say, an attribute in a line."""
    lines = [f"  {json.dumps(target)}: {json.dumps(states)}" for target, states in said.items()]
    body = ",\n".join(lines)
    DESCRIBED.write_text(
        f'{{\n "releases": {json.dumps(releases)},\n "described": {{\n{body}\n }}\n}}\n', encoding="utf-8"
    )


def added_manual(releases: list[str], said: Said, name: str, texts: Mapping[str, str]) -> list[str]:
    """Add the newest release's manual, the texts by targets, to what manuals say; return the releases."""
    for target in (*said, *(target for target in texts if target not in said)):
        states = said.setdefault(target, [])
        states[:] = [state for state in states if state[0] != name]
        text = texts.get(target, "")
        if SECTION not in target and text != (states[-1][1] if states else ""):
            states.append([name, text])
    return releases if name in releases else [*releases, name]


SECTION = "|"
"""Between a section of the manual and an attribute: what is said of several elements."""


def main(arguments: list[str] | None = None) -> None:
    """Ask a release, and store what it says."""
    parser = argparse.ArgumentParser(prog="python -m tests.codegen.release_facts", description=main.__doc__)
    parser.add_argument("format", choices=("mjcf",))
    parser.add_argument("version", help="the release, such as 4.0.0")
    parser.add_argument("--library", type=Path, help="its library, instead of an installed or downloaded one")
    parser.add_argument("--manual", type=Path, help="its XMLreference.rst; by default that of its wheel")
    options = parser.parse_args(arguments)
    if options.library is None:
        found = release(options.version, Path("build/releases"))
    else:
        found = Release(options.library, None)
    reference = options.manual or found.manual
    if reference is not None and not reference.with_name(BESIDE).is_file():
        sys.exit(f"{reference} needs {BESIDE} beside it; what it says of sensors would be taken for removed")
    name = known_name(options.format, options.version)
    releases, masks = stored()
    said = {"/".join(path): set(element.attributes) for path, element in printed(found.library).items()}
    store(added(releases, masks, name, said), masks)
    if reference is not None:
        releases, states = described()
        store_described(added_manual(releases, states, name, of_manual(*pages(reference)).texts), states)


if __name__ == "__main__":
    main()
