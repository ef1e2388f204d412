# cython: language_level=3, boundscheck=False, wraparound=False
"""Checks a document in memory against its format's tables: finds what the reader would have rejected.

Documents can be created and edited in Python, where a field accepts any value. Each element is checked: its
class, the number of children of each kind, and the type and form of each value. What a text could also
contain is a fault; `polybody.validation.in_memory` converts it to a finding. What no text can contain raises
an exception.
"""

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_DECREF
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from polybody.document.content import TooComplex, misplaced
from polybody.document.parser.tables import version_number
from polybody.document.parser.value_faults import examine
from polybody.document.writer import check_kept, check_untyped, lexical

from polybody.base.children cimport Kinds, kind_of
from polybody.document.parser.forms cimport Field, fits, parse_field
from polybody.document.parser.tables cimport LEAF, Branch, Shape, Table

cdef extern from "Python.h":
    PyTypeObject* Py_TYPE(PyObject*) noexcept
    Py_ssize_t PyList_GET_SIZE(object) noexcept
    PyObject* PyList_GET_ITEM(object, Py_ssize_t) noexcept

cdef str SOURCE = "_source"

cdef enum:
    MAX_FAULTS = 4_000  # more than are shown


cdef class Inspection:
    """One inspection of one document; `faults` are tuples of the kind of fault, the element, and details."""

    cdef readonly list faults
    cdef readonly list replaced  # (element, field, value) of values that a reader would have changed
    cdef readonly list removed  # (element, child) of children that a reader would have omitted
    cdef readonly list includes  # elements that are replaced by the content of another file
    cdef readonly bint unplaced  # some element was not read from a text
    cdef readonly bint cut  # the document exceeds the limits for size or depth
    cdef readonly bint differs  # its text would be read as different elements: see `examine`
    cdef list none  # the empty list of children
    cdef set met  # ids of elements
    cdef set declared  # prefixes that the root declares, and those already reported
    cdef set left_out  # ids of children that a reader would have omitted
    cdef Table table
    cdef object limits
    cdef int* counts  # of an element's children, by kind
    cdef int version
    cdef long long elements

    def __cinit__(self, Table table, root, limits):
        cdef int index, most = 1
        self.table, self.limits, self.version = table, limits, table.version
        self.faults, self.replaced, self.removed, self.includes = [], [], [], []
        self.none, self.met, self.left_out = [], set(), set()
        for index in range(table.shape_count):
            most = max(most, table.shapes[index].branch_count)
        self.counts = <int*> calloc(most, sizeof(int))
        if self.counts == NULL:
            raise MemoryError
        index = self.root_index(root)
        self.declared = {prefix for prefix in table.format.prefixes
                         for row in (<object> table.shapes[index].row).attributes
                         if row.name == f"xmlns:{prefix}" and getattr(root, row.field) is not None}
        self.walk(root, index)

    def __dealloc__(self):
        free(self.counts)

    cdef int look_for_content(self, node, int index) except -1:
        """Note an element whose separate document was not read."""
        if self.table.shapes[index].loads and node.content is None:
            row = <object> self.table.shapes[index].row
            naming = next(attribute for attribute in row.attributes if attribute.file)
            self.differs = self.differs or bool(getattr(node, naming.field))

    cdef int root_index(self, root) except -1:
        form = self.table.format
        for key in (form.root, *form.roots):
            if form.elements[key].cls is type(root):
                return self.table.indices[key]
        known = " or a ".join(form.elements[key].cls.__name__ for key in (form.root, *form.roots))
        raise TypeError(f"a {type(root).__name__} is not the root of {form.name}, which is a {known}")

    # --- traversal ----------------------------------------------------------------------------------------

    cdef void walk(self, object root, int start) except *:
        """Check every element in the document's order."""
        cdef Shape* shape
        cdef Py_ssize_t place = 0
        cdef int index = start, below
        cdef list stack = []
        node = root
        self.met.add(id(root))
        self.element(node, index)
        self.look_for_content(node, index)
        self.note_version(node, index)
        while not self.cut and not self.differs and len(self.faults) < MAX_FAULTS:
            shape = &self.table.shapes[index]
            children = self.children_of(node)
            if place == 0 and PyList_GET_SIZE(children):
                self.census(shape, node, children)
            while place < PyList_GET_SIZE(children) and not self.cut and not self.differs:
                child = <object> PyList_GET_ITEM(children, place)
                place += 1
                if self.left_out and id(child) in self.left_out:
                    continue
                below = shape.branches[kind_of(<Kinds> shape.kinds, <PyObject*> child)].shape
                self.meet(child)
                self.element(child, below)
                self.look_for_content(child, below)
                if len(stack) + 2 > self.limits.depth:
                    self.cut = True
                    self.faults.append(("deep", child))
                if self.table.shapes[below].stands_for_file:
                    self.includes.append(child)
                    content = child.content
                    if content is None:
                        self.differs = self.differs or child.file is not None
                        continue
                    self.meet(content)
                    if Py_TYPE(<PyObject*> content) != shape.cls:  # it has the class of the parent
                                                                   # of the same class
                        raise TypeError(f"the content of <{child.TAG}> is a {type(content).__name__}")
                elif self.table.children_of(<PyObject*> child) != NULL:
                    content = None
                else:
                    continue
                stack.append((node, index, place))
                if content is None:
                    node, index = child, below
                else:
                    node = content
                place = 0
                break
            else:
                if not stack:
                    return
                node, index, place = stack.pop()

    cdef object children_of(self, object node):
        """All children of an element, as a read-only list."""
        cdef PyObject* found = self.table.children_of(<PyObject*> node)
        return self.none if found == NULL else <object> found

    cdef int meet(self, object node) except -1:
        """Register an element; if it occurs at two places, its text has two elements."""
        if id(node) in self.met:
            self.differs = True
        self.met.add(id(node))
        return 0

    # --- children -----------------------------------------------------------------------------------------

    cdef int census(self, Shape* shape, object node, object children) except -1:
        """Count the children of each kind."""
        cdef Kinds kinds = <Kinds> shape.kinds
        cdef Branch* branch
        cdef int kind
        cdef bint lost = False
        refused = []
        memset(self.counts, 0, shape.branch_count * sizeof(int))
        for child in children:
            kind = kind_of(kinds, <PyObject*> child)
            if kind < 0 or Py_TYPE(<PyObject*> child) != self.table.shapes[shape.branches[kind].shape].cls:
                self.differs = True
                return 0
            branch = &shape.branches[kind]
            if branch.absent:  # its text says so as a text that is read does
                self.differs = True
                return 0
            if kind == shape.wild and not self.takes(shape, node, child):
                lost = True
                refused.append(child)
                self.faults.append(("unknown", node, child))
                continue
            self.counts[kind] += 1
            if self.counts[kind] > branch.high:
                refused.append(child)
                first = None if branch.many else <object> self.table.first(shape, <PyObject*> node, kind)
                self.faults.append(("many", node, <object> branch.row, child, first))
            elif self.dated(branch.since, branch.until):
                self.faults.append(("dated_child", node, <object> branch.row, child, self.version < branch.since))
            lost = lost or self.table.shapes[branch.shape].stands_for_file
        if refused:
            self.removed.extend([(node, child) for child in refused])
            self.left_out.update([id(child) for child in refused])
        if not lost:
            self.demand_children(shape, node)
        return 0

    cdef int demand_children(self, Shape* shape, object node) except -1:
        """Report the kinds of which an element has too few children; their numbers are in `counts`."""
        cdef int kind
        if shape.has_content:
            self.check_content(shape, node)
            return 0
        for kind in range(shape.branch_count):
            if self.counts[kind] < shape.branches[kind].low:
                self.faults.append(("few", node, <object> shape.branches[kind].row, self.counts[kind]))
        return 0

    cdef int check_content(self, Shape* shape, object node) except -1:
        """Report an element whose children are not in the order of its content model."""
        children = [child for child in self.children_of(node) if id(child) not in self.left_out]
        try:
            found = misplaced((<object> shape.row).content, children)
        except TooComplex:
            found = True
        if found is not None:
            self.faults.append(("content", node))
        return 0

    cdef bint takes(self, Shape* shape, object node, object child) except -1:
        """Whether an element allows a child without a schema."""
        cdef bytes tag = child.tag.encode("utf-8", "surrogatepass")
        cdef Field* field
        if self.table.named(&shape.tags, tag, len(tag)) != NULL and not self.table.format.qualified:
            self.differs = True
            return True
        if self.table.format.qualified:
            self.differs = self.differs or child.source is None  # it has no known namespace
                                                                 # known
            return True
        if shape.foreign:
            return self.table.is_foreign(tag)
        if shape.wild_when < 0:
            return True
        field = &shape.fields[shape.wild_when]
        return self.table.peek(<PyObject*> node, field.offset, field.name) != <PyObject*> None

    # --- one element --------------------------------------------------------------------------------------

    cdef int element(self, object node, int index) except -1:
        cdef Shape* shape = &self.table.shapes[index]
        cdef Table table = self.table
        cdef PyObject* held = table.peek(<PyObject*> node, table.source_offset, <PyObject*> SOURCE)
        cdef int place
        self.elements += 1
        if self.elements > self.limits.elements and not self.cut:
            self.cut = True
            self.faults.append(("large", node))
        self.unplaced = self.unplaced or held == NULL or held == <PyObject*> None
        if shape.unsupported:
            self.faults.append(("unsupported", node, <object> shape.row, None))
        if shape.prefix != NULL:
            self.demand(<str> shape.prefix, node, None)
        if shape.untyped:
            check_untyped(node)
            return 0
        for place in range(shape.field_count + (shape.text != NULL)):
            held = table.peek(<PyObject*> node, shape.fields[place].offset, shape.fields[place].name)
            if held == NULL:
                raise ValueError(f"<{node.TAG}>: its `{<object> shape.fields[place].name}` is not set, not even to None")
            if held != <PyObject*> None or &shape.fields[place] == shape.text:
                self.value(shape, node, &shape.fields[place], <object> held)
        for place in range(shape.field_count + 1, shape.field_count + 1 + shape.absent_count):
            held = table.peek(<PyObject*> node, shape.fields[place].offset, shape.fields[place].name)
            self.differs = self.differs or held != <PyObject*> None
        if shape.keeps and node.attributes is not None:
            check_kept(node, node.attributes)
            for name in node.attributes:
                if not self.table.is_foreign(name.encode("utf-8", "surrogatepass")):
                    self.differs = True
        if (shape.must_have_children or shape.has_content) and not PyList_GET_SIZE(self.children_of(node)):
            memset(self.counts, 0, shape.branch_count * sizeof(int))
            self.demand_children(shape, node)
        return 0

    cdef int value(self, Shape* shape, object node, Field* field, object held) except -1:
        """Check one attribute, leaf or text of an element."""
        row = <object> field.row
        if held is None:
            if field == shape.text and field.required:
                self.spell(shape, node, field, held, "")
            return 0
        if field.prefix != NULL:
            self.demand(<str> field.prefix, node, row)
        if self.dated(field.since, field.until):
            self.faults.append(("dated", node, row, self.version < field.since))
        if field.unsupported:
            self.faults.append(("unsupported", node, <object> shape.row, row))
        if not fits(&field.forms[0], <PyObject*> held):
            self.spell(shape, node, field, held, lexical(held, <object> shape.row, row))
        return 0

    cdef int spell(self, Shape* shape, object node, Field* field, object held, str text) except -1:
        """Check a value by its text, as the reader would."""
        cdef bytes encoded = text.encode()
        cdef PyObject* made = NULL
        if field != shape.text or field.required or text.strip(" \t\r\n"):
            made = parse_field(field, encoded, len(encoded))
            if made == NULL:
                self.faults.append(("value", node, <object> field.row, text))
                problem = examine((<object> field.row).forms, text)
                self.replaced.append((node, <object> field.name, None if problem is None else problem.value))
                return 0
        value = None if made == NULL else <object> made
        if made != NULL:
            Py_DECREF(value)
        if held is None or (type(value) is type(held) and value == held):
            return 0
        self.replaced.append((node, <object> field.name, value))
        return 0

    cdef int demand(self, str prefix, object node, object row) except -1:
        """Report, once, a prefix that is used and that the root does not declare."""
        if prefix not in self.declared:
            self.declared.add(prefix)
            self.faults.append(("undeclared", node, row, prefix))
        return 0

    # --- versions -----------------------------------------------------------------------------------------

    cdef bint dated(self, int since, int until) noexcept:
        """Whether something with these versions does not exist in the document's version."""
        return self.version < since or (until and self.version > until)

    cdef int note_version(self, object root, int index) except -1:
        """Store the version given by the root."""
        form = self.table.format
        if not form.version_in:
            return 0
        row = next(row for row in form.elements[form.root].attributes if row.name == form.version_in)
        text = getattr(root, row.field, None)
        for _, name, value in self.replaced:  # contains only the root so far
            text = value if name == row.field else text
        if not isinstance(text, str):
            return 0
        number = version_number(text)
        if number == 0 or number > self.table.version or number < version_number(form.oldest):
            self.faults.append(("version", root, row, text))
        self.version = number or self.table.version
        return 0
