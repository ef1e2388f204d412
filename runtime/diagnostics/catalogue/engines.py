"""What the reference engine of each format accepts: how the policy `warn` differs between formats.

The severity in the catalogue applies unless a row here gives another one. The first row of a format that
matches a finding decides. Each row was measured: the engine was given files that it loads with a single
fault added, and real files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from polybody.diagnostics.diagnostic import Severity

ANY = ()
"""All codes except those of `TEXT`."""
TEXT = ("PB001", "PB002", "PB003", "PB004", "PB005", "PB006", "PB007", "PB008", "PB009", "PB099")
"""Codes about the text, its limits and internal errors: their severity does not depend on an engine."""


class Verdict(NamedTuple):
    """How severe findings are under `warn`, and why.

    ``codes``: the codes concerned; if empty, all but those of `TEXT` that are not milder already. ``at``: how
    the finding's XPath ends, as in ``limit/@lower`` and ``geom/*``; an entry that ends with a slash, as in
    ``visual/``, matches any step of the XPath; if empty, all places match.
    """

    severity: Severity
    codes: tuple[str, ...]
    at: tuple[str, ...]
    why: str

    def takes(self, code: str, xpath: str) -> bool:
        """Whether the row applies to a finding."""
        if code not in self.codes and (self.codes or code in TEXT):
            return False
        return not self.at or _pattern(self.at).search(_INDEX.sub("", xpath) + "/") is not None


class Home(NamedTuple):
    """The reference engine of a format, and the severities that depend on it."""

    engine: str
    verdicts: tuple[Verdict, ...]
    demanded: tuple[str, ...] = ()
    """Codes that are errors under `strict` in this format alone."""
    forgiven: tuple[Verdict, ...] = ()
    """Findings that are warnings only under `lenient`: the rest of the document has a meaning without them.
    """


_INDEX = re.compile(r"\[\d+\]")


@cache
def _pattern(at: tuple[str, ...]) -> re.Pattern[str]:
    steps = ((re.escape(piece.removesuffix("/")).replace(r"\*", "[^/]+"), piece[-1] == "/") for piece in at)
    return re.compile("|".join(f"/{step}/{'' if inner else '$'}" for step, inner in steps))


UNREAD = ("PB011", "PB012")
GROUP = ("drake:collision_filter_group",)
SDF_BOUNDS = (
    *("bounce/*", "torsional/*", "ode/mu", "ode/mu2", "bullet/*", "material/ambient", "material/diffuse"),
    *("material/specular", "material/emissive", "noise/*", "camera/horizontal_fov", "clip/*", "lens/*"),
    *("light/diffuse", "light/specular", "particle_emitter/*", "scene/*", "clouds/*", "fog/*"),
    *("dynamics/damping", "limit/drake:acceleration", "drake:controller_gains/@d"),
    *("drake:linear_bushing_rpy/*", "drake:linear_spring_damper/*", "drake:tendon_constraint/*"),
    *("drake:distance_constraint/*", "drake:line_segment/*", "drake:circular_arc/*"),
)
ONCE = (
    *("body/mass", "kinbody/mass", "kinbody/modelsdir", "joint/actuator", "joint/body"),
    "attachedsensor/sensor",
)
MESHES = ("geom/render", "geom/collision", "geom/data", "render/@file", "collision/@file")
FLAGS = ("@enable", "@render", "@modifiable", "@skipgeometry")
WHOLE = (
    *("rotationmat", "environment/camrotmat", "mass/inertia", "geom/render", "geom/collision", "geom/data"),
    "geom/transf",
)
PLANNED = tuple(
    f"joint/{name}" for name in ("maxvel", "maxveldeg", "maxaccel", "maxacceldeg", "maxtorque", "maxinertia")
)
STOPS = (
    *("joint/lostop", "joint/histop"),
    *(f"joint/@mimic_{what}0" for what in ("pos", "vel", "accel")),
)
GRIPPER = ("manipulator/joints", "manipulator/gripperjoints")
LINKS = ("joint/body", "offsetfrom", "manipulator/base", "manipulator/effector", "attachedsensor/link")

URDF = Home(
    "Drake 1.51 without geometry",
    (
        Verdict("warning", ANY, ("visual/", "collision/"), "shapes are only read by a geometry engine"),
        Verdict("warning", ANY, ("robot/sensor/", "robot/gazebo/"), "Drake does not read them"),
        Verdict("warning", UNREAD, (), "Drake ignores what it does not know"),
        Verdict("warning", ("PB014",), (), "the first of several elements is used"),
        Verdict("warning", ("PB036", "PB084"), (), "files of shapes are not opened"),
        Verdict("warning", ("PB023",), GROUP, "a group without members excludes nothing"),
        Verdict("error", ("PB044",), ("limit/@lower",), "Drake requires lower <= upper"),
        Verdict("warning", ("PB034",), (), "Drake reverses a joint if this makes a tree"),
        Verdict("error", ("PB083",), (), "Drake rejects it"),
        Verdict(
            "error",
            ("PB019",),
            (
                *("limit/@velocity", "dynamics/@damping", "drake:controller_gains/@d"),
                *("drake:distance_constraint/", "drake:line_segment/*", "drake:circular_arc/*"),
            ),
            "Drake rejects such values",
        ),
    ),
    demanded=("PB028",),
    forgiven=(
        Verdict("warning", ("PB021",), ("robot",), "a robot without a name is called `robot`"),
        Verdict("warning", ("PB032",), ("mimic/@joint",), "a joint without one to follow moves freely"),
        Verdict(
            "warning",
            ("PB032",),
            ("transmission/joint/@name",),
            "a transmission without a joint has no actuator",
        ),
        Verdict(
            "warning", ("PB048",), (), "a joint with a different number of degrees of freedom is not followed"
        ),
    ),
)
SDF = Home(
    "Drake 1.51 without geometry",
    (
        Verdict(
            "warning", UNREAD, ("drake:collision_filter_group/*", "drake:*/@*"), "unknown content is ignored"
        ),
        Verdict("error", ("PB014",), ("sdf/model",), "a file has at most one model"),
        Verdict("warning", ("PB014",), (), "the first of several elements is used"),
        Verdict("warning", ("PB010",), ("visual/", "collision/"), "files of shapes are not opened"),
        Verdict("warning", ("PB036", "PB084"), (), "files of shapes are not opened"),
        Verdict("warning", ("PB023",), GROUP, "a group without members excludes nothing"),
        Verdict("warning", ("PB054",), (), "only a geometry engine uses deformable bodies"),
        Verdict("warning", ("PB015",), ("actor", "actor/animation"), "Drake ignores actors"),
        Verdict("warning", ("PB026",), ("shader/normal_map",), "an empty text means no normal map"),
        Verdict("warning", ("PB018",), ("physics/@type",), "Drake ignores which engine the options are for"),
        Verdict("error", ("PB019",), SDF_BOUNDS, "libsdformat or Drake checks these bounds"),
        Verdict("error", ("PB044", "PB082", "PB083"), (), "Drake rejects it"),
    ),
)  # fmt: skip
MJCF = Home(
    "MuJoCo 3.2.7",
    (
        Verdict("warning", ("PB026",), ("@name",), "an empty name means no name"),
        Verdict("warning", ("PB086",), (), "an attribute without a value is ignored"),
        Verdict(
            "warning",
            ("PB011",),
            ("mujoco/body", "mujoco/frame", "mujoco/replicate"),
            "MuJoCo ignores them beside <worldbody>",
        ),
        Verdict(
            "warning",
            ("PB019",),
            (
                *("@delay", "option/@timestep", "option/@density", "lengthrange/@timestep", "numeric/@size"),
                *("composite/@size", "elasticity/@poisson", "velocity/@kv", "contact/@condim"),
            ),
            "MuJoCo does not check these bounds",
        ),
        Verdict("warning", ("PB063",), (), "MuJoCo accepts the count"),
        Verdict("error", ("PB044",), ("@springlength", "muscle/@range"), "MuJoCo requires lower <= upper"),
        Verdict("error", ("PB019", "PB047", "PB083"), (), "MuJoCo rejects it"),
    ),
)
SKEL = Home(
    "DART 6.20",
    (
        Verdict("warning", UNREAD, (), "DART ignores what it does not know"),
        Verdict("warning", ("PB014",), (), "the first of several elements is used"),
        Verdict("warning", ("PB018",), ("physics/collision_detector",), "DART uses another detector"),
        Verdict("warning", ("PB031",), ("joint/@name",), "DART appends a number to the second name"),
        Verdict("error", ("PB028",), ("geometry/*",), "DART terminates if the size of a shape is missing"),
        Verdict("error", ("PB075",), (), "DART requires a world"),
    ),
    demanded=("PB028",),
)
X_XY = Home(
    "ring 1.7.1",
    (
        Verdict(
            "warning", ("PB011",), ("geom/*", "options/*", "omc/*", "defaults/*/*"), "ring does not read them"
        ),
        Verdict("error", ("PB091",), (), "ring's XML parser refuses it"),
        Verdict("warning", ("PB019",), ("@mass", "@dt"), "ring accepts the value"),
        Verdict("error", ("PB019",), (), "ring rejects it"),
    ),
)
OPENRAVE = Home(
    "OpenRAVE's reader of August 2024",
    (
        Verdict("warning", UNREAD, (), "it skips what it does not know"),
        Verdict("warning", ("PB010",), MESHES, "it continues without a file that it does not find"),
        Verdict("error", ("PB014",), ONCE, "a second one changes what the first one means"),
        Verdict("warning", ("PB014",), (), "the last of several elements is used"),
        Verdict("warning", ("PB015", "PB046"), ("manipulator", "manipulator/*"), "manipulators may lack it"),
        Verdict("warning", ("PB016",), FLAGS, "any other word counts as the default"),
        Verdict("error", ("PB017",), WHOLE, "a part of it has no meaning"),
        Verdict("warning", ("PB017",), (), "missing numbers are 0, surplus values are ignored"),
        Verdict("warning", ("PB018",), ("body/@type",), "a body that is not static is dynamic"),
        Verdict("warning", ("PB018",), ("geom/@type",), "a shape of an unknown type is empty"),
        Verdict("warning", ("PB018",), ("joint/@type",), "a joint of an unknown type is a hinge"),
        Verdict("warning", ("PB018",), ("mass/@type",), "a mass of an unknown type is a sphere"),
        Verdict(
            "error", ("PB019",), PLANNED, "it refuses negative bounds of velocities, forces and the like"
        ),
        Verdict("warning", ("PB021",), ("geom",), "a shape without a size is empty"),
        Verdict("error", ("PB022",), STOPS, "they contradict each other"),
        Verdict("warning", ("PB022",), (), "the last of them is used; of the files of a mesh, the first"),
        Verdict("error", ("PB024",), ("joint/initial",), "too many or too few values move links arbitrarily"),
        Verdict("warning", ("PB024",), (), "a wrong number of bounds is ignored; other values have defaults"),
        Verdict("warning", ("PB025",), ("render", "collision"), "the attribute is used"),
        Verdict("warning", ("PB026",), ("@name",), "an empty name means no name"),
        Verdict("warning", ("PB032",), ("adjacent", *GRIPPER), "names without a body or joint are skipped"),
        Verdict("warning", ("PB046",), ("rotationaxis",), "there is no rotation about a zero axis"),
        Verdict("error", ("PB086",), LINKS, "there is no body with an empty name"),
        Verdict("warning", ("PB086",), (), "an empty element is as if it were missing"),
        Verdict("error", ("PB091",), (), "its XML parser refuses it"),
    ),
)
SRDF = Home(
    "MoveIt's srdfdom",
    (
        Verdict("error", ("PB021",), ("joint_property",), "the reader terminates without `joint_name`"),
        Verdict("error", ("PB131",), (), "nothing in the file has an effect"),
        Verdict("error", ("PB091",), (), "its XML parser refuses it"),
        Verdict("warning", ANY, (), "the reader reports what it cannot use and omits it"),
    ),
)
HOMES: Mapping[str, Home] = {
    "x_xy": X_XY,
    "mjcf": MJCF,
    "urdf": URDF,
    "srdf": SRDF,
    "sdf": SDF,
    "skel": SKEL,
    "openrave": OPENRAVE,
}


def verdict(code: str, form: str, xpath: str) -> Verdict | None:
    """The row that determines how severe a finding is under `warn`; None if no row applies."""
    home = HOMES.get(form)
    if home is None or code in TEXT:
        return None
    return next((row for row in home.verdicts if row.takes(code, xpath)), None)


def forgiven(form: str) -> tuple[Verdict, ...]:
    """The rows of a format for findings that are warnings only under `lenient`."""
    home = HOMES.get(form)
    return () if home is None else home.forgiven
