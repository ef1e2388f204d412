"""The models about whose compilation MuJoCo 4.0 was asked. It needs no package: any environment runs it.

Each shows a step of the compiler that differs from 3.2.7, or is new.
"""

from __future__ import annotations

import random

STATES = 3
"""Number of states of each model; the first one is at qpos0."""
FREE = 'contype="0" conaffinity="0"'
TETRAHEDRON = 'vertex="0 0 0  .03 0 0  0 .02 0  0 0 .01  .01 .015 .02"'
CUP = 'vertex="-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1 0 0 -.5"'
CUP_FACES = """face="0 2 1 0 3 2 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7 4 5 8 5 6 8 6 7 8 7 4 8\""""
SHEET = 'vertex="0 0 0 1 0 0 1 1 .1 0 1 0" face="0 1 2 0 2 3"'
BUILTINS = (
    *("sphere 2", "hemisphere 2", "cone 5 .5", "cone 7 0", "supersphere 8 .4 1.3"),
    *("supertorus 7 .5 .4 1.2", "wedge 4 5 60 40 .3", "plate 3 4", "grid 3 4 1 .1 .2 .3 2"),
    *("grid 2 3 3 .1 .2 .3", "box 3 3 4 .1 .2 .3"),
    *("box 3 4 3 .1 .2 .3 2", "cylinder 3 4 3 .1 .2 .3", "cylinder 4 4 3 .1 .2 .3 2"),
    *("ellipsoid 3 4 5 .1 .2 .3", "ellipsoid 3 4 5 .1 .2 .3 2", "square 3 4 1 .1 .2 .3"),
    "disc 3 4 1 .1 .2 .3",
)
FLAT = ("plate", "square", "disc", "grid 3")


def _meshed(attributes: str, geom: str = 'type="mesh"', compiler: str = "") -> str:
    return f"""
<mujoco><compiler {compiler}/><asset><mesh name="m" {attributes}/></asset><worldbody>
  <body><freejoint/><geom {geom} mesh="m" pos=".1 .2 .3" euler="10 20 30"/>
    <geom size=".05" pos=".3 .2 .1" {FREE}/></body></worldbody></mujoco>"""


def _builtin(text: str) -> str:
    kind, params = text.split(" ", 1)
    attributes = f'builtin="{kind}" params="{params}" scale=".3 .4 -.5"'
    return _meshed(attributes, f'type="mesh" {FREE if text.startswith(FLAT) else ""}')


def _meshes() -> dict[str, str]:
    cup = f"{CUP} {CUP_FACES}"
    placed = f'{cup} scale=".1 .2 .3" refpos=".1 .2 .3" refquat="1 2 3 4"'
    found = {
        f"mesh, {kind}": _meshed(f'{placed} inertia="{kind}"')
        for kind in ("legacy", "exact", "convex", "shell")
    }
    found["mesh, mirrored"] = _meshed(f'{cup} inertia="exact" scale=".1 -.2 .3"')
    found["mesh, mirrored, convex"] = _meshed(f'{cup} inertia="convex" scale=".1 -.2 .3"')
    found["mesh, small"] = _meshed(TETRAHEDRON)
    found["mesh, sheet"] = _meshed(f'{SHEET} inertia="shell"', f'type="mesh" {FREE}')
    for shape in ("sphere", "capsule", "cylinder", "ellipsoid", "box"):
        found[f"fitted {shape}"] = _meshed(f'{cup} scale=".1 .3 .2"', f'type="{shape}" fitscale="1.2"')
        found[f"fitted {shape}, aabb"] = _meshed(
            f'{cup} scale=".1 .2 .5"', f'type="{shape}"', 'fitaabb="true"'
        )
    return found | {f"builtin {text}": _builtin(text) for text in BUILTINS}


INERTIA = """
<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="{}"/></body></worldbody>
</mujoco>"""
INERTIAS = ("2 2.2 3 .1 .2 .3", "2e-6 2e-6 3e-6 1e-9 2e-9 1e-9", "2e-8 2.1e-8 3e-8 9e-12 0 0", "2 3 4 0 0 0")

TREE = """
<mujoco><compiler {compiler}/><option {option}/><worldbody><geom name="w" size=".1" pos="9 9 9"/>
<body name="P"><joint/><geom name="g1" size=".1" {visual}/><site name="s0"/>
  <body name="A" pos="1 0 0" euler="10 20 30" {a}><geom name="a1" size=".1" {visual}/>
    <site name="sa" pos="0 .1 0"/>
    <body name="AC" pos="0 0 .5"><joint/><geom name="ac" size=".1"/></body><light pos="1 2 3" dir="1 2 3"/>
    <geom name="a2" type="box" size=".2 .1 .3"/></body>
  <geom name="g2" size=".1" pos="0 1 0"/><body name="J" pos="0 1 1"><joint/><geom name="j" size=".1"/>
   </body>
  <body name="B" pos="1 2 0"><geom name="b1" size=".1"/><body name="B2" pos="1 0 0">
    <geom name="b2" size=".1"/></body></body></body>
<body name="S"><geom name="sg" size=".3"/></body></worldbody>{lists}</mujoco>"""


def _trees() -> dict[str, str]:
    nothing = dict.fromkeys(("compiler", "option", "visual", "a", "lists"), "")
    fused = nothing | {"compiler": 'fusestatic="true"'}
    pairs = """<contact><pair geom1="b2" geom2="a1"/><pair geom1="j" geom2="g1"/>
    <exclude body1="A" body2="J"/></contact>"""
    sensors = """<sensor><framepos objtype="xbody" objname="B"/><framequat objtype="site" objname="sa"/>
    </sensor>"""
    both = 'discardvisual="true" fusestatic="true"'
    bounded = 'fusestatic="true" inertiafromgeom="true" boundinertia=".3"'
    cases = {
        "fused": fused,
        "fused, gravcomp": fused | {"a": 'gravcomp=".5"'},
        "fused, in a fluid": fused | {"option": 'density="1"'},
        "fused, one kept": fused | {"a": 'fuse="false"'},
        "fused, bounded": fused | {"compiler": bounded},
        "fused, pairs": fused | {"lists": pairs},
        "fused, force sensor": fused | {"lists": '<sensor><force site="sa"/></sensor>'},
        "fused, sensors": fused | {"lists": sensors},
        "discarded": nothing | {"compiler": 'discardvisual="true"', "visual": FREE},
        "discarded and fused": nothing | {"compiler": both, "visual": FREE},
    }
    return {name: TREE.format(**values) for name, values in cases.items()}


REPLICAS = f"""
<mujoco><worldbody><geom name="w" size=".1" {FREE}/><site name="ws" pos="0 0 2"/>
<body name="o" pos="0 2 0"><joint name="oj"/><geom name="og" size=".1" {FREE}/></body>
<replicate count="2" offset="1 0 0" sep="-"><body name="b"><joint name="j" axis="0 1 0"/>
  <geom name="g" size=".1" pos="0 0 .2" {FREE}/><site name="s" pos=".1 .1 .1"/></body></replicate>
   </worldbody>{{}}
</mujoco>"""
SELF = f"""
<mujoco><worldbody><frame name="f" pos="1 0 0" euler="10 20 30"><body name="b" pos="0 0 1">
  <joint name="j" axis="0 1 0"/>
  <geom size=".1" pos=".1 .2 .3" {FREE}/></body><geom name="loose" size=".1" {FREE}/></frame>
  <frame pos="0 2 0" euler="0 0 90"><attach {{}} prefix="p"/></frame></worldbody>
  <actuator><motor joint="j"/></actuator><keyframe><key qpos=".1 .2" ctrl="3"/></keyframe></mujoco>"""


CLASSES = """
<mujoco><default><geom euler="10 20 30"/><site axisangle="1 2 3 40"/></default><worldbody><body>
  <joint/><geom type="box" size=".1 .2 .3" quat="1 1 0 0"/><geom type="box" size=".1 .2 .3" pos="0 0 1"/>
  <geom type="box" size=".1 .2 .3" zaxis="1 2 3" pos="0 1 0"/><site quat="1 2 3 4"/></body></worldbody>
  </mujoco>"""
MASSLESS = """
<mujoco><compiler boundinertia="{}"/><worldbody><body pos=".1 .2 .3" euler="10 20 30">
  <joint/><inertial pos="0 0 1" mass="1" fullinertia="1 1 1.5 1 0 0"/>
  <body pos=".1 .2 .3" euler="10 20 30"><geom size=".1" mass="0" pos="1 2 3"/><geom size=".1" mass="0"/>
  </body>
  </body></worldbody></mujoco>"""
TURNED = """
<mujoco><worldbody><replicate count="4" offset="1 0 0" euler="0 20 30"><body pos=".1 .2 .3" euler="10 20 30">
  <joint axis="0 1 0"/><geom size=".1" pos=".2 0 0" contype="0"/></body></replicate></worldbody></mujoco>"""


def _macros() -> dict[str, str]:
    lists = {
        "keyframe": '<keyframe><key qpos=".1 .2 .3" ctrl="1"/><key qpos=".4" time="2"/></keyframe>'
        '<actuator><motor joint="oj"/><motor joint="j"/></actuator>',
        "tendons": '<tendon><spatial><site site="ws"/><site site="s"/><pulley divisor="2"/><site site="s"/>'
        '<site site="ws"/></spatial><spatial><site site="ws"/><geom geom="w"/><site site="s"/></spatial>'
        "</tendon>",
        "tuples": '<custom><tuple name="t"><element objtype="body" objname="b"/></tuple></custom>'
        '<sensor><jointpos joint="j"/></sensor>',
    }
    found = {f"replicas, {name}": REPLICAS.format(text) for name, text in lists.items()}
    found["attached body of the document"] = SELF.format('body="b"')
    found["attached frame of the document"] = SELF.format('frame="f"')
    found["replicas, turned"] = TURNED
    found["orientations of classes"] = CLASSES
    found["shapes without mass"] = MASSLESS.format(".5")
    return found


SCALED = f"""
<mujoco><compiler angle="radian"/><asset><mesh name="me" builtin="cone" params="4 .5"/></asset><worldbody>
<geom type="mesh" mesh="me" {FREE}/>
<frame pos="1 2 3" euler=".1 .2 .3" {{first}}><body name="b" pos=".1 .2 .3">
  <joint name="h" pos=".1 0 0" stiffness="3" damping=".6" armature=".9" frictionloss="1" range="-1 2"
   ref=".1"/>
  <joint name="s" type="slide" stiffness="3" damping=".6" armature=".9" frictionloss="1" range="-1 2"
   springref=".2"/>
  <joint name="sd" type="slide" axis="0 1 0" springdamper="1 .5"/>
  <geom name="g" type="box" size=".1 .2 .3" pos=".1 .1 .1" friction="1 .1 .2" solref="-100 -10" margin=".01"
   {FREE}/>
  <geom type="capsule" size=".1" fromto="0 0 0 1 1 1" density="500" {FREE}/>
  <geom type="mesh" mesh="me" {FREE}/><geom type="box" mesh="me" {FREE}/>
  <geom type="box" size=".1 .1 .1" shellinertia="true" density="9" {FREE}/>
  <site name="s1" size=".1" pos=".1 .1 .1"/><site name="s2" pos="0 0 .4"/>
  <light pos=".1 .1 .1" attenuation="1 2 3"/></body>
 <frame pos="0 1 0" {{second}}><body name="f" pos="1 1 1"><freejoint/><geom size=".1" {FREE}/></body>
  <body name="c"><inertial pos=".1 .2 .3" mass="2" diaginertia="1 1.5 2"/><joint name="cs" type="slide"/>
   <geom name="cg" size=".1" pos="0 0 5"/><site name="cs1"/></body></frame>
 <body name="mo" mocap="true" pos="3 3 3"/></frame>
<body name="out"><joint name="o" type="slide"/><geom name="og" size=".1"/><site name="os" pos="2 0 0"/>
   </body>
</worldbody>
<tendon><spatial name="t" range="0 3" stiffness="3"><site site="s1"/><geom geom="og"/><site site="os"/>
   </spatial>
 <spatial name="tw" springlength=".5" range="0 3" width=".02" stiffness="3" damping="2"><site site="s1"/>
  <site site="s2"/></spatial><fixed name="tf" range="0 3" stiffness="3" damping="4">
   <joint joint="h" coef="2"/>
  <joint joint="s" coef="3"/></fixed><fixed name="tm" stiffness="3"><joint joint="s" coef="2"/>
  <joint joint="cs" coef="2"/></fixed></tendon>
<equality><connect body1="b" body2="out" anchor=".1 .2 .3"/><weld body1="b" body2="c" torquescale="2"/>
 <weld site1="s1" site2="os"/><joint joint1="h" joint2="s" polycoef="1 2 3 4 5"/>
 <joint joint1="cs" joint2="s"/></equality>
<contact><pair geom1="g" geom2="og" margin=".1" friction="1 1 .1 .2 .3"/></contact>
<actuator><position joint="h" kp="10" kv="2" ctrlrange="-1 2" forcerange="-3 4"/>
   <position joint="s" kp="10" kv="2"
 ctrlrange="-1 2" gear="3"/><motor joint="s" gear="2"/><velocity joint="s" kv="3" ctrlrange="-1 2"/>
 <general joint="s" gainprm="3" biastype="affine" biasprm="1 2 -3"/><motor site="s1" gear="1 2 3 4 5 6"/>
 <cylinder joint="s" area="3" bias="1 2 -3" ctrlrange="-1 2"/>
   <muscle joint="s" force="10" lengthrange="1 2"/>
 <adhesion body="b" gain="4" ctrlrange="0 1"/><motor tendon="tw"/><position tendon="tm" kp="3"/>
 <damper joint="s" kv="4" ctrlrange="0 2"/><intvelocity joint="s" kp="3" actrange="-1 1"/>
 <motor cranksite="s1" slidersite="cs1" cranklength="9"/></actuator>
<sensor><jointpos joint="s" cutoff=".1"/><accelerometer site="s1" cutoff="1"/><torque site="s1" cutoff="1"/>
 <force site="s1" cutoff="1"/><distance geom1="g" geom2="og" cutoff="9"/>
   <subtreeangmom body="b" cutoff="1"/></sensor>
<keyframe><key qpos=".1 .2 .3 4 5 6 1 0 0 0 .7 .8" qvel="1 2 3 4 5 6 7 8 9 10 11"
 ctrl="1 1 1 1 1 1 1 1 1 1 1 1 1 1"
 mpos="1 2 4"/></keyframe></mujoco>"""
SCALES = {
    "similar": ('scale="2" massscale="5"', 'scale=".5"'),
    "geometry": ('scale="2" scaling="geometry"', 'scale=".5" massscale="3"'),
    "mass": ('massscale="3"', 'massscale="2" scaling="geometry"'),
}

SHAPES = ("sphere", "box", "capsule", "cylinder", "ellipsoid")
STRETCHED = ('scale="2" massscale="3"', 'massscale="2"', 'scale=".8 1.5 1.2" scaling="geometry"')
"""Scales of frames inside stretched ones."""


def _stretched(seed: int) -> str:
    """Frames with different scales along their axes, inside each other and around all kinds of elements."""
    chance = random.Random(seed)

    def numbers(count: int, first: str = "") -> str:
        return first + " ".join(f"{chance.gauss(0, 1):.3f}" for _ in range(count))

    def pose() -> str:
        return f'pos="{numbers(3)}" quat="{numbers(3, "1 ")}"'

    def geoms() -> str:
        mesh = f'type="mesh" mesh="{chance.choice("mn")}" surfacevel="1 2 3 4 5 6"'
        return f'<geom {mesh} {pose()} {FREE}/><geom type="box" mesh="m" {pose()} {FREE}/>'

    def sites(name: str) -> str:
        size = 'size=".1 .2 .3"'
        found = "".join(f'<site name="{name}{kind}" type="{kind}" {size} {pose()}/>' for kind in SHAPES)
        return found + "".join(
            f'<site type="{kind}" size=".1" fromto="{numbers(6)}"/>' for kind in ("capsule", "box")
        )

    second, first = STRETCHED[seed], f'scale="{1 + seed} 3 .5" scaling="geometry"'
    return STRETCHES.format(
        first=first,
        second=second,
        poses=[pose() for _ in range(9)],
        geoms=[geoms() for _ in range(5)],
        sites=[sites(name) for name in "abc"],
        heights="".join(f'<geom type="hfield" hfield="h" {turn} {FREE}/>' for turn in ("", 'quat="0 0 0 1"')),
        qpos=numbers(3, ".1 .2 1 0 0 0 ") + " 1 0 0 0 1 0 0 0 .3 .4",
        qvel=numbers(16),
    )


STRETCHES = f"""
<mujoco><compiler angle="radian"/><asset><mesh name="m" {TETRAHEDRON} scale="1 -2 3" refquat="1 .2 .3 .4"
 refpos=".1 .2 .3"/><mesh name="n" builtin="cone" params="6 .5"/><hfield name="h" nrow="3" ncol="3"
 size="1 2 3 4"/></asset><worldbody>
<frame {{poses[0]}} {{first}}><body name="a" pos="1 2 3">
  <joint name="h" axis="0 1 0" stiffness="3" damping=".6" range="-1 2" armature=".1"/>
  <joint name="s" type="slide" pos="1 2 3" axis="1 0 0" range="-1 2" ref=".1" stiffness="2" damping="1"
   margin=".1" frictionloss="1"/>
  <geom name="g" type="box" size="1 2 3" pos="1 2 3" friction="1 .1 .2" margin=".1" {FREE}/>
  <geom type="ellipsoid" size="1 2 3" quat="0 1 0 0" mass="2" {FREE}/>{{geoms[0]}}{{sites[0]}}
  <geom type="box" size=".1 .2 .3" shellinertia="true" density="9" quat="1 .002 .001 .003" {FREE}/>
  <camera {{poses[1]}} ipd=".1" projection="orthographic" fovy="2"/><light pos="1 2 3" attenuation="1 2 3"/>
  <body name="b" {{poses[2]}}><joint type="ball" pos="1 2 3"/>{{geoms[1]}}{{sites[1]}}
   <body {{poses[3]}}><inertial {{poses[4]}} mass="2" diaginertia="2 2.3 1.5"/></body>
   <frame {{poses[5]}} {{second}}>{{geoms[2]}}{{sites[2]}}<body pos="1 2 3"><joint type="ball"/>{{geoms[3]}}
    <inertial pos="1 2 3" mass="2" fullinertia="2 2.3 1.5 .1 .2 .3"/></body></frame></body></body>
 <frame {{poses[6]}} {{second}}><body {{poses[7]}}><freejoint/>{{geoms[4]}}</body>
  <body mocap="true" {{poses[8]}}/></frame>{{heights}}<geom type="plane" size="1 2 1" {FREE}/></frame>
<frame quat="1 .2 .3 .4" scale="2 2 5" scaling="geometry"><body quat="1 0 0 .7">
  <joint name="z" type="slide" axis="0 0 2"/><geom type="capsule" size=".1 .2" {FREE}/>
  <geom type="cylinder" fromto="0 0 0 .01 0 .5" size=".1" surfacevel="1 2 3 4 5 6" {FREE}/>
  <geom type="box" fromto="0 0 0 .01 0 .5" size=".1" {FREE}/></body>
 <frame scale="5 5 2" scaling="geometry"><geom size=".1" {FREE}/></frame></frame>
<geom type="mesh" mesh="m" {FREE}/><site name="o"/>
<body name="out"><joint/><geom size=".1" {FREE}/></body></worldbody>
<tendon><spatial name="t" range="0 3" width=".1" stiffness="2"><site site="abox"/>
  <site site="bbox"/></spatial>
 <fixed stiffness="2" range="0 1"><joint joint="h" coef="1"/><joint joint="s" coef="2"/>
  <joint joint="z" coef="3"/></fixed></tendon>
<equality><connect body1="b" body2="out" anchor=".1 .2 .3"/><weld body1="out" body2="b" anchor="1 2 3"/>
 <weld body1="b" body2="out" relpose="1 2 3 1 0 0 0"/><weld site1="abox" site2="o"/>
 <joint joint1="s" joint2="z" polycoef="1 2 3 4 5"/></equality>
<actuator><position joint="s" kp="3" kv="1" ctrlrange="0 1" timeconst=".1"/>
 <pid joint="s" kp="3" kv="1" ki="2" imax="3" slewmax="4" posrange="-2 2" velrange="-2 2" ffrange="-1 1"
  input="pos vel ff"/><pid joint="z" kp="3" dampratio="1"/><motor site="bbox" gear="1 2 3 4 5 6"/>
 <motor tendon="t"/></actuator>
<sensor><jointpos joint="s" cutoff="1"/><framepos objtype="site" objname="cbox" cutoff="2"/></sensor>
<keyframe><key qpos="{{qpos}}" qvel="{{qvel}}" mpos="1 2 3" act="1 2 3" ctrl="1 2 3 4 5 6 7 8"/></keyframe>
</mujoco>"""
PIDS = f"""
<mujoco><worldbody><frame scale="2" massscale="5" scaling="{{}}"><body><joint name="h" range="-1 2"/>
 <joint name="s" type="slide" axis="0 1 0" range="-1 2"/><geom type="box" size="1 2 3" {FREE}/>
 <site name="a"/></body></frame><site name="b" pos="1 2 3"/></worldbody><actuator>
<pid joint="h" kp="10" kv="2" ki="3" imax="7" slewmax="4" input="pos vel ff" posrange="-1 1" velrange="-2 2"
 ffrange="-3 3" forcerange="-5 5"/><pid joint="s" kp="10" dampratio="1" ki="3" imax="7" inheritrange="1"/>
<pid joint="s" kp="10" kv="2" input="ff" ffrange="-3 3"/><pid joint="s" kp="3" slewmax="1"/>
<general joint="s" gaintype="pid" biastype="affine" gainprm="3" biasprm="0 -2 -4" dyntype="pid" dynprm="2 3"/>
<orientation site="a" refsite="b" kp="3" kv="4"/><position joint="s" kp="2" timeconst=".1"/></actuator>
<keyframe><key act="1 2 3 4 5 6 7" ctrl="1 2 3 4 5 6 7 8 9 10 .1 .2 .3 11"/></keyframe></mujoco>"""


def models() -> dict[str, str]:
    """Every model by its name."""
    found = _meshes() | {f"inertia {text}": INERTIA.format(text) for text in INERTIAS}
    found |= _trees() | _macros()
    found |= {f"stretched, {seed}": _stretched(seed) for seed in range(len(STRETCHED))}
    found |= {f"scaled, pid, {policy}": PIDS.format(policy) for policy in ("similar", "geometry")}
    return found | {
        f"scaled, {name}": SCALED.format(first=first, second=second)
        for name, (first, second) in SCALES.items()
    }
