"""A format's tables in C, for the parser and the rules: see tables.pyx."""

from cpython.object cimport PyObject, PyTypeObject

from polybody.base.children cimport Children
from polybody.document.parser.forms cimport Field, Form

cdef enum NameKind:
    NAME, ALIAS, MISTAKEN, LEAF

cdef struct Branch:  # a row Child
    int shape
    int low
    int high
    bint many
    bint merge  # several elements are merged into one
    bint last  # of several, although one is allowed, the last is used if the policy accepts them
    bint lends  # it gives defaults to other elements
    int since
    int until
    bint absent  # only other releases have it
    PyObject* row

cdef struct Name:
    const char* text
    int length
    int target
    NameKind kind

cdef struct Names:  # open addressing, at most half full
    Name* slots
    unsigned int mask

cdef struct Shape:  # a row Element
    PyTypeObject* cls
    PyObject* row
    PyObject* kinds  # of the children; branches are in the same order
    Field* fields
    int field_count
    Py_ssize_t* offsets  # of the slots of the fields, then of the text; NULL: not direct
    Field* text  # NULL if the element has none
    int absent_count  # of fields after the text that only other releases have
    Branch* branches
    int branch_count
    Names attributes
    Names tags
    Py_ssize_t first_slot
    int slot_count
    bint must_have_children
    bint has_content  # ... in a given order
    bint untyped  # its attributes and text have no schema
    bint unsupported
    bint stands_for_file  # its content is that of another file
    bint foreign  # ... and its tag has a prefix that does not belong to the format
    bint keeps  # it keeps attributes with such a prefix, in the field `attributes`
    bint loads  # it refers to a file that is a separate document
    int wild  # the branch for all other children, or -1
    int wild_when  # the attribute that is required for that, or -1
    PyObject* prefix  # of its tag, if it must be declared; or NULL

cdef class Table:
    cdef readonly object format
    cdef readonly bint direct
    cdef readonly bint folds  # names are stored in lower case and compared case-insensitively
    cdef Shape* shapes
    cdef int shape_count
    cdef Names roots  # the possible root elements
    cdef Py_ssize_t source_offset
    cdef Py_ssize_t position_offset
    cdef Py_ssize_t children_offset
    cdef dict indices
    cdef set lenders
    cdef list places  # per kind of element, the indices of its attributes by name; None: not computed yet
    cdef list keep
    cdef readonly int version  # the format's

    cdef void lay_names(self, Names* names, list entries) except *
    cdef void lay_form(self, Form* form, object value, bint guarded) except *
    cdef void lay_field(self, Field* field, object cls, object row, tuple forms) except *
    cdef void lay_element(self, Shape* shape, object row) except *
    cdef PyObject* prefix_of(self, str name)
    cdef bint is_foreign(self, const char* name) except -1
    cdef const char* text_of(self, str text, int* length) except NULL

    cdef int place_of(self, int index, str name) except -1
    cdef object new_node(self, Shape* shape)
    cdef PyObject* peek(self, PyObject* node, Py_ssize_t offset, PyObject* name) noexcept
    cdef void put(self, PyObject* node, Py_ssize_t offset, PyObject* name, PyObject* value) except *
    cdef PyObject* children_of(self, PyObject* node) noexcept
    cdef Children children_for(self, Shape* shape, PyObject* node)
    cdef PyObject* first(self, Shape* shape, PyObject* node, int branch) noexcept
    cdef Name* named(self, Names* names, const char* text, Py_ssize_t length) noexcept

cdef Name* find(Names* names, const char* text, Py_ssize_t length) noexcept nogil
cdef Name* find_folded(Names* names, const char* text, Py_ssize_t length) noexcept nogil
