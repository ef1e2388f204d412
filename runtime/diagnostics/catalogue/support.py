"""What is supported, simulated and known to others: Models, versions, prefixes, engines."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import (
    BALL,
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

RUBBING = '<dof local_index="0" name="x"><friction>1</friction></dof>'
FLOATING = skel(
    '<body name="b"/>\n      <joint name="j" type="free"><parent>world</parent><child>b</child>'
    + RUBBING
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
        "The format knows it, but it is refused: its meaning would be lost.",
        robot("<loop_joint/>"),
        robot(""),
    ),
    Code(
        "PB061",
        "read, not simulated",
        REMARK,
        "The format has this, and a document keeps it, but no simulation takes note of it. Said once "
        "for each kind.",
        x_xy(BALL + '<omc pos_marker="1"/>'),
        x_xy(BALL),
    ),
    Code(
        "PB062",
        "accelerations undetermined",
        NOTABLE,
        "The mass matrix is singular whatever the masses are: kinematics, forces and the matrix itself are "
        "exact, but forces do not determine the accelerations. Armature or regularization does.",
        x_xy(BALL).replace('"rx"', '"cor"'),
        x_xy(BALL).replace('"rx"', '"free"'),
    ),
    Code(
        "PB063",
        "no Model can be made of it",
        ALWAYS,
        "Each part of the document is sound, but together they are no Model: a name that a Model needs for "
        "something else is taken, or sums leave the range of numbers.",
        x_xy(BALL).replace('"arm"', '"world"'),
        x_xy(BALL),
    ),
    Code(
        "PB064",
        "not compiled yet",
        ALWAYS,
        "The format has it, and a document keeps it; no Model can be made of it yet.",
        FLOATING,
        FLOATING.replace(RUBBING, ""),
    ),
    Code(
        "PB071",
        "prefix not declared",
        NOTABLE,
        "Names with a prefix belong to a namespace, which the root element declares. Some readers do "
        "without, those that know namespaces refuse the document.",
        robot(GROUP, ""),
        robot(GROUP),
    ),
    Code(
        "PB072",
        "template not expanded",
        ALWAYS,
        "The text is a template, from which a program makes the document. What it says is not known before.",
        robot('<xacro:include filename="arm.xacro"/>'),
        robot(""),
    ),
    Code(
        "PB073",
        "version not known",
        NOTABLE,
        "The document is of a version that is not known here; what is new in it will be unknown.",
        robot("", ' version="9.0"'),
        robot("", ' version="1.0"'),
    ),
    Code(
        "PB074",
        "not known to every reader",
        NOTABLE,
        "A spelling or place that the format's document and its readers do not share, or an old one. It is "
        "read here; another spelling is read by all.",
        skel("<immobile>1</immobile>"),
        skel("<mobile>0</mobile>"),
    ),
    Code(
        "PB075",
        "skeletons without a world",
        TOLERATED,
        "A SKEL file describes a world. Of a file that holds skeletons alone, DART has another call to read "
        "the first.",
        '<skel>\n  <skeleton>\n    <body name="arm"/>\n  </skeleton>\n</skel>\n',
        skel(""),
    ),
    Code(
        "PB076",
        "name used again",
        NOTABLE,
        "Names of one kind should differ. Nothing refers to these, so that the document has a meaning.",
        skel("")
        .replace("</world>", '<skeleton name="a"><body name="b"/></skeleton></world>')
        .replace("<skeleton>", '<skeleton name="a">'),
        skel(""),
    ),
    Code(
        "PB078",
        "for others than simulators",
        REMARK,
        "The element is part of the format and is kept, and other tools use it; no simulation does.",
        robot("").replace("</joint>", '<calibration rising="1"/></joint>'),
        robot(""),
    ),
    Code(
        "PB081",
        "newer than the document's version",
        NOTABLE,
        "The document says of which version of its format it is, and this came later. Readers of today take "
        "it, those of that version do not.",
        sdf('<self_collide>true</self_collide><link name="a"/>', "1.4"),
        sdf('<self_collide>true</self_collide><link name="a"/>', "1.9"),
    ),
    Code(
        "PB082",
        "gone from the document's version",
        TOLERATED,
        "The document says of which version of its format it is, and this is no part of that any more.",
        sdf('<link name="a"><pose frame="__model__"/></link>', "1.9"),
        sdf('<link name="a"><pose relative_to="__model__"/></link>', "1.9"),
    ),
    Code(
        "PB083",
        "refused by the engine of the format",
        TOLERATED,
        "The format allows it, and the engine whose loading is the measure here does not take it: Drake of "
        "SDFormat and URDF, MuJoCo of MJCF. Others may; under the policy `warn` it is a warning.",
        sdf(TWO + JOINED + JOINED.replace('"j"', '"k"')),
        sdf(TWO + JOINED),
    ),
    Code(
        "PB067",
        "passed over by the engine of the format",
        REMARK,
        "The format has it, and the engine whose loading is the measure here takes no note of it: Drake of "
        "SDFormat. A simulation of another engine may differ.",
        sdf('<link name="a"><gravity>false</gravity></link>'),
        sdf('<link name="a"><gravity>true</gravity></link>'),
    ),
    Code(
        "PB084",
        "file cannot be used",
        UNTOLERATED,
        "A mesh, an image or another file is there, and is not what its ending or the document says: it is "
        "cut off, of another kind, or its numbers do not fit each other.",
        meshed("cut.stl"),
        meshed("arm.obj"),
        MESH | {"cut.stl": "solid\n"},
    ),
    Code(
        "PB085",
        "content of a plugin",
        REMARK,
        "Nothing that comes with the format's engine reads the element; it is kept as it stands for a plugin "
        "that may.",
        '<sensor type="BaseCamera">\n  <lens>2</lens>\n</sensor>\n',
        '<sensor type="BaseCamera">\n  <width>2</width>\n</sensor>\n',
    ),
    Code(
        "PB087",
        "taken by default",
        REMARK,
        "The document is silent about something that a simulation needs; the message says what a Model of it "
        "has, and who has it so.",
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
        "The document of the format and the engine it belongs to do not agree about this, or what they do is "
        "seldom what is meant. The message says what a Model of it has.",
        kinbody('<body name="a"><mass type="mimicgeom"><density>1</density></mass></body>'),
        kinbody('<body name="a"><mass type="box"><density>1</density></mass></body>'),
    ),
    Code(
        "PB099",
        "internal error",
        ALWAYS,
        "Something went wrong in polybody that nothing foresaw. It is no fault of the file, and no file has "
        "this finding on purpose, so there is no example. The finding is at the element that was looked at "
        "then. Please report it, with the file and the traceback: set POLYBODY_INTERNAL_ERRORS to the name "
        "of a file, to which it is appended.",
    ),
)
