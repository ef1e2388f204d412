"""Documents of a wanted number of elements, written as people and exporters write them."""

from __future__ import annotations

import random

JOINTS = {"rx": 1, "ry": 1, "rz": 1, "px": 1, "py": 1, "pz": 1, "spherical": 3, "frozen": 0}
SHAPES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}


def x_xy(elements: int, seed: int = 1) -> str:
    """A valid x_xy document of ``elements`` elements, 5 at least: bodies up to 8 deep with a geom or two."""
    rng = random.Random(seed)

    def numbers(count: int, low: float, high: float) -> str:
        return " ".join(
            repr(round(rng.uniform(low, high), rng.choice((1, 2, 3, 4, 5)))) for _ in range(count)
        )

    def geom(indent: str) -> str:
        shape = rng.choice(list(SHAPES))
        size = f'mass="{numbers(1, 0.1, 5)}" dim="{numbers(SHAPES[shape], 0.1, 1)}"'
        return f'{indent}<geom type="{shape}" {size} pos="{numbers(3, -1, 1)}" color="{numbers(3, 0, 1)}"/>'

    lines = ['<x_xy model="generated">', '  <options gravity="0 0 9.81" dt="0.01"/>', "  <worldbody>"]
    left, depth, body = elements - 3, 0, 0
    while left > 0:
        indent = "    " + "  " * depth
        if left == 1:  # too few for a body with mass
            lines.append(geom(indent))
            break
        if depth == 8 or (depth > 0 and rng.random() < 0.25):
            depth -= 1
            lines.append("    " + "  " * depth + "</body>")
            continue
        joint = rng.choice(list(JOINTS))
        damping = f' damping="{numbers(JOINTS[joint], 0.0, 1.0)}"' if JOINTS[joint] else ""
        pose = f'pos="{numbers(3, -1, 1)}" euler="{numbers(3, -180, 180)}"'
        lines.append(f'{indent}<body name="body{body}" joint="{joint}" {pose}{damping}>')
        geoms = min(left - 1, rng.choice((1, 1, 2)))
        lines.extend(geom(indent + "  ") for _ in range(geoms))
        depth, body, left = depth + 1, body + 1, left - 1 - geoms
    lines.extend("    " + "  " * level + "</body>" for level in reversed(range(depth)))
    return "\n".join([*lines, "  </worldbody>", "</x_xy>", ""])
