# cython: language_level=3, boundscheck=False, wraparound=False
"""A format's rules in C, created once per format: the indices of their subjects, and masks by which most of
them can be skipped without examining any value.
"""

from cpython.object cimport PyObject
from libc.stdlib cimport calloc, free

from polybody import base
from polybody.document.defaults import hiding, provider

from polybody.document.parser.forms cimport Form
from polybody.document.parser.tables cimport Shape, Table

CHECKS = {
    base.Exclusive: EXCLUSIVE,
    base.Together: TOGETHER,
    base.OneOf: ONE_OF,
    base.Requires: REQUIRES,
    base.Required: REQUIRED,
    base.Length: LENGTH,
    base.Ascending: ASCENDING,
    base.Increasing: INCREASING,
    base.Nonzero: NONZERO,
    base.UnitQuaternion: UNIT,
    base.Ignored: IGNORED,
    base.Inertia: INERTIA,
    base.Deprecated: DEPRECATED,
}
"""The compiled checks of kinds of rules; the rows of other kinds check themselves."""
NOT_TESTED = (base.Default, base.Graph)
"""Defaults cannot be violated; graphs are checked in `polybody.validation.reference_graphs`."""


def rule_names(rule):
    """The names that a rule refers to."""
    names = []
    for field in rule.about:
        value = getattr(rule, field)
        names.extend([value] if isinstance(value, str) else value)
    return names


def values_of(row):
    """The attributes of an element, then its text, in the order of a table."""
    return row.attributes if row.text is None else (*row.attributes, row.text)


cdef Mask bit(int index) noexcept:
    """The mask of one attribute; 0 if masks do not cover it."""
    return <Mask> 1 << index if 0 <= index < MASK_BITS else 0


cdef class Suites:
    """The rules of one format. Immutable, so that any number of checks share them."""

    def __cinit__(self, Table table):
        cdef int index
        self.table, self.keep, self.provided_places = table, [], {}
        self.suites = <Suite*> calloc(table.shape_count, sizeof(Suite))
        if self.suites == NULL:
            raise MemoryError
        sources = {row.source for row in table.format.defaults}
        targets = {row.target for row in table.format.defaults}
        for index, row in enumerate(table.format.elements.values()):
            self.lay_suite(&self.suites[index], &table.shapes[index], row)
            self.lay_names(&self.suites[index], row, row.key in sources)
            self.suites[index].filled = row.key in targets
            self.lay_defaults(&self.suites[index], row)

    def __dealloc__(self):
        cdef int index, other
        if self.suites != NULL:
            for index in range(self.table.shape_count):
                for other in range(self.suites[index].test_count):
                    free(self.suites[index].tests[other].sizes)
                free(self.suites[index].tests)
                free(self.suites[index].hidden_by)
                free(self.suites[index].depends_on)
                free(self.suites[index].by_word)
            free(self.suites)

    cdef object row_of(self, cls):
        """The row of the elements of a class."""
        if self.rows is None:
            self.rows = {row.cls: row for row in self.table.format.elements.values()}
        return self.rows[cls]

    cdef tuple places_provided(self, row, source):
        """For each attribute of an element the index of the attribute of a defaults element that provides its
        default, or -1.
        """
        try:
            return self.provided_places[row.key, source.key]
        except KeyError:
            places = {attribute.name: place for place, attribute in enumerate(source.attributes)}
            found = [provider(attribute, source) for attribute in row.attributes]
            made = tuple(-1 if attribute is None else places[attribute.name] for attribute in found)
            return self.provided_places.setdefault((row.key, source.key), made)

    cdef void lay_suite(self, Suite* suite, Shape* shape, object row) except *:
        cdef int index
        rules = [base.Required(a.name) for a in row.attributes if a.required]
        rules.extend(rule for rule in row.rules if not isinstance(rule, NOT_TESTED))
        suite.has_graphs = any(isinstance(rule, base.Graph) for rule in row.rules)
        suite.tests = <Test*> calloc(len(rules) + 1, sizeof(Test))
        if suite.tests == NULL:
            raise MemoryError
        for index, rule in enumerate(rules):
            self.keep.append(rule)
            suite.test_count = index + 1
            self.lay_test(&suite.tests[index], shape, row, rule)

    cdef void lay_defaults(self, Suite* suite, object row) except *:
        """Which values of defaults elements are overridden, and which defaults of the schema depend on other
        values.
        """
        cdef int index, other
        cdef int count = len(row.attributes) + 1
        names = {attribute.name: place for place, attribute in enumerate(row.attributes)}
        others = {names[name]: [names[each] for each in hiding(row, name)] for name in names}
        if suite.filled and any(others.values()):
            suite.hidden_by = <Mask*> calloc(count, sizeof(Mask))
            if suite.hidden_by == NULL:
                raise MemoryError
            for index, hiders in others.items():
                for other in hiders:
                    suite.hidden_by[index] |= bit(other)
        rules = [rule for rule in row.rules if isinstance(rule, base.Default)]
        if not rules:
            return
        suite.depends_on = <int*> calloc(count, sizeof(int))
        suite.by_word = <PyObject**> calloc(count, sizeof(PyObject*))
        if suite.depends_on == NULL or suite.by_word == NULL:
            raise MemoryError
        for index in range(count):
            suite.depends_on[index] = -1
        for rule in rules:
            values = dict(rule.values)
            self.keep.append(values)
            suite.depends_on[<int> names[rule.name]] = names[rule.by]
            suite.by_word[<int> names[rule.name]] = <PyObject*> values

    cdef void lay_names(self, Suite* suite, object row, bint source) except *:
        """The names that an element's attributes declare and refer to; ``source``: it is a defaults
        element.
        """
        cdef int index
        suite.declares = suite.own = suite.below = -1
        for index, attribute in enumerate(values_of(row)):
            if attribute.defaults_class == "own":
                suite.own = index
            if attribute.defaults_class == "below":
                suite.below = index
            if attribute.declares is not None and not source:
                suite.declares, suite.namespace = index, <PyObject*> attribute.declares
            # References in a defaults element are checked in the elements that it applies to.
            if attribute.refers and not source:
                if suite.refer_count == MAX_NAMES:
                    raise ValueError(f"{row.key}: more than {MAX_NAMES} attributes that refer to names")
                suite.refers[suite.refer_count] = index
                suite.refer_count += 1

    cdef void lay_test(self, Test* test, Shape* shape, object row, object rule) except *:
        cdef int index
        cdef Form* form
        names = rule_names(rule)
        if len(names) > MAX_NAMES:
            raise ValueError(f"{row.key}: a rule over more than {MAX_NAMES} attributes")
        test.kind, test.row, test.by = CHECKS.get(type(rule), BY_ROW), <PyObject*> rule, -1
        test.masked = not rule.partial
        for index, name in enumerate(names):
            test.names[index] = self.slot(row, name)
            test.masked &= test.names[index].branch == OWN and test.names[index].field < MASK_BITS
            test.mask |= bit(test.names[index].field)
        test.count, test.first = len(names), bit(test.names[0].field)
        test.written = getattr(rule, "written", False)
        self.lay_condition(test, row, rule)
        if test.kind == UNIT:
            test.tolerance, test.start = rule.tolerance, rule.start
        if test.kind == LENGTH:
            form = &shape.fields[test.by].forms[0]
            test.sizes = <int*> calloc(2 * form.word_count + 1, sizeof(int))
            if test.sizes == NULL:
                raise MemoryError
            for index in range(form.word_count):
                low, high = rule.sizes.get(<object> form.words[index].member, (0, base.UNBOUNDED))
                test.sizes[2 * index], test.sizes[2 * index + 1] = low, high

    cdef void lay_condition(self, Test* test, object row, object rule) except *:
        unless = getattr(rule, "unless", None)
        when = getattr(rule, "when", None) or unless
        if when is not None:
            test.conditional, test.among, test.unless = True, <PyObject*> when.values, unless is not None
            if not when.values:
                test.asked = self.slot(row, when.name)
        name = rule.by if test.kind == LENGTH else when.name if when is not None and when.values else None
        if name is not None:
            test.by = [attribute.name for attribute in row.attributes].index(name)

    cdef Slot slot(self, object row, str name) except *:
        """The slot of a name in a rule: `pos`, `limit`, `axis/@xyz`, `mass/text()`, `text()`."""
        cdef Slot found
        of_text = name.endswith(base.TEXT_OF)
        tag, _, below = (name.removesuffix(base.TEXT_OF), "", "") if of_text else name.rpartition("/@")
        found.branch = found.field = -1
        for index, attribute in enumerate(values_of(row)):
            if attribute.name == name:
                found.field = index
                return found
        for index, child in enumerate(row.children):
            if child.tag in (tag, name):
                found.branch = index
                if of_text:
                    found.field = TEXT
                elif tag:
                    below_row = self.table.format.elements[child.element]
                    found.field = [a.name for a in below_row.attributes].index(below)
                return found
        raise ValueError(f"{row.key}: a rule about {name!r}, which is neither attribute nor child")


_SUITES = {}


def suites_of(table):
    """The rules of a format in C, created on first use."""
    try:
        return _SUITES[table]
    except KeyError:
        return _SUITES.setdefault(table, Suites(table))
