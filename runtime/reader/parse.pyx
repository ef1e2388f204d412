# cython: language_level=3, boundscheck=False, wraparound=False
"""The parse: expat's events against a format's tables, straight into document nodes.

It reports every finding through `polybody.reader.messages` and goes on; what is wrong with a value's text, or
where an attribute stands, is worked out there and only for findings. Whatever depends on other elements
(defaults, rules between attributes, names) is left to `polybody.reader.rules`.
"""

import gc

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.stdint cimport uint32_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memchr, memcmp, memcpy, strlen

from polybody.reader import messages
from polybody.reader.messages import ANY_CHILD
from polybody.reader.malformed import explain

from polybody.reader.expat cimport Expat, open_expat
from polybody.reader.numbers cimport hash_bytes, is_space
from polybody.reader.slots cimport set_slot, slot_at
from polybody.reader.tables cimport MISTAKEN, Branch, Field, Form, Name, Shape, Table, find, parse_form

cdef extern from "Python.h":
    PyObject* PyLong_FromLongLong(long long) except NULL
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    int PyList_Append(PyObject*, PyObject*) except -1
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept

cdef extern from *:
    """
    #define new_reference(o) (Py_INCREF(o), (PyObject *)(o))
    """
    PyObject* new_reference(object) noexcept

cdef enum:
    CHUNK = 16 << 20  # at least twice the longest tag, which expat looks at again with each chunk
    MEMO_SIZE = 4096
    MEMO_TEXT = 40
    COLUMN_BITS = 30
    FIRST_LEVELS = 64
    MOST_LOST = 10_000

cdef struct Level:  # an open element
    Shape* shape
    PyObject* node
    PyObject* order  # bytearray of the children's tags, once they are interleaved; owned
    PyObject* text  # bytearray of the text so far; owned
    int last  # index of the tag of the last child
    bint lost  # something below was not understood: what seems missing may be that
    bint merged  # the element was there already, and this is more of it
    long long first  # the position of a merged element, where it stands first
    bint strayed  # stray text since the last tag was reported

cdef struct Memo:  # a value parsed before; documents repeat themselves, and tuples are immutable
    Form* form
    PyObject* value
    uint32_t hash
    int length
    char text[MEMO_TEXT]

cdef const Expat* expat = open_expat()


# --- the garbage collector -------------------------------------------------------------------------------
# Nothing that a parse allocates can become garbage before it ends, and looking for it costs more than the
# parse. Reads may nest and run in threads: the first to begin turns the collector off, the last to end turns
# it on again.

cdef int reading = 0
cdef bint was_enabled = False


class CollectorPaused:
    """Context in which the garbage collector rests."""

    def __enter__(self):
        global reading, was_enabled
        if reading == 0:
            was_enabled = gc.isenabled()
            gc.disable()
        reading += 1

    def __exit__(self, *exception):
        global reading
        reading -= 1
        if reading == 0 and was_enabled:
            gc.enable()


# --- the parse -------------------------------------------------------------------------------------------

cdef class Parse:
    """One parse of one source.

    Afterwards `root` is the document (None where nothing could be made of it), and `poisoned` holds (id of
    node, field) of attributes that were written but not understood, `lost` the values of attributes in
    elements and attributes that are unknown: names among them are not missing.
    """

    cdef readonly object root
    cdef readonly set poisoned
    cdef readonly set lost
    cdef list declared  # (depth, prefix) of namespace declarations in force
    cdef set told  # prefixes that were reported already
    cdef readonly bint malformed
    cdef readonly bint given_up
    cdef object source, findings, includes
    cdef Table table
    cdef bint direct
    cdef Shape* around  # what a part of a document stands in, whose children it brings; NULL: a document
    cdef PyObject* reopened  # the element that the next level is more of, borrowed
    cdef Level* levels
    cdef int capacity, depth, skipped
    cdef long long elements, most_elements
    cdef int most_depth
    cdef Branch* branch  # of the parent, for the element that is about to be opened
    cdef bint stopped
    cdef object failure
    cdef void* parser
    cdef Memo* memo

    def __cinit__(self, Table table, source, findings, limits, includes=None, around=None):
        self.table, self.source, self.findings, self.includes = table, source, findings, includes
        self.around = NULL if around is None else &table.shapes[table.indices[around]]
        self.direct = table is not None and table.direct
        self.most_depth, self.most_elements = limits.depth, limits.elements
        self.poisoned, self.lost, self.told = set(), set(), set()
        self.declared = []
        self.capacity = FIRST_LEVELS
        self.levels = <Level*> calloc(self.capacity, sizeof(Level))
        self.memo = <Memo*> calloc(MEMO_SIZE, sizeof(Memo))
        if self.levels == NULL or self.memo == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int index
        if self.levels != NULL:
            for index in range(self.depth):
                Py_XDECREF(self.levels[index].order)
                Py_XDECREF(self.levels[index].text)
            free(self.levels)
        if self.memo != NULL:
            for index in range(MEMO_SIZE):
                Py_XDECREF(self.memo[index].value)
            free(self.memo)

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
        cdef int index
        self.malformed = True
        open_tags = []
        for index in range(self.depth):
            node = <object> self.levels[index].node
            open_tags.append((node.TAG, node._position))
        reason = expat.ErrorString(code).decode()
        explain(self.source, self.findings, code, reason, self.position(), open_tags, self.leaves())

    cdef object leaves(self):
        """The tags of elements that take no others."""
        if self.table is None:
            return frozenset()
        rows = self.table.format.elements.values()
        return frozenset(r.tag for r in rows) - frozenset(r.tag for r in rows if r.children)

    cdef long long position(self) noexcept:
        return (<long long> expat.GetErrorLineNumber(self.parser) << COLUMN_BITS) | (
            <long long> expat.GetErrorColumnNumber(self.parser))

    cdef str xpath(self, str tag=None):
        """Where in the tree the parse is, or an element of this tag below it would be."""
        steps = []
        cdef int index
        cdef Level* level
        for index in range(self.depth):
            level = &self.levels[index]
            step = (<object> level.node).TAG
            if index:
                steps.append(messages.step(step, self.count_in(&self.levels[index - 1], step)))
            else:
                steps.append(messages.step(step, None))
        if tag is not None:
            steps.append(messages.step(tag, None))
        return messages.xpath(steps)

    cdef object count_in(self, Level* parent, str step):
        """How many children of a tag the parent has; None where it takes but one."""
        cdef bytes tag = step.encode()
        cdef Name* entry = find(&parent.shape.tags, tag, len(tag))
        cdef Branch* branch
        if entry == NULL:
            return [child.tag for child in (<object> parent.node).elements].count(step)
        branch = &parent.shape.branches[entry.target]
        if not branch.many:
            return None
        held = self.table.children_of(parent.node, branch, False)
        return len(held) if held is not None else 0

    # --- elements -----------------------------------------------------------------------------------------

    cdef void start(self, const char* tag, const char** attributes) except *:
        cdef Shape* shape
        self.elements += 1
        if self.depth + self.skipped >= self.most_depth:
            self.give_up(f"elements nested deeper than {self.most_depth:,}")
            return
        if self.elements > self.most_elements:
            self.give_up(f"more than {self.most_elements:,} elements")
            return
        if self.depth:
            self.levels[self.depth - 1].strayed = False
        if self.skipped:
            self.skipped += 1
            self.lose(attributes)
            return
        shape = self.expected(tag)
        if shape == NULL:
            self.skipped = 1
            self.lose(attributes)
            self.stopped = self.findings.full
            return
        self.declare(attributes)
        self.open_level(shape, tag)
        if self.depth == 1 and self.around != NULL:
            return  # the root of a part only holds it together
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

    cdef void declare(self, const char** attributes) except *:
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
            shape = self.table.root
            if shape.tag_length == length and memcmp(shape.tag, tag, length) == 0:
                return shape
            row, name = <object> shape.row, tag.decode()
            meant = messages.wrong_root(self.findings, self.source, self.position(), row, name)
            return shape if meant else NULL
        level = &self.levels[self.depth - 1]
        parent = level.shape
        entry = find(&parent.tags, tag, length)
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

    cdef void note_order(self, Level* level, int index) except *:
        """Remember the order of children once it is not that of the schema."""
        cdef int other
        cdef Branch* branch
        cdef PyObject* held
        if level.order == NULL:
            if index >= level.last:
                level.last = index
                return
            order = bytearray()
            for other in range(level.shape.branch_count):
                branch = &level.shape.branches[other]
                held = self.held(level.node, branch.offset, branch.name)
                if held != NULL and held != <PyObject*> None:
                    order.extend(bytes((other,)) * (PyList_GET_SIZE(held) if branch.many else 1))
            level.order = new_reference(order)
        (<object> level.order).append(index)

    cdef void open_level(self, Shape* shape, const char* tag) except *:
        """Make the node, hang it into its parent, and open its level; or open once more what was there."""
        cdef Level* level
        cdef Branch* branch
        if self.reopened != NULL:
            self.open_again(shape)
            return
        node = self.table.new_node(shape)
        if shape.untyped:
            node.tag, node.attributes = tag.decode(), {}
        cdef PyObject* made = <PyObject*> node
        if self.direct:
            self.place(made)
        else:
            node._source, node._position = self.source, self.position()
        if self.depth == 0:
            self.root = node
        else:
            level = &self.levels[self.depth - 1]
            branch = self.branch
            if branch.many:
                self.table.children_of(level.node, branch, True).append(node)
            else:
                self.put(level.node, branch.offset, branch.name, new_reference(node))
        self.push_level(shape, made)
        if self.depth > 1 and shape.untyped:
            self.finish_untyped_text(self.depth - 2)

    cdef Level* push_level(self, Shape* shape, PyObject* node) except NULL:
        cdef Level* level
        if self.depth == self.capacity:
            self.grow()
        level = &self.levels[self.depth]
        level.shape, level.node = shape, node
        level.order = level.text = NULL
        level.last = 0
        level.lost = level.strayed = level.merged = False
        self.depth += 1
        return level

    cdef void open_again(self, Shape* shape) except *:
        """Open an element that was there already; while it is open, its position is that of this tag."""
        cdef Level* level = self.push_level(shape, self.reopened)
        cdef int index
        cdef Branch* branch
        cdef PyObject* held
        self.reopened = NULL
        node = <object> level.node
        level.merged, level.first = True, node._position
        node._position = self.position()
        if node._order is not None:
            level.order = new_reference(bytearray(node._order))
            return
        for index in range(shape.branch_count):
            branch = &shape.branches[index]
            held = self.table.peek(level.node, branch.offset, branch.name)
            if held != NULL and held != <PyObject*> None:
                level.last = index

    cdef void grow(self) except *:
        cdef Level* more = <Level*> realloc(self.levels, 2 * self.capacity * sizeof(Level))
        if more == NULL:
            raise MemoryError
        self.levels = more
        self.capacity *= 2

    cdef inline PyObject* held(self, PyObject* node, Py_ssize_t offset, PyObject* name):
        """What a slot holds, borrowed; NULL where it is empty."""
        return slot_at(node, offset)[0] if self.direct else self.table.peek(node, offset, name)

    cdef inline int put(self, PyObject* node, Py_ssize_t offset, PyObject* name, PyObject* value) except -1:
        """Set a slot, taking over the reference to the value."""
        if self.direct:
            set_slot(node, offset, value)
        else:
            self.table.put(node, offset, name, value)
        return 0

    cdef void place(self, PyObject* node) except *:
        """Give a node its source and position."""
        set_slot(node, self.table.source_offset, new_reference(self.source))
        set_slot(node, self.table.position_offset, PyLong_FromLongLong(self.position()))

    cdef void end(self) except *:
        cdef Level* level
        cdef Shape* shape
        if self.skipped:
            self.skipped -= 1
            return
        level = &self.levels[self.depth - 1]
        shape = level.shape
        if shape.text != NULL:
            self.finish_text(level)
        elif shape.untyped:
            self.finish_untyped_text(self.depth - 1)
        if shape.must_have_children and not level.lost and not (self.depth == 1 and self.around != NULL):
            self.check_children(level)
        if level.merged:
            node = <object> level.node
            node._position = level.first
        if level.order != NULL:
            node = <object> level.node
            node._order = bytes(<object> level.order)
        Py_XDECREF(level.order)
        Py_XDECREF(level.text)
        self.depth -= 1
        if self.depth:
            self.levels[self.depth - 1].strayed = False
        if self.declared:
            self.declared = [entry for entry in self.declared if entry[0] < self.depth]

    cdef void check_children(self, Level* level) except *:
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

    cdef void attribute(self, Shape* shape, const char* name, const char* text) except *:
        cdef Name* entry = find(&shape.attributes, name, strlen(name))
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
            return
        field = &shape.fields[entry.target]
        if field.prefix != NULL:
            self.demand(<str> field.prefix, name.decode())
        if field.unsupported:
            messages.unsupported(
                self.findings, <object> node, self.xpath(), <object> shape.row, <object> field.row)
        held = self.held(node, field.offset, field.name)
        if held != <PyObject*> None and not self.levels[self.depth - 1].merged:
            messages.twice(self.findings, <object> node, self.xpath(), <object> field.row)
            return
        value = self.parse(field, text)
        if value == NULL:
            usable = messages.bad_value(
                self.findings, <object> node, self.xpath(), <object> shape.row, <object> field.row,
                name.decode(), PyUnicode_DecodeUTF8(text, strlen(text), NULL))
            self.stopped = self.findings.full
            if usable is None:
                self.poisoned.add((<size_t> node, <object> field.name))
                return
            value = new_reference(usable)
        self.put(node, field.offset, field.name, value)

    cdef void keep_attribute(self, const char* name, const char* text) except *:
        node = <object> self.levels[self.depth - 1].node
        node.attributes[name.decode()] = text.decode()

    cdef PyObject* parse(self, Field* field, const char* text) except? NULL:
        """The value of an attribute's text in the first form that takes it, as a new reference, or NULL."""
        cdef Py_ssize_t length = strlen(text)
        cdef uint32_t hash = 0
        cdef Memo* memo = NULL
        cdef PyObject* value
        cdef int index
        if length <= MEMO_TEXT:
            hash = hash_bytes(text, length)
            memo = &self.memo[(hash ^ <uint32_t> (<size_t> field.forms >> 4)) & (MEMO_SIZE - 1)]
            if memo.form == field.forms and memo.hash == hash and memo.length == length and (
                    memcmp(memo.text, text, length) == 0):
                return new_reference(<object> memo.value)
        for index in range(field.form_count):
            value = parse_form(&field.forms[index], text, length)
            if value != NULL:
                if memo != NULL:
                    Py_XDECREF(memo.value)
                    memo.value = new_reference(<object> value)
                    memo.form, memo.hash, memo.length = field.forms, hash, <int> length
                    memcpy(memo.text, text, length)
                return value
        return NULL

    cdef void characters(self, const char* text, int length) except *:
        cdef Level* level
        cdef int index = 0
        if self.skipped or self.depth == 0:
            return
        level = &self.levels[self.depth - 1]
        if level.shape.text != NULL or level.shape.untyped:
            if level.text == NULL:
                level.text = new_reference(bytearray())
            (<object> level.text).extend(text[:length])
            return
        if level.strayed:
            return
        while index < length and is_space(text[index]):
            index += 1
        if index < length:
            level.strayed = True
            messages.stray_text(
                self.findings, self.source, self.position() + index, self.xpath(), self.table.format,
                <object> level.shape.row, text[index:length].decode("utf-8", "replace"))
            self.stopped = self.findings.full

    cdef void finish_untyped_text(self, int index) except *:
        """Give the text collected in an untyped element to it, or to its last child as what follows that."""
        cdef Level* level = &self.levels[index]
        if level.text == NULL or not level.shape.untyped:
            return
        node = <object> level.node
        text = bytes(<object> level.text).decode()
        (<object> level.text).clear()
        if not text.strip(" \t\r\n"):
            return
        # A child that has just begun is the last one already: before it stood the tail of the one before.
        cdef Py_ssize_t last = len(node.elements) - (2 if index < self.depth - 1 else 1)
        if last >= 0:
            node.elements[last].tail = text
        else:
            node.text = text

    cdef void finish_text(self, Level* level) except *:
        cdef Field* field = level.shape.text
        cdef bytes text = b"" if level.text == NULL else bytes(<object> level.text)
        cdef PyObject* value
        if not text.strip(b" \t\r\n") and not field.required:
            return
        value = self.parse(field, text)
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
