"""The lexical forms of a format's values: see forms.pyx."""

from cpython.object cimport PyObject

cdef enum:  # the values of polybody.base.Kind
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
    bint spelt_out  # a boolean is neither 1 nor 0
    bint exact  # keywords are compared with the whole text
    bint folds  # words are compared case-insensitively
    bint guarded  # an alternative to numbers: strings that begin like a number are invalid
                  # string
    double minimum
    double maximum
    double* numbers  # the only ones that are allowed, or NULL
    int number_count
    PyObject* fixed  # the only value that is allowed, or NULL
    PyObject* matches  # a predicate of strings, or NULL
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
    bint unique  # its values declare names, which must be unique
    bint unsupported
    int since  # the versions that have it; 0: all
    int until
    PyObject* prefix  # of its name, if it must be declared; or NULL

cdef char lower(char letter) noexcept nogil
cdef void free_forms(Field* field) noexcept
cdef PyObject* parse_form(Form* form, const char* text, Py_ssize_t length) except? NULL
cdef PyObject* parse_field(Field* field, const char* text, Py_ssize_t length) except? NULL
cdef bint fits(Form* form, PyObject* value) except -1
