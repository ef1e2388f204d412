"""The models about which MuJoCo 4.0 was asked. It imports nothing, so that any environment runs it."""

from __future__ import annotations

STATES = 2
"""Number of states of each model; the first one is at qpos0."""
SCENE = """
<mujoco><option cone="{cone}" integrator="{integrator}" timestep=".004" impratio="{impratio}">
    <flag multiccd="disable" diagexact="{exact}"/></option>
  <default><geom friction=".7 .02 .003" {every}/></default>
  <worldbody><geom name="p" type="plane" size="5 5 1" {plane}/>
    <site name="w" type="box" size=".2 .3 .1" pos=".1 0 .05" euler="20 0 10"/>
    <body name="a" pos="0 0 .09"><freejoint/><geom name="a" size=".1" condim="4" {first}/>
      <site name="a" size=".15" pos="0 0 -.05"/></body>
    <body name="b" pos=".19 0 .1" euler="10 70 5"><freejoint/>
      <geom name="b" type="capsule" size=".08 .1" condim="6" margin=".01" {second}/>
      <body name="c" pos="0 .1 .05"><joint axis="1 0 .2" range="-40 40" stiffness="3" damping=".1"/>
        <geom name="c" size=".07" pos="0 .05 0" {third}/>
        <site name="c" type="capsule" size=".1 .05" euler="30 0 0"/></body></body>
    <body name="d" pos=".1 .17 .08"><joint type="slide" axis="0 0 1"/><joint axis="1 0 0"/>
      <geom name="d" type="capsule" size=".09" fromto="-.1 0 0 .1 0 0" condim="1" {third}/></body></worldbody>
  <contact>{pairs}</contact><equality>{equalities}</equality><sensor>{sensors}</sensor></mujoco>"""
EVERYTHING = "found force torque dist pos normal tangent linvel angvel"
SUMMED = "found force torque dist pos normal tangent"
MATCHED = (
    *("", 'geom1="a"', 'geom2="a"', 'body1="a" body2="b"', 'body1="b" body2="a"', 'geom1="p" geom2="d"'),
    *('subtree1="b"', 'subtree1="b" subtree2="b"', 'subtree2="world"', 'body1="world" subtree2="b"'),
    *('site="w"', 'site="a" geom2="p"', 'site="c" body2="a"', 'subtree1="world" geom2="c"'),
)
"""What contacts match."""
CHOSEN = "".join(
    f'<contact {match} num="{1 + number % 3}" reduce="{reduce}" data="{data}"/>'
    for number, match in enumerate(MATCHED)
    for reduce, data in (
        [("none", EVERYTHING), ("netforce", SUMMED)] if number % 2 else [("mindist", "dist pos linvel")]
    )
)
FORCED = "".join(
    f'<contact {match} num="3" reduce="maxforce" data="found force dist"/>' for match in MATCHED[::2]
)
USUAL = f"""{FORCED}<touch site="a"/><accelerometer site="c"/><force site="c"/><torque site="c"/>"""
PLACED = {
    "contact sensors": {"sensors": CHOSEN + FORCED},
    "moving surfaces": {
        "plane": 'surfacevel=".3 -.2 .1 .2 -.1 1"',
        "second": 'surfacevel="0 0 .5 1 2 3"',
        "third": 'surfacevel=".1 .2" priority="1"',
    },
    "adhesion": {
        "plane": 'adhesion="3" gap=".03"',
        "first": 'adhesion="8"',
        "second": 'gap=".02"',
        "third": 'adhesion="2" priority="1"',
    },
    "pairs that pull": {
        "pairs": '<pair geom1="a" geom2="b" adhesion="7" gap=".05" condim="3"/>'
        '<pair geom1="p" geom2="d" condim="1" adhesion="4"/>',
        "first": 'adhesion="5"',
    },
    "exact diagonals": {
        "exact": "enable",
        "equalities": '<connect body1="a" body2="b" anchor=".1 0 0"/><weld body1="d"/>',
    },
    "everything": {
        "exact": "enable",
        "every": 'adhesion="2" surfacevel="1 2 3 4 5 6"',
        "impratio": "3",
        "sensors": CHOSEN + USUAL,
    },
}
VOLUMES = "".join(
    f'<site name="{kind}" type="{kind}" size="{size}" pos="{x} 0 1" euler="20 30 40"/>'
    for x, (kind, size) in enumerate(
        zip(
            ("sphere", "capsule", "ellipsoid", "cylinder", "box"),
            (".4", ".3 .2", ".3 .4 .5", ".3 .4", ".3 .4 .2"),
            strict=True,
        )
    )
)
OBJECTS = (("body", "a"), ("xbody", "a"), ("geom", "g"), ("site", "s"), ("body", "empty"))
INSIDE = f"""
<mujoco><worldbody>{VOLUMES}
  <body name="a" pos="{{x}} .1 1"><freejoint/>
    <geom name="g" size=".1" pos=".1 .2 .1" contype="0" conaffinity="0"/>
    <site name="s" pos="0 -.2 -.1"/></body>
  <body name="empty" pos="{{x}} .5 1"><body pos="0 -.4 0">
    <joint type="slide" stiffness="10"/><joint type="ball"/>
    <geom size=".1" pos=".05 0 0" contype="0" conaffinity="0"/></body></body></worldbody><sensor>{"".join(
    f'<insidesite site="{{kind}}" objtype="{what}" objname="{name}"/>' for what, name in OBJECTS)}
  <e_potential/><e_kinetic/><e_kinetic cutoff=".5"/></sensor></mujoco>"""
SHAPES = {
    "plane": 'type="plane" size="1 1 .1" pos="{x} 0 0"',
    "sphere": 'size=".2" pos="{x} 0 .3"',
    "capsule": 'type="capsule" size=".1 .2" euler="40 20 0" pos="{x} 0 .3"',
    "ellipsoid": 'type="ellipsoid" size=".1 .2 .3" euler="40 20 0" pos="{x} 0 .3"',
    "cylinder": 'type="cylinder" size=".2 .15" euler="40 20 0" pos="{x} 0 .3"',
    "box": 'type="box" size=".1 .2 .15" euler="40 20 0" pos="{x} 0 .3"',
    "mesh": 'type="mesh" mesh="m" euler="40 20 0" pos="{x} 0 .3"',
    "hfield": 'type="hfield" hfield="h" pos="{x} 0 0"',
}
RAYS = "".join(
    f'<rangefinder site="{place}{x}" data="{data}" {more}/>'
    for x in range(len(SHAPES))
    for place, data, more in (
        ("above", "dist dir origin point normal depth", ""),
        ("beside", "dist point normal", 'cutoff=".4"'),
        ("below", "normal depth", ""),
        ("away", "dist", 'cutoff=".3"'),
    )
)
SEEN = f"""
<mujoco><asset><mesh name="m" vertex="-.1 -.2 -.15  .1 -.2 -.15  -.1 .2 -.15  .1 .2 -.15
      -.1 -.2 .15  .1 -.2 .15  -.1 .2 .15  .1 .2 .15"/>
    <hfield name="h" nrow="3" ncol="3" size=".3 .3 .2 .1" elevation="0 .2 .4 .1 1 .3 0 .5 .2"/></asset>
  <worldbody>{"".join(f"<geom {shape.format(x=2 * x)}/>" for x, shape in enumerate(SHAPES.values()))}
    <body><joint type="slide"/><joint type="ball"/><geom size=".01" contype="0" conaffinity="0"/>{"".join(
    f'<site name="above{x}" pos="{2 * x + .03} .02 1.5" euler="180 0 0"/>'
    f'<site name="beside{x}" pos="{2 * x - .9} .01 .25" euler="0 90 0"/>'
    f'<site name="below{x}" pos="{2 * x + .02} .03 -1"/><site name="away{x}" pos="{2 * x} 0 2"/>'
    for x in range(len(SHAPES)))}</body></worldbody><sensor>{RAYS}</sensor></mujoco>"""


def models() -> dict[str, str]:
    """The models by name."""
    found = {}
    usual = {"cone": "pyramidal", "integrator": "Euler", "impratio": "1", "exact": "disable"}
    other = {"cone": "elliptic", "integrator": "implicitfast"}
    usual["sensors"] = USUAL
    usual |= dict.fromkeys(("every", "plane", "first", "second", "third", "pairs", "equalities"), "")
    for name, given in PLACED.items():
        found[f"{name}, pyramidal"] = SCENE.format(**usual | given)
        found[f"{name}, elliptic"] = SCENE.format(**usual | other | given)
    found["everything, RK4"] = SCENE.format(**usual | {"integrator": "RK4"} | PLACED["everything"])
    for x, kind in enumerate(("sphere", "capsule", "ellipsoid", "cylinder", "box")):
        found[f"inside a {kind}"] = INSIDE.format(kind=kind, x=x)
    found["rays"] = SEEN
    return found
