"""Random models with springs that yield, about which MuJoCo 4.0 was asked."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # asked.py runs in another environment

from tests.moving.newest_passive.models import Newest

SEEDS = (1, 2, 3, 5, 7, 9, 11, 12, 15, 17, 20, 26)
STATES = 2
STEPS = 4
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")
SMALL = """
<mujoco><compiler angle="radian"/>
  <option integrator="{integrator}" timestep=".01"><flag energy="enable"/></option>
  <worldbody><site name="w" pos=".3 .2 .5"/><body>
    <joint name="h" axis="0 1 0" stiffness="3 1" springyield=".2" springref=".3"/>
    <geom size=".1" pos=".1 0 0" mass="1" contype="0"/>
    <body pos=".2 0 0">
      <joint name="s" type="slide" axis="0 .6 .8" stiffness="20" damping=".3" springyield=".05"/>
      <geom size=".1" pos=".1 0 0" mass="1" contype="0"/>
      <body pos=".1 .1 .1"><joint name="b" type="ball" stiffness="2 1 .5" springyield=".3"/>
        <geom type="box" size=".05 .1 .07" contype="0"/><site name="e" pos=".2 0 .1"/></body></body></body>
  </worldbody>
  <tendon><fixed name="f" stiffness="3" springyield=".2" springlength="0 .3">
      <joint joint="h" coef="1"/><joint joint="s" coef=".5"/></fixed>
    <spatial name="t" stiffness="9 3" springyield=".03"><site site="w"/><site site="e"/></spatial></tendon>
  <keyframe><key/><key plastic="1"/><key plastic="1 2 0 3 0 4 .5 .6 .1 .2" qpos=".1 .2 1 0 0 0"/></keyframe>
</mujoco>"""


class Yielding(Newest):
    """Writes documents in which springs yield."""

    def joint(self, kind: str) -> str:
        head = super().joint(kind).removesuffix("/>")
        words = self.maybe(0.7, "springyield", self.between(0, 15 if kind != "slide" else 0.2))
        if kind == "hinge" and "springref" not in head:
            words += self.maybe(0.3, "springref", self.between(-20, 20))
        return head + ("" if kind == "free" or "freejoint" in head else words) + "/>"

    def tendon(self) -> str:
        written = super().tendon()
        word = self.maybe(0.7, "springyield", self.between(0, 0.1))
        return written.replace("<fixed ", f"<fixed {word} ").replace("<spatial ", f"<spatial {word} ")

    def option(self) -> str:
        words = f' integrator="{self.pick(list(INTEGRATORS))}" timestep="{self.pick([".002", ".008"])}"'
        flags = 'contact="disable" energy="enable"'
        flags += self.maybe(0.2, "spring", "disable") + self.maybe(0.2, "constraint", "disable")
        return f"<option{words}><flag {flags}/></option>"


def document(seed: int) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    writer = Yielding(rng, ("sphere", "capsule", "ellipsoid", "box"), int(rng.choice([2, 4, 8])))
    return writer.document()


def models() -> dict[str, str]:
    """All of them by name."""
    found = {f"random {seed}": document(seed) for seed in SEEDS}
    return found | {f"small {name}": SMALL.format(integrator=name) for name in INTEGRATORS}
