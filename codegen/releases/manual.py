"""Types and defaults from the XML reference of MuJoCo's manual, reStructuredText with a target per attribute.

A target is the path of the attribute joined by hyphens, such as ``body-joint-axis``. Targets of several
attributes may precede a line that is about all of them.
"""

from __future__ import annotations

import re

from .described import Attribute

_TARGET = re.compile(r"\.\. _([\w-]+):\s*")
_ABOUT = re.compile(r":at:`.+?`.*")
_VALUE = re.compile(r":at-val:`(.*?)`")
_KEYWORDS = re.compile(r"\[([^\]]*)\](?:, *(.*))?")
_QUOTED = re.compile(r'"([^"]*)"')  # the first: that of MJCF, where URDF's is another
_TYPE = re.compile(r"((?:int|real|string)(?:\([^)]*\))?)(?:, *(.*))?")


def of_manual(text: str) -> dict[str, Attribute]:
    """What the reference says of attributes, by their targets. Attributes whose line states no type are left
    out.
    """
    found: dict[str, Attribute] = {}
    targets: list[str] = []
    about: str | None = None
    for line in [*text.splitlines(), ""]:
        if about is not None:  # a line that is wrapped continues until its type is complete
            about = f"{about} {line.strip()}"
        elif match := _TARGET.fullmatch(line):
            targets.append(match[1])
        elif targets and _ABOUT.match(line):
            about = line
        elif line.strip():
            targets = []
        if about is not None and (value := _VALUE.search(about) or not about.count("`") % 2):
            if isinstance(value, re.Match) and (attribute := _attribute(value[1])):
                found |= dict.fromkeys(targets, attribute)
            targets, about = [], None
    return found


def _attribute(text: str) -> Attribute | None:
    """An attribute from ``[a, b], "a"``, ``real(3), "0 0 1"`` or ``string, required``; None if it has another
    form.
    """
    if match := _KEYWORDS.fullmatch(text):
        kind, rest = "keyword", match[2]
        keywords = tuple(word.strip().strip('"') for word in match[1].split(","))
    elif match := _TYPE.fullmatch(text):
        kind, rest, keywords = match[1].replace(" ", ""), match[2], ()
    else:
        return None
    rest = (rest or "").strip()
    default = quoted[1] if (quoted := _QUOTED.match(rest)) else None
    required = {"required": True, "optional": False}.get(rest, None if default is None else False)
    return Attribute(kind, keywords, default, required)
