"""Small SDFormat files that have what files in the wild rarely have; each is compared with Drake."""

from __future__ import annotations

HEAD = '<sdf version="{version}" xmlns:drake="http://drake.mit.edu">'


def sdf(body: str, version: str = "1.9") -> str:
    """A document of a version."""
    return HEAD.format(version=version) + body + "</sdf>"


def model(body: str, name: str = "m", more: str = "", version: str = "1.9") -> str:
    """A document of a model."""
    return sdf(f'<model name="{name}" {more}>{body}</model>', version)


def inertial(mass: float = 2.0) -> str:
    return (
        f"<inertial><pose>.1 -.2 .05 .3 .2 -.1</pose><mass>{mass}</mass><inertia><ixx>.4</ixx><iyy>.5</iyy>"
        "<izz>.6</izz><ixy>.02</ixy><ixz>-.03</ixz><iyz>.01</iyz></inertia></inertial>"
    )


def link(name: str, pose: str = "", mass: float = 2.0, more: str = "") -> str:
    return f'<link name="{name}">{pose and f"<pose>{pose}</pose>"}{inertial(mass)}{more}</link>'


def joint(
    kind: str, parent: str, child: str, name: str = "j", axis: str = ".3 -.2 .9", more: str = ""
) -> str:
    inner = f"<axis><xyz>{axis}</xyz>{more}</axis>" if axis else ""
    return (
        f'<joint name="{name}" type="{kind}"><pose>.1 .2 .3 .5 -.4 .3</pose><parent>{parent}</parent>'
        f"<child>{child}</child>{inner}</joint>"
    )


A, B = link("a", ".2 .1 -.3 .1 .2 .3"), link("b", "1 .3 .5 -.4 .2 .7", 1.5)
DYNAMICS = (
    "<dynamics><damping>.7</damping><spring_stiffness>3</spring_stiffness><spring_reference>"
    ".4</spring_reference></dynamics>"
)
LIMIT = "<limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>3</velocity></limit>"
FRAMES = (
    '<frame name="f"><pose>.1 .2 .3 .4 .5 .6</pose></frame>'
    '<frame name="g" attached_to="b"><pose relative_to="f">0 .1 0 .2 0 0</pose></frame>'
    '<frame name="h" attached_to="g"><pose>0 0 .3 0 .7 0</pose></frame>'
)
UNIVERSAL = (
    '<joint name="j" type="universal"><pose>.1 0 .2 .3 .2 .1</pose><parent>a</parent><child>b</child>'
    "<axis><xyz>0 .6 .8</xyz><dynamics><damping>.2</damping></dynamics></axis><axis2><xyz>1 0 0</xyz>"
    "</axis2></joint>"
)
PLANAR = (
    '<drake:joint name="j" type="planar"><drake:parent>f</drake:parent><drake:child>h</drake:child>'
    "<drake:damping>.1 .2 .3</drake:damping></drake:joint>"
)
BUSHING = (
    "<drake:linear_bushing_rpy><drake:bushing_frameA>f</drake:bushing_frameA>"
    "<drake:bushing_frameC>h</drake:bushing_frameC>"
    "<drake:bushing_torque_stiffness>1 2 3</drake:bushing_torque_stiffness>"
    "<drake:bushing_torque_damping>.1 .2 .3</drake:bushing_torque_damping>"
    "<drake:bushing_force_stiffness>4 5 6</drake:bushing_force_stiffness>"
    "<drake:bushing_force_damping>.4 .5 .6</drake:bushing_force_damping></drake:linear_bushing_rpy>"
)
SPRING = (
    "<drake:linear_spring_damper><drake:linear_spring_damper_body_A>a</drake:linear_spring_damper_body_A>"
    "<drake:linear_spring_damper_body_B>b</drake:linear_spring_damper_body_B>"
    "<drake:linear_spring_damper_p_AP>.1 .2 .3</drake:linear_spring_damper_p_AP>"
    "<drake:linear_spring_damper_p_BQ>-.3 .1 0</drake:linear_spring_damper_p_BQ>"
    "<drake:linear_spring_damper_free_length>.4</drake:linear_spring_damper_free_length>"
    "<drake:linear_spring_damper_stiffness>7</drake:linear_spring_damper_stiffness>"
    "<drake:linear_spring_damper_damping>.3</drake:linear_spring_damper_damping></drake:linear_spring_damper>"
)
REFLECTED = "<drake:rotor_inertia>.01</drake:rotor_inertia><drake:gear_ratio>20</drake:gear_ratio>"
GAINS = '<drake:controller_gains p="30" d="4"/>'


def driven(more: str) -> str:
    return joint("revolute", "a", "b", more=LIMIT).replace("</joint>", f"{more}</joint>")


def nested(more: str = "", attributes: str = "") -> str:
    inner = link("c", ".1 0 .2 0 .3 0") + link("d", "0 .5 0 .2 0 0") + joint("revolute", "c", "d")
    inner += '<frame name="top" attached_to="d"><pose>0 0 .1 .3 0 0</pose></frame>'
    return f'<model name="n" {attributes}><pose>{more or ".5 .5 0 0 0 .4"}</pose>{inner}</model>'


ROBOT = (
    '<robot name="r"><link name="u"><inertial><mass value="2"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<link name="v"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="k" type="prismatic"><parent link="u"/><child link="v"/>'
    '<origin xyz="0 .1 .2" rpy=".1 .2 .3"/><axis xyz="1 1 0"/></joint></robot>'
)
"""Of URDF."""
SHAPES = {
    "box": "<box><size>.2 .3 .4</size></box>",
    "sphere": "<sphere><radius>.3</radius></sphere>",
    "cylinder": "<cylinder><radius>.2</radius><length>.5</length></cylinder>",
    "capsule": "<capsule><radius>.2</radius><length>.5</length></capsule>",
    "ellipsoid": "<ellipsoid><radii>.2 .3 .4</radii></ellipsoid>",
}


def weighed(*names: str, density: str = "", more: str = "") -> str:
    """A link whose mass is that of its shapes, each turned and moved."""
    shapes = "".join(
        (
            f'<collision name="{name}"><pose>.{row} .2 -.1 .4 .{row} .2</pose>{density}<geometry>'
            f"{SHAPES[name]}</geometry></collision>"
        )
        for row, name in enumerate(names, 1)
    )
    return f'<link name="w"><inertial auto="true">{more}</inertial>{shapes}</link>'


MODELS: dict[str, str] = {
    **{
        f"{kind} joint": model(A + B + joint(kind, "a", "b"))
        for kind in ("revolute", "continuous", "prismatic", "screw")
    },
    "ball joint": model(A + B + joint("ball", "a", "b", axis="")),
    "ball joint with damping": model(A + B + joint("ball", "a", "b", more=DYNAMICS)),
    "fixed joint": model(A + B + joint("fixed", "a", "b", axis="")),
    "universal joint": model(A + B + UNIVERSAL),
    "planar joint between frames": model(A + B + FRAMES + PLANAR),
    "springs and dampers": model(
        A
        + B
        + joint("revolute", "a", "b", more=DYNAMICS)
        + link("c")
        + joint("prismatic", "b", "c", "k", more=DYNAMICS)
    ),
    "screw threads": model(
        A
        + B
        + joint("screw", "a", "b").replace("</joint>", "<screw_thread_pitch>.3</screw_thread_pitch></joint>"),
        version="1.11",
    ),
    "former screw threads": model(
        A + B + joint("screw", "a", "b").replace("</joint>", "<thread_pitch>.5</thread_pitch></joint>")
    ),
    "joint to the world": model(A + joint("revolute", "world", "a")),
    "welded to the world": model(
        A + B + joint("fixed", "world", "a", "w", axis="") + joint("prismatic", "a", "b")
    ),
    "a child that is the base": model(
        A
        + B
        + joint("fixed", "world", "b", "w", axis="")
        + joint("revolute", "a", "b")
        + link("c")
        + joint("prismatic", "c", "a", "k")
    ),
    "two heads": model(
        A + B + link("c") + joint("revolute", "a", "c") + joint("revolute", "b", "c", "k", more=DYNAMICS)
    ),
    "axis in another frame": model(
        A + B + FRAMES + joint("revolute", "a", "b").replace("<xyz>", '<xyz expressed_in="h">')
    ),
    "frames as parent and child": model(A + B + FRAMES + joint("revolute", "f", "h")),
    "poses relative to a joint": model(
        A
        + B
        + joint("revolute", "a", "b")
        + '<link name="c"><pose relative_to="j">.1 0 0 0 .2 0</pose></link>'
    ),
    "degrees and quaternions": model(
        A.replace("<pose>.2 .1 -.3 .1 .2 .3", '<pose degrees="true">.2 .1 -.3 10 20 30')
        + '<link name="b"><pose rotation_format="quat_xyzw">1 0 0 .5 .5 -.5 .5</pose></link>'
        + joint("revolute", "a", "b")
    ),
    "version 1.4: axes of the model": model(A + B + joint("revolute", "a", "b"), version="1.4"),
    "version 1.6: axes of the joint": model(A + B + joint("revolute", "a", "b"), version="1.6"),
    "version 1.6: axes of the model": model(
        A + B + joint("revolute", "a", "b", more="<use_parent_model_frame>true</use_parent_model_frame>"),
        version="1.6",
    ),
    "canonical link": model(A + B + FRAMES + joint("revolute", "a", "b"), more='canonical_link="b"'),
    "placement frame": model(
        "<pose>1 2 3 .1 .2 .3</pose>" + A + B + FRAMES + joint("revolute", "a", "b"),
        more='placement_frame="h"',
    ),
    "nested model": model(nested() + A + joint("revolute", "a", "n::d", "k")),
    "nested model placed by a frame": model(A + nested(attributes='placement_frame="top"')),
    "nested model whose link is jointed from inside": model(
        nested() + A + joint("prismatic", "n::top", "a", "k")
    ),
    "static model": model("<static>true</static>" + A + B + joint("fixed", "a", "b", axis="")),
    "static outside of a nested model": model("<static>true</static>" + A + nested()),
    "several models": sdf(
        '<world name="w">'
        + f'<model name="one"><pose>1 0 0 0 0 .3</pose>{A}{B}{joint("revolute", "a", "b")}</model>'
        + (
            f'<model name="two">'
            f"{A}{joint('fixed', 'world', 'a', 'w', axis='')}{B}{joint('prismatic', 'a', 'b')}</model>"
        )
        + f'<model name="three">{A}</model><frame name="f"><pose>1 2 3 .1 0 0</pose></frame>'
        + '<frame name="e" attached_to="one::b"><pose relative_to="f">0 0 1 0 0 0</pose></frame></world>'
    ),
    "a joint in a world": sdf(
        f'<world name="w"><model name="one">{A}</model><model name="two">{B}</model>'
        '<joint name="x" type="fixed"><parent>one::a</parent><child>two::b</child></joint>'
        '<joint name="y" type="fixed"><parent>world</parent><child>one</child></joint></world>',
        "1.10",
    ),
    "reflected inertia": model(A + B + driven(REFLECTED)),
    "reflected inertia without effort": model(A + B + driven(REFLECTED).replace("<effort>5", "<effort>0")),
    "controllers": model(
        A + B + driven(REFLECTED + GAINS) + link("c") + joint("prismatic", "b", "c", "k", more=LIMIT)
    ),
    "bushing": model(A + B + FRAMES + BUSHING),
    "spring and damper between points": model(A + B + SPRING),
    "no inertia": model(
        '<link name="a"/><link name="b"><pose>1 0 0 0 0 0</pose></link>' + joint("revolute", "a", "b")
    ),
    "a mass alone": model('<link name="a"><inertial><mass>5</mass></inertial></link>'),
    "impossible inertia": model(
        '<link name="a"><inertial><mass>2</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>9</izz>'
        "</inertia></inertial></link>"
    ),
    "massless between masses": model(
        A
        + (
            '<link name="b"><inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz>'
            "</inertia></inertial></link>"
        )
        + link("c", "0 1 0 0 0 0")
        + joint("revolute", "a", "b")
        + joint("revolute", "b", "c", "k", "1 0 0")
    ),
    **{f"inertia of a {name}": model(weighed(name)) for name in SHAPES},
    "inertia of several shapes": model(weighed(*SHAPES, density="<density>300</density>")),
    "inertia of shapes of a density": model(weighed("box", "sphere", more="<density>400</density>")),
    "inertia of shapes of a mass": model(weighed("box", "sphere", more="<mass>3</mass>")),
    "order of joints against links": model(
        link("c")
        + A
        + B
        + joint("revolute", "b", "c", "x")
        + joint("prismatic", "a", "b", "y")
        + link("d")
        + joint("revolute", "a", "d", "z")
    ),
}
