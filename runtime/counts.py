"""Counts that files may request, with their bounds: whatever is made of a count is made after its check.

Documents of MJCF request them by attributes, other formats request none that anything is made of; saved
Models contain them in columns. `problems.py` of the lowering of MJCF checks attributes, `checks.py` of Models
checks columns.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class Count(NamedTuple):
    """A count that a file may request."""

    what: str
    most: int
    """Maximum of one value. For several values in an attribute, of their product."""
    attributes: tuple[str, ...] = ()
    """The attributes of MJCF, as element/attribute; for actuators and sensors of any kind."""
    columns: tuple[str, ...] = ()
    """The columns of a Model."""
    total: int | None = None
    """Maximum sum over the elements or the rows; for user data, over the elements that have them."""
    least: int | None = None
    """Minimum, if a smaller value has no meaning."""


USERS = ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
COUNTS = (
    Count("iterations of a constraint solver", 10_000, ("option/iterations",), ("opt_iterations",)),
    Count("evaluations of a line search", 1_000, ("option/ls_iterations",), ("opt_ls_iterations",)),
    Count("iterations without slip", 10_000, ("option/noslip_iterations",), ("opt_noslip_iterations",)),
    Count(
        "iterations of a collision search",
        1_000,
        ("option/ccd_iterations", "option/sdf_iterations"),
        ("opt_ccd_iterations", "opt_sdf_iterations"),
    ),
    Count("initial points of a search", 1_000, ("option/sdf_initpoints",), ("opt_sdf_initpoints",)),
    Count("copies of a replicate", 1_000_000, ("replicate/count",)),
    Count("elements of a composite", 1_000_000, ("composite/count",)),
    Count("points of a flexcomp", 1_000_000, ("flexcomp/count",), total=1_000_000),
    Count("key frames", 100_000, ("size/nkey",)),
    Count("user data of a simulation", 1_000_000, ("size/nuserdata",), ("nuserdata",), least=0),
    Count(
        "user data of an element", 1_000_000, tuple(f"size/nuser_{kind}" for kind in USERS), (), 10_000_000
    ),
    Count("activations", 1_000_000, ("actuator/actdim",), ("actuator_actnum",), 10_000_000),
    Count("controls", 1_000_000, (), ("actuator_ctrlnum",), 10_000_000),
    Count("values of sensors", 1_000_000, ("sensor/dim",), ("sensor_dim",), 10_000_000),
    Count("width and height of a texture, px", 1_000_000, ("texture/width", "texture/height")),
    Count("rows and columns of a height field", 1 << 26, ("hfield/nrow", "hfield/ncol")),
)
MAX_FLEX_ELEMENTS = 10_000_000
"""Maximum number of elements of all flexcomps of a document."""
MAX_STEPS = 100_000
"""Maximum number of steps of a simulation that finds one end of an actuator's range of lengths."""
MAX_STEPS_OF_ALL = 2_000_000
"""Maximum number of such steps for all actuators of a document."""
MAX_BODIES_OF_STEPS = 400_000_000
"""Maximum number of bodies in all these steps together."""
MAX_OF_KEYS = 50_000_000
"""Maximum number of values in all key frames of a document."""
OF_ATTRIBUTE = {attribute: count for count in COUNTS for attribute in count.attributes}
OF_COLUMN = {column: count for count in COUNTS for column in count.columns}


def steps(duration: float, step: float) -> int:
    """The number of steps of a simulation, at most one more than MAX_STEPS; 0 if it has no duration."""
    if not duration > 0:
        return 0
    return int(min(duration / step, MAX_STEPS + 1.0)) if step > 0 else MAX_STEPS + 1


def steps_fault(duration: float, step: float) -> str | None:
    """Why a simulation that finds one end of a range of lengths is not run."""
    if steps(duration, step) <= MAX_STEPS:
        return None
    return f"a range of lengths takes {duration:g} s in steps of {step:g} s, more than {MAX_STEPS:,} steps"


@cache
def counts_of(element: str) -> tuple[tuple[str, Count], ...]:
    """The attributes of an element of MJCF that are counts, and their bounds."""
    return tuple(
        (path.partition("/")[2], bound)
        for path, bound in OF_ATTRIBUTE.items()
        if path.startswith(f"{element}/")
    )
