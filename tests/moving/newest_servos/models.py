"""Random models with servos, about which MuJoCo 4.0 was asked: `document(seed)`."""

from __future__ import annotations

from random import Random

KEPT = 10
"""Number of models of which the facts are kept."""
LIMITED = (8, 9, 13, 22, 34, 56)
"""Models with servos that pull at the tendon, of which the facts with a limit of its forces are kept."""
STATES = 2
STEPS = 3
FREE = 'contype="0" conaffinity="0"'
WORLD = f"""
  <worldbody><site name="w" pos="0 0 1" euler="20 30 40"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".05" armature=".1" {{bounded}}/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0" {FREE}/>
      <body pos=".4 0 0"><joint name="b" axis="0 0 1" armature=".1"/>
        <geom type="capsule" size=".04" fromto="0 0 0 .3 .1 0" {FREE}/>
        <body pos=".3 0 0"><joint name="c" type="slide" axis="1 0 .2" armature="1"/><geom size=".05" {FREE}/>
          <body pos=".1 0 0"><joint name="d" type="ball" armature=".1"/>
            <geom type="box" size=".1 .05 .03" pos=".1 0 0" {FREE}/>
            <site name="s" pos=".1 0 0" euler="5 10 15"/></body></body></body></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="-.5"/></fixed></tendon>"""
JOINTS = ('joint="a"', 'joint="b" gear="3"', 'joint="c" gear="-2"', 'tendon="t"', 'tendon="t" gear="2"')
TURNS = (
    *('joint="d" gear="1 0 0"', 'joint="d" gear=".5 1 0"', 'site="s" refsite="w" gear="0 0 0 0 1 0"'),
    *('jointinparent="d" gear="0 0 2"', 'site="s" refsite="w" gear="1 0 0 0 0 0"'),
)


def document(seed: int) -> str:
    """A model with up to six servos, and other actuators between them."""
    draw = Random(seed)
    actuators = "".join(
        draw.choice((_pid, _pid, _motor, _motor, _other))(draw, k) for k in range(draw.randint(3, 7))
    )
    clamped = draw.choice(("enable", "enable", "disable"))
    off = f'actuatorgroupdisable="{draw.choice("13")}"' if draw.random() < 0.3 else ""
    options = (
        f'integrator="{draw.choice(("Euler", "implicit", "implicitfast", "RK4"))}" timestep=".002" {off}'
    )
    bounded = 'actuatorfrcrange="-2 2"' if draw.random() < 0.3 else ""
    sensors = "".join(
        f'<{kind} actuator="u{k}"/>'
        for k in range(3)
        for kind in ("actuatorpos", "actuatorvel", "actuatorfrc")
    )
    return (
        f'<mujoco><option {options}><flag clampctrl="{clamped}"/></option>'
        f"<default>{_classes(draw)}</default>{WORLD.format(bounded=bounded)}"
        f"<actuator>{actuators}</actuator><sensor>{sensors}</sensor></mujoco>"
    )


def limited(seed: int) -> str:
    """The same with a limit of the forces on the tendon."""
    return document(seed).replace('name="t"', 'name="t" actuatorfrclimited="true" actuatorfrcrange="-.6 .4"')


def texts(number: int) -> dict[str, str]:
    """Models by their names in the facts: the first ones, and those with a limit."""
    found = {str(seed): document(seed) for seed in range(number)}
    return found | {f"limited {seed}": limited(seed) for seed in LIMITED}


def _classes(draw: Random) -> str:
    return (
        f'<default class="p"><pid kp="{_r(draw, 5)}" kv="{_r(draw, 1)}" ki="{_r(draw, 3)}" input="pos ff"'
        f' posrange="-1 1"/></default>'
        f'<default class="m"><dcmotor motorconst=".3" resistance="2" cogging=".1 7 {_r(draw, 1)}"'
        f' lugre="20 .3 .1 .2 .05" inductance="0 .01" saturation="2"/></default>'
    )


def _r(draw: Random, most: float) -> float:
    return round(draw.uniform(0.05, most), 3)


def _target(draw: Random) -> str:
    return draw.choice(JOINTS if draw.random() < 0.7 else TURNS)


def _common(draw: Random, k: int) -> str:
    return f'name="u{k}" group="{draw.randint(0, 3)}"'


def _some(draw: Random, chance: float, text: str) -> str:
    return text if draw.random() < chance else ""


def _pid(draw: Random, k: int) -> str:
    target, controls = _target(draw), [w for w in ("pos", "vel", "ff") if draw.random() < 0.6]
    given = f'input="{" ".join(controls)}"' if controls else ""
    stateful = not controls or "pos" in controls
    parts = (
        _some(draw, 0.7, f'kp="{_r(draw, 20)}"'),
        draw.choice(("", f'kv="{_r(draw, 2)}"', f'dampratio="{_r(draw, 2)}"')),
        _some(draw, 0.5 * stateful, f'ki="{_r(draw, 9)}"'),
        _some(draw, 0.4 * stateful, f'imax="{_r(draw, 0.1)}"'),
        _some(draw, 0.4 * stateful, f'slewmax="{_r(draw, 50)}"'),
        _some(draw, 0.3, f'forcerange="-{_r(draw, 3)} {_r(draw, 3)}"'),
        _some(draw, 0.4, f'posrange="-{_r(draw, 1)} {_r(draw, 1)}"'),
        _some(draw, 0.4, f'velrange="-{_r(draw, 1)} {_r(draw, 1)}"'),
        _some(draw, 0.4, f'ffrange="-{_r(draw, 1)} {_r(draw, 1)}"'),
        _some(draw, 0.2 * stateful, 'class="p"'),
    )
    return f"<pid {_common(draw, k)} {target} {given} {' '.join(parts)}/>"


def _motor(draw: Random, k: int) -> str:
    target, controls = _target(draw), [w for w in ("pos", "vel", "ff", "voltage") if draw.random() < 0.4]
    if draw.random() < 0.1:
        controls = ["none"]
    given = f'input="{" ".join(controls)}"' if controls else ""
    regulated = bool(set(controls) & {"pos", "vel", "ff"})
    integral = _r(draw, 3) if "pos" in controls and draw.random() < 0.5 else 0
    slew = _r(draw, 40) if draw.random() < 0.5 else 0
    most, volts = (_r(draw, 0.1) if draw.random() < 0.5 else 0, _r(draw, 9) if draw.random() < 0.5 else 0)
    constant = draw.choice(
        (
            f'motorconst="{_r(draw, 1)}" resistance="{_r(draw, 5)}"',
            f'motorconst="{_r(draw, 1)} {_r(draw, 1)}" resistance="{_r(draw, 5)}"',
            f'nominal="12 {_r(draw, 5)} {_r(draw, 50)}"',
            f'nominal="12 {_r(draw, 5)} {_r(draw, 50)}" resistance="{_r(draw, 5)}"',
        )
    )
    torques = f"{_r(draw, 3)} 0 {_r(draw, 50)}", f"0 {_r(draw, 5)}"
    gains = f"{_r(draw, 9)} {integral} {_r(draw, 1)} {slew} {most} {volts}"
    friction = f"{_r(draw, 60)} {_r(draw, 0.5)} {_r(draw, 0.2)} {_r(draw, 0.4)} {_r(draw, 0.1)}"
    parts = (
        _some(draw, 0.8 * regulated, f'controller="{gains}"'),
        _some(draw, 0.4, draw.choice((f'inductance="{_r(draw, 0.1)}"', f'inductance="0 {_r(draw, 0.05)}"'))),
        _some(draw, 0.4, f'thermal="{_r(draw, 3)} {_r(draw, 9)} 0 .004 20 {_r(draw, 30)}"'),
        _some(draw, 0.4, f'saturation="{draw.choice(torques)}"'),
        _some(draw, 0.4, f'cogging="{_r(draw, 0.5)} {draw.randint(1, 9)} {_r(draw, 3)}"'),
        _some(draw, 0.4, f'lugre="{friction}"'),
        _some(draw, 0.4, f'ctrlrange="-{_r(draw, 1)} {_r(draw, 1)}"'),
        _some(draw, 0.2, 'class="m"'),
    )
    return f"<dcmotor {_common(draw, k)} {target} {given} {constant} {' '.join(parts)}/>"


def _other(draw: Random, k: int) -> str:
    kind = draw.choice(
        (
            *('motor ctrlrange="-1 1"', f'position kp="{_r(draw, 5)}" kv=".1"', 'velocity kv="1.3"'),
            'general dyntype="filter" dynprm=".2" gainprm="3" biastype="affine" biasprm="0 -3 -.1"',
            *('intvelocity kp="3" actrange="-2 2"', 'position kp="4" timeconst=".1" forcerange="-1 1"'),
            'general gaintype="pid" biastype="affine" dyntype="pid" gainprm="2" dynprm=".1 3"'
            ' biasprm=".1 -3 -1" input="pos" actearly="true" actrange="-.2 .2"',
        )
    )
    return f"<{kind} {_common(draw, k)} {_target(draw)}/>"
