# cython: language_level=3, boundscheck=False, wraparound=False
"""The children of document nodes: one list of all of them, in the document's order, and one view per field.

A node stores its children in a single list, `Children`, which alone determines their order. The field of a
child that may occur once looks it up there; the field of repeated children is a `ChildList`, a list of those
of one kind. It is created on first access and updated by every edit; editing it edits the node's children.
Code that only reads, and reads many nodes, uses `children_of` and `held`, which create no lists or views.
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
    bint PyObject_TypeCheck(object, PyTypeObject*) noexcept

cdef PyTypeObject* node_class = NULL
cdef Py_ssize_t children_slot = -1
cdef unsigned long long edits = 0  # of any list of children
cdef PyObject* noted_for = NULL  # the list for which something is noted, borrowed
cdef object noted = None
cdef unsigned long long noted_at = 0


def place_children(cls):
    """Set the class of nodes; `_children` is the slot in which its instances store their children."""
    global node_class, children_slot
    node_class, children_slot = <PyTypeObject*> cls, slot_offset(member(cls, "_children"))


cdef class Kinds:
    """The kinds of children that an element class allows, and the element's own tag.

    Attributes:
        tag: "*" for elements whose instances have their own tags; parents allow them by that tag or by "*".
        tags, fields, many: one element per kind of child, in the schema's order.
        ordered: whether the order of children of different kinds is significant.
        ranks: the rank of each kind, equal for kinds that may alternate; None: `ordered` determines the
            position of a new child.
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
        """For each field, the descriptor of the attribute of nodes."""
        return {
            field: Repeated(place) if self.many[place] else Single(place)
            for place, field in enumerate(self.fields)
        }

    cdef int look_up(self, PyObject* child, int slot) except -2:
        """The index of the kind of a child whose class is not in its two slots of the cache; -1: of no kind."""
        cls = <object> Py_TYPE(child)
        cdef PyObject* found = PyDict_GetItemWithError(self.known, cls)
        if found != NULL:
            if self.latest[slot] != NULL:
                self.latest[slot ^ 1], self.latest_places[slot ^ 1] = self.latest[slot], self.latest_places[slot]
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
        """The index of the kind of an element with its own tag; if case is not significant, it may be spelt
        differently.
        """
        if not isinstance(tag, str):
            return -1
        place = self.places.get(tag, self.places.get("*"))
        if place is None:
            place = next((place for known, place in self.places.items() if known.lower() == tag.lower()), -1)
        return place

    cdef int admit(self, child) except -1:
        """The index of the kind of a child.

        Raises:
            TypeError: it is not an element.
            ValueError: it is of no allowed kind.
        """
        cdef int place = kind_of(self, <PyObject*> child)
        if place >= 0:
            return place
        if node_class == NULL or not PyObject_TypeCheck(child, node_class):
            raise TypeError(f"<{self.tag}> contains elements, not {child!r:.60}")
        raise ValueError(f"<{self.tag}> does not allow <{child.TAG}>; it allows {', '.join(self.tags) or 'no elements'}")

    cdef int place_for(self, children, int kind) except -1:
        """The position of a new child of a kind: at the end if order is significant, else after the last
        child whose kind does not come later in the schema.
        """
        cdef Py_ssize_t place = PyList_GET_SIZE(children)
        if self.ranks is not None:
            while place and self.ranks[kind_of(self, PyList_GET_ITEM(children, place - 1))] > self.ranks[kind]:
                place -= 1
        elif not self.ordered:
            while place and kind_of(self, PyList_GET_ITEM(children, place - 1)) > kind:
                place -= 1
        return <int> place


cdef class EditedList(list):
    """A list whose subclasses define `append`, and assignment and deletion of items and slices; every other edit is
    one of these. It is pickled and copied as an ordinary list.
    """

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


@cython.no_gc_clear
cdef class Children(EditedList):
    """All children of one node, in the document's order. Edits also update its views."""

    def __dealloc__(self):
        global noted_for, noted
        cdef ChildList view = self.views
        while view is not None:
            view.home = NULL
            view = view.next
        if <PyObject*> self == noted_for:
            noted_for, noted = NULL, None

    cdef ChildList view(self, int kind):
        """The list of the children of a kind, created on first access."""
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
        """Replace all children."""
        global edits
        cdef ChildList view = self.views
        edits += 1
        PyList_SetSlice(self, 0, PyList_GET_SIZE(self), made)
        while view is not None:
            PyList_SetSlice(view, 0, PyList_GET_SIZE(view), of_kind(self, self.kinds, view.kind))
            view = view.next
        return 0

    cdef int settle(self, int kind, list cells) except -1:
        """Replace the children of one kind; see `ChildList.cells`.

        Children that remain keep their positions. A new child takes the position of a removed one between the
        same neighbours; otherwise it is inserted immediately before its successor, or after the last one at
        the position of a new child.
        """
        global edits
        cdef Py_ssize_t place
        cdef int at
        edits += 1
        places = [place for place in range(PyList_GET_SIZE(self))
                  if kind_of(self.kinds, PyList_GET_ITEM(self, place)) == kind]
        stay = {cell[0] for cell in cells if 0 <= cell[0] < len(places)}
        kept = [places[old] for old in sorted(stay)]
        gone = [[] for _ in range(len(kept) + 1)]  # removed positions, by remaining children before
                                                   # before them
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
            stay.remove(old)  # a second occurrence is new
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
        global edits
        edits += 1
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


cdef list fill(dict put, list free, list nodes):
    """Put nodes into free positions; returns those for which there is none."""
    for place, node in zip(free, nodes):
        put[place].append(node)
    return nodes[len(free):]


cdef int check(Kinds kinds, children) except -1:
    """Raise if these cannot be the children of an element."""
    cdef int kind
    met = set()
    for child in children:
        kind = kinds.admit(child)
        if not kinds.many[kind]:
            if kind in met:
                raise ValueError(f"<{kinds.tag}> allows only one <{child.TAG}>")
            met.add(kind)
    return 0


cdef class ChildList(EditedList):
    """The children of one kind of one node. Editing it edits the node's children. After the node is gone, it
    is an ordinary list.
    """

    cdef list cells(self):
        """Its elements, each with its index."""
        return list(enumerate(self))

    cdef object fresh(self, node):
        """A new element, as a cell."""
        if self.home != NULL and self.kinds.admit(node) != self.kind:
            field, tag = self.kinds.fields[self.kind], self.kinds.tags[self.kind]
            raise ValueError(f"`{field}` of <{self.kinds.tag}> contains <{tag}>, not <{node.TAG}>")
        return -1, node

    cdef int settle(self, list cells) except -1:
        """Replace the elements by cells from `cells` and by `fresh` ones."""
        made = [node for _, node in cells]
        if self.home != NULL:
            (<Children> self.home).settle(self.kind, cells)
        PyList_SetSlice(self, 0, PyList_GET_SIZE(self), made)
        return 0

    def append(self, node):
        global edits
        cdef int place
        cell = self.fresh(node)
        edits += 1
        if self.home != NULL:
            place = self.kinds.place_for(<object> self.home, self.kind)
            PyList_Insert(<object> self.home, place, node)
        PyList_Append(self, node)

    def __setitem__(self, index, value):
        cells = self.cells()
        if not isinstance(index, slice):
            cells[index] = cells[index] if cells[index][1] is value else self.fresh(value)
        else:
            there = {}  # existing elements that are kept
            for cell in cells[index]:
                there.setdefault(id(cell[1]), []).append(cell)
            cells[index] = [there[id(node)].pop(0) if there.get(id(node)) else self.fresh(node) for node in value]
        self.settle(cells)

    def __delitem__(self, index):
        cells = self.cells()
        del cells[index]
        self.settle(cells)


# --- nodes -----------------------------------------------------------------------------------------------


cdef Children new_children(Kinds kinds):
    """The list of a node without children."""
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
    """The list of a node's children, borrowed; NULL if it has none."""
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
    """The list of all children of a node, created on first access."""
    kinds = kinds_of(node)
    cdef PyObject* found = peek(node)
    if found != NULL:
        return <object> found
    children = new_children(kinds)
    if peek(node) == NULL:  # creating it may have run other code
        if children_slot >= 0:
            set_slot(<PyObject*> node, children_slot, new_reference(children))
        else:
            node._children = children
    return <object> peek(node)


def children_of(node):
    """The children of a node, read-only; no list is created if there are none."""
    require(node)
    cdef PyObject* found = peek(node)
    return () if found == NULL else <object> found


def held(node, str field):
    """The children in one field of a node, read-only; empty if the node has no such field."""
    require(node)
    cdef PyObject* found = peek(node)
    if found == NULL:
        return []
    cdef Kinds kinds = (<Children> found).kinds
    if field not in kinds.by_field:
        return []
    return of_kind(<object> found, kinds, kinds.by_field[field])


def fields_held(node):
    """The fields of a node in which there are children, a set."""
    require(node)
    cdef PyObject* found = peek(node)
    cdef set fields = set()
    cdef Py_ssize_t place
    cdef int kind, last = -1
    if found != NULL:
        kinds = <Kinds> (<Children> found).kinds
        for place in range(PyList_GET_SIZE(<object> found)):
            kind = kind_of(kinds, PyList_GET_ITEM(<object> found, place))
            if kind >= 0 and kind != last:
                fields.add(kinds.fields[kind])
                last = kind
    return fields


def grouped(node):
    """The children of a node by kind, in the schema's order; those of one kind in the document's order."""
    cdef Kinds kinds = kinds_of(node)
    cdef PyObject* found = peek(node)
    return [] if found == NULL else sorted(<object> found, key=lambda child: kind_of(kinds, <PyObject*> child))


cdef int push_below(list stack, node, dict classes) except -1:
    """Put the children of a node that have one of some classes on a stack, the first of them last."""
    cdef PyObject* below = peek(node)
    cdef PyObject* child
    cdef Py_ssize_t place = 0 if below == NULL else PyList_GET_SIZE(<object> below)
    while place:
        place -= 1
        child = PyList_GET_ITEM(<object> below, place)
        if PyDict_GetItemWithError(classes, <object> Py_TYPE(child)) != NULL:
            stack.append(<object> child)
    return 0


def found_below(root, dict classes):
    """The elements of some classes in a subtree, including its root, in the document's order."""
    cdef list stack = [root], found = []
    while stack:
        node = stack.pop()
        if classes[type(node)]:
            found.append(node)
        push_below(stack, node, classes)
    return found


def note(root, about):
    """Keep something about the elements below another; see children.pyi."""
    global noted_for, noted, noted_at
    cdef PyObject* found = peek(root)
    noted_for, noted, noted_at = found, about if found != NULL else None, edits


def noted_about(root):
    """What is noted about the elements below another; None if there is nothing, or if the children of any
    element changed since.
    """
    cdef PyObject* found = peek(root)
    return noted if found != NULL and found == noted_for and noted_at == edits else None


def grouped_below(root, dict classes):
    """The elements of `found_below`, by class."""
    cdef list stack = [root]
    cdef dict found = {}
    cdef PyObject* group
    while stack:
        node = stack.pop()
        if classes[type(node)]:
            group = PyDict_GetItemWithError(found, type(node))
            if group == NULL:
                found[type(node)] = [node]
            else:
                PyList_Append(<object> group, node)
        push_below(stack, node, classes)
    return found


cdef list of_kind(children, Kinds kinds, int kind):
    """The children of one kind."""
    cdef Py_ssize_t place
    cdef PyObject* child
    found = []
    for place in range(PyList_GET_SIZE(children)):
        child = PyList_GET_ITEM(children, place)
        if kind_of(kinds, child) == kind:
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

    def __cinit__(self, int kind):
        self.kind = kind

    cdef Py_ssize_t find(self, node) except -2:
        """The position of the child among all children; -1: there is none."""
        require(node)
        cdef PyObject* found = peek(node)
        cdef Kinds kinds
        cdef Py_ssize_t place
        if found != NULL:
            kinds = (<Children> found).kinds
            for place in range(PyList_GET_SIZE(<object> found)):
                if kind_of(kinds, PyList_GET_ITEM(<object> found, place)) == self.kind:
                    return place
        return -1

    cdef object of(self, node):
        """The child; None: there is none."""
        require(node)
        return self.within(node)

    cdef object within(self, node):
        """The same for what is known to be an element."""
        cdef PyObject* found = peek(node)
        cdef PyObject* child
        cdef Kinds kinds
        cdef Py_ssize_t place
        if found != NULL:
            kinds = (<Children> found).kinds
            for place in range(PyList_GET_SIZE(<object> found)):
                child = PyList_GET_ITEM(<object> found, place)
                if kind_of(kinds, child) == self.kind:
                    return <object> child
        return None

    def __get__(self, node, owner):
        return self if node is None else self.of(node)

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
