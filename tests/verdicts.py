"""Compare what is said about files by every way of reading them, under every policy; exit 1 if they differ.

    python -m tests.verdicts DIR... [--policy warn] [--package NAME=DIR]

A file must have one verdict, and make one Model, whether it is checked, loaded, read and lowered, or given as
a text in its folder or as standard input of a program that runs there. What a policy accepts, each milder one
must accept.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
from polybody.diagnostics import Policy
from polybody.errors import ModelError
from polybody.lowering import lowered

POLICIES: tuple[Policy, ...] = ("strict", "warn", "lenient")
"""From the strictest to the mildest."""
SIZES = ("nbody", "njnt", "ngeom", "nmesh", "nmeshvert", "ntex", "nhfield", "nskin", "nu", "neq")
Verdict = str | dict[str, Any]
"""Why there is no Model, as codes of errors; or its sizes and some of its numbers."""


def verdict(make: Any) -> Verdict:
    """What a function that makes a Model says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)
        try:
            model = make()
        except pb.ValidationError as error:
            codes = {found.code for found in error.diagnostics if found.severity == "error"}
            return " ".join(sorted(codes))
        except ModelError as error:
            return f"ModelError {error}"
    found = {name: int(getattr(model, name)) for name in SIZES}
    return found | {"mass": float(np.sum(model.body_mass)), "places": float(np.sum(model.geom_pos))}


def read_errors(path: Path | str, policy: Policy, **how: Any) -> str:
    """The codes of the errors that a check finds."""
    return " ".join(
        sorted({found.code for found in pb.check(path, policy, **how) if found.severity == "error"})
    )


def ways(path: Path, policy: Policy, **how: Any) -> tuple[dict[str, str], dict[str, Verdict]]:
    """The errors of checks, and the verdicts about Models, by the way in which a file is read."""
    text = path.read_bytes()
    checks = {
        "check": read_errors(path, policy, **how),
        "text": read_errors(path, policy, text=text, **how),
    }
    words = {"policy": policy, **how}

    def as_read() -> Any:
        return lowered(pb.read(path, **words), policy=policy).model

    models = {
        "load": verdict(lambda: pb.load(path, **words)),
        "lower": verdict(as_read),
        "text": verdict(lambda: pb.load(path, text=text, **words)),
    }
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        # The name of the text says which notation it has.
        name = f"stdin{''.join(path.suffixes[-2:])}"
        checks["stdin"] = read_errors(name, policy, text=text, **how)
        models["stdin"] = verdict(lambda: pb.load(name, text=text, **words))
    finally:
        os.chdir(here)
    return checks, models


def differences(path: Path, policies: Iterable[Policy] = POLICIES, **how: Any) -> Iterator[str]:
    """What differs between the ways of reading a file, and between policies."""
    accepted: list[tuple[Policy, bool, bool]] = []
    for policy in policies:
        checks, models = ways(path, policy, **how)
        if len(set(checks.values())) > 1:
            yield f"{policy}: {checks}"
        first = models["load"]
        yield from (
            f"{policy}: {call} {found} is not {first}" for call, found in models.items() if found != first
        )
        if checks["check"] and not isinstance(first, str):
            yield f"{policy}: loads with errors {checks['check']}"
        accepted.append((policy, not checks["check"], not isinstance(first, str)))
    for (stricter, *before), (milder, *after) in pairwise(accepted):
        for what, was, now in zip(("checks", "loads"), before, after, strict=True):
            if was and not now:
                yield f"{stricter} {what}, {milder} refuses"


def main(arguments: list[str] | None = None) -> int:
    from tests.lossless import files

    parser = argparse.ArgumentParser("python -m tests.verdicts", description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--policy", action="append", choices=POLICIES)
    parser.add_argument("--package", action="append", default=[], metavar="NAME=DIR")
    args = parser.parse_args(arguments)
    packages = {name: Path(folder) for name, _, folder in (entry.partition("=") for entry in args.package)}
    count = failed = 0
    for folder in args.folders:
        for path in files(folder.absolute()):
            count += 1
            for said in differences(path, args.policy or POLICIES, packages=packages):
                failed += 1
                print(f"{path}: {said}")
    print(f"{count:,} files, {failed:,} differences")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
