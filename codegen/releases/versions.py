"""The releases of the formats whose engines say what they read, in their order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from ..schema import SCHEMAS
from ..schema.annotations import NAMESPACE
from ..schema.releases import number


def of_schema(path: Path) -> tuple[str, ...]:
    """The releases that a schema lists."""
    return tuple(ElementTree.parse(path).getroot().get(f"{{{NAMESPACE}}}releases", "").split())


RELEASES: dict[str, tuple[str, ...]] = {
    "mjcf": of_schema(SCHEMAS / "mjcf.xsd"),
    "sdf": ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"),
}
"""The known releases of a format. Each of another is compared as well, and comes after all that are less."""
_RELEASE = re.compile(r"\d+(\.\d+)*")


def numbers(release: str) -> tuple[int, ...]:
    """A release as numbers, by which releases are ordered.

    Raises:
        ValueError: it is no release.
    """
    if not _RELEASE.fullmatch(release):
        raise ValueError(f"{release!r} is not a release, such as 4.0.0")
    return tuple(int(number) for number in release.split("."))


def before(name: str, release: str) -> str:
    """The known release of a format before this one; "" if there is none."""
    earlier = [known for known in RELEASES[name] if numbers(known) < numbers(release)]
    return earlier[-1] if earlier else ""


def known_name(name: str, release: str) -> str:
    """The name of a release of a format as it is listed here: 4.0 for 4.0.0.

    Raises:
        ValueError: it is no release.
    """
    numbers(release)
    return next((known for known in RELEASES[name] if number(known) == number(release)), release)


def newest(releases: Sequence[str], release: str) -> str:
    """The newest of some releases that is not newer than one; the first if all are."""
    here = number(release)
    return max((each for each in releases if number(each) <= here), key=number, default=releases[0])


def exists(since: str, until: str, release: str) -> bool:
    """Whether a release has what is there from one version until another; "" is no limit."""
    return not (
        (since and numbers(since) > numbers(release)) or (until and numbers(until) < numbers(release))
    )
