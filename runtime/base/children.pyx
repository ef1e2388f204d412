# cython: language_level=3, boundscheck=False, wraparound=False
"""The children of document nodes: one list of them all, in the document's order, and a view of it per field.

A node keeps its children in one list, `Children`, the only place where their order is written. The field of a
child that may occur once looks for it there; the field of repeated children is a `ChildList`, a list of those
of one kind. It is made when it is first asked for and is kept up to date by every edit; an edit of it is an
edit of the node's children. Readers that only look, and for many nodes, ask `children_of` and `held`, which
make nothing that is kept.
"""

cimport cython
from cpython.object cimport PyObject, PyTypeObject

from polybody.base.slots cimport new_reference, set_slot, slot_at, slot_offset

from polybody.base.slotted import member

cdef extern from "Python.h":
    PyObject* PyDict_GetItemWithError(object, object) except? NULL
    Py_ssize_t PyList_GET_SIZE(object) noexcept
    PyObject* PyList_GET_ITEM(object, Py_ssize_t) noexcept
    int PyList_Append(object, object) except -1
    int PyList_Insert(object, Py_ssize_t, object) except -1
    int PyList_SetSlice(object, Py_ssize_t, Py_ssize_t, object) except -1
    PyTypeObject* Py_TYPE(PyObject*) noexcept
    bint PyObject_TypeCheck(object, PyTypeObject*) noexcept

cdef PyTypeObject* node_class = NULL
cdef Py_ssize_t children_slot = -1


def place_children(cls):
    """Note where nodes of a class, and of those derived from it, keep their children: `_children`."""
    global node_class, children_slot
    node_class, children_slot = <PyTypeObject*> cls, slot_offset(member(cls, "_children"))


cdef class Kinds:
    """The kinds of children that an element class takes, and the tag by which it is itself taken.

    Attributes:
        tag: "*" for elements that each have a tag of their own; what takes them has that, or "*".
        tags, fields, many: of each kind of child in the schema's order.
        ordered: whether the order between children of different kinds means something.
        ranks: of each kind, those that alternate having the same; None where `ordered` says where a child goes.
    """

    def __cinit__(self, cls):
        self.tag = cls.TAG if isinstance(cls.TAG, str) else "*"
        self.tags = tuple(cls.CHILDREN)
        self.fields = tuple([field for field, _ in cls.CHILDREN.values()])
        self.many = tuple([many for _, many in cls.CHILDREN.values()])
        self.ordered = cls.ORDERED
        self.ranks = getattr(cls, "RANKS", None)
        self.places = {tag: place for place, tag in enumerate(self.tags)}
        self.by_field = {field: place for place, field in enumerate(self.fields)}
        self.known = {}

    def descriptors(self):
        """For each field what gives a node its attribute."""
        return {
            field: Repeated(place) if self.many[place] else Single(place)
            for place, field in enumerate(self.fields)
        }

    cdef int of(self, PyObject* child) except -2:
        """The place of a child among the kinds; -1: it is none of them."""
        cdef size_t address = <size_t> Py_TYPE(child)
        cdef int slot = (address >> 4 ^ address >> 9) & (LATEST - 1)
        if self.latest[slot] == Py_TYPE(child):
            return self.latest_places[slot]
        cls = <object> Py_TYPE(child)
        cdef PyObject* found = PyDict_GetItemWithError(self.known, cls)
        if found != NULL:
            self.latest[slot], self.latest_places[slot] = Py_TYPE(child), <object> found
            return self.latest_places[slot]
        kinds = getattr(cls, "_kinds", None)
        if not isinstance(kinds, Kinds):
            return -1
        if (<Kinds> kinds).tag == "*":
            return self.place_of_tag((<object> child).TAG)
        place = self.places.get((<Kinds> kinds).tag, -1)
        self.known[cls] = place
        return place

    cdef int place_of_tag(self, tag) except -2:
        """The place of an element with a tag of its own; where case does not count, it may be spelt otherwise."""
        if not isinstance(tag, str):
            return -1
        place = self.places.get(tag, self.places.get("*"))
        if place is None:
            place = next((place for known, place in self.places.items() if known.lower() == tag.lower()), -1)
        return place

    cdef int admit(self, child) except -1:
        """The place of a child among the kinds.

        Raises:
            TypeError: it is no element.
            ValueError: it is of no such kind.
        """
        cdef int place = self.of(<PyObject*> child)
        if place >= 0:
            return place
        if node_class == NULL or not PyObject_TypeCheck(child, node_class):
            raise TypeError(f"<{self.tag}> contains elements, not {child!r:.60}")
        raise ValueError(f"<{self.tag}> does not allow <{child.TAG}>; it allows {', '.join(self.tags) or 'no elements'}")

    cdef int place_for(self, children, int kind) except -1:
        """Where among children one more of a kind goes: to the end where order means something, else behind
        the last that the schema has no later.
        """
        cdef Py_ssize_t place = PyList_GET_SIZE(children)
        if self.ranks is not None:
            while place and self.ranks[self.of(PyList_GET_ITEM(children, place - 1))] > self.ranks[kind]:
                place -= 1
        elif not self.ordered:
            while place and self.of(PyList_GET_ITEM(children, place - 1)) > kind:
                place -= 1
        return <int> place


@cython.no_gc_clear
cdef class Children(list):
    """All children of one node, in the document's order. Editing it edits the views of it."""

    def __dealloc__(self):
        cdef ChildList view = self.views
        while view is not None:
            view.home = NULL
            view = view.next

    cdef ChildList view(self, int kind):
        """The list of the children of a kind, made when first asked for."""
        cdef ChildList view = self.views
        while view is not None:
            if view.kind == kind:
                return view
            view = view.next
        view = ChildList.__new__(ChildList)
        PyList_SetSlice(view, 0, 0, of_kind(self, self.kinds, kind))
        view.home, view.kinds, view.kind, view.next = <PyObject*> self, self.kinds, kind, self.views
        self.views = view
        return view

    cdef int replace(self, list made) except -1:
        """Have other children."""
        cdef ChildList view = self.views
        PyList_SetSlice(self, 0, PyList_GET_SIZE(self), made)
        while view is not None:
            PyList_SetSlice(view, 0, PyList_GET_SIZE(view), of_kind(self, self.kinds, view.kind))
            view = view.next
        return 0

    cdef int settle(self, int kind, list cells) except -1:
        """Have other children of one kind; see `ChildList.cells`.

        Those that stay keep the places that they have together. What is new takes the place of what is gone
        between the same two, otherwise it goes right before the one that follows it; behind the last, it goes where
        one more goes.
        """
        cdef Py_ssize_t place
        cdef int at
        places = [place for place in range(PyList_GET_SIZE(self))
                  if self.kinds.of(PyList_GET_ITEM(self, place)) == kind]
        stay = {cell[0] for cell in cells if 0 <= cell[0] < len(places)}
        kept = [places[old] for old in sorted(stay)]
        gone = [[] for _ in range(len(kept) + 1)]  # places that become free, by how many that stay are before
        passed = 0
        for old, place in enumerate(places):
            if old in stay:
                passed += 1
            else:
                gone[passed].append(place)
        put = {place: [] for place in places}
        waiting = []
        passed = 0
        for old, node in cells:
            if old not in stay:
                waiting.append(node)
                continue
            stay.remove(old)  # if it is there once more, that one is new
            rest = fill(put, gone[passed], waiting)
            put[kept[passed]] = [*rest, node]
            waiting = []
            passed += 1
        rest = fill(put, gone[passed], waiting)
        made = []
        for place in range(PyList_GET_SIZE(self)):
            if place in put:
                made.extend(put[place])
            else:
                made.append(<object> PyList_GET_ITEM(self, place))
        if rest:
            at = self.kinds.place_for(made, kind)
            made[at:at] = rest
        PyList_SetSlice(self, 0, PyList_GET_SIZE(self), made)
        return 0

    def append(self, node):
        if self.kinds is None:
            list.append(self, node)
            return
        cdef int kind = self.kinds.admit(node)
        cdef ChildList view = self.views
        if not self.kinds.many[kind]:
            self[len(self):] = (node,)
            return
        PyList_Append(self, node)
        while view is not None:
            if view.kind == kind:
                PyList_Append(view, node)
            view = view.next

    def __setitem__(self, index, value):
        made = list(self)
        made[index] = value
        if self.kinds is not None:
            check(self.kinds, made)
        self.replace(made)

    def __delitem__(self, index):
        made = list(self)
        del made[index]
        self.replace(made)

    def extend(self, nodes):
        self[len(self):] = nodes

    def insert(self, index, node):
        self[index:index] = (node,)

    def remove(self, node):
        del self[self.index(node)]

    def pop(self, index=-1):
        node = self[index]
        del self[index]
        return node

    def clear(self):
        del self[:]

    def reverse(self):
        self[:] = self[::-1]

    def sort(self, *, key=None, reverse=False):
        self[:] = sorted(self, key=key, reverse=reverse)

    def __iadd__(self, nodes):
        self[len(self):] = nodes
        return self

    def __imul__(self, count):
        self[:] = self * count
        return self

    def __reduce_ex__(self, protocol):
        return list, (list(self),)


cdef list fill(dict put, list free, list nodes):
    """Put nodes at places that are free; returns those for which there is none."""
    for place, node in zip(free, nodes):
        put[place].append(node)
    return nodes[len(free):]


cdef int check(Kinds kinds, children) except -1:
    """Refuse what cannot be the children of an element."""
    cdef int kind
    met = set()
    for child in children:
        kind = kinds.admit(child)
        if not kinds.many[kind]:
            if kind in met:
                raise ValueError(f"<{kinds.tag}> allows only one <{child.TAG}>")
            met.add(kind)
    return 0


cdef class ChildList(list):
    """The children of one kind of one node. Editing it edits the node's children; when the node is gone, it
    is an ordinary list.
    """

    cdef list cells(self):
        """Its elements, each with the place that it has."""
        return list(enumerate(self))

    cdef object fresh(self, node):
        """An element that is to come, as a cell."""
        if self.home != NULL and self.kinds.admit(node) != self.kind:
            field, tag = self.kinds.fields[self.kind], self.kinds.tags[self.kind]
            raise ValueError(f"`{field}` of <{self.kinds.tag}> contains <{tag}>, not <{node.TAG}>")
        return -1, node

    cdef int settle(self, list cells) except -1:
        """Have other elements: cells from `cells`, and `fresh` ones."""
        made = [node for _, node in cells]
        if self.home != NULL:
            (<Children> self.home).settle(self.kind, cells)
        PyList_SetSlice(self, 0, PyList_GET_SIZE(self), made)
        return 0

    def append(self, node):
        cdef int place
        cell = self.fresh(node)
        if self.home != NULL:
            place = self.kinds.place_for(<object> self.home, self.kind)
            PyList_Insert(<object> self.home, place, node)
        PyList_Append(self, node)

    def __setitem__(self, index, value):
        cells = self.cells()
        if not isinstance(index, slice):
            cells[index] = cells[index] if cells[index][1] is value else self.fresh(value)
        else:
            there = {}  # what is there already and is put there again stays
            for cell in cells[index]:
                there.setdefault(id(cell[1]), []).append(cell)
            cells[index] = [there[id(node)].pop(0) if there.get(id(node)) else self.fresh(node) for node in value]
        self.settle(cells)

    def __delitem__(self, index):
        cells = self.cells()
        del cells[index]
        self.settle(cells)

    def extend(self, nodes):
        self[len(self):] = nodes

    def insert(self, index, node):
        self[index:index] = (node,)

    def remove(self, node):
        del self[self.index(node)]

    def pop(self, index=-1):
        node = self[index]
        del self[index]
        return node

    def clear(self):
        del self[:]

    def reverse(self):
        self[:] = self[::-1]

    def sort(self, *, key=None, reverse=False):
        self[:] = sorted(self, key=key, reverse=reverse)

    def __iadd__(self, nodes):
        self[len(self):] = nodes
        return self

    def __imul__(self, count):
        self[:] = self * count
        return self

    def __reduce_ex__(self, protocol):
        return list, (list(self),)


# --- nodes -----------------------------------------------------------------------------------------------


cdef Children new_children(Kinds kinds):
    """The list of a node that has no children yet."""
    cdef Children children = Children.__new__(Children)
    children.kinds = kinds
    return children


cdef int require(node) except -1:
    if node_class == NULL or not PyObject_TypeCheck(node, node_class):
        raise TypeError(f"expected an element, not {node!r:.60}")
    return 0


cdef Kinds kinds_of(node):
    require(node)
    return type(node)._kinds


cdef PyObject* peek(node) except? NULL:
    """The list of a node's children, borrowed; NULL where it has none."""
    cdef PyObject* found
    if children_slot >= 0:
        found = slot_at(<PyObject*> node, children_slot)[0]
    else:
        found = <PyObject*> node._children  # the node keeps it alive
    if found == NULL or found == <PyObject*> None:
        return NULL
    if Py_TYPE(found) != <PyTypeObject*> Children:
        raise TypeError(f"the children of a <{node.TAG}> are not in such a list")
    return found


def all_children(node):
    """The list of all children of a node, made when first asked for."""
    kinds = kinds_of(node)
    cdef PyObject* found = peek(node)
    if found != NULL:
        return <object> found
    children = new_children(kinds)
    if peek(node) == NULL:  # making it may have let others run
        if children_slot >= 0:
            set_slot(<PyObject*> node, children_slot, new_reference(children))
        else:
            node._children = children
    return <object> peek(node)


def children_of(node):
    """The children of a node, to be read only: no list is made where there are none."""
    require(node)
    cdef PyObject* found = peek(node)
    return () if found == NULL else <object> found


def held(node, str field):
    """The children in one field of a node, to be read only; none where the node has no such field."""
    require(node)
    cdef PyObject* found = peek(node)
    if found == NULL:
        return []
    cdef Kinds kinds = (<Children> found).kinds
    if field not in kinds.by_field:
        return []
    return of_kind(<object> found, kinds, kinds.by_field[field])


def grouped(node):
    """The children of a node by their kinds, in the schema's order; those of a kind in the document's."""
    cdef Kinds kinds = kinds_of(node)
    cdef PyObject* found = peek(node)
    return [] if found == NULL else sorted(<object> found, key=lambda child: kinds.of(<PyObject*> child))


def found_below(root, dict classes):
    """The elements of some classes among an element and all below it, in the document's order.

    Args:
        root: where the search begins.
        classes: whether elements of a class are wanted; it goes on below those that are here.
    """
    cdef list stack = [root], found = []
    cdef PyObject* below
    cdef PyObject* child
    cdef Py_ssize_t place
    while stack:
        node = stack.pop()
        if classes[type(node)]:
            found.append(node)
        below = peek(node)
        if below == NULL:
            continue
        place = PyList_GET_SIZE(<object> below)
        while place:
            place -= 1
            child = PyList_GET_ITEM(<object> below, place)
            if PyDict_GetItemWithError(classes, <object> Py_TYPE(child)) != NULL:
                stack.append(<object> child)
    return found


cdef list of_kind(children, Kinds kinds, int kind):
    """The children of one kind."""
    cdef Py_ssize_t place
    cdef PyObject* child
    found = []
    for place in range(PyList_GET_SIZE(children)):
        child = PyList_GET_ITEM(children, place)
        if kinds.of(child) == kind:
            PyList_Append(found, <object> child)
    return found


cdef class Repeated:
    """The field of children that may occur several times."""

    cdef int kind

    def __cinit__(self, int kind):
        self.kind = kind

    def __get__(self, node, owner):
        if node is None:
            return self
        return (<Children> all_children(node)).view(self.kind)

    def __set__(self, node, nodes):
        if isinstance(nodes, (str, bytes)) or isinstance(getattr(type(nodes), "_kinds", None), Kinds):
            field = kinds_of(node).fields[self.kind]
            raise TypeError(f"`{field}` of <{kinds_of(node).tag}> must be a list of elements, not {nodes!r:.60}")
        if peek(node) != NULL or nodes:
            self.__get__(node, None)[:] = nodes

    def __delete__(self, node):
        self.__set__(node, ())


cdef class Single:
    """The field of a child that may occur once."""

    cdef int kind

    def __cinit__(self, int kind):
        self.kind = kind

    cdef Py_ssize_t find(self, node) except -2:
        """The place of the child among all; -1: there is none."""
        require(node)
        cdef PyObject* found = peek(node)
        cdef Kinds kinds
        cdef Py_ssize_t place
        if found != NULL:
            kinds = (<Children> found).kinds
            for place in range(PyList_GET_SIZE(<object> found)):
                if kinds.of(PyList_GET_ITEM(<object> found, place)) == self.kind:
                    return place
        return -1

    def __get__(self, node, owner):
        if node is None:
            return self
        cdef Py_ssize_t place = self.find(node)
        return None if place < 0 else <object> PyList_GET_ITEM(<object> peek(node), place)

    def __set__(self, node, child):
        cdef Kinds kinds = kinds_of(node)
        cdef Py_ssize_t place = self.find(node)
        if child is None:
            if place >= 0:
                del all_children(node)[place]
            return
        if not isinstance(getattr(type(child), "_kinds", None), Kinds):
            field, tag = kinds.fields[self.kind], kinds.tags[self.kind]
            raise TypeError(f"`{field}` of <{kinds.tag}> must be a <{tag}> element, not {child!r:.60}")
        if kinds.admit(child) != self.kind:
            field, tag = kinds.fields[self.kind], kinds.tags[self.kind]
            raise ValueError(f"`{field}` of <{kinds.tag}> must be a <{tag}>, not a <{child.TAG}>")
        children = all_children(node)
        if place >= 0:
            children[place] = child
        else:
            place = kinds.place_for(children, self.kind)
            children[place:place] = (child,)

    def __delete__(self, node):
        self.__set__(node, None)
