"""``python -m codegen.releases mjcf 4.0.0``: what a release has that our schema lacks, and the reverse."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from ..schema import SCHEMAS, Schema, at_release, load
from .comparison import compare, undescribed
from .files import Release, release
from .manual import of_manual
from .ours import described
from .printed import printed

KEPT = Path("build/releases")
VERSION = re.compile(r"\d+(\.\d+)*")


def main(arguments: list[str] | None = None) -> int:
    """Print the differences between our schema and a release of the format's engine."""
    parser = argparse.ArgumentParser(prog="python -m codegen.releases", description=main.__doc__)
    parser.add_argument("format", choices=("mjcf",))
    parser.add_argument("version", help="the release, such as 4.0.0")
    parser.add_argument("--library", type=Path, help="its library, instead of an installed or downloaded one")
    parser.add_argument("--manual", type=Path, help="its XMLreference.rst; by default that of its wheel")
    parser.add_argument("--keep", type=Path, default=KEPT, help="folder of downloads (default: %(default)s)")
    options = parser.parse_args(arguments)
    if not VERSION.fullmatch(options.version):
        parser.error(f"{options.version!r} is not a release, such as 4.0.0")
    try:
        if options.library is not None:
            found = Release(options.library, options.manual)
        else:
            found = release(options.version, options.keep)
        manual = options.manual or found.manual
        said = of_manual(manual.read_text(encoding="utf-8")) if manual is not None else {}
        if manual is not None and not said:
            raise ValueError(f"{manual} describes no attributes")
        theirs = printed(found.library)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    ours = described(_schema(options.format, options.version))
    rows = list(compare(ours, theirs, said))
    for row in rows:
        print(f"{row.kind:10}{row.path}: ours {row.ours or 'none'}; {options.version} {row.theirs or 'none'}")
    left, count = undescribed(theirs, said)
    rest = f"no manual describes {left} of {count} attributes, whose types and defaults were not compared"
    print(f"{len(rows)} differences in {len(theirs)} elements; {rest}")
    return 1 if rows else 0


def _schema(name: str, release: str) -> Schema:
    """Our schema as that release, or as its newest one if it does not have that."""
    schema = load(SCHEMAS / f"{name}.xsd")
    try:
        return at_release(schema, release)
    except ValueError:
        return at_release(schema, schema.releases[-1])


if __name__ == "__main__":
    sys.exit(main())
