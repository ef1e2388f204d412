"""The models about which MuJoCo 4.0 was asked: pairs of convex shapes. It imports nothing, so that any
environment runs it.
"""

from __future__ import annotations

STATES = 2
"""Number of states of each model; in the second one sides are nearly parallel."""
APART = 3.0
"""Distance between pairs, m."""
SIZES = {
    "sphere": ".08",
    "capsule": ".05 .12",
    "ellipsoid": ".12 .07 .09",
    "cylinder": ".09 .06",
    "box": ".1 .07 .05",
}
BRICK = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.06, 0.06) for z in (-0.08, 0.08)]
HEXAGON = ((2, 0), (1, 1.7), (-1, 1.7), (-2, 0), (-1, -1.7), (1, -1.7))
PRISM = [(0.06 * x, 0.04 * y, z) for x, y in HEXAGON for z in (-0.06, 0.06)]
ROCK = [
    (0.1, 0.02, 0.03), (-0.09, 0.01, 0.04), (0.02, 0.11, -0.01), (0.01, -0.12, 0.02), (0.03, 0.02, 0.13),
    (-0.02, 0.01, -0.1), (0.06, 0.07, 0.06), (-0.05, -0.06, -0.05), (0.05, -0.06, 0.07), (-0.06, 0.05, 0.05),
    (0.06, 0.04, -0.06), (-0.04, 0.06, -0.05),
]  # fmt: skip
MESHES = {"brick": BRICK, "prism": PRISM, "rock": ROCK}
ASSETS = "".join(
    f'<mesh name="{name}" vertex="{" ".join(f"{x:.6g}" for v in corners for x in v)}"/>'
    for name, corners in MESHES.items()
)
HEIGHTS = " ".join(f"{(7 * k * k + 3 * k) % 11 / 11:.3f}" for k in range(30))
FIELD = f'<hfield name="field" nrow="5" ncol="6" size=".4 .35 .12 .05" elevation="{HEIGHTS}"/>'
SMOOTH = (
    "sphere ellipsoid", "sphere prism", "capsule ellipsoid", "ellipsoid ellipsoid", "ellipsoid cylinder",
    "ellipsoid box", "ellipsoid prism",
)  # fmt: skip
FLAT = (
    "capsule cylinder", "capsule brick", "capsule prism", "cylinder cylinder", "cylinder box",
    "cylinder brick", "cylinder prism", "box brick", "box prism", "brick brick", "brick prism",
)  # fmt: skip
FREE = '<freejoint/><inertial pos="0 0 0" mass="1" diaginertia=".01 .02 .015"/>'
ON_FIELD = tuple(f"field {kind}" for kind in (*SIZES, "brick"))
ROCKS = ("sphere rock", "capsule rock", "ellipsoid rock", "box rock", "prism rock", "rock rock")


def _geom(kind: str, name: str, margin: str) -> str:
    if kind == "field":
        return f'<geom name="{name}" type="hfield" hfield="field" {margin}/>'
    if kind in MESHES:
        return f'<geom name="{name}" type="mesh" mesh="{kind}" {margin}/>'
    return f'<geom name="{name}" type="{kind}" size="{SIZES[kind]}" {margin}/>'


def _model(pairs: tuple[str, ...], margin: str = "", option: str = "") -> str:
    bodies = ""
    for k, pair in enumerate(pairs):
        one, other = pair.split()
        for kind, name in ((one, f"a{k}"), (other, f"b{k}")):
            joint = FREE * (kind != "field")
            bodies += f'<body pos="{APART * k} 0 0">{joint}{_geom(kind, name, margin)}</body>'
    field = FIELD * any("field" in pair for pair in pairs)
    return f"<mujoco>{option}<asset>{ASSETS}{field}</asset><worldbody>{bodies}</worldbody></mujoco>"


def models() -> dict[str, str]:
    """The models by name; each has pairs of geoms a0 and b0, a1 and b1, and so on."""
    margin = 'margin=".015"'
    return {
        "smooth": _model(SMOOTH),
        "smooth with margins": _model(SMOOTH, margin),
        "flat": _model(FLAT),
        "flat with margins": _model(FLAT, margin),
        "one contact": _model(FLAT, "", '<option><flag multiccd="disable"/></option>'),
        "turned": _model(FLAT, "", '<option><flag nativeccd="disable"/></option>'),
        "height field": _model(ON_FIELD),
        "height field with margins": _model(ON_FIELD, margin),
        "rocks": _model(ROCKS),
        "few iterations": _model(SMOOTH, "", '<option ccd_iterations="9" ccd_tolerance="1e-5"/>'),
    }
