"""Elements that stand for other files: reading the files, and documents with their content in place.

A document keeps such an element as it is written; what its file brings is its ``content``. Whoever asks what
the document means looks at it expanded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from polybody.base import Element, Format, Node, Source, children_of
from polybody.diagnostics import Findings
from polybody.document.packages import Roots
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.parser.value_faults import clip
from polybody.document.sources import Limits, SourceError, load, make_source
from polybody.document.uris import Places, Remark

SPLICE = "splice"
DEEPEST = 64
"""How many files may include each other."""


class Includes:
    """The files that one document's elements stand for: each once, inside the folder of the document."""

    def __init__(
        self,
        form: Format,
        source: Source,
        findings: Findings,
        limits: Limits,
        read: Callable[[Source, Includes], Node | None],
    ) -> None:
        """``read`` reads a document of its own that another stands for, with the same findings and limits."""
        self.form, self.findings, self.limits = form, findings, limits
        self.folder = Path(source.path).parent
        self._read = read
        self._open = [Path(source.path).resolve()]
        self._met: dict[Path, Node] = {}
        self._loaded: dict[Path, Node | None] = {}

    @property
    def used(self) -> bool:
        """Whether any file was asked for."""
        return bool(self._met)

    def bring(self, node: Any, around: str, where: str) -> Parse | None:
        """Read the file that an element stands for, as children of an element of the kind ``around``."""
        if node.file is None:
            return None  # its attribute is another finding
        source = self._source(node, where)
        if source is None:
            return None
        parse = Parse(table_of(self.form), source, self.findings, self.limits, self, around)
        self._open.append(Path(source.path).resolve())
        try:
            parse.run()
        finally:
            self._open.pop()
        if parse.root is not None and not children_of(parse.root):
            self._remark(node, where)("PB015", f"`{node.file}` brings no element")
        return parse

    def load(self, node: Any, row: Element, where: str) -> None:
        """Read the document of its own that an element stands for; it is the element's ``content``.

        Several elements may stand for the same file, which is read once. A document without a place of its
        own, as a text that was given in memory, has no files beside it.
        """
        naming = next(attribute for attribute in row.attributes if attribute.file)
        reference = getattr(node, naming.field)
        if not reference or not self._open[0].is_file():
            return
        remark = Remark(self.findings, node, naming, where)
        places = Places(self.folder, Path(node.source.path).parent)
        find = places.model if not self.form.elsewhere else partial(places.anywhere, self.form.elsewhere)
        found = find(reference.strip(), remark)
        if found is None:
            return
        kind = self.form.foreign.get(found.suffix[1:].lower())
        if kind is not None:
            remark("PB077", f"`{clip(reference)}` is {kind}, which is not read")
            return
        path = found.resolve()
        if self._closes_circle(path, remark):
            return
        if path not in self._loaded:
            self._loaded[path] = None
            source = self._open_source(found, node, remark)
            if source is not None:
                self._open.append(path)
                try:
                    self._loaded[path] = self._read(source, self)
                finally:
                    self._open.pop()
        node.content = self._loaded[path]

    def _source(self, node: Any, where: str) -> Source | None:
        """The source of a file, or None after a finding."""
        found = self._find(node, where)
        if found is None:
            return None
        path = found.resolve()
        remark = self._remark(node, where)
        if self._closes_circle(path, remark):
            return None
        if path in self._met:
            first = self._met[path].span
            at = "" if first is None else f" at {first}"
            remark("PB038", f"`{node.file}` is included already{at}")
            return None
        self._met[path] = node
        return self._open_source(found, node, remark)

    def _closes_circle(self, path: Path, remark: Remark) -> bool:
        """Whether a file is open already, which is a finding then."""
        if path not in self._open and len(self._open) <= DEEPEST:
            return False
        chain = " -> ".join(file.name for file in [*self._open, path])
        remark("PB039", f"files include each other in a circle: {chain}")
        return True

    def _open_source(self, found: Path, node: Any, remark: Remark) -> Source | None:
        stack = () if node.source is None else (*node.source.include_stack, node.span)
        try:
            return make_source(str(found), load(str(found), self.limits), self.limits, stack)
        except SourceError as error:
            if error.code == "PB001":
                remark("PB001", f"`{getattr(node, remark.row.field)}`: {error.message}")
            else:
                self.findings.add(error.code, error.span, error.message, hint=error.hint, source=node.source)
            return None

    def _find(self, node: Any, where: str) -> Path | None:
        """Where a file is: beside the document, else beside the file that includes it."""
        reference: str = node.file
        near = Path(node.source.path).parent
        roots = Roots(self.folder)
        try:
            inside = roots.resolve(reference)
            if not inside.exists() and near != self.folder:
                beside = near / reference
                if roots.resolve(str(beside.resolve())).exists():
                    return beside
        except ValueError as error:
            self._remark(node, where)("PB010", str(error))
            return None
        return self.folder / reference

    def _remark(self, node: Any, where: str) -> Remark:
        row = next(row for row in self.form.elements.values() if row.cls is type(node))
        return Remark(self.findings, node, next(a for a in row.attributes if a.file), where)


def expand(root: Node, form: Format) -> tuple[Node, dict[int, Node]]:
    """A document with the content of files in place of the elements that stand for them.

    Elements without such a part are the document's own. Of an element that takes one child of a kind, and
    of those that merge, the parts are put together.

    Returns:
        The expanded root, and the new elements by the ``id`` of those they are made from.
    """
    kinds = {row.cls: row for row in form.elements.values()}
    stands = {cls for cls, row in kinds.items() if row.include == SPLICE}
    twins: dict[int, Node] = {}
    if not stands:
        return root, twins
    order: list[tuple[Any, Any]] = []
    stack: list[tuple[Any, Any]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        order.append((node, parent))
        below = [node.content] if type(node) in stands else children_of(node)
        stack.extend((child, node) for child in below if child is not None)
    changed = {id(parent) for node, parent in order if type(node) in stands and parent is not None}
    for node, parent in reversed(order):
        if id(node) not in changed:
            continue
        if parent is not None:
            changed.add(id(parent))
        if type(node) not in stands:
            twins[id(node)] = _with_children(node, list(_spliced(node, stands, twins)))
    return twins.get(id(root), root), twins


def clashes(root: Node, form: Format) -> Iterator[tuple[Element, Node, Node]]:
    """Children that a file brings where there is one already: the parent's row, the first and the second."""
    kinds = {row.cls: row for row in form.elements.values()}
    stands = {cls for cls, row in kinds.items() if row.include == SPLICE}
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if type(node) in stands:
            stack.extend(() if node.content is None else children_of(node.content))
            continue
        children = children_of(node)
        stack.extend(children)
        if any(type(child) in stands for child in children):
            row = kinds[type(node)]
            once = {child.tag for child in row.children if child.high == 1 and not child.merge}
            first: dict[str, Node] = {}
            for child in _flat(node, stands):
                if child.TAG in once and first.setdefault(child.TAG, child) is not child:
                    yield row, first[child.TAG], child


def _flat(node: Any, stands: set[type[Node]]) -> Iterator[Node]:
    """The children of an element with those that files bring, as they are."""
    stack = list(reversed(children_of(node)))
    while stack:
        child = stack.pop()
        if type(child) not in stands:
            yield child
        elif child.content is not None:
            stack.extend(reversed(children_of(child.content)))


def _spliced(node: Any, stands: set[type[Node]], twins: dict[int, Node]) -> Iterable[Node]:
    for child in children_of(node):
        if type(child) not in stands:
            yield twins.get(id(child), child)
        elif child.content is not None:
            yield from children_of(twins.get(id(child.content), child.content))


def _with_children(node: Node, children: list[Node]) -> Node:
    """A copy of an element with these children; of those that it takes once, several are put together."""
    copy = node.__copy__()
    single: dict[str, int] = {}
    kept: list[Node] = []
    for child in children:
        many = node.CHILDREN[child.TAG][1]
        if many or child.TAG not in single:
            if not many:
                single[child.TAG] = len(kept)
            kept.append(child)
        else:
            kept[single[child.TAG]] = _merged(kept[single[child.TAG]], child)
    copy.children = kept
    return copy


def _merged(first: Node, second: Node) -> Node:
    """Two elements of a kind as one: the second's attributes count, the children follow each other."""
    both = _with_children(first, [*children_of(first), *children_of(second)])
    for name in first.FIELDS:
        value = getattr(second, name)
        if value is not None:
            setattr(both, name, value)
    return both


def takes_files(form: Format) -> bool:
    """Whether elements of the format can stand for other files."""
    return any(row.include for row in form.elements.values())
