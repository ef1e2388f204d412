"""Compare machines for every model file of some folders; exit with code 1 if columns differ.

    python -m tests.machines DIR_OR_FILES [--format F] [--limit SECONDS] [--quick] [--json OUT]

Each file is compared in a process of its own, small files first. A file that cannot be loaded or stepped, or
that takes too long, is left out; the reasons are counted at the end. With --json, answers are kept: another
call with it compares only other files, and the summary is that of all.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polybody as pb

from tests.waiting import forked

from .comparing import Answer, compare
from .files import FORMATS, format_of, of_folder, packages
from .quick import quickly

PACKAGES = {
    "example-robot-data": "Gepetto+example-robot-data",
    "drake_models": "RobotLocomotion+models",
    "drake": "RobotLocomotion+drake",
    "box_model": "RobotLocomotion+drake/multibody/parsing/test/box_package",
}
"""Packages in folders of collected files, which are named after repositories."""
SHOWN = 4
"""Differences of a file that are printed and kept."""


def around(place: Path) -> dict[str, Path]:
    """Packages of a folder of collected files."""
    return {name: place / folder for name, folder in PACKAGES.items() if (place / folder).is_dir()}


def answered(path: Path, known: Mapping[str, Path], most: int, seed: int) -> dict[str, Any]:
    """The answer for a file, or why there is none."""
    try:
        model = pb.load(path, policy="lenient", packages=known)
    except pb.ValidationError:
        return {"left_out": "not loaded"}
    if model.nv == 0 or model.nv > most:
        return {
            "left_out": "no degrees of freedom" if model.nv == 0 else f"more than {most} degrees of freedom"
        }
    try:
        answer = compare(model, seed)
    except pb.ModelError:
        return {"left_out": "not simulated"}
    except pb.SimulationError:
        return {"left_out": "becomes NaN or infinite"}
    return {**as_json(answer), "nv": model.nv}


def as_json(answer: Answer) -> dict[str, Any]:
    short = {"columns": sorted(answer.columns), "undetermined": sorted(answer.undetermined)}
    short["differences"] = answer.differences[:SHOWN]
    return {**asdict(answer), **short, "left_out": "", "unavailable": answer.left_out}


def alone(path: Path, known: Mapping[str, Path], limit: float, most: int, seed: int) -> dict[str, Any]:
    """The same, computed in a process of its own within a time limit in seconds."""
    said, code = forked(lambda: json.dumps(answered(path, known, most, seed)).encode(), limit)
    if code == -signal.SIGKILL:
        return {"left_out": "takes too long"}
    if code != 0:
        return {
            "left_out": f"the process ended with {code}",
            "differences": [f"the process ended with {code}"],
        }
    found: dict[str, Any] = json.loads(said)
    return found


class Answers(dict[str, dict[str, Any]]):
    """Answers by path; with a file, those that it has already, and each new one is a line of it at once."""

    def __init__(self, out: Path | None) -> None:
        self.out = out
        lines = out.read_text(encoding="utf-8").splitlines() if out and out.exists() else []
        super().__init__(dict(json.loads(line) for line in lines))

    def add(self, path: str, answer: dict[str, Any]) -> None:
        self[path] = answer
        if self.out:
            with self.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps((path, answer)) + "\n")


def summary(answers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Sentences about all files."""
    done = [a for a in answers.values() if not a["left_out"]]
    columns = {name for a in done for name in a["columns"]}
    machines = Counter(name for a in done for name in a["machines"])
    numbers = sum(a["numbers"] for a in done)
    out = [f"{len(done)} of {len(answers)} files compared: {len(columns)} columns, {numbers:,} numbers"]
    out += [f"  {name}: {count} files" for name, count in machines.items()]
    for name in machines:
        share, column = max((a["worst"][name] for a in done if name in a["worst"]), default=(0.0, ""))
        out.append(f"  largest difference of {name}: {share:.1e} of the limit, {column}")
    for why, count in Counter(a["left_out"] for a in answers.values() if a["left_out"]).most_common():
        out.append(f"  left out: {count} {why}")
    amplified = [(*shown, name) for a in done for name, shown in a["rounding"].items()]
    out.append(f"  {len(amplified)} columns of machines differ by rounding that the state amplifies")
    for away, alone, name in sorted(amplified, reverse=True)[:SHOWN]:
        out.append(f"    {name}: {away:.1e} of its scale, by the last bits of the state {alone:.1e}")
    singular = sum(bool(a.get("undetermined")) for a in done)
    out.append(f"  {singular} files where a precision does not determine accelerations")
    for why, count in Counter(w for a in done for w in a["unavailable"].values()).most_common(SHOWN):
        out.append(f"  no program: {count} times: {why[:100]}")
    wrong = [path for path, a in answers.items() if a.get("differences")]
    return [*out, f"{len(wrong)} files differ", *(f"  {path}" for path in wrong)]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.machines", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR_OR_FILE")
    parser.add_argument("--format", choices=FORMATS, help="only files of this format")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for a file")
    parser.add_argument("--files", type=int, default=1 << 30, help="number of files compared of a folder")
    parser.add_argument("--most", type=int, default=100, help="degrees of freedom of the largest model")
    parser.add_argument("--seed", type=int, default=0, help="of the random states")
    parser.add_argument("--quick", action="store_true", help="compile without optimisation")
    parser.add_argument("--json", type=Path, help="where answers are kept, one in a line")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    answers = Answers(options.json)
    for place in options.paths:
        known = packages() | around(place)
        paths = of_folder(place)
        new = (path for path in paths if str(path) not in answers)
        chosen = (path for path in new if not options.format or format_of(path) == options.format)
        left = options.files
        for path in chosen:
            if left == 0:
                break
            with quickly() if options.quick else nullcontext():
                answer = alone(path, known, options.limit, options.most, options.seed)
            answers.add(str(path), answer)
            left -= not answer["left_out"]
            for difference in answer.get("differences", ()):
                print(f"{path}: {difference}", flush=True)
    print("\n".join(summary(answers)))
    return int(any(answer.get("differences") for answer in answers.values()))


if __name__ == "__main__":
    sys.exit(main())
