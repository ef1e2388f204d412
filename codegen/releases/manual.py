"""Types and defaults from the XML reference of MuJoCo's manual, reStructuredText with a target per attribute.

A target is the path of the attribute joined by hyphens, such as ``body-joint-axis``. Targets of several
attributes may precede a line that is about all of them. Where this line states no type, as for attributes
that many elements share, its text refers to an element or a section that describes attributes of these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path as File

from .described import ANY, TRUTH, Attribute, Path

_TARGET = re.compile(r"\.\. _([\w-]+):\s*")
_ABOUT = re.compile(r":at:`.+?`.*")
_NAMES = re.compile(r":at:`(\w+)`")
_VALUE = re.compile(r":at-val:`(.*?)`|(?<=`) +: +(\w.*)")
_KEYWORDS = re.compile(r"\[([^\]]*)\](?:, *(.*))?")
_QUOTED = re.compile(r'"([^"]*)"')  # the first: that of MJCF, where URDF's is another
_TYPE = re.compile(r"(int|real|string|bool|(?=\())(?:\(((?:[^()]|\([^()]*\))*)\))?(?:, *(.*))?")
_REFERENCE = re.compile(r":ref:`[^`<]*?<?([\w-]+)>?`")
_UNDERLINE = re.compile(r"([-=~^\"'#*+])\1{3,}")
_OPTION = re.compile(r"\.\. youtube::.*|   :\w+:.*")  # of a film beside an attribute
_INCLUDE = re.compile(r"\.\. include:: +(\S+\.rst)\s*")
DEFAULTS = "default"
"""The element whose children have attributes of others."""
BESIDE = "modeling.rst"
"""Another page of the manual, which describes attributes that all sensors have."""


@dataclass(frozen=True, slots=True)
class Manual:
    """What the manual says of attributes, by their targets."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    references: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The targets that the text after a target refers to, where it has no type."""
    sections: dict[str, dict[str, Attribute]] = field(default_factory=dict)
    """The attributes that are described below a heading, by their names."""
    texts: dict[str, str] = field(default_factory=dict)
    """What states type and default, by target."""

    def of(self, path: Path, name: str) -> Attribute | None:
        """What is said of an attribute. Its target leaves out the root and bodies around an element."""
        for start in range(len(path) + 1):
            if found := self._at("-".join((*path[start:], name)), name):
                return found
        if DEFAULTS not in path[:-1]:
            return None
        element = "-".join(path[path.index(DEFAULTS) :])
        found = self._referred(element, name, (element,))
        return replace(found, required=None) if found else None

    def _at(self, target: str, name: str, above: tuple[str, ...] = ()) -> Attribute | None:
        """What is said at a target; of an attribute of a defaults class, by the element it is for."""
        found = self.attributes.get(target)
        if found is None and target not in above:
            about = target
            if (
                self.references.get(target) == ()
            ):  # only named there: the text of its element says of which it is
                about = target.removesuffix(f"-{name}")
            found = self._referred(about, name, (*above, target))
            if found and target.startswith(f"{DEFAULTS}-"):
                return replace(found, required=None)
        return found

    def _referred(self, target: str, name: str, above: tuple[str, ...]) -> Attribute | None:
        for other in self.references.get(target, ()):
            found = self.sections.get(other, {}).get(name) or self._at(f"{other}-{name}", name, above)
            if found is None and target.startswith(f"{DEFAULTS}-"):
                found = self._below(other, name)
            if found:
                return found
        return None

    def _below(self, target: str, name: str) -> Attribute | None:
        """What is said of an attribute in an element: defaults of tendons are for both kinds of them."""
        pattern = re.compile(rf"{re.escape(target)}-\w+-{re.escape(name)}")
        return next((said for other, said in self.attributes.items() if pattern.fullmatch(other)), None)


def of_manual(*texts: str) -> Manual:
    """What pages of the manual say of attributes."""
    found = Manual()
    for text in texts:
        _read(text.splitlines(), found)
    return found


def pages(reference: File) -> Iterator[str]:
    """The texts of the reference, of the page beside it, and of the files that both include."""
    beside = reference.with_name(BESIDE)
    for page in (reference, *([beside] if beside != reference and beside.is_file() else [])):
        text = page.read_text(encoding="utf-8")
        yield from (text, *(_included(page.parent, name) for name in _INCLUDE.findall(text)))


def _included(folder: File, name: str) -> str:
    file = folder / name
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _read(lines: list[str], manual: Manual) -> None:
    targets: list[str] = []
    fresh = True  # whether targets follow each other
    section: dict[str, Attribute] = {}
    about: str | None = None
    for number, line in enumerate([*lines, ""]):
        if about is not None:  # a line that is wrapped continues until its type is complete
            about = f"{about} {line.strip()}"
        elif match := _TARGET.fullmatch(line):
            targets = [*targets, match[1]] if fresh else [match[1]]
            fresh = True
        elif _ABOUT.match(line):
            targets, about = targets if fresh else [], line
        elif line.strip() and not (fresh and _OPTION.fullmatch(line)):
            if fresh and targets and number + 1 < len(lines) and _UNDERLINE.fullmatch(lines[number + 1]):
                section = {}
                manual.sections.update(dict.fromkeys(targets, section))
            fresh = False
            _refer(targets, line, manual)
        if about is not None and (value := _VALUE.search(about) or not about.count("`") % 2):
            if isinstance(value, re.Match) and (attribute := declared(value[1] or value[2])):
                names = _NAMES.findall(about[: value.start()])
                section.update(dict.fromkeys(names, attribute))
                here = [target for target in targets if target.rpartition("-")[2] in names]
                manual.attributes.update(dict.fromkeys(here, attribute))
                manual.texts.update(dict.fromkeys(here, value[1] or value[2]))
                manual.references.update((target, ()) for target in targets if target not in here)
                targets = []
            _refer(targets, about, manual)
            fresh, about = False, None


def _refer(targets: list[str], line: str, manual: Manual) -> None:
    """Note what a line refers to, for the targets above it."""
    for target in targets:
        others = manual.references.get(target, ())
        manual.references[target] = (*others, *(match[1] for match in _REFERENCE.finditer(line)))


def declared(text: str) -> Attribute | None:
    """An attribute from ``[a, b], "a"``, ``real(3), "0 0 1"`` or ``string, required``; None if it has another
    form.
    """
    low = high = None
    if match := _KEYWORDS.fullmatch(text):
        kind, rest = "keyword", match[2]
        keywords = tuple(word.strip().strip('"') for word in match[1].split(","))
    elif match := _TYPE.fullmatch(text):
        kind, rest, keywords = match[1] or "string", match[3], ()
        low, high = _size(match[2])
        if kind == "bool":
            kind, keywords = "keyword", TRUTH
    else:
        return None
    rest = (rest or "").strip()
    default = quoted[1] if (quoted := _QUOTED.match(rest)) else None
    if (
        default is not None and high == 1 and kind in ("int", "real")
    ):  # one number or as many as the default has
        high = max(1, len(default.split()))  # low remains 1
    required = True if rest == "required" else False if rest == "optional" or default is not None else None
    return Attribute(kind, keywords, default, required, low, high)


def _size(count: str | None) -> tuple[int | None, int | None]:
    """The fewest and the most numbers of a value: "1..3" says both, "3" the most, "n" is any number."""
    if count is None:
        return 1, 1
    if count.strip() == "n":
        return None, ANY
    numbers = re.fullmatch(r"(\d+)(?:(?:\.\.+|-|,|or)(\d+))?", count.replace(" ", ""))
    if numbers is None:
        return None, None
    most = int(numbers[2] or numbers[1])
    return int(numbers[1]) if numbers[2] or most == 1 else None, most
