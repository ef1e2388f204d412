# cython: language_level=3, boundscheck=False, wraparound=False
"""A format's tables laid out in C: names in hash tables, values' forms as structs, nodes' slots as offsets.

`Table(format)` does it once per format; `table_of` keeps the result. Everything in it is immutable
afterwards, so that any number of parses, nested or in threads, share it.
"""

import re

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, Py_XDECREF
from libc.math cimport INFINITY, isfinite, isnan
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp

from polybody.base import UNBOUNDED, Kind, Node, Status, Text, Untyped

from polybody.document.parser.pattern import matcher
from polybody.document.parser.numbers cimport hash_bytes, is_digit, is_space, read_int, read_real, shared_float
from polybody.base.children cimport Children, Kinds, new_children
from polybody.base.slots cimport allocate, fill_with_none, new_reference, set_slot, slot_at, slot_offset

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    PyObject* PyFloat_FromDouble(double) except NULL
    PyObject* PyTuple_New(Py_ssize_t) except NULL
    void PyObject_GC_UnTrack(void*) noexcept
    void PyTuple_SET_ITEM(PyObject*, Py_ssize_t, PyObject*) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    PyObject* PyDict_GetItemWithError(object, object) except? NULL

cdef str CHILDREN = "_children"

cdef enum:
    STRING = 0
    REAL = 1
    INT = 2
    BOOL = 3
    ENUM = 4
    MOST_FIELDS = 1 << 14
    LONGEST_FOLDED = 128
    SHORT = 5
    FEW = 16  # numbers that need no memory of their own while they are read


cdef class Table:
    """The tables of one format, ready for the parse.

    direct: whether the slots of nodes are filled by their offsets; False asks for setattr, which is also what
    happens where the interpreter lays objects out differently.
    """

    def __cinit__(self, object format, bint direct=True):
        cdef int index
        self.format, self.folds = format, format.folds_case
        self.version = version_number(format.version)
        self.keep = []
        self.indices = {key: index for index, key in enumerate(format.elements)}
        self.shape_count = len(self.indices)
        self.places = [None] * self.shape_count
        self.shapes = <Shape*> calloc(self.shape_count, sizeof(Shape))
        if self.shapes == NULL:
            raise MemoryError
        self.direct = direct and all(has_plain_slots(row) for row in format.elements.values())
        if self.direct:
            self.source_offset = slot_offset(Node._source)
            self.position_offset = slot_offset(Node._position)
            self.children_offset = slot_offset(Node._children)
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
            if self.folds and length > LONGEST_FOLDED:
                raise ValueError(f"{text}: a name longer than {LONGEST_FOLDED} bytes")
            place = hash_bytes(encoded, length) & names.mask
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
        form.collapsed = value.collapsed
        form.minimum = -INFINITY if value.minimum is None else value.minimum
        form.maximum = INFINITY if value.maximum is None else value.maximum
        if value.pattern is not None:
            matches = matcher(value.pattern)
            self.keep.append(matches)
            form.matches = <PyObject*> matches
        if value.enum is not None:
            members = list(value.enum)
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
        field.fallback = <PyObject*> row.default  # the row keeps it
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
        """The prefix of a name where a document must declare it, borrowed; NULL where there is none."""
        prefix = name.partition(":")[0]
        for known in self.format.prefixes:
            if known == prefix and known != name:
                return <PyObject*> known
        return NULL

    cdef bint is_foreign(self, const char* name) except -1:
        """Whether a name has a prefix that is none of the format's."""
        prefix, colon, _ = (<bytes> name).partition(b":")
        return bool(colon) and prefix.decode("utf-8", "replace") not in self.format.prefixes

    cdef void lay_element(self, Shape* shape, object row) except *:
        cdef int index
        cls = row.cls
        self.keep.append(row)
        shape.row, shape.cls, shape.kinds = <PyObject*> row, <PyTypeObject*> cls, <PyObject*> cls._kinds
        if (<Kinds> cls._kinds).tags != tuple([child.tag for child in row.children]):
            raise ValueError(f"{row.key}: the children of its row are not those of {cls.__name__}")
        shape.wild, shape.wild_when, shape.untyped = -1, -1, cls is Untyped
        shape.unsupported, shape.prefix = row.status is Status.UNSUPPORTED, self.prefix_of(row.tag)
        if len(row.attributes) + len(row.children) >= MOST_FIELDS:
            raise ValueError(f"{row.key}: more attributes and children than a table holds")
        shape.fields = <Field*> calloc(len(row.attributes) + 2, sizeof(Field))
        shape.branches = <Branch*> calloc(len(row.children) + 1, sizeof(Branch))
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
            shape.text = &shape.fields[shape.field_count]  # the one behind the attributes
            self.lay_field(shape.text, cls, row.text, row.text.forms)
        for index, child in enumerate(row.children):
            branch = &shape.branches[index]
            branch.shape, branch.low, branch.high = self.indices[child.element], child.low, child.high
            branch.many, branch.merge = child.high > 1, child.merge
            branch.since, branch.until = version_number(child.since), version_number(child.until)
            branch.row = <PyObject*> child
            shape.must_have_children |= child.low > 0
            if child.tag == "*":
                shape.wild, shape.foreign = index, child.foreign
            shape.branch_count = index + 1
        shape.unsupported = row.status == Status.UNSUPPORTED
        shape.stands_for_file = (<str> getattr(row, "include")) == "splice"
        shape.loads = (<str> getattr(row, "include")) == "load"
        shape.keeps = row.keeps
        tags = [(child.tag, index, NAME) for index, child in enumerate(row.children)]
        for index, attribute in enumerate(row.attributes):
            if attribute.leaf:
                tags.extend((name, index, LEAF) for name in (attribute.name, *attribute.aliases))
        self.lay_names(&shape.tags, tags)
        if self.direct:
            offsets = [slot_offset(getattr(cls, name)) for name in slot_names(cls)]
            shape.first_slot, shape.slot_count = min(offsets), len(offsets)

    cdef int place_of(self, int index, str name) except -1:
        """The place of an attribute of an element."""
        places = self.places[index]
        if places is None:
            attributes = (<object> self.shapes[index].row).attributes
            places = self.places[index] = {}
            for place, attribute in enumerate(attributes):
                (<dict> places).setdefault(attribute.name, place)
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
        """What a slot holds, borrowed; NULL where it is empty."""
        if self.direct:
            return slot_at(node, offset)[0]
        try:
            value = getattr(type(<object> node), <str> name).__get__(<object> node)
        except AttributeError:
            return NULL
        return <PyObject*> value  # the node itself keeps it alive

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
        """The list of a node's children, borrowed; NULL where there is none."""
        cdef PyObject* found
        if self.direct:
            found = slot_at(node, self.children_offset)[0]
        else:
            found = self.peek(node, 0, <PyObject*> CHILDREN)
        return NULL if found == <PyObject*> None else found

    cdef Children children_for(self, Shape* shape, PyObject* node):
        """The list of a node's children, made where there is none."""
        cdef PyObject* found = self.children_of(node)
        if found != NULL:
            return <Children> found
        children = new_children(<Kinds> shape.kinds)
        self.put(node, self.children_offset, <PyObject*> CHILDREN, new_reference(children))
        return children

    cdef PyObject* first(self, Shape* shape, PyObject* node, int branch) noexcept:
        """The first child of a kind, borrowed; NULL where there is none."""
        cdef PyObject* children = self.children_of(node)
        cdef PyObject* child
        cdef Shape* below = &self.shapes[shape.branches[branch].shape]
        cdef Py_ssize_t place
        if children != NULL:
            for place in range(PyList_GET_SIZE(children)):
                child = PyList_GET_ITEM(children, place)
                if Py_TYPE(child) == below.cls and (
                        not below.untyped or (<Kinds> shape.kinds).of(child) == branch):
                    return child
        return NULL

    cdef Name* named(self, Names* names, const char* text, Py_ssize_t length) noexcept:
        """The entry of a name as a document writes it; NULL where there is none."""
        cdef Name* entry = find(names, text, length)
        cdef char folded[LONGEST_FOLDED]
        cdef Py_ssize_t index
        if entry != NULL or not self.folds or length > LONGEST_FOLDED:
            return entry
        for index in range(length):
            folded[index] = lower(text[index])
        return find(names, folded, length)

    def parse_value(self, str key, str attribute, bytes text):
        """What the reader makes of one attribute's text; None where it refuses it."""
        cdef Shape* shape = &self.shapes[self.indices[key]]
        cdef bytes name = attribute.encode()
        cdef Name* entry = self.named(&shape.attributes, name, len(name))
        cdef PyObject* value
        cdef int index
        if entry == NULL:
            raise KeyError(attribute)
        for index in range(shape.fields[entry.target].form_count):
            value = parse_form(&shape.fields[entry.target].forms[index], text, len(text))
            if value != NULL:
                result = <object> value
                Py_DECREF(result)
                return result
        return None


cdef char lower(char letter) noexcept nogil:
    return letter + 32 if c"A" <= letter <= c"Z" else letter


cdef bint is_word(Form* form, const char* text, Py_ssize_t length, const char* word, int size) noexcept nogil:
    """Whether a text is a word of the format, in whatever case where that does not count."""
    cdef Py_ssize_t index
    if length != size:
        return False
    if memcmp(text, word, length) == 0:
        return True
    if not form.folds:
        return False
    for index in range(length):
        if lower(text[index]) != lower(word[index]):
            return False
    return True


def version_number(text):
    """A version `1.9` as a number that grows from version to version; 0 for what is none."""
    parts = (text or "").split(".")
    if not 1 <= len(parts) <= 3 or not all(part.isdecimal() and len(part) < 4 for part in parts):
        return 0
    return sum(int(part) * 1000 ** (2 - place) for place, part in enumerate(parts))


cdef void free_forms(Field* field) noexcept:
    cdef int index
    for index in range(field.form_count):
        free(field.forms[index].words)
    free(field.forms)


def slot_names(cls):
    """The slots of a node class, the bases' first."""
    return [name for base in reversed(cls.__mro__) for name in base.__dict__.get("__slots__", ())]


def has_plain_slots(row):
    """Whether a node class keeps its fields in adjacent slots at the offsets that its descriptors tell."""
    cls = row.cls
    names = slot_names(cls)
    offsets = [slot_offset(getattr(cls, name)) for name in names]
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


# --- values ----------------------------------------------------------------------------------------------

cdef bint integer_in_bounds(Form* form, PyObject* made) except -1:
    """The same of a whole number, which is no larger than a double can be."""
    cdef double value
    try:
        value = PyFloat_AsDouble(made)
    except OverflowError:
        return False
    return in_bounds(form, value)


cdef bint in_bounds(Form* form, double value) noexcept:
    if isnan(value):
        return not form.finite and form.minimum == -INFINITY and form.maximum == INFINITY
    if form.finite and not isfinite(value):
        return False
    if form.open:
        # Without a bound, even an infinite value lies inside.
        return (value > form.minimum or form.minimum == -INFINITY) and (
            value < form.maximum or form.maximum == INFINITY)
    return form.minimum <= value <= form.maximum


cdef PyObject* parse_string(Form* form, const char* text, const char* end) except? NULL:
    cdef const char* p = text
    if form.nonempty or form.guarded:
        while p < end and is_space(p[0]):
            p += 1
        if form.nonempty and p == end:
            return NULL
        if form.guarded and begins_like_number(p, end):
            return NULL
    value = PyUnicode_DecodeUTF8(text, end - text, NULL)
    if form.collapsed:
        value = " ".join(re.split("[ \t\r\n]+", value.strip(" \t\r\n")))
    if form.matches != NULL and not (<object> form.matches)(value):
        return NULL
    return new_reference(value)


cdef bint begins_like_number(const char* p, const char* end) noexcept:
    if p == end:
        return False
    if p[0] in (c"+", c"-") or is_digit(p[0]):
        return True
    if p[0] == c".":
        return p + 1 < end and is_digit(p[1])
    if end - p < 3 or (end - p > 3 and not is_space(p[3])):
        return False
    return bytes(p[:3]).lower() in (b"nan", b"inf")


cdef PyObject* parse_word(Form* form, const char* text, const char* end) except? NULL:
    """One word that is no real number as a new reference; NULL where it is not what the form asks for."""
    cdef const char* after
    cdef PyObject* made
    cdef Py_ssize_t length = end - text
    cdef int index
    if form.kind == ENUM:
        for index in range(form.word_count):
            if is_word(form, text, length, form.words[index].text, form.words[index].length):
                return new_reference(<object> form.words[index].member)
        return NULL
    if form.kind == INT:
        made = read_int(text, end, &after)
        if made != NULL and (after != end or not integer_in_bounds(form, made)):
            Py_DECREF(<object> made)
            return NULL
        return made
    if form.kind == BOOL:
        if form.matches != NULL and length == 1:
            return NULL
        if is_word(form, text, length, "true", 4) or (length == 1 and text[0] == c"1"):
            return new_reference(True)
        if is_word(form, text, length, "false", 5) or (length == 1 and text[0] == c"0"):
            return new_reference(False)
        return NULL
    return parse_string(form, text, end)


cdef inline PyObject* float_of(double value, Py_ssize_t length) except NULL:
    """Short numbers come again and again, and a float takes 24 bytes."""
    return shared_float(value) if length <= SHORT else PyFloat_FromDouble(value)


cdef PyObject* parse_form(Form* form, const char* text, Py_ssize_t length) except? NULL:
    """A value as a new reference; NULL, mostly without an exception, where the text has another form."""
    cdef const char* end = text + length
    cdef PyObject* few[FEW]
    cdef PyObject* value
    cdef Py_ssize_t count
    if form.scalar:
        if form.kind == STRING:
            return parse_string(form, text, end)
        count = parse_words(form, text, end, few, 1)
        return few[0] if count == 1 else drop(few, count, 1)
    count = parse_words(form, text, end, few, FEW)
    if count <= FEW:
        return tuple_of(form, few, count) if form.low <= count <= form.high else drop(few, count, FEW)
    drop(few, count, FEW)
    if not form.low <= count <= form.high:
        return NULL
    cdef PyObject** many = <PyObject**> malloc(count * sizeof(PyObject*))
    if many == NULL:
        raise MemoryError
    try:
        count = parse_words(form, text, end, many, count)
        return tuple_of(form, many, count)
    finally:
        free(many)


cdef Py_ssize_t parse_words(
        Form* form, const char* text, const char* end, PyObject** values, Py_ssize_t most) except -2:
    """How many words there are, and the values of the first of them; -1 where one has no value."""
    cdef const char* p = text
    cdef const char* word
    cdef PyObject* value
    cdef double number = 0.0
    cdef Py_ssize_t count = 0
    while True:
        while p < end and is_space(p[0]):
            p += 1
        if p == end:
            return count
        word = p
        if form.kind == REAL:
            p = read_real(word, end, &number)
            value = NULL if p == NULL or not in_bounds(form, number) else float_of(number, p - word)
        else:
            while p < end and not is_space(p[0]):
                p += 1
            try:
                value = parse_word(form, word, p)
            except BaseException:
                drop(values, count, most)
                raise
        if value == NULL:
            drop(values, count, most)
            return -1
        if count < most:
            values[count] = value
        else:
            Py_DECREF(<object> value)
        count += 1


cdef PyObject* drop(PyObject** values, Py_ssize_t count, Py_ssize_t most) noexcept:
    """Give up the references to values; returns NULL, as what is made of them."""
    cdef Py_ssize_t index
    for index in range(min(count, most)):
        Py_DECREF(<object> values[index])
    return NULL


cdef PyObject* tuple_of(Form* form, PyObject** values, Py_ssize_t count) except NULL:
    """A tuple that takes over references."""
    cdef PyObject* made = PyTuple_New(count)
    cdef Py_ssize_t index
    for index in range(count):
        PyTuple_SET_ITEM(made, index, values[index])
    if form.kind != ENUM:
        PyObject_GC_UnTrack(<void*> made)  # words and numbers make no cycles
    return made


_TABLES = {}


def table_of(format, direct=True):
    """The laid-out tables of a format, made when first asked for."""
    try:
        return _TABLES[format, direct]
    except KeyError:
        return _TABLES.setdefault((format, direct), Table(format, direct))
