"""The models about which MuJoCo 4.0 was asked. It imports nothing, so that any environment runs it."""

from __future__ import annotations

STATES = 3
"""Number of states of each model; the first one is at qpos0."""
FREE = 'contype="0" conaffinity="0"'
ARM = """
<body pos="0 {y} 1"><joint name="{n}1" axis="0 {z} 1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0" {free}/>
  <body name="{n}" pos=".4 0 0"><joint name="{n}2" type="{kind}" axis="0 0 1"/>
    <geom type="capsule" size=".04" fromto="0 0 0 .3 .1 0" {free}/>
      <site name="{n}s" pos=".2 0 .1" euler="10 20 30"/></body></body>"""
ARMS = "".join(
    ARM.format(n=n, y=y, z=z, kind="{kind}", free=FREE) for n, y, z in (("a", 0, 9), ("b", 0.1, 5))
)
LINKED = f"""
<mujoco><worldbody>{ARMS}
  <body name="f" pos="1 0 1"><freejoint/><geom size=".1" {FREE}/>
    <inertial pos=".01 .02 .03" mass="2" diaginertia=".02 .03 .04" euler="20 30 40"/></body>
  <body name="m" mocap="true" pos="0 0 .5"><geom size=".1" {FREE}/></body></worldbody>
  <equality>{{equality}}</equality></mujoco>"""
EQUALITIES = {
    "connect to the world": '<connect body1="a" anchor=".1 .2 .3"/>',
    "connect bodies": '<connect body1="a" body2="b" anchor=".1 .2 .3"/>',
    "connect sites": '<connect site1="as" site2="bs"/>',
    "weld to the world": '<weld body1="a" torquescale=".7"/>',
    "weld bodies": '<weld body1="a" body2="b" anchor=".1 .2 .3"/>',
    "weld a free body": '<weld body1="a" body2="f" relpose=".1 .2 .3 .4 .3 .2 .1" torquescale="2"/>',
    "weld sites": '<weld site1="as" site2="bs"/>',
    "several": '<weld body1="m" body2="f"/><joint joint1="a1" joint2="b1"/>'
    '<connect body1="a" body2="m" anchor="0 .1 0"/>',
}
BALLS = "".join(
    f'<body pos="{0.23 * k} {0.1 * (k % 2)} {0.12 + 0.03 * k}"><freejoint/>'
    f'<geom name="{"pqrst"[k]}1" type="{"capsule" if k % 2 else "sphere"}" size=".1 .1" {{other}}/></body>'
    for k in range(5)
)
FLOOR = f"""
<mujoco><option cone="{{cone}}" o_margin=".1"><flag override="{{override}}"/></option>
  <worldbody><geom name="p" type="plane" size="5 5 1" {{first}}/>{BALLS}</worldbody>
  <contact>{{pair}}</contact></mujoco>"""
MARGINS = {
    "margins": {"first": 'margin=".05"', "other": 'margin=".03"'},
    "margins and gaps": {"first": 'margin=".05" gap=".02"', "other": 'margin=".03" gap=".01"'},
    "gaps": {"first": 'gap=".2"', "other": 'gap=".1"'},
    "a pair": {"pair": '<pair geom1="p" geom2="p1" margin=".1" gap=".3" condim="3"/>'},
    "override": {"first": 'margin=".05" gap=".02"', "other": 'margin=".5"', "override": "enable"},
}
SWARM = "".join(
    f'<body pos="{0.22 * (k % 8)} {0.22 * (k // 8)} {0.15 + 0.02 * (k % 3)}"><freejoint/>'
    f'<geom size=".1" margin=".0{1 + k % 5}" gap=".0{k % 4}"/></body>'
    for k in range(56)
)
MOCAP = """
<mujoco><worldbody><geom type="plane" size="5 5 1"/>
  <body mocap="true" pos="0 0 .1"><geom size=".2"/>
    <body pos=".2 0 0"><joint axis="0 1 0"/><geom pos=".1 0 .1" size=".15"/>
      <body pos=".2 0 0"><joint axis="0 0 1"/><geom pos=".1 .02 0" size=".12"/></body></body>
    <body pos="0 .1 0"><geom size=".1"/></body></body>
  <body mocap="true" pos=".1 0 .2"><geom size=".2"/></body>
  <body pos="0 0 .3"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
STEPPED = f"""
<mujoco><option integrator="{{integrator}}" timestep=".01" {{medium}}/><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" actuatorfrcrange="-.5 .5"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0" {FREE}/>
    <body pos=".4 0 0"><joint name="b" axis="0 0 1" actuatorfrcrange="-2 2" damping=".1"/>
      <geom type="capsule" size=".04" fromto="0 0 0 .3 .1 0" {FREE}/>
      <body pos=".3 0 0"><joint name="c" type="slide"/><geom size=".05" {FREE}/></body></body></body>
  <body pos="1 0 1"><freejoint/><geom type="box" size=".1 .05 .02" {FREE}/>
      <geom pos=".1 .1 0" size=".05" {FREE}/></body>
  <body pos="1 1 1"><joint type="ball" damping=".1"/>
      <geom type="box" size=".1 .05 .02" pos=".1 0 0" {FREE}/></body>
  <body pos="1 0 2"><freejoint/><geom size=".1" {FREE}/></body>
  <body pos="3 0 1"><freejoint/><geom type="box" size=".1 .05 .02" {FREE}/>
    <body pos=".2 0 0"><joint axis="0 0 1"/><geom size=".05" mass=".3" {FREE}/></body></body></worldbody>
  <actuator><velocity joint="a" kv="3" forcerange="-1 1"/><velocity joint="b" kv="3"/>
      <position joint="b" kp="3" kv="2" gear="2"/>
    <general joint="a" gaintype="affine" gainprm="1 0 -2" biastype="affine" biasprm="0 -1 -1"
      dyntype="filter" dynprm=".1"
             actearly="true" forcerange="-2 2"/><velocity joint="c" kv="3"/></actuator></mujoco>"""
MEASURED = """
<mujoco><worldbody><site name="w" euler="10 20 30"/>
  <body name="still" pos="0 0 1" euler="30 0 0"><geom size=".1"/><site name="ws"/>
    <body pos="0 0 .2"><joint axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
      <site name="s" pos=".1 0 0" euler="3 4 5"/>
      <body name="e" pos=".4 0 0"><joint axis="0 0 1"/><geom size=".05" pos=".1 0 0"/>
      <site name="es" pos=".05 0 0"/></body></body></body>
  <body name="m" mocap="true"><geom size=".01" contype="0" conaffinity="0"/><site name="ms" euler="20 0 0"/>
      </body></worldbody>
  <equality><weld body1="e" body2="m" torquescale=".5"/></equality>
  <sensor><accelerometer site="w"/><accelerometer site="ws"/><accelerometer site="ms"/>
      <accelerometer site="s"/>
    <framelinacc objtype="site" objname="w"/><framelinacc objtype="body" objname="still"/>
      <framelinacc objtype="xbody" objname="m"/>
    <force site="s"/><torque site="s"/><force site="es"/><torque site="es"/><force site="ws"/>
      <torque site="ws"/></sensor></mujoco>"""
PULLED = """
<mujoco><worldbody><site name="w" pos="0 .1 2"/>
  <body pos="0 0 1"><geom size=".1"/>
    <body pos="0 0 .2"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/>
      <site name="s" pos=".1 0 0" euler="3 4 5"/>
      <body pos=".4 0 0"><joint axis="0 0 1"/><geom name="g" type="cylinder" size=".05 .1" pos=".1 0 0"/>
        <site name="es" pos=".05 0 .1"/>
        <body pos=".2 0 .1"><joint type="ball"/><geom size=".03" pos=".1 0 0"/>
          <site name="last" pos=".1 .02 0"/>
  </body></body></body></body></worldbody>
  <tendon>
    <spatial name="a" stiffness="100" damping="3" springlength=".1" frictionloss=".7">
      <site site="w"/><site site="es"/></spatial>
    <spatial name="b" limited="true" range=".2 .5"><site site="w"/><site site="s"/><pulley divisor="2"/>
      <site site="s"/><geom geom="g"/><site site="last"/></spatial>
    <spatial name="c" limited="true" range="2 3"><site site="w"/><site site="last"/></spatial>
    <fixed name="f"><joint joint="j" coef="2"/></fixed></tendon>
  <equality><tendon tendon1="a" tendon2="b" polycoef="0 .5 .3 0 0"/></equality>
  <actuator><motor tendon="a" gear="2"/><position tendon="c" kp="5"/><motor tendon="f"/></actuator>
  <sensor><force site="s"/><torque site="s"/><force site="es"/><torque site="es"/><force site="last"/>
    <torque site="last"/></sensor></mujoco>"""
ACTUATED = """
<mujoco><default>{defaults}</default><worldbody><body><joint name="a" axis="0 1 0"/>
      <geom size=".1" pos=".2 0 0"/>
  <body pos=".4 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="2"/></fixed></tendon>
  <actuator><position joint="a" {c}/><position tendon="t" kp="9" {c}/><velocity joint="b" {c}/>
      <motor joint="a" {c}/>
    <intvelocity tendon="t" actrange="-1 1" {c}/><damper joint="b" ctrlrange="0 1" {c}/>
      <cylinder joint="a" {c}/>
    <muscle joint="a" lengthrange="0 1" {c}/><position tendon="t" dampratio="1" {c}/></actuator></mujoco>"""
DEFAULTS = {
    "position": '<position kp="5" kv="2" gear="3" ctrlrange="-1 1"/>',
    "general": '<general gainprm="7 8 9" biasprm="1 2 -3" dyntype="filter" dynprm="4 5" biastype="affine"/>',
    "position, then general": '<position kp="5" kv="2"/><general gainprm="9"/>',
    "general around position": '<general gainprm="7"/><default class="c"><position kv="4"/></default>',
    "velocity around both": '<velocity kv="7"/><default class="c"><position kv="4"/>'
    '<velocity gear="3"/></default>',
    "ratio": '<position kp="5" dampratio="1"/>',
    "damper": '<damper kv="3" ctrlrange="0 2"/>',
    "cylinder": '<cylinder area="2" bias="1 2 3" timeconst=".5"/>',
    "muscle": '<muscle force="30" lmin=".3" timeconst=".2 .3"/>',
    "filter": '<position kp="5" timeconst=".1"/>',
}

SIDE = """
<mujoco><worldbody><body><joint type="ball"/><joint type="slide" axis="1 .3 .2"/>
    <geom name="c" type="{shape}" size=".1 .3" {free}/><site name="a" pos=".2 .1 -.1"/>
      <site name="b" pos="-.1 .05 .02"/><site name="c" pos="0 -.3 .1"/></body>
  <body pos="0 .05 .3"><freejoint/><geom size=".05" {free}/><site name="p"/></body>
  <body pos=".1 0 -.3"><freejoint/><geom size=".05" {free}/><site name="q"/></body></worldbody>
  <tendon>{tendons}</tendon></mujoco>"""
AROUND = "".join(
    f'<spatial stiffness="30"><site site="p"/><geom geom="c" sidesite="{site}"/><site site="q"/></spatial>'
    for site in "abc"
)
LEAF = f"""
<mujoco><option integrator="{{integrator}}" density="1.2" viscosity="2e-5" wind=".1 .2 0"/><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="ellipsoid" size=".025 .01 .002" mass="1e-4" fluidshape="ellipsoid"
      pos=".02 0 0" {FREE}/><geom type="capsule" size=".003 .01" mass="1e-4" fluidshape="ellipsoid" {FREE}
      fluidcoef=".5 .2 1 2 1"/></body></worldbody></mujoco>"""

ROPE = f"""
<mujoco><option integrator="{{integrator}}"/><worldbody><flexcomp name="r" type="grid" dim="1" count="4 1 1"
  spacing=".1 .1 .1" radius=".01" mass=".1"><edge stiffness="100" damping="3"/><contact {FREE}
  selfcollide="none"/></flexcomp></worldbody></mujoco>"""


def models() -> dict[str, str]:
    """The models by name."""
    found = {}
    for name, equality in EQUALITIES.items():
        for kind in ("hinge", "ball"):
            found[f"{name}, {kind}"] = LINKED.format(equality=equality, kind=kind)
    for name, given in MARGINS.items():
        for cone in ("pyramidal", "elliptic"):
            given = {"first": "", "other": "", "pair": "", "override": "disable"} | given
            found[f"{name}, {cone}"] = FLOOR.format(cone=cone, **given)
    found["many margins"] = (
        f'<mujoco><worldbody><geom type="plane" size="5 5 1" gap=".02"/>{SWARM}</worldbody></mujoco>'
    )
    found["mocap bodies"] = MOCAP
    for integrator in ("RK4", "implicit", "implicitfast"):
        for name, medium in (("", ""), (" in a medium", 'density="1.2" viscosity=".01" wind="1 2 3"')):
            found[integrator + name] = STEPPED.format(integrator=integrator, medium=medium)
    for shape in ("sphere", "cylinder"):
        found[f"side sites of a {shape}"] = SIDE.format(shape=shape, free=FREE, tendons=AROUND)
    for integrator in ("Euler", "implicitfast"):
        found[f"a leaf, {integrator}"] = LEAF.format(integrator=integrator)
    for integrator in ("implicit", "implicitfast"):
        found[f"a rope, {integrator}"] = ROPE.format(integrator=integrator)
    found["sensors"] = MEASURED
    found["sensors of tendons"] = PULLED
    for name, defaults in DEFAULTS.items():
        chosen = 'class="c"' if "class" in defaults else ""
        found[f"defaults of {name}"] = ACTUATED.format(defaults=defaults, c=chosen)
    return found
