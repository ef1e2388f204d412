"""``python -m codegen.releases mjcf 4.0.0``: what a release has that our schema lacks, and the reverse."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..schema import SCHEMAS, at_release, load
from .accepted import unexpected
from .comparison import compare, printable, uncompared, without_includes
from .described import Description, filled
from .files import Release, release
from .grammar import completed, of_grammar
from .lines import Lines
from .manual import BESIDE, of_manual, pages
from .ours import described
from .printed import printed
from .sdf import another_version, comparable, of_descriptions
from .versions import RELEASES, before, known_name, newest, numbers

KEPT = Path("build/releases")


def main(arguments: list[str] | None = None) -> int:
    """Print the differences between our schema and a release of a format, as lines for the schema."""
    parser = argparse.ArgumentParser(prog="python -m codegen.releases", description=main.__doc__)
    parser.add_argument("format", choices=("mjcf", "sdf"))
    parser.add_argument(
        "version", help="the release, such as 4.0.0, or the version of SDFormat, such as 1.12"
    )
    parser.add_argument("--before", help="the release before it, for pb:until (default: the known one)")
    mjcf = parser.add_argument_group("mjcf")
    mjcf.add_argument(
        "--library", type=Path, help="MuJoCo's library, instead of an installed or downloaded one"
    )
    mjcf.add_argument(
        "--manual", type=Path, help="its XMLreference.rst, beside other pages; by default that of its wheel"
    )
    mjcf.add_argument("--grammar", type=Path, help="its src/xml/mjcf.schema, where there is a copy")
    mjcf.add_argument(
        "--all", action="store_true", help="also differences that codegen/releases/accepted.py lists"
    )
    mjcf.add_argument("--keep", type=Path, default=KEPT, help="folder of downloads (default: %(default)s)")
    sdf = parser.add_argument_group("sdf")
    sdf.add_argument("--description", type=Path, help="a copy of libsdformat's folder sdf/<version>")
    options = parser.parse_args(arguments)
    try:
        version = known_name(options.format, options.version)
        options.before = options.before or before(options.format, version)
        if options.before:
            numbers(options.before)
    except ValueError as error:
        parser.error(str(error))
    if options.format == "sdf" and options.description is None:
        parser.error("SDFormat needs --description FOLDER, a copy of libsdformat's folder of that version")
    schema = load(SCHEMAS / f"{options.format}.xsd")
    by_change = bool(schema.releases)
    if schema.releases:
        schema = at_release(schema, newest(schema.releases, version))
    ours = described(schema, version)
    notes: tuple[str, ...] = ()
    if schema.releases and version not in RELEASES[options.format]:
        notes = (f"note: {version} is not in pb:releases of schemas/{options.format}.xsd",)
    try:
        if options.format == "sdf":
            theirs, ours = of_descriptions(options.description), comparable(ours)
            notes = another_version(theirs, options.version)
        else:
            theirs, said = _of_mujoco(options)
            notes = (*notes, *said)
            ours = printable(ours) if options.grammar is None else without_includes(ours)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    every = list(compare(ours, theirs))
    rows = list(unexpected(every)) if options.format == "mjcf" and not options.all else every
    lines = Lines(schema, ours, theirs, version, options.before, by_change)
    for line in (*notes, *lines.of(rows)):
        print(line)
    left, count = uncompared(theirs)
    rest = f"{left} of {count} attributes are not described, so their types and defaults were not compared"
    out = len(every) - len(rows)
    known = f", without {out} that are accepted (--all prints them)" if out else ""
    found = f"{len(rows)} difference{'' if len(rows) == 1 else 's'}"
    print(f"{found} in {len(theirs)} elements{known}; {rest}")
    return 1 if rows else 0


def _of_mujoco(options: argparse.Namespace) -> tuple[Description, tuple[str, ...]]:
    """What a release of MuJoCo says of itself, and what of this does not agree."""
    if options.library is not None:
        found = Release(options.library, None)
    else:
        found = release(options.version, options.keep)
    notes: tuple[str, ...] = ()
    theirs = printed(found.library)
    if options.grammar is not None:
        grammar = of_grammar(options.grammar.read_text(encoding="utf-8"), str(options.grammar))
        theirs, notes = completed(theirs, grammar, str(options.grammar))
    reference = options.manual or found.manual
    if reference is not None:
        manual = of_manual(*pages(reference))
        if not manual.attributes:
            raise ValueError(f"{reference} describes no attributes; expected MuJoCo's XMLreference.rst")
        theirs = filled(theirs, manual.of)
        if not reference.with_name(BESIDE).is_file():
            what = "attributes that all sensors have are described there and were not compared"
            notes = (*notes, f"note: there is no {BESIDE} beside {reference}; {what}")
    return theirs, notes


if __name__ == "__main__":
    sys.exit(main())
