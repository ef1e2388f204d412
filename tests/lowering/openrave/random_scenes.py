"""Random environments: robots made of nested files, reopened, renamed, drawn outside their bounds."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from .random_documents import geoms, link, mass, numbers, transform


def matrix(rng: random.Random) -> str:
    """A rotation by rows, written to a few digits."""
    q, _ = np.linalg.qr(np.array([[rng.gauss(0, 1) for _ in range(3)] for _ in range(3)]))
    q = q * np.sign(np.linalg.det(q))
    return f"<rotationmat>{' '.join(f'{x:.{rng.choice((4, 7, 12))}f}' for x in q.flat)}</rotationmat>"


def turned(rng: random.Random) -> str:
    """Transforms of an element, occasionally with a matrix."""
    parts = [transform(rng), matrix(rng) if rng.random() < 0.3 else ""]
    rng.shuffle(parts)
    return "".join(parts)


def bounds(rng: random.Random, kind: str) -> str:
    """Bounds in some unit, some of which exclude the drawn value of the joint; or an initial value."""
    low, high = sorted(round(rng.uniform(-2, 2), 2) for _ in range(2))
    degrees = f"{50 * low:.0f} {50 * high + 1:.0f}"
    return rng.choice(
        (
            "",
            f"<limits>{low} {high}</limits>",
            f"<limitsrad>{high} {low}</limitsrad>" if kind == "hinge" else f"<limits>{high} {low}</limits>",
            f"<limitsdeg>{degrees}</limitsdeg>"
            if kind == "hinge"
            else f"<limitsdeg>{low} {high}</limitsdeg>",
            f"<initial>{low}</initial>",
            "<limits>0.3 0.3</limits>",
        )
    )


def joint(rng: random.Random, name: str, one: str, two: str, followed: list[str]) -> str:
    """A hinge or slider, which may follow joints named before, including joints that follow others."""
    kind = rng.choice(("hinge", "hinge", "slider"))
    ends = [one, two]
    rng.shuffle(ends)
    inside = [f"<body>{ends[0]}</body>", f"<body>{ends[1]}</body>", f"<axis>{numbers(rng)}</axis>"]
    if rng.random() < 0.5:
        inside.append(f"<offsetfrom>{rng.choice(ends)}</offsetfrom>")
    if rng.random() < 0.7:
        inside.append(f"<anchor>{numbers(rng)}</anchor>")
    attributes, chance = "", rng.random()
    if chance < 0.35 and followed:
        formula = f"{rng.uniform(-1, 1):.2f}*{rng.choice(followed)}*{rng.choice(followed)}-0.1"
        attributes = f' mimic_pos="{formula}"'
        if rng.random() < 0.5:
            attributes += ' enable="false"'
    elif chance < 0.45:
        attributes = ' enable="false"'
    elif chance < 0.55 and kind == "hinge":
        attributes = ' circular="true"'
    else:
        inside.append(bounds(rng, kind))
    followed.append(name)
    inside[2:] = rng.sample(inside[2:], len(inside) - 2)
    return f'<Joint name="{name}" type="{kind}"{attributes}>{"".join(inside)}</Joint>'


def chain(rng: random.Random, stem: str, count: int, static: bool) -> tuple[list[str], list[str], str]:
    """Links and joints in a row or a tree; one link may be unconnected."""
    names: list[str] = []
    followed: list[str] = []
    text = [mass(rng) if rng.random() < 0.3 else ""]
    fixed = rng.randrange(count) if static else -1
    for number in range(count):
        name = f"{stem}{number}"
        text.append(link(rng, name, names, number == fixed))
        if number and rng.random() < 0.9:
            text.append(joint(rng, f"j{name}", name, rng.choice(names), followed))
        names.append(name)
    return names, followed, "".join(text)


def opened(rng: random.Random, name: str, before: list[str]) -> str:
    """A body that is reopened to change its pose, a shape or a mass."""
    off = f"<offsetfrom>{rng.choice(before)}</offsetfrom>" if before and rng.random() < 0.4 else ""
    parts = [
        off,
        turned(rng),
        geoms(rng) if rng.random() < 0.3 else "",
        mass(rng) if rng.random() < 0.3 else "",
    ]
    return f'<Body name="{name}">{"".join(parts)}</Body>'


def write(folder: Path, seed: int) -> Path:
    """An environment of up to three bodies, and the files that it includes."""
    rng = random.Random(seed)
    names, _, text = chain(rng, "f", 3, False)
    (folder / "inner.kinbody.xml").write_text(f'<KinBody name="inner">{text}{turned(rng)}</KinBody>')
    middle = f'<KinBody prefix="m_" file="inner.kinbody.xml">{opened(rng, "m_f1", ["m_f0"])}</KinBody>'
    own, followed, text = chain(rng, "g", 2, False)
    between = joint(rng, "between", "m_f0", rng.choice(own), followed)
    made = f"<KinBody>{middle}{turned(rng)}</KinBody><KinBody>{text}</KinBody><KinBody>{between}</KinBody>"
    (folder / "middle.robot.xml").write_text(f'<Robot name="middle">{made}{turned(rng)}</Robot>')
    inner = [f"m_{name}" for name in names] + own
    bodies = [_robot(rng, inner), _around(rng), _plain(rng)]
    rng.shuffle(bodies)
    nested = f"<environment>{bodies[2]}</environment>" if rng.random() < 0.5 else bodies[2]
    path = folder / "scene.env.xml"
    path.write_text(f"<Environment>{bodies[0]}{nested}{bodies[1]}</Environment>")
    return path


def _robot(rng: random.Random, inner: list[str]) -> str:
    """A robot of two copies of a file with prefixes, connected to a link of its own."""
    _, followed, text = chain(rng, "b", 2, rng.random() < 0.5)
    left = f'<Robot prefix="l_" file="middle.robot.xml">{turned(rng)}</Robot>'
    right = '<Robot prefix="r_" file="middle.robot.xml"/>'
    arms = [joint(rng, f"arm_{side}", "b0", f"{side}_{inner[0]}", followed) for side in "lr"]
    arms.append(opened(rng, f"r_{inner[-1]}", ["b0", f"l_{inner[1]}"]))
    inside = f"<KinBody>{text}</KinBody>{left}{right}<KinBody>{''.join(arms)}</KinBody>"
    return f'<Robot name="two_arms">{inside}{turned(rng)}</Robot>'


def _around(rng: random.Random) -> str:
    """A robot from a file, with a prefix, a rotation, and values for its joints."""
    values = " ".join(f"{rng.uniform(-1, 1):.2f}" for _ in range(rng.randint(1, 5)))
    return (
        f'<Robot name="one" prefix="x_" file="middle.robot.xml">{turned(rng)}'
        f"<jointvalues>{values}</jointvalues></Robot>"
    )


def _plain(rng: random.Random) -> str:
    _, _, text = chain(rng, "c", rng.randint(1, 4), rng.random() < 0.5)
    return f'<KinBody name="plain">{text}{turned(rng)}</KinBody>'
