"""Random models with delays, about which MuJoCo 4.0 was asked: `document(seed)`."""

from __future__ import annotations

from random import Random

KEPT = 16
"""Number of models of which the facts are kept."""
STEPS = 40
STEP = 0.004
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")
WORLD = """
  <worldbody><geom name="floor" type="plane" size="2 2 1" pos="0 0 -.35"/>
    <site name="w" pos="0 0 1" euler="20 30 40"/>
    <body name="p" pos="0 0 0">
      <joint name="a" axis="0 1 0" damping=".05" armature=".1" range="-30 40" limited="true"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0" {apart}/>
      <body name="q" pos=".4 0 0"><joint name="b" axis="0 1 .3" armature=".1" stiffness="2"/>
        <geom name="tip" size=".06" pos=".2 0 0" {apart}/>
        <site name="s" size=".1" pos=".2 0 0" euler="5 10 15"/>
        <body name="r" pos=".2 .1 0"><joint name="d" type="ball" armature=".1"/>
          <geom type="box" size=".1 .05 .03" pos=".1 0 0" {apart}/><site name="e" pos=".1 0 0"/></body></body>
    </body>
    <body name="c" pos="1 0 .2"><freejoint name="f"/>
      <geom size=".1" {apart}/><site name="z" size=".2"/></body>
  </worldbody>
  <tendon>
    <fixed name="t" limited="true" range="-.2 .2">
      <joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed>
    <spatial name="l"><site site="w"/><site site="s"/></spatial></tendon>"""
TARGETS = ('joint="a"', 'joint="b" gear="3"', 'tendon="t"', 'tendon="l"', 'joint="d" gear="0 1 0"')
ACTUATORS = (
    *("motor", 'motor ctrlrange="-1 1"', 'position kp="20" kv="1"', 'intvelocity kp="30" actrange="-1 1"'),
    *('general dyntype="filter" dynprm=".02" gainprm="3" actearly="true"', "pid", "dcmotor"),
    *(
        'general dyntype="filterexact" dynprm=".02" gainprm="3" biastype="affine" biasprm="0 -3 -.1"',
        "velocity",
    ),
)
SENSORS = (
    *('jointpos joint="a"', 'jointvel joint="b" cutoff=".5"', 'ballquat joint="d"', 'ballangvel joint="d"'),
    *(
        'tendonpos tendon="l"',
        'tendonvel tendon="t"',
        'actuatorpos actuator="u0"',
        'actuatorvel actuator="u0"',
    ),
    *('actuatorfrc actuator="u0"', 'jointactuatorfrc joint="a"', 'jointlimitpos joint="a"', "clock"),
    *('jointlimitvel joint="a"', 'jointlimitfrc joint="a"', 'tendonlimitfrc tendon="t"', 'touch site="z"'),
    *('framepos objtype="site" objname="e"', 'framequat objtype="body" objname="r"', 'gyro site="e"'),
    *(
        'framelinvel objtype="site" objname="s" reftype="body" refname="c" cutoff=".3"',
        'velocimeter site="e"',
    ),
    *('framelinacc objtype="body" objname="q"', 'accelerometer site="e" cutoff="4"', 'force site="e"'),
    *('torque site="s"', 'magnetometer site="e"', 'rangefinder site="z"', 'subtreecom body="p"'),
    *('subtreelinvel body="p"', 'subtreeangmom body="c"', 'distance geom1="tip" geom2="floor" cutoff="3"'),
    *('contact geom1="floor" data="found force" num="2"', "e_potential", "e_kinetic"),
)


def integrator(seed: int) -> str:
    return INTEGRATORS[seed % len(INTEGRATORS)]


def document(seed: int) -> str:
    """A model with up to five actuators and up to twelve sensors, of which most have delays or intervals."""
    draw = Random(seed)
    actuators = "".join(_actuator(draw, k) for k in range(draw.randint(1, 5)))
    kinds = draw.sample(SENSORS, draw.randint(3, 12))
    sensors = "".join(f"<{kind} {_measured(draw)}/>" for kind in kinds)
    apart = 'contype="0" conaffinity="0"' if draw.random() < 0.3 else ""
    flags = "".join(
        f' {name}="disable"' for name in ("contact", "limit", "clampctrl") if draw.random() < 0.15
    )
    option = f'<option integrator="{integrator(seed)}" timestep="{STEP}"><flag{flags}/></option>'
    size = '<default><general nsample="2" interp="linear"/></default>' if draw.random() < 0.2 else ""
    return (
        f"<mujoco>{option}{size}{WORLD.format(apart=apart)}<actuator>{actuators}</actuator>"
        f"<sensor>{sensors}</sensor></mujoco>"
    )


def _past(draw: Random, span: float) -> str:
    """Attributes of samples that are `span` apart."""
    count = draw.choice((1, 1, 2, 3, 4, 7, 12))
    delay = draw.choice(
        (0, span * count, span * draw.randint(1, count), round(draw.uniform(0, 1.2) * span * count, 5))
    )
    interp = draw.choice(("", 'interp="zoh"', 'interp="linear"', 'interp="cubic"'))
    return f'nsample="{count}" {interp} delay="{delay:.6g}"'


def _actuator(draw: Random, k: int) -> str:
    kind, target = draw.choice(ACTUATORS), draw.choice(TARGETS)
    if kind == "pid":
        kind = f'pid kp="9" kv=".3" input="{draw.choice(("pos", "pos vel", "pos vel ff"))}"'
        kind += draw.choice(("", ' ki="2"', ' slewmax="3"'))
    elif kind == "dcmotor":
        given = draw.choice(("voltage", "pos vel", "vel ff"))
        kind = f'dcmotor motorconst=".3" resistance="2" input="{given}"'
        kind += draw.choice(("", ' inductance="0 .01"')) + (
            ' controller="2 0 .2"' if given != "voltage" else ""
        )
    return f'<{kind} name="u{k}" {target} {_past(draw, STEP) if draw.random() < 0.8 else ""}/>'


def _measured(draw: Random) -> str:
    if draw.random() < 0.15:
        return ""
    if draw.random() < 0.4:
        return _past(draw, STEP)
    interval = round(draw.choice((2 * STEP, 3 * STEP, draw.uniform(0.5, 6) * STEP)), 5)
    phase = draw.choice(("", f" {-round(draw.uniform(0, 0.99) * interval, 5)}"))
    return f'{_past(draw, interval)} interval="{interval}{phase}"'
