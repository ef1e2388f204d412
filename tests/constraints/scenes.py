"""Models with constraints of every kind."""

from __future__ import annotations

import polybody as pb

MIXED = """
<mujoco>
  <option timestep="0.004" cone="{cone}" solver="{solver}" integrator="{integrator}" impratio="{impratio}"
          noslip_iterations="{noslip}" jacobian="{jacobian}"/>
  <default>
    <geom density="600" friction="0.8 0.02 0.004"/>
    <joint damping="0.05"/>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" condim="3"/>
    <site name="hook" pos="0.3 0 1.6" euler="20 10 5"/>
    <body name="box" pos="0 0 0.12"><freejoint/><geom type="box" size=".1 .12 .1" condim="4"/></body>
    <body name="ball" pos="0.6 0 0.11"><freejoint/><geom size=".1" condim="6" solref="-4000 -80"/></body>
    <body name="pebble" pos="0.9 0 0.06"><freejoint/>
      <geom size=".06" condim="1" priority="2" margin=".01" gap=".002"/></body>
    <body name="arm" pos="0 1 0.8">
      <joint name="lift" axis="0 1 0" range="-20 30" frictionloss=".3" solreffriction=".03 1"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".04" condim="3" priority="1"/>
      <site name="wrist" pos=".4 0 0"/>
      <body pos=".4 0 0">
        <joint name="bend" axis="0 1 0" range="-60 5" margin=".02" solimplimit=".8 .95 .02 .4 3"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
        <body pos=".3 0 0">
          <joint name="swing" type="ball" range="0 25"/>
          <geom type="capsule" fromto="0 0 0 .2 .05 0" size=".03"/>
        </body>
      </body>
    </body>
    <body name="rail" pos="0 -1 .5">
      <joint name="slide" type="slide" axis="1 0 0" range="-.1 .2" frictionloss=".1"/>
      <geom size=".05"/>
      <body name="crank" pos="0 0 .2"><joint name="turn" axis="0 1 0"/><geom size=".04" pos=".1 0 0"/></body>
    </body>
    <body name="hung" pos="0.3 0 1.5"><freejoint/><geom size=".05"/><site name="eye" pos="0 0 .1"/></body>
    <body name="twin" pos="0 2 1"><freejoint/><geom type="capsule" size=".04 .1"/></body>
    <body name="other" pos="0.3 2 1"><freejoint/><geom type="capsule" size=".04 .1"/></body>
    <body name="weight" pos="1.5 0 .5">
      <joint name="drop" type="slide" axis="0 0 1"/><geom size=".05"/><site name="low" pos="0 0 .05"/>
    </body>
    <site name="high" pos="1.5 0 1.2"/>
  </worldbody>
  <tendon>
    <spatial name="rope" range="0 .62" limited="true" frictionloss=".2">
      <site site="high"/><site site="low"/></spatial>
    <fixed name="coupled"><joint joint="lift" coef="1"/><joint joint="bend" coef="-.5"/></fixed>
    <fixed name="geared" range="-.4 .3" limited="true" margin=".05"><joint joint="slide" coef="2"/>
      <joint joint="turn" coef="1"/></fixed>
  </tendon>
  <equality>
    <connect name="pin" body1="hung" body2="world" anchor="0 0 .1"/>
    <weld name="glued" body1="twin" body2="other" relpose=".3 .01 0 1 .02 .01 0" torquescale=".7"/>
    <weld name="placed" site1="eye" site2="hook" active="false"/>
    <joint name="follows" joint1="turn" joint2="slide" polycoef=".1 2 -1 .5 .2" solref=".05 1"/>
    <tendon name="tied" tendon1="coupled" tendon2="geared" polycoef="0 .4 .2 0 0" active="false"/>
  </equality>
  <sensor>
    <jointlimitpos joint="lift"/><jointlimitvel joint="lift"/><jointlimitfrc joint="lift"/>
    <tendonlimitpos tendon="rope"/><tendonlimitvel tendon="rope"/><tendonlimitfrc tendon="rope"/>
    <accelerometer site="wrist"/><force site="wrist"/><torque site="wrist"/><accelerometer site="eye"/>
    <force site="eye"/>
  </sensor>
</mujoco>
"""
"""Shapes on a floor, limits of every kind of joint and of tendons, dry friction, equalities."""


def mixed(
    cone: str = "pyramidal",
    solver: str = "Newton",
    integrator: str = "Euler",
    impratio: float = 1.0,
    noslip: int = 0,
    jacobian: str = "auto",
) -> str:
    """The text of MIXED with these options."""
    return MIXED.format(
        cone=cone, solver=solver, integrator=integrator, impratio=impratio, noslip=noslip, jacobian=jacobian
    )


def loaded(text: str) -> pb.Model:
    """The Model of an MJCF document."""
    return pb.lower(pb.read("scene.xml", text=text, policy="warn"))


STICKY = """
<mujoco>
  <option timestep="0.005" cone="{cone}"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="pad" pos="0 0 0.1"><freejoint/>
      <geom type="box" size=".1 .1 .1" margin=".05" gap=".05"/>
      <geom size=".05" pos=".12 0 -.06"/>
      <site name="edge" type="{shape}" size=".12 .1 .08" pos=".1 .05 -.09" euler="10 20 30"/>
      <site name="all" type="{shape}" size=".3 .3 .3"/>
    </body>
    <body pos=".3 0 .2"><freejoint/>
      <geom type="capsule" size=".05 .1"/><site name="top" size=".04" pos="0 0 .1"/>
    </body>
  </worldbody>
  <actuator>
    <adhesion name="stick" body="pad" ctrlrange="0 3" gain="12"/>
    <general name="bound" body="pad" gear="2" biastype="affine" biasprm="1 2 3" ctrlrange="-1 1"/>
  </actuator>
  <sensor><touch site="edge"/><touch site="all"/><touch site="top"/></sensor>
</mujoco>
"""
"""A body with an adhesion actuator, and touch sensors at its sites."""

GUIDED = """
<mujoco>
  <option cone="elliptic" solver="{solver}" noslip_iterations="20"/>
  <default><geom friction="1 .1 .1" condim="{dim}"/></default>
  <worldbody>
    <geom type="plane" size="3 3 .1"/>
    <body pos="0 0 .09">
      <joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 .3 0"/><geom size=".1"/>
    </body>
    <body pos="1 0 .19">
      <joint type="hinge" axis="0 1 0" pos="0 .2 .3"/><joint type="slide" axis="0 0 1"/>
      <geom type="capsule" size=".1 .1"/>
    </body>
  </worldbody>
</mujoco>
"""
"""Contacts with more directions of friction than their bodies have degrees of freedom."""
