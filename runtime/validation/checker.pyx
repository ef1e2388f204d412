# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks the rules between attributes on the effective values of a whole document, and collects its names.

Only violations are detected here; the validator determines the reason and whether to report a finding.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport fabs, sqrt
from libc.stdlib cimport free, realloc

from polybody import base
from polybody.geometry.inertia import inertia_fault

from polybody.validation.effective cimport Chain, hidden
from polybody.validation.kept cimport Kept, Kind
from polybody.validation.rule_layout cimport (
    ASCENDING, BY_ROW, DEPRECATED, EXCLUSIVE, IGNORED, INCREASING, INERTIA, LENGTH, NONZERO, ONE_OF, OWN, REQUIRED,
    REQUIRES, TOGETHER, UNIT, Mask, Suite, Test, bit)
from polybody.validation.rule_layout import rule_names
from polybody.validation.moments cimport surely_possible
from polybody.base.children cimport Kinds, kind_of
from polybody.document.parser.forms cimport Form
from polybody.document.parser.tables cimport Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    double PyFloat_AS_DOUBLE(PyObject*) noexcept
    bint PyFloat_CheckExact(PyObject*) noexcept
    int PyDict_Contains(object, object) except -1
    bint PyTuple_CheckExact(PyObject*) noexcept
    bint PyUnicode_CheckExact(PyObject*) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef enum:
    MAX_VIOLATIONS = 4_000  # stored per rule, more than are shown: a limit for malicious documents
    HEEDED = 1 << 14  # number of elements between checks for signals

cdef struct Open:  # an element on the stack of the traversal
    PyObject* node
    PyObject* within  # the defaults class that applies to its children, or None
    Py_ssize_t place  # of the next child
    int index  # of its kind of element

EMPTY = {}


cdef class Rules(Kept):
    """One check of one document against all rules of its format."""

    cdef readonly dict declared  # namespace -> name -> node
    cdef readonly list violations  # (node, element row, rule)
    cdef readonly list duplicates  # (node, element row, attribute, first node)
    cdef readonly list references  # (node, element row, attribute, names) of undeclared names
    cdef readonly list graphs  # (node, element row, rule) of every Graph
    cdef public set poisoned  # (id of node, field) of attributes that were written but are invalid
    cdef public set lost  # values that the parser did not understand: names among them are not missing
                          # reported as missing
    cdef list referring  # (node, element row, attribute, value, defaults class) of names not declared so far
    cdef object root
    cdef dict counts  # numbers of violations by rule

    def __cinit__(self, Table table, root, keys=()):
        self.declared = {name: {} for name in table.format.namespaces}
        self.violations, self.duplicates, self.references, self.graphs = [], [], [], []
        self.lost, self.referring, self.poisoned, self.root = set(), [], set(), root
        self.counts = {}
        self.walk(root, self.root_index)
        self.nodes = {key: self.nodes_of(table.indices[key]) for key in keys}
        self.find_dangling()

    # --- names --------------------------------------------------------------------------------------------

    cdef void find_dangling(self) except *:
        """Keep only the references to names that are not declared."""
        names_of = {namespace: names_in(self, namespace) for namespace in self.declared}
        for node, row, attribute, value, below in self.referring:
            if len(attribute.refers) == 1 and type(value) is str:
                missing = () if value in <dict> names_of[attribute.refers[0]] else (value,)
            else:
                known = [names_of[namespace] for namespace in attribute.refers]
                missing = [name for name in components(value) if not any(name in names for names in known)]
            if missing:
                self.references.append((node, row, attribute, missing))
                self.classes[id(node)] = below
        self.referring = []

    cdef void declare(self, Shape* shape, Suite* suite, PyObject* node, PyObject* chain, object within) except *:
        """Register the name that an element declares."""
        cdef PyObject* value = self.given(shape, node, suite.declares, chain)
        first = (<dict> self.declared[<str> suite.namespace]).setdefault(<object> value, <object> node)
        if <PyObject*> first != node and len(self.duplicates) < MAX_VIOLATIONS:
            attribute = (<object> shape.fields[suite.declares].row)
            later = <object> node
            self.duplicates.append((later, <object> shape.row, attribute, first))
            if within is not None:
                self.classes[id(<object> node)] = within

    cdef void refer(self, Shape* shape, int place, PyObject* node, PyObject* chain, object within) except *:
        """Look up the name in an attribute; if it is not declared yet, it may be later."""
        cdef PyObject* value = self.given(shape, node, place, chain)
        attribute = <object> shape.fields[place].row
        spaces = <tuple> attribute.refers
        if PyUnicode_CheckExact(value) and PyDict_Contains(self.declared.get(spaces[0], EMPTY), <object> value):
            return
        self.referring.append((<object> node, <object> shape.row, attribute, <object> value, within))

    # --- traversal ----------------------------------------------------------------------------------------

    cdef void walk(self, object root, int start) except *:
        """Check every element in the document's order; elements without children are not pushed on the
        stack.
        """
        cdef Open now  # the element whose children are visited; references are borrowed from the document
        cdef Open* stack = NULL
        cdef PyObject* children
        cdef PyObject* child
        cdef PyObject* name
        cdef Shape* shape
        cdef Py_ssize_t depth = 0, capacity = 0, checked = 0
        cdef int kind
        self.check(<PyObject*> root, start, <PyObject*> None, <PyObject*> None)
        now.node, now.within, now.place, now.index = <PyObject*> root, <PyObject*> None, 0, start
        try:
            while True:
                shape = &self.table.shapes[now.index]
                children = self.table.children_of(now.node)
                if now.place == 0 and self.suites[now.index].below >= 0:
                    name = self.written(shape, now.node, self.suites[now.index].below)
                    now.within = now.within if name == NULL else name
                while children != NULL and now.place < PyList_GET_SIZE(children):
                    child = PyList_GET_ITEM(children, now.place)
                    now.place += 1
                    checked += 1
                    if checked % HEEDED == 0:
                        PyErr_CheckSignals()
                    kind = kind_of(<Kinds> shape.kinds, child)
                    if kind < 0:
                        wrong, tag = type(<object> child).__name__, (<object> now.node).TAG
                        raise TypeError(f"a {wrong} is not allowed in a <{tag}>")
                    self.check(child, shape.branches[kind].shape, now.within, now.node)
                    if self.table.children_of(child) != NULL:
                        if depth == capacity:
                            capacity = 2 * capacity + 64
                            grown = <Open*> realloc(stack, capacity * sizeof(Open))
                            if grown == NULL:
                                raise MemoryError
                            stack = grown
                        stack[depth] = now
                        depth += 1
                        now.node, now.place, now.index = child, 0, shape.branches[kind].shape
                        break
                else:
                    if depth == 0:
                        return
                    depth -= 1
                    now = stack[depth]
        finally:
            free(stack)

    cdef int check(self, PyObject* node, int index, PyObject* around_class, PyObject* around) except -1:
        """Check one element; around_class: the defaults class of its ancestors, or None."""
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* chain
        cdef PyObject* below = NULL if around_class == <PyObject*> None else around_class
        cdef Mask written, given
        cdef int other
        if Py_TYPE(node) != shape.cls:
            # Slots are accessed by the offsets in this class; documents built in Python may contain anything.
            right, wrong = (<object> shape.cls).__name__, type(<object> node).__name__
            raise TypeError(f"a {wrong} is in the place of a {right}")
        chain = self.chain_of(index, node, below)
        written = given = self.written_mask(shape, node)
        if chain != NULL:
            given |= (<Chain> chain).mask & ~hidden(suite, written, shape.field_count + 1)
        if kind.wanted:
            self.keep(kind, node, chain, NULL if around == <PyObject*> None else around, given)
        if suite.declares >= 0 and self.has(shape, node, suite.declares, given, chain):
            self.declare(shape, suite, node, chain, <object> around_class)
        if suite.has_graphs:
            row = <object> shape.row
            for rule in row.rules:
                if isinstance(rule, base.Graph):
                    self.graphs.append((<object> node, row, rule))
        for other in range(suite.refer_count):
            if self.has(shape, node, suite.refers[other], given, chain):
                self.refer(shape, suite.refers[other], node, chain, <object> around_class)
        for other in range(suite.test_count):
            if may_fail(&suite.tests[other], written, given) and (
                    self.violated(shape, node, &suite.tests[other], chain)):
                self.violate(shape, node, <object> suite.tests[other].row, <object> around_class)

    cdef int violate(self, Shape* shape, PyObject* node, object rule, object within) except -1:
        """Store a violation, up to a maximum number per rule."""
        count = self.counts.get(id(rule), 0) + 1
        self.counts[id(rule)] = count
        if count <= MAX_VIOLATIONS:
            self.violations.append((<object> node, <object> shape.row, rule))
            if within is not None:
                self.classes[id(<object> node)] = within

    cdef bint has(self, Shape* shape, PyObject* node, int place, Mask given, PyObject* chain) except -1:
        """Whether an attribute is given, by the mask if that covers it."""
        cdef Mask one = bit(place)
        return given & one != 0 if one else self.given(shape, node, place, chain) != NULL

    cdef bint violated(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        cdef PyObject* value
        cdef PyObject* other
        cdef int index, given = 0
        if test.kind in (EXCLUSIVE, TOGETHER, ONE_OF):
            for index in range(test.count):
                given += self.at(shape, node, test.names[index], NULL if test.written else chain) != NULL
            if test.kind == EXCLUSIVE:
                return given > 1
            return 0 < given < test.count if test.kind == TOGETHER else given == 0
        if test.kind == IGNORED:
            for index in range(test.count):
                if self.is_written(shape, node, test.names[index]):
                    return self.holds(shape, node, test, chain)
            return False
        if test.kind == DEPRECATED:
            if not self.is_written(shape, node, test.names[0]):
                return False
            among = (<object> test.row).values
            return not among or <object> self.at(shape, node, test.names[0], NULL) in among
        if test.kind == INERTIA:
            return self.is_no_inertia(shape, node, test, chain)
        if test.kind == BY_ROW:
            return self.applies(shape, node, test, chain) and self.is_wrong(shape, node, test, chain)
        value = self.at(shape, node, test.names[0], NULL if test.written else chain)
        if test.kind == REQUIRED:
            return value == NULL and self.applies(shape, node, test, chain)
        if value == NULL:
            return False
        if test.kind == REQUIRES:
            for index in range(1, test.count):
                if self.at(shape, node, test.names[index], chain) == NULL:
                    return True
            return False
        if test.kind == LENGTH:
            return self.has_wrong_size(shape, test, value, self.effective(shape, node, test.by, chain))
        if test.kind == INCREASING:
            return is_falling(value)
        if test.kind == NONZERO:
            return is_zero(value) and self.applies(shape, node, test, chain)
        if test.kind == UNIT:
            return is_far_from_unit(value, test.start, test.tolerance) and self.applies(shape, node, test, chain)
        other = self.at(shape, node, test.names[1], chain)  # of ASCENDING
        if other != NULL and PyFloat_CheckExact(value) and PyFloat_CheckExact(other):
            return PyFloat_AS_DOUBLE(value) > PyFloat_AS_DOUBLE(other)
        return self.is_wrong(shape, node, test, chain)

    cdef bint applies(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        """Whether the conditions of a rule hold, if it has any."""
        return not test.conditional or self.holds(shape, node, test, chain) != test.unless

    cdef bint is_wrong(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        """Whether the row of a rule finds a fault in the values that it is about."""
        cdef PyObject* value
        cdef int index
        rule, values = <object> test.row, []
        for index in range(test.count):
            value = self.at(shape, node, test.names[index], chain)
            if value == NULL and not rule.partial:
                return False
            values.append(None if value == NULL else <object> value)
        return rule.fault(values, rule_names(rule)) is not None

    cdef bint is_no_inertia(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        cdef PyObject* value
        cdef double[6] six
        cdef int index
        if test.count == 6:
            for index in range(6):
                value = self.moment(shape, node, test, index, chain)
                six[index] = 0 if value == NULL else number(value)
            if surely_possible(six[0], six[1], six[2], six[3], six[4], six[5]):
                return False
        moments = []
        for index in range(test.count):
            value = self.moment(shape, node, test, index, chain)
            moments.append(0.0 if value == NULL else <object> value)
        return inertia_fault(moments) is not None

    cdef PyObject* moment(self, Shape* shape, PyObject* node, Test* test, int index, PyObject* chain) noexcept:
        """A moment of inertia that is given, or the schema's default of one; NULL if there is none."""
        cdef PyObject* value = self.at(shape, node, test.names[index], chain)
        if value == NULL and test.names[index].branch == OWN:
            value = shape.fields[test.names[index].field].fallback
        return NULL if value == <PyObject*> None else value

    cdef bint has_wrong_size(self, Shape* shape, Test* test, PyObject* value, PyObject* word) except -1:
        cdef Form* form = &shape.fields[test.by].forms[0]
        cdef Py_ssize_t size = PyTuple_GET_SIZE(value) if PyTuple_CheckExact(value) else 1
        cdef int index
        for index in range(form.word_count):
            if form.words[index].member == word:
                return not test.sizes[2 * index] <= size <= test.sizes[2 * index + 1]
        return False


cdef bint may_fail(Test* test, Mask written, Mask given) noexcept:
    """Whether a rule can be violated, by the presence of attributes alone; this excludes most rules."""
    cdef Mask mask = test.mask & (written if test.written else given)
    if not test.masked or test.kind == INERTIA:
        return True
    if test.kind == EXCLUSIVE:
        return mask & (mask - 1) != 0
    if test.kind == TOGETHER:
        return mask != 0 and mask != test.mask
    if test.kind in (ONE_OF, REQUIRED):
        return mask == 0
    if test.kind == IGNORED:
        return written & test.mask != 0
    if test.kind == REQUIRES:
        return mask & test.first != 0 and mask != test.mask
    if test.kind in (ASCENDING, BY_ROW):
        return mask == test.mask
    return mask != 0


def is_surely_inertia(double xx, double yy, double zz, double xy, double xz, double yz):
    """Whether six numbers are a body's moments of inertia by a rough bound, which most pass."""
    return surely_possible(xx, yy, zz, xy, xz, yz)


def names_in(rules, namespace):
    """The declared and built-in names of a namespace, with the declaring node of each."""
    declared = rules.declared[namespace]
    builtin = rules.format.builtin.get(namespace)
    return {**declared, **dict.fromkeys(builtin)} if builtin else declared


def components(value):
    return value if isinstance(value, tuple) else (value,)


cdef inline double number(PyObject* value) except? -1.0:
    return PyFloat_AS_DOUBLE(value) if PyFloat_CheckExact(value) else PyFloat_AsDouble(value)


cdef bint is_zero(PyObject* value) except -1:
    """Whether a number, or each of several, is 0."""
    cdef Py_ssize_t index
    if not PyTuple_CheckExact(value):
        return not <object> value
    for index in range(PyTuple_GET_SIZE(value)):
        if <object> PyTuple_GET_ITEM(value, index):
            return False
    return True


cdef bint is_falling(PyObject* value) except -1:
    cdef Py_ssize_t index
    if not PyTuple_CheckExact(value):
        return False
    for index in range(1, PyTuple_GET_SIZE(value)):
        if number(PyTuple_GET_ITEM(value, index)) < number(PyTuple_GET_ITEM(value, index - 1)):
            return True
    return False


cdef bint is_far_from_unit(PyObject* value, int start, double tolerance) except -1:
    cdef double square = 0.0, x
    cdef int index
    if not PyTuple_CheckExact(value) or PyTuple_GET_SIZE(value) < start + 4:
        return False  # a wrong length is reported by another rule
    for index in range(start, start + 4):
        x = number(PyTuple_GET_ITEM(value, index))
        square += x * x
    return not fabs(sqrt(square) - 1.0) <= tolerance
