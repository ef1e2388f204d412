"""MJCF from MuJoCo's own grammar of it, the file ``mjcf.schema`` of its source.

Its declarations are ``enum`` with keywords, ``group`` with attributes that elements ``use``, and ``element``
with attributes, children and rules. In braces, a line is one of

    keyword = number                                        of an enum
    name : type = default (facets)                          an attribute
    use group    child element mark    set ...
    exclusive a b+c    together a b    requires a b    oneof a b+c

What follows ``#`` is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from .comparison import printable
from .described import ANY, TRUTH, Attribute, Description, Element, Path, Rule
from .printed import OFTEN
from .rules import Bundle, alternatives, exclusive, together

_HEAD = re.compile(r"(enum|group|element) (\w+)( variant)?(?: : (\w+))?(?: \(([^)]*)\))? *\{")
_MEMBER = re.compile(r'("[^"]*"|\w+) *= *\S+')
_ATTRIBUTE = re.compile(
    r"(\w+) *: *(\w+)(?:<(\w+)>)?(\[[^\]]*\])?(?: *= *(\{[^}]*\}|[^\s(]+))?(?: *\((.*)\))?"
)
_FACET = re.compile(r'(\w+)(?: *= *("[^"]*"|[^\s,]+))?')
_CHILD = re.compile(r"child (\w+) ([!?*R])")
KINDS = {
    "double": "real",
    "float": "real",
    "int": "int",
    "bool": "keyword",
    "enum": "keyword",
    "flags": "keyword",
}
RULES = ("exclusive", "together", "requires", "oneof")
ROOT, WORLD, BODY, DEFAULT = "mujoco", "worldbody", "body", "default"


@dataclass(slots=True)
class _Member:
    """An attribute; ``shared``: not one of a defaults class."""

    attribute: Attribute
    shared: bool


@dataclass(slots=True)
class _Block:
    """A declaration: an enumeration has keywords only."""

    line: int
    tag: str = ""
    variant: bool = False
    keywords: list[str] = field(default_factory=list)
    members: dict[str, _Member] = field(default_factory=dict)
    children: dict[str, str] = field(default_factory=dict)
    rules: list[tuple[str, tuple[Bundle, ...]]] = field(default_factory=list)


def of_grammar(text: str, name: str = "mjcf.schema") -> Description:
    """The description that a grammar gives.

    Raises:
        ValueError: a line is not of the grammar; the message has the file and the line.
    """
    reader = _Reader(name)
    for number, line in enumerate(text.splitlines(), 1):
        reader.read(number, _uncommented(line))
    if reader.block is not None:
        raise ValueError(f"{name}:{reader.block.line}: no line closes this declaration; expected }}")
    if ROOT not in reader.blocks["element"]:
        raise ValueError(f"{name}: there is no element {ROOT}; is it MuJoCo's src/xml/mjcf.schema?")
    return _paths(reader.blocks["element"], name)


class _Reader:
    """The declarations that were read, and the one that is open."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.blocks: dict[str, dict[str, _Block]] = {"enum": {}, "group": {}, "element": {}}
        self.block: _Block | None = None
        self.kind = ""

    def read(self, number: int, line: str) -> None:
        if not line:
            return
        if self.block is None:
            self._open(number, line)
        elif line == "}":
            self.block = None
        elif self.kind == "enum":
            if not (match := _MEMBER.fullmatch(line)):
                raise self._error(number, line, "keyword = number")
            self.block.keywords.append(match[1].strip('"'))
        else:
            self._line(number, line, self.block)

    def _open(self, number: int, line: str) -> None:
        match = _HEAD.fullmatch(line)
        if not match:
            raise self._error(number, line, "enum, group or element, a name and {")
        self.kind = match[1]
        tag = dict(_facets(match[5])).get("xml") or match[2]
        self.block = self.blocks[self.kind][match[2]] = _Block(number, tag, bool(match[3]))

    def _line(self, number: int, line: str, block: _Block) -> None:
        word, _, rest = line.partition(" ")
        if word == "use":
            group = self._known("group", rest.strip(), number)
            block.members |= group.members
            block.rules += group.rules
            if group.variant:
                block.rules.append(("exclusive", tuple((name,) for name in group.members)))
        elif word in RULES:
            bundles = tuple(tuple(bundle.split("+")) for bundle in rest.split())
            block.rules.append((word, bundles))
        elif match := _CHILD.fullmatch(line):
            block.children[match[1]] = match[2]
        elif match := _ATTRIBUTE.fullmatch(line):
            block.members[match[1]] = self._attribute(number, match)
        elif word != "set":
            raise self._error(number, line, "an attribute, use, child, set or a rule")

    def _attribute(self, number: int, match: re.Match[str]) -> _Member:
        _, kind, of, size, default, facets = match.groups()
        said = dict(_facets(facets))
        keywords: tuple[str, ...] = TRUTH if kind == "bool" else ()
        if kind in ("enum", "flags"):
            keywords = tuple(self._known("enum", of or "", number).keywords)
        low, high = _size(size) if kind != "chars" else (1, 1)
        if kind == "flags":
            high = ANY
        attribute = Attribute(
            KINDS.get(kind, "string"),
            keywords,
            _default(default),
            True if "required" in said else None,  # what it does not require, the reader's code may
            low,
            high,
            of or "" if kind == "id" else "",
            of or "" if kind == "ref" else "",
        )
        return _Member(attribute, "nodefault" not in said)

    def _known(self, kind: str, name: str, number: int) -> _Block:
        if name not in self.blocks[kind]:
            raise ValueError(f"{self.name}:{number}: no {kind} {name!r} is declared above")
        return self.blocks[kind][name]

    def _error(self, number: int, line: str, expected: str) -> ValueError:
        return ValueError(f"{self.name}:{number}: expected {expected}, not {line!r}")


def _uncommented(line: str) -> str:
    quoted = re.match(r'(?:[^"#]|"[^"]*")*', line)
    return (quoted[0] if quoted else "").strip()


def _facets(text: str | None) -> Iterator[tuple[str, str]]:
    for match in _FACET.finditer(text or ""):
        yield match[1], (match[2] or "").strip('"')


def _size(text: str | None) -> tuple[int | None, int | None]:
    """The fewest and the most numbers of ``[3]``, ``[1..3]`` and ``[]``; a constant is unknown."""
    if text is None:
        return 1, 1
    low, _, high = text.strip("[]").partition("..")
    if not low:
        return 0, ANY
    most = high or low
    return int(low) if low.isdecimal() else None, int(most) if most.isdecimal() else None


def _default(text: str | None) -> str | None:
    return None if text is None else " ".join(text.strip("{}").replace(",", " ").split())


def _paths(blocks: dict[str, _Block], file: str) -> Description:
    """The paths, where one is not continued below an element of the same declaration."""
    found: dict[Path, Element] = {}

    def add(path: Path, name: str, above: tuple[str, ...], mark: str) -> None:
        block, shared = blocks[name], above[-1:] == (DEFAULT,) and name != DEFAULT
        found[path] = _element(name, block, OFTEN[mark], shared)
        for child, often in block.children.items():
            child = WORLD if name == ROOT and child == BODY and WORLD in blocks else child
            if child not in blocks:
                said = f"<{block.tag}> has a child {child!r}, which is not declared"
                raise ValueError(f"{file}:{block.line}: {said}")
            if child not in (*above, name):
                add((*path, blocks[child].tag), child, (*above, name), often)

    add((ROOT,), ROOT, (), "!")
    return found


def _element(name: str, block: _Block, often: tuple[int, int], shared: bool) -> Element:
    """An element; ``shared``: the attributes that a defaults class provides for it."""
    attributes = {
        key: replace(member.attribute, required=None) if shared else member.attribute
        for key, member in block.members.items()
        if not shared or (member.shared and key not in ("name", "class"))
    }
    rules = [
        rule
        for kind, bundles in block.rules
        if all(key in attributes for bundle in bundles for key in bundle)
        for rule in _rules(kind, bundles)
    ]
    return Element(attributes, None, *often, tuple(dict.fromkeys(rules)), name)


def _rules(kind: str, bundles: tuple[Bundle, ...]) -> Iterator[Rule]:
    if kind == "exclusive":
        yield from exclusive(bundles)
    elif kind == "together":
        yield from together(name for bundle in bundles for name in bundle)
    elif kind == "oneof":
        yield from alternatives(bundles)
    else:
        first, *others = (name for bundle in bundles for name in bundle)
        yield from (Rule("requires", (first, other)) for other in others)


def completed(printed: Description, grammar: Description, name: str) -> tuple[Description, tuple[str, ...]]:
    """What a library prints, with types and rules of a grammar, and with what a library does not print: the
    content of <worldbody>, <frame> and <replicate>. Also notes of what they do not agree on.
    """
    unprinted = {path for path in grammar if path not in printable(grammar)}
    theirs: dict[Path, Element] = {}
    notes = []
    for path in [*printed, *(path for path in grammar if path in unprinted)]:
        said = grammar.get(path)
        if path not in printed:
            theirs[path] = grammar[path]
        elif said is None:
            theirs[path] = printed[path]
            notes.append(f"note: {name} has no {'/'.join(path)}, which the library prints")
        else:
            here = printed[path].attributes
            theirs[path] = replace(
                said, attributes={key: said.attributes.get(key, here[key]) for key in here}
            )
            differ = sorted(set(here) ^ set(said.attributes))
            if differ:
                notes.append(f"note: {name} and the library differ in {'/'.join(path)}: {' '.join(differ)}")
    return theirs, tuple(notes)
