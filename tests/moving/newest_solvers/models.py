"""The models whose solves MuJoCo 4.0 was asked for. It imports nothing, so that any environment runs it."""

from __future__ import annotations

STATES = 5
"""Number of states of each scene. The first one is at qpos0 without a warm start; the last one is the one
before, with its solution as the warm start.
"""
BALLS = "".join(
    f'<body pos="{x} {y} {z}"><freejoint/><geom size=".1" friction="{0.3 + 0.2 * k}" condim="{dim}"/></body>'
    for k, (x, y, z, dim) in enumerate(
        [(0, 0, 0.09, 3), (0.19, 0, 0.1, 3), (0.6, 0, 0.099, 4), (1, 0.1, 0.3, 3), (1.1, 0.25, 0.1, 6)]
    )
)
PENDULUM = """
<body name="p{k}" pos="{k} 2 1"><joint name="j{k}" axis="0 1 0" damping=".1" {more}/>
  <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3" contype="0" conaffinity="0"/>
  <body pos="0 0 -.3"><joint axis="1 0 0" {more}/><geom size=".06" contype="0" conaffinity="0"/>
  <site name="s{k}" pos="0 0 -.3"/></body></body>"""
PENDULUMS = "".join(
    PENDULUM.format(k=k, more=("", 'frictionloss=".5"', 'range="10 30"')[k % 3]) for k in range(7)
)
SCENE = f"""
<mujoco><compiler autolimits="true"/><option {{option}}><flag island="{{island}}"/></option><worldbody>
  <geom type="plane" size="5 5 1"/>{BALLS}{PENDULUMS}</worldbody>
  <tendon><spatial limited="true" range="0 .6"><site site="s0"/><site site="s1"/></spatial>
    <fixed frictionloss=".3"><joint joint="j2" coef="1"/><joint joint="j3" coef="2"/></fixed></tendon>
  <equality><joint joint1="j4" joint2="j5" polycoef="0 .5 .1 0 0"/>
    <connect body1="p6" body2="p5" anchor="0 0 -.1" active="{{active}}"/></equality></mujoco>"""
ARM = """
<mujoco><compiler autolimits="true"/><option {option}/><worldbody><geom type="plane" size="5 5 1"/>
  <body pos="0 0 .2"><freejoint/><geom size=".1"/>
    <body pos=".2 0 0"><joint name="a" axis="0 1 0" range="-20 20" frictionloss=".2"/>
        <geom size=".1" pos=".1 0 -.1"/>
      <body pos=".3 0 0"><joint name="b" type="ball" range="0 30"/>
        <geom size=".1" pos=".1 0 -.12"/></body></body>
    <body pos="-.2 0 0"><joint axis="0 1 0" range="-20 20"/><geom size=".1" pos="-.1 0 -.1"/></body></body>
  </worldbody></mujoco>"""
SOLVERS = ("Newton", "CG", "PGS")
CONES = ("pyramidal", "elliptic")
OPTIONS = {
    "": "",
    "few": 'iterations="2" ls_iterations="8"',
    "noslip": 'noslip_iterations="3"',
    "loose": 'tolerance="1e-4"',
    "sparse": 'jacobian="sparse"',
    "RK4": 'integrator="RK4" iterations="3"',
}


def models() -> dict[str, str]:
    """Documents by name."""
    found = {}
    for solver in SOLVERS:
        for cone in CONES:
            for word, more in OPTIONS.items():
                option = f'solver="{solver}" cone="{cone}" {more}'
                name = f"{solver}, {cone} {word}".strip()
                found[f"islands, {name}"] = SCENE.format(option=option, island="enable", active="true")
                if word in ("", "few", "RK4"):
                    found[f"one tree, {name}"] = ARM.format(option=option)
            option = f'solver="{solver}" cone="{cone}"'
            found[f"no islands, {solver}, {cone}"] = SCENE.format(
                option=option, island="disable", active="false"
            )
    return found
