"""The models about whose details MuJoCo 4.0 was asked. It imports nothing: any environment runs it.

Each shows something that differs from 3.2.7, or that a comparison of public files showed.
"""

from __future__ import annotations

STATES = 3
"""Number of states of each model."""
STILL = """
<mujoco><option jacobian="{jacobian}" cone="{cone}"/><worldbody><geom name="world" size="1" pos="0 0 .5"/>
  <body><geom name="still" size="1"/><site name="s" size="2"/></body>
  <body mocap="true"><geom name="mocap" size="1" pos="0 .2 0"/></body>
  <body pos="1 0 0"><joint/><joint type="slide"/><geom name="one" size="1"/><geom name="two" size=".9"/>
    <body><geom name="welded" size=".8"/></body>
    <body><joint axis="0 1 0"/><geom name="child" size=".8"/></body></body></worldbody>
<contact>{pairs}</contact><sensor><touch site="s"/></sensor></mujoco>"""
PAIRS = (
    *(("world", "still"), ("world", "mocap"), ("still", "mocap"), ("still", "one"), ("mocap", "two")),
    *(("one", "two"), ("one", "welded"), ("one", "child"), ("welded", "child")),
)
PLACED = "".join(f'<pair geom1="{one}" geom2="{other}"/>' for one, other in PAIRS)
NOTHING = """
<mujoco><worldbody><body><geom name="1" size="1"/></body><body pos="0 .1 .2"><geom name="2" size="1"/></body>
  <body pos="0 0 2.1"><geom name="3" size="1" margin=".1" gap=".2"/><site name="s" size="3"/></body>
</worldbody><contact><pair geom1="1" geom2="2"/><pair geom1="2" geom2="3" gap=".5"/></contact>
<sensor><touch site="s"/></sensor></mujoco>"""
COPIES = """
<mujoco><compiler autolimits="true"/><worldbody><site name="a" size=".02"/>
  <replicate offset="0 .1 0" count="3" euler="0 0 16.36"><body pos="1 0 1"><joint name="j" axis="0 -1 0"/>
    <geom type="capsule" size=".02" fromto="0 0 0 0 0 -1"/><site name="b" pos="0 0 -1"/></body></replicate>
</worldbody><tendon><spatial name="b"><site site="a"/><site site="b"/></spatial></tendon>
<actuator><position name="b" tendon="b" kp="100" dampratio="1"/><motor name="m" joint="j"/></actuator>
<sensor><tendonpos tendon="b"/><actuatorfrc actuator="b"/><actuatorfrc actuator="m"/></sensor></mujoco>"""
MARGINS = """
<mujoco><worldbody><geom type="plane" size="{size} .05" margin=".01"/><geom pos="0 0 -1" size=".1" gap=".3"/>
  <body pos="0 0 .3"><freejoint/><geom size=".1" margin=".02" gap=".03"/>
    <geom size=".1" pos=".1 0 0" margin=".04"/></body></worldbody></mujoco>"""
SIZES = {"infinite": "0 0", "half infinite": "3 0", "finite": "3 2"}
CLAMPED = """
<mujoco><option integrator="{integrator}"/><worldbody>{bodies}</worldbody><actuator>
  <damper joint="j0" kv="200" ctrlrange=".1 .4"/>
  <general joint="j1" gaintype="affine" gainprm="1 2 -30" ctrlrange="-.1 .2"/>
  <general joint="j2" gaintype="affine" gainprm="1 2 -30" ctrlrange="-.1 .2" dyntype="filter" dynprm=".1"/>
  <velocity joint="j3" kv="3" ctrlrange="-.1 .1"/></actuator></mujoco>"""
SLIDES = "".join(
    f'<body pos="0 {k} 0"><joint name="j{k}" type="slide" axis="1 0 {k}"/><geom size=".1"/></body>'
    for k in range(4)
)
WOUND = """
<mujoco><worldbody><site name="a0" pos="-1 .1 .2"/><site name="a1" pos=".3 -.2 1.1"/>
  <body pos="0 0 0"><joint type="ball"/>
    <geom name="sphere" size=".5" contype="0" conaffinity="0"/><site name="in" pos=".1 .2 .1"/></body>
  <body pos="3 0 0"><joint type="ball"/><geom name="cylinder" type="cylinder" size=".4 .2" contype="0"
    conaffinity="0"/><site name="within" pos=".1 .2 .1"/></body>
  <body pos=".2 1 .3"><joint type="slide"/><joint type="ball" pos="0 0 .4"/><geom size=".1"/>
    <site name="b"/></body>
  <body pos="3.3 1 .4"><joint type="slide"/><joint type="ball" pos="0 0 .4"/><geom size=".1"/>
    <site name="c"/></body>
  <site name="d" pos="2.1 -.2 .3"/></worldbody>
<tendon>
  <spatial stiffness="100"><site site="a0"/><geom geom="sphere" sidesite="in"/><site site="b"/></spatial>
  <spatial stiffness="100"><site site="a1"/><geom geom="sphere" sidesite="in"/><site site="b"/></spatial>
  <spatial stiffness="100"><site site="d"/><geom geom="cylinder" sidesite="within"/><site site="c"/></spatial>
</tendon></mujoco>"""

SCENE = """
<asset><mesh name="m" vertex="-.1 -.2 -.15 .2 -.2 -.15 0 .2 -.15 .05 0 .3"/>
  <hfield name="h" nrow="3" ncol="4" size="2 2 .4 .1" elevation="0 .2 .4 .3 .1 1 .3 .5 0 .5 .2 .4"/></asset>
<worldbody><geom type="hfield" hfield="h" pos="0 0 -1"/><geom size=".3" pos="-.6 .3 0"/>
  <geom type="ellipsoid" size=".2 .3 .1" pos=".5 .2 .1"/><geom type="box" size=".1 .2 .3" pos="0 -.4 0"/>
  <geom type="mesh" mesh="m" pos="-.5 -.5 .2"/><geom type="plane" size="9 9 1" pos="0 0 -3"/>
  <body pos="0 0 2"><joint type="slide"/><joint type="ball"/><geom size=".1" contype="0" conaffinity="0"/>
    <geom type="cylinder" size=".4 .1" pos="0 0 .2" contype="0" conaffinity="0"/>{cameras}</body>
  <body name="b" pos=".2 .1 .6"><freejoint/>
    <geom type="capsule" size=".1 .2" contype="0" conaffinity="0"/></body></worldbody>
<sensor>{sensors}</sensor>"""
REFERRED = """
<mujoco><worldbody><body quat=".3 .2 .5 -.1"><freejoint/><geom size=".1"/>
  <site name="r" quat="1 .2 .4 .1"/><body pos=".1 .2 .3" quat="1 -1 .5 .4"><joint/><geom size=".1"/>
    <site name="s" pos=".1 0 .2" quat=".1 1 .3 .2"/></body></body></worldbody>
<actuator><general site="s" refsite="r" gear="1 2 3 .1 .2 .3" gainprm="3" biastype="affine"
    biasprm="0 -3"/></actuator></mujoco>"""
CAMERAS = {
    "angle": 'resolution="4 3" fovy="50" euler="10 20 5"',
    "lens": 'resolution="5 4" sensorsize=".004 .003" focal=".003 .004" principal=".0003 -.0002"',
    "pixels": 'resolution="3 4" sensorsize=".004 .003" focalpixel="3 2" principalpixel=".3 .7"',
    "flat": 'resolution="3 5" fovy="1.4" projection="orthographic" euler="-10 0 20" pos=".3 0 0"',
    "tracking": 'resolution="2 2" fovy="40" mode="targetbody" target="b"',
}
MEASURED = ("dist", "dist dir origin point normal depth", "point depth", "normal", "origin")


def _images() -> str:
    """Every camera with each set of quantities, without and with a bound."""
    cameras = "".join(f'<camera name="{name}" {given}/>' for name, given in CAMERAS.items())
    sensors = "".join(
        f'<rangefinder camera="{name}" data="{data}" {bound}/>'
        for name in CAMERAS
        for data, bound in (*((data, "") for data in MEASURED), (MEASURED[1], 'cutoff=".7"'))
    )
    return f"<mujoco>{SCENE.format(cameras=cameras, sensors=sensors)}</mujoco>"


def models() -> dict[str, str]:
    """The models by name."""
    found = {
        f"pairs that nothing moves, {jacobian}, {cone}": STILL.format(
            jacobian=jacobian, cone=cone, pairs=PLACED
        )
        for jacobian in ("dense", "sparse")
        for cone in ("pyramidal", "elliptic")
    }
    found |= {"nothing moves": NOTHING, "copies of lists": COPIES, "wound along the inside": WOUND}
    found |= {f"margins, {name}": MARGINS.format(size=size) for name, size in SIZES.items()}
    found |= {"images": _images(), "referred": REFERRED}
    for integrator in ("implicit", "implicitfast"):
        found[f"clamped, {integrator}"] = CLAMPED.format(integrator=integrator, bodies=SLIDES)
    return found
