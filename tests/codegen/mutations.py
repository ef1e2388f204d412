"""Seeded mutations of a document: of its values, attributes, elements, order, text."""

from __future__ import annotations

import random
from collections.abc import Callable

from lxml import etree

NUMBERS = (
    "0 1 +1 -1 -0 .5 5. . 1e5 1E-5 1e e5 1e+ 0x10 1_0 1d0 --1 +-1 007 1.0 true 1,2 1;2 1e999 -1e999 1e-999 "
    "1.7976931348623157E308 INF -INF +INF NaN nan inf Infinity 2147483647 2147483648 -2147483649 \u0661 "
    "99999999999999999999 0.1000000000000000055511151231257827021181583404541015625"
)
WORDS = "a rx RX free box Box xyz white #ffffff nope 1 <&> \u00e9\u4e2d true false 0 low 3d a-b"
TEXTS = ("", " ", "a b", " rx", "rx ", "0.5 x", "\t", "\n\n", '"""\nimport os', "x" * 300, " true ")
SPACES = (" ", "  ", "\t", "\n", " \r\n ")


class Mutator:
    """Mutates a base document, with its own tags and attributes and some that it does not have."""

    def __init__(self, base: bytes, seed: int) -> None:
        self.base = base
        self.draw = random.Random(seed)
        nodes = list(etree.fromstring(base).iter(etree.Element))
        self.tags = [*sorted({node.tag for node in nodes}), "bodi", "Body", "site"]
        written = {name for node in nodes for name in node.attrib}
        self.attributes = [*sorted(written), "size", "Name", "density"]
        self.mutations: tuple[Callable[[etree._Element], None], ...] = (
            *(self.change_value,) * 4, self.add_attribute, self.remove_attribute, self.rename, self.add_child,
            self.copy_here, self.remove, self.shuffle, self.change_text, self.add_noise,
        )  # fmt: skip

    def document(self) -> bytes:
        """A document with one to four mutations, each of one element."""
        root = etree.fromstring(self.base)
        for _ in range(self.draw.choice((1, 1, 1, 2, 4))):
            self.draw.choice(self.mutations)(self.draw.choice(list(root.iter(etree.Element))))
        return etree.tostring(root)

    def value(self) -> str:
        """A word, a text, a number or up to five of them, most of them valid."""
        kind = self.draw.randrange(6)
        if kind == 0:
            return self.draw.choice(TEXTS)
        if kind == 1:
            return self.draw.choice(WORDS.split())
        if kind == 2:
            return self.draw.choice(NUMBERS.split())
        pools = [("0", "1", "0.5", "2")] * 2 + [NUMBERS.split()]
        words = (self.draw.choice(self.draw.choice(pools)) for _ in range(self.draw.randint(0, 5)))
        text = "".join(self.draw.choice(SPACES if self.draw.random() < 0.2 else " ") + word for word in words)
        return text if self.draw.random() < 0.2 else text.strip()

    def change_value(self, node: etree._Element) -> None:
        if node.attrib:
            node.set(self.draw.choice(sorted(node.attrib)), self.value())

    def add_attribute(self, node: etree._Element) -> None:
        node.set(self.draw.choice(self.attributes), self.value())

    def remove_attribute(self, node: etree._Element) -> None:
        if node.attrib:
            del node.attrib[self.draw.choice(sorted(node.attrib))]

    def rename(self, node: etree._Element) -> None:
        node.tag = self.draw.choice(self.tags)

    def add_child(self, node: etree._Element) -> None:
        child = etree.Element(self.draw.choice(self.tags))
        node.insert(self.draw.randint(0, len(node)), child)
        self.add_attribute(child)

    def copy_here(self, node: etree._Element) -> None:
        other = self.draw.choice(list(node.getroottree().getroot().iter(etree.Element)))
        node.append(etree.fromstring(etree.tostring(other, with_tail=False)))

    def remove(self, node: etree._Element) -> None:
        parent = node.getparent()
        if parent is not None:
            parent.remove(node)

    def shuffle(self, node: etree._Element) -> None:
        children = list(node)
        self.draw.shuffle(children)
        node[:] = children

    def change_text(self, node: etree._Element) -> None:
        node.text = self.draw.choice(("stray", " \n ", self.value()))

    def add_noise(self, node: etree._Element) -> None:
        noise = self.draw.choice((etree.Comment("c"), etree.PI("p", "x")))
        node.insert(self.draw.randint(0, len(node)), noise)
