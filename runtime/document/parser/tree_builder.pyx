# cython: language_level=3, boundscheck=False, wraparound=False
"""The tree of a document under construction: the open elements and their nodes.

The subclasses check what is allowed where; this module accepts everything.
"""

from bisect import bisect_left
from collections import Counter

from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from polybody.base import children_of, held
from polybody.document.parser import messages

from polybody.document.parser.expat cimport Expat, open_expat
from polybody.document.parser.scan cimport Scan, Written, name_of, text_of
from polybody.base.children cimport Kinds, kind_of
from polybody.base.slots cimport new_reference, set_slot, slot_at
from polybody.document.parser.tables cimport LEAF, Name, Shape

cdef extern from "Python.h":
    PyObject* PyLong_FromLongLong(long long) except NULL
    char* PyByteArray_AS_STRING(object) noexcept
    Py_ssize_t PyByteArray_GET_SIZE(object) noexcept
    int PyList_Append(object, object) except -1

cdef enum:
    COLUMN_BITS = 30
    FIRST_LEVELS = 64

cdef const Expat* expat = open_expat()
cdef const char* NO_TEXT = ""


cdef class Tree:
    """The open elements, outermost first; `root` is the first of all."""

    def __cinit__(self):
        self.scan = Scan()
        self.counted, self.steps, self.merged, self.added = {}, {}, {}, {}
        self.capacity = FIRST_LEVELS
        self.levels = <Level*> calloc(self.capacity, sizeof(Level))
        if self.levels == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int index
        if self.levels != NULL:
            for index in range(self.depth):
                forget_text(&self.levels[index].text)
            free(self.levels)
        free(self.counts)

    # --- positions --------------------------------------------------------------------------------------

    cdef long long position(self) noexcept:
        """The position of the last event, in the encoding of nodes."""
        if self.parser == NULL:
            return (self.scan.begin_line << COLUMN_BITS) | (self.scan.begin - self.scan.begin_line_start)
        cdef long long line = expat.GetErrorLineNumber(self.parser)
        cdef long long column = expat.GetErrorColumnNumber(self.parser)
        if self.added:
            column -= bisect_left(self.added.get(line, ()), column)
        return (line << COLUMN_BITS) | column

    @property
    def innermost(self):
        """The innermost open element, or None."""
        return <object> self.levels[self.depth - 1].node if self.depth else None

    cdef object open_tags(self):
        """The tags of the open elements, with their positions."""
        tags = []
        cdef int index
        for index in range(self.depth):
            node = <object> self.levels[index].node
            tags.append((node.TAG, node._position))
        return tags

    cdef str xpath(self, str tag=None):
        """The XPath of the current position, or of a child with this tag."""
        steps = []
        cdef int index, count = self.depth + (tag is not None)
        for index in messages.shown(count):
            if index < self.depth:
                steps.append(self.step(index))
        if tag is not None:
            steps.append(messages.step(tag, None))
        return messages.xpath(steps, count)

    cdef str step(self, int index):
        """The XPath step of an open element; cached, because many findings share those of the outer
        elements.
        """
        cdef PyObject* node = self.levels[index].node
        known = self.steps.get(index)
        if known is not None and <PyObject*> known[0] == node:
            return known[1]
        tag = (<object> node).TAG
        step = messages.step(tag, self.count_in(index - 1, tag) if index else None)
        self.steps[index] = <object> node, step
        return step

    cdef str spelt(self, bytes name):
        """A name that is not in the tables; in lower case if case is not significant."""
        return name.lower().decode() if self.table.folds else name.decode()

    cdef object count_in(self, int index, str step):
        """The number of children with a tag that an open element has; None if it allows only one."""
        cdef Level* parent = &self.levels[index]
        cdef bytes tag = step.encode()
        cdef Name* entry = self.table.named(&parent.shape.tags, tag, len(tag))
        if entry != NULL and entry.kind == LEAF:
            return None
        if entry == NULL:
            return self.count_untyped(index, <object> parent.node)[step]
        return self.count(parent, entry.target)[0] if parent.shape.branches[entry.target].many else None

    cdef object count_untyped(self, int index, node):
        """The number of children without a schema by tag, of an open element; each child is counted only
        once.
        """
        met, done, counts = self.counted.get(index, (None, 0, None))
        if met is not node:
            done, counts = 0, Counter()
        elements = held(node, "elements")
        counts.update([child.tag for child in elements[done:]])
        self.counted[index] = node, len(elements), counts
        return counts

    # --- levels -----------------------------------------------------------------------------------------

    cdef int* count(self, Level* level, int branch) noexcept:
        """The number of children of a kind that an open element has."""
        return &self.counts[level.counts + branch]

    cdef int open_level(self, Shape* shape, const char* tag, Py_ssize_t length) except -1:
        """Create the node, add it to its parent, and open its level; or reopen the element that it is merged
        into.
        """
        cdef Level* level
        if self.reopened != NULL:
            self.open_again(shape)
            return 0
        node = self.table.new_node(shape)
        if shape.untyped:
            node.tag, node.attributes = self.spelt(tag[:length]), {}
        cdef PyObject* made = <PyObject*> node
        if self.direct:
            self.place(made)
        else:
            node._source, node._position = self.source, self.position()
        if self.depth == 0:
            self.root = node
        else:
            level = &self.levels[self.depth - 1]
            PyList_Append(self.table.children_for(level.shape, level.node), node)
            self.count(level, self.branch)[0] += 1
        self.push_level(shape, made)
        if self.depth > 1 and shape.untyped:
            self.finish_untyped_text(self.depth - 2)

    cdef Level* push_level(self, Shape* shape, PyObject* node) except NULL:
        cdef Level* level
        if self.depth == self.capacity:
            self.grow()
        level = &self.levels[self.depth]
        level.shape, level.node = shape, node
        level.text.begin, level.text.length, level.text.more = NULL, 0, NULL
        level.counts = 0
        if self.depth:
            level.counts = self.levels[self.depth - 1].counts + self.levels[self.depth - 1].shape.branch_count
        if level.counts + shape.branch_count > self.counts_capacity:
            self.grow_counts(level.counts + shape.branch_count)
        memset(&self.counts[level.counts], 0, shape.branch_count * sizeof(int))
        level.lost = level.strayed = level.merged = False
        self.depth += 1
        return level

    cdef int open_again(self, Shape* shape) except -1:
        """Reopen an element; while it is open, its position is that of this tag."""
        cdef Level* level = self.push_level(shape, self.reopened)
        cdef int kind
        self.reopened = NULL
        node = <object> level.node
        level.merged, level.first = True, node._position
        node._position = self.position()
        known = self.merged.get(<size_t> level.node)
        if known is not None:
            memcpy(&self.counts[level.counts], <char*> <bytes> known, shape.branch_count * sizeof(int))
            return 0
        for child in children_of(node):
            kind = kind_of(<Kinds> shape.kinds, <PyObject*> child)
            if kind >= 0:
                self.count(level, kind)[0] += 1

    cdef int close_level(self) except -1:
        """Close the innermost element."""
        cdef Level* level = &self.levels[self.depth - 1]
        cdef char* counts
        if level.merged:
            node = <object> level.node
            node._position = level.first
            counts = <char*> &self.counts[level.counts]
            # Stored so that its children are counted once, however often it is reopened.
            self.merged[<size_t> level.node] = counts[: level.shape.branch_count * sizeof(int)]
        forget_text(&level.text)
        self.depth -= 1

    cdef int grow(self) except -1:
        cdef Level* more = <Level*> realloc(self.levels, 2 * self.capacity * sizeof(Level))
        if more == NULL:
            raise MemoryError
        self.levels = more
        self.capacity *= 2

    cdef int grow_counts(self, int size) except -1:
        cdef int* more = <int*> realloc(self.counts, 2 * size * sizeof(int))
        if more == NULL:
            raise MemoryError
        self.counts, self.counts_capacity = more, 2 * size

    cdef PyObject* held(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept:
        """The value of a slot, borrowed; NULL if it is empty."""
        return slot_at(node, offset)[0] if self.direct else self.table.peek(node, offset, name)

    cdef int put(self, PyObject* node, Py_ssize_t offset, PyObject* name, PyObject* value) except -1:
        """Set a slot, taking over the reference to the value."""
        if self.direct:
            set_slot(node, offset, value)
        else:
            self.table.put(node, offset, name, value)
        return 0

    cdef int place(self, PyObject* node) except -1:
        """Set the source and the position of a node."""
        set_slot(node, self.table.source_offset, new_reference(self.source))
        set_slot(node, self.table.position_offset, PyLong_FromLongLong(self.position()))

    cdef int finish_untyped_text(self, int index) except -1:
        """Store the text collected in an untyped element as its text, or as the tail of its last child."""
        cdef Level* level = &self.levels[index]
        cdef Py_ssize_t length = 0
        cdef const char* written = read_text(&level.text, &length)
        if length == 0 or not level.shape.untyped:
            return 0
        node = <object> level.node
        text = written[:length].decode()
        forget_text(&level.text)
        if not text.strip(" \t\r\n"):
            return 0
        # If a child has just begun, it is already the last one, and the text is the tail of the child before
        # it.
        children = children_of(node)
        cdef Py_ssize_t last = len(children) - (2 if index < self.depth - 1 else 1)
        if last >= 0:
            children[last].tail = text
        else:
            node.text = text

    cdef void keep_attribute(self, Written* written) except *:
        """Store an attribute in the innermost element, which has no schema."""
        node = <object> self.levels[self.depth - 1].node
        node.attributes[self.spelt(written.name[: written.name_length])] = text_of(written)

    cdef void keep_foreign(self, Written* written) except *:
        """Store an attribute of another vocabulary in the innermost element."""
        node, name = <object> self.levels[self.depth - 1].node, name_of(written)
        if name in messages.ALWAYS_LEGAL:
            return
        if node.attributes is None:
            node.attributes = {}
        node.attributes[name] = text_of(written)


# --- texts ----------------------------------------------------------------------------------------------------

cdef int add_piece(Text* text, const char* piece, Py_ssize_t length, bint lasts) except -1:
    """Append a piece to a text; ``lasts``: it is part of the source, which outlives the text."""
    if text.more == NULL:
        if text.begin == NULL and lasts:
            text.begin, text.length = piece, length
            return 0
        text.more = new_reference(bytearray(b"" if text.begin == NULL else text.begin[: text.length]))
        text.begin, text.length = NULL, 0
    (<object> text.more).extend(piece[:length])
    return 0


cdef const char* read_text(Text* text, Py_ssize_t* length) noexcept:
    """The bytes of a text, and their number."""
    if text.more != NULL:
        length[0] = PyByteArray_GET_SIZE(<object> text.more)
        return PyByteArray_AS_STRING(<object> text.more)
    length[0] = text.length
    return NO_TEXT if text.begin == NULL else text.begin


cdef void forget_text(Text* text) noexcept:
    Py_XDECREF(text.more)
    text.begin, text.length, text.more = NULL, 0, NULL
