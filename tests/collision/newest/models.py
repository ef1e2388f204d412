"""The models about which MuJoCo 4.0 was asked. It imports nothing, so that any environment runs it.

Each has pairs of free bodies, far from the other pairs. The states place the bodies of each pair near each
other: see asked.py.
"""

from __future__ import annotations

STATES = 12
"""Number of states of each model."""
PAIRS = 4
"""Number of pairs of each model."""
BOXES = (((0.2, 0.21, 0.23), (0.19, 0.22, 0.24)), ((0.1, 0.2, 0.3), (0.31, 0.25, 0.05)))
CAPSULES = (((0.1, 0.2), (0.1, 0.2)), ((0.05, 0.3), (0.2, 0.1)))
SURFACES = {
    "": ("", ""),
    "with gaps": ('margin=".01" gap=".02"', 'gap=".01"'),
}


def _size(numbers: tuple[float, ...]) -> str:
    return " ".join(map(str, numbers))


def _pairs(kind: str, sizes: tuple[tuple[tuple[float, ...], ...], ...], surfaces: tuple[str, str]) -> str:
    found = ""
    for k in range(PAIRS):
        for side, size in enumerate(sizes[k % len(sizes)]):
            geom = f'<geom type="{kind}" size="{_size(size)}" condim="{(3, 1)[k % 2]}" {surfaces[side]}/>'
            found += f'<body pos="{5 * k} {side} 0"><freejoint/>{geom}</body>'
    return f'<mujoco><option gravity="0 0 0"/><worldbody>{found}</worldbody></mujoco>'


def models() -> dict[str, str]:
    """The models by name."""
    found = {}
    for name, surfaces in SURFACES.items():
        for kind, sizes in (("box", BOXES), ("capsule", CAPSULES)):
            found[f"{kind} {name}".strip()] = _pairs(kind, sizes, surfaces)
    return found
