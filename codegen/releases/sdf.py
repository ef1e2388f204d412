"""SDFormat from libsdformat's description files, a folder of ``*.sdf`` of one version.

A file describes an element: attributes and elements with ``type``, ``default`` and ``required``, and other
files that it includes. What is required with a default is optional in documents, as the default is used.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as File
from xml.etree import ElementTree

from .described import ANY, TRUTH, Attribute, Description, Element, Path

SUFFIX = ".sdf"
ROOT = f"root{SUFFIX}"
NO_DEFAULT = ("__default__", "")
"""Defaults that stand for none."""
INFINITE = {"inf": "INF", "-inf": "-INF"}
"""Numbers as XSD writes them."""
OFTEN = {"0": (0, 1), "1": (1, 1), "*": (0, ANY), "+": (1, ANY), "-1": (0, 1)}
"""How often an element may occur; -1 marks a deprecated one."""
TYPES = {
    "bool": ("keyword", 1, 1),
    "char": ("string", 1, 1),
    "color": ("real", None, 4),
    "double": ("real", 1, 1),
    "float": ("real", 1, 1),
    "int": ("int", 1, 1),
    "pose": ("real", None, None),
    "quaternion": ("real", None, None),
    "string": ("string", 1, 1),
    "time": (None, None, None),
    "unsigned int": ("int", 1, 1),
    "vector2d": ("real", 2, 2),
    "vector2i": ("int", 2, 2),
    "vector3": ("real", 3, 3),
}
"""The types of the files, with the fewest and the most numbers."""


def of_descriptions(folder: File) -> Description:
    """The description that the files of a folder give.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file is not such a description; the message has its path.
    """
    found: dict[Path, Element] = {}
    parsed: dict[str, ElementTree.Element] = {}

    def file(name: str) -> ElementTree.Element:
        if name not in parsed:
            parsed[name] = _root(folder / name)
        return parsed[name]

    def add(path: Path, node: ElementTree.Element, often: str, above: tuple[str, ...]) -> None:
        where = f"<{'/'.join(path)}>"
        if often not in OFTEN:
            raise ValueError(
                f"{folder}: {where} is required {often!r} times; expected one of {', '.join(OFTEN)}"
            )
        attributes = {each.get("name", ""): _attribute(each, where) for each in node.findall("attribute")}
        text = replace(_attribute(node, where), required=None) if node.get("type") else None
        low: int | None
        low, high = OFTEN[often]
        if text is None or text.default is not None:  # the element with its defaults replaces a missing one
            low = None if low else 0
        start = max(index for index, name in enumerate(above) if name.endswith(SUFFIX))
        found[path] = Element(attributes, text, low, high, kind="/".join(above[start:]))
        for child in node:
            if child.tag == "include":
                name = child.get("filename", "")
                if name not in above:
                    other = file(name)
                    add((*path, other.get("name", "")), other, child.get("required", "0"), (*above, name))
            elif child.tag == "element" and child.get("ref") is None and child.get("name"):
                name = child.get("name", "")
                add((*path, name), child, child.get("required", "0"), (*above, name))

    root = file(ROOT)
    add((root.get("name", ""),), root, "1", (ROOT,))
    return found


def comparable(ours: Description) -> Description:
    """The part of our schema that is libsdformat's: without the names of others, which have a prefix."""
    return {
        path: replace(
            element, attributes={name: said for name, said in element.attributes.items() if ":" not in name}
        )
        for path, element in ours.items()
        if not any(":" in tag for tag in path)
    }


def another_version(theirs: Description, version: str) -> tuple[str, ...]:
    """A note, if the files are not of this version: they have their own as a default of the root."""
    said = next(iter(theirs.values())).attributes.get("version")
    if said is None or said.default == version:
        return ()
    return (f"note: the description is of version {said.default}, not {version}",)


def _root(path: File) -> ElementTree.Element:
    try:
        root = ElementTree.parse(path).getroot()
    except OSError as error:
        expected = "expected a copy of libsdformat's folder sdf/<version>"
        raise OSError(f"{path}: {error.strerror}; {expected}") from None
    except ElementTree.ParseError as error:
        raise ValueError(f"{path}:{error.position[0]}:{error.position[1] + 1}: {error.msg}") from None
    if root.tag != "element" or not root.get("name"):
        raise ValueError(f'{path}: expected <element name="...">, as in a description of libsdformat')
    return root


def _attribute(node: ElementTree.Element, where: str) -> Attribute:
    said = node.get("type", "")
    if said not in TYPES:
        raise ValueError(f"{where}: {node.get('name')} has the type {said!r}; known are {', '.join(TYPES)}")
    kind, low, high = TYPES[said]
    default = node.get("default")
    if said == "bool":
        default = {"0": "false", "1": "true"}.get(default or "", default)
    default = None if default in NO_DEFAULT else INFINITE.get(default or "", default)
    required = None if node.get("required") == "1" and default is not None else node.get("required") == "1"
    return Attribute(kind, TRUTH if said == "bool" else (), default, required, low, high)
