"""Small SDFormat files with features that are rare in public files; each is compared with Drake."""

from __future__ import annotations

HEAD = '<sdf version="{version}" xmlns:drake="http://drake.mit.edu">'


def sdf(body: str, version: str = "1.9") -> str:
    """A document of a given version."""
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


BALL = (
    "<drake:ball_constraint><drake:ball_constraint_body_A>a</drake:ball_constraint_body_A>"
    "<drake:ball_constraint_body_B>b</drake:ball_constraint_body_B>"
    "<drake:ball_constraint_p_AP>0 0 0</drake:ball_constraint_p_AP>"
    "<drake:ball_constraint_p_BQ>0 0 1</drake:ball_constraint_p_BQ></drake:ball_constraint>"
)
TENDON = (
    '<drake:tendon_constraint><drake:tendon_constraint_joint name="j" a="2"/>'
    "<drake:tendon_constraint_offset>.1</drake:tendon_constraint_offset>"
    "<drake:tendon_constraint_lower_limit>-1</drake:tendon_constraint_lower_limit>"
    "<drake:tendon_constraint_upper_limit>1</drake:tendon_constraint_upper_limit>"
    "<drake:tendon_constraint_stiffness>5</drake:tendon_constraint_stiffness>"
    "<drake:tendon_constraint_damping>1</drake:tendon_constraint_damping></drake:tendon_constraint>"
)
THREAD = "<screw_thread_pitch>.3</screw_thread_pitch>"
ZERO = "<inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"


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
"""A model in URDF."""
SHAPES = {
    "box": "<box><size>.2 .3 .4</size></box>",
    "sphere": "<sphere><radius>.3</radius></sphere>",
    "cylinder": "<cylinder><radius>.2</radius><length>.5</length></cylinder>",
    "capsule": "<capsule><radius>.2</radius><length>.5</length></capsule>",
    "ellipsoid": "<ellipsoid><radii>.2 .3 .4</radii></ellipsoid>",
}


def weighed(*names: str, density: str = "", more: str = "") -> str:
    """A link whose mass follows from its shapes, each rotated and moved."""
    shapes = "".join(
        (
            f'<collision name="{name}"><pose>.{row} .2 -.1 .4 .{row} .2</pose>{density}<geometry>'
            f"{SHAPES[name]}</geometry></collision>"
        )
        for row, name in enumerate(names, 1)
    )
    return f'<link name="w"><inertial auto="true">{more}</inertial>{shapes}</link>'


MODEL_STATE = (
    '<model_state name="m"><pose>1 2 3 0 0 0</pose><scale>2 2 2</scale><link_state name="a">'
    "<linear_velocity>1 0 0</linear_velocity><angular_velocity degrees='true'>9 0 0</angular_velocity>"
    '<force>1 2 3</force><collision_state name="c"/></link_state><joint_state name="j"><axis_state>'
    "<position degrees='true'>9</position><effort>3</effort></axis_state></joint_state></model_state>"
)


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
    **{
        f"an axis in version {version}": model(A + B + joint("revolute", "a", "b"), version=version)
        for version in ("1.5", "1.7", "1.8", "1.10", "1.11", "1.12")
    },
    "former threads of version 1.6": model(
        A + B + joint("screw", "a", "b").replace("</joint>", "<thread_pitch>.5</thread_pitch></joint>"),
        version="1.6",
    ),
    "both kinds of threads": model(
        A
        + B
        + joint("screw", "a", "b").replace("</joint>", f"{THREAD}<thread_pitch>.5</thread_pitch></joint>"),
        version="1.11",
    ),
    "threads that are not given": model(A + B + joint("screw", "a", "b")),
    "a screw with bounds and a spring": model(
        A + B + joint("screw", "a", "b", more=LIMIT + DYNAMICS).replace("</joint>", f"{THREAD}</joint>"),
        version="1.11",
    ),
    "an element of another prefix": model(A + "<x:foo/>").replace("<sdf ", '<sdf xmlns:x="http://x" '),
    "an empty world": sdf('<world name="w"/>'),
    "links in a nested model alone": model(f'<model name="n">{A}</model>'),
    "a joint belongs to its child's model": model(
        A + f'<model name="n">{B}</model>' + joint("revolute", "a", "n::b")
    ),
    "the joint's frame is its child's, a frame": model(A + B + FRAMES + joint("revolute", "a", "h")),
    "a static model that is welded by itself": model(
        "<static>true</static>" + A + B + joint("fixed", "world", "b", axis="")
    ),
    "a world's joint to a frame": sdf(
        f'<world name="w"><frame name="f"><pose>1 2 3 .1 .2 .3</pose></frame><model name="one">{A}</model>'
        '<joint name="x" type="fixed"><parent>f</parent><child>one::a</child></joint></world>',
        "1.11",
    ),
    "what Drake ignores": sdf(
        '<world name="w"><gravity>0 0 -1</gravity><physics name="p" type="ode"/><wind/><scene/>'
        '<light name="l" type="point"/><atmosphere type="adiabatic"/><model name="m">'
        "<self_collide>true</self_collide><allow_auto_disable>false</allow_auto_disable>"
        '<plugin name="p" filename="q"/>'
        + link(
            "a",
            more="<gravity>false</gravity><kinematic>true</kinematic><self_collide>true</self_collide>"
            "<velocity_decay><linear>1</linear></velocity_decay><enable_wind>true</enable_wind>",
        )
        + "</model></world>"
    ),
    "no mass, moments by default": model('<link name="a"><inertial><mass>0</mass></inertial></link>'),
    "no mass and no moments": model(f'<link name="a"><inertial><mass>0</mass>{ZERO}</inertial></link>'),
    "one of three moments": model(
        '<link name="a"><inertial><mass>2</mass><inertia><ixx>1.5</ixx></inertia></inertial></link>'
    ),
    "added mass": model(
        '<link name="a"><inertial><mass>2</mass><fluid_added_mass><xx>1</xx></fluid_added_mass></inertial>'
        "</link>",
        version="1.10",
    ),
    "states of version 1.12": sdf(
        f'<world name="w"><model name="m">{A}{MODEL_STATE}</model><state world_name="w">{MODEL_STATE}'
        '<light_state name="l"><pose>1 2 3 0 0 0</pose></light_state><joint_state name="j"/><insertions>'
        '<joint name="j" type="fixed"><parent>q</parent><child>r</child></joint></insertions></state>'
        "</world>",
        "1.12",
    ),
    "sensors of version 1.12": model(
        '<link name="a"><sensor name="s" type="air_speed"><frame_id>f</frame_id><air_speed/></sensor>'
        '</link><plugin filename="p"/>',
        version="1.12",
    ),
    "parameters of computed inertia": model(
        weighed("box", more="<auto_inertia_params><x:size>1</x:size></auto_inertia_params>"), version="1.11"
    ).replace("<sdf ", '<sdf xmlns:x="http://x" '),
    "defaults of limits in version 1.12": model(
        A + B + joint("revolute", "a", "b", more="<limit/>"), version="1.12"
    ),
    "inertia of a cone": model(
        '<link name="w"><inertial auto="true"/><collision name="c"><geometry><cone><radius>.3</radius>'
        "<length>.7</length></cone></geometry></collision></link>",
        version="1.12",
    ),
    "frames of parent and child coincide": model(
        link("a")
        + link("b")
        + '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>'
        + "</joint>"
    ),
    "an axis without a direction": model(
        A + B + '<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis/></joint>'
    ),
    "another damping and an effort of a second axis": model(
        A
        + B
        + UNIVERSAL.replace(
            "</axis2>", "<dynamics><damping>.9</damping></dynamics><limit><effort>5</effort></limit></axis2>"
        )
    ),
    "a ball with bounds": model(A + B + joint("ball", "a", "b", more=DYNAMICS + LIMIT)),
    **{
        f"bounds: {name}": model(A + B + joint("revolute", "a", "b", more=f"<limit>{limit}</limit>"))
        for name, limit in {
            "half": "<lower>-1</lower>",
            "1e16": "<lower>-1e16</lower><upper>1e16</upper>",
            "infinite": "<lower>-inf</lower><upper>inf</upper>",
            "of a negative velocity": "<velocity>-1</velocity>",
            "of acceleration": "<drake:acceleration>1</drake:acceleration>",
            "soft": "<lower>-1</lower><upper>1</upper><stiffness>5</stiffness><dissipation>3</dissipation>",
        }.items()
    },
    "bounds of a continuous joint": model(A + B + joint("continuous", "a", "b", more=LIMIT)),
    **{
        f"effort {effort}": model(
            A + B + joint("revolute", "a", "b", more=f"<limit><effort>{effort}</effort></limit>")
        )
        for effort in ("0", "-1", "5", "inf")
    },
    "dry friction": model(
        A + B + joint("revolute", "a", "b", more="<dynamics><friction>1</friction></dynamics>")
    ),
    "the standard's mimic": model(
        A
        + B
        + joint("revolute", "a", "b")
        + link("c")
        + joint("revolute", "b", "c", "k", more='<mimic joint="j"><multiplier>2</multiplier></mimic>'),
        version="1.11",
    ),
    "Drake's mimic": model(
        A
        + B
        + joint("revolute", "a", "b")
        + link("c")
        + joint("revolute", "b", "c", "k").replace(
            "</joint>", '<drake:mimic joint="j" multiplier="2" offset=".1"/></joint>'
        )
    ),
    "a planar joint to a link of a nested model": model(
        A + nested() + PLANAR.replace('"j"', '"p"').replace(">f<", ">a<").replace(">h<", ">n::c<")
    ),
    "a bushing to a frame of a nested model": model(
        A + nested() + BUSHING.replace(">f<", ">a<").replace(">h<", ">n::top<")
    ),
    "a ball constraint": model(A + B + BALL),
    "a tendon constraint": model(A + B + joint("revolute", "a", "b") + TENDON),
    "an island with more joints goes before an older one": sdf(
        f'<world name="w"><model name="one">{A}{B}{joint("revolute", "a", "b")}</model>'
        f'<model name="two">{A}{B}{link("c")}{joint("revolute", "a", "b")}{joint("revolute", "a", "c", "k")}'
        f'</model><model name="three">{A}{joint("revolute", "world", "a")}</model>'
        f'<model name="four">{A}</model></world>'
    ),
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
