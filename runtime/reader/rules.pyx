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
from polybody.filling import UNNAMED, Filling, lent

from polybody.reader.tables cimport Branch, Form, Shape, Table

cdef extern from "Python.h":
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    Py_ssize_t PyTuple_GET_SIZE(PyObject*) noexcept
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t) noexcept
    double PyFloat_AsDouble(PyObject*) except? -1.0
    PyObject* PyDict_GetItemWithError(object, object) except? NULL
    bint PyTuple_CheckExact(PyObject*) noexcept
    bint PyList_CheckExact(PyObject*) noexcept
    PyTypeObject* Py_TYPE(PyObject*) noexcept

cdef enum RuleKind:
    EXCLUSIVE, TOGETHER, ONE_OF, REQUIRES, REQUIRED, LENGTH, ASCENDING, DIFFER, UNIT, IGNORED
    INCREASING, MULTIPLE, NONZERO, INERTIA

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
    bint written  # counts what is written on the element alone
    bint conditional
    Slot asked  # what a condition without values looks at
    int by  # the attribute that another condition or a size looks at, or -1
    PyObject* among  # the values of the condition
    bint unless  # the rule holds anyway where the condition does
    int* sizes  # for each word of the attribute `by`: the least and the most
    double tolerance
    int start
    PyObject* row

cdef struct Filler:  # a defaults element of this document
    PyObject* node
    Shape* shape
    int* fallback  # per attribute of the element it fills, the index of its own, or -1

cdef struct Suite:  # the rules of one kind of element, and where its defaults come from
    Test* tests
    int test_count
    PyObject* chains  # a dict from defaults classes to Chain, or NULL where nothing fills it
    PyObject* outermost  # the Chain of elements without a class
    int own  # the attribute that names its defaults class, or -1
    int below  # the attribute that names the class of all below, or -1
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
    base.Increasing: (INCREASING, "name"),
    base.Multiple: (MULTIPLE, "name"),
    base.Nonzero: (NONZERO, "name"),
    base.UnitQuaternion: (UNIT, "name"),
    base.Ignored: (IGNORED, "names"),
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


cdef class Chain:
    """The defaults elements that fill one kind of element in one class, the nearest first."""

    cdef Filler* fillers
    cdef int count
    cdef readonly tuple nodes

    def __cinit__(self, Table table, row, nodes):
        cdef Filler* filler
        cdef int index, other
        rows = {known.cls: known for known in table.format.elements.values()}
        self.nodes = tuple(nodes)
        self.fillers = <Filler*> calloc(len(self.nodes) + 1, sizeof(Filler))
        if self.fillers == NULL:
            raise MemoryError
        for index, node in enumerate(self.nodes):
            filler = &self.fillers[index]
            source = rows[type(node)]
            filler.node, filler.shape = <PyObject*> node, &table.shapes[table.indices[source.key]]
            filler.fallback = <int*> calloc(len(row.attributes) + 1, sizeof(int))
            if filler.fallback == NULL:
                raise MemoryError
            self.count = index + 1
            places = {attribute.name: place for place, attribute in enumerate(source.attributes)}
            for other, attribute in enumerate(row.attributes):
                found = lent(attribute, source)
                filler.fallback[other] = -1 if found is None else places[found.name]

    def __dealloc__(self):
        cdef int index
        if self.fillers != NULL:
            for index in range(self.count):
                free(self.fillers[index].fallback)
            free(self.fillers)


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
    cdef readonly list references  # (node, element row, attribute) where a name is not declared
    cdef list referring  # (node, element row, attribute, value, defaults class)
    cdef readonly dict classes  # id of a node of interest -> the defaults class that those around it give
    cdef readonly dict parents  # id of a node of the keys asked for -> the node around it, if asked for
    cdef dict columns  # element key -> names of attributes to their places
    cdef readonly list graphs  # (node, element row, rule) of every Graph
    cdef public set lost  # values in what the parse did not understand: names among them are not missing
    cdef readonly dict nodes  # element key -> its nodes, for the keys asked for
    cdef readonly dict fillers  # element key -> the nearest defaults element that fills it without a class
    cdef readonly object filling
    cdef bint over, with_parents

    def __cinit__(self, Table table, root, keys=(), bint parents=False):
        cdef int index
        self.table, self.format, self.keep = table, table.format, []
        self.declared = {name: {} for name in table.format.namespaces}
        self.violations, self.duplicates, self.references, self.graphs = [], [], [], []
        self.nodes, self.lost = {key: [] for key in keys}, set()
        self.referring, self.classes, self.parents, self.columns = [], {}, {}, {}
        self.with_parents = parents
        key = root_key(table.format, root)
        self.filling = Filling(table.format, root)
        self.fillers = {}
        self.suite_count = table.shape_count
        self.suites = <Suite*> calloc(table.shape_count, sizeof(Suite))
        if self.suites == NULL:
            raise MemoryError
        sources = {row.source for row in table.format.defaults}
        for index, row in enumerate(table.format.elements.values()):
            self.lay_suite(&self.suites[index], &table.shapes[index], row, sources)
        self.walk(root, table.indices[key])
        self.find_dangling()

    def __dealloc__(self):
        cdef int index, other
        if self.suites != NULL:
            for index in range(self.suite_count):
                for other in range(self.suites[index].test_count):
                    free(self.suites[index].tests[other].sizes)
                free(self.suites[index].tests)
            free(self.suites)

    cdef void lay_suite(self, Suite* suite, Shape* shape, object row, set sources) except *:
        cdef int index
        suite.declares = suite.own = suite.below = -1
        rules = [base.Required(a.name) for a in row.attributes if a.required and a.default is None]
        # The resolver asks for defaults, and they forbid nothing; graphs are checked in `polybody.graphs`.
        rules.extend(rule for rule in row.rules if not isinstance(rule, NOT_TESTED))
        suite.has_graphs = any(isinstance(rule, base.Graph) for rule in row.rules)
        suite.tests = <Test*> calloc(len(rules) + 1, sizeof(Test))
        if suite.tests == NULL:
            raise MemoryError
        chains = {name: self.filling.chain(row.key, name) for name in self.filling.classes}
        if any(chains.values()):
            laid = {name: Chain(self.table, row, nodes) for name, nodes in chains.items()}
            self.keep.append(laid)
            suite.chains, suite.outermost = <PyObject*> laid, <PyObject*> laid[UNNAMED]
            if chains[UNNAMED]:
                self.fillers[row.key] = chains[UNNAMED][0]
        if row.key in self.nodes:
            suite.nodes = <PyObject*> self.nodes[row.key]
        for index, attribute in enumerate(row.attributes):
            if attribute.defaults_class == "own":
                suite.own = index
            if attribute.defaults_class == "below":
                suite.below = index
            if attribute.declares is not None and row.key not in sources:
                suite.declares, suite.namespace = index, <PyObject*> self.declared[attribute.declares]
            # What a defaults element names is looked for where it fills an element.
            if attribute.refers and row.key not in sources:
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
        test.written = getattr(rule, "written", False)
        unless = getattr(rule, "unless", None)
        when = getattr(rule, "when", None) or unless
        if when is not None:
            test.conditional, test.among, test.unless = True, <PyObject*> when.values, unless is not None
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

    cdef PyObject* chain_of(self, Suite* suite, Shape* shape, PyObject* node, PyObject* below):
        """The Chain that fills an element, borrowed; NULL where nothing does."""
        cdef PyObject* name = below
        cdef PyObject* own
        cdef PyObject* chain
        if suite.chains == NULL:
            return NULL
        if suite.own >= 0:
            own = self.written(shape, node, suite.own)
            name = own if own != NULL else below
        if name == NULL:
            return suite.outermost
        chain = PyDict_GetItemWithError(<object> suite.chains, <object> name)
        return suite.outermost if chain == NULL else chain

    cdef PyObject* given(self, Shape* shape, PyObject* node, int index, PyObject* chain):
        """What is written or comes from defaults, borrowed; NULL where nothing is given."""
        cdef PyObject* value = self.written(shape, node, index)
        cdef Filler* filler
        cdef int place
        if value != NULL or chain == NULL:
            return value
        for place in range((<Chain> chain).count):
            filler = &(<Chain> chain).fillers[place]
            if filler.fallback[index] >= 0:
                value = self.written(filler.shape, filler.node, filler.fallback[index])
                if value != NULL:
                    return value
        return NULL

    cdef PyObject* at(self, Shape* shape, PyObject* node, Slot slot, PyObject* chain):
        """What stands where a rule looks, borrowed: a value, or a child; NULL where nothing is given."""
        cdef Branch* branch
        cdef PyObject* held
        if slot.branch == OWN:
            return self.given(shape, node, slot.field, chain)
        branch = &shape.branches[slot.branch]
        held = self.table.peek(node, branch.offset, branch.name)
        if held == NULL or held == <PyObject*> None or branch.many and PyList_GET_SIZE(held) == 0:
            return NULL
        if branch.many:
            held = PyList_GET_ITEM(held, 0)
        if slot.field == ITSELF:
            return held
        return self.written(&self.table.shapes[branch.shape], held, slot.field)

    cdef PyObject* effective(self, Shape* shape, PyObject* node, int index, PyObject* chain):
        cdef PyObject* value = self.given(shape, node, index, chain)
        return <PyObject*> (<object> shape.fields[index].row).default if value == NULL else value

    cdef bint holds(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        """Whether the condition of a rule, if it has one, is true of the effective value."""
        if not test.conditional:
            return False
        if test.by < 0:
            return self.at(shape, node, test.asked, chain) != NULL
        return <object> self.effective(shape, node, test.by, chain) in <tuple> test.among

    def chain(self, node, row):
        """The defaults elements that fill a node of interest, the nearest first."""
        cdef Suite* suite = &self.suites[self.table.indices[row.key]]
        cdef Shape* shape = &self.table.shapes[self.table.indices[row.key]]
        below = self.classes.get(id(node))
        found = self.chain_of(suite, shape, <PyObject*> node, NULL if below is None else <PyObject*> below)
        return () if found == NULL else (<Chain> found).nodes

    def value(self, node, row, str name):
        """The effective value of an attribute of a node of interest."""
        cdef int index = self.table.indices[row.key]
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef PyObject* chain
        columns = self.columns.get(row.key)
        if columns is None:
            columns = {attribute.name: place for place, attribute in enumerate(row.attributes)}
            self.columns[row.key] = columns
        below = self.classes.get(id(node))
        chain = self.chain_of(suite, shape, <PyObject*> node, NULL if below is None else <PyObject*> below)
        return <object> self.effective(shape, <PyObject*> node, columns[name], chain)

    def values(self, str key, str name):
        """The effective values of an attribute of all nodes of a kind that was asked for, in their order."""
        cdef int index = self.table.indices[key], place
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef PyObject* chain
        cdef list nodes = self.nodes[key], found = []
        names = [attribute.name for attribute in self.table.format.elements[key].attributes]
        place = names.index(name)
        for node in nodes:
            chain = NULL
            if suite.chains != NULL:
                within = self.classes.get(id(node))
                chain = self.chain_of(suite, shape, <PyObject*> node, NULL if within is None else <PyObject*> within)
            found.append(<object> self.effective(shape, <PyObject*> node, place, chain))
        return found

    cdef void find_dangling(self) except *:
        """Keep those references only that lead nowhere."""
        names_of = {namespace: names_in(self, namespace) for namespace in self.declared}
        for node, row, attribute, value, below in self.referring:
            if len(attribute.refers) == 1 and type(value) is str:
                dangles = value not in <dict> names_of[attribute.refers[0]]
            else:
                known = [names_of[namespace] for namespace in attribute.refers]
                dangles = any(not any(name in names for names in known) for name in components(value))
            if dangles:
                self.references.append((node, row, attribute))
                self.classes[id(node)] = below
        self.referring = []


    # --- the walk -----------------------------------------------------------------------------------------

    cdef void walk(self, object root, int start) except *:
        """Check every element; those without children right away, so that the stack holds few."""
        cdef PyObject* node
        cdef PyObject* held
        cdef Shape* shape
        cdef Branch* branch
        cdef Py_ssize_t place
        cdef int index, other
        cdef PyObject* name
        cdef list stack = [(root, start, None, None)]
        cdef Shape* below
        while stack and not self.over:
            top, index, within, around = stack.pop()
            node, shape = <PyObject*> top, &self.table.shapes[index]
            self.check(node, index, within, around)
            if self.suites[index].below >= 0:
                name = self.written(shape, node, self.suites[index].below)
                within = within if name == NULL else <object> name
            for other in range(shape.branch_count - 1, -1, -1):
                branch = &shape.branches[other]
                held = self.table.peek(node, branch.offset, branch.name)
                if held == NULL or held == <PyObject*> None:
                    continue
                below = &self.table.shapes[branch.shape]
                if not branch.many:
                    stack.append((<object> held, branch.shape, within, top))
                elif not PyList_CheckExact(held):
                    kind = type(<object> held).__name__
                    raise TypeError(f"<{top.TAG}>: `{<object> branch.name}` is a {kind}, not a list")
                elif below.branch_count:
                    for place in range(PyList_GET_SIZE(held) - 1, -1, -1):
                        stack.append((<object> PyList_GET_ITEM(held, place), branch.shape, within, top))
                else:
                    for place in range(PyList_GET_SIZE(held)):
                        self.check(PyList_GET_ITEM(held, place), branch.shape, within, top)

    cdef void check(self, PyObject* node, int index, object within, object around) except *:
        cdef Suite* suite = &self.suites[index]
        cdef Shape* shape = &self.table.shapes[index]
        cdef PyObject* value
        cdef PyObject* chain
        cdef bint found = False
        cdef int other
        if Py_TYPE(node) != shape.cls:
            # Slots are read by their offsets in this class; documents made by hand may hold anything.
            right, wrong = (<object> shape.cls).__name__, type(<object> node).__name__
            raise TypeError(f"a {wrong} stands where a {right} should")
        chain = self.chain_of(suite, shape, node, NULL if within is None else <PyObject*> within)
        if suite.nodes != NULL:
            (<list> suite.nodes).append(<object> node)
            if self.with_parents:
                self.parents[id(<object> node)] = around
            found = True
        if suite.declares >= 0:
            value = self.given(shape, node, suite.declares, chain)
            if value != NULL:
                first = (<dict> suite.namespace).setdefault(<object> value, <object> node)
                if <PyObject*> first != node:
                    attribute = (<object> shape.fields[suite.declares].row)
                    self.duplicates.append((<object> node, <object> shape.row, attribute, first))
                    found = True
        if suite.has_graphs:
            row = <object> shape.row
            for rule in row.rules:
                if isinstance(rule, base.Graph):
                    self.graphs.append((<object> node, row, rule))
        for other in range(suite.refer_count):
            value = self.given(shape, node, suite.refers[other], chain)
            if value != NULL:
                attribute = <object> shape.fields[suite.refers[other]].row
                self.referring.append((<object> node, <object> shape.row, attribute, <object> value, within))
        for other in range(suite.test_count):
            if self.violated(shape, node, &suite.tests[other], chain):
                self.violations.append((<object> node, <object> shape.row, <object> suite.tests[other].row))
                found = True
        if found and within is not None:
            self.classes[id(<object> node)] = within
        self.over = len(self.violations) + len(self.duplicates) > MOST_VIOLATIONS

    cdef bint violated(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        cdef PyObject* value
        cdef PyObject* other
        cdef int index, given = 0
        if test.kind in (EXCLUSIVE, TOGETHER, ONE_OF):
            for index in range(test.count):
                given += self.at(shape, node, test.names[index], NULL if test.written else chain) != NULL
            if test.kind == EXCLUSIVE:
                return given > 1
            return 0 < given < test.count if test.kind == TOGETHER else given == 0
        if test.kind == IGNORED:
            for index in range(test.count):
                if self.is_written(shape, node, test.names[index]):
                    return self.holds(shape, node, test, chain)
            return False
        if test.kind == INERTIA:
            return self.is_no_inertia(shape, node, test, chain)
        value = self.at(shape, node, test.names[0], chain)
        if test.kind == REQUIRED:
            return value == NULL and (not test.conditional or self.holds(shape, node, test, chain) != test.unless)
        if value == NULL:
            return False
        if test.kind == REQUIRES:
            for index in range(1, test.count):
                if self.at(shape, node, test.names[index], chain) == NULL:
                    return True
            return False
        if test.kind == LENGTH:
            return self.has_wrong_size(shape, test, value, self.effective(shape, node, test.by, chain))
        if test.kind == INCREASING:
            return is_falling(value)
        if test.kind == MULTIPLE:
            return len(<object> value) % (<object> test.row).factor != 0
        if test.kind == NONZERO:
            return not any(components(<object> value)) and not self.holds(shape, node, test, chain)
        if test.kind == UNIT:
            if test.conditional and not self.holds(shape, node, test, chain):
                return False
            return is_far_from_unit(value, test.start, test.tolerance)
        other = self.at(shape, node, test.names[1], chain)
        if other == NULL:
            return False
        if test.kind == DIFFER:
            return <object> value == <object> other
        return any(a > b for a, b in zip(components(<object> value), components(<object> other)))

    cdef bint is_written(self, Shape* shape, PyObject* node, Slot slot) except -1:
        if slot.branch == OWN:
            return self.written(shape, node, slot.field) != NULL
        return self.at(shape, node, slot, NULL) != NULL

    cdef bint is_no_inertia(self, Shape* shape, PyObject* node, Test* test, PyObject* chain) except -1:
        cdef PyObject* value
        cdef int index
        moments = []
        for index in range(test.count):
            value = self.at(shape, node, test.names[index], chain)
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


def root_key(format, root):
    """The key of a document's root among those that the format has."""
    keys = (format.root, *format.roots)
    for key in keys:
        if format.elements[key].cls is type(root):
            return key
    known = " or a ".join(format.elements[key].cls.__name__ for key in keys)
    raise TypeError(f"a {type(root).__name__} is not the root of {format.name}, which is a {known}")


def names_in(rules, namespace):
    """The names of a namespace, declared and built in, with the node that declares each."""
    declared = rules.declared[namespace]
    builtin = rules.format.builtin.get(namespace)
    return {**declared, **dict.fromkeys(builtin)} if builtin else declared


def components(value):
    return value if isinstance(value, tuple) else (value,)


cdef bint is_falling(PyObject* value) except -1:
    cdef Py_ssize_t index
    if not PyTuple_CheckExact(value):
        return False
    for index in range(1, PyTuple_GET_SIZE(value)):
        if PyFloat_AsDouble(PyTuple_GET_ITEM(value, index)) < PyFloat_AsDouble(PyTuple_GET_ITEM(value, index - 1)):
            return True
    return False


cdef bint is_far_from_unit(PyObject* value, int start, double tolerance) except -1:
    cdef double square = 0.0, x
    cdef int index
    if not PyTuple_CheckExact(value) or PyTuple_GET_SIZE(value) < start + 4:
        return False  # its length is another rule's finding
    for index in range(start, start + 4):
        x = PyFloat_AsDouble(PyTuple_GET_ITEM(value, index))
        square += x * x
    return not fabs(sqrt(square) - 1.0) <= tolerance
