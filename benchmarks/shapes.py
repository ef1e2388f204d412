"""Documents of any size with structures that could make a reader scan a part again for every other part.

Each function makes about the requested number of elements, or of pieces other than elements. The first file
is the one to read; the code is that of an error in it, or "" if it has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Files = dict[str, str]


class Shape(NamedTuple):
    """How documents are made, the code of an error in them, and their maximum size.

    If ``most`` is given, there are no documents with more pieces; a document never exceeds the size that a
    reader accepts.
    """

    make: Callable[[int], Files]
    code: str = ""
    most: int = 0


def _malformed(begin: str, again: str = "", end: str = "", code: str = "PB005") -> Shape:
    return Shape(lambda n: {"main.xml": begin + again * n + end}, code)


MALFORMED = {
    "a tag without an end": _malformed("<", "a"),
    "a tag with many names": _malformed("<x_xy ", "a", " "),
    "a bare ampersand": _malformed("<x_xy>&", "a", "</x_xy>", "PB091"),
    "ampersands": _malformed("<x_xy>", "& ", "</x_xy>", "PB091"),
    "text before the root": _malformed("", "a", "<x_xy/>"),
    "text after the root": _malformed("<x_xy/>", "a"),
    "a value without a closing quote": _malformed("<x_xy ", "b='1' ", "c='", "PB002"),
    "a comment without an end": _malformed("<x_xy><!--", " <!-"),
    "comments with double hyphens": _malformed("<x_xy>", "<!-- a -- b -->", "</x_xy>", "PB091"),
    "a CDATA section without an end": _malformed("<x_xy>", "<![CDATA[ ]]>", "<![CDATA["),
    "an invalid byte after much valid UTF-8": _malformed("<x_xy>", "é", "\udcff</x_xy>"),
    "a wrong end tag, then spaces": _malformed("<x_xy><worldbody></bdy><a", " ", "", "PB006"),
    "a wrong end tag, then processing instructions": _malformed("<x_xy></bdy>", "<?", "", "PB006"),
    "a wrong end tag, then comments": _malformed("<x_xy></bdy>", "<!--", "", "PB006"),
    "a wrong end tag, then CDATA sections": _malformed("<x_xy></bdy>", "<![CDATA[", "", "PB006"),
    "a wrong end tag, then tags": _malformed("<x_xy></bdy>", "<a ", "", "PB006"),
    "a wrong end tag, then quotes": _malformed("<x_xy></bdy>", "<a b=\"'", "", "PB006"),
    "a wrong end tag, then attributes": _malformed("<x_xy></bdy><a", " b='1'", "", "PB006"),
    "wrong end tags on one line": _malformed("<x_xy>", "<a></b>", "", "PB006"),
    "wrong end tags on many lines": _malformed("<x_xy>", "<a>\n</b>\n", "", "PB006"),
    "a wrong end tag after one long line": _malformed(
        "<x_xy><worldbody>", "<body/>", "</wb></x_xy>", "PB006"
    ),
    "a wrong end tag after tabs": _malformed("<x_xy><worldbody>" + "\t" * 9999, "<body/>", "</wb>", "PB006"),
    "a wrong end tag after many lines": _malformed(
        "<x_xy>\n<worldbody>\n", "<body>\n</body>\n", "</wb>", "PB006"
    ),
    "a wrong end tag after blank lines": _malformed("<x_xy>\n<a>", "\n  ", "</x_xy>", "PB006"),
    "unclosed elements": Shape(
        lambda n: {"main.xml": "<x_xy><worldbody>" + "<body>\n" * min(n, 9000)}, "PB006"
    ),
    "unclosed elements that take no content": Shape(
        lambda n: {"main.xml": "<x_xy><worldbody><body>" + "<geom>\n" * min(n, 9000) + "</bdy>"}, "PB006"
    ),
}


def _many(count: int, text: str) -> str:
    """A text repeated a number of times, with `#` replaced by a number and `@` by the next."""
    return "".join(text.replace("#", str(i)).replace("@", str(i + 1)) for i in range(count))


def _one(
    begin: str,
    again: str,
    end: str,
    code: str = "",
    name: str = "main.xml",
    *,
    most: int = 0,
    close: str = "",
) -> Shape:
    """One document: a start, a repeated piece, the ends of these pieces, and an end."""
    return Shape(lambda n: {name: begin + _many(n, again) + close * n + end}, code, most)


XXY, MJCF = ("<x_xy><worldbody>", "</worldbody></x_xy>"), ("<mujoco><worldbody>", "</worldbody></mujoco>")
URDF, SDF = ("<robot name='r'>", "</robot>"), ("<sdf version='1.9'><model name='m'>", "</model></sdf>")
SKEL = (
    "<skel version='1.0'><world name='w'><skeleton name='s'>",
    "</skeleton></world></skel>",
)
KINBODY = ("<kinbody name='k'>", "</kinbody>")
BALL = "<geom type='sphere' mass='1' dim='1'/>"

FLAT = {
    "bodies of x_xy": _one(XXY[0], f"<body name='b#' joint='rx'>{BALL}</body>", XXY[1]),
    "bodies of MJCF": _one(MJCF[0], "<body name='b#'><joint/><geom size='1'/></body>", MJCF[1]),
    "alternating geoms and sites": _one(MJCF[0], "<geom size='1'/><site/>", MJCF[1]),
    "sections of MJCF": _one("<mujoco>", "<worldbody><body><geom size='1'/></body></worldbody>", "</mujoco>"),
    "motors and joints": Shape(
        lambda n: {
            "main.xml": MJCF[0]
            + _many(n, "<body><joint name='j#'/><geom size='1'/></body>")
            + "</worldbody><actuator>"
            + _many(n, "<motor joint='j#'/>")
            + "</actuator></mujoco>"
        }
    ),
    "links of URDF": _one(
        URDF[0] + "<link name='l0'/>",
        "<link name='l@'/><joint name='j#' type='fixed'><parent link='l#'/><child link='l@'/></joint>",
        URDF[1],
    ),
    "links of SDFormat": _one(
        SDF[0] + "<link name='l0'/>",
        "<link name='l@'/><joint name='j#' type='fixed'><parent>l#</parent><child>l@</child></joint>",
        SDF[1],
        name="main.sdf",
    ),
    "a chain of frames": _one(
        SDF[0] + "<link name='l0'/>",
        "<link name='l@'><pose relative_to='l#'>0 0 0 0 0 0</pose></link>",
        SDF[1],
        name="main.sdf",
    ),
    "bodies of SKEL": _one(SKEL[0], "<body name='b#'/>", SKEL[1], name="main.skel"),
    "bodies of OpenRAVE": _one(KINBODY[0], "<body name='b#'/>", KINBODY[1]),
    "elements of a plugin": _one(
        URDF[0] + "<link name='l'/><gazebo>", "<foo a='1'>x</foo>", "</gazebo></robot>"
    ),
    "comments": _one("<x_xy>", "<!---->", "<worldbody><body name='b' joint='rx'/></worldbody></x_xy>"),
}

TREES = 10


def _trees(
    begin: str,
    opened: str,
    closed: str,
    end: str,
    leaf: str = "",
    *,
    name: str = "main.xml",
    most: int = 90_000,
) -> Shape:
    """Nested elements in ten trees, since the depth of a document is limited."""

    def tree(number: int, depth: int) -> str:
        return _many(depth, opened.replace("#", f"{number}_#")) + leaf + closed * depth

    return Shape(
        lambda n: {name: begin + "".join(tree(i, n // TREES) for i in range(TREES)) + end}, most=most
    )


DEEP = {
    "nested bodies of x_xy": _trees(XXY[0], f"<body name='b#' joint='rx'>{BALL}", "</body>", XXY[1]),
    "nested bodies of MJCF": _trees(MJCF[0], "<body><joint/><geom size='1'/>", "</body>", MJCF[1]),
    "nested defaults classes": Shape(
        lambda n: {
            "main.xml": "<mujoco><default>"
            + _many(n, "<default class='c#'><geom rgba='1 1 1 1'/>")
            + "</default>" * (n + 1)
            + "<worldbody>"
            + _many(n, "<geom class='c#' size='1'/>")
            + "</worldbody></mujoco>"
        },
        most=9_000,
    ),
    "nested frames": _trees(
        MJCF[0], "<frame><body>", "</body></frame>", MJCF[1], "<geom size='1'/>", most=45_000
    ),
    "nested models": _trees(
        "<sdf version='1.9'><world name='w'>",
        "<model name='m#'><link name='l'/>",
        "</model>",
        "</world></sdf>",
        name="main.sdf",
    ),
    "nested KinBodies": _trees("<environment>", "<KinBody>", "</KinBody>", "</environment>", "<Body/>"),
    "nested elements of a plugin": _trees(
        URDF[0] + "<link name='l'/><gazebo>", "<foo>a", "</foo>", "</gazebo></robot>"
    ),
}

FAULTY = {
    "bodies without a name": _one(XXY[0], "<body/>", XXY[1], "PB021"),
    "unknown elements": _one(XXY[0], "<foo/>", XXY[1], "PB011"),
    "unknown attributes": _one(XXY[0], "<body name='\u00e9' jiont='rx'/>", XXY[1], "PB012"),
    "duplicate names": _one(XXY[0], f"<body name='a' joint='rx'>{BALL}</body>", XXY[1], "PB031"),
    "references to missing joints": _one(
        "<mujoco><worldbody/><actuator>", "<motor joint='x#'/>", "</actuator></mujoco>", "PB032"
    ),
    "bodies without mass": _one(MJCF[0], "<body><joint/></body>", MJCF[1], "PB050"),
    "references to missing links": _one(
        URDF[0] + "<link name='l'/>",
        "<joint name='j#' type='fixed'><parent link='p#'/><child link='c#'/></joint>",
        URDF[1],
        "PB032",
    ),
    "references to missing packages": _one(
        URDF[0] + "<link name='l'>",
        "<visual><geometry><mesh filename='package://p#/m.stl'/></geometry></visual>",
        "</link></robot>",
    ),
    "cyclic frames": Shape(
        lambda n: {
            "main.sdf": SDF[0]
            + "<link name='l'/>"
            + _many(n - 1, "<frame name='f#' attached_to='f@'/>")
            + f"<frame name='f{n - 1}' attached_to='f0'/>"
            + SDF[1]
        },
        "PB033",
    ),
    "links with the same name": _one(SDF[0], "a<link name='l'/>", SDF[1], "PB031", name="main.sdf"),
    "wrong references in nested models": Shape(
        lambda n: {
            "main.sdf": "<sdf version='1.9'>"
            + _many(n, "<model name='m#'>")
            + "<link name='l'/>"
            + _many(n, "<link name='k#'><pose relative_to='z#'/></link>")
            + "</model>" * n
            + "</sdf>"
        },
        "PB032",
        most=9_000,
    ),
    "elements that no sensor reads": _one(
        "<robot name='r'><attachedsensor><sensor type='base_laser'>",
        "<foo/>",
        "</sensor></attachedsensor></robot>",
    ),
    "bodies of SKEL without a name": _one(SKEL[0], "<body/>", SKEL[1], "PB028", name="main.skel"),
}

LONG = {
    "faces of a mesh": _one(
        "<mujoco><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='",
        "0 1 2 0 2 3 ",
        "0 1 3 1 2 3'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>",
    ),
    "many numbers": _one(XXY[0] + "<body name='a' joint='rx' damping='", "1 ", "'/>" + XXY[1], "PB024"),
    "many digits": _one(XXY[0] + "<body name='a' joint='rx' damping='", "1", "'/>" + XXY[1], "PB020"),
    "a long name": _one(XXY[0] + "<body joint='zz' name='", "a", "'/>" + XXY[1], "PB018"),
    "a long prefix in names": _one(
        "<environment>", "<KinBody name='k#' prefix='p'><body name='b'/></KinBody>", "</environment>"
    ),
    "many attributes": _one("<x_xy ", "a#='1' ", "/>", "PB012", most=10_000),
    "attributes beyond the limit": _one("<x_xy ", "a#='1' ", "/>", "PB002"),
    "a long formula": _one(
        KINBODY[0]
        + "<body name='a'/><body name='b'/><joint name='j1' type='hinge'><body>a</body><body>b</body>"
        "</joint><joint name='j0' type='hinge' mimic_pos='j1",
        "+j1",
        "' mimic_vel='|j1 1'><body>a</body><body>b</body></joint>" + KINBODY[1],
        "PB057",
    ),
}


def _included(n: int) -> Files:
    """A document that includes many others."""
    files = {"main.xml": "<mujoco>" + _many(n, "<include file='f#.xml'/>") + "</mujoco>"}
    part = "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>"
    return files | {f"f{i}.xml": part for i in range(n)}


def _included_again(n: int) -> Files:
    """A model that a world includes many times."""
    model = SDF[0] + _many(100, "<link name='l#'/>") + SDF[1]
    include = "<include><uri>f.sdf</uri><name>a#</name></include>"
    world = "<sdf version='1.9'><world name='w'>" + _many(n, include) + "</world></sdf>"
    return {"main.sdf": world, "f.sdf": model}


INCLUDES = {
    "many included documents": Shape(_included, most=4_000),
    "a document that is included many times": Shape(_included_again, most=900),
    "includes of missing files": _one("<mujoco>", "<include file='x#.xml'/>", "</mujoco>", "PB001"),
}

GROUPS: dict[str, dict[str, Shape]] = {
    "malformed": MALFORMED,
    "flat": FLAT,
    "deep": DEEP,
    "faulty": FAULTY,
    "long": LONG,
    "includes": INCLUDES,
}
"""Grouped by kind."""
