# cython: language_level=3, boundscheck=False, wraparound=False
"""Classes whose fields are all slots: a fast constructor, and slots that are None until they are set.

`record` gives a class a constructor with the signature of the generated one that runs no Python code: it
allocates an instance and writes values and defaults to its slots. Lowering creates thousands of small
objects, most of whose fields have their defaults. Compiled modules pass fields by position, and state which
by `positional`.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.object cimport PyObject, PyTypeObject

from dataclasses import MISSING, fields

from polybody.base.slots cimport allocate_items, first_item, new_reference, set_slot, slot_at, slot_offset

cdef extern from "Python.h":
    bint PyObject_TypeCheck(object, PyTypeObject*) noexcept
    Py_ssize_t PyVectorcall_NARGS(size_t) noexcept
    PyObject* PyDict_GetItemWithError(object, object) except? NULL
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept

cdef extern from *:
    """
    /* Sets the constructor of a class. Subclasses do not inherit it. */
    static void set_constructor(PyTypeObject *type, vectorcallfunc function) { type->tp_vectorcall = function; }
    static PyObject *made_slowly(PyObject *type, PyObject *args, PyObject *names) {
        return PyType_Type.tp_call(type, args, names);
    }
    """
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*)
    void set_constructor(PyTypeObject*, vectorcallfunc) noexcept
    object made_slowly(object, object, object)

cdef struct Slot:
    Py_ssize_t offset
    PyObject* default  # NULL if none

cdef dict layouts = {}  # by class


cdef class Layout:
    """The offsets and defaults of the fields of a class.

    The fields of a named tuple are its items; it has no slots.
    """

    cdef tuple names
    cdef dict places  # of fields, by name
    cdef list defaults  # MISSING if there is none
    cdef list makers  # default factories, or None
    cdef Py_ssize_t count
    cdef Slot* slots
    cdef bint tuple
    cdef object keywords  # of the last call that had any: a call site always passes the same object
    cdef Py_ssize_t* keyword_places

    def __cinit__(self, cls):
        cdef Py_ssize_t place
        self.tuple = issubclass(cls, tuple)
        if self.tuple:
            self.names = cls._fields
            self.defaults = [cls._field_defaults.get(name, MISSING) for name in self.names]
            self.makers = [None] * len(self.names)
        else:
            self.names = tuple([field.name for field in fields(cls)])
            self.defaults = [field.default for field in fields(cls)]
            factories = [field.default_factory for field in fields(cls)]
            self.makers = [None if each is MISSING else each for each in factories]
            if any(not field.init or field.kw_only for field in fields(cls)) or hasattr(cls, "__post_init__"):
                raise TypeError(f"{cls.__name__} has fields that a record does not take")
        self.places = {name: place for place, name in enumerate(self.names)}
        self.count = len(self.names)
        self.slots = <Slot*> PyMem_Malloc((self.count + 1) * sizeof(Slot))
        self.keyword_places = <Py_ssize_t*> PyMem_Malloc((self.count + 1) * sizeof(Py_ssize_t))
        if self.slots == NULL or self.keyword_places == NULL:
            raise MemoryError
        for place in range(self.count):
            self.slots[place].offset = 0 if self.tuple else slot_offset(getattr(cls, self.names[place], None))
            if self.slots[place].offset < 0:
                raise TypeError(f"{cls.__name__} has no slot for {self.names[place]}")
            self.slots[place].default = NULL
            if self.defaults[place] is not MISSING:
                self.slots[place].default = <PyObject*> self.defaults[place]  # kept alive by the list

    def __dealloc__(self):
        PyMem_Free(self.slots)
        PyMem_Free(self.keyword_places)

    cdef bint look_up(self, PyObject* keywords) except -1:
        """Find the fields named by the keywords; returns False if one is unknown, or if there are too
        many.
        """
        cdef Py_ssize_t place
        cdef PyObject* found
        self.keywords = None
        if PyTuple_GET_SIZE(keywords) > self.count:
            return False
        for place in range(PyTuple_GET_SIZE(keywords)):
            found = PyDict_GetItemWithError(self.places, <object> PyTuple_GET_ITEM(keywords, place))
            if found == NULL:
                return False
            self.keyword_places[place] = <object> found
        self.keywords = <object> keywords
        return True


def record(cls):
    """Give a dataclass with slots, or a named tuple, a fast constructor.

    Raises:
        TypeError: a field is not a slot, or not an argument that can be positional or named.
    """
    layouts[cls] = Layout(cls)
    set_constructor(<PyTypeObject*> cls, <vectorcallfunc> made)
    return cls


def positional(cls, *names):
    """The class, for callers that pass its first fields by position.

    Args:
        cls: a class with a constructor by `record`.
        names: the fields that they pass, in that order.

    Raises:
        TypeError: the class's fields are others, or in another order.
    """
    cdef Layout layout = layouts[cls]
    if layout.names[:len(names)] != names:
        known, asked = ", ".join(layout.names), ", ".join(names)
        raise TypeError(f"the fields of {cls.__name__} are {known}, and compiled code passes {asked}")
    return cls


cdef object made(PyObject* cls, PyObject* const* args, size_t flagged, PyObject* keywords):
    """A new instance; arguments as in any call."""
    cdef Layout layout = <Layout> PyDict_GetItemWithError(layouts, <object> cls)
    cdef Py_ssize_t place, given = PyVectorcall_NARGS(flagged)
    cdef Py_ssize_t named = 0 if keywords == NULL else PyTuple_GET_SIZE(keywords)
    cdef PyObject** slot
    if given > layout.count:
        return slowly(cls, args, given, keywords)
    new = allocate_items(<PyTypeObject*> cls, layout.count if layout.tuple else 0)
    for place in range(given):
        slot_of(layout, new, place)[0] = new_reference(<object> args[place])
    # Until the end of the next loop no code runs that could create another instance and change the layout.
    if named and keywords != <PyObject*> layout.keywords and not layout.look_up(keywords):
        return slowly(cls, args, given, keywords)
    for place in range(named):
        slot = slot_of(layout, new, layout.keyword_places[place])
        if slot[0] != NULL:
            return slowly(cls, args, given, keywords)
        slot[0] = new_reference(<object> args[given + place])
    for place in range(given, layout.count):
        slot = slot_of(layout, new, place)
        if slot[0] != NULL:
            continue
        if layout.slots[place].default != NULL:
            slot[0] = new_reference(<object> layout.slots[place].default)
            continue
        make = layout.makers[place]
        if make is None:
            return slowly(cls, args, given, keywords)
        slot[0] = new_reference([] if make is list else make())
    return new


cdef inline PyObject** slot_of(Layout layout, new, Py_ssize_t place) noexcept:
    if layout.tuple:
        return first_item(new) + place
    return slot_at(<PyObject*> new, layout.slots[place].offset)


cdef object slowly(PyObject* cls, PyObject* const* args, Py_ssize_t given, PyObject* keywords):
    """Call the original constructor with invalid arguments, so that it raises."""
    cdef Py_ssize_t place
    values = tuple([<object> args[place] for place in range(given)])
    names = {}
    if keywords != NULL:
        for place in range(PyTuple_GET_SIZE(keywords)):
            names[<object> PyTuple_GET_ITEM(keywords, place)] = <object> args[given + place]
    return made_slowly(<object> cls, values, names)


cdef class OrNone:
    """A slot that reads as None until it is set.

    Attributes:
        member: the original slot descriptor.
    """

    cdef readonly object member
    cdef object owner
    cdef Py_ssize_t offset

    def __cinit__(self, cls, str name):
        self.member, self.owner = getattr(cls, name), cls
        self.offset = slot_offset(self.member)
        if self.offset < 0:
            raise TypeError(f"{name} is no slot")

    def __get__(self, instance, cls):
        if instance is None:
            return self
        self.require(instance)
        cdef PyObject* held = slot_at(<PyObject*> instance, self.offset)[0]
        return None if held == NULL else <object> held

    def __set__(self, instance, value):
        self.require(instance)
        set_slot(<PyObject*> instance, self.offset, new_reference(value))

    cdef inline int require(self, instance) except -1:
        if not PyObject_TypeCheck(instance, <PyTypeObject*> self.owner):
            raise TypeError(f"{instance!r:.60} is no {self.owner.__name__}")
        return 0


def member(cls, str name):
    """The original slot descriptor of a class, also if an `OrNone` replaces it."""
    found = getattr(cls, name)
    return found.member if isinstance(found, OrNone) else found
