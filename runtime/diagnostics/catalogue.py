"""Every code a finding can have: what it means, how severe it is under each policy, and an example each.

Codes are stable: one that is no longer used is not given to something else. A document named `bad` has this
finding and, under it, no error with another code; `good` is the same document repaired.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from polybody.diagnostics.diagnostic import Policy, Severity


class Severities(NamedTuple):
    strict: Severity
    warn: Severity
    lenient: Severity


ALWAYS = Severities("error", "error", "error")  # the meaning is unknown without it
UNTOLERATED = Severities("error", "error", "warning")  # engines refuse it, the rest has a meaning
TOLERATED = Severities("error", "warning", "warning")  # engines take it in practice
NOTABLE = Severities("warning", "warning", "warning")
REMARK = Severities("info", "info", "info")


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding."""

    code: str
    title: str
    severities: Severities
    explanation: str
    bad: str | bytes | None = None
    good: str | None = None

    def severity(self, policy: Policy) -> Severity:
        return self.severities[("strict", "warn", "lenient").index(policy)]


def _x_xy(inside: str, head: str = "") -> str:
    """An x_xy document around a body's content."""
    body = f'<body name="arm" joint="rx">{inside}</body>'
    return f"<x_xy>{head}\n  <worldbody>\n    {body}\n  </worldbody>\n</x_xy>\n"


def _mjcf(inside: str, head: str = "") -> str:
    """An MJCF document around a body's content."""
    body = f"<body>\n      {inside}\n    </body>"
    return f"<mujoco>{head}\n  <worldbody>\n    {body}\n  </worldbody>\n</mujoco>\n"


def _arm(attributes: str, head: str = "") -> str:
    """An x_xy document whose one body has these attributes."""
    return f"<x_xy>{head}\n  <worldbody>\n    <body {attributes}/>\n  </worldbody>\n</x_xy>\n"


def _robot(inside: str, head: str = ' xmlns:drake="http://drake.mit.edu"') -> str:
    """A URDF document of two links and a joint, around more."""
    links = '<link name="base"/>\n  <link name="arm"/>'
    ends = '<parent link="base"/><child link="arm"/>'
    return (
        f'<robot name="r"{head}>\n  {links}\n  <joint name="j" type="continuous">{ends}</joint>\n'
        f"  {inside}\n</robot>\n"
    )


def _sdf(inside: str, version: str = "1.9") -> str:
    """An SDFormat document around a model's content."""
    return f'<sdf version="{version}">\n  <model name="m">\n    {inside}\n  </model>\n</sdf>\n'


_GOOD = _arm('name="arm" joint="rx"')
_BALL = '<geom type="sphere" mass="1" dim="0.1"/>'

_FIXED_TIP = '  <joint name="k" type="fixed"><parent link="arm"/><child link="tip"/></joint>\n'


def _followed(kind: str) -> str:
    """A URDF document in which a joint follows one of this kind."""
    tip = f'<joint name="k" type="{kind}"><parent link="arm"/><child link="tip"/></joint>'
    arm = '<child link="arm"/>'
    return _robot(f'<link name="tip"/>{tip}').replace(arm, arm + '<mimic joint="k"/>', 1)


def _inertia(moments: str) -> str:
    """A URDF document whose last link has these moments, in the order in which they are written."""
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    written = " ".join(f'{name}="{value}"' for name, value in zip(names, moments.split(), strict=True))
    inertial = f'<inertial><mass value="1"/><inertia {written}/></inertial>'
    return _robot("").replace('<link name="arm"/>', f'<link name="arm">{inertial}</link>')


def _kinbody(inside: str) -> str:
    return f"<kinbody>\n  {inside}\n</kinbody>\n"


def _follower(mimic: str) -> str:
    """Bodies of OpenRAVE with a joint that follows another."""
    ends = "<body>l</body><body>m</body>"
    first = f'<joint name="a" type="hinge">{ends}</joint>'
    return _kinbody(
        f'<body name="l"/><body name="m"/>\n  {first}\n  <joint name="b" type="hinge" {mimic}>{ends}</joint>'
    )


def _skel(inside: str) -> str:
    """A SKEL document of one body, around more in its skeleton."""
    physics = "<physics><gravity>0 0 -9.81</gravity></physics>"
    skeleton = f'<skeleton>\n      {inside}\n      <body name="arm"/>\n    </skeleton>'
    return f"<skel>\n  <world>\n    {physics}\n    {skeleton}\n  </world>\n</skel>\n"


_TWO = '<link name="a"/><link name="b"/>'
_JOINED = '<joint name="j" type="fixed"><parent>a</parent><child>b</child></joint>'
_GROUP = '<drake:collision_filter_group name="g"><drake:member link="arm"/></drake:collision_filter_group>'

_ROWS = (
    # --- the text itself
    Code(
        "PB001",
        "file cannot be read",
        ALWAYS,
        "The file does not exist, is a folder, or its permissions forbid reading it.",
    ),
    Code(
        "PB002",
        "beyond a limit",
        ALWAYS,
        "Documents are refused beyond limits on size, depth, number of elements and length of one tag "
        "or text, so that a hostile file costs neither memory nor time. `polybody.sources.Limits` "
        "states and changes them.",
        "<x_xy><worldbody>" + "<body>" * 10_000 + "</body>" * 10_000 + "</worldbody></x_xy>",
        _GOOD,
    ),
    Code(
        "PB003",
        "encoding unknown or contradictory",
        ALWAYS,
        "The XML declaration names an encoding that is not known, or one that the bytes are not in.",
        b'<?xml version="1.0" encoding="utf-99"?>\n' + _GOOD.encode(),
        '<?xml version="1.0" encoding="utf-8"?>\n' + _GOOD,
    ),
    Code(
        "PB004",
        "document type refused",
        ALWAYS,
        "A DOCTYPE can define entities that expand without bounds and name files outside the "
        "document. None of the formats needs one.",
        '<!DOCTYPE x_xy [<!ENTITY a "arm">]>\n' + _GOOD,
        _GOOD,
    ),
    Code(
        "PB005",
        "malformed XML",
        ALWAYS,
        "The text is not well-formed XML: a quote, an angle bracket or an entity is missing or "
        "misplaced. What follows cannot be understood, so that this is the only finding from there "
        "on.",
        _arm('name="arm joint="rx"'),
        _GOOD,
    ),
    Code(
        "PB006",
        "end tag missing or wrong",
        ALWAYS,
        "An element is not closed, or an end tag closes nothing. Where it should be is told by the "
        "indentation.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx">\n  </worldbody>\n</x_xy>\n',
        _GOOD,
    ),
    Code(
        "PB007",
        "unknown format",
        ALWAYS,
        "The root element belongs to no format that is known here.",
        "<scene/>\n",
        _GOOD,
    ),
    Code(
        "PB008",
        "wrong root element",
        ALWAYS,
        "The root element is not that of the format, though it may be meant for it.",
        _GOOD.replace("x_xy>", "x_xyz>"),
        _GOOD,
    ),
    Code(
        "PB009",
        "too many findings",
        ALWAYS,
        "Of each severity a thousand findings are listed. After so many errors the check stops: repair these "
        "first.",
        "<x_xy>" + "<thing/>" * 1001 + '<worldbody><body name="arm" joint="rx"/></worldbody></x_xy>',
        _GOOD,
    ),
    Code(
        "PB010",
        "path not allowed",
        ALWAYS,
        "A reference to another file leads out of the model's folder and of the declared roots, or to "
        "the network.",
    ),
    # --- the schema
    Code(
        "PB011",
        "unknown element",
        UNTOLERATED,
        "An element that the format does not know, or not in this place.",
        _x_xy("<geo/>"),
        _GOOD,
    ),
    Code(
        "PB012",
        "unknown attribute",
        UNTOLERATED,
        "An attribute that the format does not know on this element. Nothing is ignored silently: a "
        "misspelt attribute would otherwise leave its default in place.",
        _arm('name="arm" joint="rx" dampin="1"'),
        _arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB013",
        "stray text",
        TOLERATED,
        "Text in an element that takes none; often the remains of a comment or of a tag.",
        _x_xy("arm"),
        _GOOD,
    ),
    Code(
        "PB014",
        "element too often",
        ALWAYS,
        "The element may stand there only as often as the format says, mostly once.",
        _arm('name="arm" joint="rx"', "<options/><options/>"),
        _arm('name="arm" joint="rx"', "<options/>"),
    ),
    Code(
        "PB015",
        "element missing",
        ALWAYS,
        "An element lacks a child that the format requires.",
        "<x_xy>\n  <worldbody/>\n</x_xy>\n",
        _GOOD,
    ),
    Code(
        "PB016",
        "not a value of its type",
        ALWAYS,
        "Numbers are written as in XML Schema: `1`, `-0.5`, `1e-3`. There is no decimal comma, no "
        "`1_000` and no hexadecimal; words are not numbers.",
        _arm('name="arm" joint="rx" damping="0,5"'),
        _arm('name="arm" joint="rx" damping="0.5"'),
    ),
    Code(
        "PB017",
        "wrong number of values",
        ALWAYS,
        "Vectors have exactly as many numbers as the format says; one number does not stand for three.",
        _arm('name="arm" joint="rx" pos="0 1"'),
        _arm('name="arm" joint="rx" pos="0 1 0"'),
    ),
    Code(
        "PB018",
        "not one of the words",
        ALWAYS,
        "The attribute takes one of a few words, spelt exactly as listed.",
        _arm('name="arm" joint="Rx"'),
        _GOOD,
    ),
    Code(
        "PB019",
        "out of range",
        TOLERATED,
        "A number beyond what the format or physics allows, such as a negative mass or time step.",
        _x_xy('<geom type="sphere" mass="-1" dim="0.1"/>'),
        _x_xy(_BALL),
    ),
    Code(
        "PB020",
        "not finite",
        ALWAYS,
        "Neither NaN nor an infinity is a value here.",
        _arm('name="arm" joint="rx" damping="INF"'),
        _arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB021",
        "attribute missing",
        ALWAYS,
        "The element needs the attribute; a defaults element may give it too, where the format has one.",
        _x_xy('<geom type="sphere" dim="0.1"/>'),
        _x_xy(_BALL),
    ),
    Code(
        "PB022",
        "attributes exclude each other",
        ALWAYS,
        "Two attributes say the same thing in different ways. One of them may come from defaults.",
        _arm('name="arm" joint="rx" quat="1 0 0 0" euler="0 0 90"'),
        _arm('name="arm" joint="rx" euler="0 0 90"'),
    ),
    Code(
        "PB023",
        "attributes belong together",
        UNTOLERATED,
        "One attribute means something only together with another.",
        _arm('name="arm" joint="rx" pos_min="0 0 0"'),
        _arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB024",
        "size does not fit",
        ALWAYS,
        "How many values an attribute takes depends on another attribute: a joint's damping on its "
        "type, a shape's dimensions on the shape. A default that fills elements of several kinds fits "
        "all of them or is reported at both places.",
        _arm('name="arm" joint="rx" damping="1 2 3"'),
        _arm('name="arm" joint="rx" damping="1"'),
    ),
    Code(
        "PB025",
        "given twice",
        ALWAYS,
        "One attribute is given under two names.",
        _GOOD.replace("<x_xy>", '<x_xy name="a" model="a">'),
        _GOOD.replace("<x_xy>", '<x_xy model="a">'),
    ),
    Code(
        "PB026",
        "empty or not of the required shape",
        ALWAYS,
        "The text is empty or does not follow the pattern that the format asks for.",
    ),
    Code(
        "PB027",
        "no effect",
        NOTABLE,
        "The attribute is legal here but nothing reads it, so that it probably is a mistake.",
        _x_xy('<geom type="xyz" mass="1"/>'),
        _x_xy('<geom type="xyz"/>'),
    ),
    Code(
        "PB028",
        "left out, where not every reader has a default",
        NOTABLE,
        "Some readers of the format demand it, others take a default. What the default is stands in the "
        "format's reference.",
        _robot('<link name="tip"><inertial><mass value="1"/></inertial></link>').replace(
            "</robot>", _FIXED_TIP + "</robot>"
        ),
        _robot('<link name="tip"/>').replace("</robot>", _FIXED_TIP + "</robot>"),
    ),
    Code(
        "PB029",
        "newer than the format's version",
        UNTOLERATED,
        "A later version of the format has this element or attribute, the one that is read here has not.",
        '<mujoco>\n  <asset>\n    <mesh name="a" file="a.obj" builtin="sphere"/>\n  </asset>\n</mujoco>\n',
        '<mujoco>\n  <asset>\n    <mesh name="a" file="a.obj"/>\n  </asset>\n</mujoco>\n',
    ),
    Code(
        "PB030",
        "text without effect",
        NOTABLE,
        "Text in an element that takes none, in a format whose readers skip it; often the remains of a "
        "comment or of a tag.",
        "<mujoco>arm</mujoco>\n",
        "<mujoco/>\n",
    ),
    # --- names
    Code(
        "PB031",
        "name given twice",
        ALWAYS,
        "Names are unique; both places are reported.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="arm" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="leg" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
    ),
    Code(
        "PB032",
        "name refers to nothing",
        ALWAYS,
        "There is no element of that kind and name in the document.",
        _mjcf('<geom size="1" material="steel"/>'),
        _mjcf('<geom size="1" material="steel"/>', '\n  <asset>\n    <material name="steel"/>\n  </asset>'),
    ),
    Code(
        "PB039",
        "files include each other",
        ALWAYS,
        "A file includes itself, directly or through others; there is no end to it.",
    ),
    Code(
        "PB040",
        "file may be elsewhere",
        NOTABLE,
        "A file is not beside the document, or would lead out of its folder. Readers of the format look in "
        "folders of their own, too, so that it may be there; what it holds is not known here.",
    ),
    Code(
        "PB077",
        "file of another format",
        REMARK,
        "The file is recognised by its name, and not read: what it holds is not known.",
    ),
    Code(
        "PB038",
        "file included twice",
        ALWAYS,
        "The format takes each file once: what it holds would be there twice.",
    ),
    Code(
        "PB033",
        "references form a cycle",
        ALWAYS,
        "What must lead from one thing to another without coming back, such as parents and children, does.",
        _robot('<joint name="k" type="fixed"><parent link="arm"/><child link="arm"/></joint>').replace(
            '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>', ""
        ),
        _robot(""),
    ),
    Code(
        "PB034",
        "two parents",
        ALWAYS,
        "In a tree, nothing hangs on two others. A loop of joints is closed by a constraint.",
        _robot('<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint>'),
        _robot(""),
    ),
    Code(
        "PB035",
        "several roots",
        NOTABLE,
        "More than one part hangs on nothing: some readers refuse that, others let the parts move freely.",
        _robot('<link name="lost"/>'),
        _robot(""),
    ),
    Code(
        "PB036",
        "file missing",
        UNTOLERATED,
        "A mesh, an image or another file is not where the document says it is.",
    ),
    Code(
        "PB037",
        "file not looked for",
        NOTABLE,
        "A file is named by a package whose folder cannot be told, since no folder above the document is it, "
        "or stands outside the document's folder, where nothing is opened.",
    ),
    # --- physics
    Code(
        "PB041",
        "zero quaternion",
        ALWAYS,
        "A quaternion of norm zero is no rotation, and cannot be normalised.",
        _arm('name="arm" joint="rx" quat="0 0 0 0"'),
        _arm('name="arm" joint="rx" quat="1 0 0 0"'),
    ),
    Code(
        "PB042",
        "quaternion normalised",
        NOTABLE,
        "The quaternion's norm is not 1; it is normalised when used. Often a digit is missing.",
        _arm('name="arm" joint="rx" quat="0.7 0.7 0 0"'),
        _arm('name="arm" joint="rx" quat="0.70710678 0.70710678 0 0"'),
    ),
    Code(
        "PB043",
        "quaternion not of unit length",
        TOLERATED,
        "Here a quaternion is used as it stands, so that it must have norm 1.",
        _arm('name="arm" joint="spherical" spring_zero="1 1 0 0"'),
        _arm('name="arm" joint="spherical" spring_zero="1 0 0 0"'),
    ),
    Code(
        "PB044",
        "bounds in the wrong order",
        TOLERATED,
        "A lower bound is greater than its upper bound.",
        _arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 0"'),
        _arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB045",
        "bounds are equal",
        UNTOLERATED,
        "The two bounds of a range are the same, so that there is nothing to choose from.",
        _arm('name="arm" joint="rx" pos_min="0 0 1" pos_max="0 0 1"'),
        _arm('name="arm" joint="rx" pos_min="0 0 0" pos_max="0 0 1"'),
    ),
    Code(
        "PB046",
        "no direction",
        ALWAYS,
        "A vector whose direction matters, such as a joint's axis, is zero.",
        _robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 0"/>'),
        _robot("").replace('<child link="arm"/>', '<child link="arm"/><axis xyz="0 0 1"/>'),
    ),
    Code(
        "PB047",
        "not the inertia of a body",
        TOLERATED,
        "Principal moments of inertia are positive, and none is greater than the sum of the other two, "
        "whatever the body. Engines replace other inertias by ones of their own, or become unstable.",
        _inertia("9 0 0 1 0 1"),
        _inertia("1 0 0 1 0 1"),
    ),
    Code(
        "PB055",
        "no rotation",
        TOLERATED,
        "The columns of a rotation's matrix are of length 1 and at right angles, and its determinant is 1.",
        _kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 2</rotationmat></body>"),
        _kinbody("<body><rotationmat>1 0 0 0 1 0 0 0 1</rotationmat></body>"),
    ),
    Code(
        "PB057",
        "not a formula",
        ALWAYS,
        "The text is no formula of joints: a sign is missing, a parenthesis is not closed, or a name is "
        "neither a joint nor a function. The place is told to the column.",
        _follower('mimic_pos="2*(a" mimic_vel="|a 2"'),
        _follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB058",
        "not the derivative",
        NOTABLE,
        "The partial derivative that is given differs from that of the formula, so that velocities or "
        "accelerations would not be those of the positions.",
        _follower('mimic_pos="2*a" mimic_vel="|a 3"'),
        _follower('mimic_pos="2*a" mimic_vel="|a 2"'),
    ),
    Code(
        "PB059",
        "opened again",
        REMARK,
        "A body of that name exists already: what stands here is added to it.",
        _kinbody('<body name="a"/><body name="a"/>'),
        _kinbody('<body name="a"/><body name="b"/>'),
    ),
    Code(
        "PB048",
        "joint cannot be followed",
        ALWAYS,
        "A joint with one freedom can only follow another with one freedom.",
        _followed("floating"),
        _followed("continuous"),
    ),
    Code(
        "PB049",
        "not in this place of the tree",
        ALWAYS,
        "A joint, shape or body is legal there by its tag, but not on that body: a free joint below "
        "another body, a plane that would move.",
        _mjcf('<freejoint/><joint/><geom size="1"/>'),
        _mjcf('<freejoint/><geom size="1"/>'),
    ),
    Code(
        "PB050",
        "moving body without mass",
        UNTOLERATED,
        "A body with joints needs mass and inertia: its own, or those of a body that is fixed to it. MuJoCo "
        "refuses it, since nothing says how it would move.",
        _mjcf('<freejoint/><geom size="1" mass="0"/>'),
        _mjcf('<freejoint/><geom size="1" mass="1"/>'),
    ),
    Code(
        "PB051",
        "gravity points upwards",
        NOTABLE,
        "In x_xy, gravity is the acceleration of the base: `0 0 9.81` lets things fall down. With a "
        "negative z they fall up, which is rarely meant.",
        _arm('name="arm" joint="rx"', '<options gravity="0 0 -9.81"/>'),
        _arm('name="arm" joint="rx"', '<options gravity="0 0 9.81"/>'),
    ),
    Code(
        "PB052",
        "moving part without mass",
        NOTABLE,
        "A body that moves and neither has mass nor carries any makes the mass matrix singular: its "
        "acceleration is only defined by armature or regularisation.",
        _GOOD,
        _x_xy(_BALL),
    ),
    Code(
        "PB053",
        "unknown colour name",
        REMARK,
        "The colour's name is kept as it is; viewers that do not know it show their own default.",
        _x_xy('<geom type="sphere" mass="1" dim="0.1" color="dustin"/>'),
        _x_xy('<geom type="sphere" mass="1" dim="0.1" color="orange"/>'),
    ),
    Code(
        "PB056",
        "tendon that leads nowhere",
        ALWAYS,
        "Each branch of a spatial tendon begins and ends with a site, and goes around a geom between two "
        "sites.",
        _mjcf('<site name="a"/>', '<tendon><spatial><site site="a"/></spatial></tendon>'),
        _mjcf('<site name="a"/>', '<tendon><spatial><site site="a"/><site site="a"/></spatial></tendon>'),
    ),
    # --- making a Model
    Code(
        "PB061",
        "read, not simulated",
        REMARK,
        "The format has this, and a document keeps it, but no simulation takes note of it. Said once "
        "for each kind.",
        _x_xy(_BALL + '<omc pos_marker="1"/>'),
        _x_xy(_BALL),
    ),
    Code(
        "PB062",
        "accelerations undetermined",
        NOTABLE,
        "The mass matrix is singular whatever the masses are: kinematics, forces and the matrix itself are "
        "exact, but forces do not determine the accelerations. Armature or regularization does.",
        _x_xy(_BALL).replace('"rx"', '"cor"'),
        _x_xy(_BALL).replace('"rx"', '"free"'),
    ),
    Code(
        "PB063",
        "no Model can be made of it",
        ALWAYS,
        "Each part of the document is sound, but together they are no Model: a name that a Model needs for "
        "something else is taken, or sums leave the range of numbers.",
        _x_xy(_BALL).replace('"arm"', '"world"'),
        _x_xy(_BALL),
    ),
    Code(
        "PB054",
        "not supported",
        UNTOLERATED,
        "The format knows it, but it is refused: its meaning would be lost.",
        _robot("<loop_joint/>"),
        _robot(""),
    ),
    Code(
        "PB064",
        "format not simulated",
        ALWAYS,
        "Documents of this format are read, checked and written; no Model can be made of them yet.",
    ),
    # --- prefixes and templates
    Code(
        "PB071",
        "prefix not declared",
        NOTABLE,
        "Names with a prefix belong to a namespace, which the root element declares. Some readers do "
        "without, those that know namespaces refuse the document.",
        _robot(_GROUP, ""),
        _robot(_GROUP),
    ),
    Code(
        "PB072",
        "template not expanded",
        ALWAYS,
        "The text is a template, from which a program makes the document. What it says is not known before.",
        _robot('<xacro:include filename="arm.xacro"/>'),
        _robot(""),
    ),
    Code(
        "PB074",
        "not known to every reader",
        NOTABLE,
        "A spelling or place that the format's document and its readers do not share, or an old one. It is "
        "read here; another spelling is read by all.",
        _skel("<immobile>1</immobile>"),
        _skel("<mobile>0</mobile>"),
    ),
    Code(
        "PB075",
        "skeletons without a world",
        TOLERATED,
        "A SKEL file describes a world. Of a file that holds skeletons alone, DART has another call to read "
        "the first.",
        '<skel>\n  <skeleton>\n    <body name="arm"/>\n  </skeleton>\n</skel>\n',
        _skel(""),
    ),
    Code(
        "PB076",
        "name used again",
        NOTABLE,
        "Names of one kind should differ. Nothing refers to these, so that the document has a meaning.",
        _skel("")
        .replace("</world>", '<skeleton name="a"><body/></skeleton></world>')
        .replace("<skeleton>", '<skeleton name="a">'),
        _skel(""),
    ),
    Code(
        "PB073",
        "version not known",
        NOTABLE,
        "The document is of a version that is not known here; what is new in it will be unknown.",
        _robot("", ' version="9.0"'),
        _robot("", ' version="1.0"'),
    ),
    Code(
        "PB078",
        "for others than simulators",
        REMARK,
        "The element is part of the format and is kept, and other tools use it; no simulation does.",
        _robot("").replace("</joint>", '<calibration rising="1"/></joint>'),
        _robot(""),
    ),
    Code(
        "PB081",
        "newer than the document's version",
        NOTABLE,
        "The document says of which version of its format it is, and this came later. Readers of today take "
        "it, those of that version do not.",
        _sdf('<self_collide>true</self_collide><link name="a"/>', "1.4"),
        _sdf('<self_collide>true</self_collide><link name="a"/>', "1.9"),
    ),
    Code(
        "PB082",
        "gone from the document's version",
        TOLERATED,
        "The document says of which version of its format it is, and this is no part of that any more.",
        _sdf('<link name="a"><pose frame="__model__"/></link>', "1.9"),
        _sdf('<link name="a"><pose relative_to="__model__"/></link>', "1.9"),
    ),
    Code(
        "PB083",
        "refused by the engine of the format",
        TOLERATED,
        "The format allows it, and the engine whose loading is the measure here does not take it: Drake of "
        "SDFormat and URDF, MuJoCo of MJCF. Others may; under the policy `warn` it is a warning.",
        _sdf(_TWO + _JOINED + _JOINED.replace('"j"', '"k"')),
        _sdf(_TWO + _JOINED),
    ),
    Code(
        "PB084",
        "file cannot be used",
        UNTOLERATED,
        "A mesh, an image or another file is there, and is not what its ending or the document says: it is "
        "cut off, of another kind, or its numbers do not fit each other.",
    ),
)

CATALOGUE: dict[str, Code] = {row.code: row for row in _ROWS}
