"""Ranges of actuator lengths found by simulation, compared with MuJoCo's."""

import mujoco
import numpy as np
import polybody as pb
import pytest

ARM = """<mujoco><compiler><lengthrange {}/></compiler><option integrator="{}"/><worldbody>
<site name="wall" pos="0 .1 1.2"/><geom type="plane" size="1 1 1" pos="0 0 .5"/>
<body pos="0 0 1">
 <joint name="shoulder" axis="0 1 0" range="-60 40" damping=".1" frictionloss=".1" stiffness="3"/>
 <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/><site name="upper" pos=".1 0 .04"/>
 <body pos=".3 0 0"><joint name="elbow" axis="0 1 0" range="0 100" limited="{}" armature=".01"/>
  <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/><site name="fore" pos=".1 0 .04"/></body></body>
</worldbody>
<tendon><spatial name="long"><site site="wall"/><site site="upper"/><site site="fore"/></spatial></tendon>
<actuator><muscle name="pull" tendon="long"/><motor name="drive" joint="shoulder" gear="-2"/>
<muscle name="limited" joint="shoulder" gear="3"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("how", "integrator"),
    [
        ("", "Euler"),
        ('timestep=".005" inttotal="6" interval="1" accel="40"', "implicitfast"),
        ('mode="all" uselimit="true" maxforce="2" timeconst=".5"', "Euler"),
        ('mode="all" timestep="0" inttotal="5"', "RK4"),
    ],
)
def test_ranges_are_mujocos(how: str, integrator: str) -> None:
    text = ARM.format(how, integrator, "true")
    ours = pb.lower(pb.read("arm.xml", text=text, policy="warn"))
    theirs = mujoco.MjModel.from_xml_string(text)
    assert theirs.actuator_lengthrange[0, 1] > theirs.actuator_lengthrange[0, 0]
    assert np.abs(ours.actuator_lengthrange - theirs.actuator_lengthrange).max() < 1e-9
    pb.step(ours, pb.Data(ours))


def test_a_length_that_does_not_settle_is_reported_with_its_line() -> None:
    text = ARM.format('mode="all"', "Euler", "true").replace('range="-60 40"', "")
    with pytest.raises(ValueError, match="Lengthrange computation did not converge"):
        mujoco.MjModel.from_xml_string(text)
    with pytest.raises(pb.ValidationError) as raised:
        pb.lower(pb.read("arm.xml", text=text, policy="warn"))
    (found,) = [each for each in raised.value.diagnostics if "drive" in each.message]
    assert found.line == 10
    assert "does not settle" in found.message
    assert "give `lengthrange`" in found.message
