"""Names in namespaces: the prefixes of a document, and names as in the tables of a format.

``qualified`` formats compare names by their namespaces, whatever prefixes a document uses. Their tables have
names without a prefix, which are in the format's namespace or in none, and names with one of the format's
prefixes. Elements without a schema keep their names unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from polybody.base import Attribute, Child, Element, Format, Node, Text, Untyped, children_of
from polybody.document.layout import Layout

XML = "http://www.w3.org/XML/1998/namespace"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
KNOWN = {XML: "xml", INSTANCE: "xsi"}
"""Prefixes that tables may use without declaring them."""
DECLARES = "xmlns:"
_NAME = re.compile(r"\S+")
_QUALIFIED = re.compile(r"([^\W\d][\w.-]*):[^\W\d][\w.-]*")
Scope = Mapping[str, str]
"""Namespaces by prefix; "" is the prefix of names without one."""


def parts(form: Format, name: str, qualified: bool) -> tuple[str, str]:
    """The namespace and the local part of a name in the tables."""
    prefix, colon, local = name.partition(":")
    if not colon:
        return (form.namespace if qualified else ""), name
    uri = form.prefixes.get(prefix, XML if prefix == "xml" else "")
    return uri, local


def of_child(form: Format, child: Child) -> tuple[str, str]:
    return parts(form, child.tag, child.qualified)


@cache
def usual(form: Format) -> Scope:
    """The prefixes of documents that `polybody.document.writer` writes.

    Elements of the format's namespace have no prefix, unless some elements are in no namespace.
    """
    rows = form.elements.values()
    mixed = any(not child.qualified for row in rows for child in row.children)
    own = {prefix_of(form) if mixed else "": form.namespace} if form.namespace else {}
    return {**form.prefixes, prefix_of(form): form.namespace, **own} if own else dict(form.prefixes)


def prefix_of(form: Format) -> str:
    """The prefix of the format's namespace, for names that need one."""
    prefix = form.prefix or "ns"
    while prefix in form.prefixes:
        prefix += "_"
    return prefix


# --- reading ------------------------------------------------------------------------------------------------


class Namespaces:
    """The prefixes in force while a document is read, and the mapping of its names to those of the tables."""

    def __init__(self, form: Format) -> None:
        self.form = form
        self.prefixes = {**KNOWN, **{uri: prefix for prefix, uri in form.prefixes.items()}}
        self.scopes: list[dict[str, str]] = [{"xml": XML, "": ""}]
        self.here = self.scopes[0]
        self.uri = ""
        self.missing: list[str] = []
        self.mistaken = ""  # a namespace that the root has in place of the format's
        self._taken = {*form.prefixes, prefix_of(form)}
        self._known: dict[tuple[int, int, str], tuple[str, str]] = {}

    def tag(self, written: str, declared: dict[str, str], parent: Element | None) -> str:
        """The tag of an element as in its parent's row; for another namespace, a tag that no row has.

        Also sets `here`, the prefixes in force in the element, and `uri`, its namespace.
        """
        self.here = {**self.scopes[-1], **declared} if declared else self.scopes[-1]
        key = id(self.here), id(parent), written
        found = None if declared else self._known.get(key)
        if found is None:
            found = self._tag(written, parent)
            if not declared:
                self._known[key] = found
        self.uri = found[1]
        return found[0]

    def _tag(self, written: str, parent: Element | None) -> tuple[str, str]:
        uri, local = self._split(written, True)
        name = self._canonical(uri, local, written)
        expected = self.form.namespace
        if parent is not None:
            child = next((child for child in parent.children if child.tag == name), None)
            leaf = next((a for a in parent.attributes if a.leaf and a.name == name), None)
            if child is None and leaf is None:
                clash = any(other.tag == written for other in parent.children)
                return (f"{{{uri}}}{local}" if clash else name), uri
            row = child or leaf
            assert row is not None
            expected = parts(self.form, name, row.qualified)[0]
        return (name if uri == expected else f"{{{uri}}}{local}"), uri

    def attribute(self, written: str, row: Element) -> str:
        """The name of an attribute as in its element's row."""
        uri, local = self._split(written, False)
        if not uri:
            clash = any(a.name == written and a.qualified and not a.leaf for a in row.attributes)
            return f"{{}}{written}" if clash else written
        name = self._canonical(uri, local, written)
        known = next((a for a in row.attributes if a.name == name and not a.leaf), None)
        if uri == self.form.namespace and (known is None or not known.qualified):
            return f"{{{uri}}}{local}"
        return name

    def _split(self, written: str, element: bool) -> tuple[str, str]:
        prefix, colon, local = written.rpartition(":")
        uri = self.here.get(prefix) if colon or element else ""
        if uri is None:
            self.missing.append(prefix)
            uri = self.form.prefixes.get(prefix, self.form.namespace)
        return (self.form.namespace if uri and uri == self.mistaken else uri), local

    def _canonical(self, uri: str, local: str, written: str) -> str:
        if uri in ("", self.form.namespace):
            return local
        if uri in self.prefixes:
            return f"{self.prefixes[uri]}:{local}"
        prefix, colon, _ = written.rpartition(":")
        return f"{self._free(prefix)}:{local}" if colon else written

    def _free(self, prefix: str) -> str:
        while prefix in self._taken:
            prefix += "_"
        return prefix

    def mistake(self) -> None:
        """Treat the namespace of the last tag as the format's, as it was probably intended."""
        self.mistaken = self.uri
        self._known.clear()

    def allows(self, child: Child) -> bool:
        """Whether the element of the last tag is allowed as one without a schema."""
        if child.only:
            return self.uri in child.only
        declared = {"", self.form.namespace, *self.form.prefixes.values()}
        return self.uri not in child.but and not (child.foreign and self.uri in declared)

    def is_foreign(self, name: str) -> bool:
        """Whether a name of `attribute` is in a namespace that the format does not use."""
        prefix, colon, _ = name.partition(":")
        return bool(colon) and not name.startswith("{") and prefix not in self._taken | {"xml", "xsi"}

    def enter(self) -> None:
        """Enter an element, that of the last tag."""
        self.scopes.append(self.here)

    def leave(self) -> None:
        """Leave the innermost element."""
        self.scopes.pop()
        self.here = self.scopes[-1]

    def keep(self, node: Any, name: str, written: str) -> None:
        """Add the declaration of the prefix of a kept attribute."""
        uri = self.here.get(written.rpartition(":")[0])
        if uri is not None:
            node.attributes[DECLARES + name.rpartition(":")[0]] = uri

    def settle(self, node: Untyped) -> None:
        """Add declarations of inherited prefixes to an element without a schema."""
        known = usual(self.form)
        for prefix in needed(node):
            uri = self.scopes[-1].get(prefix)
            if uri is not None and uri != known.get(prefix, ""):
                node.attributes[f"{DECLARES}{prefix}" if prefix else "xmlns"] = uri


def needed(node: Untyped) -> list[str]:
    """The prefixes used in an element without a schema that are not declared in it; "" for no prefix."""
    found: dict[str, None] = {}
    waiting: list[tuple[Any, frozenset[str]]] = [(node, frozenset({"xml"}))]
    while waiting:
        each, declared = waiting.pop()
        own = [name for name in each.attributes if name == "xmlns" or name.startswith(DECLARES)]
        declared = declared.union(name.partition(":")[2] for name in own) if own else declared
        used = [each.tag.rpartition(":")[0]]
        used += [name.rpartition(":")[0] for name in each.attributes if ":" in name and name not in own]
        found.update(dict.fromkeys(prefix for prefix in used if prefix not in declared))
        waiting += [(child, declared) for child in children_of(each)]
    return list(found)


# --- writing ------------------------------------------------------------------------------------------------


class Prefix(NamedTuple):
    """A prefix in the values of an element: its namespace, and whether it is in a value of `xs:QName`.

    Other texts may mean something else by it. Without a prefix, "", only words in `xs:QName` are names.
    """

    prefix: str
    namespace: str
    is_name: bool


class Names:
    """The spelling of names of a qualified format where some prefixes are in force."""

    def __init__(self, form: Format, scope: Scope, layouts: dict[int, Layout] | None = None) -> None:
        self.form, self.scope = form, scope
        self.declared: dict[str, str] = {}
        self._layouts = {} if layouts is None else layouts  # of the texts from which elements were read

    def inside(self) -> Names:
        """The names inside an element that makes the required declarations; each element has its own."""
        return Names(self.form, {**self.scope, **self.declared}, self._layouts)

    def declarations(self) -> list[tuple[str, str]]:
        return [(f"{DECLARES}{prefix}" if prefix else "xmlns", uri) for prefix, uri in self.declared.items()]

    def element(self, tag: str, qualified: bool) -> str:
        """A tag; prefixes that it needs and that are not in force are declared."""
        uri, local = parts(self.form, tag, qualified)
        prefixes = [prefix for prefix, known in self._all().items() if known == uri]
        if not uri:
            if self._all().get("", ""):
                self.declared[""] = ""
            return local
        if not prefixes:
            own = next(prefix for prefix, known in usual(self.form).items() if known == uri)
            prefixes = [prefix_of(self.form) if own in self.declared else own]
            self.declared[prefixes[0]] = uri
        prefix = min(prefixes)
        return f"{prefix}:{local}" if prefix else local

    def attribute(self, row: Attribute) -> str:
        """The name of an attribute, in the same way."""
        uri, local = parts(self.form, row.name, row.qualified)
        if not uri or uri == XML:
            return row.name
        prefixes = [prefix for prefix, known in self._all().items() if known == uri and prefix]
        if not prefixes:
            known = (prefix for prefix, known in usual(self.form).items() if known == uri and prefix)
            prefixes = [next(known)]
            self.declared[prefixes[0]] = uri
        return f"{min(prefixes)}:{local}"

    def untyped(self, node: Untyped) -> list[tuple[str, str]]:
        """The declarations that an element without a schema lacks."""
        known = usual(self.form)
        missing = []
        for prefix in needed(node):
            uri = known.get(prefix, "")
            if self.scope.get(prefix, "") != uri and (uri or not prefix):
                missing.append((f"{DECLARES}{prefix}" if prefix else "xmlns", uri))
        return missing

    def read_with(self, node: Node, row: Element) -> list[Prefix]:
        """The prefixes of names in the values of an element, as they were where it was read.

        Names in no namespace remain there: no default namespace is in force in their element.
        """
        found: dict[str, bool] = {}
        values: list[Attribute | Text] = [*row.attributes]
        if row.text is not None:
            values.append(row.text)
        for each in values:
            for prefix in _prefixes_in(getattr(node, each.field), each.prefixed):
                found[prefix] = found.get(prefix, False) or each.prefixed
        if not found or node.source is None or node._position is None:
            return []
        layout = self._layouts.get(id(node.source))
        if layout is None:
            layout = self._layouts[id(node.source)] = Layout(node.source)
        place = layout.place_at(node._position)
        scope = {"": "", "xml": XML} | ({} if place is None else layout.scope(place))
        if "" in found and not scope[""] and self._all().get("", ""):
            self.declared[""] = ""
        return [Prefix(prefix, scope[prefix], found[prefix]) for prefix in sorted(found) if prefix in scope]

    def renamed(self, read: Sequence[Prefix], written: Iterable[str]) -> dict[str, str]:
        """Declare prefixes of values as they were where their element was read.

        Args:
            read: by `read_with`.
            written: the names in the start tag, whose prefixes have a meaning already.

        Returns:
            other prefixes, for those in `xs:QName` that have another meaning in the start tag.
        """
        taken = {*self.declared, *(name.rpartition(":")[0] for name in written), "xml"}
        other: dict[str, str] = {}
        for prefix, uri, is_name in read:
            if self._all().get(prefix, "") == uri:
                continue
            if prefix and prefix not in taken:
                self.declared[prefix] = uri
            elif is_name:
                known = [each for each, namespace in self._all().items() if namespace == uri and each]
                taken |= {each.prefix for each in read}
                other[prefix] = min(known) if known else self._declare(prefix or "ns", uri, taken)
        return other

    def _declare(self, prefix: str, uri: str, taken: set[str]) -> str:
        """A new prefix for a namespace, like the one that it had."""
        while prefix in taken or prefix in self._all():
            prefix += "_"
        self.declared[prefix] = uri
        return prefix

    def _all(self) -> dict[str, str]:
        return {**self.scope, **self.declared}


def _prefixes_in(value: Any, names: bool) -> Iterator[str]:
    """The prefixes of names among the words of a text or of several; "" if all words are names."""
    for each in value if isinstance(value, tuple | list) else (value,):
        for word in each.split() if isinstance(each, str) else ():
            if match := _QUALIFIED.fullmatch(word):
                yield match[1]
            elif names and ":" not in word:
                yield ""


def with_prefixes(value: Any, other: Mapping[str, str]) -> Any:
    """Names, in a text or in several, with other prefixes."""
    if isinstance(value, tuple | list):
        return type(value)(with_prefixes(each, other) for each in value)
    if not isinstance(value, str):
        return value
    return _NAME.sub(lambda name: _with_prefix(name[0], other), value)


def _with_prefix(name: str, other: Mapping[str, str]) -> str:
    prefix, _, local = name.rpartition(":")
    return f"{other[prefix]}:{local}" if prefix in other else name


def names_of(document: Node, form: Format) -> Names:
    """The names of a document that is written from scratch; its root declares all prefixes in use."""
    known = usual(form)
    rows = {row.cls: row for row in form.elements.values()}
    used: set[str] = set()
    for node in _walk(document):
        if isinstance(node, Untyped):
            used.update(prefix for prefix in needed(node) if prefix)
            continue
        row = rows.get(type(node))
        if row is not None:
            used.add(node.TAG.rpartition(":")[0])
            used.update(_prefixes(node, row, form))
    names = Names(form, {})
    plain = [prefix for prefix, uri in known.items() if uri == form.namespace]
    for prefix, uri in sorted(known.items()):
        if prefix in used or (uri == form.namespace and prefix == min(plain)):
            names.declared[prefix] = uri
    return names


def _walk(document: Node) -> Iterator[Node]:
    """The elements that are written, except those inside elements without a schema."""
    waiting = [document]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Untyped):
            waiting += children_of(node)


def _prefixes(node: Node, row: Element, form: Format) -> Iterable[str]:
    """The prefixes of the attributes of an element."""
    for attribute in row.attributes:
        if getattr(node, attribute.field) is not None:
            if ":" in attribute.name:
                yield attribute.name.partition(":")[0]
            elif attribute.qualified and not attribute.leaf:
                yield prefix_of(form)
