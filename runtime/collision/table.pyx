# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The table of a Model's candidate pairs, and its contacts at given poses."""

import sys
from types import SimpleNamespace

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport uint64_t, uintptr_t
from libc.string cimport memset

from polybody.collision.flex_table cimport FlexTable
from polybody.collision.sides import seeds
from polybody.generated.kernels.contract import records
from polybody.generated.kernels.contract.records import (
    CANDIDATE, COLLIDER, COLLISION, FIELD, GRID, HULL, MANNER, SEARCH, SIDES, TREE,
)

from polybody.generated.kernels.contract.codes cimport SHAPE_COUNT, SHAPE_SDF
from polybody.generated.kernels.contract.records cimport (
    Calls, Candidate, Collider, Collision, Contact, Field, Found, Grid, Hull, Manner, SearchAll, Searches, Signals, Touch,
    Tree, Vec,
)

cdef extern from "collision/field.h" nogil:
    void measure_gear(Field *field)

cdef extern from "collision/manner.h" nogil:
    Manner mixed(const Collision *c, const Collider *a, const Collider *b)

cdef extern from "collision/searches.h" nogil:
    void search_all(const Searches *searches, Found *out) noexcept nogil
    void search_pairs(
        const Collision *, const Candidate *const *, int, const double *, const double *, Found *
    ) noexcept nogil

cdef extern from "collision/flex_collide.h" nogil:
    const Calls CALLS
    int needs_searches(const Collision *c)
    int general_touches(
        const Collision *, const Candidate *, const double *, const double *, double, Touch *
    ) noexcept nogil
    size_t all_work(const Collision *c)
    double nearest_hit(
        const Collision *c, const double *xpos, const double *xmat, Vec start, Vec direction,
        const unsigned char *counted, int body, int *geom,
    )
    double geom_distance(
        const Collision *c, int geom1, int geom2, const double *xpos, const double *xmat, double cutoff,
        double *fromto,
    )
    int collide_all(
        const Collision *c, const double *geom_xpos, const double *geom_xmat, const double *vert, void *work,
        Contact *out, int capacity, Signals *signals,
    )

cdef extern from "collision/narrow.h" nogil:
    ctypedef int (*Narrow)(const void *, const void *, double, void *)
    enum: CLUSTER
    enum: CELLS
    enum: CELL_BLOCK
    int find_cells(const Vec *corner, int n, int *cell, double *near, int *number)
    const Narrow NARROW[SHAPE_COUNT][SHAPE_COUNT]

cdef extern from "collision/search_text.h" nogil:
    ctypedef struct SearchText:
        SearchAll search_all
        int (*usable)() noexcept nogil
    const SearchText searches_r64, searches_r32

cdef SearchAll searches = NULL


def registers():
    """The sizes of registers, in bytes, for which searches of several pairs at a time are compiled and which the processor has;
    the largest first.
    """
    return [64] * bool(searches_r64.usable()) + [32] * bool(searches_r32.usable()) + [16]


def choose_registers(int size):
    """Search by registers of a size in tables that are made from now on. Contacts do not depend on it.

    Raises:
        ValueError: the size is not one of `registers()`.
    """
    global searches
    if size not in registers():
        raise ValueError(f"there are no searches for registers of {size} bytes; there are for {registers()}")
    searches = searches_r64.search_all if size == 64 else searches_r32.search_all if size == 32 else &search_all


choose_registers(registers()[0])

def _with_single_geoms(record):
    """The dtype of Contact, with geom1 and geom2 as names of the two elements of geom."""
    names, (formats, offsets) = [*record.names], zip(*(record.fields[name][:2] for name in record.names))
    first = record.fields["geom"][1]
    return np.dtype({
        "names": [*names, "geom1", "geom2"], "formats": [*formats, "i4", "i4"], "offsets": [*offsets, first, first + 4],
        "itemsize": record.itemsize,
    })


CONTACT = _with_single_geoms(records.CONTACT)
OWN = ("geom", "manner", "listed", "timestep", "o_manner")
PLACES = {name: COLLISION.fields[name][1] for name in OWN}
PLACES["tolerance"] = COLLISION.fields["search"][1] + SEARCH.fields["tolerance"][1]
"""Where a Collision has the addresses of the data that Models of one tree may have of their own, or these data
themselves; in bytes from its start.
"""


def mix(const uintptr_t[::1] collisions, int explicit):
    """Mix the contact parameters of each pair of some Collisions, by their addresses: those of the k-th listed
    pair become row `explicit` + k, unless they are among the explicit ones. Without the GIL.
    """
    cdef const Collision *c
    cdef Manner *manner
    cdef Py_ssize_t row
    cdef int k
    with nogil:
        for row in range(collisions.shape[0]):
            c = <const Collision *>collisions[row]
            manner = <Manner *>c.manner
            for k in range(c.nlisted):
                if c.listed[k].manner >= explicit:
                    manner[explicit + k] = mixed(c, c.geom + c.listed[k].geom[0], c.geom + c.listed[k].geom[1])


FUNCTIONS = [[NARROW[i][j] != NULL or NARROW[j][i] != NULL for j in range(SHAPE_COUNT)] for i in range(SHAPE_COUNT)]


cdef void *address(array):
    """Address of the data of an array."""
    return <void *><uintptr_t>array.ctypes.data


def _shapes(meshes, ngeom):
    """Hull and Grid of each geom, and the arrays that they point into."""
    vert, graph = np.ascontiguousarray(meshes[0], np.float32), np.ascontiguousarray(meshes[1], np.int32)
    heights, sizes = np.ascontiguousarray(meshes[2], np.float32), np.ascontiguousarray(meshes[3], np.float64)
    hulls, grids = np.zeros(ngeom, HULL), np.zeros(ngeom, GRID)
    rows, first, count, start = (np.asarray(part, np.int64) for part in meshes[4])
    hulls["vert"][rows] = vert.ctypes.data + 12 * first
    hulls["graph"][rows] = np.where(start < 0, 0, graph.ctypes.data + 4 * start)
    hulls["count"][rows] = count
    points = _points(hulls, rows, vert, graph, first, count, start)
    rows, field, first, lines, columns = (np.asarray(part, np.int64) for part in meshes[5])
    grids["height"][rows] = heights.ctypes.data + 4 * first
    grids["size"][rows] = sizes.ctypes.data + 32 * field
    grids["rows"][rows], grids["columns"][rows] = lines, columns
    return hulls, grids, (vert, graph, heights, sizes, points)


def _columns_of_hull(points, graph):
    """Columns of a row of HULL other than the arguments, from the vertices (float64) and the graph (or None)
    of a mesh.
    """
    if graph is not None:
        corners = points[graph[2 + graph[0] : 2 + 2 * graph[0]]]
        count = len(corners)
        found = {"corner": corners, "seeds": seeds(corners), "slack": 1e-14 * np.sqrt((corners**2).sum(axis=1).max())}
        if count <= CELL_BLOCK:
            number = np.append(np.arange(count, dtype=np.int32), np.zeros(CELL_BLOCK - count, np.int32))
            near = np.vstack([corners, np.tile(corners.mean(axis=0), (CELL_BLOCK - count, 1))]).T.copy()
            return found | {"near": near, "number": number}
        most, cell = CELLS * ((count - 1) // CELL_BLOCK + 1), np.empty(2 * CELLS, np.int32)
        near, number = np.empty((most, 3 * CELL_BLOCK)), np.empty((most, CELL_BLOCK), np.int32)
        blocks = find_cells(<const Vec *>address(corners), count, <int *>address(cell), <double *>address(near),
                            <int *>address(number))
        return found | {"cell": cell, "near": near[:blocks].copy(), "number": number[:blocks].copy()}
    if len(points) > CLUSTER:
        starts = np.arange(0, len(points), CLUSTER)
        low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
        return {"cluster": np.hstack([(low + high) / 2, (high - low) / 2])}
    return {}


def _points(hulls, rows, vert, graph, first, count, start):
    """Fill in the columns of hulls; returns the arrays that they point into, by mesh."""
    made = {}
    for row, mesh, number, place in zip(rows.tolist(), first.tolist(), count.tolist(), start.tolist()):
        key = mesh, number, place
        if key not in made:
            points = vert[mesh : mesh + number].astype(np.float64)
            made[key] = _columns_of_hull(points, graph[place:] if place >= 0 else None)
        for name, column in made[key].items():
            hulls[name][row] = column.ctypes.data if isinstance(column, np.ndarray) else column
    return made


def _set_sides(hulls, sides):
    """Set the sides of hulls, by row of geom; returns the arrays that they point into."""
    rows = np.zeros(len(sides), SIDES)
    for row, (geom, own) in zip(rows, sides.items()):
        for name in ("normal", "start", "vert", "map_start", "map"):
            row[name] = getattr(own, name).ctypes.data
        row["count"] = len(own.normal)
    for k, geom in enumerate(sides):
        hulls["sides"][geom] = rows.ctypes.data + k * SIDES.itemsize
    return rows, sides


def _efforts(facts, fields, vertices, grids):
    """The work of searches for the contacts of each geom, at most: of every iteration, with every vertex of a
    mesh and every cell of a height field.
    """
    rounds = np.where(fields, facts["sdf_points"], 1.0) * max(facts["iterations"], facts["sdf_iterations"])
    return rounds * (50.0 + vertices + grids["rows"] * 1.0 * grids["columns"])


cdef double own_distance(void *context, Vec x, Vec *gradient) noexcept with gil:
    """Distance, and the gradient if requested, of a user-defined shape, by forward differences as for others."""
    cdef double step = 1e-8
    points = np.array([(x.x, x.y, x.z)] * (1 if gradient == NULL else 4))
    if gradient != NULL:
        gradient.x = gradient.y = gradient.z = NAN  # if the distance raises
        points[1, 0] += step
        points[2, 1] += step
        points[3, 2] += step
    far = NAN
    try:
        found = (<object>context)(points).tolist()
        far = found[0]
        if gradient != NULL:
            gradient.x, gradient.y, gradient.z = [(there - far) / step for there in found[1:]]
    except Exception as error:
        unraisable(error)
    return far


def unraisable(error):
    """Report an exception that cannot be raised through a kernel."""
    sys.unraisablehook(SimpleNamespace(
        exc_type=type(error), exc_value=error, exc_traceback=error.__traceback__, object=None,
        err_msg="a plugin's distance failed; the shape touches nothing there",
    ))


cdef class CollisionTable:
    def __init__(self, facts, geoms, manners, listed, swept, exclude, paired, meshes, fields, trees, sides):
        """
        Args:
            facts: enabled, filterparent, midphase, override, summed, release, friction_mixing, timestep, tolerance, iterations,
                native, multi, newest, sdf_points, sdf_iterations by name, and o_manner, a row of MANNER.
            geoms: rows of COLLIDER, one for each geom.
            manners: rows of MANNER, those of the explicit pairs.
            listed: rows of CANDIDATE, sorted by bodies and order; if manner is -1, the parameters are mixed
                here.
            swept: geoms among which the sweep finds pairs.
            exclude: pairs of bodies, sorted; paired: pairs of geoms, sorted; as in collision.h.
            meshes: mesh_vert, mesh_graph, hfield_data and hfield_size; then for mesh geoms their rows, first
                vertices, numbers of vertices and starts in mesh_graph (or -1); then for height fields the
                rows of geoms and of hfield_size, first heights, rows and columns of the grids.
            fields: rows of FIELD, one for each geom; and the functions of user-defined distances, by row of
                geom.
            trees: the triangles of some mesh geoms as a trees.Tree, by row of geom.
            sides: the flat sides of some mesh geoms as a sides.Sides, by row of geom.
        """
        cdef Field *field
        geoms, listed = np.ascontiguousarray(geoms, COLLIDER), np.array(listed, CANDIDATE)
        swept = np.ascontiguousarray(swept, np.int32)
        exclude, paired = np.ascontiguousarray(exclude, np.uint64), np.ascontiguousarray(paired, np.uint64)
        o_manner = np.ascontiguousarray(facts["o_manner"], MANNER)
        self.c.enabled, self.c.filterparent = facts["enabled"], facts["filterparent"]
        self.c.midphase, self.c.override = facts["midphase"], facts["override"]
        self.c.friction_mixing, self.c.timestep = facts["friction_mixing"], facts["timestep"]
        self.c.summed, self.c.release = facts["summed"], facts["release"]
        self.c.o_manner = (<const Manner *>address(o_manner))[0]
        hulls, grids, data = _shapes(meshes, len(geoms))
        flat = _set_sides(hulls, sides)
        self.c.hull, self.c.grid = <const Hull *>address(hulls), <const Grid *>address(grids)
        geoms["effort"] = _efforts(facts, geoms["type"] == SHAPE_SDF, hulls["count"], grids)
        self.c.search.tolerance, self.c.search.iterations = facts["tolerance"], facts["iterations"]
        self.c.search.native, self.c.search.multi = facts["native"], facts["multi"]
        self.c.search.newest = facts["newest"]
        self.c.search.sdf_points, self.c.search.sdf_iterations = facts["sdf_points"], facts["sdf_iterations"]
        fields, own = np.array(fields[0], FIELD), fields[1]
        self.c.field = <const Field *>address(fields)
        for row in range(len(fields)):
            field = <Field *>self.c.field + <Py_ssize_t>row
            measure_gear(field)
            if row in own:
                field.own, field.context = own_distance, <void *>own[row]
        self.trees = np.zeros(len(geoms), TREE)
        self.c.tree = <const Tree *>address(self.trees)
        self.c.general, self.c.search_pairs, self.c.search_all, self.c.calls = general_touches, search_pairs, searches, &CALLS
        self.c.geom, self.c.ngeom = <const Collider *>address(geoms), len(geoms)
        self.c.listed, self.c.nlisted = <const Candidate *>address(listed), len(listed)
        welds, group = np.unique(geoms["weld"][swept], return_inverse=True)
        group = np.ascontiguousarray(group, np.int32)
        self.c.swept, self.c.nswept = <const int *>address(swept), len(swept)
        self.c.group, self.c.ngroup = <const int *>address(group), len(welds)
        self.c.exclude, self.c.nexclude = <const uint64_t *>address(exclude), len(exclude)
        self.c.paired, self.c.npair = <const uint64_t *>address(paired), len(paired)
        manners = self._mixed(np.ascontiguousarray(manners, MANNER), listed)
        self.c.manner = <const Manner *>address(manners)
        self.searched = self.c.searched = needs_searches(&self.c)
        self.c.flexes = NULL
        self.work_bytes = all_work(&self.c)
        self.most = 64
        self.kept = {"geoms": geoms, "swept": (swept, group), "exclude": exclude, "paired": paired, "manners": manners,
                     "listed": listed, "meshes": (hulls, grids, data, flat), "fields": (fields, own)}
        self.plant(trees)

    def plant(self, trees):
        """Set the trees of the triangles of mesh geoms, by row of geom."""
        self.kept.setdefault("trees", []).append(trees)
        for geom, tree in trees.items():
            row = self.trees[geom]
            row["vert"], row["face"] = tree.vertices.ctypes.data, tree.faces.ctypes.data
            row["box"], row["levels"] = tree.boxes.ctypes.data, tree.levels
            row["count"] = len(tree.faces)

    def _mixed(self, manners, listed):
        """The distinct contact parameters; sets their row in `listed`."""
        found = [row.tobytes() for row in manners]
        index = {}
        cdef Candidate *pairs = <Candidate *>address(listed)
        cdef Manner own
        cdef Py_ssize_t i
        for i in range(self.c.nlisted):
            if pairs[i].manner < 0:
                own = mixed(&self.c, self.c.geom + pairs[i].geom[0], self.c.geom + pairs[i].geom[1])
                text = (<char *>&own)[: sizeof(Manner)]
                if text not in index:
                    index[text] = len(found)
                    found.append(text)
                pairs[i].manner = index[text]
        return np.frombuffer(b"".join(found), MANNER)

    @property
    def listed(self):
        """The candidate pairs that are tested one by one, as rows of CANDIDATE."""
        return self.kept["listed"]

    @property
    def geoms(self):
        """The data of each geom, as rows of COLLIDER."""
        return self.kept["geoms"]

    @property
    def swept(self):
        """The geoms among which the sweep finds pairs."""
        return self.kept["swept"][0]

    @property
    def manners(self):
        """Contact parameters, as rows of MANNER."""
        return self.kept["manners"]

    def attach(self, FlexTable flexes):
        """Enable the contacts of flexes; must be called before the first contacts are computed."""
        self.kept["flexes"] = flexes
        self.c.flexes = &flexes.f
        self.work_bytes = all_work(&self.c)

    @property
    def struct(self):
        """The bytes of the Collision; those that PLACES names may be replaced in a copy."""
        return (<const char *>&self.c)[: sizeof(Collision)]

    @property
    def address(self):
        """The address of the Collision: memory of this object, which readers do not keep alive."""
        return <uintptr_t>&self.c

    @property
    def flexes(self):
        """The table of flexes, or None."""
        return self.kept.get("flexes")

    def contacts(self, geom_xpos, geom_xmat, flexvert_xpos=()):
        """The contacts of geoms at positions (ngeom, 3) and orientations (ngeom, 9), and of the vertices of
        flexes at positions (nflexvert, 3), as rows of CONTACT.
        """
        cdef int most = self.most, found
        xpos = np.ascontiguousarray(geom_xpos, np.float64).ravel()
        xmat = np.ascontiguousarray(geom_xmat, np.float64).ravel()
        vert = np.ascontiguousarray(flexvert_xpos, np.float64).ravel()
        work = np.empty(self.work_bytes, np.uint8)
        while True:
            space = np.empty(most * sizeof(Contact), np.uint8)
            found = self.fill(xpos, xmat, vert, work, space)
            if found <= most:  # NumPy copies records with overlapping fields one by one, but not their bytes
                return space[: found * sizeof(Contact)].copy().view(CONTACT)
            self.most = most = found + found // 4  # for later calls as well

    def fill(
        self, const double[::1] geom_xpos, const double[::1] geom_xmat, const double[::1] flexvert_xpos,
        unsigned char[::1] work, unsigned char[::1] space,
    ):
        """Write the contacts, as many as fit.

        Args:
            geom_xpos, geom_xmat, flexvert_xpos: the positions and orientations as in `contacts`, flattened.
            work: at least `work_bytes` bytes of work memory, uninitialised.
            space: bytes for rows of CONTACT.

        Returns:
            The number of contacts, including those that did not fit.
        """
        cdef int n = self.c.ngeom, verts = 0 if self.c.flexes == NULL else self.c.flexes.nvert, found
        if geom_xpos.shape[0] != 3 * n or geom_xmat.shape[0] != 9 * n or flexvert_xpos.shape[0] != 3 * verts:
            raise ValueError(f"there are {n} geoms and {verts} vertices of flexes")
        if <size_t>work.shape[0] < self.work_bytes:
            raise ValueError(f"contacts are found in {self.work_bytes} bytes, not {work.shape[0]}")
        if n == 0 and verts == 0:
            return 0
        cdef int most = <int>min(space.shape[0] // <Py_ssize_t>sizeof(Contact), 2147483647)
        cdef const double *places = &geom_xpos[0] if n else NULL
        cdef const double *turns = &geom_xmat[0] if n else NULL
        cdef const double *points = &flexvert_xpos[0] if verts else NULL
        cdef void *memory = &work[0] if work.shape[0] else NULL
        cdef Contact *out = <Contact *>&space[0] if most else NULL
        cdef Signals signals  # not handled here
        memset(&signals, 0, sizeof(Signals))
        with nogil:
            found = collide_all(&self.c, places, turns, points, memory, out, most, &signals)
        return found

    def rays(self, geom_xpos, geom_xmat, starts, directions, counted):
        """For rays from points (n, 3) along directions (n, 3), the distances to the first geom hit, in
        lengths of the direction, and these geoms; -1 and -1 if there is none. `counted` (ngeom,) marks the
        geoms that are tested.
        """
        cdef int n = self.c.ngeom, k
        cdef const double[:, ::1] xpos = np.ascontiguousarray(geom_xpos, np.float64).reshape(n, 3)
        cdef const double[:, ::1] xmat = np.ascontiguousarray(geom_xmat, np.float64).reshape(n, 9)
        cdef const double[:, ::1] start = np.ascontiguousarray(starts, np.float64)
        cdef const double[:, ::1] direction = np.ascontiguousarray(directions, np.float64)
        cdef const unsigned char[::1] wanted = np.ascontiguousarray(counted, np.uint8)
        cdef Vec at, along
        found, which = np.full(len(start), -1.0), np.full(len(start), -1, np.int32)
        cdef double[::1] lengths = found
        cdef int[::1] geoms = which
        if n == 0:
            return found, which
        with nogil:
            for k in range(<int>start.shape[0]):
                at.x, at.y, at.z = start[k, 0], start[k, 1], start[k, 2]
                along.x, along.y, along.z = direction[k, 0], direction[k, 1], direction[k, 2]
                lengths[k] = nearest_hit(
                    &self.c, &xpos[0, 0], &xmat[0, 0], at, along, &wanted[0], -1, &geoms[k]
                )
        return found, which

    def distance(self, int geom1, int geom2, geom_xpos, geom_xmat, double cutoff):
        """The smallest distance of two geoms at given poses, at most `cutoff`, and their nearest points,
        (6,).
        """
        cdef int n = self.c.ngeom
        cdef const double[:, ::1] xpos = np.ascontiguousarray(geom_xpos, np.float64).reshape(n, 3)
        cdef const double[:, ::1] xmat = np.ascontiguousarray(geom_xmat, np.float64).reshape(n, 9)
        if not (0 <= geom1 < n and 0 <= geom2 < n):
            raise IndexError(f"there are {n} geoms, not {max(geom1, geom2)}")
        fromto = np.zeros(6)
        cdef double[::1] points = fromto
        dist = geom_distance(&self.c, geom1, geom2, &xpos[0, 0], &xmat[0, 0], cutoff, &points[0])
        return dist, fromto
