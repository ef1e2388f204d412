"""For every format a document with a fault and a position, marked by `|`, at which completion is
requested.
"""

from __future__ import annotations

from dataclasses import dataclass

MARK = "|"


@dataclass(frozen=True, slots=True)
class Faulty:
    """``fault`` is a part of the faulty line, ``offered`` some of the completion items at the mark."""

    file: str
    marked: str
    fault: str
    offered: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.marked.replace(MARK, "")

    @property
    def place(self) -> tuple[int, int]:
        """Line and character of the mark, from 0."""
        before = self.marked.partition(MARK)[0]
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    @property
    def fault_line(self) -> int:
        """The line of the fault, from 0."""
        return self.text.partition(self.fault)[0].count("\n")


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"/>
  <joint name="shoulder" type="revolut">
    <parent link="base"/>
    <child link="upper"/>
    |
  </joint>
</robot>
"""
SDF = """<sdf version="1.9">
  <model name="arm">
    <link name="upper">
      <inertial>
        <mass>heavy</mass>
        |
      </inertial>
    </link>
  </model>
</sdf>
"""
MJCF = """<mujoco model="arm">
  <worldbody>
    <body name="upper">
      <joint name="shoulder" type="|hinge" axis="0 1"/>
      <geom type="capsule" size="0.1 0.4"/>
    </body>
  </worldbody>
</mujoco>
"""
SKEL = """<skel version="1.0">
  <world name="w">
    <skeleton name="arm">
      <body name="upper"/>
      <joint type="revolut" name="shoulder">
        <parent>world</parent>
        <child>upper</child>
        <axis>
          |
        </axis>
      </joint>
    </skeleton>
  </world>
</skel>
"""
OPENRAVE = """<kinbody name="arm">
  <body name="base"/>
  <body name="upper">
    <geom type="box">
      <extents>0.1 0.1</extents>
      |
    </geom>
  </body>
</kinbody>
"""
X_XY = """<x_xy model="arm">
  <options gravity="0 0 9.81" dt="0.01"/>
  <worldbody>
    <body name="upper" joint="rx" dampin="1">
      <geom type="|box" mass="1" dim="1 1 1"/>
    </body>
  </worldbody>
</x_xy>
"""
DOCUMENTS = {
    "urdf": Faulty("arm.urdf", URDF, "revolut", ("axis", "limit", "mimic")),
    "sdf": Faulty("arm.sdf", SDF, "heavy", ("pose", "inertia")),
    "mjcf": Faulty("arm.xml", MJCF, 'axis="0 1"', ("hinge", "slide", "ball", "free")),
    "skel": Faulty("arm.skel", SKEL, "revolut", ("xyz", "limit", "dynamics")),
    "openrave": Faulty("arm.kinbody.xml", OPENRAVE, "<extents>", ("translation", "diffusecolor")),
    "x_xy": Faulty("arm.x_xy", X_XY, "dampin", ("box", "sphere", "capsule")),
}
