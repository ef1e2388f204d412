# cython: language_level=3, boundscheck=False, wraparound=False
"""The lexical forms of a format's values: parses texts, and checks whether a value can be written as a
text.
"""

import re

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from libc.math cimport INFINITY, isfinite, isnan
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp

from polybody.base.slots cimport new_reference
from polybody.document.parser.numbers cimport is_digit, is_space, read_int, read_real, shared_float

cdef extern from "Python.h":
    object PyUnicode_DecodeUTF8(const char*, Py_ssize_t, const char*)
    PyObject* PyFloat_FromDouble(double) except NULL
    PyObject* PyTuple_New(Py_ssize_t) except NULL
    void PyObject_GC_UnTrack(void*) noexcept
    void PyTuple_SET_ITEM(PyObject*, Py_ssize_t, PyObject*) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    bint PyFloat_Check(PyObject*) noexcept
    double PyFloat_AS_DOUBLE(PyObject*) noexcept
    bint PyLong_CheckExact(PyObject*) noexcept
    double PyLong_AsDouble(PyObject*) noexcept
    PyObject* PyErr_Occurred() noexcept
    void PyErr_Clear() noexcept
    bint PyUnicode_CheckExact(PyObject*) noexcept
    bint PyTuple_CheckExact(PyObject*) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept

cdef extern from *:
    """
    /* Whether XML can hold every character of a string. */
    static int is_xml_text(PyObject *text) {
        Py_ssize_t length = PyUnicode_GET_LENGTH(text);
        int kind = PyUnicode_KIND(text);
        const void *data = PyUnicode_DATA(text);
        for (Py_ssize_t i = 0; i < length; i++) {
            Py_UCS4 c = PyUnicode_READ(kind, data, i);
            if (c < 0x20 ? c != 9 && c != 10 && c != 13
                         : (c >= 0xD800 && c <= 0xDFFF) || c == 0xFFFE || c == 0xFFFF)
                return 0;
        }
        return 1;
    }
    """
    bint is_xml_text(PyObject*) noexcept

cdef enum:
    SHORT = 5
    FEW = 16  # maximum number of values that are parsed on the stack


cdef void free_forms(Field* field) noexcept:
    cdef int index
    for index in range(field.form_count):
        free(field.forms[index].words)
        free(field.forms[index].numbers)
    free(field.forms)


cdef char lower(char letter) noexcept nogil:
    return letter + 32 if c"A" <= letter <= c"Z" else letter


cdef bint is_word(Form* form, const char* text, Py_ssize_t length, const char* word, int size) noexcept nogil:
    """Whether a text is a word of the format; case-insensitive if case is not significant."""
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


# --- values of texts ----------------------------------------------------------------------------------------------

cdef bint integer_in_bounds(Form* form, PyObject* made) except -1:
    """The same for an integer, which must be in the range of a double."""
    cdef double value
    try:
        value = PyFloat_AsDouble(made)
    except OverflowError:
        return False
    return in_bounds(form, value)


cdef bint is_listed(Form* form, double value) noexcept:
    """Whether a number is one of those that are allowed."""
    cdef int index
    for index in range(form.number_count):
        if form.numbers[index] == value:
            return True
    return False


cdef bint in_bounds(Form* form, double value) noexcept:
    if form.numbers != NULL and not is_listed(form, value):
        return False
    if isnan(value):
        return not form.finite and form.minimum == -INFINITY and form.maximum == INFINITY
    if form.finite and not isfinite(value):
        return False
    if form.open:
        # Without a bound, infinity is allowed as well.
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


cdef PyObject* member_of(Form* form, const char* text, Py_ssize_t length) except? NULL:
    """The keyword that a text is, as a new reference; NULL if there is none."""
    cdef int index
    for index in range(form.word_count):
        if is_word(form, text, length, form.words[index].text, form.words[index].length):
            return new_reference(<object> form.words[index].member)
    return NULL


cdef PyObject* parse_keyword(Form* form, const char* text, const char* end) except? NULL:
    """The keyword that a whole text is; keywords may contain blanks."""
    cdef PyObject* value = member_of(form, text, end - text)
    cdef bytes words
    if value != NULL or form.exact:
        return value
    while text < end and is_space(text[0]):
        text += 1
    while text < end and is_space(end[-1]):
        end -= 1
    value = member_of(form, text, end - text)
    if value != NULL:
        return value
    words = b" ".join(text[: end - text].split())
    return NULL if len(words) == end - text else member_of(form, words, len(words))


cdef PyObject* parse_word(Form* form, const char* text, const char* end) except? NULL:
    """A single word that is not a real number, as a new reference; NULL if it does not have this form."""
    cdef const char* after
    cdef PyObject* made
    cdef Py_ssize_t length = end - text
    if form.kind == ENUM:
        return member_of(form, text, length)
    if form.kind == INT:
        made = read_int(text, end, &after)
        if made != NULL and (after != end or not integer_in_bounds(form, made)):
            Py_DECREF(<object> made)
            return NULL
        return made
    if form.kind == BOOL:
        if form.spelt_out and length == 1:
            return NULL
        if is_word(form, text, length, "true", 4) or (length == 1 and text[0] == c"1"):
            return new_reference(True)
        if is_word(form, text, length, "false", 5) or (length == 1 and text[0] == c"0"):
            return new_reference(False)
        return NULL
    return parse_string(form, text, end)


cdef inline PyObject* float_of(double value, Py_ssize_t length) except NULL:
    """A float; shared for short texts, because these repeat and a float takes 24 bytes."""
    return shared_float(value) if length <= SHORT else PyFloat_FromDouble(value)


cdef PyObject* parse_field(Field* field, const char* text, Py_ssize_t length) except? NULL:
    """The value of a text in the first form that matches, as a new reference, or NULL."""
    cdef PyObject* value
    cdef int index
    for index in range(field.form_count):
        value = parse_form(&field.forms[index], text, length)
        if value != NULL:
            return value
    return NULL


cdef PyObject* parse_form(Form* form, const char* text, Py_ssize_t length) except? NULL:
    """A value as a new reference; NULL, usually without an exception, if the text does not have this form."""
    cdef PyObject* value = parse_any(form, text, text + length)
    if value != NULL and form.fixed != NULL and <object> value != <object> form.fixed:
        Py_DECREF(<object> value)
        return NULL
    return value


cdef PyObject* parse_any(Form* form, const char* text, const char* end) except? NULL:
    """The same, whatever value is fixed."""
    cdef PyObject* few[FEW]
    cdef PyObject* value
    cdef Py_ssize_t count
    if form.scalar:
        if form.kind == STRING:
            return parse_string(form, text, end)
        if form.kind == ENUM:
            return parse_keyword(form, text, end)
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
    """The number of words, and the values of the first `most`; -1 if a word is invalid."""
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
    """Release the references to values; returns NULL for the caller to return."""
    cdef Py_ssize_t index
    for index in range(min(count, most)):
        Py_DECREF(<object> values[index])
    return NULL


cdef PyObject* tuple_of(Form* form, PyObject** values, Py_ssize_t count) except NULL:
    """A tuple that takes over the references."""
    cdef PyObject* made = PyTuple_New(count)
    cdef Py_ssize_t index
    for index in range(count):
        PyTuple_SET_ITEM(made, index, values[index])
    if form.kind != ENUM:
        PyObject_GC_UnTrack(<void*> made)  # words and numbers cannot form cycles
    return made


# --- existing values ----------------------------------------------------------------------------------------

cdef bint fits(Form* form, PyObject* value) except -1:
    """Whether a value, including its type, is one that a text of this form can have; integers are also valid
    reals.
    """
    cdef Py_ssize_t place, count
    if form.fixed != NULL and <object> value != <object> form.fixed:
        return False
    if form.scalar:
        return fits_alone(form, value)
    if not PyTuple_CheckExact(value):
        return False
    count = PyTuple_GET_SIZE(value)
    if not form.low <= count <= form.high:
        return False
    for place in range(count):
        if not fits_alone(form, PyTuple_GET_ITEM(value, place)):
            return False
        if form.kind == STRING and not is_one_word(PyTuple_GET_ITEM(value, place)):
            return False
    return True


cdef bint fits_alone(Form* form, PyObject* value) except -1:
    cdef double number
    cdef int index
    if form.kind == REAL and PyFloat_Check(value):
        return in_bounds(form, PyFloat_AS_DOUBLE(value))
    if form.kind in (REAL, INT):
        if not PyLong_CheckExact(value):
            return False
        number = PyLong_AsDouble(value)
        if number == -1.0 and PyErr_Occurred() != NULL:
            PyErr_Clear()  # too large for a double
            return False
        return in_bounds(form, number)
    if form.kind == BOOL:
        return value == <PyObject*> True or value == <PyObject*> False
    if form.kind == ENUM:
        for index in range(form.word_count):
            if form.words[index].member == value:
                return True
        return False
    if not PyUnicode_CheckExact(value) or form.collapsed or form.guarded or not is_xml_text(value):
        return False
    if form.nonempty and not (<str> value).strip(" \t\r\n"):
        return False
    return form.matches == NULL or bool((<object> form.matches)(<object> value))


cdef bint is_one_word(PyObject* text) except -1:
    word = <str> text
    return word != "" and not any(space in word for space in " \t\r\n")
