"""SRDF: names of links and joints exist in the URDF, groups do not contain each other, chains are chains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from polybody.base import Node
from polybody.document.parser.value_faults import clip
from polybody.document.robots import Names, names_in, urdf_files
from polybody.generated.formats.srdf import Robot
from polybody.suggest import did_you_mean
from polybody.validation.scene import Scene

NODES = ("Group",)
UNKNOWN, ANOTHER, RENAMED = "PB130", "PB131", "PB132"
LINKS: Mapping[str, tuple[str, ...]] = {
    "virtual_joint": ("child_link",),
    "end_effector": ("parent_link",),
    "link_sphere_approximation": ("link",),
    "disable_default_collisions": ("link",),
    "enable_collisions": ("link1", "link2"),
    "disable_collisions": ("link1", "link2"),
}
"""Attributes with names of links, by the elements of the robot."""
JOINTS: Mapping[str, tuple[str, ...]] = {"passive_joint": ("name",), "joint_property": ("joint_name",)}
"""The same for names of joints."""
Tell = Callable[[str, Node, str | None, str, str | None], None]
"""Takes a code, an element, the attribute or None, a message and a hint."""


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    root: Any = scene.root
    _nested(root, scene)
    if root.source is None:
        return
    near = [names_in(path) for path in urdf_files(root.source, (root.name or "").strip())]
    known = [names for names in near if names is not None]
    if known:
        compare(root, known, scene.report)


def _nested(root: Robot, scene: Scene) -> None:
    """Groups do not contain themselves."""
    inside = {group.name: [each.name for each in group.group] for group in root.group if group.name}
    settled: set[str] = set()
    while True:
        new = {
            name
            for name, others in inside.items()
            if name not in settled and all(other in settled or other not in inside for other in others)
        }
        if not new:
            break
        settled |= new
    for group in root.group:
        if group.name and group.name not in settled:
            message = f"group `{clip(group.name)}` contains itself, or a group that does"
            scene.report("PB033", group, "name", message)


def compare(root: Robot, known: list[Names], tell: Tell) -> bool:
    """Compare the names of an SRDF with those of URDFs; returns whether it can be for one of these robots.

    A name is reported once, at its first occurrence, if none of them has it.
    """
    links = frozenset[str]().union(*(names.links for names in known))
    joints = frozenset[str]().union(*(names.joints for names in known))
    virtual = frozenset(node.name.strip() for node in root.virtual_joint if node.name)
    named = [(node, name, link) for node, name, link in _links(root) if link]
    moved = [(node, name, joint) for node, name, joint in _joints(root) if joint and joint not in virtual]
    used = {link for _, _, link in named} | {joint for _, _, joint in moved}
    robots = ", ".join(dict.fromkeys(f"`{clip(names.robot)}`" for names in known))
    if used and used.isdisjoint(links | joints):
        message = f"the robot {robots} has none of the {len(used)} links and joints that are named here"
        hint = "this SRDF is for another robot, or its names have other prefixes"
        tell(ANOTHER, root, "name", message, hint)
        return False
    if root.name and root.name.strip() not in {names.robot for names in known}:
        message = f"the robot of the URDF is {robots}, not `{clip(root.name)}`: MoveIt reports an error"
        tell(RENAMED, root, "name", message, None)
    _unknown(named, links, "link", tell)
    _unknown(moved, joints, "joint", tell)
    _chains(root, known, links, tell)
    return True


def _unknown(said: list[tuple[Node, str, str]], known: frozenset[str], kind: str, tell: Tell) -> None:
    """Report each name of a kind that is unknown."""
    places: dict[str, list[tuple[Node, str]]] = {}
    for node, attribute, name in said:
        if name not in known:
            places.setdefault(name, []).append((node, attribute))
    for name, where in places.items():
        more = f" (named {len(where)} times)" if len(where) > 1 else ""
        message = f"the URDF has no {kind} `{clip(name)}`, so this has no effect{more}"
        tell(UNKNOWN, *where[0], message, did_you_mean(name, known))


def _chains(root: Robot, known: list[Names], links: frozenset[str], tell: Tell) -> None:
    """A chain connects two links of one tree."""
    for chain in (each for group in root.group for each in group.chain):
        base, tip = (chain.base_link or "").strip(), (chain.tip_link or "").strip()
        if {base, tip} <= links and not any(_joined(base, tip, names) for names in known):
            message = f"`{clip(base)}` and `{clip(tip)}` are not connected by joints: they form no chain"
            tell(UNKNOWN, chain, "tip_link", message, None)


def _joined(base: str, tip: str, names: Names) -> bool:
    return not set(_upwards(base, names)).isdisjoint(_upwards(tip, names))


def _upwards(link: str, names: Names) -> Iterator[str]:
    """A link and those above it."""
    met: set[str] = set()
    here: str | None = link
    while here is not None and here not in met:
        met.add(here)
        yield here
        here = names.parents.get(here)


def _links(root: Any) -> Iterator[tuple[Node, str, str]]:
    """Elements and attributes that name links, and these names."""
    for group in root.group:
        for link in group.link:
            yield link, "name", (link.name or "").strip()
        for chain in group.chain:
            for name in ("base_link", "tip_link"):
                yield chain, name, (getattr(chain, name) or "").strip()
    yield from _named(root, LINKS)


def _joints(root: Any) -> Iterator[tuple[Node, str, str]]:
    """Elements and attributes that name joints, and these names."""
    for group in (*root.group, *root.group_state):
        for joint in group.joint:
            yield joint, "name", (joint.name or "").strip()
    yield from _named(root, JOINTS)


def _named(root: Any, table: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[Node, str, str]]:
    for field, attributes in table.items():
        for node in getattr(root, field):
            for attribute in attributes:
                yield node, attribute, (getattr(node, attribute) or "").strip()
