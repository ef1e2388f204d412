"""What the tables of the formats do not say about names: scopes, kinds that other attributes give, names in
elements without a schema, and what elements need.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Loose(NamedTuple):
    """A name in an element without a schema.

    Attributes:
        path: tags from an element of the format, or from an extension in it, down to the element.
        name: the attribute, or ``text()``.
        kinds: the kinds of elements that it refers to.
        declares: the kind of the name, if it is the element's own.
        when: an attribute and the value that it must have.
    """

    path: tuple[str, ...]
    name: str
    kinds: tuple[str, ...] = ()
    declares: str | None = None
    when: tuple[str, str] | None = None

    def applies(self, node: Any) -> bool:
        return self.when is None or node.attributes.get(self.when[0]) == self.when[1]


class Naming(NamedTuple):
    """The properties of a format's names that its tables do not define.

    Attributes:
        scopes: tags of elements that are scopes of names.
        joins: tags of scopes that are no scopes inside another one.
        delimiter: separator between the name of a scope and a name in it.
        declares: by the tag of an element, the kind of its name.
        refers: by the tag of an element and of its part with names, the kinds that they may have.
        outer: tags of children of a scope whose names are resolved in the surrounding scope.
        formulas: attributes whose text contains names among other words.
        chosen: attributes with a name, and those that give its kind.
        untyped: names in elements without a schema.
        mentions: parts of elements whose text may contain names, but need not.
        by_file: kinds of elements that are named by their file if they have no name.
        contentful: tags of elements that declare their name if they have other content, and refer to another
            element of the name otherwise.
        shared: kinds of names that several elements may have.
        fixed: by kind, names that exist in every document.
        makers: by tag, the attribute with the beginning of the names of elements that it generates.
        generating: tags of elements that generate names.
        belongs: elements, by tag and attribute, that are part of the description of what they name, although
            the schema allows them without it.
        needs: by tag, alternative tags of children, one of which it needs to have a meaning.
        every: tags of parents and children: without such a child, the parent has another meaning.
        used: tags of elements to which another one must refer.
    """

    scopes: tuple[str, ...] = ()
    delimiter: str = ""
    declares: dict[str, str] = {}  # noqa: RUF012
    refers: dict[tuple[str, str], tuple[str, ...]] = {}  # noqa: RUF012
    outer: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    chosen: dict[str, str] = {}  # noqa: RUF012
    untyped: tuple[Loose, ...] = ()
    mentions: tuple[tuple[str, str], ...] = ()
    by_file: tuple[str, ...] = ()
    contentful: tuple[str, ...] = ()
    fixed: dict[str, tuple[str, ...]] = {}  # noqa: RUF012
    makers: dict[str, str] = {}  # noqa: RUF012
    generating: tuple[str, ...] = ()
    belongs: tuple[tuple[str, str], ...] = ()
    needs: dict[str, tuple[str, ...]] = {}  # noqa: RUF012
    every: tuple[tuple[str, str], ...] = ()
    used: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


_FRAME, _GROUP, _BODY, _JOINT, _LINK = ("frame",), ("group",), ("body",), ("joint",), ("link",)
_DRAKE_GROUP = "drake:collision_filter_group"
_MIMIC = tuple(f"mimic_{what}{axis}" for what in ("pos", "vel", "accel") for axis in ("", "0", "1", "2"))
_CONTROL = "ros2_control"
NAMINGS = {
    "mjcf": Naming(
        chosen={"objname": "objtype", "refname": "reftype"},
        mentions=(("config", "value"), ("text", "data")),
        by_file=("mesh", "hfield", "texture", "skin"),
        fixed={"body": ("world",), "default": ("main",)},
        makers={"attach": "prefix", "composite": "prefix"},
        generating=("attach", "composite", "flexcomp", "replicate"),
        belongs=(
            *(("pair", "geom1"), ("pair", "geom2")),
            *(("plugin", name) for name in ("joint", "jointinparent", "tendon", "site", "body", "cranksite")),
        ),
        needs={"fixed": ("joint",), "tuple": ("element",), "skin": ("bone",)},
        every=(("spatial", "site"), ("spatial", "geom")),
        used=("instance",),
    ),
    "urdf": Naming(
        declares={"transmission": "transmission", "actuator": "actuator", "material": "material"},
        refers={
            ("gazebo", "reference"): ("link", "joint"),
            ("material", "name"): ("material",),
            **{(tag, "name"): _JOINT for tag in ("flexJoint", "rollJoint", "gap_joint", "passive_joint")},
        },
        contentful=("material",),
        untyped=(
            Loose((_CONTROL,), "name", declares=_CONTROL),
            Loose((_CONTROL, "joint"), "name", _JOINT),
            Loose((_CONTROL, "joint", "param"), "text()", _JOINT, when=("name", "mimic")),
            Loose((_CONTROL, "sensor", "param"), "text()", _LINK, when=("name", "frame_id")),
            Loose((_CONTROL, "sensor"), "name", declares="sensor"),
            Loose((_CONTROL, "gpio"), "name", declares="gpio"),
            Loose((_CONTROL, "transmission"), "name", declares="transmission"),
            Loose((_CONTROL, "transmission", "actuator"), "name", declares="actuator"),
            Loose((_CONTROL, "transmission", "joint"), "name", _JOINT),
            Loose(("gazebo", "joint", "parent"), "text()", _LINK),
            Loose(("gazebo", "joint", "child"), "text()", _LINK),
            Loose(("transmission", "simulated_actuated_joint"), "name", _JOINT),
            Loose(("transmission", "simulated_actuated_joint"), "passive_actuated_joint", _JOINT),
        ),
        belongs=(("gazebo", "reference"),),
        shared=("transmission", "actuator"),
        needs={
            _CONTROL: ("joint", "sensor", "gpio"),
            _DRAKE_GROUP: ("drake:member", "drake:member_group"),
        },
        every=(
            ("transmission", "joint"),
            ("transmission", "actuator"),
            (_CONTROL, "transmission"),
            ("gazebo", "joint"),
        ),
    ),
    "sdf": Naming(
        ("model", "world"),
        "::",
        {
            **dict.fromkeys(("link", "joint", "drake:joint", "frame", "model", "include"), "frame"),
            _DRAKE_GROUP: "group",
        },
        {
            ("model", "canonical_link"): _FRAME,
            ("model", "placement_frame"): _FRAME,
            ("pose", "relative_to"): _FRAME,
            ("frame", "attached_to"): _FRAME,
            ("joint", "parent"): _FRAME,
            ("joint", "child"): _FRAME,
            ("joint", "gearbox_reference_body"): _FRAME,
            ("drake:joint", "drake:parent"): _FRAME,
            ("drake:joint", "drake:child"): _FRAME,
            ("xyz", "expressed_in"): _FRAME,
            ("mimic", "joint"): _FRAME,
            ("drake:mimic", "joint"): _FRAME,
            ("gripper", "palm_link"): _FRAME,
            ("gripper_link", "text()"): _FRAME,
            ("drake:linear_bushing_rpy", "drake:bushing_frameA"): _FRAME,
            ("drake:linear_bushing_rpy", "drake:bushing_frameC"): _FRAME,
            ("drake:ball_constraint", "drake:ball_constraint_body_A"): _FRAME,
            ("drake:ball_constraint", "drake:ball_constraint_body_B"): _FRAME,
            ("drake:distance_constraint", "drake:distance_constraint_body_A"): _FRAME,
            ("drake:distance_constraint", "drake:distance_constraint_body_B"): _FRAME,
            ("drake:linear_spring_damper", "drake:linear_spring_damper_body_A"): _FRAME,
            ("drake:linear_spring_damper", "drake:linear_spring_damper_body_B"): _FRAME,
            ("drake:member", "text()"): _FRAME,
            ("drake:member_group", "text()"): _GROUP,
            ("drake:ignored_collision_filter_group", "text()"): _GROUP,
        },
        outer=("pose",),
        fixed={"frame": ("world", "__model__")},
        needs={
            "model": ("link", "model", "include"),
            "sdf": ("model", "actor", "light", "world"),
            "geometry": (
                *("empty", "box", "capsule", "cone", "cylinder", "ellipsoid", "heightmap", "image", "mesh"),
                *("plane", "polyline", "sphere", "drake:capsule", "drake:ellipsoid"),
            ),
            _DRAKE_GROUP: ("drake:member", "drake:member_group"),
        },
    ),
    "skel": Naming(
        ("skeleton",),
        declares={"body": "body", "joint": "joint", "skeleton": "skeleton"},
        refers={("joint", "parent"): _BODY, ("joint", "child"): _BODY},
        fixed={"body": ("world",)},
        needs={"skel": ("world", "skeleton")},
    ),
    "openrave": Naming(
        ("kinbody", "robot"),
        declares={"body": "body", "joint": "joint", "kinbody": "kinbody", "robot": "kinbody"},
        refers={
            **dict.fromkeys(
                [("body", "text()"), ("base", "text()"), ("effector", "text()"), ("link", "text()")], _BODY
            ),
            **dict.fromkeys([("offsetfrom", "text()"), ("adjacent", "text()")], _BODY),
            **dict.fromkeys([(tag, "text()") for tag in ("gripperjoints", "joints", "armjoints")], _JOINT),
            **dict.fromkeys([("joint", name) for name in (*_MIMIC, "mimic")], _JOINT),
        },
        formulas=(*_MIMIC, "mimic"),
        joins=("kinbody", "robot"),
        makers={"kinbody": "prefix", "robot": "prefix"},
        generating=("kinbody", "robot"),
    ),
}
