"""A format's rules laid out for checking: see suites.pyx."""

from cpython.object cimport PyObject

from polybody.document.parser.tables cimport Shape, Table

ctypedef unsigned long long Mask  # of the attributes of an element, by their places

cdef enum RuleKind:
    EXCLUSIVE, TOGETHER, ONE_OF, REQUIRES, REQUIRED, LENGTH, ASCENDING, DIFFER, UNIT, IGNORED
    INCREASING, MULTIPLE, NONZERO, INERTIA, DEPRECATED

cdef enum:
    MOST_NAMES = 16
    MASK_BITS = 64

cdef enum:
    OWN = -1  # as a slot's branch: an attribute of the element itself
    ITSELF = -1  # as a slot's field: the child, not one of its attributes
    TEXT = -2  # the child's text

cdef struct Slot:  # what a rule is about
    int branch
    int field

cdef struct Test:  # one rule, of one kind of element; first what tells that most of them hold
    RuleKind kind
    bint masked  # all names are attributes that a mask holds
    bint written  # counts what is written on the element alone
    Mask first  # the first of them
    Mask mask  # all of them
    Slot names[MOST_NAMES]
    int count
    bint conditional
    Slot asked  # what a condition without values looks at
    int by  # the attribute that another condition or a size looks at, or -1
    PyObject* among  # the values of the condition
    bint unless  # the rule holds anyway where the condition does
    int* sizes  # for each word of the attribute `by`: the least and the most
    double tolerance
    int start
    PyObject* row

cdef struct Suite:  # the rules of one kind of element, and its part in names and defaults
    Test* tests
    int test_count
    int own  # the attribute that names its defaults class, or -1
    int below  # the attribute that names the class of all below, or -1
    int declares  # the attribute that declares a name, or -1
    PyObject* namespace  # of that name
    bint has_graphs
    bint filled  # some defaults element of the format fills it
    Mask* hidden_by  # for each attribute those that hide it where it is farther; NULL: nothing is hidden
    int* depends_on  # for each attribute the one that its default depends on, or -1; NULL: none does
    PyObject** by_word  # and the defaults by the words of that, a dict each
    int refers[MOST_NAMES]
    int refer_count

cdef class Suites:
    cdef readonly Table table
    cdef Suite* suites
    cdef list keep
    cdef dict rows  # by the classes of elements; None: not asked yet
    cdef dict lent_places  # for two kinds of element, as below

    cdef object row_of(self, cls)
    cdef tuple places_lent(self, row, source)
    cdef void lay_suite(self, Suite* suite, Shape* shape, object row) except *
    cdef void lay_names(self, Suite* suite, object row, bint source) except *
    cdef void lay_defaults(self, Suite* suite, object row) except *
    cdef void lay_test(self, Test* test, Shape* shape, object row, object rule) except *
    cdef void lay_condition(self, Test* test, object row, object rule) except *
    cdef Slot slot(self, object row, str name) except *

cdef Mask bit(int index) noexcept
