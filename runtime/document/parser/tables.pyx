# cython: language_level=3, boundscheck=False, wraparound=False
"""A format's tables in C: names in hash tables, forms of values as structs, slots of nodes as offsets.

`Table(format)` creates them, once per format; `table_of` caches the result. They are immutable, so that any
number of parses, nested or in threads, share them.
"""


from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_XDECREF
from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp

from polybody.base import UNBOUNDED, Kind, Node, Status, Text, Untyped
from polybody.base.slotted import member

from polybody.document.parser.texts import checker
from polybody.base.children cimport Children, Kinds, kind_of, new_children
from polybody.base.slots cimport allocate, fill_with_none, new_reference, set_slot, slot_at, slot_offset
from polybody.document.parser.forms cimport Field, Form, Word, free_forms, parse_field
from polybody.document.parser.numbers cimport hash_bytes, hash_folded, is_folded

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef str CHILDREN = "_children"

cdef enum:
    MAX_FIELDS = 1 << 14


cdef class Table:
    """The tables of one format, ready for the parser.

    direct: whether slots of nodes are written by their offsets. Otherwise setattr is used, as it also is if
    the interpreter's object layout is not as expected.
    """

    def __cinit__(self, object format, bint direct=True):
        cdef int index
        self.format, self.folds = format, format.folds_case
        self.version = version_number(format.version)
        self.keep = []
        self.indices = {key: index for index, key in enumerate(format.elements)}
        self.lenders = {default.source for default in format.defaults}
        self.shape_count = len(self.indices)
        self.places = [None] * self.shape_count
        self.shapes = <Shape*> calloc(self.shape_count, sizeof(Shape))
        if self.shapes == NULL:
            raise MemoryError
        self.direct = direct and all(has_plain_slots(row) for row in format.elements.values())
        if self.direct:
            self.source_offset = slot_offset(member(Node, "_source"))
            self.position_offset = slot_offset(member(Node, "_position"))
            self.children_offset = slot_offset(member(Node, "_children"))
        for index, row in enumerate(format.elements.values()):
            self.lay_element(&self.shapes[index], row)
        keys = (format.root, *format.roots)
        self.lay_names(&self.roots, [(format.elements[key].tag, self.indices[key], NAME) for key in keys])

    def __dealloc__(self):
        cdef int index, other
        cdef Shape* shape
        if self.shapes == NULL:
            return
        for index in range(self.shape_count):
            shape = &self.shapes[index]
            for other in range(shape.field_count):
                free_forms(&shape.fields[other])
            if shape.text != NULL:
                free_forms(shape.text)
            free(shape.fields)
            free(shape.offsets)
            free(shape.branches)
            free(shape.attributes.slots)
            free(shape.tags.slots)
        free(self.shapes)
        free(self.roots.slots)

    cdef const char* text_of(self, str text, int* length) except NULL:
        cdef bytes encoded = text.encode()
        self.keep.append(encoded)
        length[0] = <int> len(encoded)
        return <const char*> encoded

    cdef void lay_names(self, Names* names, list entries) except *:
        cdef unsigned int size = 4, place
        cdef Name* slot
        while size < 2 * <unsigned int> len(entries):
            size *= 2
        names.slots = <Name*> calloc(size, sizeof(Name))
        if names.slots == NULL:
            raise MemoryError
        names.mask = size - 1
        cdef int length = 0
        for text, target, kind in entries:
            encoded = self.text_of(text.lower() if self.folds else text, &length)
            place = (hash_folded if self.folds else hash_bytes)(encoded, length) & names.mask
            while names.slots[place].text != NULL:
                place = (place + 1) & names.mask
            slot = &names.slots[place]
            slot.text, slot.length, slot.target, slot.kind = encoded, length, target, kind

    cdef void lay_form(self, Form* form, object value, bint guarded) except *:
        cdef int index
        form.kind, form.high = value.kind, 1 if value.scalar else min(value.high, UNBOUNDED)
        form.low = 1 if value.scalar else value.low
        form.scalar, form.finite, form.open = value.scalar, value.finite, value.open
        form.nonempty, form.guarded, form.folds = value.nonempty, guarded, value.folds_case
        form.collapsed, form.spelt_out, form.exact = value.collapsed, value.spelt_out, value.exact
        form.minimum = -INFINITY if value.minimum is None else value.minimum
        form.maximum = INFINITY if value.maximum is None else value.maximum
        form.fixed = NULL if value.fixed is None else <PyObject*> value.fixed  # the row keeps it alive
        if value.numbers:
            form.numbers = <double*> calloc(len(value.numbers), sizeof(double))
            if form.numbers == NULL:
                raise MemoryError
            form.number_count = len(value.numbers)
            for index in range(form.number_count):
                form.numbers[index] = value.numbers[index]
        matches = checker(value)
        if matches is not None:
            self.keep.append(matches)
            form.matches = <PyObject*> matches
        if value.enum is not None:
            members = [member for member in value.enum if member not in value.others]
            self.keep.append(members)
            form.words = <Word*> calloc(len(members), sizeof(Word))
            if form.words == NULL:
                raise MemoryError
            form.word_count = len(members)
            for index, member in enumerate(members):
                form.words[index].text = self.text_of(member.value, &form.words[index].length)
                form.words[index].member = <PyObject*> member

    cdef void lay_field(self, Field* field, object cls, object row, tuple forms) except *:
        cdef int index
        name = row.field
        self.keep.append(name)
        field.row, field.name = <PyObject*> row, <PyObject*> name
        field.fallback = <PyObject*> row.default  # the row keeps it alive
        field.required = row.required
        if not isinstance(row, Text):
            field.prefix, field.unique = self.prefix_of(row.name), row.declares is not None
            field.unsupported = row.status is Status.UNSUPPORTED
            field.since, field.until = version_number(row.since), version_number(row.until)
        field.offset = slot_offset(getattr(cls, name)) if self.direct else 0
        field.forms = <Form*> calloc(len(forms), sizeof(Form))
        if field.forms == NULL:
            raise MemoryError
        field.form_count = len(forms)
        numeric = False
        for index, value in enumerate(forms):
            self.lay_form(&field.forms[index], value, numeric and value.kind == Kind.STRING)
            numeric = numeric or value.kind in (Kind.REAL, Kind.INT)

    cdef PyObject* prefix_of(self, str name):
        """The prefix of a name if documents must declare it, borrowed; otherwise NULL."""
        if self.format.qualified:
            return NULL  # documents choose the prefixes
        prefix = name.partition(":")[0]
        for known in self.format.prefixes:
            if known == prefix and known != name:
                return <PyObject*> known
        return NULL

    cdef bint is_foreign(self, const char* name) except -1:
        """Whether a name has a prefix that does not belong to the format."""
        prefix, colon, _ = (<bytes> name).partition(b":")
        return bool(colon) and prefix.decode("utf-8", "replace") not in self.format.prefixes

    cdef void lay_element(self, Shape* shape, object row) except *:
        cdef int index
        cls = row.cls
        self.keep.append(row)
        shape.row, shape.cls, shape.kinds = <PyObject*> row, <PyTypeObject*> cls, <PyObject*> cls._kinds
        absent = [each for each in row.absent if not hasattr(each, "tag")]
        below = {child.tag: child for child in row.absent if hasattr(child, "tag")}
        below.update([(child.tag, child) for child in row.children])
        if not set((<Kinds> cls._kinds).tags) == below.keys():
            raise ValueError(f"{row.key}: the children of its row are not those of {cls.__name__}")
        here = {id(child) for child in row.children}
        below = [below[tag] for tag in (<Kinds> cls._kinds).tags]  # the order of the branches
        shape.wild, shape.wild_when, shape.untyped = -1, -1, cls is Untyped
        shape.unsupported, shape.prefix = row.status is Status.UNSUPPORTED, self.prefix_of(row.tag)
        if len(row.attributes) + len(absent) + len(below) >= MAX_FIELDS:
            raise ValueError(f"{row.key}: more attributes and children than a table holds")
        shape.fields = <Field*> calloc(len(row.attributes) + len(absent) + 2, sizeof(Field))
        shape.branches = <Branch*> calloc(len(below) + 1, sizeof(Branch))
        if shape.fields == NULL or shape.branches == NULL:
            raise MemoryError
        entries = []
        for index, attribute in enumerate(row.attributes):
            self.lay_field(&shape.fields[index], cls, attribute, attribute.forms)
            shape.field_count = index + 1
            if attribute.name == row.wild_when:
                shape.wild_when = index
            if attribute.leaf:
                continue
            entries.append((attribute.name, index, NAME))
            entries.extend((name, index, ALIAS) for name in attribute.aliases)
            entries.extend((name, index, MISTAKEN) for name in attribute.mistaken)
        self.lay_names(&shape.attributes, entries)
        if row.text is not None:
            shape.text = &shape.fields[shape.field_count]  # after the attributes
            self.lay_field(shape.text, cls, row.text, row.text.forms)
        for index, attribute in enumerate(absent):
            shape.fields[shape.field_count + 1 + index].name = <PyObject*> attribute.field  # the row keeps it alive
            if self.direct:
                shape.fields[shape.field_count + 1 + index].offset = slot_offset(getattr(cls, attribute.field))
            shape.absent_count = index + 1
        for index, child in enumerate(below):
            branch = &shape.branches[index]
            branch.shape, branch.low, branch.high = self.indices[child.element], child.low, child.high
            branch.absent = id(child) not in here
            branch.many, branch.merge, branch.last = child.high > 1, child.merge, child.last
            branch.lends = child.element in self.lenders
            branch.since, branch.until = version_number(child.since), version_number(child.until)
            branch.row = <PyObject*> child
            shape.must_have_children |= child.low > 0
            if child.tag == "*":
                shape.wild, shape.foreign = index, child.foreign
            shape.branch_count = index + 1
        shape.has_content = row.content is not None
        shape.unsupported = row.status == Status.UNSUPPORTED
        shape.stands_for_file = (<str> getattr(row, "include")) == "splice"
        shape.loads = (<str> getattr(row, "include")) == "load"
        shape.keeps = row.keeps
        tags = [(child.tag, index, NAME) for index, child in enumerate(below) if not shape.branches[index].absent]
        for index, attribute in enumerate(row.attributes):
            if attribute.leaf:
                tags.extend((name, index, LEAF) for name in (attribute.name, *attribute.aliases))
        self.lay_names(&shape.tags, tags)
        if self.direct:
            offsets = [slot_offset(member(cls, name)) for name in slot_names(cls)]
            shape.first_slot, shape.slot_count = min(offsets), len(offsets)
            shape.offsets = <Py_ssize_t*> calloc(shape.field_count + 1, sizeof(Py_ssize_t))
            if shape.offsets == NULL:
                raise MemoryError
            for index in range(shape.field_count + (shape.text != NULL)):
                shape.offsets[index] = shape.fields[index].offset

    cdef int place_of(self, int index, str name) except -1:
        """The index of an attribute of an element, or of its text."""
        places = self.places[index]
        if places is None:
            row = <object> self.shapes[index].row
            places = self.places[index] = {}
            for place, value in enumerate((*row.attributes, row.text)):
                if value is not None:
                    (<dict> places).setdefault(value.name, place)
        return (<dict> places)[name]

    # --- nodes --------------------------------------------------------------------------------------------

    cdef object new_node(self, Shape* shape):
        """A node with None in every slot."""
        cdef PyObject* node
        if not self.direct:
            cls = <object> shape.cls
            made = cls.__new__(cls)
            for name in slot_names(cls):
                setattr(made, name, None)
            return made
        node = allocate(shape.cls)
        fill_with_none(slot_at(node, shape.first_slot), shape.slot_count)
        result = <object> node
        Py_DECREF(result)
        return result

    cdef PyObject* peek(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept:
        """The value of a slot, borrowed; NULL if it is empty."""
        if self.direct:
            return slot_at(node, offset)[0]
        try:
            value = getattr(type(<object> node), <str> name).__get__(<object> node)
        except AttributeError:
            return NULL
        return <PyObject*> value  # the node keeps it alive

    cdef void put(self, PyObject* node, Py_ssize_t offset, PyObject* name, PyObject* value) except *:
        """Set a slot, taking over the reference to the value."""
        if self.direct:
            set_slot(node, offset, value)
            return
        try:
            setattr(<object> node, <str> name, <object> value)
        finally:
            Py_XDECREF(value)

    cdef PyObject* children_of(self, PyObject* node) noexcept:
        """The list of a node's children, borrowed; NULL if there is none."""
        cdef PyObject* found
        if self.direct:
            found = slot_at(node, self.children_offset)[0]
        else:
            found = self.peek(node, 0, <PyObject*> CHILDREN)
        return NULL if found == <PyObject*> None else found

    cdef Children children_for(self, Shape* shape, PyObject* node):
        """The list of a node's children, created if there is none."""
        cdef PyObject* found = self.children_of(node)
        if found != NULL:
            return <Children> found
        children = new_children(<Kinds> shape.kinds)
        self.put(node, self.children_offset, <PyObject*> CHILDREN, new_reference(children))
        return children

    cdef PyObject* first(self, Shape* shape, PyObject* node, int branch) noexcept:
        """The first child of a kind, borrowed; NULL if there is none."""
        cdef PyObject* children = self.children_of(node)
        cdef PyObject* child
        cdef Shape* below = &self.shapes[shape.branches[branch].shape]
        cdef Py_ssize_t place
        if children != NULL:
            for place in range(PyList_GET_SIZE(children)):
                child = PyList_GET_ITEM(children, place)
                if Py_TYPE(child) == below.cls and (
                        not below.untyped or kind_of(<Kinds> shape.kinds, child) == branch):
                    return child
        return NULL

    cdef Name* named(self, Names* names, const char* text, Py_ssize_t length) noexcept:
        """The entry of a name as written in a document; NULL if there is none."""
        return find_folded(names, text, length) if self.folds else find(names, text, length)

    def parse_value(self, str key, str attribute, bytes text):
        """The value of one attribute's text as the reader parses it; None if it is invalid."""
        cdef Shape* shape = &self.shapes[self.indices[key]]
        cdef bytes name = attribute.encode()
        cdef Name* entry = self.named(&shape.attributes, name, len(name))
        cdef PyObject* value
        if entry == NULL:
            raise KeyError(attribute)
        value = parse_field(&shape.fields[entry.target], text, len(text))
        if value == NULL:
            return None
        result = <object> value
        Py_DECREF(result)
        return result


def version_number(text):
    """A version such as `1.9` as a number that increases with the version; 0 if it is invalid."""
    parts = (text or "").split(".")
    if not 1 <= len(parts) <= 3 or not all(part.isdecimal() and len(part) < 4 for part in parts):
        return 0
    return sum(int(part) * 1000 ** (2 - place) for place, part in enumerate(parts))


def slot_names(cls):
    """The slots of a node class, the bases' first."""
    return [name for base in reversed(cls.__mro__) for name in base.__dict__.get("__slots__", ())]


def has_plain_slots(row):
    """Whether a node class stores its fields in adjacent slots at the offsets in its descriptors."""
    cls = row.cls
    names = slot_names(cls)
    offsets = [slot_offset(member(cls, name)) for name in names]
    if min(offsets) < 0 or sorted(offsets) != list(range(min(offsets), min(offsets) + 8 * len(names), 8)):
        return False
    probe = cls.__new__(cls)
    cdef PyObject* held
    for name, offset in zip(names, offsets):
        value = object()
        setattr(probe, name, value)
        held = slot_at(<PyObject*> probe, offset)[0]
        if held != <PyObject*> value:
            return False
    return True


cdef Name* find(Names* names, const char* text, Py_ssize_t length) noexcept nogil:
    cdef unsigned int place = hash_bytes(text, length) & names.mask
    cdef Name* slot = &names.slots[place]
    while slot.text != NULL:
        if slot.length == length and memcmp(slot.text, text, length) == 0:
            return slot
        place = (place + 1) & names.mask
        slot = &names.slots[place]
    return NULL


cdef Name* find_folded(Names* names, const char* text, Py_ssize_t length) noexcept nogil:
    """The same, case-insensitively; the names are in lower case."""
    cdef unsigned int place = hash_folded(text, length) & names.mask
    cdef Name* slot = &names.slots[place]
    while slot.text != NULL:
        if slot.length == length and is_folded(slot.text, text, length):
            return slot
        place = (place + 1) & names.mask
        slot = &names.slots[place]
    return NULL


_TABLES = {}


def table_of(format, direct=True):
    """The tables of a format in C, created on first use."""
    try:
        return _TABLES[format, direct]
    except KeyError:
        return _TABLES.setdefault((format, direct), Table(format, direct))
