# cython: language_level=3, boundscheck=False, wraparound=False
"""Effective values in a whole document: the written value, else that of the defaults element for this kind of
element, else the schema's default.

`polybody.document.resolver` computes them for single attributes, as they are at that time; this module for
all elements in one traversal.
"""

cimport cython

from cpython.object cimport PyObject
from libc.stdlib cimport calloc, free

from polybody.document.defaults import UNNAMED, Filling

from polybody.base.children cimport Kinds, kind_of
from polybody.base.slots cimport slot_at
from polybody.validation.rule_layout cimport ITSELF, MASK_BITS, OWN, TEXT, Mask, Slot, Suite, Suites, Test, bit
from polybody.validation.rule_layout import suites_of
from polybody.document.parser.forms cimport Field
from polybody.document.parser.tables cimport Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    PyObject* PyDict_GetItemWithError(object, object) except? NULL
    PyObject* PyDict_GetItem(object, object)


@cython.trashcan(True)  # nested classes can form a long chain
cdef class Chain:
    """The defaults of one kind of element in a defaults class and its parent classes."""

    def __cinit__(self, Effective document, row, nodes, Chain above):
        cdef Shape* shape
        cdef PyObject* value
        cdef int index
        cdef Table table = document.table
        cdef Suite* suite = &document.suites[table.indices[row.key]]
        cdef Mask nearer, gone
        self.own, self.above = tuple(nodes), above
        self.count = len(row.attributes) + 1
        self.values = <PyObject**> calloc(self.count, sizeof(PyObject*))
        if self.values == NULL:
            raise MemoryError
        if above is not None:
            self.mask = above.mask
            for index in range(self.count):
                self.values[index] = above.values[index]
        for node in reversed(self.own):
            source = document.laid.row_of(type(node))
            shape = &table.shapes[table.indices[source.key]]
            nearer = 0
            for index, place in enumerate(document.laid.places_provided(row, source)):
                value = NULL if place < 0 else document.written(shape, <PyObject*> node, place)
                if value != NULL:
                    self.values[index] = value
                    nearer |= bit(index)
            gone = hidden(suite, nearer, self.count) & ~nearer
            for index in range(min(self.count, <int> MASK_BITS) if gone else 0):
                if gone & bit(index):
                    self.values[index] = NULL
            self.mask = (self.mask & ~gone) | nearer

    def __dealloc__(self):
        free(self.values)

    def __iter__(self):
        """The defaults elements, the nearest first."""
        chain = self
        while chain is not None:
            yield from chain.own
            chain = chain.above

    def folded(self, dict memo, start, step):
        """Reduce the chain from its end by ``step(own, result of the part above)``; ``memo`` caches the
        result of each part.
        """
        chain, waiting = self, []
        while chain is not None and chain not in memo:
            waiting.append(chain)
            chain = chain.above
        value = start if chain is None else memo[chain]
        for chain in reversed(waiting):
            value = memo[chain] = step(chain.own, value)
        return value


cdef Mask hidden(Suite* suite, Mask nearer, int count) noexcept:
    """The attributes that are overridden by nearer attributes in a mask."""
    cdef Mask found = 0
    cdef int index
    if suite.hidden_by != NULL and nearer:
        for index in range(min(count, <int> MASK_BITS)):
            if suite.hidden_by[index] & nearer:
                found |= bit(index)
    return found


cdef class Effective:
    """The effective values of one document."""

    def __cinit__(self, Table table, root, *_):
        self.table, self.format, self.direct = table, table.format, table.direct
        self.laid = suites_of(table)
        self.suites = self.laid.suites
        self.root_index = table.indices[root_key(self.format, root)]
        self.filling = Filling(self.format, root)
        self.unfilled = self.filling.empty
        self.chains = [None] * table.shape_count

    # --- chains -------------------------------------------------------------------------------------------

    cdef PyObject* chain_of(self, int index, PyObject* node, PyObject* below) except? NULL:
        """The Chain for an element, borrowed; NULL if there is none."""
        cdef Suite* suite = &self.suites[index]
        cdef PyObject* name = below
        cdef PyObject* own
        cdef PyObject* chain
        if self.unfilled or not suite.filled:
            return NULL
        if suite.own >= 0:
            own = self.written(&self.table.shapes[index], node, suite.own)
            name = own if own != NULL else below
        chains = self.chains[index]
        if chains is None:
            chains = self.chains[index] = {}
        named = UNNAMED if name == NULL else <object> name
        chain = PyDict_GetItemWithError(chains, named)
        if chain == NULL:
            found = chains[named] = self.lay_chain(index, named)
            chain = <PyObject*> found  # the dict keeps it alive
        return NULL if chain == <PyObject*> None else chain

    cdef object lay_chain(self, int index, object name):
        row = <object> self.table.shapes[index].row
        chains, waiting, above = self.chains[index], [], None
        name = self.filling.known(name)
        while name is not None:  # from the inside out, up to the first cached chain
            above = chains.get(name, waiting)
            if above is not waiting:
                break
            waiting.append(name)
            name, above = self.filling.around(name), None
        for name in reversed(waiting):
            nodes = self.filling.held(row.key, name)
            above = chains[name] = Chain(self, row, nodes, above) if nodes else above
        return above

    def filler(self, str key):
        """The nearest defaults element for a kind of element without a class; or None."""
        return next(iter(self.filling.chain(key, UNNAMED)), None)

    # --- values -------------------------------------------------------------------------------------------

    cdef Mask written_mask(self, Shape* shape, PyObject* node) noexcept:
        """The mask of the attributes that are written on an element."""
        cdef Mask mask = 0
        cdef int index
        cdef int count = min(shape.field_count + (shape.text != NULL), <int> MASK_BITS)
        if self.direct:
            for index in range(count):
                mask |= <Mask> (slot_at(node, shape.offsets[index])[0] != <PyObject*> None) << index
        else:
            for index in range(count):
                mask |= <Mask> (self.written(shape, node, index) != NULL) << index
        return mask

    cdef PyObject* held(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept:
        """The value of a slot, borrowed; NULL if it is empty."""
        return slot_at(node, offset)[0] if self.direct else self.table.peek(node, offset, name)

    cdef PyObject* written(self, Shape* shape, PyObject* node, int index) noexcept:
        cdef Field* field = &shape.fields[index]
        cdef PyObject* value = self.held(node, field.offset, field.name)
        return NULL if value == <PyObject*> None else value

    cdef PyObject* text(self, Shape* shape, PyObject* node) noexcept:
        cdef PyObject* value = self.held(node, shape.text.offset, shape.text.name)
        return NULL if value == <PyObject*> None else value

    cdef PyObject* given(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept:
        """The written value or the default, borrowed; NULL if there is none."""
        cdef PyObject* value = self.written(shape, node, index)
        cdef Suite* suite
        if value != NULL or chain == NULL:
            return value
        value = (<Chain> chain).values[index]
        if value != NULL:
            suite = &self.suites[shape - self.table.shapes]
            if suite.hidden_by != NULL and suite.hidden_by[index] & self.written_mask(shape, node):
                return NULL
        return value

    cdef PyObject* at(self, Shape* shape, PyObject* node, Slot slot, PyObject* chain) noexcept:
        """The value or child that a rule refers to, borrowed; NULL if there is none."""
        cdef PyObject* child
        cdef Shape* below
        if slot.branch == OWN:
            return self.given(shape, node, slot.field, chain)
        if slot.branch < MAX_LOOKED_FOR and not self.has_child(shape, node, slot.branch):
            return NULL
        child = self.table.first(shape, node, slot.branch)
        if child == NULL or slot.field == ITSELF:
            return child
        below = &self.table.shapes[shape.branches[slot.branch].shape]
        return self.text(below, child) if slot.field == TEXT else self.written(below, child, slot.field)

    cdef bint has_child(self, Shape* shape, PyObject* node, int branch) noexcept:
        """Whether an element has a child of a kind; the kinds of the last element's children are cached."""
        cdef PyObject* children
        cdef Py_ssize_t place
        cdef int kind
        if self.looked != node:
            self.looked, self.present = node, 0
            children = self.table.children_of(node)
            if children != NULL:
                for place in range(PyList_GET_SIZE(children)):
                    kind = kind_of(<Kinds> shape.kinds, PyList_GET_ITEM(children, place))
                    if 0 <= kind < MAX_LOOKED_FOR:
                        self.present |= <unsigned long long> 1 << kind
        return self.present >> branch & 1

    cdef PyObject* effective(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept:
        cdef PyObject* value = self.given(shape, node, index, chain)
        return self.fallback(shape, node, index, chain) if value == NULL else value

    cdef PyObject* fallback(self, Shape* shape, PyObject* node, int index, PyObject* chain) noexcept:
        """The schema's default of an attribute, borrowed; it may depend on another attribute."""
        cdef Suite* suite = &self.suites[shape - self.table.shapes]
        cdef PyObject* word
        cdef PyObject* value = NULL
        if suite.depends_on != NULL and suite.depends_on[index] >= 0:
            word = self.effective(shape, node, suite.depends_on[index], chain)
            value = PyDict_GetItem(<object> suite.by_word[index], None if word == NULL else <object> word)
        return shape.fields[index].fallback if value == NULL else value

    cdef bint holds(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        """Whether a rule has a condition that is true for the effective value."""
        cdef PyObject* value
        if not test.conditional:
            return False
        if test.by < 0:
            return self.at(shape, node, test.asked, chain) != NULL
        value = self.effective(shape, node, test.by, chain)
        for member in <tuple> test.among:  # members of an enumeration, which are singletons
            if <PyObject*> member == value:
                return True
        return False

    cdef bint is_written(self, Shape* shape, PyObject* node, Slot slot) except -1:
        if slot.branch == OWN:
            return self.written(shape, node, slot.field) != NULL
        return self.at(shape, node, slot, NULL) != NULL


def root_key(format, root):
    """The key of a document's root among the possible roots of the format."""
    keys = (format.root, *format.roots)
    for key in keys:
        if format.elements[key].cls is type(root):
            return key
    known = " or a ".join(format.elements[key].cls.__name__ for key in keys)
    raise TypeError(f"a {type(root).__name__} is not the root of {format.name}, which is a {known}")
