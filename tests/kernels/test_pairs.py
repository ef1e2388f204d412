"""Two cases side by side give the results of each alone; code without a version for pairs is rejected."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.codegen.physics.spatial import VALUES
from polybody.codegen.staging.emit import Emit, Library
from polybody.codegen.staging.pairs import PairRenderer, pair_helpers, pair_struct, within
from polybody.codegen.staging.scalars import sqrt
from polybody.generated.kernels import dynamics

from tests.moving.workshop import put, state

TEXT = """
<mujoco>
  <option><flag constraint="disable"/></option>
  <default><geom size="0.1" density="300"/></default>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom/><site name="s" pos=".1 0 0"/>
      <body pos=".3 0 0"><joint type="ball" stiffness="3"/><geom type="box" size=".1 .2 .05"/>
        <body pos=".2 .1 0"><joint axis="1 2 0"/><joint axis="0 1 1" pos=".05 0 0"/>
          <geom type="capsule" size=".05 .2"/>
          <site name="t" pos="0 .1 0"/>
        </body>
      </body>
      <body pos="-.3 0 0"><joint type="slide" axis="0 1 1" stiffness="7"/><geom/></body>
    </body>
  </worldbody>
  <sensor>
    <accelerometer site="s"/><force site="t"/><torque site="t"/><frameangacc objtype="site" objname="t"/>
  </sensor>
</mujoco>
"""


def measuring() -> pb.Model:
    """A tree with every kind of joint and sensors of accelerations."""
    return pb.lower(pb.read("m.xml", text=TEXT, format="mjcf"))


@pytest.mark.parametrize("seed", range(4))
def test_both_solutions_of_a_step(seed: int) -> None:
    """Sensors measure qacc without implicit damping, the step uses accelerations with it."""
    model = measuring()
    model = model.replace(dof_damping=np.random.default_rng(seed).uniform(0, 30, model.nv))
    assert model.opt_measures == 2
    measured, stepped, alone = (pb.Data(model) for _ in range(3))
    for data in (measured, stepped, alone):
        put(data, state(model, seed))
    pb.forward(model, measured)
    pb.step(model, stepped)
    unmeasured = model.replace(opt_disableflags=int(model.opt_disableflags) | 1 << 12)
    assert unmeasured.opt_measures == 0
    plain = pb.Data(unmeasured)
    put(plain, state(model, seed))
    pb.step(unmeasured, plain)
    late = (plain.qvel - measured.qvel) / model.opt.timestep
    scale = np.abs(late).max()
    assert np.abs(stepped.qvel - plain.qvel).max() < 1e-11 * scale * model.opt.timestep
    assert np.abs(measured.qacc - late).max() > 1e-3 * scale
    for data in (stepped, plain):
        assert np.abs(data.qacc - measured.qacc).max() < 1e-11 * np.abs(measured.qacc).max()
    size = np.abs(measured.sensordata).max()
    assert np.abs(stepped.sensordata - measured.sensordata).max() < 1e-11 * size


def test_memory_for_pairs_is_there_where_it_is_used() -> None:
    model = measuring().replace(dof_damping=np.ones(measuring().nv))
    assert len(pb.Data(model).kernel.arrays["pair_link"]) == model.njnt + 1
    still = model.replace(dof_damping=np.zeros(model.nv))
    assert len(pb.Data(still).kernel.arrays["pair_link"]) == 0
    assert isinstance(pb.Data(still).kernel, dynamics.KernelData)


def test_an_operation_without_a_text_for_pairs_is_refused() -> None:
    machine = Emit([], Library())
    x = machine.graph.param("x", "real")
    machine.put("return", node=sqrt(x))
    renderer = PairRenderer(lambda column, row: column, frozenset(), frozenset())
    with pytest.raises(TypeError, match="sqrt is not made for pairs"):
        renderer.function(machine.top)


def test_values_of_pairs_come_after_their_parts() -> None:
    order = within({VALUES["Articulated"]: None, VALUES["Force"]: None, "real": None})
    for place, value in enumerate(order):
        parts: list[Any] = [part for part in value.types.values() if part]
        assert all(order.index(part) < place for part in parts)
    struct, spread, first = pair_struct(VALUES["Vec3"])
    assert struct == "typedef struct { Twin x; Twin y; Twin z; } TwinVec3;"
    assert "both_real(x.x)" in spread
    assert "first_real(x.z)" in first
    assert pair_helpers({}) == ([], {})
