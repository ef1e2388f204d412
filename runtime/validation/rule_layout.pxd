"""A format's rules in C, ready for checking: see rule_layout.pyx."""

from cpython.object cimport PyObject

from polybody.document.parser.tables cimport Shape, Table

ctypedef unsigned long long Mask  # of an element's attributes, by index

cdef enum RuleKind:
    EXCLUSIVE, TOGETHER, ONE_OF, REQUIRES, REQUIRED, LENGTH, ASCENDING, UNIT, IGNORED
    INCREASING, NONZERO, INERTIA, DEPRECATED
    BY_ROW  # its row checks it

cdef enum:
    MAX_NAMES = 16
    MASK_BITS = 64

cdef enum:
    OWN = -1  # as a slot's branch: an attribute of the element itself
    ITSELF = -1  # as a slot's field: the child, not one of its attributes
    TEXT = -2  # the child's text

cdef struct Slot:  # the subject of a rule
    int branch
    int field

cdef struct Test:  # one rule of one kind of element; first the data by which most of them can be skipped
    RuleKind kind
    bint masked  # all names are attributes that a mask covers
    bint written  # only values that are written on the element count, not defaults
    Mask first  # the first of them
    Mask mask  # all of them
    Slot names[MAX_NAMES]
    int count
    bint conditional
    Slot asked  # the subject of a condition without values
    int by  # the attribute of another condition or of a size, or -1
    PyObject* among  # the values of the condition
    bint unless  # the rule is satisfied if the condition is true
    int* sizes  # for each word of the attribute `by`: minimum and maximum
    double tolerance
    int start
    PyObject* row

cdef struct Suite:  # the rules of one kind of element, and its role in names and defaults
    Test* tests
    int test_count
    int own  # the attribute that names its defaults class, or -1
    int below  # the attribute that names the defaults class of its descendants, or -1
    int declares  # the attribute that declares a name, or -1
    PyObject* namespace  # of that name
    bint has_graphs
    bint filled  # some defaults element of the format applies to it
    Mask* hidden_by  # for each attribute those that override it if they are nearer; NULL: there are none
    int* depends_on  # for each attribute the one that its default depends on, or -1; NULL: there are none
    PyObject** by_word  # and the defaults by the words of that attribute, one dict each
    int refers[MAX_NAMES]
    int refer_count

cdef class Suites:
    cdef readonly Table table
    cdef Suite* suites
    cdef list keep
    cdef dict rows  # by the classes of elements; None: not computed yet
    cdef dict provided_places  # by two kinds of element, as returned by places_provided

    cdef object row_of(self, cls)
    cdef tuple places_provided(self, row, source)
    cdef void lay_suite(self, Suite* suite, Shape* shape, object row) except *
    cdef void lay_names(self, Suite* suite, object row, bint source) except *
    cdef void lay_defaults(self, Suite* suite, object row) except *
    cdef void lay_test(self, Test* test, Shape* shape, object row, object rule) except *
    cdef void lay_condition(self, Test* test, object row, object rule) except *
    cdef Slot slot(self, object row, str name) except *

cdef Mask bit(int index) noexcept
