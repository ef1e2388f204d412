"""Random bodies with every joint type, listed in any order, nested, rotated, some in files with prefixes."""

from __future__ import annotations

import random
from pathlib import Path

TYPES = ("hinge", "hinge", "slider", "universal", "hinge2", "spherical")


def numbers(rng: random.Random, count: int = 3, size: float = 1.0) -> str:
    return " ".join(f"{rng.uniform(-size, size):.3f}" for _ in range(count))


def transform(rng: random.Random) -> str:
    """Several transforms in any order; matrices occur only in the examples."""
    kinds = rng.choices(("translation", "rotationaxis", "quat"), k=rng.randint(0, 4))
    written = {
        "translation": lambda: numbers(rng),
        "rotationaxis": lambda: f"{numbers(rng)} {rng.uniform(-180, 180):.2f}",
        "quat": lambda: numbers(rng, 4),
    }
    return "".join(f"<{kind}>{written[kind]()}</{kind}>" for kind in kinds)


def mass(rng: random.Random) -> str:
    return rng.choice(
        (
            "",
            f'<mass type="sphere"><total>{rng.uniform(0.1, 3):.2f}</total><radius>0.3</radius></mass>',
            '<mass type="box"><extents>0.1 0.2 0.3</extents><density>700</density></mass>',
            '<mass type="mimicgeom"><density>500</density></mass>',
            '<mass type="mimicgeom"><total>2</total></mass>',
            f'<mass type="custom"><total>1.5</total><com>{numbers(rng)}</com>'
            "<inertia>0.3 0.01 0 0.01 0.4 -0.02 0 -0.02 0.5</inertia></mass>",
        )
    )


def geoms(rng: random.Random) -> str:
    return (
        f'<geom type="box"><extents>0.1 0.2 0.05</extents>{transform(rng)}</geom>'
        f'<geom type="cylinder">{transform(rng)}<radius>0.1</radius><height>0.3</height></geom>'
        f'<geom type="sphere"><radius>0.07</radius>{transform(rng)}</geom>'
    )


def link(rng: random.Random, name: str, before: list[str], static: bool) -> str:
    off = f"<offsetfrom>{rng.choice(before)}</offsetfrom>" if before and rng.random() < 0.6 else ""
    parts = [off, transform(rng), geoms(rng), mass(rng)]
    rng.shuffle(parts)
    kind = ' type="static"' if static else rng.choice(("", ' type="dynamic"'))
    return f'<body name="{name}"{kind}>{"".join(parts)}</body>'


def joint(rng: random.Random, name: str, ends: list[str], others: list[str], kinds: tuple[str, ...]) -> str:
    """A joint between two links; it may follow hinges and sliders or be passive, fixed or circular."""
    kind = rng.choice(kinds)
    rng.shuffle(ends)
    inside = [f"<body>{ends[0]}</body><body>{ends[1]}</body>"]
    if rng.random() < 0.6:
        inside.append(f"<offsetfrom>{rng.choice(ends)}</offsetfrom>")
    inside += {
        "hinge": [f"<axis>{numbers(rng)}</axis>"] if rng.random() < 0.8 else [],
        "slider": [f"<axis>{numbers(rng)}</axis>"],
        "spherical": [],
    }.get(kind, [f"<axis1>{numbers(rng)}</axis1><axis2>{numbers(rng)}</axis2>"])
    if kind != "slider" and rng.random() < 0.8:
        inside.append(f"<anchor>{numbers(rng)}</anchor>")
    attributes = ""
    chance = rng.random()
    if kind in ("hinge", "slider"):
        if chance < 0.2:
            inside.append(rng.choice(("<limitsdeg>-30 80</limitsdeg>", "<limits>-0.4 1.2</limits>")))
        elif chance < 0.3:
            inside.append("<limits>0 0</limits>")
        elif chance < 0.4:
            inside.append("<initial>0.3</initial>")
        elif chance < 0.5 and kind == "hinge":
            attributes += ' circular="true"'
        elif chance < 0.8 and others:
            formula = f"{rng.uniform(-1, 1):.2f}*{rng.choice(others)}+sin({rng.choice(others)})/3"
            attributes += f' mimic_pos="{formula}"'
        elif chance < 0.9:
            attributes += ' enable="false"'
    rng.shuffle(inside[1:])
    return f'<joint name="{name}" type="{kind}"{attributes}>{"".join(inside)}</joint>'


def write(folder: Path, seed: int) -> Path:
    """A robot's document, and a file that it includes."""
    rng = random.Random(seed)
    inner: list[str] = []
    text = []
    for number in range(3):
        text.append(link(rng, f"in{number}", inner, False))
        inner.append(f"in{number}")
    for number in (1, 2):
        ends = [f"in{number}", f"in{rng.randrange(number)}"]
        text.append(joint(rng, f"jin{number}", ends, [], ("hinge", "slider", "universal", "spherical")))
    part = f'<kinbody name="part">{"".join(text)}{transform(rng)}</kinbody>'
    (folder / "part.kinbody.xml").write_text(part)
    prefixed = [f"p_{name}" for name in inner]
    known, text = [], []
    static = rng.random() < 0.6
    for number in range(rng.randint(2, 5)):
        text.append(link(rng, f"b{number}", known, static and number == 0))
        known.append(f"b{number}")
    followed: list[str] = []
    for number in range(1, len(known)):
        name = f"j{number}"
        written = joint(rng, name, [f"b{number}", f"b{rng.randrange(number)}"], followed, TYPES)
        text.append(written)
        if 'type="hinge"' in written or 'type="slider"' in written:
            followed.append(name)
    text.append(f'<kinbody>{transform(rng)}<kinbody prefix="p_" file="part.kinbody.xml"/></kinbody>')
    text.append(joint(rng, "across", ["p_in0", rng.choice(known)], followed, TYPES))
    shape = f'<body name="{prefixed[1]}"><geom type="box"><extents>0.1 0.1 0.1</extents></geom></body>'
    path = folder / "random.robot.xml"
    body = f"<kinbody>{''.join(text)}{shape}</kinbody>"
    path.write_text(f'<robot name="r">{body}{transform(rng)}</robot>')
    return path
