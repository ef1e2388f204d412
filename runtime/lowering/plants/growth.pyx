# cython: language_level=3, boundscheck=False, wraparound=False
"""Spanning trees along the joints of a plant; `polybody.lowering.plants.forest` describes the order that Drake uses."""

from libc.stdlib cimport calloc, free, malloc, qsort

from typing import NamedTuple

from polybody.base.slotted import positional, record
from polybody.lowering.plants.plant import FLOATING, WELD, Joint

from polybody.base.fields cimport Field, value_of

cdef Field PARENT = Field("parent"), CHILD = Field("child")


@record
class Mobilized(NamedTuple):
    """A link in its place in a tree."""

    link: int
    parent: int
    joint: Joint
    reversed: bool


cdef object make = positional(Mobilized, "link", "parent", "joint", "reversed")
cdef object make_joint = positional(Joint, "name", "instance", "kind", "parent", "child")

cdef struct Link:
    int inner  # its parent in the tree; -1: it is not in a tree yet
    int joint  # the row of the joint between them; -1: a joint made for a base
    bint turned  # whether the child of that joint is the inner link
    int first, last, next  # its first and last child, and its next sibling
    int begin  # the index of its first joint in `at`
    int as_child, as_parent  # how many joints have it as child, and as parent


cdef struct Base:  # a link that may become a base
    int row, as_child, as_parent


cdef int precedes(const void* one, const void* other) noexcept nogil:
    """Whether a link becomes a base before another, as a comparison of `qsort`."""
    cdef const Base* a = <const Base*> one
    cdef const Base* b = <const Base*> other
    if a.as_child != b.as_child:
        return -1 if a.as_child < b.as_child else 1
    if a.as_parent != b.as_parent:
        return -1 if a.as_parent > b.as_parent else 1
    return -1 if a.row < b.row else 1


cdef class Growth:
    """Builds spanning trees along the joints of a plant, which must not be changed meanwhile.

    Args:
        plant: links and joints.
        fixed: whether bases that no joint connects to the world are welded to it.
        closing: the rows of joints that close loops and are left out.

    Attributes:
        bodies: all links except the world, depth first, as `Mobilized`.
        looped: whether a joint connects two links that are already in one tree.
    """

    cdef readonly list bodies
    cdef readonly bint looped
    cdef object plant
    cdef list joints, links
    cdef bint fixed
    cdef set names  # of the joints made for bases
    cdef dict floating  # the joints made for bases, by the rows of their links
    cdef Link* rows
    cdef int* at  # the rows of the joints of each link, link by link
    cdef char* used  # whether a joint was visited
    cdef int* level  # the links to visit next
    cdef int* farther  # the links found from them
    cdef int count

    def __cinit__(self, plant, bint fixed, closing):
        cdef int size, row
        self.plant, self.fixed = plant, fixed
        self.links, self.joints, self.names, self.floating, self.bodies = plant.links, plant.joints, set(), {}, []
        self.count, size = <int> len(self.links), <int> len(self.joints)
        self.rows = <Link*> calloc(self.count + 1, sizeof(Link))
        self.at = <int*> calloc(2 * size + 1, sizeof(int))
        self.used = <char*> calloc(size + 1, 1)
        self.level = <int*> calloc(self.count + 1, sizeof(int))
        self.farther = <int*> calloc(self.count + 1, sizeof(int))
        if not (self.rows and self.at and self.used and self.level and self.farther):
            raise MemoryError
        for row in closing:
            if not 0 <= row < size:
                raise IndexError(f"there is no joint {row}")
            self.used[row] = True
        self.connect()
        self.run()

    def __dealloc__(self):
        free(self.rows)
        free(self.at)
        free(self.used)
        free(self.level)
        free(self.farther)

    cdef int connect(self) except -1:
        """List the joints of each link, whether it is parent or child, in the order of their rows."""
        cdef int row, place, parent, child
        cdef int begin = 0
        for row in range(self.count):
            self.rows[row].inner = self.rows[row].joint = -1
            self.rows[row].first = self.rows[row].last = self.rows[row].next = -1
        for joint in self.joints:
            parent, child = value_of(PARENT, joint), value_of(CHILD, joint)
            if not (0 <= parent < self.count and 0 <= child < self.count):
                raise IndexError(f"there is no link {parent} or {child}")
            self.rows[parent].as_parent += 1
            self.rows[child].as_child += 1
            self.rows[parent].begin += 1
            self.rows[child].begin += parent != child
        for row in range(self.count + 1):  # counts become first indices; the last row ends the list
            place, self.rows[row].begin = self.rows[row].begin, begin
            begin += place
        place = 0
        for joint in self.joints:
            parent, child = value_of(PARENT, joint), value_of(CHILD, joint)
            self.at[self.rows[parent].begin] = place
            self.rows[parent].begin += 1
            if parent != child:
                self.at[self.rows[child].begin] = place
                self.rows[child].begin += 1
            place += 1
        for row in range(self.count, 0, -1):
            self.rows[row].begin = self.rows[row - 1].begin
        self.rows[0].begin = 0
        return 0

    cdef int run(self) except -1:
        cdef int row, place, count = 0
        cdef Base* rest = <Base*> malloc((self.count + 1) * sizeof(Base))
        if rest == NULL:
            raise MemoryError
        try:
            self.grow(0)
            for row in range(1, self.count):
                if self.rows[row].inner < 0 and self.rows[row + 1].begin > self.rows[row].begin:
                    rest[count] = [row, self.rows[row].as_child, self.rows[row].as_parent]
                    count += 1
            qsort(rest, count, sizeof(Base), precedes)
            for place in range(count):
                if self.rows[rest[place].row].inner < 0:
                    self.float_base(rest[place].row)
                    self.grow(rest[place].row)
        finally:
            free(rest)
        for row in range(1, self.count):
            if self.rows[row].inner < 0:
                self.float_base(row)
        self.order()
        return 0

    cdef int carry(self, int inner, int outer, int joint, bint turned) except -1:
        """Append a link to the children of another."""
        cdef Link* row = &self.rows[outer]
        row.inner, row.joint, row.turned = inner, joint, turned
        if self.rows[inner].last < 0:
            self.rows[inner].first = outer
        else:
            self.rows[self.rows[inner].last].next = outer
        self.rows[inner].last = outer
        return 0

    cdef int float_base(self, int row) except -1:
        """Connect a base to the world by a floating joint with the name of the link, made unique by underscores.

        With `fixed`, a base without a floating joint of its own is welded at its initial pose instead.
        """
        link = self.links[row]
        name = link.name
        while (link.instance, name) in self.names or self.plant.joint(link.instance, name) is not None:
            name = "_" + name
        self.names.add((link.instance, name))
        joint = make_joint(name, link.instance, FLOATING, 0, row)
        joint.node = link.node
        if self.fixed and not link.floats:
            joint.kind, joint.in_parent = WELD, link.pose
        self.floating[row] = joint
        return self.carry(0, row, -1, False)

    cdef int grow(self, int base) except -1:
        """Visit all links that are connected to a base, breadth first."""
        cdef int count = 1, more, place, at, inner, outer, row, parent, child
        self.level[0] = base
        while count:
            more = 0
            for place in range(count):
                inner = self.level[place]
                for at in range(self.rows[inner].begin, self.rows[inner + 1].begin):
                    row = self.at[at]
                    if self.used[row]:
                        continue
                    self.used[row] = True
                    joint = self.joints[row]
                    parent, child = value_of(PARENT, joint), value_of(CHILD, joint)
                    outer = child if parent == inner else parent
                    if outer == 0 or outer == base or outer == inner or self.rows[outer].inner >= 0:
                        self.looped = True
                        continue
                    self.carry(inner, outer, row, parent != inner)
                    self.farther[more] = outer
                    more += 1
            self.level, self.farther = self.farther, self.level
            count = more
        return 0

    cdef int order(self) except -1:
        """List the links depth first."""
        cdef int row = self.rows[0].first
        cdef Link* link
        while row >= 0:
            link = &self.rows[row]
            joint = self.floating[row] if link.joint < 0 else self.joints[link.joint]
            self.bodies.append(make(row, link.inner, joint, bool(link.turned)))
            if link.first >= 0:
                row = link.first
                continue
            while row > 0 and self.rows[row].next < 0:
                row = self.rows[row].inner
            row = self.rows[row].next if row > 0 else -1
        return 0
