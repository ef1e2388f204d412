"""Typical human errors: each function puts one into a valid document and returns its line.

The functions take a document and a random generator, and return the faulty document with the offset of the
fault, or None if the document has nothing to which the fault applies.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

START = re.compile(r"<(\w+)((?:\s+\w+\s*=\s*\"[^\"]*\")*)\s*(/?)>")
END = re.compile(r"</(\w+)>")
ATTRIBUTE = re.compile(r"(\w+)\s*=\s*\"([^\"]*)\"")
VECTORS = {"pos", "euler", "quat", "gravity", "pos_min", "pos_max"}
NUMBERS = VECTORS | {"dim", "mass", "damping", "armature", "dt"}


class Place(NamedTuple):
    tag: str
    name: str
    value: str
    start: int  # of the name
    open: int  # of the value
    end: int  # of the value


Fault = Callable[[str, random.Random], "tuple[str, int] | None"]


def starts(text: str) -> list[re.Match[str]]:
    return list(START.finditer(text))


def attributes(text: str) -> list[Place]:
    return [
        Place(
            tag[1], a[1], a[2], tag.start(2) + a.start(), tag.start(2) + a.start(2), tag.start(2) + a.end(2)
        )
        for tag in starts(text)
        for a in ATTRIBUTE.finditer(tag[2])
    ]


def cut(text: str, start: int, end: int, new: str = "") -> tuple[str, int]:
    return text[:start] + new + text[end:], start


def value_fault(change: Callable[[str, random.Random], str], names: set[str] = NUMBERS) -> Fault:
    """A fault that rewrites the value of one of some attributes."""

    def fault(text: str, r: random.Random) -> tuple[str, int] | None:
        places = [a for a in attributes(text) if a.name in names and a.value.strip()]
        if not places:
            return None
        a = r.choice(places)
        return cut(text, a.open, a.end, change(a.value, r))

    return fault


def one_number(change: Callable[[str], str], names: set[str] = NUMBERS) -> Fault:
    """A fault that rewrites one of the numbers of an attribute."""

    def rewrite(value: str, r: random.Random) -> str:
        words = value.split()
        i = r.randrange(len(words))
        words[i] = change(words[i])
        return " ".join(words)

    return value_fault(rewrite, names)


def removed(pattern: str) -> Fault:
    """A fault that removes one piece of markup."""

    def fault(text: str, r: random.Random) -> tuple[str, int] | None:
        found = [m for tag in starts(text) for m in re.finditer(pattern, text[tag.start() : tag.end()])]
        owners = [
            tag.start() for tag in starts(text) for _ in re.finditer(pattern, text[tag.start() : tag.end()])
        ]
        if not found:
            return None
        i = r.randrange(len(found))
        return cut(text, owners[i] + found[i].start(), owners[i] + found[i].end())

    return fault


def inserted(new: str, where: str = "after") -> Fault:
    """A fault that inserts something after a start tag, before an end tag, or among attributes."""

    def fault(text: str, r: random.Random) -> tuple[str, int] | None:
        if where == "within":
            places = [m.start(2) for m in starts(text)]
        elif where == "before":
            places = [m.start() for m in END.finditer(text)]
        else:
            places = [m.end() for m in starts(text) if not m[3]]
        at = r.choice(places)
        return cut(text, at, at, new)

    return fault


def renamed(change: Callable[[str], str]) -> Fault:
    """A fault that misspells an attribute."""

    def fault(text: str, r: random.Random) -> tuple[str, int] | None:
        places = [a for a in attributes(text) if change(a.name) != a.name]
        if not places:
            return None
        a = r.choice(places)
        return cut(text, a.start, a.start + len(a.name), change(a.name))

    return fault


def not_self_closed(text: str, r: random.Random) -> tuple[str, int] | None:
    tags = [m for m in starts(text) if m[3]]
    if not tags:
        return None
    tag = r.choice(tags)
    return cut(text, tag.start(3), tag.end(3))


def end_tag_twice(text: str, r: random.Random) -> tuple[str, int] | None:
    tag = r.choice(list(END.finditer(text)))
    return cut(text, tag.end(), tag.end(), tag[0])


def end_tag_of_another(text: str, r: random.Random) -> tuple[str, int] | None:
    tag = r.choice(list(END.finditer(text)))
    others = [name for name in ("body", "worldbody", "x_xy", "geom") if name != tag[1]]
    return cut(text, tag.start(1), tag.end(1), r.choice(others))


def start_tag_gone(text: str, r: random.Random) -> tuple[str, int] | None:
    tags = [m for m in starts(text) if not m[3] and m[1] in ("body", "worldbody", "defaults")]
    tag = r.choice(tags)
    return cut(text, tag.start(), tag.end())


def attributes_swapped(text: str, r: random.Random) -> tuple[str, int] | None:
    tags = [list(ATTRIBUTE.finditer(m[2])) for m in starts(text)]
    offsets = [m.start(2) for m in starts(text)]
    found = [
        (o, a, b)
        for o, tag in zip(offsets, tags, strict=True)
        for a in tag
        for b in tag
        if {a[1], b[1]} in ({"mass", "type"}, {"name", "pos"}, {"joint", "name"}, {"dim", "type"})
        and a[1] < b[1]
    ]
    if not found:
        return None
    offset, a, b = r.choice(found)
    if a.start() > b.start():
        a, b = b, a
    piece = text[offset + a.end(2) : offset + b.start(2)]
    return cut(text, offset + a.start(2), offset + b.end(2), b[2] + piece + a[2])


def joint_changed(text: str, r: random.Random) -> tuple[str, int] | None:
    """Another type for the joint of a body with damping, so that the number of values no longer matches."""
    tags = [m for m in starts(text) if "damping=" in m[2] and "joint=" in m[2]]
    if not tags:
        return None
    tag = r.choice(tags)
    a = next(a for a in ATTRIBUTE.finditer(tag[2]) if a[1] == "joint")
    new = r.choice([j for j in ("frozen", "cor") if j != a[2]])
    return cut(text, tag.start(2) + a.start(2), tag.start(2) + a.end(2), new)


def shape_changed(text: str, r: random.Random) -> tuple[str, int] | None:
    tags = [m for m in starts(text) if m[1] == "geom" and 'type="box"' in m[2] and "dim=" in m[2]]
    if not tags:
        return None
    at = (tag := r.choice(tags)).start() + tag[0].index('type="box"')
    return cut(text, at, at + 10, r.choice(['type="sphere"', 'type="capsule"']))


def element_doubled(text: str, r: random.Random) -> tuple[str, int] | None:
    """A body with everything in it, pasted twice."""
    bodies = [m for m in starts(text) if m[1] == "body" and m[3]]
    whole = [(m.start(), m.end()) for m in bodies]
    for m in starts(text):
        if m[1] == "body" and not m[3]:
            depth, end = 0, m.start()
            for t in re.finditer(r"<body\b[^>]*?(/?)>|</body>", text[m.start() :]):
                depth += 0 if t[1] else -1 if t[0].startswith("</") else 1
                if depth == 0:
                    end = m.start() + t.end()
                    break
            whole.append((m.start(), end))
    start, end = r.choice(whole)
    return cut(text, end, end, "\n" + text[start:end])


def moved_to_root(text: str, r: random.Random) -> tuple[str, int] | None:
    at = text.index("<worldbody>")
    return cut(text, at, at, '<body name="outside" joint="frozen"/>\n')


FAULTS: dict[str, Fault] = {
    "unit behind a number": one_number(lambda w: w + "m"),
    "degrees sign": one_number(lambda w: w + "°"),
    "comma behind a number": one_number(lambda w: w + ","),
    "commas between": value_fault(lambda v, r: ",".join(v.split()) + ",0"),
    "semicolons between": value_fault(lambda v, r: "; ".join([*v.split(), "0"])),
    "brackets": value_fault(lambda v, r: f"[{v}]"),
    "unicode minus": one_number(lambda w: "\u2212" + w.lstrip("-")),
    "no-break space": value_fault(lambda v, r: v + "\u00a0"),
    "other digits": one_number(lambda w: "".join(chr(0x660 + int(c)) if c.isdigit() else c for c in w)),
    "hexadecimal": one_number(lambda w: "0x1p0"),
    "half an exponent": one_number(lambda w: w + "e"),
    "two signs": one_number(lambda w: "--" + w.lstrip("-")),
    "letter O": one_number(lambda w: "O"),
    "underscore": one_number(lambda w: "1_0"),
    "expression": one_number(lambda w: "pi/2"),
    "Infinity": one_number(lambda w: "Infinity"),
    "overflow": one_number(lambda w: "1e400"),
    "None": value_fault(lambda v, r: "None"),
    "one number too many": value_fault(lambda v, r: v + " 0.5", VECTORS | {"mass", "dt"}),
    "one number for three": value_fault(lambda v, r: v.split()[0], VECTORS),
    "negative size": one_number(lambda w: "-1", {"dim", "mass", "damping", "armature", "dt"}),
    "zero size": one_number(lambda w: "0", {"dim", "dt"}),
    "underflow": one_number(lambda w: "1e-400", {"dim", "dt"}),
    "quote lost": removed(r'"(?=\s|/|>)'),
    "opening quote lost": removed(r'(?<==)"'),
    "equals sign lost": removed("="),
    "less-than lost": removed("^<"),
    "greater-than lost": removed(">$"),
    "not self-closed": not_self_closed,
    "end tag twice": end_tag_twice,
    "end tag of another": end_tag_of_another,
    "start tag gone": start_tag_gone,
    "stray end tag": inserted("</foo>"),
    "stray greater-than": inserted(">"),
    "stray ampersand": inserted("&"),
    "stray text": inserted("todo"),
    "stray text at the end": inserted("todo", "before"),
    "unknown entity": inserted("&nbsp;"),
    "comment not begun": inserted("a comment -->"),
    "comment in a comment": inserted("<!-- a <!-- b --> c -->"),
    "CDATA": inserted("<![CDATA[x]]>"),
    "form feed": inserted("\f"),
    "nul": inserted("\0"),
    "joint of MuJoCo": inserted('<joint type="hinge"/>'),
    "include": inserted('<include file="a.xml"/>'),
    "xi:include": inserted('<xi:include href="a.xml"/>'),
    "XML declaration": inserted('<?xml version="1.0"?>'),
    "rgba": inserted(' rgba="1 0 0 1"', "within"),
    "namespaced attribute": inserted(' pb:foo="1"', "within"),
    "attribute without a value": inserted(" frozen", "within"),
    "joint on everything": inserted(' joint="rx" joint="rx"', "within"),
    "upper case": renamed(str.upper),
    "camel case": renamed(lambda n: re.sub("_(.)", lambda m: m[1].upper(), n)),
    "hyphen": renamed(lambda n: n.replace("_", "-")),
    "plural": renamed(lambda n: n + "s"),
    "last letter lost": renamed(lambda n: n[:-1]),
    "first letters swapped": renamed(lambda n: n[1] + n[0] + n[2:]),
    "values swapped": attributes_swapped,
    "joint changed": joint_changed,
    "shape changed": shape_changed,
    "body pasted twice": element_doubled,
    "body outside the world": moved_to_root,
}
