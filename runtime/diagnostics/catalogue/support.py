"""What is supported and simulated, versions of formats, and differences between readers."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import (
    APART,
    ARMATURE,
    BALL,
    GOOD,
    GROUP,
    JOINED,
    MESH,
    TWO,
    kinbody,
    meshed,
    robot,
    sdf,
    skel,
    x_xy,
)

SPRING = (
    '<dof local_index="0" name="x"><spring_rest_position>4</spring_rest_position>'
    "<spring_stiffness>1</spring_stiffness></dof>"
)
FLOATING = skel(
    '<body name="b"/>\n      <joint name="j" type="free"><parent>world</parent><child>b</child>'
    + SPRING
    + "</joint>"
)
_FALLING = (
    '<environment>\n  <kinbody name="a"><body name="a" type="static"><mass type="sphere"><total>1</total>'
    "</mass></body></kinbody>\n  {physics}\n</environment>\n"
)

CODES = (
    Code(
        "PB054",
        "not supported",
        UNTOLERATED,
        "The format allows this, but polybody does not support it. It is refused, because ignoring it would "
        "change the meaning of the document.",
        robot("<loop_joint/>"),
        robot(""),
    ),
    Code(
        "PB061",
        "not simulated",
        REMARK,
        "The format allows this and the document keeps it, but it has no effect on a simulation. "
        "Reported once for each kind.",
        x_xy(BALL + '<omc pos_marker="1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB062",
        "undetermined accelerations",
        NOTABLE,
        "The mass matrix is singular whatever the masses are. Kinematics, forces and the mass matrix are "
        "exact, but the forces do not determine the accelerations. Armature or regularization makes the "
        "accelerations unique.",
        x_xy(BALL).replace('"rx"', '"cor"'),
        x_xy(BALL).replace('"rx"', '"free"'),
    ),
    Code(
        "PB063",
        "no Model can be made",
        ALWAYS,
        "Each part of the document is valid, but together they do not make a Model: for example, a name "
        "that the Model needs is already in use, or a sum overflows.",
        x_xy(BALL).replace('"arm"', '"world"'),
        x_xy(BALL),
    ),
    Code(
        "PB064",
        "not compiled yet",
        ALWAYS,
        "The format allows this and the document keeps it, but no Model can be made from it yet.",
        FLOATING,
        FLOATING.replace(SPRING, ""),
    ),
    Code(
        "PB071",
        "undeclared prefix",
        NOTABLE,
        "A name with a prefix belongs to a namespace, which the root element must declare. Some readers "
        "do not need the declaration; readers that support namespaces refuse the document.",
        robot(GROUP, ""),
        robot(GROUP),
    ),
    Code(
        "PB072",
        "template not expanded",
        ALWAYS,
        "The text is a template, from which a program generates the document. Its content is unknown "
        "until then.",
        robot('<xacro:include filename="arm.xacro"/>'),
        robot(""),
    ),
    Code(
        "PB073",
        "unknown version",
        NOTABLE,
        "The document declares a version of the format that is not supported. Features added in that "
        "version are reported as unknown.",
        robot("", ' version="9.0"'),
        robot("", ' version="1.0"'),
    ),
    Code(
        "PB074",
        "not supported by every reader",
        NOTABLE,
        "The spelling is old, or the format's specification and its readers disagree about the spelling or "
        "the place. polybody accepts it. The message gives the form that all readers accept.",
        skel("<immobile>1</immobile>"),
        skel("<mobile>0</mobile>"),
    ),
    Code(
        "PB075",
        "skeletons without a world",
        TOLERATED,
        "A SKEL file describes a world. From a file without a world, DART reads only the first skeleton, "
        "with a separate function.",
        '<skel>\n  <skeleton>\n    <body name="arm"/>\n  </skeleton>\n</skel>\n',
        skel(""),
    ),
    Code(
        "PB076",
        "name used again",
        NOTABLE,
        "Names of one kind should be unique. Nothing refers to these names, so the document is still "
        "unambiguous.",
        skel("")
        .replace("</world>", '<skeleton name="a"><body name="b"/></skeleton></world>')
        .replace("<skeleton>", '<skeleton name="a">'),
        skel(""),
    ),
    Code(
        "PB078",
        "not used by simulators",
        REMARK,
        "The element is part of the format and is kept. Other tools use it; simulators do not.",
        robot("").replace("</joint>", '<calibration rising="1"/></joint>'),
        robot(""),
    ),
    Code(
        "PB081",
        "newer than the document's version",
        NOTABLE,
        "The document declares a version of the format that is older than this element or attribute. "
        "Current readers accept it, readers of that version do not.",
        sdf('<self_collide>true</self_collide><link name="a"/>', "1.4"),
        sdf('<self_collide>true</self_collide><link name="a"/>', "1.9"),
    ),
    Code(
        "PB082",
        "removed in the document's version",
        TOLERATED,
        "The document declares a version of the format in which this element or attribute no longer exists.",
        sdf('<link name="a"><pose frame="__model__"/></link>', "1.9"),
        sdf('<link name="a"><pose relative_to="__model__"/></link>', "1.9"),
    ),
    Code(
        "PB083",
        "refused by the format's engine",
        TOLERATED,
        "The format allows this, but the reference engine refuses it: Drake for SDFormat and URDF, "
        "MuJoCo for MJCF. Other engines may accept it.",
        sdf(TWO + JOINED + JOINED.replace('"j"', '"k"')),
        sdf(TWO + JOINED),
    ),
    Code(
        "PB067",
        "ignored by the format's engine",
        REMARK,
        "The format allows this, but the reference engine ignores it: for SDFormat, that is Drake. Other "
        "engines may simulate it.",
        sdf('<link name="a"><gravity>false</gravity></link>'),
        sdf('<link name="a"><gravity>true</gravity></link>'),
    ),
    Code(
        "PB084",
        "unusable file",
        UNTOLERATED,
        "A mesh, an image or another file exists but does not match its extension or the document: it is "
        "truncated, of another type, or inconsistent.",
        meshed("cut.stl"),
        meshed("arm.obj"),
        MESH | {"cut.stl": "solid\n"},
    ),
    Code(
        "PB085",
        "content of a plugin",
        REMARK,
        "The format's engine does not read this element. It is kept unchanged for a plugin that may.",
        '<sensor type="BaseCamera">\n  <lens>2</lens>\n</sensor>\n',
        '<sensor type="BaseCamera">\n  <width>2</width>\n</sensor>\n',
    ),
    Code(
        "PB087",
        "default used",
        REMARK,
        "The document does not specify something that a simulation needs. The message gives the value "
        "that the Model uses and its origin.",
        _FALLING.format(physics=""),
        _FALLING.format(
            physics='<physicsengine type="ode"><odeproperties><gravity>0 0 -9.81</gravity></odeproperties>'
            "</physicsengine>"
        ),
    ),
    Code(
        "PB088",
        "differs between readers",
        NOTABLE,
        "The format's specification and its engine disagree here, or the engine's behaviour is rarely "
        "intended. The message says what the Model uses.",
        kinbody('<body name="a"><mass type="mimicgeom"><density>1</density></mass></body>'),
        kinbody('<body name="a"><mass type="box"><density>1</density></mass></body>'),
    ),
    Code(
        "PB090",
        "suppression without effect",
        NOTABLE,
        "A comment suppresses nothing: its keyword is misspelt, it names no code or an unknown one, or there "
        "is no such finding in its place. Only `polybody check` reads such comments and reports this.",
        GOOD.replace("<worldbody>", "<worldbody> <!-- polybody: ignore PB012 -->"),
        GOOD,
    ),
    Code(
        "PB093",
        "parts of different releases",
        UNTOLERATED,
        "The document has two parts that no release of the format has together: one of them ended before the "
        "other began. The message names both and the releases.",
        APART,
        APART.replace(' apirate="10"', ""),
    ),
    Code(
        "PB094",
        "read as another release",
        REMARK,
        "The document has a name, keyword or type that the first release lacks, so that it is read as the "
        "newest release that has all of them. Another release can be chosen: `release=`, `--release`.",
        ARMATURE,
        ARMATURE.replace(' armature="1"', ""),
    ),
    Code(
        "PB099",
        "internal error",
        ALWAYS,
        "An unexpected error occurred in polybody. The file is not at fault, so there is no example. The "
        "finding is at the element that was being processed. Please report it with the file and the "
        "traceback: set the environment variable POLYBODY_INTERNAL_ERRORS to the name of a "
        "file, to which the "
        "traceback is appended.",
    ),
)
