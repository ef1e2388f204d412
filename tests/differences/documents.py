"""A document for each row of the table of differences, and for each default that changed.

A part ``[[a|b]]`` of a text is `a` in the document that the row is about, and `b` in one that it is not.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple


class Case(NamedTuple):
    """A document, and where it shows its row."""

    text: str
    fields: tuple[str, ...] = ()
    """Columns of the Model or of its data that differ between the releases."""
    steps: int = 0
    """Steps before they are compared."""
    solved: bool = True
    """Whether the solver runs to convergence in both releases."""
    reason: str = ""
    """Why no numbers are compared."""
    lacked: bool = False
    """Whether the first release lacks what the row is about."""
    apart: str = ""
    """Why the numbers as of 4.0 are not compared with MuJoCo's."""

    @property
    def concerned(self) -> str:
        """The document that the row is about."""
        return PART.sub(r"\1", self.text)

    @property
    def other(self) -> str:
        """The one that it is not about."""
        return PART.sub(r"\2", self.text)


PART = re.compile(r"\[\[(.*?)\|(.*?)\]\]", re.DOTALL)
TETRAHEDRON = 'vertex="0 0 0 1 0 0 0 1.2 0 0 0 .7 .9 .8 .7"'
CUBE = 'vertex="-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 1 -1 1 -1 1 1 1 1 1"'
BALL = " ".join(
    f"{math.cos(2.4 * n) * math.sqrt(1 - z * z):.4f} {math.sin(2.4 * n) * math.sqrt(1 - z * z):.4f} {z:.4f}"
    for n, z in enumerate(-0.95 + 0.1 * n for n in range(20))
)
HINGE = (
    '<body name="b"><joint name="j" axis="0 1 0" damping=".1"/><geom name="g" size=".1" pos=".3 0 0"/></body>'
)
ELBOW = HINGE.replace('name="b"', 'name="b" pos=".5 0 0"')
IMPLICIT = '<option integrator="implicitfast"/>'


def scene(world: str, rest: str = "", head: str = "") -> str:
    """A document with this in its world."""
    return f"<mujoco>{head}<worldbody>{world}</worldbody>{rest}</mujoco>"


def on(below: str, above: str, pos: str, head: str = "", more: str = "", euler: str = "0 0 0") -> str:
    """A shape above one of the world."""
    free = f'<body name="b" pos="{pos}" euler="{euler}"><freejoint/><geom name="g" {above}/>{more}</body>'
    return scene(f'<geom name="w" {below}/>{free}', "", head)


def meshed(mesh: str, geom: str = 'type="mesh" mesh="m"', compiler: str = "") -> str:
    """A shape of a mesh that turns."""
    head = f'<compiler {compiler}/><asset><mesh name="m" {mesh}/></asset>'
    return scene(f'<body><joint axis="1 2 3"/><geom {geom} contype="0"/></body>', "", head)


def solved(option: str) -> str:
    """Several bodies on the ground, with few iterations."""
    boxes = "".join(
        f'<body pos="{3 * n} 0 {0.19 - 0.02 * n}"><freejoint/><geom type="box" size=".2 .1 .2"/></body>'
        for n in range(3)
    )
    return scene(f'<geom type="plane" size="9 9 1"/>{boxes}', "", option)


def flag(name: str, text: str, value: str = "disable") -> str:
    """A document whose flags leave one to its default, or give it."""
    given = f'<option><flag warmstart="enable" [[|{name}="{value}"]]/></option>'
    return text.replace("<mujoco>", f"<mujoco>{given}")


ELLIPSOIDS = on('type="ellipsoid" size=".3 .2 .1"', 'type="ellipsoid" size=".1 .2 .3"', ".05 .1 .3")
MESHES = on(
    'type="mesh" mesh="m"',
    'type="mesh" mesh="m"',
    ".3 .2 1.95",
    f'<asset><mesh name="m" {CUBE}/></asset>',
)
FLEXCOMP = (
    '<flexcomp name="f" {} radius=".01" mass="1"><edge equality="true" damping="{}"/>'
    '<contact contype="0" conaffinity="0"/></flexcomp>'
)
GRID = FLEXCOMP.format('type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"', "0")
TURNED = GRID.replace("radius", 'pos=".1 .2 .3" quat="1 .2 .3 .4" radius').replace(
    "<edge", '<pin id="0 1"/><edge'
)
ISLANDS = solved('<option iterations="[[2|100]]" tolerance="0"/>')


FOREARM = '<body pos=".5 0 0"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body>'
TURNING = '<body><joint/><geom [[type="mesh" mesh="m"|size=".1"]]/></body>'
MEASURING = scene(f'{HINGE}<site name="s"/>', '<sensor>[[<accelerometer site="s"/>|]]<clock/></sensor>')


DOCUMENTS: dict[tuple[str, str], Case] = {
    ("3.3.0", "geom/@type=ellipsoid|cylinder|mesh|hfield"): Case(
        on('[[type="ellipsoid"|]] size=".3 .2 .1"', '[[type="ellipsoid"|]] size=".1 .2 .3"', ".05 .1 .3"),
        ("contact.dist", "qacc"),
    ),
    ("3.3.0", "distance|normal|fromto"): Case(
        scene(
            '<geom name="w" type="box" size=".1 .2 .3"/><body pos="1 .3 .2" euler="10 20 30"><freejoint/>'
            '<geom name="g" type="box" size=".2 .1 .15"/></body>',
            '<sensor>[[<distance geom1="w" geom2="g" cutoff="9"/>|]]<clock/></sensor>',
        ),
        ("sensordata",),
    ),
    ("3.3.0", "flexcomp/@type=box|cylinder|ellipsoid"): Case(
        scene(
            FLEXCOMP.format('type="[[box|grid]]" dim="3" count="3 3 3" spacing=".1 .1 .1" pos="0 0 1"', "0")
        )
        .replace("<worldbody>", '<worldbody><body name="p">')
        .replace("</worldbody>", "</body></worldbody>"),
        ("body_pos", "qacc"),
    ),
    ("3.3.0", "flag/@nativeccd"): Case(flag("nativeccd", ELLIPSOIDS), ("contact.dist", "qacc")),
    ("3.3.1", "replicate/@euler"): Case(
        scene(
            '<replicate count="3" offset="1 0 0" [[euler="0 20 30"|]]><body pos=".1 .2 .3"><joint/>'
            '<geom size=".1" contype="0"/></body></replicate>'
        ),
        ("xpos",),
    ),
    ("3.3.1", "contact/@internal"): Case(
        scene(f'<body name="p">{GRID}</body>'.replace("conaffinity", '[[|internal="false"]] conaffinity')),
        ("flex_internal",),
        apart="MuJoCo 4.0 has no such contacts",
    ),
    ("3.3.3", "material/@metallic"): Case(
        scene(HINGE, "", '<asset><material name="m" [[|metallic=".5"]]/></asset>'), ("mat_metallic",)
    ),
    ("3.3.3", "material/@roughness"): Case(
        scene(HINGE, "", '<asset><material name="m" [[|roughness=".5"]]/></asset>'), ("mat_roughness",)
    ),
    ("3.3.1", "replicate"): Case(
        scene(
            '<site name="w" pos="0 0 1"/><replicate count="3" offset=".4 0 0"><body><joint axis="0 1 0"/>'
            '<geom size=".1" pos=".1 0 0"/><site name="s"/></body></replicate>',
            '[[<tendon><spatial name="t"><site site="w"/><site site="s"/></spatial></tendon>'
            '<actuator><motor tendon="t"/></actuator>|]]',
        ),
        ("actuator_gear",),
    ),
    ("3.3.5", "geom/@type=sdf"): Case(
        scene(
            '<body><joint/><geom type="[[sdf|sphere]]" name="g" size=".1" mesh="m"/></body>',
            "",
            f'<asset><mesh name="m" {CUBE}/></asset>',
        ),
        reason="Models with signed distance fields are not simulated as 4.0",
    ),
    ("3.3.6", "option/@iterations"): Case(ISLANDS, ("qacc",), solved=False),
    ("3.3.6", "option/@integrator=RK4"): Case(
        scene(
            '<geom type="plane" size="1 1 1"/><body pos="0 0 .19"><joint type="slide" axis="0 0 1"/>'
            '<joint type="slide"/><joint axis="0 1 0"/><geom type="box" size=".1 .1 .2"/></body>',
            "",
            '<option integrator="[[RK4|Euler]]" iterations="1"/>',
        ),
        ("qvel",),
        steps=2,
        solved=False,
    ),
    ("3.3.6", "flag/@island"): Case(
        flag("island", solved('<option iterations="2" tolerance="0"/>')), ("qacc",), solved=False
    ),
    ("3.3.6", "geom/@mass|density=0"): Case(
        scene('<body pos="1 2 3"><geom type="box" size=".1 .2 .3" [[mass="0"|]] pos=".1 .2 .3"/></body>'),
        ("body_ipos",),
    ),
    ("3.3.7", "mesh"): Case(
        scene(TURNING, "", f'<asset>[[<mesh name="m" {TETRAHEDRON}/>|]]</asset>'),
        ("geom_quat", "body_inertia"),
    ),
    ("3.3.7", "compiler/@fitaabb"): Case(
        meshed(TETRAHEDRON, 'type="box" mesh="m"', 'fitaabb="[[true|false]]"'), ("geom_pos", "geom_quat")
    ),
    ("3.3.7", "option/@ccd_iterations"): Case(
        scene(HINGE, "", '<option [[|ccd_iterations="40"]]/>'), ("opt_ccd_iterations",)
    ),
    ("3.3.7", "accelerometer|framelinacc"): Case(MEASURING, reason="both releases measure it"),
    ("3.5.0", "geom/@margin"): Case(
        on('size=".1" [[margin=".02"|]]', 'size=".1" [[margin=".03"|]]', "0 .02 .23"), ("qacc",)
    ),
    ("3.5.0", "general|motor|position|intvelocity|velocity|damper/@forcerange"): Case(
        scene(
            HINGE,
            '<actuator><velocity joint="j" kv="9" [[forcerange="-.1 .1"|]]/></actuator>',
            IMPLICIT,
        ),
        ("qvel",),
        steps=1,
    ),
    ("3.5.0", "general/@actearly"): Case(
        scene(
            HINGE,
            '<actuator><general joint="j" dyntype="filter" dynprm=".1" gaintype="affine" gainprm="1 0 -3" '
            '[[actearly="true"|]]/></actuator>',
            IMPLICIT,
        ),
        ("qvel",),
        steps=1,
    ),
    ("3.5.0", "rangefinder/@cutoff"): Case(
        scene('<body><joint/><geom size=".1"/><site name="s" pos="0 0 .5"/></body>').replace(
            "</mujoco>", '<sensor><rangefinder site="s" [[cutoff=".5"|]]/></sensor></mujoco>'
        ),
        ("sensordata",),
    ),
    ("3.7.0", "connect|weld"): Case(
        scene(
            f'<body><joint axis="0 1 0"/><geom size=".1"/>{ELBOW}</body>',
            '<equality>[[<connect body1="b" anchor=".3 .1 .2"/>|]]</equality>',
        ),
        ("qacc",),
    ),
    ("3.8.0", "geom/@type=capsule|cylinder|mesh"): Case(
        on(
            'type="[[cylinder|box]]" size=".3 .1 .3"',
            'type="[[cylinder|box]]" size=".2 .1 .2"',
            ".1 0 .19",
        ),
        ("contact.dist", "qacc"),
    ),
    ("3.8.0", "flag/@multiccd"): Case(flag("multiccd", MESHES), ("contact.dist", "qacc")),
    ("3.8.1", "option/@solver=PGS"): Case(
        solved('<option solver="[[PGS|Newton]]" iterations="3"/>'), ("qacc",), solved=False
    ),
    ("3.9.0", "geom|pair/@gap"): Case(
        on('size=".1" margin=".02" [[gap=".01"|]]', 'size=".1"', "0 0 .195"), ("qacc",)
    ),
    ("3.10.0", "option/@solver=CG"): Case(
        solved('<option solver="[[CG|Newton]]" iterations="4" tolerance="0"/>'), ("qacc",), solved=False
    ),
    ("3.10.0", "geom/@type=plane"): Case(
        scene(f'<geom [[type="plane" size="0 0 .1"|size=".1"]]/>{HINGE}'), ("stat_extent", "stat_center")
    ),
    ("3.10.0", "mesh/@maxhullvert"): Case(
        meshed(f'vertex="{BALL}" [[maxhullvert="8"|]]'), ("body_mass", "geom_pos")
    ),
    ("3.11.0", "option/@solver=PGS"): Case(
        solved('<option solver="[[PGS|CG]]" iterations="3"/>'), ("qacc",), solved=False
    ),
    ("3.11.0", "option/@tolerance"): Case(
        solved('<option tolerance="[[.1|1e-8]]"/>'), ("qacc",), steps=5, solved=False
    ),
    ("3.11.0", "freejoint"): Case(
        scene('<body><[[freejoint|joint]]/><geom type="box" size=".1 .2 .3"/></body>', "", IMPLICIT),
        ("qvel",),
        steps=1,
    ),
    ("3.11.0", "position|intvelocity"): Case(
        scene(
            '<body><joint name="j" type="[[ball|hinge]]"/><geom type="box" size=".1 .2 .3"/></body>',
            '<actuator><position joint="j" kp="3" gear="0 0 .02"/></actuator>',
        ),
        ("actuator_force",),
    ),
    ("3.11.0", "position|intvelocity/@refsite"): Case(
        scene(
            '<site name="o"/><body><freejoint/><geom type="box" size=".1 .2 .3"/><site name="s"/></body>',
            '<actuator><position site="s" [[refsite="o"|]] kp="3" gear="0 0 0 0 .02 0"/></actuator>',
        ),
        ("actuator_force",),
    ),
    ("3.11.0", "damper"): Case(
        scene(
            HINGE,
            '<actuator><damper joint="j" [[|kv="5"]] ctrlrange="0 2"/></actuator>',
            '<default>[[<damper kv="5" ctrlrange="0 2"/>|]]</default>',
        ),
        ("actuator_gainprm",),
    ),
    ("3.11.0", "option/@sleep_tolerance"): Case(
        scene(HINGE, "", '<option [[|sleep_tolerance="1e-4"]]/>'),
        reason="bodies do not sleep",
        lacked=True,
    ),
    ("3.12.0", "geom/@type=box"): Case(
        on('type="[[box|sphere]]" size=".1 .1 .1"', 'type="[[box|sphere]]" size=".1 .1 .1"', "0 .01 .02"),
        ("contact.dist", "qacc"),
    ),
    ("3.12.0", "body/@mocap"): Case(
        scene(
            '<body mocap="[[true|false]]"><geom size=".1"/><body pos=".1 0 .05"><joint/><geom size=".1"/>'
            "</body></body>"
        ),
        ("ncon", "body_weldid"),
    ),
    ("3.12.0", "global/@bvactive"): Case(
        scene(HINGE, "", '<visual><global [[|bvactive="true"]]/></visual>'),
        reason="it is for pictures only",
    ),
    ("3.13.0", "general|motor|position|intvelocity|velocity|damper/@ctrlrange"): Case(
        scene(
            HINGE,
            '<actuator><general joint="j" gaintype="affine" gainprm="1 0 -3" [[ctrlrange="-.1 .1"|]]/>'
            "</actuator>",
            IMPLICIT,
        ),
        ("qvel",),
        steps=1,
    ),
    ("3.13.0", "geom/@type=mesh"): Case(
        on(
            'type="plane" size="1 1 1"',
            'type="mesh" mesh="m"',
            "0 0 .99",
            f'<asset><mesh name="m" {CUBE}/></asset>',
            euler=".1 .2 0",
        ).replace('type="mesh" mesh="m"', '[[type="mesh" mesh="m"|type="sphere" size="1"]]'),
        ("ncon", "qacc"),
    ),
    ("3.13.0", "geom/@type=cylinder"): Case(
        on(
            'type="box" size=".3 .3 .1"',
            'type="[[cylinder|sphere]]" size=".2 .1"',
            ".1 0 .19",
        ),
        ("ncon", "qacc"),
    ),
    ("3.14.0", "geom/@fluidshape=ellipsoid"): Case(
        scene(
            '<body><freejoint/><geom type="box" size=".01 .02 .003" [[fluidshape="ellipsoid"|]]/></body>',
            "",
            '<option density="1000" viscosity=".001"/>',
        ),
        ("qfrc_passive",),
    ),
    ("3.14.0", "force|torque"): Case(
        scene(
            HINGE.replace("</body>", '<site name="s"/></body>'),
            '<equality><weld body1="b"/></equality><sensor>[[<torque site="s"/>|]]<clock/></sensor>',
        ),
        ("sensordata",),
    ),
    ("3.14.0", "spatial/@actuatorfrclimited"): Case(
        scene(
            HINGE.replace("</body>", '<site name="s"/></body><site name="o"/>'),
            '<tendon><spatial [[|actuatorfrclimited="false"]]><site site="s"/><site site="o"/></spatial>'
            "</tendon>",
        ),
        reason="tendons have no such limits in 3.2.7",
        lacked=True,
    ),
    ("3.15.0", "position|intvelocity/@dampratio"): Case(
        scene(
            HINGE.replace("</body>", f"{FOREARM}</body>"),
            '<actuator><position joint="j" kp="3" [[dampratio="1"|]]/></actuator>',
        ),
        ("actuator_biasprm",),
    ),
    ("3.15.0", "geom/@type=capsule"): Case(
        on(
            'type="cylinder" size="1 1"',
            'type="[[capsule|sphere]]" size=".1 .2"',
            ".1 0 1.09",
            euler="0 90 0",
        ),
        ("ncon",),
    ),
    ("3.15.0", "pair"): Case(
        scene(
            f'<geom name="v" size=".1"/><geom name="w" size=".1" pos="0 0 .15"/>{HINGE}',
            '<contact>[[<pair geom1="v" geom2="w"/>|]]</contact>',
        ),
        ("efc_margin",),
    ),
    ("3.16.0", "geom/@type=capsule"): Case(
        on(
            'type="[[capsule|sphere]]" size=".1 .5"',
            'type="[[capsule|sphere]]" size=".1 .5"',
            ".19 0 .1",
            euler="0 .001 0",
        ),
        ("ncon", "qacc"),
    ),
    ("3.16.0", "key"): Case(
        scene(
            '<replicate count="2" offset="1 0 0"><body><joint/><geom size=".1"/></body></replicate>',
            '<keyframe>[[<key qpos=".1"/>|]]</keyframe>',
        ),
        ("key_qpos",),
    ),
    ("3.16.0", "compiler/@fusestatic"): Case(
        scene(
            f'{HINGE}<body><geom size=".1"/><body><geom size=".2"/></body></body>',
            '<actuator><motor joint="j"/></actuator>',
            '<compiler fusestatic="[[true|false]]"/>',
        ),
        ("nbody",),
    ),
    ("3.16.0", "geom/@fluidshape=ellipsoid"): Case(
        scene(
            '<body><joint/><geom size=".1"/>'
            '<geom size=".2" contype="0" conaffinity="0" [[fluidshape="ellipsoid"|]]/></body>',
            "",
            '<compiler discardvisual="true"/>',
        ),
        ("ngeom",),
    ),
    ("3.16.0", "default/geom|default/site|default/camera/@euler|axisangle|xyaxes|zaxis"): Case(
        scene(
            '<body><joint/><geom type="box" size=".1 .2 .3" quat="1 1 0 0"/></body>',
            "",
            '<default><geom [[euler="10 20 30"|]]/></default>',
        ),
        ("geom_quat",),
    ),
    ("3.16.0", "adhesion|position"): Case(
        scene(
            HINGE,
            '<actuator><position joint="j"/></actuator>',
            '<default>[[<general dyntype="filter" dynprm=".3"/>|]]</default>',
        ),
        ("na", "actuator_dyntype"),
    ),
    (
        "3.16.0",
        "default/position|default/velocity|default/intvelocity|default/damper|default/cylinder|"
        "default/muscle|default/adhesion",
    ): Case(
        scene(
            HINGE,
            '<actuator><velocity joint="j" [[|kv="7"]]/></actuator>',
            '<default>[[<position kp="7"/>|<motor/>]]</default>',
        ),
        ("actuator_gainprm",),
    ),
    ("3.17.0", "statistic/@meaninertia"): Case(
        solved('<option solver="PGS"/><statistic [[meaninertia="1e-9"|]]/>'), ("qacc",), solved=False
    ),
    ("3.17.0", "geom/@margin"): Case(
        on(
            'type="mesh" mesh="m" [[margin=".1"|]]',
            'type="box" size=".2 .2 .1"',
            ".1 0 1.15",
            f'<asset><mesh name="m" {CUBE}/></asset>',
        ),
        ("ncon", "qacc"),
    ),
    ("3.17.0", "geom/@sidesite"): Case(
        scene(
            '<geom name="w" size=".3" contype="0"/><site name="a" pos="-.5 0 .7"/>'
            '<site name="in" pos=".05 0 .1"/>'
            '<body pos=".5 0 .8"><joint/><geom size=".1" pos="0 .2 0"/><site name="e" pos="0 .1 .03"/>'
            "</body>",
            '<tendon><spatial stiffness="9" springlength="0"><site site="a"/>'
            '<geom geom="w" [[sidesite="in"|]]/><site site="e"/></spatial></tendon>',
        ),
        ("qacc",),
    ),
    ("4.0", "connect|weld/@body1|body2=world"): Case(
        scene(
            '<replicate count="2" offset=".5 0 0"><body name="b" pos="0 0 1"><freejoint/><geom size=".1"/>'
            "</body></replicate>",
            '<equality>[[<weld body1="b" body2="world"/>|]]</equality>',
        ),
        ("eq_obj1id",),
    ),
    ("4.0", "geom/@sidesite"): Case(
        scene(
            '<geom name="w" type="cylinder" size=".1 1" contype="0"/><site name="a" pos=".3 0 0"/>'
            '<site name="side" pos="-.2 .05 0"/>'
            '<body pos="0 .3 0"><joint type="slide"/><geom size=".05" contype="0"/><site name="e"/></body>',
            '<tendon><spatial><site site="a"/><geom geom="w" [[sidesite="side"|]]/><site site="e"/></spatial>'
            "</tendon>",
        ),
        ("ten_length",),
    ),
    ("4.0", "option/@integrator=RK4"): Case(
        scene(
            '<body><freejoint/><geom type="box" size=".1 .2 .3"/></body>',
            "",
            '<option integrator="[[RK4|Euler]]" timestep=".02"/>',
        ),
        ("qpos",),
        steps=3,
    ),
    ("4.0", "joint|spatial|fixed/@actuatorfrcrange"): Case(
        scene(
            HINGE.replace('damping=".1"', '[[actuatorfrcrange="-.1 .1"|]]'),
            '<actuator><velocity joint="j" kv="9"/></actuator>',
            IMPLICIT,
        ),
        ("qvel",),
        steps=1,
    ),
    ("4.0", "accelerometer|framelinacc"): Case(MEASURING, reason="3.2.7 measures it as well"),
    ("4.0", "edge/@damping"): Case(
        scene(
            '<body name="p">'
            + FLEXCOMP.format('type="grid" dim="2" count="3 3 1" spacing=".1 .1 .1"', "[[3|0]]")
            + "</body>",
            "",
            IMPLICIT,
        ).replace('equality="true" ', ""),
        ("qvel",),
        steps=1,
    ),
    ("4.0", "mesh"): Case(
        scene(TURNING, "", f'<asset>[[<mesh name="m" {TETRAHEDRON} scale=".01 .02 .01"/>|]]</asset>'),
        ("geom_quat", "body_inertia"),
    ),
    ("4.0", "frame/flexcomp"): Case(
        scene(
            '<body name="p" pos="0 0 1"><joint/><geom size=".1"/><frame pos="1 2 3" euler="10 20 30">'
            f'<frame pos=".1 0 0" euler="0 40 0">[[{TURNED}|]]</frame></frame></body>'
        ),
        ("body_pos", "flex_vert", "flexvert_xpos", "qfrc_bias"),
    ),
    ("4.0", "flex|flexcomp"): Case(
        scene(f'<body name="p">[[{GRID}|]]</body>'),
        reason="flexes that are elastic or touch something are not simulated as 4.0",
    ),
    ("4.0", "headlight/@active"): Case(
        scene(HINGE, "", '<visual><headlight [[|active="0"]]/></visual>'), reason="it is for pictures only"
    ),
}
"""By the release and the elements of a row."""
