"""What the home engine of each format lets pass: how the policy `warn` differs from format to format.

A code's own row in the catalogue says how severe it is where no row here does. The first row of a format
that takes a finding decides. Each was measured: the engine was asked about single faults in files that it
loads, and about real files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from polybody.diagnostics.diagnostic import Severity

ANY = ()
"""Any code that a row may speak of."""
TEXT = ("PB001", "PB002", "PB003", "PB004", "PB005", "PB006", "PB007", "PB008", "PB009", "PB099")
"""Codes about the text, its bounds and ourselves: no engine has a say in them."""


class Verdict(NamedTuple):
    """How severe findings are under `warn`, and why.

    ``codes``: of which codes; none: of all but those of `TEXT`, if they are not milder anyway. ``at``: what
    the finding's XPath ends with, as in ``limit/@lower`` and ``geom/*``; with a slash at its end, as in
    ``visual/``, it may be any step of the XPath; none: wherever the finding is.
    """

    severity: Severity
    codes: tuple[str, ...]
    at: tuple[str, ...]
    why: str

    def takes(self, code: str, xpath: str) -> bool:
        """Whether a finding is one of these."""
        if code not in self.codes and (self.codes or code in TEXT):
            return False
        return not self.at or _pattern(self.at).search(_INDEX.sub("", xpath) + "/") is not None


class Home(NamedTuple):
    """The engine that a format belongs to, and what it makes of findings."""

    engine: str
    verdicts: tuple[Verdict, ...]
    demanded: tuple[str, ...] = ()
    """Codes that are errors under `strict` in this format alone."""
    forgiven: tuple[Verdict, ...] = ()
    """What is a warning under `lenient` alone: all else has a meaning without it."""


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
)

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
            ("limit/@velocity", "dynamics/@damping", "drake:controller_gains/@d"),
            "Drake rejects negative values",
        ),
    ),
    demanded=("PB028",),
    forgiven=(
        Verdict("warning", ("PB021",), ("robot",), "a robot without a name is called `robot`"),
        Verdict("warning", ("PB032",), ("mimic/@joint",), "a joint that follows none moves freely"),
        Verdict(
            "warning", ("PB032",), ("transmission/joint/@name",), "a transmission of no joint has no actuator"
        ),
        Verdict(
            "warning", ("PB048",), (), "a joint with another number of degrees of freedom is not followed"
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
                *("option/@timestep", "option/@density", "lengthrange/@timestep", "numeric/@size"),
                *("composite/@size", "elasticity/@poisson", "velocity/@kv"),
            ),
            "MuJoCo does not check these bounds",
        ),
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
        Verdict("warning", ("PB019",), ("@mass", "@dt"), "ring accepts the value"),
        Verdict("error", ("PB019",), (), "ring rejects it"),
    ),
)
OPENRAVE = Home(
    "OpenRAVE's document",
    (
        Verdict("warning", UNREAD, (), "OpenRAVE warns of what it does not know, and continues"),
        Verdict("warning", ("PB024",), ("jointvalues",), "a wrong number of values is ignored"),
    ),
)
HOMES: Mapping[str, Home] = {
    "x_xy": X_XY,
    "mjcf": MJCF,
    "urdf": URDF,
    "sdf": SDF,
    "skel": SKEL,
    "openrave": OPENRAVE,
}


def verdict(code: str, form: str, xpath: str) -> Verdict | None:
    """The row of a format's engine that says how severe a finding is under `warn`; None: none does."""
    home = HOMES.get(form)
    if home is None or code in TEXT:
        return None
    return next((row for row in home.verdicts if row.takes(code, xpath)), None)


def forgiven(form: str) -> tuple[Verdict, ...]:
    """What a format's row says is a warning under `lenient` alone."""
    home = HOMES.get(form)
    return () if home is None else home.forgiven
