"""Small URDF files with features that Drake reads in its own way; each is compared with Drake.

REFUSED: files that Drake rejects, with the line of our error. MISREAD: files that Drake misinterprets and we
    reject.
"""

from __future__ import annotations

from itertools import pairwise, permutations

from tests.lowering.urdf.robots import SOLID, joint, link, motor, robot

ORIGIN = 'xyz=".1 .2 .3" rpy=".3 -.4 .5"'
OBLIQUE = '<axis xyz="1 2 -3"/>'
WORLD = link("world", "")
AB = link("a") + link("b")
ABC = AB + link("c")


def jointed(
    name: str, kind: str, parent: str, child: str, inside: str = "", tag: str = "joint", origin: str = ORIGIN
) -> str:
    """A joint whose frame is away from the link's frame and rotated."""
    return joint(name, kind, parent, child, inside, tag, origin)


def own(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    """A <drake:joint>."""
    return jointed(name, kind, parent, child, inside, "drake:joint")


CURVES = (
    '\n<drake:curves><drake:line_segment length="1"/>'
    '<drake:circular_arc radius="1" angle="1"/></drake:curves>'
)


def inertial(mass: float, x: float, y: float, z: float) -> str:
    moments = f'ixx="{x!r}" iyy="{y!r}" izz="{z!r}" ixy="0" ixz="0" iyz="0"'
    return f'<inertial><mass value="{mass}"/><inertia {moments}/></inertial>'


def limited(**said: object) -> str:
    return "<limit " + " ".join(f'{name}="{value}"' for name, value in said.items()) + "/>"


def hinge(inside: str = "", kind: str = "continuous") -> str:
    """A link hinged to the world."""
    return WORLD + link("a") + "\n" + jointed("j", kind, "world", "a", inside)


def followed(mimic: str, kind: str = "continuous", other: str = "continuous") -> str:
    """Joint y, which follows joint x."""
    return WORLD + AB + jointed("x", other, "world", "a") + "\n" + jointed("y", kind, "world", "b", mimic)


def between(tag: str, a: str = "a", b: str = "b", **values: str) -> str:
    """A spring or constraint between points of two links."""
    held = "".join(f'<{tag}_{name} value="{value}"/>' for name, value in values.items())
    points = f'<{tag}_p_AP value=".1 .2 .3"/><{tag}_p_BQ value="-.3 .1 0"/>'
    return f'<{tag}><{tag}_body_A name="{a}"/><{tag}_body_B name="{b}"/>{points}{held}</{tag}>'


def spring(a: str = "a", free_length: str = ".4", stiffness: str = "7", damping: str = ".3") -> str:
    return between(
        "drake:linear_spring_damper", a, free_length=free_length, stiffness=stiffness, damping=damping
    )


BUSHING = {
    "torque_stiffness": "1 2 3",
    "torque_damping": ".1 .2 .3",
    "force_stiffness": "4 5 6",
    "force_damping": ".4 .5 .6",
}


def bushing(a: str = "a", **changed: str | None) -> str:
    values = {name: value for name, value in (BUSHING | changed).items() if value is not None}
    inside = f'<drake:bushing_frameA name="{a}"/><drake:bushing_frameC name="b"/>'
    inside += "".join(f'<drake:bushing_{name} value="{value}"/>' for name, value in values.items())
    return f"<drake:linear_bushing_rpy>{inside}</drake:linear_bushing_rpy>"


def tendon(name: str = "j") -> str:
    tag = "drake:tendon_constraint"
    values = {"offset": ".1", "lower_limit": "-1", "upper_limit": "1", "stiffness": "10", "damping": "1"}
    inside = f'<{tag}_joint name="{name}" a="2"/>'
    inside += "".join(f'<{tag}_{what} value="{value}"/>' for what, value in values.items())
    return f"<{tag}>{inside}</{tag}>"


GEARS = '<drake:rotor_inertia value="0.01"/><drake:gear_ratio value="100"/>'
GAINS = '<drake:controller_gains p="30" d=".5"/>'
AXES = {"its default": "", "z": "0 0 1", "minus z": "0 0 -1", "an oblique one": "1 1 -1"}

MODELS: dict[str, str] = {
    # structure
    "extensions without a declared prefix": robot(AB, own("j", "ball", "a", "b")).replace(
        ' xmlns:drake="http://drake.mit.edu"', ""
    ),
    "extensions under another prefix are not there": robot(AB, own("j", "ball", "a", "b"))
    .replace("drake:", "d:")
    .replace("xmlns:drake", "xmlns:d"),
    "unknown elements": robot(AB, jointed("j", "continuous", "a", "b", "<foo/>"), '<bar x="1"/>'),
    "joints before their links, a motor before its joint": robot(
        motor("k"),
        '<frame name="f" link="b" xyz="1 2 3" rpy=".1 .2 .3"/>',
        jointed("k", "continuous", "a", "b"),
        link("b"),
        link("a"),
    ),
    "a joint that follows a later one": robot(
        WORLD,
        AB,
        jointed("j", "continuous", "world", "a", '<mimic joint="k"/>'),
        jointed("k", "continuous", "a", "b"),
    ),
    "ignored links and joints": robot(
        link("a"),
        link("b").replace("<link", '<link drake_ignore="true"'),
        jointed("j", "fixed", "a", "b").replace("<joint", '<joint drake_ignore="true"'),
    ),
    "a joint with the name of a link": robot(AB, jointed("a", "continuous", "a", "b")),
    "a link with a scoped name": robot(link("a::x"), link("b"), jointed("j", "continuous", "a::x", "b")),
    "the first of two inertials": robot(link("a", SOLID + SOLID.replace("1.5", "9"))),
    "the first of two masses": robot(link("a", SOLID.replace("<inertia ", '<mass value="9"/><inertia '))),
    "the first of two origins": robot(AB, jointed("j", "continuous", "a", "b", '<origin xyz="9 9 9"/>')),
    "the first of two limits": robot(hinge(limited(effort=5) + limited(effort=9), "revolute"), motor("j")),
    # inertia
    "a missing diagonal moment": robot(
        link("a", '<inertial><mass value="1"/><inertia ixx=".1" iyy=".1"/></inertial>')
    ),
    "no inertia": robot(link("a", ""), link("b"), jointed("j", "fixed", "b", "a")),
    "a mass alone": robot(
        link("a", '<inertial><origin xyz="0 0 1"/><mass value="2"/></inertial>'),
        link("b"),
        jointed("j", "continuous", "a", "b"),
    ),
    "no mass and no moments": robot(
        link("b"),
        link("a", '<inertial><origin xyz="1 2 3"/><mass value="0"/></inertial>'),
        jointed("j", "fixed", "b", "a"),
    ),
    "a negative mass": robot(link("a", inertial(-2, 1, 1, 1))),
    "moments without mass": robot(link("a", inertial(0, 1, 1, 1))),
    "a negative moment": robot(link("a", inertial(2, 1, 1, -1))),
    **{
        f"a moment that is {excess!r} too great": robot(link("a", inertial(1, 1.0, 1.0, 2 + excess)))
        for excess in (1e-16, 1e-15, 7e-15, 1.4e-14, 1e-13, 1e-12)
    },
    "a frame": robot(
        AB, jointed("j", "continuous", "a", "b"), '<frame name="f" link="b" xyz="1 2 3" rpy=".1 .2 .3"/>'
    ),
    # world, roots, tree
    "the world's inertia": robot(link("world"), link("a"), jointed("j", "continuous", "world", "a")),
    "a world that is not declared": robot(link("a"), jointed("j", "continuous", "world", "a")),
    **{
        f"the world as child of a {kind} joint": robot(
            WORLD, AB, jointed("j", kind, "a", "world"), jointed("k", "continuous", "a", "b")
        )
        for kind in ("revolute", "prismatic", "fixed")
    },
    "two roots": robot(ABC, jointed("j", "continuous", "a", "b")),
    **{
        f"two heads, links in the order {''.join(order)}": robot(
            *(link(name) for name in order),
            jointed("x", "continuous", "a", "c"),
            jointed("y", "continuous", "b", "c"),
            jointed("z", "continuous", "b", "d"),
        )
        for order in permutations("abcd")
        if order[0] in "ad"
    },
    **{
        f"a child of two parents, the second {kind}": robot(
            ABC, jointed("x", "continuous", "a", "c"), jointed("y", kind, "b", "c", OBLIQUE)
        )
        for kind in ("continuous", "prismatic", "fixed")
    },
    "a free joint's name that is taken": robot(AB, jointed("a", "prismatic", "a", "b")),
    "trees on the world, islands, single bodies": robot(
        *(link(name) for name in ("single", "base", "tip", "arm")),
        WORLD,
        jointed("j", "continuous", "base", "tip"),
        jointed("k", "continuous", "world", "arm"),
        link("other"),
    ),
    # joints
    "an empty axis": robot(AB, jointed("j", "continuous", "a", "b", "<axis/>")),
    "an axis that is just long enough": robot(
        AB, jointed("j", "continuous", "a", "b", '<axis xyz="0 0 1.1e-8"/>')
    ),
    "a zero axis of a fixed joint": robot(AB, jointed("j", "fixed", "a", "b", '<axis xyz="0 0 0"/>')),
    "a zero axis of a ball": robot(AB, own("j", "ball", "a", "b", '<axis xyz="0 0 0"/>')),
    "bounds of a continuous joint": robot(hinge(limited(lower=-1, upper=1, effort=2)), motor("j")),
    "a floating joint with an origin": robot(AB, jointed("j", "floating", "a", "b")),
    "a floating joint that follows another": robot(
        ABC,
        jointed("k", "continuous", "a", "c"),
        jointed("j", "floating", "a", "b", '<mimic joint="k"/>'),
    ),
    **{
        f"a planar joint about {name}": robot(
            AB,
            jointed(
                "j", "planar", "a", "b", (axis and f'<axis xyz="{axis}"/>') + '<dynamics damping="1 2 3"/>'
            ),
        )
        for name, axis in AXES.items()
    },
    "a planar joint with bounds": robot(AB, jointed("j", "planar", "a", "b", limited(lower=0, upper=1))),
    "a planar joint under Drake's prefix": robot(AB, own("j", "planar", "a", "b", OBLIQUE)),
    "a ball with bounds and damping": robot(
        AB, own("j", "ball", "a", "b", '<dynamics damping="1"/>' + limited(lower=0, upper=1))
    ),
    "a universal joint with an axis": robot(
        AB, own("j", "universal", "a", "b", OBLIQUE + '<dynamics damping="1"/>')
    ),
    "a screw with bounds": robot(
        WORLD + link("a"),
        own(
            "j",
            "screw",
            "world",
            "a",
            OBLIQUE + '<drake:screw_thread_pitch value="-.7"/>' + limited(lower=1, upper=2, effort=1),
        ),
        motor("j"),
    ),
    "an upper bound alone": robot(hinge(limited(upper=1), "revolute")),
    "a start that is out of bounds": robot(hinge(limited(lower=1, upper=2), "revolute")),
    "dry friction": robot(hinge('<dynamics damping="1" friction="2"/>')),
    "soft limits": robot(
        hinge(
            limited(lower=-1, upper=1)
            + '<calibration rising="0"/>'
            + '<safety_controller k_velocity="1" soft_lower_limit="-.1" soft_upper_limit=".1"/>',
            "revolute",
        )
    ),
    "a hinge that follows a slide": robot(
        followed('<mimic joint="x" multiplier="2" offset="1"/>', "revolute", "prismatic")
    ),
    "a fixed joint that follows a fixed one": robot(followed('<mimic joint="x"/>', "fixed", "fixed")),
    "a planar joint that follows a planar one": robot(followed('<mimic joint="x"/>', "planar", "planar")),
    "a chain of joints that follow": robot(
        WORLD,
        ABC,
        jointed("x", "continuous", "world", "a"),
        jointed("y", "continuous", "world", "b", '<mimic joint="x"/>'),
        jointed("z", "continuous", "world", "c", '<mimic joint="y"/>'),
    ),
    # actuators
    "a transmission with its type as an attribute": robot(
        hinge(),
        motor("j")
        .replace("<type>transmission_interface/SimpleTransmission</type>", "")
        .replace("<transmission ", '<transmission type="SimpleTransmission" '),
    ),
    "another kind of transmission": robot(
        hinge(), motor("j").replace("SimpleTransmission", "FourBarLinkage")
    ),
    "the first of two joints of a transmission": robot(
        WORLD,
        AB,
        jointed("j", "continuous", "world", "a"),
        jointed("k", "continuous", "a", "b"),
        motor("j").replace('<joint name="j"/>', '<joint name="j"/><joint name="k"/>'),
    ),
    **{
        f"effort {effort}, {'with' if driven else 'without'} a transmission": robot(
            hinge(limited(effort=effort, velocity=1), "revolute"), motor("j") if driven else ""
        )
        for effort, driven in ((0, True), (0, False), (5, True), (5, False), (-1, False))
    },
    "no effort": robot(hinge(), motor("j")),
    "a transmission of a fixed joint": robot(hinge(kind="fixed"), motor("j")),
    "reflected inertia": robot(hinge(), motor("j", inside=GEARS)),
    "reflected inertia of the last of two motors": robot(
        hinge(), motor("j", "one", GEARS), motor("j", "two", '<drake:rotor_inertia value="3"/>')
    ),
    "no reflected inertia of the last of two motors": robot(
        hinge(), motor("j", "one", GEARS), motor("j", "two")
    ),
    "reflected inertia under the joint": robot(hinge(f"<actuator>{GEARS}</actuator>"), motor("j")),
    "a mechanical reduction": robot(
        hinge(), motor("j", inside="<mechanicalReduction>50</mechanicalReduction>")
    ),
    "controllers, with clipped efforts": robot(
        hinge(limited(effort=5, velocity=1), "revolute"), motor("j", inside=GAINS)
    ),
    "a controller of velocity alone": robot(hinge(), motor("j", inside=GAINS.replace("30", "0"))),
    # forces and constraints
    "a bushing between links": robot(AB, bushing()),
    "a spring with damper": robot(AB, spring()),
    "a ball constraint": robot(AB, between("drake:ball_constraint")),
    "a tendon constraint": robot(hinge(), tendon()),
    "a constraint that Drake 1.51 does not have": robot(AB, "<drake:rod_constraint/>"),
}


def group(inside: str, name: str = "g") -> str:
    return f'<drake:collision_filter_group name="{name}">{inside}</drake:collision_filter_group>'


def member(name: str) -> str:
    return f'<drake:member link="{name}"/>'


def beside(name: str) -> str:
    return f'<drake:ignored_collision_filter_group name="{name}"/>'


def numbered(value: str) -> str:
    return robot(link("a", SOLID.replace('value="1.5"', f'value="{value}"')))


BALLS = ("ball", "universal")
REFUSED: dict[str, tuple[str, int]] = {
    **{f"a mass of {text or 'nothing'}": (numbered(text), 2) for text in ("nan", "inf", "1e400", "1 2", "")},
    "commas in a vector": (robot(link("a", SOLID.replace("0.1 0.2 -0.1", "1,2,3"))), 2),
    "two numbers of a vector": (robot(link("a", SOLID.replace("0.1 0.2 -0.1", "1 2"))), 2),
    "a loop joint": (robot(AB, '<loop_joint name="x"/>'), 3),
    "two links of a name": (robot(link("a"), link("a")), 3),
    "two joints of a name": (
        robot(ABC, jointed("j", "fixed", "a", "b"), jointed("j", "fixed", "b", "c")),
        4,
    ),
    "two actuators of a name": (
        robot(hinge(), link("b"), jointed("k", "continuous", "a", "b"), motor("j"), motor("k")),
        7,
    ),
    "an empty name of a link": (robot(link("")), 2),
    "a robot without a name": (robot(link("a")).replace(' name="r"', ""), 1),
    "a frame of no link": (robot(AB, '<frame name="f" link="c"/>'), 3),
    **{
        f"the world as child of a {kind} joint": (
            robot(WORLD, AB, own("j", kind, "a", "world"), jointed("k", "continuous", "a", "b")),
            4,
        )
        for kind in (*BALLS, "planar")
    },
    **{
        f"a {kind} joint that would have to run backwards": (
            robot(
                ABC,
                jointed("x", "continuous", "a", "c"),
                own("y", kind, "b", "c", '<drake:screw_thread_pitch value="1"/>' if kind == "screw" else ""),
            ),
            4,
        )
        for kind in (*BALLS, "planar", "screw")
    },
    "a loop": (
        robot(
            ABC,
            *(jointed("".join(ends), "fixed", *ends) for ends in pairwise("abc")),
            jointed("z", "fixed", "a", "c"),
        ),
        5,
    ),
    "two joints between the same links": (
        robot(AB, jointed("x", "fixed", "a", "b"), jointed("y", "continuous", "a", "b")),
        4,
    ),
    "a joint of a link with itself": (robot(link("a"), jointed("x", "fixed", "a", "a")), 3),
    "a kind in capitals": (robot(AB, jointed("x", "Revolute", "a", "b")), 3),
    "a ball without Drake's prefix": (robot(AB, jointed("x", "ball", "a", "b")), 3),
    "a hinge with Drake's prefix": (robot(AB, own("x", "revolute", "a", "b")), 3),
    "an axis that is too short": (
        robot(AB, jointed("x", "continuous", "a", "b", '<axis xyz="0 0 9e-9"/>')),
        3,
    ),
    "a zero axis of a planar joint": (robot(AB, jointed("x", "planar", "a", "b", '<axis xyz="0 0 0"/>')), 3),
    "a zero axis of a universal joint": (
        robot(AB, own("x", "universal", "a", "b", '<axis xyz="0 0 0"/>')),
        3,
    ),
    "a motor of a floating joint": (robot(AB, jointed("x", "floating", "a", "b"), motor("x")), 4),
    "a joint that follows a floating one": (
        robot(
            ABC,
            jointed("x", "floating", "a", "b"),
            jointed("y", "continuous", "a", "c", '<mimic joint="x"/>'),
        ),
        4,
    ),
    "one damping of a planar joint": (
        robot(AB, jointed("x", "planar", "a", "b", '<dynamics damping="1"/>')),
        3,
    ),
    "a screw without a thread": (robot(AB, own("x", "screw", "a", "b")), 3),
    "inverted bounds": (robot(hinge(limited(lower=1, upper=-1), "revolute")), 3),
    "a negative velocity": (robot(hinge(limited(velocity=-1), "revolute")), 3),
    "a negative acceleration": (robot(hinge('<limit drake:acceleration="-1"/>', "revolute")), 3),
    "negative damping": (robot(hinge('<dynamics damping="-1"/>')), 3),
    "a mimic of nothing": (robot(followed("<mimic/>")), 3),
    "a mimic of a joint that does not exist": (robot(followed('<mimic joint="z"/>')), 3),
    "a mimic of itself": (robot(followed('<mimic joint="y"/>')), 3),
    "a hinge that follows a fixed joint": (robot(followed('<mimic joint="x"/>', other="fixed")), 3),
    "a transmission without a type": (
        robot(hinge(), motor("j").replace("<type>transmission_interface/SimpleTransmission</type>", "")),
        4,
    ),
    "a transmission without a joint": (robot(hinge(), motor("j").replace('<joint name="j"/>', "")), 4),
    "a transmission of no joint": (robot(hinge(), motor("z")), 4),
    "a transmission without an actuator": (
        robot(hinge(), motor("j").replace('<actuator name="motor"></actuator>', "")),
        4,
    ),
    "an actuator without a name": (robot(hinge(), motor("j").replace(' name="motor"', "")), 4),
    "a negative effort of a motor": (robot(hinge(limited(effort=-1), "revolute"), motor("j")), 3),
    **{
        f"a motor of a {kind} joint": (robot(WORLD, link("a"), own("j", kind, "world", "a"), motor("j")), 5)
        for kind in (*BALLS, "planar")
    },
    "gains of position alone": (
        robot(hinge(), motor("j", inside='<drake:controller_gains p="3"/>')),
        4,
    ),
    "a bushing on the world": (robot(AB, bushing("world")), 3),
    "a bushing without a damping": (robot(AB, bushing(torque_damping=None)), 3),
    "a bushing with a negative stiffness": (robot(AB, bushing(force_stiffness="-1 2 3")), 3),
    "a spring on the world": (robot(AB, spring("world")), 3),
    "a spring of no length": (robot(AB, spring(free_length="0")), 3),
    "a spring of negative stiffness": (robot(AB, spring(stiffness="-1")), 3),
    "a spring of negative damping": (robot(AB, spring(damping="-1")), 3),
    "a ball constraint on the world": (robot(AB, between("drake:ball_constraint", "world")), 3),
    "a tendon of a joint that does not exist": (robot(hinge(), tendon("z")), 4),
}
"""A file that Drake does not load either, and the line of our error."""

MISREAD: dict[str, tuple[str, int]] = {
    **{f"a mass of {text}": (numbered(text), 2) for text in ("1,5", "1;", "0x10")},
    "words after a vector": (robot(link("a", SOLID.replace("0.1 0.2 -0.1", "1 2 3x"))), 2),
    "a template": (robot(AB, '<xacro:arm name="x"/>').replace("<robot", '<robot xmlns:xacro="http://x"'), 3),
    "a path of several curvatures": (
        robot(WORLD, link("a"), own("j", "curvilinear", "world", "a", CURVES)),
        5,
    ),
    "a negative rotor inertia": (robot(hinge(), motor("j", inside='<drake:rotor_inertia value="-1"/>')), 4),
}
"""Files that Drake reads only in part, ignores, or gives an invalid mass matrix; and a path that we lack."""
