# cython: language_level=3, boundscheck=False, wraparound=False
"""The parse: expat's events against a format's tables, straight into document nodes.

It reports every finding through `polybody.reader.messages` and goes on; what is wrong with a value's text, or
where an attribute stands, is worked out there and only for findings. Whatever depends on other elements
(defaults, rules between attributes, names) is left to `polybody.reader.rules`.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from libc.string cimport strlen

from polybody.reader import messages
from polybody.reader.messages import ANY_CHILD
from polybody.reader.end_tags import WithoutCase
from polybody.reader.malformed import explain

from polybody.reader.expat cimport Expat, open_expat
from polybody.reader.memo cimport Memo
from polybody.reader.numbers cimport is_space
from polybody.reader.slots cimport new_reference
from polybody.reader.tables cimport MISTAKEN, Branch, Field, Name, Shape, Table
from polybody.reader.tree cimport Level, Tree

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept

cdef enum:
    CHUNK = 16 << 20  # at least twice the longest tag, which expat looks at again with each chunk
    MOST_LOST = 10_000

cdef const Expat* expat = open_expat()


cdef class Parse(Tree):
    """One parse of one source.

    Afterwards `root` is the document (None where nothing could be made of it), and `poisoned` holds (id of
    node, field) of attributes that were written but not understood, `lost` the values of attributes in
    elements and attributes that are unknown: names among them are not missing.
    """

    cdef readonly set poisoned
    cdef readonly set lost
    cdef list declared  # (depth, prefix) of namespace declarations in force
    cdef set told  # prefixes that were reported already
    cdef readonly bint malformed
    cdef readonly bint given_up
    cdef object findings, includes
    cdef Shape* around  # what a part of a document stands in, whose children it brings; NULL: a document
    cdef int skipped
    cdef long long elements, most_elements
    cdef int most_depth
    cdef bint stopped
    cdef object failure
    cdef Memo memo

    def __cinit__(self, Table table, source, findings, limits, includes=None, around=None):
        self.table, self.source, self.findings, self.includes = table, source, findings, includes
        self.around = NULL if around is None else &table.shapes[table.indices[around]]
        self.direct = table is not None and table.direct
        self.most_depth, self.most_elements = limits.depth, limits.elements
        self.poisoned, self.lost, self.told = set(), set(), set()
        self.declared = []
        self.memo = Memo()

    def run(self):
        """Parse the source to its end, or to where it makes no sense to go on."""
        self.feed()
        if self.failure is not None:
            raise self.failure
        if self.malformed or self.given_up:
            self.root = None

    cdef void feed(self) except *:
        cdef bytes data = self.source.data
        cdef const char* text = data
        cdef Py_ssize_t done = 0, size = len(data)
        cdef int chunk
        # The source's text is UTF-8 by now, whatever its declaration says.
        self.parser = expat.ParserCreate_MM("utf-8", NULL, NULL)
        if self.parser == NULL:
            raise MemoryError
        try:
            expat.SetUserData(self.parser, <void*> self)
            expat.SetElementHandler(self.parser, start_element, end_element)
            expat.SetCharacterDataHandler(self.parser, character_data)
            expat.SetStartDoctypeDeclHandler(self.parser, start_doctype)
            while not self.stopped:
                PyErr_CheckSignals()
                chunk = <int> min(<Py_ssize_t> CHUNK, size - done)
                if expat.Parse(self.parser, text + done, chunk, done + chunk == size) != 1:
                    if not self.stopped:
                        self.report_malformed()
                    return
                done += chunk
                if done == size:
                    return
        finally:
            expat.ParserFree(self.parser)
            self.parser = NULL

    cdef void report_malformed(self) except *:
        cdef int code = expat.GetErrorCode(self.parser)
        self.malformed = True
        reason = expat.ErrorString(code).decode()
        where, tags = self.position(), self.open_tags()
        explain(self.source, self.findings, code, reason, where, tags, self.leaves())

    cdef object leaves(self):
        """The tags of elements that take no others."""
        if self.table is None:
            return frozenset()
        rows = self.table.format.elements.values()
        leaves = frozenset(r.tag for r in rows) - frozenset(r.tag for r in rows if r.children)
        return WithoutCase(leaves) if self.table.folds else leaves

    # --- elements -----------------------------------------------------------------------------------------

    cdef int start(self, const char* tag, const char** attributes) except -1:
        cdef Shape* shape
        self.elements += 1
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
            self.lose(attributes)
            return 0
        shape = self.expected(tag)
        if shape == NULL:
            self.skipped = 1
            self.lose(attributes)
            self.stopped = self.findings.full
            return 0
        self.declare(attributes)
        self.open_level(shape, tag)
        if self.depth == 1 and self.around != NULL:
            return 0  # the root of a part only holds it together
        if shape.unsupported:
            messages.unsupported(self.findings, <object> self.levels[self.depth - 1].node, self.xpath(),
                                 <object> shape.row, None)
        if shape.prefix != NULL:
            self.demand(<str> shape.prefix, None)
        while attributes[0] != NULL and not self.stopped:
            if shape.untyped:
                self.keep_attribute(attributes[0], attributes[1])
            else:
                self.attribute(shape, attributes[0], attributes[1])
            attributes += 2
        if shape.stands_for_file and self.includes is not None:
            self.bring()

    cdef void bring(self) except *:
        """Read the file that the open element stands for, as children of the element around it."""
        cdef Level* level = &self.levels[self.depth - 1]
        cdef Level* parent = &self.levels[self.depth - 2]
        node = <object> level.node
        parent.lost = True  # what seems missing may be in the file
        part = self.includes.bring(node, (<object> parent.shape.row).key, self.xpath())
        node.content = None if part is None else part.root
        if part is not None:
            self.poisoned |= part.poisoned
            self.lost |= part.lost
            self.stopped = self.findings.full

    cdef void lose(self, const char** attributes) except *:
        """Remember the values of attributes that are not understood."""
        while attributes[0] != NULL and len(self.lost) < MOST_LOST:
            self.lost.add(attributes[1].decode("utf-8", "replace"))
            attributes += 2

    # --- prefixes -----------------------------------------------------------------------------------------

    cdef int declare(self, const char** attributes) except -1:
        """Remember the prefixes that a start tag declares, until its element ends."""
        while attributes[0] != NULL:
            if attributes[0][0] == c"x" and attributes[0][:6] == b"xmlns:":
                self.declared.append((self.depth, attributes[0][6:].decode()))
            attributes += 2

    cdef void demand(self, str prefix, str name) except *:
        """Report, once, a prefix that is used and not declared."""
        if prefix in self.told or prefix in [known for _, known in self.declared]:
            return
        self.told.add(prefix)
        messages.undeclared(
            self.findings, <object> self.levels[self.depth - 1].node, self.xpath(), name, prefix,
            self.table.format)

    cdef void give_up(self, str what) except *:
        self.stopped = self.given_up = True
        messages.limit(self.findings, self.source, self.position(), what)

    cdef Shape* expected(self, const char* tag) except? NULL:
        """What an element that begins here is; NULL, after a finding, where it is not understood."""
        cdef Shape* parent
        cdef Name* entry
        cdef Branch* branch
        cdef Py_ssize_t length = strlen(tag)
        cdef Py_ssize_t count
        cdef PyObject* held
        if self.table is None:
            return NULL
        if self.depth == 0:
            if self.around != NULL:
                return self.around
            entry = self.table.named(&self.table.roots, tag, length)
            if entry != NULL:
                return &self.table.shapes[entry.target]
            name = tag.decode()
            meant = messages.wrong_root(self.findings, self.source, self.position(), self.table.format, name)
            return NULL if meant is None else &self.table.shapes[self.table.indices[meant]]
        level = &self.levels[self.depth - 1]
        parent = level.shape
        entry = self.table.named(&parent.tags, tag, length)
        if entry == NULL and parent.wild >= 0:
            self.branch = &parent.branches[parent.wild]
            self.note_order(level, parent.wild)
            return &self.table.shapes[self.branch.shape]
        self.branch = NULL if entry == NULL else &parent.branches[entry.target]
        if entry == NULL:
            name = tag.decode()
            level.lost = True
            self.poisoned.add((<size_t> level.node, ANY_CHILD))
            template = name.partition(":")[0]
            if template in self.table.format.templates:
                if template not in self.told:
                    self.told.add(template)
                    messages.template(self.findings, self.source, self.position(), self.xpath(name), name,
                                      self.table.format.templates[template])
                return NULL
            messages.unknown_element(
                self.findings, self.source, self.position(), self.xpath(name), self.table.format,
                <object> parent.row, name)
            return NULL
        branch = self.branch
        held = self.held(level.node, branch.offset, branch.name)
        if branch.many:
            count = 0 if held == NULL else PyList_GET_SIZE(held)
        else:
            count = held != <PyObject*> None
        if count >= branch.high:
            if not branch.many and (branch.merge or level.merged):
                self.reopened = held
                return &self.table.shapes[branch.shape]
            messages.too_many(
                self.findings, self.source, self.position(), self.xpath(tag.decode()), <object> parent.row,
                <object> branch.row, None if branch.many else <object> held)
            return NULL
        self.note_order(level, entry.target)
        return &self.table.shapes[branch.shape]

    cdef int end(self) except -1:
        cdef Level* level
        cdef Shape* shape
        if self.skipped:
            self.skipped -= 1
            return 0
        level = &self.levels[self.depth - 1]
        shape = level.shape
        if shape.text != NULL:
            self.finish_text(level)
        elif shape.untyped:
            self.finish_untyped_text(self.depth - 1)
        if shape.must_have_children and not level.lost and not (self.depth == 1 and self.around != NULL):
            self.check_children(level)
        self.close_level()
        if self.depth:
            self.levels[self.depth - 1].strayed = False
        if self.declared:
            self.declared = [entry for entry in self.declared if entry[0] < self.depth]

    cdef int check_children(self, Level* level) except -1:
        cdef int index
        cdef Branch* branch
        cdef PyObject* held
        cdef Py_ssize_t count
        for index in range(level.shape.branch_count):
            branch = &level.shape.branches[index]
            held = self.held(level.node, branch.offset, branch.name)
            if held == NULL or held == <PyObject*> None:
                count = 0
            else:
                count = PyList_GET_SIZE(held) if branch.many else 1
            if count < branch.low:
                messages.too_few(
                    self.findings, <object> level.node, self.xpath(), <object> level.shape.row,
                    <object> branch.row, count)

    # --- attributes and text ------------------------------------------------------------------------------

    cdef int attribute(self, Shape* shape, const char* name, const char* text) except -1:
        cdef Name* entry = self.table.named(&shape.attributes, name, strlen(name))
        cdef PyObject* node = self.levels[self.depth - 1].node
        cdef PyObject* held
        cdef PyObject* value
        cdef Field* field
        if entry == NULL or entry.kind == MISTAKEN:
            meant = messages.unknown_attribute(
                self.findings, <object> node, self.xpath(), self.table.format, <object> shape.row, name.decode())
            if meant is not None:
                self.poisoned.add((<size_t> node, meant))
                self.lost.add(text.decode("utf-8", "replace"))
            self.stopped = self.findings.full
            return 0
        field = &shape.fields[entry.target]
        if field.prefix != NULL:
            self.demand(<str> field.prefix, name.decode())
        if field.unsupported:
            messages.unsupported(
                self.findings, <object> node, self.xpath(), <object> shape.row, <object> field.row)
        held = self.held(node, field.offset, field.name)
        if held != <PyObject*> None and not self.levels[self.depth - 1].merged:
            messages.twice(self.findings, <object> node, self.xpath(), <object> field.row)
            return 0
        value = self.memo.parse(field, text)
        if value == NULL:
            usable = messages.bad_value(
                self.findings, <object> node, self.xpath(), <object> shape.row, <object> field.row,
                name.decode(), PyUnicode_DecodeUTF8(text, strlen(text), NULL))
            self.stopped = self.findings.full
            if usable is None:
                self.poisoned.add((<size_t> node, <object> field.name))
                return 0
            value = new_reference(usable)
        self.put(node, field.offset, field.name, value)

    cdef void keep_attribute(self, const char* name, const char* text) except *:
        node = <object> self.levels[self.depth - 1].node
        node.attributes[self.spelt(name)] = text.decode()

    cdef int characters(self, const char* text, int length) except -1:
        cdef Level* level
        cdef int index = 0
        if self.skipped or self.depth == 0:
            return 0
        level = &self.levels[self.depth - 1]
        if level.shape.text != NULL or level.shape.untyped:
            if level.text == NULL:
                level.text = new_reference(bytearray())
            (<object> level.text).extend(text[:length])
            return 0
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

    cdef void finish_text(self, Level* level) except *:
        cdef Field* field = level.shape.text
        cdef bytes text = b"" if level.text == NULL else bytes(<object> level.text)
        cdef PyObject* value
        if not text.strip(b" \t\r\n") and not field.required:
            return
        value = self.memo.parse(field, text)
        if value == NULL:
            usable = messages.bad_text(
                self.findings, <object> level.node, self.xpath(), <object> level.shape.row, text.decode())
            if usable is None:
                self.poisoned.add((<size_t> level.node, "text"))
                return
            value = new_reference(usable)
        self.put(level.node, field.offset, field.name, value)


# expat calls these; an exception must not pass through it and is raised when it has returned.

cdef void start_element(void* user, const char* tag, const char** attributes) noexcept:
    parse = <Parse> user
    if not parse.stopped:
        try:
            parse.start(tag, attributes)
        except BaseException as error:
            parse.stopped, parse.failure = True, error


cdef void end_element(void* user, const char* tag) noexcept:
    parse = <Parse> user
    if not parse.stopped:
        try:
            parse.end()
        except BaseException as error:
            parse.stopped, parse.failure = True, error


cdef void character_data(void* user, const char* text, int length) noexcept:
    parse = <Parse> user
    if not parse.stopped:
        try:
            parse.characters(text, length)
        except BaseException as error:
            parse.stopped, parse.failure = True, error


cdef void start_doctype(
        void* user, const char* name, const char* system, const char* public, int has_subset) noexcept:
    parse = <Parse> user
    if not parse.stopped:
        # Never reached: sources refuse a document type before the parse. Kept lest a change there opens it.
        parse.stopped = True
        parse.failure = AssertionError("a document type declaration reached the parser")
