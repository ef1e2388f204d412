"""``python -m codegen`` in a checkout, ``python -m polybody.codegen`` once installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .command import LEAVES, run


def main(arguments: list[str] | None = None) -> int:
    """Regenerate generated/ from schemas/, or make a package from a schema of your own."""
    parser = argparse.ArgumentParser(prog="python -m codegen", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; print the diff, exit 1 if any")
    parser.add_argument("--schema", type=Path, metavar="XSD", help="a schema of your own")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the package made from it")
    parser.add_argument("--root", default="", metavar="TAG", help="its root element, if several could be")
    parser.add_argument(
        "--leaves", default="", choices=LEAVES, help="what elements with only text become: classes or fields"
    )
    options = parser.parse_args(arguments)
    if (options.schema is None) != (options.out is None):
        parser.error("--schema and --out go together")
    return run(options.schema, options.out, options.check, options.root, leaves=options.leaves)


if __name__ == "__main__":
    sys.exit(main())
