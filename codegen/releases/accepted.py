"""What a release of MuJoCo says of itself and our schema says otherwise, on purpose.

The command leaves these differences out; tests compare them with all stored releases, so none is stale. A
difference of which the release says anything else than a row states is printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from .comparison import Row


class Accepted(NamedTuple):
    """A difference that remains."""

    at: str
    """The end of the path: ``site/@type`` is this attribute of every site, in classes of defaults as well."""
    how: str
    """What differs: "keywords", "default", "required", "type", or "gone" for what only the schema has."""
    why: str
    says: str = ""
    """What the release says: the default, or the keywords that only one of both has."""


READER = "the reader is otherwise than the manual; the schema is as the reader"
RULE = "a rule of the schema says when it is required"
CLASS = "a class of defaults may give it"
SHORT = "the manual has the full length of what may be shorter"
REFUSED = "the manual has it; the reader and the schema refuse it, with a reason"

ACCEPTED = (
    *(
        Accepted(f"default/{tag}/@lengthrange", "gone", REFUSED)
        for tag in ("motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle")
    ),
    Accepted("damper/@ctrllimited", "gone", REFUSED),
    Accepted("default/muscle/@tausmooth", "gone", REFUSED),
    Accepted("equality/distance", "gone", REFUSED),
    Accepted("rgba/@contactgap", "default", "the manual has commas", "0.5, 0.8, 0.9, 1"),
    Accepted("material/@name", "required", READER),
    Accepted("attach/@model", "required", RULE),
    Accepted("attach/@body", "required", RULE),
    Accepted("site/@type", "keywords", READER, "hfield mesh plane sdf"),
    Accepted("composite/@count", "required", RULE),
    Accepted("composite/@spacing", "required", RULE),
    Accepted("composite/@initial", "default", "0 is not one of the keywords", "0"),
    Accepted("composite/@initial", "keywords", READER, "fixed"),
    Accepted("flexcomp/@type", "keywords", READER, "square"),
    Accepted("flexcomp/@dof", "keywords", "the manual has it a release later than the reader", "quadratic"),
    *(Accepted(f"pin/@{name}", "required", RULE) for name in ("id", "range", "grid", "gridrange")),
    *(Accepted(f"pair/@{name}", "required", CLASS) for name in ("geom1", "geom2")),
    *(Accepted(f"general/@{name}", "default", SHORT, "1 0 ... 0") for name in ("dynprm", "gainprm")),
    Accepted("general/@biasprm", "default", SHORT, "0 ... 0"),
    Accepted("general/@damping", "default", SHORT, "0 0 0"),
    *(
        Accepted(f"{tag}/@{name}", "default", SHORT, "0 0 0")
        for tag in ("joint", "spatial")
        for name in ("stiffness", "damping")
    ),
    Accepted("rangefinder/@site", "required", RULE),
    Accepted("user/@needstage", "keywords", READER, "none"),
    Accepted("/@actdim", "type", "it is a number of states"),
    Accepted("spatial/@actuatorfrclimited", "default", "the reader has another default until 3.13.0", "auto"),
    Accepted(
        "option/@ccd_iterations",
        "default",
        "the manual has 50 until 3.12.0, the library 35 since 3.3.7",
        "50",
    ),
    *(
        Accepted(at, "keywords", READER, "dcmotor")
        for at in ("general/@dyntype", "general/@gaintype", "general/@biastype", "plugin/@dyntype")
    ),
    Accepted("flex/@dof", "keywords", READER, "2d full radial"),
    Accepted("text/@data", "required", "4.0 reads the text of the element as well"),
)


def unexpected(rows: Iterable[Row]) -> Iterator[Row]:
    """The differences that are not accepted; of keywords those that are not."""
    for row in rows:
        if row.how == "gone":
            if not _found(str(row), "gone"):
                yield row
        elif row.how != "changed" or row.ours is None or row.theirs is None:
            yield row
        else:
            words = _words(row)
            changes = tuple(each for each in row.changes if not _is_accepted(row, each))
            if changes:
                keywords = tuple(
                    dict.fromkeys(
                        (
                            *(word for word in row.theirs.keywords if word not in words),
                            *(word for word in row.ours.keywords if word in words),
                        )
                    )
                )
                yield replace(row, changes=changes, theirs=replace(row.theirs, keywords=keywords))


def _found(path: str, how: str) -> list[Accepted]:
    """All rows of a path: several, if releases differ by several keywords."""
    return [each for each in ACCEPTED if each.how == how and f"/{path}".endswith(_end(each.at))]


def _end(at: str) -> str:
    return at if at.startswith("/") else f"/{at}"


def _words(row: Row) -> frozenset[str]:
    return frozenset(word for each in _found(str(row), "keywords") for word in each.says.split())


def _is_accepted(row: Row, change: str) -> bool:
    assert row.ours is not None
    assert row.theirs is not None
    found = _found(str(row), change)
    if not found:
        return False
    if change == "keywords":
        return set(row.ours.keywords) ^ set(row.theirs.keywords) <= _words(row)
    return change != "default" or row.theirs.default in [each.says for each in found]
