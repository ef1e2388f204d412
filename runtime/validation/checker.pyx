# cython: language_level=3, boundscheck=False, wraparound=False
"""The rules between attributes, checked on effective values over a whole document, and its names collected.

Only that a rule is violated is found here; why, and whether it is worth a finding, is said by the validator.
"""

from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport INFINITY, fabs, sqrt
from libc.stdlib cimport calloc, free, realloc

from polybody import base
from polybody.geometry.inertia import inertia_fault

from polybody.validation.effective cimport Chain, Effective, hidden
from polybody.validation.rule_layout cimport (
    ASCENDING, DEPRECATED, DIFFER, EXCLUSIVE, IGNORED, INCREASING, INERTIA, LENGTH, MOST_NAMES, MULTIPLE, NONZERO, ONE_OF, OWN,
    REQUIRED, REQUIRES, TOGETHER, UNIT, Mask, Suite, Test, bit)
from polybody.base.children cimport Kinds
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
    MOST_VIOLATIONS = 4_000  # that are kept of one rule, more than are shown: a bound for hostile documents

EMPTY = {}


cdef struct Seen:  # one that was asked for; the document keeps what is borrowed here
    PyObject* node
    PyObject* within  # the defaults class that those around it give, or NULL
    PyObject* parent
    Mask given  # what is written or comes from defaults

cdef struct Kept:  # the elements of one kind
    Seen* seen
    Py_ssize_t count, room
    bint wanted


cdef class Rules(Effective):
    """One check of one document: all rules of its format, over the format's laid-out tables."""

    cdef readonly dict declared  # namespace -> name -> node
    cdef readonly list violations  # (node, element row, rule)
    cdef readonly list duplicates  # (node, element row, attribute, first node)
    cdef readonly list references  # (node, element row, attribute, names) where names are not declared
    cdef readonly list graphs  # (node, element row, rule) of every Graph
    cdef readonly dict nodes  # element key -> its nodes in the order of the walk, for the keys asked for
    cdef public set poisoned  # (id of node, field) of what was written and not understood
    cdef public set lost  # values in what the parse did not understand: names among them are not missing
    cdef list referring  # (node, element row, attribute, value, defaults class) of names that come later
    cdef Kept* kept
    cdef int kinds
    cdef object root
    cdef Seen** places  # the same by their nodes, once somebody asks: open addressing, at most half full
    cdef size_t mask
    cdef dict classes  # id of another node of interest -> the defaults class that those around it give
    cdef dict counts  # of violations by their rule

    def __cinit__(self, Table table, root, keys=()):
        self.declared = {name: {} for name in table.format.namespaces}
        self.violations, self.duplicates, self.references, self.graphs = [], [], [], []
        self.lost, self.referring, self.poisoned, self.root = set(), [], set(), root
        self.kinds = table.shape_count
        self.kept = <Kept*> calloc(self.kinds, sizeof(Kept))
        if self.kept == NULL:
            raise MemoryError
        for key in keys:
            self.kept[<int> table.indices[key]].wanted = True
        self.classes, self.counts = {}, {}
        self.walk(root, self.root_index)
        self.nodes = {key: self.nodes_of(table.indices[key]) for key in keys}
        self.find_dangling()

    def __dealloc__(self):
        cdef int index
        if self.kept != NULL:
            for index in range(self.kinds):
                free(self.kept[index].seen)
            free(self.kept)
            free(self.places)

    cdef int keep(self, Kept* kept, PyObject* node, PyObject* within, PyObject* parent, Mask given) except -1:
        """Remember an element."""
        cdef Seen* element
        if kept.count == kept.room:
            kept.room = 2 * kept.room + 16
            grown = <Seen*> realloc(kept.seen, kept.room * sizeof(Seen))
            if grown == NULL:
                raise MemoryError
            kept.seen = grown
        element = &kept.seen[kept.count]
        element.node, element.within, element.parent, element.given = node, within, parent, given
        kept.count += 1
        return 0

    cdef list nodes_of(self, int index):
        cdef Kept* kept = &self.kept[index]
        cdef Py_ssize_t at
        return [<object> kept.seen[at].node for at in range(kept.count)]

    # --- what the format's own rules ask ------------------------------------------------------------------

    cdef PyObject* found(self, int index, Seen* element, int place) except? NULL:
        """The effective value of an attribute of a kept element, borrowed."""
        cdef Shape* shape = &self.table.shapes[index]
        cdef Mask one = bit(place)
        if one and not element.given & one:
            return shape.fields[place].fallback
        return self.effective(shape, element.node, place, self.chain_of(index, element.node, element.within))

    cdef Seen* seen(self, node) except? NULL:
        """What was remembered of a node; NULL where it is not kept."""
        cdef size_t place
        if self.places == NULL:
            self.lay_places()
        place = place_of(<PyObject*> node) & self.mask
        while self.places[place] != NULL:
            if self.places[place].node == <PyObject*> node:
                return self.places[place]
            place = (place + 1) & self.mask
        return NULL

    cdef int lay_places(self) except -1:
        """Make what was remembered to be found by its node."""
        cdef size_t size = 16, place
        cdef Py_ssize_t at, count = 0
        cdef int index
        for index in range(self.kinds):
            count += self.kept[index].count
        while size < 2 * <size_t> count:
            size *= 2
        self.places = <Seen**> calloc(size, sizeof(Seen*))
        if self.places == NULL:
            raise MemoryError
        self.mask = size - 1
        for index in range(self.kinds):
            for at in range(self.kept[index].count):
                place = place_of(self.kept[index].seen[at].node) & self.mask
                while self.places[place] != NULL:
                    place = (place + 1) & self.mask
                self.places[place] = &self.kept[index].seen[at]
        return 0

    cdef PyObject* parent_of(self, node) except NULL:
        cdef Seen* seen = self.seen(node)
        if seen == NULL:
            raise KeyError(f"a <{node.TAG}> is none of the elements that were asked for")
        return <PyObject*> None if seen.parent == NULL else seen.parent

    def parent(self, node):
        """What a kept node stands in; None where that is nothing."""
        return <object> self.parent_of(node)

    cdef PyObject* chain_at(self, int index, node) except? NULL:
        """The Chain that fills a node of interest."""
        cdef Seen* seen = self.seen(node)
        if seen != NULL:
            return self.chain_of(index, seen.node, seen.within)
        within = self.classes.get(id(node))
        return self.chain_of(index, <PyObject*> node, NULL if within is None else <PyObject*> within)

    def chain(self, node, row):
        """The defaults elements that fill a node of interest; None: there are none."""
        cdef PyObject* found = self.chain_at(self.table.indices[row.key], node)
        return None if found == NULL else <object> found

    def value(self, node, row, str name):
        """The effective value of an attribute of a node of interest."""
        cdef int index = self.table.indices[row.key]
        cdef int place = self.table.place_of(index, name)
        cdef PyObject* chain = self.chain_at(index, node)
        return <object> self.effective(&self.table.shapes[index], <PyObject*> node, place, chain)

    def select(self, str key, str name, values):
        """The kept nodes of a kind at which an attribute effectively is one of some keywords."""
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kept* kept = &self.kept[index]
        cdef PyObject* value
        cdef Py_ssize_t at
        found = []
        for at in range(kept.count):
            value = self.found(index, &kept.seen[at], place)
            for each in values:
                if <PyObject*> each == value:
                    found.append(<object> kept.seen[at].node)
        return found

    def having(self, str key, str name):
        """The kept nodes of a kind on which an attribute is written."""
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kept* kept = &self.kept[index]
        cdef Mask one = bit(place)
        cdef Py_ssize_t at
        found = []
        for at in range(kept.count):
            if (not one or kept.seen[at].given & one) and (
                    self.written(&self.table.shapes[index], kept.seen[at].node, place) != NULL):
                found.append(<object> kept.seen[at].node)
        return found

    def giving(self, str key, str name, *others):
        """The kept nodes of a kind at which an attribute is written or given by defaults; each with the value
        of that, and the effective values of some others.
        """
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name), other
        cdef Kept* kept = &self.kept[index]
        cdef Seen* element
        cdef PyObject* value
        cdef Mask one = bit(place)
        cdef Py_ssize_t at
        places = [self.table.place_of(index, each) for each in others]
        found = []
        for at in range(kept.count):
            element = &kept.seen[at]
            if one and not element.given & one:
                continue
            value = self.given(&self.table.shapes[index], element.node, place,
                               self.chain_of(index, element.node, element.within))
            if value != NULL:
                row = [<object> element.node, <object> value]
                for other in places:
                    row.append(<object> self.found(index, element, other))
                found.append(row)
        return found

    def bare(self, str key, *tags):
        """The kept nodes of a kind that have none of some children."""
        cdef int index = self.table.indices[key], place
        cdef Shape* shape = &self.table.shapes[index]
        cdef bint bare
        places = [place for place, child in enumerate((<object> shape.row).children) if child.tag in tags]
        found = []
        for node in self.nodes[key]:
            bare = True
            for place in places:
                bare = bare and self.table.first(shape, <PyObject*> node, place) == NULL
            if bare:
                found.append(node)
        return found

    def homes(self, nodes, through):
        """What kept nodes stand in, past elements of some classes, which are kept, too."""
        cdef PyObject* home
        known, found = {}, []
        for node in nodes:
            passed = []
            home = self.parent_of(node)
            while type(<object> home) in through:
                if <size_t> home in known:
                    home = <PyObject*> known[<size_t> home]
                    break
                passed.append(<size_t> home)
                home = self.parent_of(<object> home)
            for each in passed:
                known[each] = <object> home
            found.append(<object> home)
        return found

    def below(self, str key, str name, double bound):
        """The kept nodes of a kind at which a number, or one of several, effectively is given and less than a
        bound.
        """
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kept* kept = &self.kept[index]
        cdef PyObject* value
        cdef PyObject* last = NULL
        cdef bint less = False
        cdef Py_ssize_t at
        found = []
        for at in range(kept.count):
            value = self.found(index, &kept.seen[at], place)
            if value != last:  # one default may be that of many
                last, less = value, value != <PyObject*> None and least(value) < bound
            if less:
                found.append(<object> kept.seen[at].node)
        return found

    def lacking(self, str key, str name, str by, dict needs, dict enough):
        """The kept nodes of a kind at which a vector begins with fewer positive numbers than its shape needs.

        by, needs: the attribute whose keyword tells, and how many each keyword needs.
        enough: how many are enough where another attribute is given.
        """
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef int other = self.table.place_of(index, by), most
        cdef Kept* kept = &self.kept[index]
        cdef Seen* element
        cdef PyObject* keyword
        cdef PyObject* words[MOST_NAMES]
        cdef int counts[MOST_NAMES]
        cdef int word, count = 0
        cdef Py_ssize_t at
        if len(needs) > MOST_NAMES:
            raise ValueError(f"{key}: more than {MOST_NAMES} keywords")
        for known, need in needs.items():
            words[count], counts[count] = <PyObject*> known, need
            count += 1
        others = [(self.table.place_of(index, each), count) for each, count in enough.items()]
        found = []
        for at in range(kept.count):
            element = &kept.seen[at]
            keyword = self.found(index, element, other)
            for word in range(count):
                if words[word] == keyword:
                    most = positive(self.found(index, element, place))
                    if most < counts[word] and not any(
                            most >= few for each, few in others
                            if self.found(index, element, each) != <PyObject*> None):
                        found.append(<object> element.node)
                    break
        return found

    # --- names --------------------------------------------------------------------------------------------

    cdef void find_dangling(self) except *:
        """Keep those references only that lead nowhere."""
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
        """Take in the name that an element declares."""
        cdef PyObject* value = self.given(shape, node, suite.declares, chain)
        first = (<dict> self.declared[<str> suite.namespace]).setdefault(<object> value, <object> node)
        if <PyObject*> first != node and len(self.duplicates) < MOST_VIOLATIONS:
            attribute = (<object> shape.fields[suite.declares].row)
            later = <object> node
            self.duplicates.append((later, <object> shape.row, attribute, first))
            if within is not None:
                self.classes[id(<object> node)] = within

    cdef void refer(self, Shape* shape, int place, PyObject* node, PyObject* chain, object within) except *:
        """Look up what an attribute names; what is not declared by now may be later."""
        cdef PyObject* value = self.given(shape, node, place, chain)
        attribute = <object> shape.fields[place].row
        spaces = <tuple> attribute.refers
        if PyUnicode_CheckExact(value) and PyDict_Contains(self.declared.get(spaces[0], EMPTY), <object> value):
            return
        self.referring.append((<object> node, <object> shape.row, attribute, <object> value, within))

    # --- the walk -----------------------------------------------------------------------------------------

    cdef void walk(self, object root, int start) except *:
        """Check every element in the document's order; those without children leave nothing on the stack."""
        cdef PyObject* children
        cdef PyObject* child
        cdef PyObject* name
        cdef Shape* shape
        cdef Kinds kinds
        cdef Py_ssize_t place
        cdef int index = start, kind
        cdef list stack = []
        node, within, place = root, None, 0
        self.check(<PyObject*> node, index, None, <PyObject*> None)
        while True:
            shape = &self.table.shapes[index]
            kinds = <Kinds> shape.kinds
            children = self.table.children_of(<PyObject*> node)
            if place == 0 and self.suites[index].below >= 0:
                name = self.written(shape, <PyObject*> node, self.suites[index].below)
                within = within if name == NULL else <object> name
            while children != NULL and place < PyList_GET_SIZE(children):
                child = PyList_GET_ITEM(children, place)
                place += 1
                kind = kinds.of(child)
                if kind < 0:
                    raise TypeError(f"a {type(<object> child).__name__} stands in a <{node.TAG}>")
                self.check(child, shape.branches[kind].shape, within, <PyObject*> node)
                if self.table.children_of(child) != NULL:
                    stack.append((node, index, within, place))
                    node, index, place = <object> child, shape.branches[kind].shape, 0
                    break
            else:
                if not stack:
                    return
                node, index, within, place = stack.pop()

    cdef int check(self, PyObject* node, int index, object within, PyObject* around) except -1:
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef Kept* kept = &self.kept[index]
        cdef PyObject* chain
        cdef PyObject* below = NULL if within is None else <PyObject*> within
        cdef Mask written, given
        cdef int other
        if Py_TYPE(node) != shape.cls:
            # Slots are read by their offsets in this class; documents made by hand may hold anything.
            right, wrong = (<object> shape.cls).__name__, type(<object> node).__name__
            raise TypeError(f"a {wrong} stands where a {right} should")
        chain = self.chain_of(index, node, below)
        written = given = self.written_mask(shape, node)
        if chain != NULL:
            given |= (<Chain> chain).mask & ~hidden(suite, written, shape.field_count + 1)
        if kept.wanted:
            self.keep(kept, node, below, NULL if around == <PyObject*> None else around, given)
        if suite.declares >= 0 and self.has(shape, node, suite.declares, given, chain):
            self.declare(shape, suite, node, chain, within)
        if suite.has_graphs:
            row = <object> shape.row
            for rule in row.rules:
                if isinstance(rule, base.Graph):
                    self.graphs.append((<object> node, row, rule))
        for other in range(suite.refer_count):
            if self.has(shape, node, suite.refers[other], given, chain):
                self.refer(shape, suite.refers[other], node, chain, within)
        for other in range(suite.test_count):
            if may_fail(&suite.tests[other], written, given) and (
                    self.violated(shape, node, &suite.tests[other], chain)):
                self.violate(shape, node, <object> suite.tests[other].row, within)

    cdef int violate(self, Shape* shape, PyObject* node, object rule, object within) except -1:
        """Keep a violation, unless there are so many of the rule that nobody sees it."""
        count = self.counts.get(id(rule), 0) + 1
        self.counts[id(rule)] = count
        if count <= MOST_VIOLATIONS:
            self.violations.append((<object> node, <object> shape.row, rule))
            if within is not None:
                self.classes[id(<object> node)] = within

    cdef bint has(self, Shape* shape, PyObject* node, int place, Mask given, PyObject* chain) except -1:
        """Whether an attribute is given, by the mask where that holds it."""
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
        value = self.at(shape, node, test.names[0], chain)
        if test.kind == REQUIRED:
            return value == NULL and (not test.conditional or self.holds(shape, node, test, chain) != test.unless)
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
        if test.kind == MULTIPLE:
            return len(<object> value) % (<object> test.row).factor != 0
        if test.kind == NONZERO:
            return not any(components(<object> value)) and not self.holds(shape, node, test, chain)
        if test.kind == UNIT:
            if test.conditional and not self.holds(shape, node, test, chain):
                return False
            return is_far_from_unit(value, test.start, test.tolerance)
        other = self.at(shape, node, test.names[1], chain)
        if other == NULL:
            return False
        if test.kind == DIFFER:
            return <object> value == <object> other
        return any(a > b for a, b in zip(components(<object> value), components(<object> other)))

    cdef bint is_no_inertia(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        cdef PyObject* value
        cdef int index
        moments = []
        for index in range(test.count):
            value = self.at(shape, node, test.names[index], chain)
            if value == NULL and test.names[index].branch == OWN:
                value = shape.fields[test.names[index].field].fallback
            moments.append(0.0 if value == NULL or value == <PyObject*> None else <object> value)
        return inertia_fault(moments) is not None

    cdef bint has_wrong_size(self, Shape* shape, Test* test, PyObject* value, PyObject* word) except -1:
        cdef Form* form = &shape.fields[test.by].forms[0]
        cdef Py_ssize_t size = PyTuple_GET_SIZE(value) if PyTuple_CheckExact(value) else 1
        cdef int index
        for index in range(form.word_count):
            if form.words[index].member == word:
                return not test.sizes[2 * index] <= size <= test.sizes[2 * index + 1]
        return False


cdef inline size_t place_of(PyObject* node) noexcept:
    return (<size_t> node * <size_t> 0x9E3779B97F4A7C15) >> 20


cdef bint may_fail(Test* test, Mask written, Mask given) noexcept:
    """Whether a rule can be violated, by what is given at all; most rules hold by that alone."""
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
    if test.kind in (ASCENDING, DIFFER):
        return mask == test.mask
    return mask != 0


def names_in(rules, namespace):
    """The names of a namespace, declared and built in, with the node that declares each."""
    declared = rules.declared[namespace]
    builtin = rules.format.builtin.get(namespace)
    return {**declared, **dict.fromkeys(builtin)} if builtin else declared


def components(value):
    return value if isinstance(value, tuple) else (value,)


cdef inline double number(PyObject* value) except? -1.0:
    return PyFloat_AS_DOUBLE(value) if PyFloat_CheckExact(value) else PyFloat_AsDouble(value)


cdef int positive(PyObject* value) except -1:
    """With how many positive numbers a value begins."""
    cdef Py_ssize_t index
    if value == <PyObject*> None:
        return 0
    if not PyTuple_CheckExact(value):
        return number(value) > 0
    for index in range(PyTuple_GET_SIZE(value)):
        if not number(PyTuple_GET_ITEM(value, index)) > 0:
            return <int> index
    return <int> PyTuple_GET_SIZE(value)


cdef double least(PyObject* value) except? -1.0:
    """The least of a value's numbers."""
    cdef double low = INFINITY
    cdef Py_ssize_t index
    if not PyTuple_CheckExact(value):
        return number(value)
    for index in range(PyTuple_GET_SIZE(value)):
        low = min(low, number(PyTuple_GET_ITEM(value, index)))
    return low


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
        return False  # its length is another rule's finding
    for index in range(start, start + 4):
        x = number(PyTuple_GET_ITEM(value, index))
        square += x * x
    return not fabs(sqrt(square) - 1.0) <= tolerance
