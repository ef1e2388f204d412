"""Small dense matrices of the solver, and C generated for one tree, compared with NumPy."""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from polybody.constraints.facts import program_text, unread
from polybody.model.model import Model
from polybody.programs.key import header_folders
from polybody.programs.target import native

from tests.constraints.scenes import loaded

Reals = NDArray[np.float64]
LINE = 8
"""Numbers in a cache line."""
TEXT = """
#include "solver/stages.h"
int width_of_rows(void) { return PADDED * POLYBODY_blocks; }
int length_of_registers(void) { return BLOCK; }
void by_limbs(const double *H, double *x) { solve_limbs(H, x); }
void by_masks(double *H, uint64_t *pattern, double *pivot, double *x)
{
    Constraints c;
    memset(&c, 0, sizeof c);
    c.a.pattern = pattern;
    c.a.pivot = pivot;
    factorise_dense(&c, BLOCKS(&c), H);
    solve_dense(&c, BLOCKS(&c), H, x);
}
void sums(const double *x, double *y) { put_block(y, sums_of((const Block *)x)); }
void turned_over(double *x) { transpose((Block *)x); }
"""
TREES = {
    "a chain of 5": [-1, 0, 1, 2, 3],
    "two limbs on a trunk": [-1, 0, 1, 2, 3, 2, 5, 6, 5],
    "three trees": [-1, 0, 1, 1, 3, -1, 5, 5, 7, -1, 9, 10, 10, 12, 9, 14, 15],
    "limbs of 26": [-1, *(0 if k % 5 == 0 else k for k in range(25))],
}


def tree(parents: list[int]) -> Model:
    """Hinged links with these parents above a plane."""

    def link(k: int) -> str:
        below = "".join(link(i) for i, parent in enumerate(parents) if parent == k)
        shape = '<geom size=".05"/>'
        return f'<body pos=".1 .05 0"><joint axis="0 {k % 2} {1 - k % 2}"/>{shape}{below}</body>'

    roots = "".join(link(k) for k, parent in enumerate(parents) if parent < 0)
    return loaded(f'<mujoco><worldbody><geom type="plane" size="1 1 1"/>{roots}</worldbody></mujoco>')


@cache
def compiled(name: str, folder: Path) -> Any:
    """The generated text for a tree, compiled as a library."""
    head = program_text(tree(TREES[name])).replace('#include "solver/program.h"', "")
    target = native()
    if target.compiler is None:
        pytest.skip(target.missing)
    (folder / "dense.c").write_text(head + TEXT, encoding="ascii")
    command = [
        *target.compiler.command,
        *target.flags,
        *(f"-I{folder}" for folder in header_folders()),
        "-shared",
    ]
    subprocess.run([*command, "dense.c", "-o", "dense.so", "-lm"], cwd=folder, check=True, timeout=300)
    return ctypes.CDLL(str(folder / "dense.so"))


def aligned(values: Reals) -> Reals:
    """A copy that is aligned to a cache line."""
    raw = np.zeros(values.size + LINE)
    first = -raw.ctypes.data // 8 % LINE
    found = raw[first : first + values.size].reshape(values.shape)
    found[...] = values
    return found


def pointer(values: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(values.ctypes.data)


def ancestors(parents: list[int]) -> NDArray[np.bool_]:
    """For each degree of freedom the chain of its ancestors, itself included."""
    found = np.eye(len(parents), dtype=bool)
    for k, parent in enumerate(parents):
        if parent >= 0:
            found[k] |= found[parent]
    return found


def matrix(pattern: NDArray[np.bool_], seed: int) -> Reals:
    """L^T D L with the given sparsity pattern of L."""
    draw = np.random.default_rng(seed)
    lower = np.where(np.tril(pattern, -1), draw.normal(0, 0.5, pattern.shape), 0) + np.eye(len(pattern))
    return np.asarray(lower.T @ np.diag(draw.uniform(0.5, 3, len(pattern))) @ lower)


@pytest.mark.parametrize("name", TREES)
def test_matrices_of_a_tree_are_solved_by_its_limbs_and_by_masks(name: str, tmp_path: Path) -> None:
    parents = TREES[name]
    library, nv = compiled(name, tmp_path), len(parents)
    width = library.width_of_rows()
    apart, joined = ancestors(parents), np.tril(np.ones((nv, nv), dtype=bool))
    for seed in range(3):
        for pattern in (apart, joined):
            M = matrix(pattern, seed)
            b = np.random.default_rng(seed).normal(size=nv)
            H, x = aligned(np.zeros((width, width))), aligned(np.zeros(width))
            H[:nv, :nv], x[:nv] = np.tril(M), b
            expected = np.linalg.solve(M, b)
            if pattern is apart:
                y = x.copy()
                library.by_limbs(pointer(H), pointer(y))
                assert np.abs(y[:nv] - expected).max() <= 1e-11 * (1 + np.abs(expected).max())
            bits = np.array([sum(1 << j for j in np.flatnonzero(row)) for row in pattern], dtype=np.uint64)
            pivot = aligned(np.zeros(width))
            library.by_masks(pointer(H), pointer(bits), pointer(pivot), pointer(x))
            assert np.abs(x[:nv] - expected).max() <= 1e-11 * (1 + np.abs(expected).max())


def test_sums_and_columns_of_blocks(tmp_path: Path) -> None:
    library = compiled("a chain of 5", tmp_path)
    length = library.length_of_registers()
    x, y = aligned(np.random.default_rng(0).normal(size=(length, length))), aligned(np.zeros(length))
    library.sums(pointer(x), pointer(y))
    assert np.allclose(y, x.sum(axis=1), rtol=0, atol=1e-14)
    turned = aligned(x)
    library.turned_over(pointer(turned))
    assert np.array_equal(turned, x.T)


def test_what_no_round_shape_shows_is_not_asked_for() -> None:
    """For a sphere on a plane only positions and z axes are read, and no poses of bodies; for a box all
    axes.
    """
    free = '<body pos="0 0 1"><freejoint/><geom size=".1"{kind}/></body>'
    scene = '<mujoco><worldbody><geom type="plane" size="1 1 1"/>{body}</worldbody></mujoco>'
    ball = unread(loaded(scene.format(body=free.format(kind=""))))
    assert not ball["geom_xpos"]
    assert sorted(set(range(18)) - ball["geom_xmat"]) == [2, 5, 8, 11, 14, 17]
    assert ball["xpos"] == frozenset(range(6))
    box = unread(loaded(scene.format(body=free.format(kind=' type="box"').replace('".1"', '".1 .1 .1"'))))
    assert not box["geom_xmat"]
    still = unread(
        loaded(
            scene.format(body="").replace(
                "/></w", '/><body><joint/><geom size=".1" contype="0" conaffinity="0"/></body></w'
            )
        )
    )
    assert len(still["geom_xpos"]) == 6
