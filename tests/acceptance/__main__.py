"""Check every file of a folder with a format's engine and with a policy; exit 1 if too few files are
accepted.

    python -m tests.acceptance urdf DIR [--policy warn] [--package NAME=DIR] [--root DIR] [--json OUT]

Files are those whose root element is one of the format. References out of a file's project need --root.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from polybody.document.registry import detect
from polybody.document.sources import LIMITS, SourceError, first_tags, load, make_source, root_tag

from tests.acceptance.report import answers, summary, text
from tests.oracles.loading import ENGINES, refusal

SUFFIXES = (".xml", ".urdf", ".sdf", ".skel", ".mjcf", ".world")


def of_format(paths: list[str], form: str) -> Iterator[Path]:
    """The files whose root element, or whose name, is that of a format."""
    for path in paths:
        try:
            source = make_source(path, load(path, LIMITS), LIMITS)
        except SourceError:
            continue
        tag = root_tag(source)
        found = None if tag is None else detect(tag, first_tags(source))
        if (found is not None and found.name == form) or path.endswith(f".{form}"):
            yield Path(path)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m tests.acceptance", description=__doc__.split("\n")[0])
    parser.add_argument("format", choices=ENGINES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--policy", choices=("strict", "warn", "lenient"), default="warn")
    parser.add_argument("--package", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--root", action="append", default=[], type=Path, metavar="DIR")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the report there as JSON")
    args = parser.parse_args(arguments)
    packages = {name: Path(folder) for name, _, folder in (entry.partition("=") for entry in args.package)}
    below = sorted(str(path) for path in args.folder.rglob("*") if path.is_file())
    paths = list(of_format([path for path in below if path.lower().endswith(SUFFIXES)], args.format))
    if not paths:
        parser.error(f"no files of {args.format} in {args.folder}")
    ask = partial(refusal, args.format, packages=packages)
    places = {"packages": packages, "roots": args.root}
    report = summary(
        answers(paths, args.folder, args.format, args.policy, ask, **places), args.format, args.policy
    )
    print(text(report))
    if args.json:
        args.json.write_text(json.dumps(report, indent=1) + "\n")
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
