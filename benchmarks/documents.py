"""Documents of a wanted number of elements, written as people and exporters write them."""

from __future__ import annotations

import random

JOINTS = {"rx": 1, "ry": 1, "rz": 1, "px": 1, "py": 1, "pz": 1, "spherical": 3, "frozen": 0}
SHAPES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}


class Numbers:
    """Numbers of one to five decimals, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def __call__(self, count: int, low: float, high: float) -> str:
        values = (round(self.rng.uniform(low, high), self.rng.choice((1, 2, 3, 4, 5))) for _ in range(count))
        return " ".join(map(repr, values))


def x_xy(elements: int, seed: int = 1) -> str:
    """A valid x_xy document of ``elements`` elements, 5 at least: bodies up to 8 deep with a geom or two."""
    numbers = Numbers(seed)
    rng = numbers.rng

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


MJCF_HEAD = """<mujoco model="generated">
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <default>
    <joint damping="0.1"/>
    <default class="shell"><geom contype="0" conaffinity="0" group="2"/></default>
  </default>
  <worldbody>"""


def mjcf(elements: int, seed: int = 1) -> str:
    """A valid MJCF document of about ``elements`` elements, 30 at least.

    Bodies stand up to 8 deep, each with inertia, joint, two geoms and a site; a motor drives each joint, a
    sensor looks at each.
    """
    numbers = Numbers(seed)
    rng = numbers.rng
    lines = [MJCF_HEAD]
    depth, bodies = 0, (elements - 10) // 8
    for body in range(bodies):
        while depth == 8 or (depth > 0 and rng.random() < 0.25):
            depth -= 1
            lines.append("    " + "  " * depth + "</body>")
        indent = "      " + "  " * depth
        kind, axis = rng.choice(("hinge", "hinge", "slide")), rng.choice(("0 0 1", "0 1 0", "1 0 0"))
        shape = rng.choice(("capsule", "box", "sphere", "ellipsoid"))
        joint = f'name="joint{body}" type="{kind}" axis="{axis}"'
        lines += [
            f'{indent[2:]}<body name="body{body}" pos="{numbers(3, -1, 1)}" euler="{numbers(3, -3, 3)}">',
            f'{indent}<inertial pos="{numbers(3, -1, 1)}" mass="{numbers(1, 1, 5)}" diaginertia="1 1 1.5"/>',
            f'{indent}<joint {joint} range="{numbers(1, -2, -1)} {numbers(1, 1, 2)}" armature="0.01"/>',
            f'{indent}<geom type="{shape}" size="{numbers(3, 0.1, 1)}" pos="{numbers(3, -1, 1)}"/>',
            f'{indent}<geom class="shell" type="box" size="{numbers(3, 0.1, 1)}" rgba="0.8 0.6 0.4 1"/>',
            f'{indent}<site name="site{body}" pos="{numbers(3, -1, 1)}" size="0.01"/>',
        ]
        depth += 1
    lines.extend("    " + "  " * level + "</body>" for level in reversed(range(depth)))
    motors = (f'    <motor name="m{b}" joint="joint{b}" gear="{numbers(1, 1, 90)}"/>' for b in range(bodies))
    sensors = (f'    <jointpos name="at{b}" joint="joint{b}" noise="0.001"/>' for b in range(bodies))
    lines += ["  </worldbody>", "  <actuator>", *motors, "  </actuator>"]
    return "\n".join([*lines, "  <sensor>", *sensors, "  </sensor>", "</mujoco>", ""])
