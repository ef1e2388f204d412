# cython: language_level=3, boundscheck=False, wraparound=False
"""The rules between attributes, checked on effective values over a whole document, and its names collected.

Only that a rule is violated is found here; why, and whether it is worth a finding, is said by the validator.
Effective means: written, else from the defaults element that fills this kind of element, else the schema's
default.
"""

from cpython.object cimport PyObject, PyTypeObject
from libc.math cimport fabs, sqrt
from libc.stdlib cimport calloc, free

from polybody import base
from polybody.reader.inertia import inertia_fault

from polybody.reader.tables cimport Branch, Form, Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    bint PyTuple_CheckExact(PyObject*) noexcept
    bint PyList_CheckExact(PyObject*) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef enum RuleKind:
    EXCLUSIVE, TOGETHER, ONE_OF, REQUIRES, REQUIRED, LENGTH, ASCENDING, DIFFER, UNIT, IGNORED
    NONZERO, INERTIA

cdef enum:
    MOST_NAMES = 12
    MOST_VIOLATIONS = 4_000  # more than are shown: a bound for hostile documents

cdef enum:
    OWN = -1  # as a slot's branch: an attribute of the element itself
    ITSELF = -1  # as a slot's field: the child, not one of its attributes

cdef struct Slot:  # what a rule is about
    int branch
    int field

cdef struct Test:  # one rule, of one kind of element
    RuleKind kind
    Slot names[MOST_NAMES]
    int count
    bint conditional
    Slot asked  # what a condition without values looks at
    int by  # the attribute that another condition or a size looks at, or -1
    PyObject* among  # the values of the condition
    int* sizes  # for each word of the attribute `by`: the least and the most
    double tolerance
    int start
    PyObject* row

cdef struct Suite:  # the rules of one kind of element, and where its defaults come from
    Test* tests
    int test_count
    int* fallback  # per attribute, its index on the defaults element, or -1
    PyObject* filler  # the defaults element of this document, or NULL
    int filler_shape
    int declares  # the attribute that declares a name, or -1
    PyObject* namespace
    PyObject* nodes  # the list that collects the nodes of this kind, or NULL
    bint has_graphs
    int refers[MOST_NAMES]
    int refer_count


FIELDS = {
    base.Exclusive: (EXCLUSIVE, "names"),
    base.Together: (TOGETHER, "names"),
    base.OneOf: (ONE_OF, "names"),
    base.Requires: (REQUIRES, "name", "needs"),
    base.Required: (REQUIRED, "name"),
    base.Length: (LENGTH, "name"),
    base.Ascending: (ASCENDING, "low", "high"),
    base.Differ: (DIFFER, "a", "b"),
    base.UnitQuaternion: (UNIT, "name"),
    base.Ignored: (IGNORED, "names"),
    base.Nonzero: (NONZERO, "name"),
    base.Inertia: (INERTIA, "names"),
}
NOT_TESTED = (base.Default, base.Graph)  # the resolver asks for the one, `polybody.graphs` checks the other


def rule_names(rule):
    """The names of what a rule is about."""
    names = []
    for field in FIELDS[type(rule)][1:]:
        value = getattr(rule, field)
        names.extend([value] if isinstance(value, str) else value)
    return names


cdef class Rules:
    """One check of one document: all rules of its format, over the format's laid-out tables."""

    cdef Table table
    cdef Suite* suites
    cdef int suite_count
    cdef list keep
    cdef readonly object format
    cdef readonly dict declared  # namespace -> name -> node
    cdef readonly list violations  # (node, element row, rule)
    cdef readonly list duplicates  # (node, element row, attribute, first node)
    cdef readonly list references  # (node, element row, attribute)
    cdef readonly list graphs  # (node, element row, rule) of every Graph
    cdef readonly dict nodes  # element key -> its nodes, for the keys asked for
    cdef public set lost  # values in what the parse did not understand: names among them are not missing
    cdef readonly dict fillers  # element key -> the defaults element that fills it
    cdef bint over

    def __cinit__(self, Table table, root, keys=()):
        cdef int index
        self.table, self.format, self.keep = table, table.format, []
        self.declared = {name: {} for name in table.format.namespaces}
        self.violations, self.duplicates, self.references, self.graphs = [], [], [], []
        self.nodes, self.lost = {key: [] for key in keys}, set()
        self.fillers = fillers_of(table.format, root)
        self.suite_count = table.shape_count
        self.suites = <Suite*> calloc(table.shape_count, sizeof(Suite))
        if self.suites == NULL:
            raise MemoryError
        sources = {row.target: row.source for row in table.format.defaults}
        for index, row in enumerate(table.format.elements.values()):
            self.lay_suite(&self.suites[index], &table.shapes[index], row, sources)
        self.walk(root)
        self.drop_sound_references()

    def __dealloc__(self):
        cdef int index, other
        if self.suites != NULL:
            for index in range(self.suite_count):
                for other in range(self.suites[index].test_count):
                    free(self.suites[index].tests[other].sizes)
                free(self.suites[index].tests)
                free(self.suites[index].fallback)
            free(self.suites)

    cdef void lay_suite(self, Suite* suite, Shape* shape, object row, dict sources) except *:
        cdef int index
        suite.declares = suite.filler_shape = -1
        suite.fallback = <int*> calloc(shape.field_count + 1, sizeof(int))
        rules = [base.Required(a.name) for a in row.attributes if a.required and a.default is None]
        # The resolver asks for defaults, and they forbid nothing; graphs are checked in `polybody.graphs`.
        rules.extend(rule for rule in row.rules if not isinstance(rule, NOT_TESTED))
        suite.has_graphs = any(isinstance(rule, base.Graph) for rule in row.rules)
        suite.tests = <Test*> calloc(len(rules) + 1, sizeof(Test))
        if suite.fallback == NULL or suite.tests == NULL:
            raise MemoryError
        filling = {}
        if row.key in self.fillers:
            suite.filler = <PyObject*> self.fillers[row.key]
            source = sources[row.key]
            suite.filler_shape = self.table.indices[source]
            filling = {a.name: i for i, a in enumerate(self.table.format.elements[source].attributes)}
        if row.key in self.nodes:
            suite.nodes = <PyObject*> self.nodes[row.key]
        for index, attribute in enumerate(row.attributes):
            suite.fallback[index] = filling.get(attribute.name, -1)
            if attribute.declares is not None and row.key not in sources.values():
                suite.declares, suite.namespace = index, <PyObject*> self.declared[attribute.declares]
            if attribute.refers:
                if suite.refer_count == MOST_NAMES:
                    raise ValueError(f"{row.key}: more than {MOST_NAMES} attributes that refer to names")
                suite.refers[suite.refer_count] = index
                suite.refer_count += 1
        for index, rule in enumerate(rules):
            self.keep.append(rule)
            suite.test_count = index + 1
            self.lay_test(&suite.tests[index], shape, row, rule)

    cdef void lay_test(self, Test* test, Shape* shape, object row, object rule) except *:
        cdef int index
        cdef Form* form
        indices = {attribute.name: i for i, attribute in enumerate(row.attributes)}
        names = rule_names(rule)
        if len(names) > MOST_NAMES:
            raise ValueError(f"{row.key}: a rule over more than {MOST_NAMES} attributes")
        test.kind, test.row, test.by = FIELDS[type(rule)][0], <PyObject*> rule, -1
        for index, name in enumerate(names):
            test.names[index] = self.slot(row, name)
        test.count = len(names)
        when = getattr(rule, "when", None) or getattr(rule, "unless", None)
        if when is not None:
            test.conditional, test.among = True, <PyObject*> when.values
            if when.values:
                test.by = indices[when.name]
            else:
                test.asked = self.slot(row, when.name)
        if test.kind == UNIT:
            test.tolerance, test.start = rule.tolerance, rule.start
        if test.kind == LENGTH:
            test.by = indices[rule.by]
            form = &shape.fields[test.by].forms[0]
            test.sizes = <int*> calloc(2 * form.word_count + 1, sizeof(int))
            if test.sizes == NULL:
                raise MemoryError
            for index in range(form.word_count):
                low, high = rule.sizes.get(<object> form.words[index].member, (0, base.UNBOUNDED))
                test.sizes[2 * index], test.sizes[2 * index + 1] = low, high

    cdef Slot slot(self, object row, str name) except *:
        """Where a name in a rule leads: `pos`, `limit`, `axis/@xyz`."""
        cdef Slot found
        tag, _, below = name.rpartition("/@")
        found.branch = found.field = -1
        for index, attribute in enumerate(row.attributes):
            if attribute.name == name:
                found.field = index
                return found
        for index, child in enumerate(row.children):
            if child.tag in (tag, name):
                found.branch = index
                if tag:
                    below_row = self.table.format.elements[child.element]
                    found.field = [a.name for a in below_row.attributes].index(below)
                return found
        raise ValueError(f"{row.key}: a rule about {name!r}, which is neither attribute nor child")

    # --- effective values ---------------------------------------------------------------------------------

    cdef PyObject* written(self, Shape* shape, PyObject* node, int index):
        cdef PyObject* value = self.table.peek(node, shape.fields[index].offset, shape.fields[index].name)
        return NULL if value == <PyObject*> None else value

    cdef PyObject* given(self, Suite* suite, Shape* shape, PyObject* node, int index):
        """What is written or comes from defaults, borrowed; NULL where nothing is given."""
        cdef PyObject* value = self.written(shape, node, index)
        if value == NULL and suite.filler != NULL and suite.fallback[index] >= 0:
            return self.written(&self.table.shapes[suite.filler_shape], suite.filler, suite.fallback[index])
        return value

    cdef PyObject* at(self, Suite* suite, Shape* shape, PyObject* node, Slot slot):
        """What stands where a rule looks, borrowed: a value, or a child; NULL where nothing is given."""
        cdef Branch* branch
        cdef PyObject* held
        if slot.branch == OWN:
            return self.given(suite, shape, node, slot.field)
        branch = &shape.branches[slot.branch]
        held = self.table.peek(node, branch.offset, branch.name)
        if held == NULL or held == <PyObject*> None or branch.many and PyList_GET_SIZE(held) == 0:
            return NULL
        if branch.many:
            held = PyList_GET_ITEM(held, 0)
        if slot.field == ITSELF:
            return held
        return self.written(&self.table.shapes[branch.shape], held, slot.field)

    cdef PyObject* effective(self, Suite* suite, Shape* shape, PyObject* node, int index):
        cdef PyObject* value = self.given(suite, shape, node, index)
        return <PyObject*> (<object> shape.fields[index].row).default if value == NULL else value

    cdef bint holds(self, Suite* suite, Shape* shape, PyObject* node, Test* test) except -1:
        """Whether the condition of a rule, if it has one, is true of the effective value."""
        if not test.conditional:
            return False
        if test.by < 0:
            return self.at(suite, shape, node, test.asked) != NULL
        return <object> self.effective(suite, shape, node, test.by) in <tuple> test.among

    # --- the walk -----------------------------------------------------------------------------------------

    cdef void walk(self, object root) except *:
        """Check every element; those without children right away, so that the stack holds few."""
        cdef PyObject* node
        cdef PyObject* held
        cdef Shape* shape
        cdef Branch* branch
        cdef Py_ssize_t place
        cdef int index, other
        cdef list stack = [(root, <int> (self.table.root - self.table.shapes))]
        cdef Shape* below
        while stack and not self.over:
            top, index = stack.pop()
            node, shape = <PyObject*> top, &self.table.shapes[index]
            self.check(node, index)
            for other in range(shape.branch_count - 1, -1, -1):
                branch = &shape.branches[other]
                held = self.table.peek(node, branch.offset, branch.name)
                if held == NULL or held == <PyObject*> None:
                    continue
                below = &self.table.shapes[branch.shape]
                if not branch.many:
                    stack.append((<object> held, branch.shape))
                elif not PyList_CheckExact(held):
                    kind = type(<object> held).__name__
                    raise TypeError(f"<{top.TAG}>: `{<object> branch.name}` is a {kind}, not a list")
                elif below.branch_count:
                    for place in range(PyList_GET_SIZE(held) - 1, -1, -1):
                        stack.append((<object> PyList_GET_ITEM(held, place), branch.shape))
                else:
                    for place in range(PyList_GET_SIZE(held)):
                        self.check(PyList_GET_ITEM(held, place), branch.shape)

    cdef void drop_sound_references(self) except *:
        """Keep those references only that lead nowhere."""
        dangling = []
        names_of = {namespace: names_in(self, namespace) for namespace in self.declared}
        for node, row, attribute, value in self.references:
            known = [names_of[namespace] for namespace in attribute.refers]
            if any(not any(name in names for names in known) for name in components(value)):
                dangling.append((node, row, attribute))
        self.references = dangling

    cdef void check(self, PyObject* node, int index) except *:
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef PyObject* value
        cdef int other
        if Py_TYPE(node) != shape.cls:
            # Slots are read by their offsets in this class; documents made by hand may hold anything.
            right, wrong = (<object> shape.cls).__name__, type(<object> node).__name__
            raise TypeError(f"a {wrong} stands where a {right} should")
        if suite.nodes != NULL:
            (<list> suite.nodes).append(<object> node)
        if suite.declares >= 0:
            value = self.given(suite, shape, node, suite.declares)
            if value != NULL:
                first = (<dict> suite.namespace).setdefault(<object> value, <object> node)
                if <PyObject*> first != node:
                    attribute = (<object> shape.fields[suite.declares].row)
                    self.duplicates.append((<object> node, <object> shape.row, attribute, first))
        if suite.has_graphs:
            row = <object> shape.row
            for rule in row.rules:
                if isinstance(rule, base.Graph):
                    self.graphs.append((<object> node, row, rule))
        for other in range(suite.refer_count):
            if self.given(suite, shape, node, suite.refers[other]) != NULL:
                attribute = <object> shape.fields[suite.refers[other]].row
                value = self.given(suite, shape, node, suite.refers[other])
                self.references.append((<object> node, <object> shape.row, attribute, <object> value))
        for other in range(suite.test_count):
            if self.violated(suite, shape, node, &suite.tests[other]):
                self.violations.append((<object> node, <object> shape.row, <object> suite.tests[other].row))
        self.over = len(self.violations) + len(self.duplicates) > MOST_VIOLATIONS

    cdef bint violated(self, Suite* suite, Shape* shape, PyObject* node, Test* test) except -1:
        cdef PyObject* value
        cdef PyObject* other
        cdef int index, given = 0
        if test.kind in (EXCLUSIVE, TOGETHER, ONE_OF):
            for index in range(test.count):
                given += self.at(suite, shape, node, test.names[index]) != NULL
            if test.kind == EXCLUSIVE:
                return given > 1
            return 0 < given < test.count if test.kind == TOGETHER else given == 0
        if test.kind == IGNORED:
            for index in range(test.count):
                if self.is_written(suite, shape, node, test.names[index]):
                    return self.holds(suite, shape, node, test)
            return False
        if test.kind == INERTIA:
            return self.is_no_inertia(suite, shape, node, test)
        value = self.at(suite, shape, node, test.names[0])
        if test.kind == REQUIRED:
            return value == NULL and not self.holds(suite, shape, node, test)
        if value == NULL:
            return False
        if test.kind == REQUIRES:
            for index in range(1, test.count):
                if self.at(suite, shape, node, test.names[index]) == NULL:
                    return True
            return False
        if test.kind == LENGTH:
            return self.has_wrong_size(shape, test, value, self.effective(suite, shape, node, test.by))
        if test.kind == UNIT:
            if test.conditional and not self.holds(suite, shape, node, test):
                return False
            return is_far_from_unit(value, test.start, test.tolerance)
        if test.kind == NONZERO:
            return not any(components(<object> value)) and not self.holds(suite, shape, node, test)
        other = self.at(suite, shape, node, test.names[1])
        if other == NULL:
            return False
        if test.kind == DIFFER:
            return <object> value == <object> other
        return any(a > b for a, b in zip(components(<object> value), components(<object> other)))

    cdef bint is_written(self, Suite* suite, Shape* shape, PyObject* node, Slot slot) except -1:
        if slot.branch == OWN:
            return self.written(shape, node, slot.field) != NULL
        return self.at(suite, shape, node, slot) != NULL

    cdef bint is_no_inertia(self, Suite* suite, Shape* shape, PyObject* node, Test* test) except -1:
        cdef PyObject* value
        cdef int index
        moments = []
        for index in range(test.count):
            value = self.at(suite, shape, node, test.names[index])
            moments.append(0.0 if value == NULL else <object> value)
        return inertia_fault(moments) is not None

    cdef bint has_wrong_size(self, Shape* shape, Test* test, PyObject* value, PyObject* word) except -1:
        cdef Form* form = &shape.fields[test.by].forms[0]
        cdef Py_ssize_t size = PyTuple_GET_SIZE(value) if PyTuple_CheckExact(value) else 1
        cdef int index
        for index in range(form.word_count):
            if form.words[index].member == word:
                return not test.sizes[2 * index] <= size <= test.sizes[2 * index + 1]
        return False


def fillers_of(format, root):
    """For each kind of element that a defaults element of this document fills: that defaults element."""
    found = {}
    cls = format.elements[format.root].cls
    if type(root) is not cls:
        wrong = type(root).__name__
        raise TypeError(f"a {wrong} is not the root of {format.name}, which is a {cls.__name__}")
    for row in format.defaults:
        node = root
        for tag in row.source.split("/")[1:]:
            name, many = node.CHILDREN[tag]
            held = getattr(node, name)
            node = (held[0] if held else None) if many else held
            if node is None:
                break
        else:
            found[row.target] = node
    return found


def names_in(rules, namespace):
    """The names of a namespace, declared and built in, with the node that declares each."""
    declared = rules.declared[namespace]
    builtin = rules.format.builtin.get(namespace)
    return {**declared, **dict.fromkeys(builtin)} if builtin else declared


def components(value):
    return value if isinstance(value, tuple) else (value,)


cdef bint is_far_from_unit(PyObject* value, int start, double tolerance) except -1:
    cdef double square = 0.0, x
    cdef int index
    if not PyTuple_CheckExact(value) or PyTuple_GET_SIZE(value) < start + 4:
        return False  # its length is another rule's finding
    for index in range(start, start + 4):
        x = PyFloat_AsDouble(PyTuple_GET_ITEM(value, index))
        square += x * x
    return not fabs(sqrt(square) - 1.0) <= tolerance
