"""Random scenes of many bodies with all contact filters and parameters."""

from __future__ import annotations

import numpy as np

MASS = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
SHAPES = ("sphere", "capsule", "box", "cylinder")


def _numbers(draw: np.random.Generator, low: float, high: float, count: int) -> str:
    return " ".join(repr(x) for x in draw.uniform(low, high, count).tolist())


def _geom(draw: np.random.Generator, name: str) -> str:
    shape = str(draw.choice(SHAPES))
    bits = f'contype="{draw.choice([1, 1, 1, 3, 8])}" conaffinity="{draw.choice([1, 1, 2, 0])}"'
    size = _numbers(draw, 0.1, 0.4, {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3}[shape])
    words = [f'name="{name}" type="{shape}" size="{size}" {bits}', f'pos="{_numbers(draw, -0.3, 0.3, 3)}"']
    words.append(f'euler="{_numbers(draw, -180, 180, 3)}" condim="{draw.choice([1, 3, 4, 6])}"')
    words.append(f'friction="{_numbers(draw, 0, 1, 3)}" priority="{draw.choice([0, 0, 0, 1])}"')
    words.append(f'margin="{draw.choice([0, 0.05])}" gap="{draw.choice([0, 0.02])}"')
    words.append(f'solmix="{draw.choice([1, 1, 0, 2.5])}"')
    words.append(
        f'solref="{draw.choice(["0.02 1", "0.05 0.7", "-100 -5"])}" solimp="{_numbers(draw, 0.5, 0.9, 5)}"'
    )
    return f"<geom {' '.join(words)}/>"


def random_scene(seed: int, bodies: int) -> str:
    """MJCF of a floor, static bodies, and trees of bodies with several geoms, all close to each other."""
    draw = np.random.default_rng(seed)
    geoms = iter(f"g{number}" for number in range(100 * bodies))
    named: list[str] = []

    def shapes(most: int) -> str:
        names = [next(geoms) for _ in range(int(draw.integers(0, most + 1)))]
        named.extend(names)
        return "".join(_geom(draw, name) for name in names)

    text = [
        "<geom name='floor' type='plane' size='0 0 1' contype='3' conaffinity='15' pos='0 0 -.3'/>",
        shapes(2),
    ]
    text.append(
        f"<body name='fixed'>{shapes(2)}<geom type='plane' size='1 1 1' euler='90 0 0' pos='0 1 0'/></body>"
    )
    text.append(f"<body name='post'>{shapes(2)}</body>")
    number = 0
    while number < bodies:
        depth, closing = int(draw.integers(1, 4)), ""
        for level in range(depth):
            joint = (
                "<freejoint/>" if level == 0 else str(draw.choice(["<joint/>", "<joint type='ball'/>", ""]))
            )
            place = _numbers(draw, -1, 1, 3) if level == 0 else _numbers(draw, -0.4, 0.4, 3)
            text.append(f"<body name='b{number}' pos='{place}'>{joint}{MASS}")
            text.append(shapes(3))
            closing += "</body>"
            number += 1
        text.append(closing)
    contact = []
    for _ in range(bodies // 3):
        one, other = draw.choice(bodies, 2, replace=False)
        contact.append(f"<exclude body1='b{one}' body2='b{other}'/>")
    for _ in range(min(bodies // 2, len(named) // 3)):
        one, other = draw.choice(named, 2, replace=False)
        extra = str(
            draw.choice(
                ["", "solreffriction='0.1 1'", "condim='1'", "margin='0.2' gap='0.1'", "friction='0 .1'"]
            )
        )
        contact.append(f"<pair geom1='{one}' geom2='{other}' {extra}/>")
    contact = list(dict.fromkeys(contact))
    option = str(
        draw.choice(
            ["", "<flag override='enable'/>", "<flag midphase='disable'/>", "<flag filterparent='disable'/>"]
        )
    )
    return (
        f"<mujoco><option o_margin='0.03' o_friction='.3 .2 .1 0 .4' o_solref='.04 .9'>{option}</option>"
        f"<worldbody>{''.join(text)}</worldbody><contact>{''.join(contact)}</contact></mujoco>"
    )
