"""Random models in which springs, dampers or both are disabled, with a medium and gravity compensation."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # asked.py runs in another environment

from tests.moving.newest_passive.models import Newest

SEEDS = range(12)
STATES = 2
FLAGS = ('spring="disable"', 'damper="disable"', 'spring="disable" damper="disable"')
INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")
ROPE = """
<mujoco><option integrator="{integrator}" viscosity=".3">
  <flag contact="disable" energy="enable" {flags}/></option>
  <worldbody><body name="a" pos="0 0 1" gravcomp=".4">
    <joint type="slide" axis="1 0 0" stiffness="3" damping=".2"/><geom size=".02" mass=".1"/></body>
    <body name="b" pos=".2 .1 1"><joint type="ball" damping=".01" stiffness=".1"/>
      <geom size=".02" pos=".1 0 0" mass=".1"/></body>
    <body name="c" pos=".3 0 1.2"><freejoint/><geom size=".02" mass=".1"/></body></worldbody>
  <deformable><flex name="f" dim="1" body="a b c" element="0 1 1 2"><edge stiffness="9" damping=".3"/></flex>
  </deformable>
</mujoco>"""


class Switched(Newest):
    """Writes documents with one of the flags."""

    def option(self) -> str:
        words = f' integrator="{self.pick(list(INTEGRATORS))}" timestep="{self.pick([".001", ".004"])}"'
        words += self.maybe(0.5, "viscosity", self.between(0, 2))
        words += self.maybe(0.5, "density", self.between(0, 9))
        flags = f'contact="disable" energy="enable" {self.pick(list(FLAGS))}'
        flags += self.maybe(0.2, "eulerdamp", "disable") + self.maybe(0.2, "constraint", "disable")
        return f"<option{words}><flag {flags}/></option>"

    def body(self, depth: int) -> str:
        head, _, tail = super().body(depth).partition(">")
        own = "" if "gravcomp" in head else self.maybe(0.5, "gravcomp", self.between(0, 2))
        return f"{head}{own}>{tail}"


def document(seed: int) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    writer = Switched(rng, ("sphere", "capsule", "ellipsoid", "box"), int(rng.choice([1, 2, 4, 8])))
    return writer.document()


def models() -> dict[str, str]:
    """All of them by name."""
    found = {f"random {seed}": document(seed) for seed in SEEDS}
    for flags in FLAGS:
        for integrator in INTEGRATORS:
            found[f"rope {integrator} {flags.replace(chr(34), '')}"] = ROPE.format(
                integrator=integrator, flags=flags
            )
    return found
