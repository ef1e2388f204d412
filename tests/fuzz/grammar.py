"""Random documents from the tables of a format, malicious values, and files that documents name."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable
from xml.sax.saxutils import quoteattr

from polybody.base import UNBOUNDED, Attribute, Element, Format, Kind, Text, Untyped, Value
from polybody.document.registry import format_named

WORDS = (
    *(
        "a",
        "b",
        "c",
        "l",
        "j",
        "base",
        "arm",
        "world",
        "",
        " ",
        "a b",
        "a::b",
        "::",
        "*",
        "__model__",
        "\u00e9",
        "A",
    ),
    *("\u202e", "a" * 100, "%", "package://a/b", "../a", "a.xml", "d", "1", "-", "<", "&", '"', "a\nb"),
)
REALS = (
    *(
        "0",
        "1",
        "-1",
        "0.5",
        "2",
        "1e308",
        "-1e308",
        "1e-320",
        "nan",
        "inf",
        "-inf",
        "INF",
        "NaN",
        "1e999",
        "-0",
    ),
    *("3.14159265358979", "0.1", "1e-15", "100", "1,5", "1.2.3", ""),
)
INTEGERS = (
    "0",
    "1",
    "2",
    "3",
    "-1",
    "7",
    "2147483647",
    "2147483648",
    "-9" * 1,
    "9" * 25,
    "1.5",
    "",
    "x",
    "100000",
)
DEEPEST = 7
MOST = 60
"""Approximate largest number of elements of a random document."""


def word(draw: random.Random) -> str:
    return draw.choice(WORDS)


def document(name: str, draw: random.Random) -> bytes:
    """A document of a format whose elements are mostly at allowed positions."""
    form = format_named(name)
    root = form.elements[draw.choice((form.root, *form.roots))]
    left = [draw.choice((5, 20, MOST))]
    return "".join(_element(form, root, root.tag, 0, left, draw)).encode("utf-8", "replace")


def _element(
    form: Format, row: Element, tag: str, depth: int, left: list[int], draw: random.Random
) -> list[str]:
    left[0] -= 1
    out = [f"<{tag}"]
    leaves = []
    eager = draw.random()
    for attribute in row.attributes:
        needed = attribute.required and draw.random() < 0.97
        if not (needed or draw.random() < 0.25 * eager):
            continue
        text = value(attribute, draw)
        if attribute.leaf:
            leaves.append(f"<{attribute.name}>{_text(text)}</{attribute.name}>")
        else:
            out.append(f" {attribute.name}={quoteattr(text)}")
    inside = leaves
    if row.text is not None and draw.random() < 0.9:
        inside.append(_text(value(row.text, draw)))
    for child in row.children:
        below = form.elements.get(child.element)
        if below is None or below.cls is Untyped or depth >= DEEPEST:
            continue
        count = child.low if draw.random() < 0.95 else 0
        if left[0] > 0 and draw.random() < 0.4:
            count += draw.choice((1, 1, 2)) if child.high > 1 else 1
        for _ in range(min(count, 4, child.high + 1 if child.high != UNBOUNDED else 4)):
            inside.extend(_element(form, below, child.tag, depth + 1, left, draw))
    if draw.random() < 0.1:
        draw.shuffle(inside) if all(
            piece.startswith("<") and piece.endswith(">") for piece in inside
        ) else None
    return [*out, ">", *inside, f"</{tag}>"] if inside else [*out, "/>"]


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def value(row: Attribute | Text, draw: random.Random) -> str:
    """A value for an attribute or a text, valid in most cases."""
    if draw.random() < 0.03:
        return word(draw)
    return _one(draw.choice(row.forms), draw)


def _one(form: Value, draw: random.Random) -> str:
    if form.scalar:
        return _item(form, draw)
    high = min(form.high, form.low + 4)
    count = draw.randint(form.low, max(form.low, high)) + draw.choice((0, 0, 0, 0, 1, -1))
    return " ".join(_item(form, draw) for _ in range(max(0, count)))


def _item(form: Value, draw: random.Random) -> str:
    if form.enum is not None:
        return str(draw.choice(list(form.enum)).value)
    if form.kind is Kind.BOOL:
        return draw.choice(("true", "false", "1", "0", "auto"))
    if form.kind is Kind.INT:
        return draw.choice(INTEGERS)
    if form.kind is Kind.REAL:
        return draw.choice(REALS) if draw.random() < 0.3 else f"{draw.uniform(0, 2):.3g}"
    return word(draw) if draw.random() < 0.5 else draw.choice("abc")


# --- other files -------------------------------------------------------------------------------------------

INCLUSIONS: dict[str, tuple[str, ...]] = {
    "x_xy": ("<include file={}/>",),
    "mjcf": ("<include file={}/>", "<asset><model name='q' file={}/></asset>"),
    "sdf": ("<include><uri>{}</uri></include>", "<include merge='true'><uri>{}</uri></include>"),
    "openrave": ("<KinBody file={}/>", "<Robot file={}/>", "<Body file={}/>", "<Environment file={}/>"),
    "urdf": ("<link name='q'><visual><geometry><mesh filename={}/></geometry></visual></link>",),
    "skel": ("<mesh><file_name>{}</file_name></mesh>",),
    "srdf": ("<group name={}/>", "<disable_collisions link1='a' link2={}/>"),  # it names no files
}
PATHS = (
    "{}",
    "./{}",
    "../m/{}",
    "file://{}",
    "package://a/{}",
    "model://{}",
    "model://d",
    "d",
    "{}#x",
    "{}\0",
)


def inclusion(name: str, path: str, draw: random.Random) -> bytes:
    """An element that includes another file."""
    text = draw.choice(PATHS).format(path) if draw.random() < 0.3 else path
    template = draw.choice(INCLUSIONS[name])
    shown = quoteattr(text) if "={}" in template else _text(text)
    return template.replace("{}", shown).encode("utf-8", "replace")


def description(draw: random.Random) -> bytes:
    """The description of a model in a Gazebo model folder."""
    version = draw.choice(("1.9", "9" * 50, "x", "", "1.0"))
    names = "".join(
        f"<sdf version='{version}'>{draw.choice(('model.sdf', '../m.xml', 'e.xml', ''))}</sdf>" for _ in "ab"
    )
    return f"<model><name>q</name>{names}</model>".encode()


def _stl(draw: random.Random) -> bytes:
    count = draw.choice((0, 1, 4, 12))
    faces = b"".join(struct.pack("<12fH", *(draw.uniform(-1, 1) for _ in range(12)), 0) for _ in range(count))
    return bytes(80) + struct.pack("<I", draw.choice((count, count, count + 1, 2**32 - 1))) + faces


def _obj(draw: random.Random) -> bytes:
    corners = "".join(
        f"v {draw.uniform(-1, 1)} {draw.uniform(-1, 1)} {draw.choice(REALS) or 0}\n" for _ in range(6)
    )
    faces = "".join(
        f"f {' '.join(str(draw.randrange(-2, 9)) for _ in range(draw.randrange(2, 6)))}\n" for _ in range(6)
    )
    return (corners + faces).encode()


def _png(draw: random.Random) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    width, height = draw.choice((0, 1, 4, 2**31 - 1)), draw.choice((0, 1, 4, 65_536))
    head = struct.pack(
        ">IIBBBBB", width, height, draw.choice((1, 8, 16, 3)), draw.choice((0, 2, 3, 6, 5)), 0, 0, 0
    )
    rows = zlib.compress(bytes(draw.choice((0, 52, 100_000))))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _msh(draw: random.Random) -> bytes:
    counts = [draw.choice((0, 4, 5, -1, 2**31 - 1)), 0, 0, draw.choice((0, 4, -3, 2**30))]
    return struct.pack("<4i", *counts) + bytes(draw.choice((0, 48, 96, 1000)))


def _gmsh(draw: random.Random) -> bytes:
    version = draw.choice(("4.1", "2.2", "9", ""))
    count = draw.choice(("4", "9" * 40, "-1", "x"))
    nodes = "".join(f"{i} {draw.choice(REALS)} 0 0\n" for i in range(1, 5))
    body = f"$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Nodes\n"
    body += f"1 {count} 1 4\n2 1 0 {count}\n{nodes}$EndNodes\n"
    return (body + f"$Elements\n1 {count}\n$EndElements\n").encode()


def _raw(draw: random.Random) -> bytes:
    rows, columns = draw.choice((0, 2, -1, 2**31 - 1)), draw.choice((2, 3, 2**30))
    return struct.pack("<2i", rows, columns) + bytes(draw.choice((0, 16, 40)))


SHAPES: dict[str, Callable[[random.Random], bytes]] = {
    "a.stl": _stl,
    "a.obj": _obj,
    "a.png": _png,
    "a.msh": _msh,
    "g.msh": _gmsh,
    "a.bin": _raw,
    "a.skn": _msh,
}
USES: dict[str, tuple[str, ...]] = {
    "x_xy": INCLUSIONS["x_xy"],
    "openrave": ("<geom type='trimesh'><data>{}</data><render>{} 1</render></geom>",),
    "urdf": INCLUSIONS["urdf"],
    "skel": INCLUSIONS["skel"],
    "srdf": INCLUSIONS["srdf"],
    "sdf": (
        "<link name='q'><visual name='v'><geometry><mesh><uri>{}</uri></mesh></geometry></visual></link>",
        "<link name='q'><collision name='v'><geometry><heightmap><uri>{}</uri></heightmap></geometry>"
        "</collision></link>",
    ),
    "mjcf": (
        "<asset><mesh name='q' file={}/></asset><worldbody><geom type='mesh' mesh='q'/></worldbody>",
        "<asset><hfield name='h' size='1 1 1 1' file={}/></asset>"
        "<worldbody><geom type='hfield' hfield='h'/></worldbody>",
        "<asset><texture name='t' type='2d' file={}/></asset>",
        "<asset><texture name='u' type='cube' fileright={}/></asset>",
        "<asset><skin name='s' file={}/></asset>",
        "<worldbody><flexcomp name='f' type='gmsh' file={} dim='3'/></worldbody>",
        "<worldbody><flexcomp name='g' type='mesh' file={}/></worldbody>",
    ),
}


def shape(name: str, draw: random.Random) -> bytes:
    """The content of a mesh file."""
    return SHAPES[name](draw)


def use(name: str, path: str, draw: random.Random) -> bytes:
    """Elements that refer to a mesh file."""
    template = draw.choice(USES[name])
    shown = quoteattr(path) if "={}" in template else _text(path)
    return template.replace("{}", shown).encode()
