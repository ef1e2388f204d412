# cython: language_level=3, boundscheck=False, wraparound=False
"""The parser: converts tags to document nodes, by the tables of a format.

It reports every finding through `polybody.document.parser.messages` and continues. What is wrong with a
value, or where an attribute is located, is determined there and only for findings. Everything that depends on
other elements (defaults, rules between attributes, names) is left to `polybody.validation.checker`.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject

from polybody.document.namespaces import Namespaces
from polybody.document.parser import messages
from polybody.document.parser.messages import ANY_CHILD
from polybody.document.parser.tables import version_number

from polybody.document.parser.feed cimport Feed
from polybody.document.parser.memo cimport Memo
from polybody.document.parser.numbers cimport is_space
from polybody.document.parser.scan cimport Written, is_declaration, name_of, text_of
from polybody.base.slots cimport new_reference
from polybody.document.parser.forms cimport Field
from polybody.document.parser.tables cimport LEAF, MISTAKEN, Branch, Name, Shape, Table
from polybody.document.parser.tree_builder cimport Level, Text, add_piece, forget_text, read_text

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)

cdef enum:
    MAX_LOST = 10_000
    HEEDED = 1 << 14  # number of elements between checks for signals


@cython.final
cdef class Parse(Feed):
    """One parse of one source.

    Afterwards `root` is the document, or None if it could not be read. `poisoned` contains (id of node,
    field) of attributes that were written but are invalid. `lost` contains the values of unknown attributes,
    and of attributes of unknown elements: names among them are not reported as missing.
    """

    cdef readonly set poisoned
    cdef readonly set lost
    cdef list declared  # (depth of the parent, prefix) of namespace declarations in scope
    cdef dict prefixes  # number of declarations in scope, by prefix
    cdef set reported  # prefixes that have been reported
    cdef object includes
    cdef object files  # counts elements of all files of one document; or None
    cdef Shape* around  # the element whose children a part of a document contains; NULL: a whole document
    cdef int skipped
    cdef bint forgiven  # the skipped element is allowed by the policy: it has no effect
    cdef long long elements, most_elements
    cdef int most_depth
    cdef Memo memo
    cdef int version  # of the document
    cdef Field* leaf  # of the innermost element, whose child element is open; or NULL
    cdef long long leaf_position
    cdef Text leaf_text
    cdef object spaces  # the namespaces in scope, if the format's names are qualified; or None
    cdef list names  # pairs of an attribute's name and its name in the tables, for the current tag

    def __cinit__(self, Table table, source, findings, limits, includes=None, around=None, files=None):
        self.table, self.source, self.findings, self.includes = table, source, findings, includes
        self.around = NULL if around is None else &table.shapes[table.indices[around]]
        self.direct = table is not None and table.direct
        self.most_depth, self.most_elements = limits.depth, limits.elements
        self.most_attributes = limits.attributes
        self.files = files
        self.poisoned, self.lost, self.reported = set(), set(), set()
        self.declared, self.prefixes = [], {}
        self.memo = Memo(len(source.data))
        self.version = 0 if table is None else table.version
        self.spaces = Namespaces(table.format) if table is not None and table.format.qualified else None

    @property
    def included(self):
        """Whether any other file was requested."""
        return self.includes is not None and self.includes.used

    def __dealloc__(self):
        forget_text(&self.leaf_text)

    def run(self):
        """Parse the source to its end, or until continuing is pointless."""
        if self.files is not None:
            self.elements = self.files.elements
        self.feed()
        if self.files is not None:
            self.files.elements = self.elements
        if self.failure is not None:
            raise self.failure
        if self.malformed or self.given_up:
            self.root = None

    cdef bint keeps_text(self) noexcept:
        """Whether text of white space alone is significant at the current position."""
        cdef Shape* shape
        if self.leaf != NULL:
            return True
        if self.skipped or self.depth == 0:
            return False
        shape = self.levels[self.depth - 1].shape
        return shape.text != NULL or shape.untyped

    # --- elements -----------------------------------------------------------------------------------------

    cdef int start(self, const char* tag, Py_ssize_t length) except -1:
        cdef Shape* shape
        cdef int index
        self.elements += 1
        if self.elements % HEEDED == 0:  # expat takes long for one piece of text
            PyErr_CheckSignals()
        if self.depth + self.skipped >= self.most_depth:
            self.give_up(f"elements nested deeper than {self.most_depth:,}")
            return 0
        if self.elements > self.most_elements:
            self.give_up(f"more than {self.most_elements:,} elements")
            return 0
        if self.depth:
            self.levels[self.depth - 1].strayed = False
        if self.skipped:
            self.skipped += 1
            self.lose()
            return 0
        if self.leaf != NULL:
            messages.inside_leaf(
                self.findings, self.source, self.position(), self.leaf_path(), <object> self.leaf.row, tag[:length].decode())
            self.skipped, self.forgiven = 1, False
            self.stopped = self.findings.full
            self.lose()
            return 0
        self.forgiven = False
        if self.spaces is None:
            shape = self.expected(tag, length)
        else:
            known = self.resolve(tag[:length].decode())
            shape = self.expected(known, len(known))
        if self.leaf != NULL:
            self.open_leaf()
            return 0
        if shape == NULL:
            self.skipped = 1
            self.lose()
            self.stopped = self.findings.full
            return 0
        self.declare()
        self.open_level(shape, tag, length)
        if self.spaces is not None:
            self.spaces.enter()
            if not shape.untyped:
                self.resolve_attributes(<object> shape.row)
        if self.depth == 1 and self.around != NULL:
            return 0  # the root of a part is only a container
        if shape.unsupported and self.findings.takes("PB054"):
            messages.unsupported(self.findings, <object> self.levels[self.depth - 1].node, self.xpath(),
                                 <object> shape.row, None)
            self.stopped = self.findings.full
        if shape.prefix != NULL:
            self.demand(<str> shape.prefix, None)
        elif self.depth > 1 and shape.untyped and self.levels[self.depth - 2].shape.foreign:
            self.demand(tag[:length].decode().partition(":")[0], None)
        for index in range(self.scan.count):
            if self.stopped:
                break
            if shape.untyped:
                self.keep_attribute(&self.scan.attributes[index])
            else:
                self.attribute(shape, &self.scan.attributes[index])
        if self.depth == 1 and self.table.format.version_in:
            self.note_version()
        if shape.stands_for_file and self.includes is not None:
            self.bring()

    cdef void bring(self) except *:
        """Read the file that the open element refers to, as children of its parent."""
        cdef Level* level = &self.levels[self.depth - 1]
        cdef Level* parent = &self.levels[self.depth - 2]
        node = <object> level.node
        parent.lost = True  # missing children may be in the file
        self.files.elements = self.elements
        part = self.includes.bring(node, (<object> parent.shape.row).key, self.where)
        self.elements = self.files.elements
        node.content = None if part is None else part.root
        if part is not None:
            self.poisoned |= part.poisoned
            self.lost |= part.lost
        self.stopped = self.findings.full

    cdef void note_version(self) except *:
        """Store the version given by the root; elsewhere it has no effect."""
        node, form = self.root, self.table.format
        row = next(row for row in form.elements[form.root].attributes if row.name == form.version_in)
        text = getattr(node, row.field)
        if text is None:
            self.version = version_number(row.default or "") or self.table.version
            return
        number = version_number(text)
        if number == 0 or number > self.table.version or number < version_number(form.oldest):
            messages.version(self.findings, node, form, row, text)
        self.version = number or self.table.version

    cdef void date(self, int since, int until, object row, str tag, str name) except *:
        """Report an element or attribute that does not exist in the document's version."""
        if self.version < since or (until and self.version > until):
            what = f"<{tag}>" if name is None else f"`{name}`"
            messages.dated(
                self.findings, self.tag_span(), self.source, self.xpath(tag),
                self.table.format, row, what, self.version < since)
            self.stopped = self.findings.full

    cdef void lose(self) except *:
        """Store the values of attributes of an unknown element."""
        cdef int index
        if self.forgiven:
            return
        for index in range(self.scan.count):
            if len(self.lost) < MAX_LOST:
                self.lost.add(text_of(&self.scan.attributes[index]))

    # --- namespaces ---------------------------------------------------------------------------------------

    cdef bytes resolve(self, str written):
        """The tag in the tables for a qualified name."""
        cdef int index
        cdef dict declared = {}
        for index in range(self.scan.count):
            name = name_of(&self.scan.attributes[index])
            if name == "xmlns" or is_declaration(&self.scan.attributes[index]):
                declared[name[6:]] = text_of(&self.scan.attributes[index])
        parent = <object> self.levels[self.depth - 1].shape.row if self.depth else None
        known = self.spaces.tag(written, declared, parent)
        self.demand_prefixes(written)
        return known.encode()

    cdef int resolve_attributes(self, object row) except -1:
        """Replace the names of a tag's attributes by those in the tables."""
        cdef int index
        cdef bytes name
        cdef Written* written
        self.names = []
        for index in range(self.scan.count):
            written = &self.scan.attributes[index]
            known = name_of(written)
            if is_declaration(written) or known == "xmlns":
                continue
            name = self.spaces.attribute(known, row).encode()
            self.demand_prefixes(known)
            self.names.append((known, name))
            written.name, written.name_length = name, <int> len(name)

    cdef int demand_prefixes(self, str name) except -1:
        """Report undeclared prefixes of a name, once each."""
        for prefix in self.spaces.missing:
            if prefix not in self.reported:
                self.reported.add(prefix)
                messages.unbound(self.findings, self.tag_span(), self.source, self.xpath(), name, prefix)
                self.stopped = self.findings.full
        self.spaces.missing = []

    # --- prefixes -----------------------------------------------------------------------------------------

    cdef int declare(self) except -1:
        """Store the prefixes that a start tag declares, until its element ends."""
        cdef int index
        for index in range(self.scan.count):
            if is_declaration(&self.scan.attributes[index]):
                prefix = name_of(&self.scan.attributes[index])[6:]
                self.declared.append((self.depth, prefix))
                self.prefixes[prefix] = self.prefixes.get(prefix, 0) + 1

    cdef void demand(self, str prefix, str name) except *:
        """Report an undeclared prefix, once."""
        if prefix in self.reported or self.prefixes.get(prefix):
            return
        self.reported.add(prefix)
        node, where = <object> self.levels[self.depth - 1].node, self.xpath()
        if self.leaf != NULL:
            span, where, name = self.source.tag_span(self.leaf_position), self.leaf_path(), self.leaf_tag()
        elif name is None:
            span, name = node.span, node.TAG
        else:
            span, where = node.attribute_span(name), f"{where}/@{name}"
        messages.undeclared(self.findings, span, self.source, where, name, prefix, self.table.format)

    cdef Shape* expected(self, const char* tag, Py_ssize_t length) except? NULL:
        """The shape of an element that begins here; NULL, after a finding, if it is unknown or not
        allowed.
        """
        cdef Shape* parent
        cdef Name* entry
        cdef Branch* branch
        if self.table is None:
            return NULL
        if self.depth == 0:
            if self.around != NULL:
                return self.around
            entry = self.table.named(&self.table.roots, tag, length)
            if entry != NULL:
                return &self.table.shapes[entry.target]
            name = tag[:length].decode()
            meant = messages.wrong_root(self.findings, self.source, self.position(), self.table.format, name)
            if self.spaces is not None:
                self.spaces.mistake()
            return NULL if meant is None else &self.table.shapes[self.table.indices[meant]]
        level = &self.levels[self.depth - 1]
        parent = level.shape
        entry = self.table.named(&parent.tags, tag, length)
        if entry == NULL and parent.wild >= 0 and self.takes_others(level, tag[:length]):
            self.branch = parent.wild
            return &self.table.shapes[parent.branches[parent.wild].shape]
        if entry != NULL and entry.kind == LEAF:
            self.leaf = &parent.fields[entry.target]
            return NULL
        if entry == NULL:
            name = tag[:length].decode()
            template = name.partition(":")[0]
            if template in self.table.format.templates:
                level.lost = True
                self.poisoned.add((<size_t> level.node, ANY_CHILD))
                if template not in self.reported:
                    self.reported.add(template)
                    messages.template(self.findings, self.tag_span(), self.source, self.xpath(name), name,
                                      self.table.format.templates[template])
                return NULL
            where = self.xpath(name)
            self.forgiven = messages.unknown_element(
                self.findings, self.span_of("PB011", where), self.source, where, self.table.format,
                <object> parent.row, name)
            if not self.forgiven:
                level.lost = True
                self.poisoned.add((<size_t> level.node, ANY_CHILD))
            return NULL
        self.branch = entry.target
        branch = &parent.branches[entry.target]
        if self.count(level, entry.target)[0] >= branch.high:
            first = None if branch.many else <object> self.table.first(parent, level.node, entry.target)
            if first is not None and (branch.merge or branch.last or level.merged):
                if branch.last:
                    where = self.xpath(tag[:length].decode())
                    self.forgiven = messages.too_many(
                        self.findings, self.span_of("PB014", where), self.source, where, <object> parent.row,
                        <object> branch.row, first)
                    if not self.forgiven:
                        return NULL
                if branch.merge or branch.last:
                    self.source.continued.append(self.position())
                elif branch.lends:
                    self.source.refilled.append(self.position())
                self.reopened = <PyObject*> first  # its parent keeps it alive
                return &self.table.shapes[branch.shape]
            where = self.xpath(tag[:length].decode())
            self.forgiven = messages.too_many(
                self.findings, self.span_of("PB014", where), self.source, where, <object> parent.row,
                <object> branch.row, first)
            return NULL
        if branch.since or branch.until:
            self.date(branch.since, branch.until, <object> branch.row, tag[:length].decode(), None)
        return &self.table.shapes[branch.shape]

    cdef object span_of(self, str code, str where):
        """The position of the last tag; None if a finding there would not be shown."""
        return None if self.findings.unseen(code, where) else self.tag_span()

    cdef bint takes_others(self, Level* level, bytes tag) except -1:
        """Whether an element allows a child without a schema."""
        cdef Field* field
        if self.spaces is not None:
            if not self.spaces.allows(<object> level.shape.branches[level.shape.wild].row):
                return False
        elif level.shape.foreign:
            return self.table.is_foreign(tag)
        if level.shape.wild_when < 0:
            return True
        field = &level.shape.fields[level.shape.wild_when]
        return self.held(level.node, field.offset, field.name) != <PyObject*> None

    cdef int end(self) except -1:
        cdef Level* level
        cdef Shape* shape
        if self.skipped:
            self.skipped -= 1
            return 0
        if self.leaf != NULL:
            self.close_leaf()
            return 0
        level = &self.levels[self.depth - 1]
        shape = level.shape
        if shape.text != NULL:
            self.finish_text(level)
        elif shape.untyped:
            self.finish_untyped_text(self.depth - 1)
        if shape.has_content:
            self.check_content(level)
        elif shape.must_have_children and not level.lost and not (self.depth == 1 and self.around != NULL):
            self.check_children(level)
        if self.spaces is not None:
            self.spaces.leave()
            if shape.untyped and self.depth > 1 and not self.levels[self.depth - 2].shape.untyped:
                self.spaces.settle(<object> level.node)
        if shape.loads and self.includes is not None:
            self.files.elements = self.elements
            self.includes.load(<object> level.node, <object> shape.row, self.where)
            self.elements = self.files.elements
            self.stopped = self.findings.full
        self.close_level()
        if self.depth:
            self.levels[self.depth - 1].strayed = False
        while self.declared and self.declared[len(self.declared) - 1][0] >= self.depth:
            self.prefixes[self.declared.pop()[1]] -= 1

    cdef int check_children(self, Level* level) except -1:
        cdef int index
        for index in range(level.shape.branch_count):
            if self.count(level, index)[0] < level.shape.branches[index].low:
                messages.too_few(
                    self.findings, <object> level.node, self.xpath(), <object> level.shape.row,
                    <object> level.shape.branches[index].row, self.count(level, index)[0])
                self.stopped = self.findings.full

    cdef int check_content(self, Level* level) except -1:
        """Check the order of an element's children, if all of them are known."""
        if not level.lost:
            messages.content(self.findings, <object> level.node, self.xpath(), <object> level.shape.row)
            self.stopped = self.findings.full

    # --- leaves -------------------------------------------------------------------------------------------

    def where(self):
        """The XPath of the innermost open element."""
        return self.xpath()

    cdef str leaf_tag(self):
        return (<object> self.leaf.row).name

    cdef str leaf_path(self):
        return self.xpath(self.leaf_tag())

    cdef int open_leaf(self) except -1:
        """Begin a child element that has only text, which becomes a field of the innermost element."""
        cdef Field* field = self.leaf
        cdef PyObject* node = self.levels[self.depth - 1].node
        cdef int index
        self.leaf_position = self.position()
        forget_text(&self.leaf_text)
        if self.held(node, field.offset, field.name) != <PyObject*> None and not self.levels[self.depth - 1].merged:
            first = (<object> node).child_span(self.leaf_tag())
            messages.leaf_twice(self.findings, self.source, self.leaf_position, self.leaf_path(),
                                <object> self.levels[self.depth - 1].shape.row, <object> field.row, first)
            self.leaf, self.skipped, self.stopped = NULL, 1, self.findings.full
            return 0
        if field.prefix != NULL:
            self.demand(<str> field.prefix, None)
        if field.since or field.until:
            self.date(field.since, field.until, <object> field.row, self.leaf_tag(), None)
        if field.unsupported and self.findings.takes("PB054"):
            messages.unsupported_leaf(self.findings, self.tag_span(), self.source, self.leaf_path(),
                                      <object> field.row)
            self.stopped = self.findings.full
        for index in range(self.scan.count):
            if not is_declaration(&self.scan.attributes[index]):
                name = name_of(&self.scan.attributes[index])
                messages.attribute_of_leaf(self.findings, self.source, self.leaf_position, self.leaf_path(),
                                           <object> field.row, name,
                                           self.levels[self.depth - 1].shape.keeps
                                           and self.table.is_foreign(name.encode()))
                self.stopped = self.findings.full
        return 0

    cdef int close_leaf(self) except -1:
        """End a leaf, and store its value in the field."""
        cdef Field* field = self.leaf
        cdef PyObject* node = self.levels[self.depth - 1].node
        cdef Py_ssize_t length = 0
        cdef const char* text = read_text(&self.leaf_text, &length)
        cdef PyObject* value = self.memo.parse(field, text, length)
        self.levels[self.depth - 1].strayed = False
        if value == NULL:
            usable = messages.bad_leaf(self.findings, self.source.tag_span(self.leaf_position), self.source, self.leaf_path(),
                                       <object> field.row, text[:length].decode())
            self.stopped = self.findings.full
            if usable is None:
                self.poisoned.add((<size_t> node, <object> field.name))
                self.leaf = NULL
                return 0
            value = new_reference(usable)
        self.leaf = NULL
        self.put(node, field.offset, field.name, value)
        return 0

    # --- attributes and text ------------------------------------------------------------------------------

    cdef int attribute(self, Shape* shape, Written* written) except -1:
        cdef Name* entry = self.table.named(&shape.attributes, written.name, written.name_length)
        cdef PyObject* node = self.levels[self.depth - 1].node
        cdef PyObject* held
        cdef PyObject* value
        cdef Field* field
        if entry == NULL and shape.keeps and not is_declaration(written) and self.is_foreign(name_of(written)):
            self.keep_foreign(written)
            if self.spaces is not None and (<object> node).attributes:
                self.keep_qualified(<object> node, name_of(written))
            return 0
        if entry == NULL or entry.kind == MISTAKEN:
            meant = messages.unknown_attribute(
                self.findings, <object> node, self.xpath(), self.table.format, <object> shape.row, name_of(written))
            if meant is not None:
                self.poisoned.add((<size_t> node, meant))
                self.lost.add(text_of(written))
            self.stopped = self.findings.full
            return 0
        field = &shape.fields[entry.target]
        if field.prefix != NULL:
            self.demand(<str> field.prefix, name_of(written))
        if field.since or field.until:
            self.date(field.since, field.until, <object> field.row, None, name_of(written))
        if field.unsupported and self.findings.takes("PB054"):
            messages.unsupported(
                self.findings, <object> node, self.xpath(), <object> shape.row, <object> field.row)
            self.stopped = self.findings.full
        held = self.held(node, field.offset, field.name)
        if held != <PyObject*> None and not self.levels[self.depth - 1].merged:
            messages.twice(self.findings, <object> node, self.xpath(), <object> field.row)
            self.stopped = self.findings.full
            return 0
        value = self.memo.parse(field, written.text, written.length)
        if value == NULL:
            usable = messages.bad_value(
                self.findings, <object> node, self.xpath(), self.table.format, <object> shape.row,
                <object> field.row, name_of(written), PyUnicode_DecodeUTF8(written.text, written.length, NULL))
            self.stopped = self.findings.full
            if usable is None:
                self.poisoned.add((<size_t> node, <object> field.name))
                return 0
            value = new_reference(usable)
        self.put(node, field.offset, field.name, value)

    cdef int keep_qualified(self, node, str name) except -1:
        """Store the name of an attribute of another vocabulary as it is written."""
        for raw, known in self.names:
            if known.decode() == name:
                self.spaces.keep(node, name, raw)
                break
        return 0

    cdef bint is_foreign(self, str name) except -1:
        """Whether an attribute belongs to a namespace of which the format defines no names."""
        return self.table.is_foreign(name.encode()) if self.spaces is None else self.spaces.is_foreign(name)

    cdef int characters(self, const char* text, Py_ssize_t length) except -1:
        cdef Level* level
        cdef Py_ssize_t index = 0
        if self.skipped or self.depth == 0:
            return 0
        if self.leaf != NULL:
            return add_piece(&self.leaf_text, text, length, self.parser == NULL)
        level = &self.levels[self.depth - 1]
        if level.shape.text != NULL or level.shape.untyped:
            return add_piece(&level.text, text, length, self.parser == NULL)
        if level.strayed:
            return 0
        while index < length and is_space(text[index]):
            index += 1
        if index < length:
            level.strayed = True
            messages.stray_text(
                self.findings, self.source, self.position() + index, self.xpath(), self.table.format,
                <object> level.shape.row, text[index:length].decode("utf-8", "replace"))
            self.stopped = self.findings.full

    cdef int finish_text(self, Level* level) except -1:
        cdef Field* field = level.shape.text
        cdef Py_ssize_t length = 0, index = 0
        cdef const char* text = read_text(&level.text, &length)
        cdef PyObject* value
        while index < length and is_space(text[index]):
            index += 1
        if index == length and not field.required:
            return 0
        value = self.memo.parse(field, text, length)
        if value == NULL:
            usable = messages.bad_text(
                self.findings, <object> level.node, self.xpath(), <object> level.shape.row, text[:length].decode())
            self.stopped = self.findings.full
            if usable is None:
                self.poisoned.add((<size_t> level.node, "text"))
                return 0
            value = new_reference(usable)
        self.put(level.node, field.offset, field.name, value)
        return 0
