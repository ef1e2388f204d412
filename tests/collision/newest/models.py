"""The models about which MuJoCo 4.0 was asked. It imports nothing, so that any environment runs it.

Each has pairs of free bodies, far from the other pairs, or meshes over a plane. The states place the bodies
of each pair near each other: see asked.py.
"""

from __future__ import annotations

STATES = 12
"""Number of states of each model."""
PAIRS = 4
"""Number of pairs of each model."""
BOXES = (((0.2, 0.21, 0.23), (0.19, 0.22, 0.24)), ((0.1, 0.2, 0.3), (0.31, 0.25, 0.05)))
PRISMS = (
    (((0.0625, 0.125),), 0.25),
    (((0.0625, 0.0625), (0.03125, 0.125)), 0.25),
    (((0.09375, 0.03125), (0.078125, 0.0625), (0.03125, 0.109375)), 0.1875),
)
"""Their coordinates are sums of powers of two: centres and axes of inertia have no rounding errors."""
OCTAHEDRON = ".125 0 0 -.125 0 0 0 .1875 0 0 -.1875 0 0 0 .25 0 0 -.25"
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


def _prism(corners: tuple[tuple[float, float], ...], height: float) -> str:
    """The vertices of a prism, from those of its base where x and y are positive."""
    return " ".join(
        f"{x * a} {y * b} {c * height}" for x, y in corners for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)
    )


def _meshes(surfaces: tuple[str, str]) -> str:
    shapes = (*(_prism(corners, height) for corners, height in PRISMS), OCTAHEDRON)
    assets = "".join(
        f'<mesh name="m{k}" inertia="exact" vertex="{shape}"/>' for k, shape in enumerate(shapes)
    )
    bodies = "".join(
        f'<body pos="{k} 0 0"><freejoint/><geom type="mesh" mesh="m{k}" {surfaces[1]}/></body>'
        for k in range(PAIRS)
    )
    plane = f'<geom type="plane" size="5 5 1" {surfaces[0]}/>'
    return f"<mujoco><asset>{assets}</asset><worldbody>{plane}{bodies}</worldbody></mujoco>"


def models() -> dict[str, str]:
    """The models by name."""
    found = {}
    for name, surfaces in SURFACES.items():
        for kind, sizes in (("box", BOXES), ("capsule", CAPSULES)):
            found[f"{kind} {name}".strip()] = _pairs(kind, sizes, surfaces)
        found[f"mesh {name}".strip()] = _meshes(surfaces)
    return found
