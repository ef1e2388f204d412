"""Deviations of specialised kernels from the loop kernels, over many random trees.

    python -m tests.kernels.sweep [--trees 40] [--states 10]

Prints, by degrees of freedom, the worst of: accelerations against the loops', relative to the largest; the
residual of the equation of motion, relative to its terms; and how many trees were compared.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from polybody.codegen.specialised import Request

from .machines import Specialised
from .test_specialised import loop, relative, residual
from .trees import NV, Array, chain, columns, random_state, random_tree

BOUNDS = (9, 38, 100)  # groups of trees by degrees of freedom: upper bounds


def deviations(c: dict[str, Array], states: int) -> tuple[float, float]:
    """Deviations of one tree: of accelerations, and the residual."""
    with tempfile.TemporaryDirectory() as folder:
        special = Specialised(c, Request(("acceleration",)), Path(folder))
        found = []
        for seed in range(states):
            state = random_state(c, np.random.default_rng(seed))
            looped = loop(c, state)
            arrays = {**state, "qacc": np.zeros_like(state["qvel"])}
            special.call("acceleration", arrays)
            found.append(
                (relative(arrays["qacc"], looped["qacc"]), residual(c, state, looped, arrays["qacc"]))
            )
    return max(a for a, _ in found), max(r for _, r in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=40)
    parser.add_argument("--states", type=int, default=10)
    asked = parser.parse_args()
    worst = {bound: [0.0, 0.0, 0] for bound in BOUNDS}
    rng = np.random.default_rng(0)
    for seed in range(asked.trees):
        size, kinds = int(rng.integers(3, 30)), rng.choice(list(NV), 3)
        bodies = chain(100, seed=seed) if seed % 20 == 19 else random_tree(seed, size, tuple(map(str, kinds)))
        alone = all(len(b.joints) < 2 for b in bodies)  # else inertia may be the drives alone
        c = columns(bodies, seed, armature=0.0 if alone else 0.1, damping=0.2, stiffness=1.0)
        nv = len(c["dof_parentid"])
        if not 0 < nv <= BOUNDS[-1]:
            continue
        row = worst[next(bound for bound in BOUNDS if nv <= bound)]
        a, r = deviations(c, asked.states)
        row[:] = [max(row[0], a), max(row[1], r), row[2] + 1]
    for bound, (a, r, count) in worst.items():
        print(f"up to {bound} degrees of freedom: {count} trees, accelerations {a:.1e}, residual {r:.1e}")


if __name__ == "__main__":
    main()
