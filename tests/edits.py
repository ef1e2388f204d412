"""Edit every file of some folders in all ways; exit with code 1 if an edit leaves something behind.

    python -m tests.edits [--engine] FORMAT DIR...

After renaming, deleting, taking a part out and attaching, a document must have no finding that it did not
have before, nor an error in its Model; it must be written and read as the same document; parts that
remain must have their place; and, with --engine, the format's engine must load what it loaded before. An edit
that is refused must leave the document as it was.
"""

from __future__ import annotations

import argparse
import copy
import os
import random
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import polybody as pb
from polybody.document.references import References
from polybody.document.registry import format_of
from polybody.document.sources import Limits
from polybody.editing.inherited import gives, is_class
from polybody.editing.parts import Parts
from polybody.editing.poses import given_pose
from polybody.generated.formats import urdf
from polybody.rotations.arrays import matrix

from tests.lossless import CORPORA, files
from tests.oracles.loading import prepare, refusal

MASSLESS = "PB052"
"""The warning about a body that moves without mass: the element that was deleted may have had its mass."""
POSE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
SETTINGS = ("compiler", "option")
"""Tags of elements that say what others mean: they are not deleted here."""
EXACT = 1e-9
JUDGED = Limits(judged=3000)
SUFFIXES_BY_FORMAT = {
    "mjcf": "mjcf.xml",
    "urdf": "urdf",
    "sdf": "sdf",
    "skel": "skel",
    "openrave": "kinbody.xml",
    "x_xy": "x_xy.xml",
}
"""By format: the endings of its sample in tests/samples."""


class Answer(NamedTuple):
    """Result of one edit of a file.

    Attributes:
        refused: the message of the ValueError, or "".
        faults: what is wrong afterwards.
        loaded: whether the engine loads it; None if it did not load the original, or was not asked.
    """

    path: Path
    edit: str
    refused: str = ""
    faults: tuple[str, ...] = ()
    loaded: bool | None = None


def parts(document: Any) -> list[Any]:
    """The links or bodies of a document."""
    return Parts(References(document, format_of(document))).all


def root_of(document: Any) -> str:
    """The name of the first link that is no joint's child."""
    tree = Parts(References(document, format_of(document)))
    return next((part.name for part in tree.all if not tree.joints_to(part)), "")


def above(document: Any, part: Any) -> list[Any]:
    return list(Parts(References(document, format_of(document))).above(part))


def rename_one(document: Any, rng: random.Random) -> Any:
    references = References(document, format_of(document))
    named = [node for node in document.walk() if references.name_of(node)]
    pb.rename(document, rng.choice(named or [document]), "another_name")
    return document


def rename_all(document: Any, rng: random.Random) -> Any:
    pb.rename(document, prefix="left_")
    return document


def delete_part(document: Any, rng: random.Random) -> Any:
    pb.delete(document, rng.choice(parts(document)))
    return document


def delete_below(document: Any, rng: random.Random) -> Any:
    pb.delete(document, rng.choice(parts(document)), subtree=True)
    return document


def delete_any(document: Any, rng: random.Random) -> Any:
    """Delete an element of any tag of the document, each tag with the same probability."""
    others = [node for node in document.walk() if node is not document and node.TAG not in SETTINGS]
    tag = rng.choice(sorted({node.TAG for node in others}))
    pb.delete(document, rng.choice([node for node in others if tag == node.TAG]))
    return document


def delete_default(document: Any, rng: random.Random) -> Any:
    """Delete a defaults class, or what one gives to one kind of elements."""
    form = format_of(document)
    found = [node for node in document.walk() if gives(form, node) or is_class(form, node)]
    if not found:
        raise ValueError("no defaults")
    pb.delete(document, rng.choice(found))
    return document


def take_subtree(document: Any, rng: random.Random) -> Any:
    return pb.subtree(document, rng.choice(parts(document)))


def take_chain(document: Any, rng: random.Random) -> Any:
    tip = rng.choice(parts(document))
    return pb.chain(document, rng.choice(above(document, tip)), tip)


def attach(document: Any, rng: random.Random) -> Any:
    named = [part for part in parts(document) if getattr(part, "name", None)]
    parent = rng.choice(named or parts(document))  # the place of one without a name is not known
    pb.attach(document, document, parent, prefix="left_", pose=POSE)
    return document


EDITS: dict[str, Callable[[Any, random.Random], Any]] = {
    "rename": rename_one,
    "prefix": rename_all,
    "delete": delete_part,
    "delete-below": delete_below,
    "delete-any": delete_any,
    "delete-default": delete_default,
    "subtree": take_subtree,
    "chain": take_chain,
    "attach": attach,
}


def codes(document: Any, path: Path) -> Counter[str]:
    """How often there are findings of each code; those about the Model only if they are errors."""
    found = Counter(finding.code for finding in pb.validate(document, "strict"))
    form = format_of(document).name
    judged = pb.check(path, "strict", text=pb.write(document), format=form, limits=JUDGED)
    return found | Counter(each.code for each in judged if each.severity == "error")


def places(document: Any) -> dict[str, Any]:
    """The poses (4, 4) of named bodies at the initial configuration; empty if it has no valid Model."""
    try:
        model = pb.lower(document, policy="lenient")
        data = pb.Data(model)
        pb.forward_kinematics(model, data)
    except (pb.ValidationError, pb.ModelError, pb.SimulationError):
        return {}
    found = {}
    for row, name in enumerate(model.names["body"]):
        if not name:
            continue
        found[name] = np.eye(4)
        found[name][:3, :3], found[name][:3, 3] = data.xmat[row].reshape(3, 3), data.xpos[row]
    return found


def changed(before: Any, after: Any) -> list[str]:
    """The arrays of the Model that differ between two documents."""
    try:
        was, now = pb.lower(before, policy="lenient"), pb.lower(after, policy="lenient")
    except (pb.ValidationError, pb.ModelError):
        return []
    arrays = {name: value for name in dir(was) if isinstance(value := getattr(was, name, None), np.ndarray)}
    return [name for name, value in arrays.items() if not same(value, getattr(now, name))]


def same(was: Any, now: Any) -> bool:
    if was.shape != now.shape or was.dtype.kind not in "fiub":
        return bool(was.shape == now.shape)
    return np.allclose(was, now, rtol=EXACT, atol=EXACT, equal_nan=True)


def at_zero(document: Any) -> Any:
    """A SKEL document without initial positions: what is deleted takes them along, and those that remain are
    for the joints between other bodies.
    """
    zero = copy.deepcopy(document)
    for node in zero.walk():
        if node.TAG == "joint":
            node.init_pos = None
        elif node.TAG == "position":
            node.initial = None
    return zero


def floating(document: Any) -> set[str]:
    """The links of a URDF that begin at the world's origin, wherever their parents are: the children of
    floating joints, and what is below.
    """
    tree = Parts(References(document, format_of(document)))
    free = [joint.child.part for joint in tree.joints if joint.node.type is urdf.JointType.FLOATING]
    return {part.name for part in tree.below(part for part in free if part is not None)}


def from_the_root(frames: dict[str, Any], root: str) -> dict[str, Any]:
    """Poses relative to that of one link, whose frame is that of the robot in URDF."""
    origin = np.linalg.inv(frames.get(root, np.eye(4)))
    return {name: origin @ frame for name, frame in frames.items() if name != "world"}


def moved(before: Any, after: Any, edit: str) -> list[str]:
    """The bodies that an edit moved from their places."""
    form = format_of(before).name
    if edit in ("rename", "prefix", "delete-any", "delete-default"):
        return []
    if form == "skel":
        before, after = at_zero(before), at_zero(after)
    was, now = places(before), places(after)
    if form == "urdf":
        if edit != "attach":
            was, now = from_the_root(was, root_of(after)), from_the_root(now, root_of(after))
        for name in floating(before):
            now.pop(f"left_{name}" if edit == "attach" else name, None)
    same = [name for name in was.keys() & now.keys() if not re.fullmatch(r".*link\d+", name)]  # not generated
    found = [name for name in same if abs(was[name] - now[name]).max() > EXACT]
    if edit == "attach" and now and form != "sdf":
        roots = [(name, name.removeprefix("left_")) for name in now if name.startswith("left_")]
        pose = np.eye(4)
        given = given_pose(POSE)
        pose[:3, :3], pose[:3, 3] = matrix(given.quat), given.pos
        frames = [now[name] @ np.linalg.inv(was[old]) for name, old in roots if old in was]
        if frames and not any(
            all(abs(frame - was[parent] @ pose).max() < EXACT for frame in frames) for parent in was
        ):
            found.append("what is attached")
    return found


def answer(path: Path, form: str, edit: str, engine: bool = False) -> Answer | None:
    """Result of one edit; None if the file cannot be read, or has no link or body."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            document: Any = pb.read(path, policy="lenient", format=form)
        except pb.ValidationError:
            return None
        if not parts(document):
            return None
        edited = copy.deepcopy(document)
        text = pb.write(edited)
        try:
            edited = EDITS[edit](edited, random.Random(f"{path.name} {edit}"))
        except ValueError as error:
            faults = () if pb.write(edited) == text else ("the refused edit changed the document",)
            return Answer(path, edit, str(error), faults)
        faults = tuple(_faults(document, edited, edit, path))
    return Answer(path, edit, "", faults, _loaded(path, form, edited) if engine else None)


def _faults(document: Any, edited: Any, edit: str, path: Path) -> Iterator[str]:
    before = codes(document, path)
    new = codes(edited, path) - (before + before if edit == "attach" else before)
    if edit == "delete-any":
        del new[MASSLESS]
    for code in new:
        text = pb.write(edited)
        found = pb.check(path, "strict", text=text, format=format_of(edited).name, limits=JUDGED)
        yield f"{code}: {next((each.message for each in found if each.code == code), '')}"
    yield from (f"{name} moved" for name in moved(document, edited, edit))
    if edit == "delete-default":
        yield from (f"{name} of the Model changed" for name in changed(document, edited))


def _loaded(path: Path, form: str, edited: Any) -> bool | None:
    """Whether the engine loads an edited document, in a folder like that of the original."""
    if _refused(form, path):
        return None
    with TemporaryDirectory() as folder:
        target = beside(path, Path(folder))
        pb.write(edited, target)
        return refusal(form, target) is None


@cache
def _refused(form: str, path: Path) -> bool:
    return refusal(form, path) is not None


def beside(path: Path, folder: Path) -> Path:
    """A path for a new file, among links to everything that is around another file."""
    top = CORPORA if CORPORA is not None and path.is_relative_to(CORPORA) else path.parent
    current, here = Path(top), folder
    for step in path.parent.relative_to(top).parts:
        for entry in os.scandir(current):
            if entry.name != step:
                (here / entry.name).symlink_to(entry.path)
        current, here = current / step, here / step
        here.mkdir()
    for entry in os.scandir(current):
        if entry.name != path.name:
            (here / entry.name).symlink_to(entry.path)
    return here / path.name


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--engine", action="store_true", help="ask the format's engine, too")
    parser.add_argument(
        "--every", type=int, default=1, help="take each file whose number is a multiple of it"
    )
    parser.add_argument("--edit", action="append", choices=EDITS, help="make only this edit; may be repeated")
    parser.add_argument("format")
    parser.add_argument("folders", nargs="+", type=Path)
    given = parser.parse_args(arguments)
    if given.engine:
        prepare(given.format)
    counts: Counter[str] = Counter()
    for path in [file for folder in given.folders for file in files(folder)][:: given.every]:
        for edit in given.edit or EDITS:
            found = answer(path, given.format, edit, given.engine)
            if found is None:
                counts["not read, or without bodies"] += 1
                break
            counts["refused" if found.refused else "edited"] += 1
            counts["with faults"] += bool(found.faults)
            if found.loaded is not None:
                counts["loaded" if found.loaded else "not loaded"] += 1
            if found.faults or found.loaded is False:
                print(f"{path}: {edit}: {'; '.join(found.faults) or 'the engine does not load it'}"[:400])
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["with faults"] or counts["not loaded"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
