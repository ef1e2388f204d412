"""Elements that include other files: reading the files, and documents with the content in place.

A document keeps such an element as it was given; the content of its file is its ``content``. The meaning of a
document is that of the expanded document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

from polybody.base import Element, Format, Node, Source, Span, children_of
from polybody.base.children import all_children
from polybody.diagnostics import Findings
from polybody.document.access import access_of
from polybody.document.packages import is_uri
from polybody.document.parser.parse import Parse
from polybody.document.parser.tables import table_of
from polybody.document.parser.value_faults import clip
from polybody.document.sources import Limits, SourceError, load, make_source
from polybody.document.uris import Places, Remark
from polybody.files import RealPath, is_there

SPLICE = "splice"
Where = Callable[[], str]
"""Returns the XPath of the including element."""


class Loaded(NamedTuple):
    """An included document, None if there is none, and its number of elements."""

    root: Node | None
    weight: int


class Files:
    """The files of one call, of any format: those that are open, those that were read, their total size."""

    def __init__(self, source: Source, limits: Limits, reads: bool = True) -> None:
        """reads: whether files are read, rather than taken from a document in memory."""
        self.limits, self.reads = limits, reads
        self._path, self.access = source.path, access_of(source)
        self.loaded: dict[Path, Loaded] = {}
        self.bytes = len(source.data)
        self.elements = 0
        self.repeated = 0
        self.shared: dict[str, Any] = {}  # data of a format's rules, shared by all documents

    def anew(self) -> Files:
        """The same before anything was read, for a document that is read again."""
        other = Files.__new__(Files)
        other.__dict__ |= self.__dict__ | {"loaded": dict(self.loaded), "shared": dict(self.shared)}
        return other

    def become(self, other: Files) -> None:
        """Take over the state of another one."""
        self.__dict__ |= other.__dict__

    @cached_property
    def opened(self) -> list[Path]:
        """The files that are being read, each included by the previous one."""
        return [self.access.place_of(self._path)]

    def source(self, path: RealPath, stack: tuple[Span, ...], shown: Path | None = None) -> Source:
        """The source of a file, within the remaining limits; ``shown`` is its path in findings.

        Raises:
            SourceError: it cannot be read, or exceeds a limit.
        """
        name = str(shown or path)
        source = make_source(name, load(path, self.limits, name), self.limits, stack, access=self.access)
        self.bytes += len(source.data)
        if self.bytes > self.limits.bytes:
            message = (
                f"files of more than {self.limits.bytes:,} bytes together, which exceeds the "
                "limit of this reader"
            )
            raise SourceError("PB002", message, source.between(0, 0))
        return source


class Includes:
    """The files that one document includes: each is read once, from where files may be opened."""

    def __init__(
        self,
        form: Format,
        source: Source,
        findings: Findings,
        files: Files,
        read: Callable[[Source, Includes], Node | None],
    ) -> None:
        """``read`` reads a separate document that is included, with the same findings and files."""
        self.form, self.findings, self.files = form, findings, files
        self.main = source  # of the document that is being read
        self._read = read
        self._met: dict[Path, Node] = {}
        self._places: dict[str, Places] = {}  # by the path of the file with the reference
        self._rows = {row.cls: row for row in form.elements.values()}

    @property
    def used(self) -> bool:
        """Whether any file was requested."""
        return bool(self._met)

    def bring(self, node: Any, around: str, where: Where) -> Parse | None:
        """Read the file that an element includes, as children of an element of the kind ``around``."""
        if node.file is None:
            return None  # its attribute is reported separately
        source = self._source(node, where)
        if source is None:
            return None
        files = self.files
        parse = Parse(table_of(self.form), source, self.findings, files.limits, self, around, files)
        files.opened.append(files.access.place_of(source.path))
        try:
            parse.run()
        finally:
            files.opened.pop()
        if parse.root is not None and not children_of(parse.root):
            self._remark(node, where)("PB015", f"`{clip(node.file)}` contains no element")
        return parse

    def load(self, node: Any, row: Element, where: Where) -> None:
        """Read the separate document that an element includes; it is the element's ``content``.

        Several elements may include the same file, which is read once.
        """
        naming = next(attribute for attribute in row.attributes if attribute.file)
        reference = getattr(node, naming.field)
        files = self.files
        if not reference:
            return
        remark = Remark(self.findings, node, naming, where)
        places = self._places_of(node.source)
        find = places.model if not self.form.elsewhere else partial(places.anywhere, self.form.elsewhere)
        found = find(reference.strip(), partial(_must_be_known, remark))
        if found is None:
            return
        kind = self.form.foreign.get(found.suffix[1:].lower())
        if kind is not None:
            remark("PB077", f"`{clip(reference)}` is {kind}, which is not read")
            return
        path = found  # not resolved again, because it was checked
        if self._closes_circle(path, remark):
            return
        known = files.loaded.get(path)
        if known is None:
            node.content = self._load(path, node, remark)
            return
        files.repeated += known.weight
        if files.repeated > files.limits.repeated:
            message = (
                f"`{clip(reference)}` is included repeatedly: repeated files contain more than"
                f" {files.limits.repeated:,} elements, more than this reader accepts"
            )
            remark("PB002", message)
            return
        node.content = known.root

    def _load(self, path: RealPath, node: Any, remark: Remark) -> Node | None:
        """Read a separate document, and remember it."""
        files, root = self.files, None
        before = files.elements + files.repeated
        files.loaded[path] = Loaded(None, 0)
        source = self._open_source(path, path, node, remark)
        if source is not None:
            files.opened.append(path)
            outer = self.main, self._met
            self.main, self._met = source, {}
            try:
                root = self._read(source, self)
            finally:
                files.opened.pop()
                self.main, self._met = outer
        files.loaded[path] = Loaded(root, files.elements + files.repeated - before)
        return root

    def _places_of(self, source: Source) -> Places:
        if source.path not in self._places:
            self._places[source.path] = Places(source)
        return self._places[source.path]

    def _source(self, node: Any, where: Where) -> Source | None:
        """The source of a file, or None after a finding."""
        found = self._find(node, where)
        if found is None:
            return None
        shown, path = found
        remark = self._remark(node, where)
        if self._closes_circle(path, remark):
            return None
        if path in self._met:
            first = self._met[path].span
            at = "" if first is None else f" at {first}"
            remark("PB038", f"`{clip(node.file)}` is already included{at}")
            return None
        self._met[path] = node
        return self._open_source(path, shown, node, remark)

    def _closes_circle(self, path: Path, remark: Remark) -> bool:
        """Whether a file is already open, or too many are; both are reported."""
        opened = self.files.opened
        if path in opened:
            chain = " -> ".join(clip(file.name) for file in [*opened[opened.index(path) :], path])
            remark("PB039", f"files include each other in a cycle: {chain}")
        elif len(opened) > self.files.limits.files:
            message = f"more than {self.files.limits.files} files that include each other"
            remark("PB002", f"{message}, which exceeds the limit of this reader")
        else:
            return False
        return True

    def _open_source(self, path: RealPath, shown: Path, node: Any, remark: Remark) -> Source | None:
        stack = () if node.source is None else (*node.source.include_stack, node.span)
        try:
            return self.files.source(path, stack, shown)
        except SourceError as error:
            if error.code == "PB001":
                remark("PB001", f"`{clip(getattr(node, remark.row.field))}`: {error.message}")
            else:
                self.findings.add(error.code, error.span, error.message, hint=error.hint, source=node.source)
            return None

    def _find(self, node: Any, where: Where) -> tuple[Path, RealPath] | None:
        """The path of a file as findings show it, and the one that was checked: in a package, next to the
        document, otherwise next to the file that includes it.
        """
        reference: str = node.file
        tell = partial(_must_be_known, self._remark(node, where))
        near, main = self._places_of(node.source), self._places_of(self.main)
        if is_uri(reference):
            found = near.find(reference, tell)
            return None if found is None else (found, found)
        for places, source in ((main, self.main), (near, node.source)):
            found = places.there(reference)
            if found is not None:
                return Path(source.path).parent / reference, found
        found = main.find(reference, tell)
        if found is not None and not is_there(found):
            others = () if near is main else (near.folder / reference,)
            found = main.file(reference, tell, others)
        return None if found is None else (Path(self.main.path).parent / reference, found)

    def _remark(self, node: Any, where: Where) -> Remark:
        row = self._rows[type(node)]
        return Remark(self.findings, node, next(a for a in row.attributes if a.file), where)


def _must_be_known(remark: Remark, code: str, message: str, hint: str | None = None) -> None:
    """A missing file of a shape is tolerable; without an included file the document has no meaning."""
    remark("PB001" if code in ("PB036", "PB037") else code, message, hint)


def expand(root: Node, form: Format) -> tuple[Node, dict[int, Node]]:
    """A document with the content of files in place of the elements that include them.

    Elements without included content are the document's own. Parts of an element that allows one child of a
    kind, and of those that merge, are combined. Defaults elements stay separate, because classes nested
    between them begin as copies of what was there before.

    Returns:
        The expanded root, and the new elements by the ``id`` of their originals.
    """
    carriers = _carriers(form)
    twins: dict[int, Node] = {}
    if not carriers:
        return root, twins
    order: list[tuple[Any, Any]] = []  # an element, and the corresponding element of the document
    stack: list[tuple[Any, Any]] = [(root, None)]
    changed = set()
    fillers = {form.elements[default.source].cls for default in form.defaults}
    while stack:
        node, parent = stack.pop()
        if type(node) in carriers:
            changed.add(id(parent))
            stack.extend((child, parent) for child in _children_of_file(node))
        else:
            order.append((node, parent))
            stack.extend((child, node) for child in children_of(node))
    for node, parent in reversed(order):
        if id(node) in changed:
            changed.add(id(parent))
            children = [twins.get(id(child), child) for child in _flat(node, carriers)]
            twins[id(node)] = _with_children(node, children, fillers)
    return twins.get(id(root), root), twins


def clashes(root: Node, form: Format) -> Iterator[tuple[Element, Node, Node]]:
    """Children that a file adds where there already is one: the parent's row, the first and the second."""
    kinds = {row.cls: row for row in form.elements.values()}
    carriers = _carriers(form)
    stack: list[Any] = [root]
    while stack:
        node = stack.pop()
        if type(node) in carriers:
            stack.extend(_children_of_file(node))
            continue
        children = children_of(node)
        stack.extend(children)
        if any(type(child) in carriers for child in children):
            row = kinds[type(node)]
            once = {child.tag for child in row.children if child.high == 1 and not child.merge}
            first: dict[str, Node] = {}
            for child in _flat(node, carriers):
                if child.TAG in once and first.setdefault(child.TAG, child) is not child:
                    yield row, first[child.TAG], child


def _carriers(form: Format) -> set[type[Node]]:
    """The classes of elements that are replaced by the content of a file."""
    return {row.cls for row in form.elements.values() if row.include == SPLICE}


def _children_of_file(node: Any) -> tuple[Node, ...]:
    return () if node.content is None else tuple(children_of(node.content))


def _flat(node: Any, carriers: set[type[Node]]) -> Iterator[Node]:
    """The children of an element, including those from files, unchanged."""
    stack = list(reversed(children_of(node)))
    while stack:
        child = stack.pop()
        if type(child) in carriers:
            stack.extend(reversed(_children_of_file(child)))
        else:
            yield child


def _with_children(node: Node, children: list[Node], apart: set[type[Node]]) -> Node:
    """A copy of an element with these children; those that are allowed once are combined, except for those of
    the classes ``apart``.
    """
    copy = node.__copy__()
    single: dict[str, list[Node]] = {}
    kept: list[list[Node]] = []
    for child in children:
        if node.CHILDREN[child.TAG][1] or type(child) in apart:
            kept.append([child])
        elif child.TAG in single:
            single[child.TAG].append(child)
        else:
            single[child.TAG] = [child]
            kept.append(single[child.TAG])
    parts = [_merged(group, apart) if len(group) > 1 else group[0] for group in kept]
    list.__setitem__(all_children(copy), slice(None), parts)  # not checked: some kinds occur twice
    return copy


def _merged(group: list[Node], apart: set[type[Node]]) -> Node:
    """Elements of a kind combined: the last value of an attribute is used; the children are concatenated."""
    both = _with_children(group[0], [child for node in group for child in children_of(node)], apart)
    for node in group[1:]:
        for name in node.FIELDS:
            value = getattr(node, name)
            if value is not None:
                setattr(both, name, value)
    return both


@cache
def takes_files(form: Format) -> bool:
    """Whether elements of the format can include other files."""
    return any(row.include for row in form.elements.values())
