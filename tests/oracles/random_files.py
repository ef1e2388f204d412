"""Shared by the writers of random documents: chances, vectors, moments of inertia, folders of files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

MOMENTS = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
"""Entries of an inertia tensor by their names in URDF and SDFormat."""


def numbers(values: Iterable[float]) -> str:
    """All digits, so that reading gives the number that was drawn."""
    return " ".join(f"{float(x):.17g}" for x in values)


class RandomWriter:
    """Draws random parts of documents."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def vector(self, scale: float = 1.0, size: int = 3) -> np.ndarray:
        return scale * self.rng.uniform(-1, 1, size)

    def pick(self, words: tuple[str, ...] | list[str]) -> str:
        return str(self.rng.choice(list(words)))

    def mass(self) -> float:
        """kg"""
        return float(self.rng.uniform(0.2, 3))

    def moments(self) -> np.ndarray:
        """The inertia tensor of some body, (3, 3), kg m^2."""
        root = self.rng.normal(size=(3, 3))
        second = 0.05 * (root @ root.T + 0.3 * np.eye(3))
        tensor: np.ndarray = np.trace(second) * np.eye(3) - second
        return tensor


def write_files(
    folder: Path, suffix: str, document: Callable[[int], str], *, count: int, seed: int
) -> list[Path]:
    """Write a number of documents, each with its own seed, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(count):
        path = folder / f"random_{seed}_{number:04}{suffix}"
        path.write_text(document(seed * 1_000_000 + number), encoding="utf-8")
        paths.append(path)
    return paths


def run(module: str, write_folder: Callable[..., list[Path]]) -> None:
    """The command line of a module that writes random files."""
    parser = argparse.ArgumentParser(f"python -m {module}")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    write_folder(args.folder, count=args.count, seed=args.seed)
