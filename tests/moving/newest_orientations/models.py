"""Random models with orientation servos, about which MuJoCo 4.0 was asked: `document(seed)`."""

from __future__ import annotations

from random import Random

KEPT = 12
"""Number of models of which the facts are kept."""
STATES = 2
STEPS = 3
FREE = 'contype="0" conaffinity="0"'
WORLD = f"""
  <worldbody><site name="w" pos="0 0 1" euler="20 30 40"/>
    <body pos="0 0 1"><joint name="a" axis="0 1 0" damping=".05" armature=".1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .4 0 0" {FREE}/><site name="r" euler="10 50 -20"/>
      <body pos=".4 0 0"><joint name="b" type="ball" damping=".1" armature=".1"/>
        <geom type="box" size=".2 .05 .1" pos=".1 .1 0" {FREE}/>
        <body pos=".3 0 0"><joint name="c" type="slide" axis="1 0 .2" armature="1"/><geom size=".05" {FREE}/>
          <body pos=".1 0 0" euler="10 20 30"><joint name="d" type="ball" armature=".1"/>
            <geom type="box" size=".1 .05 .03" pos=".1 0 0" {FREE}/>
            <site name="s" pos=".1 0 0" euler="5 10 15"/></body></body></body></body>
    <body pos="1 0 1"><freejoint/><geom type="box" size=".1 .2 .3" {FREE}/>
      <site name="f" euler="1 2 3"/></body>
  </worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="c" coef="-.5"/></fixed></tendon>"""
TARGETS = (
    *('joint="b"', 'joint="d"', 'site="s" refsite="w"', 'site="s" refsite="r"', 'site="r" refsite="s"'),
    *('site="f" refsite="w"', 'site="f" refsite="s"', 'site="w" refsite="f"'),
)
OTHERS = (
    *('motor joint="a" ctrlrange="-1 1"', 'position joint="c" kp="3" kv=".1"', 'motor tendon="t"'),
    *('pid joint="a" kp="2" ki="1" input="pos ff"', 'position joint="b" gear="1 0 0" kp="3"'),
    'general joint="c" dyntype="filter" dynprm=".2" gainprm="3" biastype="affine" biasprm="0 -3 -.1"',
)
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")


def document(seed: int) -> str:
    """A model with up to six actuators."""
    draw = Random(seed)
    integrator = draw.choice(INTEGRATORS)
    limited = not integrator.startswith("implicit")  # whose derivatives at a limit depend on rounding
    count = draw.randint(3, 6)
    actuators = "".join(
        (_other if draw.random() < 0.3 else _servo if draw.random() < 0.5 else _general)(draw, k, limited)
        for k in range(count)
    )
    clamped = draw.choice(("enable", "enable", "disable"))
    off = f'actuatorgroupdisable="{draw.choice("13")}"' if draw.random() < 0.3 else ""
    sensors = "".join(
        f'<{kind} actuator="u{k}"{draw.choice(("", f" cutoff={QUOTE}.4{QUOTE}"))}/>'
        for k in range(count)
        for kind in ("actuatorpos", "actuatorvel", "actuatorfrc")
    )
    more = '<key time="1" ctrl="1 .5"/>' if draw.random() < 0.5 else ""
    return (
        f'<mujoco><option integrator="{integrator}" timestep=".002" {off}>'
        f'<flag clampctrl="{clamped}"/></option>'
        f"<default>{_classes(draw)}</default>{WORLD}<actuator>{actuators}</actuator>"
        f"<sensor>{sensors}</sensor><keyframe>{more}</keyframe></mujoco>"
    )


QUOTE = '"'


def _classes(draw: Random) -> str:
    return (
        f'<default class="o"><orientation kp="{_r(draw, 5)}" kv="{_r(draw, 1)}" input="quat"/></default>'
        f'<default class="g"><general gaintype="so3" biastype="so3" gainprm="4" biasprm="0 -4 -{_r(draw, 1)}"'
        ' dyntype="integrator" actearly="true"/></default>'
        f'<default class="p"><position kp="{_r(draw, 5)}"/></default>'
    )


def _r(draw: Random, most: float) -> float:
    return round(draw.uniform(0.05, most), 3)


def _some(draw: Random, chance: float, text: str) -> str:
    return text if draw.random() < chance else ""


def _common(draw: Random, k: int) -> str:
    return f'name="u{k}" group="{draw.randint(0, 3)}"'


def _servo(draw: Random, k: int, limited: bool) -> str:
    parts = (
        _some(draw, 0.7, f'kp="{_r(draw, 20)}"'),
        draw.choice(("", f'kv="{_r(draw, 2)}"', f'dampratio="{_r(draw, 2)}"')),
        _some(draw, 0.4, f'input="{draw.choice(("expmap", "quat"))}"'),
        _some(draw, 0.4 * limited, f'forcerange="0 {_r(draw, 9)}"'),
        _some(draw, 0.4, f'ctrlrange="-{_r(draw, 2)} {_r(draw, 2)}"'),
        _some(draw, 0.5, f'class="{draw.choice("ogp")}"'),
    )
    return f"<orientation {_common(draw, k)} {draw.choice(TARGETS)} {' '.join(parts)}/>"


def _general(draw: Random, k: int, limited: bool) -> str:
    if draw.random() < 0.2:
        return f'<general {_common(draw, k)} {draw.choice(TARGETS)} class="{draw.choice("og")}"/>'
    stiff, kept = _r(draw, 9), draw.random() < 0.6
    parts = (
        f'gainprm="{stiff}" biasprm="{_r(draw, 1)} -{stiff} {draw.choice((-_r(draw, 1), _r(draw, 2), 0))}"',
        'dyntype="integrator"' if kept else f'input="{draw.choice(("expmap", "quat"))}"',
        _some(draw, 0.5, f'actearly="{draw.choice(("true", "false"))}"'),
        _some(draw, 0.4 * kept, f'actrange="-{_r(draw, 2)} {_r(draw, 2)}"'),
        _some(draw, 0.4 * limited, f'forcerange="0 {_r(draw, 9)}"'),
        _some(draw, 0.3, f'ctrlrange="-{_r(draw, 2)} {_r(draw, 2)}"'),
        _some(draw, 0.2, 'gear="2 1 3"'),
    )
    types = 'gaintype="so3" biastype="so3"'
    return f"<general {_common(draw, k)} {draw.choice(TARGETS)} {types} {' '.join(parts)}/>"


def _other(draw: Random, k: int, limited: bool) -> str:
    return f"<{draw.choice(OTHERS)} {_common(draw, k)}/>"
