# cython: language_level=3, boundscheck=False, wraparound=False
"""The elements that a format's own rules examine, stored during the traversal of a document, and queries for
these rules.

A rule should not examine every element: it queries the few that it concerns. Lists of elements and of their
values are in the order of the traversal.
"""

from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport INFINITY, fabs
from libc.stdlib cimport calloc, free, realloc

from polybody.validation.effective cimport MAX_LOOKED_FOR
from polybody.validation.rule_layout cimport MAX_NAMES, Mask, bit
from polybody.document.parser.tables cimport Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    double PyFloat_AS_DOUBLE(PyObject*) noexcept
    bint PyFloat_CheckExact(PyObject*) noexcept
    bint PyTuple_CheckExact(PyObject*) noexcept
    bint PyUnicode_CheckExact(PyObject*) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept


cdef class Kept(Effective):
    """The kept elements of one document, by kind.

    Attributes:
        nodes: element key -> its nodes, for the requested keys.
    """

    def __cinit__(self, Table table, root, keys=()):
        self.kinds = table.shape_count
        self.kept = <Kind*> calloc(self.kinds, sizeof(Kind))
        if self.kept == NULL:
            raise MemoryError
        for key in keys:
            self.kept[<int> table.indices[key]].wanted = True
        self.classes, self.nodes = {}, {}

    def __dealloc__(self):
        cdef int index
        if self.kept != NULL:
            for index in range(self.kinds):
                free(self.kept[index].seen)
            free(self.kept)
            free(self.places)

    cdef int keep(self, Kind* kind, PyObject* node, PyObject* chain, PyObject* parent, Mask given) except -1:
        """Store an element."""
        cdef Seen* element
        if kind.count == kind.capacity:
            kind.capacity = 2 * kind.capacity + 16
            grown = <Seen*> realloc(kind.seen, kind.capacity * sizeof(Seen))
            if grown == NULL:
                raise MemoryError
            kind.seen = grown
        element = &kind.seen[kind.count]
        element.node, element.chain, element.parent, element.given = node, chain, parent, given
        kind.count += 1
        return 0

    cdef list nodes_of(self, int index):
        cdef Kind* kind = &self.kept[index]
        cdef Py_ssize_t at
        return [<object> kind.seen[at].node for at in range(kind.count)]

    # --- queries of the format's own rules ----------------------------------------------------------------

    cdef int asked(self, str key) except -1:
        """The index of a kind whose elements are kept; raises for other kinds, which would seem to have no
        elements.
        """
        cdef int index = self.table.indices[key]
        if not self.kept[index].wanted:
            raise KeyError(f"{key} is not among the NODES of the rules")
        return index

    cdef PyObject* found(self, int index, Seen* element, int place) noexcept:
        """The effective value of an attribute of a kept element, borrowed."""
        cdef Shape* shape = &self.table.shapes[index]
        cdef Mask one = bit(place)
        if one and not element.given & one:
            return self.fallback(shape, element.node, place, element.chain)
        return self.effective(shape, element.node, place, element.chain)

    cdef Seen* seen(self, node) except? NULL:
        """The stored data of a node; NULL if it is not kept."""
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
        """Create the hash table from nodes to their data."""
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
            raise KeyError(f"a <{node.TAG}> is not one of the requested elements")
        return <PyObject*> None if seen.parent == NULL else seen.parent

    def parent(self, node):
        """The parent of a kept node, or None."""
        return <object> self.parent_of(node)

    cdef PyObject* chain_at(self, int index, node) except? NULL:
        """The Chain of defaults of a node of interest."""
        cdef Seen* seen = self.seen(node)
        if seen != NULL:
            return seen.chain
        within = self.classes.get(id(node))
        return self.chain_of(index, <PyObject*> node, NULL if within is None else <PyObject*> within)

    def chain(self, node, row):
        """The defaults elements that apply to a node of interest, or None."""
        cdef PyObject* found = self.chain_at(self.table.indices[row.key], node)
        return None if found == NULL else <object> found

    def value(self, node, row, str name):
        """The effective value of an attribute of a node of interest."""
        cdef int index = self.table.indices[row.key]
        cdef int place = self.table.place_of(index, name)
        cdef PyObject* chain = self.chain_at(index, node)
        return <object> self.effective(&self.table.shapes[index], <PyObject*> node, place, chain)

    def select(self, str key, str name, values):
        """The kept nodes of a kind whose effective value of an attribute is one of some keywords."""
        cdef int index = self.asked(key), place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef Py_ssize_t at
        found = []
        for at in range(kind.count):
            value = self.found(index, &kind.seen[at], place)
            for each in values:
                if <PyObject*> each == value:
                    found.append(<object> kind.seen[at].node)
        return found

    def having(self, str key, str name):
        """The kept nodes of a kind on which an attribute is written; none if its release lacks it."""
        cdef int index = self.asked(key), place
        cdef Kind* kind = &self.kept[index]
        cdef Mask one
        cdef Py_ssize_t at
        found = []
        if kind.count == 0:
            return found
        try:
            place = self.table.place_of(index, name)
        except KeyError:
            return found
        one = bit(place)
        for at in range(kind.count):
            if (not one or kind.seen[at].given & one) and (
                    self.written(&self.table.shapes[index], kind.seen[at].node, place) != NULL):
                found.append(<object> kind.seen[at].node)
        return found

    def giving(self, str key, str name, *others):
        """The kept nodes of a kind on which an attribute is written or has a default; each with that value,
        and the effective values of some other attributes.
        """
        cdef int index = self.asked(key), place = self.table.place_of(index, name), other
        cdef Kind* kind = &self.kept[index]
        cdef Seen* element
        cdef PyObject* value
        cdef Mask one = bit(place)
        cdef Py_ssize_t at
        places = [self.table.place_of(index, each) for each in others]
        found = []
        for at in range(kind.count):
            element = &kind.seen[at]
            if one and not element.given & one:
                continue
            value = self.given(&self.table.shapes[index], element.node, place, element.chain)
            if value != NULL:
                row = [<object> element.node, <object> value]
                for other in places:
                    row.append(<object> self.found(index, element, other))
                found.append(row)
        return found

    def bare(self, str key, *names):
        """The kept nodes of a kind without any of some children and attributes."""
        cdef int index = self.asked(key), place
        cdef Shape* shape = &self.table.shapes[index]
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* node
        cdef Py_ssize_t at
        cdef bint bare
        row = <object> shape.row
        children = [place for place, child in enumerate(row.children) if child.tag in names]
        attributes = [place for place, each in enumerate(row.attributes) if each.name in names]
        found = []
        for at in range(kind.count):
            node = kind.seen[at].node
            bare = True
            for place in attributes:
                bare = bare and self.written(shape, node, place) == NULL
            for place in children:
                if not bare:
                    break
                bare = (not self.has_child(shape, node, place) if place < MAX_LOOKED_FOR
                        else self.table.first(shape, node, place) == NULL)
            if bare:
                found.append(<object> node)
        return found

    def unsized(self, str key, str name, Py_ssize_t size):
        """The kept nodes of a kind on which a vector is not written, or has another size."""
        cdef int index = self.asked(key), place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef Py_ssize_t at
        found = []
        for at in range(kind.count):
            value = self.written(&self.table.shapes[index], kind.seen[at].node, place)
            if value == NULL or not PyTuple_CheckExact(value) or PyTuple_GET_SIZE(value) != size:
                found.append(<object> kind.seen[at].node)
        return found

    def column(self, str key, str name):
        """The effective values of an attribute of the kept nodes of a kind."""
        cdef int index = self.asked(key), place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef Py_ssize_t at
        return [<object> self.found(index, &kind.seen[at], place) for at in range(kind.count)]

    def words(self, str key, str name):
        """The distinct effective values of a text attribute of the kept nodes of a kind."""
        cdef int index = self.asked(key), place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef Py_ssize_t at
        found = set()
        for at in range(kind.count):
            value = self.found(index, &kind.seen[at], place)
            if PyUnicode_CheckExact(value):
                found.add(<object> value)
        return found

    def parents(self, str key):
        """The parents of the kept nodes of a kind."""
        cdef Kind* kind = &self.kept[self.asked(key)]
        cdef Py_ssize_t at
        return [None if kind.seen[at].parent == NULL else <object> kind.seen[at].parent for at in range(kind.count)]

    def along(self, list nodes, str key, str tag, str name):
        """The written values of an attribute of the first child with a tag of nodes of a kind or, without a
        tag, of an attribute of the nodes themselves; None where nothing is written.
        """
        cdef int index = self.table.indices[key], branch = -1, place
        cdef Shape* shape = &self.table.shapes[index]
        cdef Shape* below = shape
        cdef PyObject* node
        cdef PyObject* value
        if not nodes:
            return []
        if tag:
            branch = [child.tag for child in (<object> shape.row).children].index(tag)
            index = shape.branches[branch].shape
            below = &self.table.shapes[index]
        place = self.table.place_of(index, name)
        found = []
        for each in nodes:
            node = <PyObject*> each
            if Py_TYPE(node) != shape.cls:
                raise TypeError(f"a {type(each).__name__} is not a {key}")
            if tag:
                node = self.table.first(shape, node, branch)
            value = NULL if node == NULL else self.written(below, node, place)
            found.append(None if value == NULL else <object> value)
        return found

    def homes(self, nodes, through):
        """The nearest ancestors of kept nodes that are not of some classes, whose elements are kept as
        well.
        """
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
        """The kept nodes of a kind with an effective number, or one of several, below a bound."""
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef PyObject* last = NULL
        cdef bint less = False
        cdef Py_ssize_t at
        found = []
        for at in range(kind.count):
            value = self.found(index, &kind.seen[at], place)
            if value != last:  # many elements may share a default
                last, less = value, value != <PyObject*> None and least(value) < bound
            if less:
                found.append(<object> kind.seen[at].node)
        return found

    def beyond(self, str key, str name, double bound):
        """The kept nodes of a kind on which a number is written whose absolute value exceeds a bound."""
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef Py_ssize_t at
        found = []
        for at in range(kind.count):
            value = self.written(&self.table.shapes[index], kind.seen[at].node, place)
            if value != NULL and fabs(number(value)) > bound:
                found.append(<object> kind.seen[at].node)
        return found

    def unbalanced(self, str key, str name):
        """The kept nodes of a kind on which three numbers are written that cannot be principal moments of
        inertia: one is negative, or greater than the sum of the other two.
        """
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef Kind* kind = &self.kept[index]
        cdef PyObject* value
        cdef double a, b, c
        cdef Py_ssize_t at
        found = []
        for at in range(kind.count):
            value = self.written(&self.table.shapes[index], kind.seen[at].node, place)
            if value == NULL:
                continue
            a, b, c = <tuple> value
            if not (0 <= a <= b + c and 0 <= b <= a + c and 0 <= c <= a + b):
                found.append(<object> kind.seen[at].node)
        return found

    def lacking(self, str key, str name, str by, dict needs, dict enough):
        """The kept nodes of a kind whose vector begins with fewer positive numbers than its shape needs.

        by, needs: the attribute with the shape, and the number that each keyword needs.
        enough: by the names of other attributes, the number that is sufficient if that attribute is given.
        """
        cdef int index = self.table.indices[key], place = self.table.place_of(index, name)
        cdef int other = self.table.place_of(index, by), most
        cdef Kind* kind = &self.kept[index]
        cdef Seen* element
        cdef PyObject* keyword
        cdef PyObject* words[MAX_NAMES]
        cdef int counts[MAX_NAMES]
        cdef int word, count = 0
        cdef Py_ssize_t at
        if len(needs) > MAX_NAMES:
            raise ValueError(f"{key}: more than {MAX_NAMES} keywords")
        for known, need in needs.items():
            words[count], counts[count] = <PyObject*> known, need
            count += 1
        others = [(self.table.place_of(index, each), count) for each, count in enough.items()]
        found = []
        for at in range(kind.count):
            element = &kind.seen[at]
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


cdef inline size_t place_of(PyObject* node) noexcept:
    return (<size_t> node * <size_t> 0x9E3779B97F4A7C15) >> 20


cdef inline double number(PyObject* value) except? -1.0:
    return PyFloat_AS_DOUBLE(value) if PyFloat_CheckExact(value) else PyFloat_AsDouble(value)


cdef int positive(PyObject* value) except -1:
    """The number of positive numbers at the beginning of a value."""
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
    """The minimum of a value's numbers."""
    cdef double low = INFINITY
    cdef Py_ssize_t index
    if not PyTuple_CheckExact(value):
        return number(value)
    for index in range(PyTuple_GET_SIZE(value)):
        low = min(low, number(PyTuple_GET_ITEM(value, index)))
    return low
