"""Short documents around the content of an example."""

from __future__ import annotations


def x_xy(inside: str, head: str = "") -> str:
    """An x_xy document around a body's content."""
    body = f'<body name="arm" joint="rx">{inside}</body>'
    return f"<x_xy>{head}\n  <worldbody>\n    {body}\n  </worldbody>\n</x_xy>\n"


def mjcf(inside: str, head: str = "") -> str:
    """An MJCF document around a body's content."""
    body = f"<body>\n      {inside}\n    </body>"
    return f"<mujoco>{head}\n  <worldbody>\n    {body}\n  </worldbody>\n</mujoco>\n"


def arm(attributes: str, head: str = "") -> str:
    """An x_xy document whose one body has these attributes."""
    return f"<x_xy>{head}\n  <worldbody>\n    <body {attributes}/>\n  </worldbody>\n</x_xy>\n"


def robot(inside: str, head: str = ' xmlns:drake="http://drake.mit.edu"') -> str:
    """A URDF document with two links, a joint and further content."""
    links = '<link name="base"/>\n  <link name="arm"/>'
    ends = '<parent link="base"/><child link="arm"/>'
    joint = f'<joint name="j" type="continuous">{ends}</joint>'
    more = f"  {inside}\n" if inside else ""
    return f'<robot name="r"{head}>\n  {links}\n  {joint}\n{more}</robot>\n'


def sdf(inside: str, version: str = "1.9") -> str:
    """An SDFormat document around a model's content."""
    return f'<sdf version="{version}">\n  <model name="m">\n    {inside}\n  </model>\n</sdf>\n'


GOOD = arm('name="arm" joint="rx"')
BALL = '<geom type="sphere" mass="1" dim="0.1"/>'

FIXED_TIP = '  <joint name="k" type="fixed"><parent link="arm"/><child link="tip"/></joint>\n'


def followed(kind: str) -> str:
    """A URDF document in which a joint follows a joint of this type."""
    tip = f'<joint name="k" type="{kind}"><parent link="arm"/><child link="tip"/></joint>'
    arm = '<child link="arm"/>'
    return robot(f'<link name="tip"/>{tip}').replace(arm, arm + '<mimic joint="k"/>', 1)


def inertia(moments: str) -> str:
    """A URDF document whose last link has these moments of inertia: ixx, ixy, ixz, iyy, iyz, izz."""
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    written = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    inertial = f'<inertial><mass value="1"/><inertia {written}/></inertial>'
    return robot("").replace('<link name="arm"/>', f'<link name="arm">{inertial}</link>')


def rigid_robot(moments: str, shape: str) -> str:
    """The same, with a shape of that link, and inertia of the other link."""
    moment = '<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
    own = f'<inertial><mass value="1"/>{moment}</inertial>'
    text = inertia(moments).replace("</inertial>", f"</inertial>{shape}")
    return text.replace('<link name="base"/>', f'<link name="base">{own}</link>')


def model_of_sdf(inertial: str) -> str:
    """An SDFormat document of a link with a box of 0.2 m, and this content of its <inertial>."""
    box = '<collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>'
    return sdf(f'<link name="l"><inertial>{inertial}</inertial>{box}</link>')


def kinbody(inside: str) -> str:
    return f"<kinbody>\n  {inside}\n</kinbody>\n"


def follower(mimic: str) -> str:
    """An OpenRAVE document with a joint that follows another."""
    ends = "<body>l</body><body>m</body>"
    first = f'<joint name="a" type="hinge">{ends}</joint>'
    return kinbody(
        f'<body name="l"/><body name="m"/>\n  {first}\n  <joint name="b" type="hinge" {mimic}>{ends}</joint>'
    )


def skel(inside: str) -> str:
    """A SKEL document of one body, with further content in its skeleton."""
    physics = "<physics><gravity>0 0 -9.81</gravity></physics>"
    skeleton = f'<skeleton>\n      {inside}\n      <body name="arm"/>\n    </skeleton>'
    return f"<skel>\n  <world>\n    {physics}\n    {skeleton}\n  </world>\n</skel>\n"


TWO = '<link name="a"/><link name="b"/>'
JOINED = '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
GROUP = '<drake:collision_filter_group name="g"><drake:member link="arm"/></drake:collision_filter_group>'


def included(file: str) -> str:
    """An MJCF document that includes a file."""
    return f'<mujoco>\n  <include file="{file}"/>\n</mujoco>\n'


def meshed(file: str) -> str:
    """An MJCF document with a mesh from a file."""
    asset = f'<asset>\n    <mesh name="a" file="{file}"/>\n  </asset>'
    return (
        f'<mujoco>\n  {asset}\n  <worldbody>\n    <geom type="mesh" mesh="a"/>\n  </worldbody>\n</mujoco>\n'
    )


def drawn(file: str) -> str:
    """A URDF document with a mesh as its visual shape."""
    visual = f'<visual><geometry><mesh filename="{file}"/></geometry></visual>'
    return robot("", "").replace('<link name="arm"/>', f'<link name="arm">{visual}</link>')


def placed(file: str) -> str:
    """An OpenRAVE environment with a body from a file."""
    return f'<environment>\n  <kinbody file="{file}"/>\n</environment>\n'


PART = {"arm.xml": "<mujoco>\n  <worldbody/>\n</mujoco>\n"}
MESH = {"arm.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"}
BODY = {"arm.kinbody.xml": "<kinbody/>\n"}


ARMATURE = (
    '<mujoco>\n  <worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>\n'
    '  <tendon><fixed armature="1"><joint joint="j" coef="1"/></fixed></tendon>\n</mujoco>\n'
)
APART = ARMATURE.replace("<worldbody>", '<option apirate="10"/>\n  <worldbody>').replace(
    'armature="1"', 'stiffness="1 2"'
)
