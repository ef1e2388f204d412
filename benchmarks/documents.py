"""Documents with a given number of elements, as people and exporters write them."""

from __future__ import annotations

import random

JOINTS = {"rx": 1, "ry": 1, "rz": 1, "px": 1, "py": 1, "pz": 1, "spherical": 3, "frozen": 0}
SHAPES = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}


AXES = ("0 0 1", "0 1 0", "1 0 0")


class Numbers:
    """Numbers of one to five decimals, from one seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def __call__(self, count: int, low: float, high: float) -> str:
        values = (round(self.rng.uniform(low, high), self.rng.choice((1, 2, 3, 4, 5))) for _ in range(count))
        return " ".join(map(repr, values))


def x_xy(elements: int, seed: int = 1) -> str:
    """A valid x_xy document of ``elements`` elements, at least 5: bodies nested up to 8 deep with one or two
    geoms.
    """
    numbers = Numbers(seed)
    rng = numbers.rng

    def geom(indent: str) -> str:
        shape = rng.choice(list(SHAPES))
        size = f'mass="{numbers(1, 0.1, 5)}" dim="{numbers(SHAPES[shape], 0.1, 1)}"'
        return f'{indent}<geom type="{shape}" {size} pos="{numbers(3, -1, 1)}" color="{numbers(3, 0, 1)}"/>'

    lines = ['<x_xy model="generated">', '  <options gravity="0 0 9.81" dt="0.01"/>', "  <worldbody>"]
    left, depth, body = elements - 3, 0, 0
    while left > 0:
        indent = "    " + "  " * depth
        if left == 1:  # too few for a body with mass
            lines.append(geom(indent))
            break
        if depth == 8 or (depth > 0 and rng.random() < 0.25):
            depth -= 1
            lines.append("    " + "  " * depth + "</body>")
            continue
        joint = rng.choice(list(JOINTS))
        damping = f' damping="{numbers(JOINTS[joint], 0.0, 1.0)}"' if JOINTS[joint] else ""
        pose = f'pos="{numbers(3, -1, 1)}" euler="{numbers(3, -180, 180)}"'
        lines.append(f'{indent}<body name="body{body}" joint="{joint}" {pose}{damping}>')
        geoms = min(left - 1, rng.choice((1, 1, 2)))
        lines.extend(geom(indent + "  ") for _ in range(geoms))
        depth, body, left = depth + 1, body + 1, left - 1 - geoms
    lines.extend("    " + "  " * level + "</body>" for level in reversed(range(depth)))
    return "\n".join([*lines, "  </worldbody>", "</x_xy>", ""])


MJCF_HEAD = """<mujoco model="generated">
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <default>
    <joint damping="0.1"/>
    <default class="shell"><geom contype="0" conaffinity="0" group="2"/></default>
  </default>
  <worldbody>"""


def mjcf(elements: int, seed: int = 1) -> str:
    """A valid MJCF document of about ``elements`` elements, at least 30.

    Bodies are nested up to 8 deep, each with inertia, joint, two geoms and a site; each joint has a motor and
    a sensor.
    """
    numbers = Numbers(seed)
    rng = numbers.rng
    lines = [MJCF_HEAD]
    depth, bodies = 0, (elements - 10) // 8
    for body in range(bodies):
        while depth == 8 or (depth > 0 and rng.random() < 0.25):
            depth -= 1
            lines.append("    " + "  " * depth + "</body>")
        indent = "      " + "  " * depth
        kind, axis = rng.choice(("hinge", "hinge", "slide")), rng.choice(AXES)
        shape = rng.choice(("capsule", "box", "sphere", "ellipsoid"))
        joint = f'name="joint{body}" type="{kind}" axis="{axis}"'
        lines += [
            f'{indent[2:]}<body name="body{body}" pos="{numbers(3, -1, 1)}" euler="{numbers(3, -3, 3)}">',
            f'{indent}<inertial pos="{numbers(3, -1, 1)}" mass="{numbers(1, 1, 5)}" diaginertia="1 1 1.5"/>',
            f'{indent}<joint {joint} range="{numbers(1, -2, -1)} {numbers(1, 1, 2)}" armature="0.01"/>',
            f'{indent}<geom type="{shape}" size="{numbers(3, 0.1, 1)}" pos="{numbers(3, -1, 1)}"/>',
            f'{indent}<geom class="shell" type="box" size="{numbers(3, 0.1, 1)}" rgba="0.8 0.6 0.4 1"/>',
            f'{indent}<site name="site{body}" pos="{numbers(3, -1, 1)}" size="0.01"/>',
        ]
        depth += 1
    lines.extend("    " + "  " * level + "</body>" for level in reversed(range(depth)))
    motors = (f'    <motor name="m{b}" joint="joint{b}" gear="{numbers(1, 1, 90)}"/>' for b in range(bodies))
    sensors = (f'    <jointpos name="at{b}" joint="joint{b}" noise="0.001"/>' for b in range(bodies))
    lines += ["  </worldbody>", "  <actuator>", *motors, "  </actuator>"]
    return "\n".join([*lines, "  <sensor>", *sensors, "  </sensor>", "</mujoco>", ""])


def urdf(elements: int, seed: int = 1) -> str:
    """A valid URDF of about ``elements`` elements, at least 40: a tree of links with shapes and joints."""
    numbers = Numbers(seed)
    rng = numbers.rng

    def shape(tag: str, extra: str = "") -> list[str]:
        kind = rng.choice((f'<box size="{numbers(3, 0.1, 1)}"/>', f'<sphere radius="{numbers(1, 0.1, 1)}"/>'))
        return [
            f"    <{tag}>",
            f'      <origin xyz="{numbers(3, -1, 1)}" rpy="{numbers(3, -3, 3)}"/>',
            f"      <geometry>{kind}</geometry>",
            *([f"      {extra}"] if extra else []),
            f"    </{tag}>",
        ]

    lines = ['<robot name="generated">', '  <material name="grey">', '    <color rgba="0.5 0.5 0.5 1"/>']
    lines.append("  </material>")
    for link in range((elements - 3) // 18):
        lines += [
            f'  <link name="link{link}">',
            "    <inertial>",
            f'      <origin xyz="{numbers(3, -1, 1)}" rpy="0 0 0"/>',
            f'      <mass value="{numbers(1, 1, 5)}"/>',
            '      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.012" iyz="0" izz="0.0135"/>',
            "    </inertial>",
            *shape("visual", '<material name="grey"/>'),
            *shape("collision"),
            "  </link>",
        ]
        if link:
            kind, axis = rng.choice(("revolute", "prismatic")), rng.choice(AXES)
            strength = 'effort="80" velocity="3"'
            lines += [
                f'  <joint name="joint{link}" type="{kind}">',
                f'    <parent link="link{max(0, link - rng.choice((1, 1, 2, 3)))}"/>',
                f'    <child link="link{link}"/>',
                f'    <origin xyz="{numbers(3, -1, 1)}" rpy="{numbers(3, -3, 3)}"/>',
                f'    <axis xyz="{axis}"/>',
                f'    <limit lower="{numbers(1, -3, -1)}" upper="{numbers(1, 1, 3)}" {strength}/>',
                f'    <dynamics damping="{numbers(1, 0.1, 1)}"/>',
                "  </joint>",
            ]
    return "\n".join([*lines, "</robot>", ""])


def sdf(elements: int, seed: int = 1) -> str:
    """A valid SDFormat document of about ``elements`` elements, at least 60: links, joints."""
    numbers = Numbers(seed)
    rng = numbers.rng

    def shape(tag: str, name: str) -> list[str]:
        box, ball = f"<box><size>{numbers(3, 0.1, 1)}</size></box>", f"<radius>{numbers(1, 0.1, 1)}</radius>"
        kind = rng.choice((box, f"<sphere>{ball}</sphere>"))
        return [
            f'      <{tag} name="{name}">',
            f"        <pose>{numbers(6, -1, 1)}</pose>",
            f"        <geometry>{kind}</geometry>",
            f"      </{tag}>",
        ]

    lines = ['<sdf version="1.9">', '  <model name="generated">']
    for link in range((elements - 2) // 29):
        lines += [
            f'    <link name="link{link}">',
            f"      <pose>{numbers(6, -1, 1)}</pose>",
            "      <inertial>",
            f"        <pose>{numbers(3, -1, 1)} 0 0 0</pose>",
            f"        <mass>{numbers(1, 1, 5)}</mass>",
            "        <inertia>",
            "          <ixx>0.01</ixx>",
            "          <ixy>0</ixy>",
            "          <ixz>0</ixz>",
            "          <iyy>0.012</iyy>",
            "          <iyz>0</iyz>",
            "          <izz>0.0135</izz>",
            "        </inertia>",
            "      </inertial>",
            *shape("visual", "visual"),
            *shape("collision", "collision"),
            "    </link>",
        ]
        if link:
            lines += [
                f'    <joint name="joint{link}" type="{rng.choice(("revolute", "prismatic"))}">',
                f"      <parent>link{max(0, link - rng.choice((1, 1, 2, 3)))}</parent>",
                f"      <child>link{link}</child>",
                "      <axis>",
                f"        <xyz>{rng.choice(AXES)}</xyz>",
                "        <limit>",
                f"          <lower>{numbers(1, -3, -1)}</lower>",
                f"          <upper>{numbers(1, 1, 3)}</upper>",
                "          <effort>80</effort>",
                "        </limit>",
                "        <dynamics>",
                f"          <damping>{numbers(1, 0.1, 1)}</damping>",
                "        </dynamics>",
                "      </axis>",
                "    </joint>",
            ]
    return "\n".join([*lines, "  </model>", "</sdf>", ""])


def skel(elements: int, seed: int = 1) -> str:
    """A valid SKEL document of about ``elements`` elements, at least 60: bodies with shapes, and joints."""
    numbers = Numbers(seed)
    rng = numbers.rng
    lines = [
        '<skel version="1.0">',
        '  <world name="world">',
        "    <physics>",
        "      <time_step>0.001</time_step>",
        "      <gravity>0 -9.81 0</gravity>",
        "    </physics>",
        '    <skeleton name="generated">',
    ]
    bodies = (elements - 6) // 30
    for body in range(bodies):
        lines += [
            f'      <body name="body{body}">',
            f"        <transformation>{numbers(6, -1, 1)}</transformation>",
            "        <inertia>",
            f"          <mass>{numbers(1, 1, 5)}</mass>",
            f"          <offset>{numbers(3, -1, 1)}</offset>",
            "          <moment_of_inertia>",
            "            <ixx>0.01</ixx>",
            "            <iyy>0.012</iyy>",
            "            <izz>0.0135</izz>",
            "            <ixy>0</ixy>",
            "            <ixz>0</ixz>",
            "            <iyz>0</iyz>",
            "          </moment_of_inertia>",
            "        </inertia>",
            *(
                line
                for tag in ("visualization_shape", "collision_shape")
                for line in (
                    f"        <{tag}>",
                    f"          <transformation>{numbers(6, -1, 1)}</transformation>",
                    f"          <geometry><box><size>{numbers(3, 0.1, 1)}</size></box></geometry>",
                    f"        </{tag}>",
                )
            ),
            "      </body>",
        ]
    for body in range(bodies):
        parent = f"body{max(0, body - rng.choice((1, 1, 2, 3)))}" if body else "world"
        lines += [
            f'      <joint type="{rng.choice(("revolute", "prismatic"))}" name="joint{body}">',
            f"        <transformation>{numbers(6, -1, 1)}</transformation>",
            f"        <parent>{parent}</parent>",
            f"        <child>body{body}</child>",
            "        <axis>",
            f"          <xyz>{rng.choice(AXES)}</xyz>",
            "          <dynamics>",
            f"            <damping>{numbers(1, 0.1, 1)}</damping>",
            "          </dynamics>",
            "        </axis>",
            "      </joint>",
        ]
    return "\n".join([*lines, "    </skeleton>", "  </world>", "</skel>", ""])


def openrave(elements: int, seed: int = 1) -> str:
    """A valid OpenRAVE document of about ``elements`` elements, at least 113: robots of seven bodies."""
    numbers = Numbers(seed)
    rng = numbers.rng
    lines = ["<environment>"]
    for robot in range(max(1, (elements - 1) // 112)):
        lines += [f'  <Robot name="robot{robot}">', f"    <translation>{numbers(3, -5, 5)}</translation>"]
        lines += ["    <KinBody>"]
        for body in range(7):
            lines += [
                f'      <Body name="body{body}" type="dynamic">',
                *([f"        <offsetfrom>body{body - 1}</offsetfrom>"] if body else []),
                f"        <Translation>{numbers(3, -1, 1)}</Translation>",
                f"        <RotationAxis>{rng.choice(AXES)} {numbers(1, -90, 90)}</RotationAxis>",
                '        <Geom type="box">',
                f"          <Translation>{numbers(3, -1, 1)}</Translation>",
                f"          <Extents>{numbers(3, 0.1, 1)}</Extents>",
                f"          <diffuseColor>{numbers(3, 0, 1)}</diffuseColor>",
                "        </Geom>",
                '        <mass type="mimicgeom">',
                f"          <total>{numbers(1, 1, 5)}</total>",
                "        </mass>",
                "      </Body>",
            ]
            if body:
                lines += [
                    f'      <Joint name="joint{body}" type="hinge">',
                    f"        <Body>body{body - 1}</Body>",
                    f"        <Body>body{body}</Body>",
                    f"        <offsetfrom>body{body}</offsetfrom>",
                    f"        <axis>{rng.choice(AXES)}</axis>",
                    f"        <limitsdeg>{numbers(1, -170, -20)} {numbers(1, 20, 170)}</limitsdeg>",
                    f"        <maxvel>{numbers(1, 1, 3)}</maxvel>",
                    "      </Joint>",
                ]
        lines += ["    </KinBody>", '    <Manipulator name="arm">', "      <base>body0</base>"]
        lines += ["      <effector>body6</effector>", "    </Manipulator>", "  </Robot>"]
    return "\n".join([*lines, "</environment>", ""])
