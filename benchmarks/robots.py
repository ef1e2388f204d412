"""Documents of URDF, SDFormat, SKEL and OpenRAVE with a given number of elements.

As written by exporters, each link has inertia, a visual and a collision shape, and a joint to one of the
links before it. Numbers have one to five decimals.
"""

from __future__ import annotations

import random

from benchmarks.documents import Numbers

REACH = 5  # how far back a link may be attached


def _parent(rng: random.Random, link: int) -> int:
    return max(0, link - rng.randint(1, REACH))


def urdf(elements: int, seed: int = 1) -> str:
    """A valid URDF document of about ``elements`` elements, at least 30."""
    numbers = Numbers(seed)
    lines = ['<?xml version="1.0"?>', '<robot name="generated">']
    lines += ['  <material name="grey">', '    <color rgba="0.6 0.6 0.6 1"/>', "  </material>"]
    for link in range(max(1, (elements - 3) // 22)):
        moments = " ".join(f'{name}="{value}"' for name, value in _moments(numbers).items())
        lines += [
            f'  <link name="link{link}">',
            "    <inertial>",
            f'      <origin xyz="{numbers(3, -1, 1)}" rpy="0 0 0"/>',
            f'      <mass value="{numbers(1, 1, 5)}"/>',
            f"      <inertia {moments}/>",
            "    </inertial>",
            "    <visual>",
            f'      <origin xyz="{numbers(3, -1, 1)}" rpy="{numbers(3, -3, 3)}"/>',
            "      <geometry>",
            f'        <cylinder radius="{numbers(1, 0.1, 1)}" length="{numbers(1, 0.1, 1)}"/>',
            "      </geometry>",
            '      <material name="grey"/>',
            "    </visual>",
            "    <collision>",
            f'      <origin xyz="{numbers(3, -1, 1)}" rpy="0 0 0"/>',
            "      <geometry>",
            f'        <box size="{numbers(3, 0.1, 1)}"/>',
            "      </geometry>",
            "    </collision>",
            "  </link>",
        ]
        if link:
            limit = f'lower="{numbers(1, -2, -1)}" upper="{numbers(1, 1, 2)}" effort="10" velocity="2.5"'
            lines += [
                f'  <joint name="joint{link}" type="revolute">',
                f'    <parent link="link{_parent(numbers.rng, link)}"/>',
                f'    <child link="link{link}"/>',
                f'    <origin xyz="{numbers(3, -1, 1)}" rpy="{numbers(3, -3, 3)}"/>',
                '    <axis xyz="0 0 1"/>',
                f"    <limit {limit}/>",
                f'    <dynamics damping="{numbers(1, 0, 1)}" friction="0"/>',
                "  </joint>",
            ]
    return "\n".join([*lines, "</robot>", ""])


def _moments(numbers: Numbers) -> dict[str, str]:
    """Moments of inertia of a body about as long as wide."""
    products = dict.fromkeys(("ixy", "ixz", "iyz"), "0")
    return {name: numbers(1, 1, 1.5) for name in ("ixx", "iyy", "izz")} | products


def sdf(elements: int, seed: int = 1) -> str:
    """A valid SDFormat document of about ``elements`` elements, at least 40."""
    numbers = Numbers(seed)
    lines = ['<?xml version="1.0"?>', '<sdf version="1.9">', '  <model name="generated">']
    for link in range(max(1, (elements - 2) // 39)):
        lines += [
            f'    <link name="link{link}">',
            f"      <pose>{numbers(6, -1, 1)}</pose>",
            "      <inertial>",
            f"        <pose>{numbers(3, -1, 1)} 0 0 0</pose>",
            f"        <mass>{numbers(1, 1, 5)}</mass>",
            "        <inertia>",
            *(f"          <{name}>{value}</{name}>" for name, value in _moments(numbers).items()),
            "        </inertia>",
            "      </inertial>",
            '      <visual name="visual">',
            f"        <pose>{numbers(6, -1, 1)}</pose>",
            "        <geometry>",
            "          <cylinder>",
            f"            <radius>{numbers(1, 0.1, 1)}</radius>",
            f"            <length>{numbers(1, 0.1, 1)}</length>",
            "          </cylinder>",
            "        </geometry>",
            "        <material>",
            f"          <diffuse>{numbers(3, 0, 1)} 1</diffuse>",
            "        </material>",
            "      </visual>",
            '      <collision name="collision">',
            f"        <pose>{numbers(6, -1, 1)}</pose>",
            "        <geometry>",
            "          <box>",
            f"            <size>{numbers(3, 0.1, 1)}</size>",
            "          </box>",
            "        </geometry>",
            "      </collision>",
            "    </link>",
        ]
        if link:
            lines += [
                f'    <joint name="joint{link}" type="revolute">',
                f"      <parent>link{_parent(numbers.rng, link)}</parent>",
                f"      <child>link{link}</child>",
                "      <axis>",
                "        <xyz>0 0 1</xyz>",
                "        <limit>",
                f"          <lower>{numbers(1, -2, -1)}</lower>",
                f"          <upper>{numbers(1, 1, 2)}</upper>",
                "          <effort>10</effort>",
                "        </limit>",
                "        <dynamics>",
                f"          <damping>{numbers(1, 0, 1)}</damping>",
                "        </dynamics>",
                "      </axis>",
                "    </joint>",
            ]
    return "\n".join([*lines, "  </model>", "</sdf>", ""])


def skel(elements: int, seed: int = 1) -> str:
    """A valid SKEL document of about ``elements`` elements, at least 40."""
    numbers = Numbers(seed)
    lines = ['<?xml version="1.0"?>', '<skel version="1.0">', '  <world name="generated">']
    lines += ["    <physics>", "      <time_step>0.001</time_step>", "      <gravity>0 -9.81 0</gravity>"]
    lines += ["    </physics>", '    <skeleton name="robot">']
    for body in range(max(1, (elements - 7) // 33)):
        lines += [
            f'      <body name="body{body}">',
            f"        <transformation>{numbers(6, -1, 1)}</transformation>",
            "        <inertia>",
            f"          <mass>{numbers(1, 1, 5)}</mass>",
            f"          <offset>{numbers(3, -1, 1)}</offset>",
            "          <moment_of_inertia>",
            *(f"            <{name}>{value}</{name}>" for name, value in _moments(numbers).items()),
            "          </moment_of_inertia>",
            "        </inertia>",
            "        <visualization_shape>",
            f"          <transformation>{numbers(6, -1, 1)}</transformation>",
            "          <geometry>",
            "            <box>",
            f"              <size>{numbers(3, 0.1, 1)}</size>",
            "            </box>",
            "          </geometry>",
            f"          <color>{numbers(3, 0, 1)}</color>",
            "        </visualization_shape>",
            "        <collision_shape>",
            f"          <transformation>{numbers(6, -1, 1)}</transformation>",
            "          <geometry>",
            "            <ellipsoid>",
            f"              <size>{numbers(3, 0.1, 1)}</size>",
            "            </ellipsoid>",
            "          </geometry>",
            "        </collision_shape>",
            "      </body>",
            f'      <joint type="{"revolute" if body else "free"}" name="joint{body}">',
            f"        <parent>{f'body{_parent(numbers.rng, body)}' if body else 'world'}</parent>",
            f"        <child>body{body}</child>",
        ]
        if body:
            lines += [
                "        <axis>",
                "          <xyz>0 0 1</xyz>",
                "          <limit>",
                f"            <lower>{numbers(1, -2, -1)}</lower>",
                f"            <upper>{numbers(1, 1, 2)}</upper>",
                "          </limit>",
                "          <dynamics>",
                f"            <damping>{numbers(1, 0, 1)}</damping>",
                "          </dynamics>",
                "        </axis>",
            ]
        lines.append("      </joint>")
    return "\n".join([*lines, "    </skeleton>", "  </world>", "</skel>", ""])


def openrave(elements: int, seed: int = 1) -> str:
    """A valid OpenRAVE document of about ``elements`` elements, at least 30."""
    numbers = Numbers(seed)
    lines = ['<Robot name="generated">', "  <KinBody>"]
    for body in range(max(1, (elements - 2) // 21)):
        moments = numbers(1, 1, 1.5)
        lines += [
            f'    <Body name="link{body}" type="dynamic">',
            f"      <Translation>{numbers(3, -1, 1)}</Translation>",
            f"      <RotationAxis>0 0 1 {numbers(1, -180, 180)}</RotationAxis>",
            '      <Geom type="box">',
            f"        <Extents>{numbers(3, 0.1, 1)}</Extents>",
            f"        <Translation>{numbers(3, -1, 1)}</Translation>",
            f"        <diffuseColor>{numbers(3, 0, 1)}</diffuseColor>",
            "      </Geom>",
            '      <Geom type="cylinder">',
            f"        <Radius>{numbers(1, 0.1, 1)}</Radius>",
            f"        <Height>{numbers(1, 0.1, 1)}</Height>",
            f"        <Translation>{numbers(3, -1, 1)}</Translation>",
            "      </Geom>",
            '      <Mass type="custom">',
            f"        <com>{numbers(3, -1, 1)}</com>",
            f"        <inertia>{moments} 0 0 0 {moments} 0 0 0 {moments}</inertia>",
            f"        <total>{numbers(1, 1, 5)}</total>",
            "      </Mass>",
            "    </Body>",
        ]
        if body:
            parent = _parent(numbers.rng, body)
            lines += [
                f'    <Joint name="joint{body}" type="hinge">',
                f"      <Body>link{parent}</Body>",
                f"      <Body>link{body}</Body>",
                f"      <offsetfrom>link{parent}</offsetfrom>",
                f"      <limitsdeg>{numbers(1, -90, -10)} {numbers(1, 10, 90)}</limitsdeg>",
                "      <axis>0 0 1</axis>",
                "    </Joint>",
            ]
    return "\n".join([*lines, "  </KinBody>", "</Robot>", ""])
