"""Models with one of everything, from which mutations start."""

from __future__ import annotations

import polybody as pb
from polybody.model.model import Model

EVERYTHING = """<mujoco model="everything">
<option timestep="0.002"/>
<size nuserdata="3"/>
<extension><plugin plugin="mujoco.pid"><instance name="pid"><config key="kp" value="2"/>
   <config key="ki" value="1"/>
  </instance></plugin><plugin plugin="mujoco.sensor.touch_grid"/></extension>
<asset>
 <mesh name="tet" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/>
 <hfield name="h" nrow="4" ncol="4" size="2 2 .3 .1" elevation="0 1 0 1 1 0 1 0 0 1 0 1 0 0 0 1"/>
 <texture name="t" type="2d" builtin="checker" width="8" height="8" rgb1="1 0 0" rgb2="0 1 0"/>
 <material name="m" texture="t"/>
</asset>
<worldbody>
 <geom name="g0" type="hfield" hfield="h"/>
 <geom name="floor" type="plane" size="3 3 .1" pos="0 0 -0.2"/>
 <site name="w0" pos="0 0 1"/>
 <camera name="c" pos="0 0 3"/>
 <light name="l" pos="0 0 3"/>
 <body name="a" pos="0 0 .5"><freejoint name="fa"/><geom name="ga" type="mesh" mesh="tet" material="m"/>
   <site name="sa"/></body>
 <body name="a2" pos="0.02 0 .52"><freejoint name="fa2"/>
   <geom name="ga2" type="mesh" mesh="tet" material="m"/></body>
 <body name="low" pos=".5 .5 -.11"><freejoint/><geom type="sphere" size=".1"/></body>
 <body name="b" pos="1 0 .4"><joint name="jb" type="hinge" axis="0 1 0" limited="true" range="-1 1"/>
   <geom name="gb" type="capsule" size=".05 .1"/><site name="sb"/>
   <body name="c" pos="0 0 .3"><joint name="jc" type="slide" axis="0 0 1"/>
   <geom name="gc" type="sphere" size=".05"/>
     <site name="sc"/></body></body>
 <body name="mo" mocap="true" pos="2 0 0">
   <geom name="gm" type="sphere" size=".05" contype="0" conaffinity="0"/></body>
 <body name="d" pos="2 0 .1"><joint name="jd" type="ball"/><geom name="gd" type="box" size=".1 .1 .1"/>
   </body>
</worldbody>
<contact><pair name="p" geom1="gb" geom2="gd"/><exclude name="e" body1="b" body2="c"/></contact>
<equality><connect name="ec" body1="b" body2="d" anchor="0 0 0"/><weld name="ew" body1="d" body2="mo"/>
  <connect site1="sa" site2="sb"/><joint name="ej" joint1="jb" joint2="jc"/>
   <tendon name="et" tendon1="tf" tendon2="ts"/>
</equality>
<tendon>
 <fixed name="tf" limited="true" range="-1 1"><joint joint="jb" coef="1"/><joint joint="jc" coef="2"/>
   </fixed>
 <spatial name="ts" stiffness="1"><site site="w0"/><geom geom="gc" sidesite="sc"/><site site="sb"/>
   <pulley divisor="2"/>
   <site site="sa"/><site site="sc"/></spatial>
</tendon>
<actuator><motor name="m1" joint="jb"/><position name="m2" tendon="ts" kp="1"/>
  <general name="m3" site="sa" refsite="sb" gear="1 0 0 0 0 0"/>
   <intvelocity name="m4" joint="jc" kp="1" actrange="-1 1"/>
  <adhesion name="m5" body="a" ctrlrange="0 1"/><general name="m6" dyntype="filter" dynprm="1" joint="jb"/>
  <general name="m7" cranksite="sb" slidersite="sc" cranklength="1"/><general name="m8" jointinparent="jd"/>
  <plugin name="m9" joint="jb" plugin="mujoco.pid" instance="pid" actdim="1"/></actuator>
<sensor>
 <touch site="sa"/><accelerometer site="sa"/><jointpos joint="jb"/><tendonpos tendon="ts"/>
 <actuatorfrc actuator="m1"/><framepos objtype="body" objname="a" reftype="body" refname="b"/>
   <rangefinder site="w0"/>
 <subtreecom body="b"/><user dim="3"/><force site="sb"/><ballquat joint="jd"/><jointlimitpos joint="jb"/>
   <clock/>
 <distance name="near" geom1="gb" geom2="gd"/><fromto body1="b" body2="d"/>
   <camprojection site="sa" camera="c"/>
 <magnetometer site="sa"/><tendonlimitpos tendon="tf"/><framelinacc objtype="site" objname="sa"/>
 <plugin plugin="mujoco.sensor.touch_grid" objtype="site" objname="sa"><config key="size" value="2 2"/>
   <config key="fov" value="45 45"/><config key="gamma" value="0"/><config key="nchannel" value="1"/>
   </plugin>
</sensor>
<custom><numeric name="n" data="1 2 3"/><text name="tx" data="hello"/>
  <tuple name="tu"><element objtype="body" objname="a"/></tuple></custom>
<keyframe><key name="k" time="1"/></keyframe>
</mujoco>"""
FLEXES = """<mujoco model="flexes"><worldbody><geom type="plane" size="2 2 .1"/>
<flexcomp name="f" type="grid" count="3 3 2" spacing=".1 .1 .1" dim="3" pos="0 0 .05" radius=".01" mass="1">
  <edge equality="true"/><contact selfcollide="auto" internal="true"/></flexcomp>
<flexcomp name="f2" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" pos="0 0 .2" radius=".01" mass="1">
  <elasticity young="100" poisson="0.2" thickness="0.01"/><contact selfcollide="auto"/></flexcomp>
<body name="b" pos="0 0 .35"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
</worldbody>
<deformable><skin name="s" vertex="0 0 0 1 0 0 0 1 0" texcoord="0 0 1 0 0 1" face="0 1 2">
 <bone body="b" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/></skin></deformable>
</mujoco>"""
FORMULAS = """<kinbody name="formulas"><body name="a" type="static"/>
<body name="b"><mass type="sphere"><total>1</total><radius>.1</radius></mass></body>
<body name="c"><mass type="sphere"><total>1</total><radius>.1</radius></mass></body>
<body name="d"><mass type="sphere"><total>1</total><radius>.1</radius></mass></body>
<joint name="j" type="hinge"><body>a</body><body>b</body><axis>0 0 1</axis></joint>
<joint name="m" type="hinge"><body>b</body><body>c</body><anchor>.1 0 0</anchor>
 <axis>0 1 0</axis></joint>
<joint name="k" type="hinge" mimic_pos="0.5*sin(j)+m^2/4" mimic_vel="|j 0.5*cos(j) |m m/2">
 <body>c</body><body>d</body><anchor>.2 0 0</anchor><axis>1 0 0</axis></joint>
</kinbody>"""
BUSHINGS = """<sdf version="1.9"><model name="bushings" xmlns:drake="drake.mit.edu">
<link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><inertial><mass>1</mass></inertial></link>
<frame name="f" attached_to="a"/><frame name="g" attached_to="b"/>
<drake:linear_bushing_rpy><drake:bushing_frameA>f</drake:bushing_frameA>
<drake:bushing_frameC>g</drake:bushing_frameC>
<drake:bushing_torque_stiffness>1 2 3</drake:bushing_torque_stiffness>
<drake:bushing_torque_damping>.1 .2 .3</drake:bushing_torque_damping>
<drake:bushing_force_stiffness>4 5 6</drake:bushing_force_stiffness>
<drake:bushing_force_damping>.4 .5 .6</drake:bushing_force_damping></drake:linear_bushing_rpy>
</model></sdf>"""
TEXTS = {
    "everything": ("mjcf", EVERYTHING),
    "flexes": ("mjcf", FLEXES),
    "formulas": ("openrave", FORMULAS),
    "bushings": ("sdf", BUSHINGS),
}
"""Formats and texts of the documents."""


def scene(name: str) -> Model:
    """The Model of one of the documents above."""
    form, text = TEXTS[name]
    return pb.lower(pb.read("scene.xml", text=text, format=form))
