"""The shortest document with an element that the schema's declarations and rules allow.

Everything that an element requires by its declaration or by a rule is added, and what ``pb:example`` lists.
Names that it refers to are declared where that is possible. If a keyword of its parent would make an element
ineffective, that keyword is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ..context.words import sized_by
from ..schema.linking import AROUND
from ..schema.model import Attribute, Child, Condition, Element, Rule, Schema
from ..schema.places import first_paths
from ..schema.slots import slot
from ..schema.types import Kind
from .sample_document import Node, printed
from .sample_values import FILES, counted, keywords, plain, samples, sums

DEPTH = 12
"""Maximum nesting depth of required elements; a schema that needs more has no finite example."""
DECLARED = 24
"""Maximum number of declared names, each of which may refer to another."""
UNTYPED = "*"
SHOWN = 3
"""Number of attributes shown for an element that requires none."""
TIES = ("exclusive", "together", "oneOf", "requires", "ignored", "differ", "newer")
"""Rules by which an attribute has no effect on its own."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of an element, or of a child that is a field of its parent.

    ``key`` is the element's, followed by ``/name`` for a field. ``lines`` are the first and the last line
    that show it. ``files`` are required next to the document: a text, or None if any content will do.
    ``refused`` is the reason why the element is not supported, or ""; if it is not supported, that is the
    document's only fault.
    """

    key: str
    document: str
    lines: tuple[int, int]
    files: Mapping[str, str | None]
    refused: str = ""


def examples(schema: Schema) -> Iterator[Example]:
    """An example of each element that can occur in a document, and of each field that is written as an
    element.
    """
    parents = _parents(schema)
    for element in schema.elements:
        if element.key in parents or element.key in schema.roots:
            yield _example(schema, parents, element)
            for leaf in element.attributes:
                if leaf.leaf:
                    yield _example(schema, parents, element, leaf)


def _parents(schema: Schema) -> dict[str, tuple[str, Child]]:
    """The parent and the child of each element; the first one of several."""
    found: dict[str, tuple[str, Child]] = {}
    paths = first_paths(schema)
    for element in schema.elements:
        for child in element.children:
            here = f"{paths[element.key]}/{child.tag}"
            usual = paths[child.element] == here and child.element not in found
            if (usual or child.home) and child.element not in schema.roots:
                found[child.element] = (element.key, child)
    queue = list(schema.roots)
    while queue:
        key = queue.pop(0)
        for child in schema.element(key).children:
            if child.element not in found and child.element not in schema.roots and child.tag != UNTYPED:
                found[child.element] = (key, child)
                queue.append(child.element)
    return found


def _chain(parents: Mapping[str, tuple[str, Child]], key: str) -> tuple[str, list[Child]]:
    """The root above an element, and the children on the path to it."""
    found: list[Child] = []
    while key in parents:
        key, child = parents[key]
        found.append(child)
    return key, found[::-1]


def _example(
    schema: Schema, parents: Mapping[str, tuple[str, Child]], element: Element, leaf: Attribute | None = None
) -> Example:
    root, steps = _chain(parents, element.key)
    builder = _Builder(schema, parents, Node(schema.element(root).tag, root))
    node = builder.root
    for child in steps:
        builder.choose(node, child.tag)
        node = builder.add(node, child)
    if leaf is not None:
        builder.choose(node, leaf.name)
        node = builder.give(node, leaf) or node
        builder.show(node, leaf.example)
    builder.of_root = node is builder.root
    for shown in [*node.around()][-2::-1]:
        if shown.key:
            builder.show(shown, builder.element(shown).example)
    builder.complete(builder.root)
    if leaf is None:
        builder.furnish(node)
    builder.finish([*steps, *([leaf] if leaf else [])])
    document, lines = printed(builder.root, node)
    key = element.key if leaf is None else f"{element.key}/{leaf.name}"
    status = element.status if leaf is None else leaf.status
    refused = status.reason if status is not None and status.level == "unsupported" else ""
    return Example(key, document, lines, builder.files, refused)


@dataclass
class _Builder:
    """A document under construction."""

    schema: Schema
    parents: Mapping[str, tuple[str, Child]]
    root: Node
    names: dict[str, int] = field(default_factory=dict)  # the number of names so far, by namespace
    wanted: list[tuple[tuple[str, ...], str, Node]] = field(
        default_factory=list
    )  # names to be declared, and the nodes that refer to them
    files: dict[str, str | None] = field(default_factory=dict)
    of_root: bool = True  # the whole document is shown

    def element(self, node: Node) -> Element:
        return self.schema.element(node.key)

    def finish(self, steps: list[Child | Attribute]) -> None:
        """Add what the document needs, after its elements lead to the one that is shown."""
        self.complete(self.root)
        for _ in range(DECLARED):
            if not self.wanted:
                break
            self.declare(*self.wanted.pop(0))
        gone = [
            step.until for step in steps if step.until and _number(step.until) < _number(self.schema.version)
        ]
        if gone and self.schema.version_in:
            self.root.attributes[self.schema.version_in] = min(gone, key=_number)
        used = {
            name.partition(":")[0] for node in self.root.inside() for name in (node.tag, *node.attributes)
        }
        for prefix, uri in self.schema.prefixes:
            if prefix in used:
                self.root.attributes[f"xmlns:{prefix}"] = uri

    # --- elements

    def add(self, parent: Node, child: Child, user: Node | None = None) -> Node:
        """Insert a child in the schema's order, before the node that uses it."""
        node = Node(child.tag, child.element, parent=parent)
        self._insert(parent, node, user)
        return node

    def _insert(self, parent: Node, node: Node, user: Node | None = None) -> None:
        element, end = self.element(parent), len(parent.children)
        order = [value.name for value in element.attributes if value.leaf] + [c.tag for c in element.children]
        places = [order.index(other.tag) for other in parent.children]
        later = (number for number, place in enumerate(places) if place > order.index(node.tag))
        place = end if element.ordered else next(later, end)
        parent.children.insert(place if user is None else min(place, parent.children.index(user)), node)

    def complete(self, node: Node, depth: int = 0) -> None:
        """Add what an element and its descendants require."""
        if not node.key or depth > DEPTH:
            return
        element = self.element(node)
        for added in self.show(node, element.example) if node is not self.root or self.of_root else ():
            if added.parent is not node:
                self.complete(added, depth + 1)
        for attribute in element.attributes:
            if attribute.required:
                self.give(node, attribute)
        for child in element.children:
            for _ in range(child.low - len(node.all(child.tag))):
                self.add(node, child)
        for rule in element.rules:
            self._obey(node, element, rule)
        if element.text is not None and not node.text and not element.children and not element.wild:
            node.text = self._value(node, element, element.text)
        for below in list(node.children):
            self.complete(below, depth + 1)
        self._size_texts(node, element)

    def show(self, node: Node, names: tuple[str, ...]) -> list[Node]:
        """Add what the schema lists for the example, by its path; a child as often as it is listed."""
        added: list[Node] = []
        for name in dict.fromkeys(names):
            *folders, last = name.split("/")
            last, given, value = last.partition("=")
            place, branch = node, None
            for step in folders:
                if not step:
                    place, branch = self.root, [*node.around()][-2:][0]
                elif step == "..":
                    place, branch = place.parent or place, place
                else:
                    place, branch = (
                        place.first(step) or self.add(place, self._child(place, step), branch),
                        None,
                    )
            if given:
                self._put(place, next(a for a in self.element(place).attributes if a.name == last), value)
            elif _has(place, last) or not self._is_idle(place, last):
                added += self._put_all(place, last, names.count(name), branch)
        return added

    def furnish(self, node: Node) -> None:
        """For an element that requires nothing, show some attributes, or else a child."""
        element = self.element(node)
        if node.children or node.text or set(node.attributes) - {"name"} or element.example:
            return
        tied = {name for rule in element.rules if rule.kind in TIES for name in rule.names}
        plainest = [a for a in element.attributes if a.name not in tied and _is_plain(a)]
        for attribute in plainest[: SHOWN - len(node.attributes)]:
            self.give(node, attribute)
        if not plainest and not node.attributes:
            usual = (
                child for child in element.children if child.tag != UNTYPED and child.element != node.key
            )
            for child in [c for c in usual if _is_usual(c, self.schema.element(c.element))][:1]:
                self.furnish(self.add(node, child))

    def _put_all(self, node: Node, name: str, count: int, user: Node | None) -> list[Node]:
        """Add an attribute, or `count` children, before the node that uses them."""
        if any(attribute.name == name for attribute in self.element(node).attributes):
            self.provide(node, name)
            return []
        added: list[Node] = []
        for number in range(len(node.all(name)), count):
            first = node.children[0] if number % 2 and node.children else None
            added.append(self.add(node, self._child(node, name), user or first))
        return added

    def _child(self, node: Node, tag: str) -> Child:
        return next(child for child in self.element(node).children if child.tag == tag)

    def _is_idle(self, node: Node, name: str) -> bool:
        """Whether a rule says that this has no effect here, or may not occur together with what is
        present.
        """
        rules = [rule for rule in self.element(node).rules if name in rule.names]
        return any(self._applies(node, rule) for rule in rules if rule.kind == "ignored") or any(
            _has(node, other) for rule in rules if rule.kind == "exclusive" for other in rule.names
        )

    def _raise(self, node: Node, low: str, high: str) -> None:
        """Put the bounds of a range in ascending order, around zero if that is allowed."""
        lows, highs = (list(map(float, (_get(node, name) or "0").split())) for name in (low, high))
        if all(below < above for below, above in zip(lows, highs, strict=True)):
            return
        named = (value for value in self.element(node).attributes if value.name == low)
        least = next((form.minimum for value in named for form in value.forms), None)
        held = slot(low)
        if held.child and not held.name:
            text = self.element(node.first(held.child) or node).text
            least = text.forms[0].minimum if text is not None else None
        if least is None or least < 0:
            _set(node, low, " ".join(["-1"] * len(lows)))
            lows = [0.0] * len(lows)
        _set(node, high, " ".join(f"{below + 1:g}" for below in lows))

    def _applies(self, node: Node, rule: Rule) -> bool:
        return (rule.when is None or self._holds(node, rule.when)) and (
            rule.unless is None or not self._holds(node, rule.unless)
        )

    # --- rules

    def _obey(self, node: Node, element: Element, rule: Rule) -> None:
        if rule.kind == "required":
            if self._applies(node, rule):
                self._provide_all(node, rule.names)
        elif rule.kind in ("oneOf", "anyOf"):
            if not any(_has(node, name) for name in rule.names):
                self.provide(node, rule.names[0])
        elif rule.kind == "together":
            if any(_has(node, name) for name in rule.names):
                self._provide_all(node, rule.names)
        elif rule.kind == "requires" and _has(node, rule.names[0]):
            self._provide_all(node, rule.names[1:])
        elif rule.kind == "inertia":
            counts = [len((_get(node, name) or "").split()) for name in rule.names]
            for name, value in sums(rule.names, counts[0]).items():
                _set(node, name, value)
        elif rule.kind == "ascending" and all(_has(node, name) for name in rule.names):
            self._raise(node, *rule.names)
        elif rule.kind == "increasing" and _has(node, rule.names[0]):
            count = len((_get(node, rule.names[0]) or "").split())
            _set(node, rule.names[0], " ".join(map(str, range(count))))

    def _holds(self, node: Node, condition: Condition) -> bool:
        if not condition.values:
            return _has(node, condition.attribute)
        value = _get(node, condition.attribute)
        if value is None:
            known = (a for a in self.element(node).attributes if a.name == condition.attribute)
            value = next((attribute.default for attribute in known), None)
        return value in condition.values

    def choose(self, node: Node, name: str) -> None:
        """Change the keywords of attributes that would make an attribute or child ineffective."""
        element = self.element(node)
        for attribute in element.attributes:
            words = keywords(self.schema, attribute)
            bad: set[str] = set()
            for rule in element.rules:
                for condition, wrong in ((rule.when, True), (rule.unless, False)):
                    about = condition is not None and condition.attribute == attribute.name
                    if rule.kind == "ignored" and name in rule.names and about and condition is not None:
                        hit = set(condition.values)
                        bad |= hit if wrong else set(words) - hit
            usual = [*samples(attribute), attribute.default or words[0] if words else ""][0]
            value = node.attributes.get(attribute.name, usual)
            good = [word for word in words if word not in bad]
            if value in bad and good:
                self._put(node, attribute, good[0])

    # --- values

    def _provide_all(self, node: Node, names: tuple[str, ...]) -> None:
        for name in names:
            self.provide(node, name)

    def provide(self, node: Node, name: str) -> None:
        """Add what a rule requires: an attribute or child, or an attribute or the text of a child."""
        if _has(node, name):
            return
        element = self.element(node)
        wanted = slot(name)
        for attribute in element.attributes:
            if attribute.name == name:
                self.give(node, attribute)
                return
        child = self._child(node, wanted.child or wanted.name)
        held = node.first(child.tag) or self.add(node, child)
        if wanted.child and wanted.name:
            inner = self.element(held)
            self.give(held, next(value for value in inner.attributes if value.name == wanted.name))

    def give(self, node: Node, attribute: Attribute) -> Node | None:
        """Set an attribute that has no value; returns its element if it is written as one."""
        if _has(node, attribute.name):
            return node.first(attribute.name)
        return self._put(node, attribute, self._value(node, self.element(node), attribute))

    def _put(self, node: Node, attribute: Attribute, value: str) -> Node | None:
        if attribute.leaf:
            leaf = node.first(attribute.name)
            if leaf is None:
                leaf = Node(attribute.name, parent=node)
                self._insert(node, leaf)
            leaf.text = value
            return leaf
        node.attributes[attribute.name] = value
        order = [value.name for value in self.element(node).attributes]
        node.attributes = dict(sorted(node.attributes.items(), key=lambda pair: order.index(pair[0])))
        return None

    def _value(self, node: Node, element: Element, attribute: Attribute) -> str:
        meaning = attribute.meaning
        named = samples(attribute)
        if named:
            value = named[(self._next(f"{attribute.place}") - 1) % len(named)]
        elif meaning.declares or meaning.refers:
            value = self._new_name(meaning.declares or meaning.refers[0])
        elif attribute.name == "name" and attribute.default is None:
            value = self._new_name(element.tag)
        else:
            value = plain(self.schema, element, node, attribute)
        if meaning.refers:
            self.wanted.append((meaning.refers, value, node))
        if meaning.file or value in FILES.values():
            self.files[value] = self._plain_document(node) if meaning.file == "model" else None
        return value

    def _plain_document(self, user: Node) -> str:
        """The content of a file that an element refers to: a document of its kind, or of the usual root."""
        key = user.key if user.key in self.schema.roots else self.schema.roots[0]
        inner = _Builder(self.schema, self.parents, Node(self.schema.element(key).tag, key))
        inner.finish([])
        if self.element(user).include == "splice" and user.parent is not None:
            around = self.element(user.parent)
            other = next(child for child in around.children if child.element != user.key)
            inner.root.children = [Node(other.tag, other.element, parent=inner.root)]
            inner.complete(inner.root.children[0])
        return printed(inner.root, inner.root)[0]

    def _next(self, counted_as: str) -> int:
        self.names[counted_as] = self.names.get(counted_as, 0) + 1
        return self.names[counted_as]

    def _new_name(self, namespace: str) -> str:
        return f"{namespace}{self._next(namespace)}"

    def _size_texts(self, node: Node, element: Element) -> None:
        """Texts whose length is determined by an attribute of this element."""
        for child in element.children:
            inner = self.schema.element(child.element)
            sized = sized_by(inner.text) if inner.text is not None else None
            below = node.first(child.tag)
            if sized is not None and sized[1].startswith(AROUND) and below is not None:
                count = counted(self.schema, element, node, sized[0], sized[1].removeprefix(AROUND))
                words = below.text.split() if count else ["0"]
                below.text = " ".join((words * max(count, 1))[: max(count, 1)])

    def declare(self, namespaces: tuple[str, ...], name: str, user: Node) -> None:
        """Add an element that declares a name, before the one that refers to it, unless there is one."""
        if any(self._declares(node, namespaces, name) for node in self.root.inside()):
            return
        for element in self.schema.elements:
            named = [value for value in element.attributes if value.meaning.declares in namespaces]
            if not named or element.fills or element.key not in self.parents:
                continue
            root, steps = _chain(self.parents, element.key)
            if root != self.root.key:
                continue
            node, branch = self.root, list(user.around())
            for number, child in enumerate(steps):
                found = node.first(child.tag) if number < len(steps) - 1 else None
                before = next((below for below in node.children if below in branch), None)
                node = found or self.add(node, child, before)
            self._put(node, named[0], name)
            self.complete(self.root)
            return

    def _declares(self, node: Node, namespaces: tuple[str, ...], name: str) -> bool:
        values = self.element(node).attributes if node.key else ()
        return any(
            value.meaning.declares in namespaces
            and (name in value.meaning.builtin or _get(node, value.name) == name)
            for value in values
        )


def _is_plain(attribute: Attribute) -> bool:
    """Whether a value of the attribute has an effect on its own."""
    meaning, kind = attribute.meaning, attribute.forms[0].kind
    tied = meaning.refers or meaning.declares or meaning.file or meaning.defaultsClass
    said = bool(attribute.default) or meaning.sample or kind is not Kind.STRING
    return bool(said) and not tied and _is_usual(attribute, attribute) and ":" not in attribute.name


def _is_usual(thing: Attribute | Child, of: Attribute | Element) -> bool:
    refused = of.status is not None and of.status.level == "unsupported"
    return not (refused or thing.deprecated or thing.since or thing.until)


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _has(node: Node, name: str) -> bool:
    return _get(node, name) is not None


def _get(node: Node, name: str) -> str | None:
    """The value of a name in a rule: an attribute, the text of a child, or "" for a child without text."""
    wanted = slot(name)
    if wanted.child and wanted.name:
        below = node.first(wanted.child)
        return None if below is None else below.attributes.get(wanted.name)
    if wanted.name in node.attributes:
        return node.attributes[wanted.name]
    child = node.first(wanted.child or wanted.name)
    return None if child is None else child.text


def _set(node: Node, name: str, value: str) -> None:
    """Change an existing value."""
    wanted = slot(name)
    child = None if wanted.child and wanted.name else node.first(wanted.child or wanted.name)
    if child is not None:
        child.text = value
    elif name in node.attributes:
        node.attributes[name] = value
