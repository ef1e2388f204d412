"""A case: a document, the files beside it, and how they are used."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from polybody.diagnostics.catalogue import CATALOGUE
from polybody.generated.formats import ROOTS

from . import grammar, mutations

SAMPLES = Path(__file__).resolve().parents[1] / "samples"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FORMATS = tuple(ROOTS)
LARGEST = 20_000
"""Largest size of a file of a case in bytes: superlinear costs show at this size already."""


@dataclass(frozen=True)
class Case:
    """Files by their names; the first is the document."""

    files: dict[str, bytes]
    policy: str = "strict"
    made: str = ""
    """A description of how it was made."""

    @property
    def document(self) -> str:
        return next(iter(self.files))


@cache
def seeds(name: str) -> tuple[bytes, ...]:
    """Known documents of a format: samples, and the examples of all findings."""
    found = [path.read_bytes() for path in sorted(SAMPLES.iterdir()) if f".{name}" in _format(path)]
    if name == "x_xy":
        found += [path.read_bytes() for path in sorted(EXAMPLES.glob("*.xml"))]
    for code in CATALOGUE.values():
        for text in (code.bad, code.good):
            data = text.encode() if isinstance(text, str) else text
            if data is not None and len(data) < LARGEST and any(_begins(data, tag) for tag in ROOTS[name]):
                found.append(data)
    return tuple(dict.fromkeys(found))


def _format(path: Path) -> str:
    name = path.name.replace("kinbody", "openrave")
    return name.replace(".xml", "") if ".xml" in name else name


def _begins(data: bytes, tag: str) -> bool:
    return f"<{tag}".lower().encode() in data[:300].lower()


def make(name: str, draw: random.Random) -> Case:
    """A case of a format."""
    kind = draw.choices(list(KINDS), [weight for weight, _ in KINDS.values()])[0]
    files = KINDS[kind][1](name, draw)
    first = next(iter(files))
    files = {key: data[:LARGEST] if key != first else data[: 3 * LARGEST] for key, data in files.items()}
    return Case(files, draw.choice(("strict", "warn", "lenient")), kind)


def _known(name: str, draw: random.Random) -> bytes:
    return draw.choice(seeds(name)) if draw.random() < 0.5 else grammar.document(name, draw)


def _mutated(name: str, draw: random.Random) -> dict[str, bytes]:
    return {"m.xml": mutations.mutated(_known(name, draw), draw)}


def _spliced(name: str, draw: random.Random) -> dict[str, bytes]:
    other = name if draw.random() < 0.7 else draw.choice(FORMATS)
    return {"m.xml": mutations.spliced(_known(name, draw), _known(other, draw), draw)}


def _grammatical(name: str, draw: random.Random) -> dict[str, bytes]:
    return {"m.xml": grammar.document(name, draw)}


def _encoded(name: str, draw: random.Random) -> dict[str, bytes]:
    return {"m.xml": mutations.encoded(_known(name, draw), draw)}


def _tree(name: str, draw: random.Random) -> dict[str, bytes]:
    """Documents that include each other, also in cycles, with package descriptions around them."""
    names = ["m.xml", "a.xml", "b.sdf", "c.urdf", "d/model.sdf", "d/e.xml"][: draw.randrange(2, 7)]
    files = {}
    for place in names:
        form = name if draw.random() < 0.6 else draw.choice(FORMATS)
        text = _known(form, draw)
        for _ in range(draw.randrange(1, 4)):
            text = mutations.inserted(text, grammar.inclusion(form, draw.choice(names), draw), draw)
        files[place] = mutations.mutated(text, draw) if draw.random() < 0.3 else text
    if draw.random() < 0.5:
        files["d/model.config"] = grammar.description(draw)
    if draw.random() < 0.3:
        files["package.xml"] = b"<package><name>" + grammar.word(draw).encode() + b"</name></package>"
    return files


def _meshes(name: str, draw: random.Random) -> dict[str, bytes]:
    """A document that names mesh files, and such files, corrupted."""
    files: dict[str, bytes] = {"m.xml": b""}
    text = _known(name, draw)
    for place in draw.sample(list(grammar.SHAPES), draw.randrange(1, 4)):
        data = grammar.shape(place, draw)
        files[place] = mutations.mutated(data, draw) if draw.random() < 0.6 else data
        text = mutations.inserted(text, grammar.use(name, place, draw), draw)
    files["m.xml"] = text
    return files


Kind = Callable[[str, random.Random], dict[str, bytes]]
KINDS: dict[str, tuple[int, Kind]] = {
    "mutated": (4, _mutated),
    "spliced": (3, _spliced),
    "grammatical": (4, _grammatical),
    "encoded": (1, _encoded),
    "tree": (2, _tree),
    "meshes": (2, _meshes),
}
"""How cases are made: the weight of each way, and its function."""
