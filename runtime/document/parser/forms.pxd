"""The lexical forms of a format's values: see forms.pyx."""

from cpython.object cimport PyObject

cdef enum:  # as the members of polybody.base.Kind
    STRING = 0
    REAL = 1
    INT = 2
    BOOL = 3
    ENUM = 4

cdef struct Word:  # a spelling of an enum's member
    const char* text
    int length
    PyObject* member

cdef struct Form:  # a row Value
    int kind
    int low
    int high
    bint scalar
    bint finite
    bint open
    bint nonempty
    bint collapsed
    bint folds  # words are compared without their case
    bint guarded  # a string beside numbers: what begins like a number is meant as one
    double minimum
    double maximum
    PyObject* matches  # the pattern's fullmatch, or NULL
    Word* words
    int word_count

cdef struct Field:  # a row Attribute, or the text of an element
    Form* forms
    int form_count
    Py_ssize_t offset
    PyObject* row
    PyObject* name  # of the Python attribute
    PyObject* fallback  # the schema's default
    bint required
    bint unique  # its values are names that are new
    bint unsupported
    int since  # the versions that have it; 0: any
    int until
    PyObject* prefix  # likewise

cdef char lower(char letter) noexcept nogil
cdef void free_forms(Field* field) noexcept
cdef PyObject* parse_form(Form* form, const char* text, Py_ssize_t length) except? NULL
cdef PyObject* parse_field(Field* field, const char* text, Py_ssize_t length) except? NULL
cdef bint fits(Form* form, PyObject* value) except -1
