"""Constraint islands: groups of trees that constraint rows connect, by MuJoCo's names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import EqualityType, ObjectType, Release, RowType
from polybody.model.flags import ENABLE
from polybody.model.model import RELEASES

Whole = NDArray[np.int32]


@dataclass(frozen=True)
class Grouping:
    """A partition: each item belongs to one island or to none (-1)."""

    island: Whole
    count: int

    @property
    def number(self) -> Whole:
        """Number of items of each island, (count,)."""
        return np.bincount(self.island[self.island >= 0], minlength=self.count).astype(np.int32)

    @property
    def address(self) -> Whole:
        """First index of each island in :attr:`members`, (count,)."""
        number = self.number
        return (np.cumsum(number) - number).astype(np.int32)

    @property
    def members(self) -> Whole:
        """The items of the first island, of the second, and so on, then -1 for each item of no island."""
        inside = np.flatnonzero(self.island >= 0)
        ordered = inside[np.argsort(self.island[inside], kind="stable")]
        found = np.full(len(self.island), -1, np.int32)
        found[: len(ordered)] = ordered
        return found

    @property
    def place(self) -> Whole:
        """The index of each item in its island, -1 for items of no island."""
        found = np.full(len(self.island), -1, np.int32)
        for island in range(self.count):
            (own,) = np.nonzero(self.island == island)
            found[own] = np.arange(len(own))
        return found


def find_islands(data: Any) -> tuple[Grouping, Grouping]:
    """The islands of the degrees of freedom, and of the rows, of the last forward() or step().

    Two trees are in one island if a row connects them. Islands are numbered by their first trees. There are
    none without the flag ``island``, and as of MuJoCo 3.2.7 none in a Model with flexes.
    """
    model = data.model
    asked = model.opt_enableflags & ENABLE["island"]
    newest = model.opt_release == RELEASES[Release.v4_0]
    if not asked or data.nefc == 0 or (model.nflex > 0 and not newest):
        return Grouping(np.full(model.nv, -1, np.int32), 0), Grouping(np.full(data.nefc, -1, np.int32), 0)
    if newest:
        return _solved_islands(data)
    trees = _trees_of_rows(data)
    joined = np.full(model.ntree, -1)
    for row in trees:
        for tree in row:
            joined[tree] = tree if joined[tree] < 0 else joined[tree]
    for row in trees:
        labels = joined[row]
        joined[np.isin(joined, labels)] = labels.min()
    names, numbers = np.unique(joined, return_inverse=True)
    island = np.where(joined < 0, -1, numbers - int(names[0] < 0)).astype(np.int32)
    rows = np.array([island[row[0]] if row else -1 for row in trees], np.int32)
    count = int(island.max()) + 1
    return Grouping(island[model.dof_treeid], count), Grouping(rows, count)


def _solved_islands(data: Any) -> tuple[Grouping, Grouping]:
    """The islands that were solved; a single tree is one."""
    from polybody.constraints.facts import facts  # only a simulation that is moved needs a solver

    model = data.model
    if not facts(model)["by_islands"]:
        return Grouping(np.zeros(model.nv, np.int32), 1), Grouping(np.zeros(data.nefc, np.int32), 1)
    trees, rows = data.solved(lambda solver: (solver.tree_islands(), solver.row("island").copy()), None)
    count = int(rows.max(initial=-1)) + 1
    return Grouping(trees[model.dof_treeid], count), Grouping(rows, count)


def _trees_of_rows(data: Any) -> list[list[int]]:
    """The trees that each row acts on: those of its bodies, otherwise those of the degrees of freedom in its
    Jacobian.
    """
    model, contacts = data.model, data.contact
    jacobian: NDArray[np.float64] | None = None
    found = []
    for row, (kind, owner) in enumerate(zip(data.efc_type.tolist(), data.efc_id.tolist(), strict=True)):
        if kind == RowType.FRICTION_OF_DOF:
            trees = [model.dof_treeid[owner]]
        elif kind == RowType.LIMIT_OF_JOINT:
            trees = [model.dof_treeid[model.jnt_dofadr[owner]]]
        elif kind >= RowType.CONTACT_FRICTIONLESS:
            trees = model.body_treeid[model.geom_bodyid[contacts[owner]["geom"]]].tolist()
        elif kind == RowType.EQUALITY and model.eq_type[owner] in (EqualityType.connect, EqualityType.weld):
            pair = np.array([model.eq_obj1id[owner], model.eq_obj2id[owner]])
            bodies = model.site_bodyid[pair] if model.eq_objtype[owner] == ObjectType.SITE else pair
            trees = model.body_treeid[bodies].tolist()
        else:
            jacobian = data.efc_J if jacobian is None else jacobian
            trees = sorted(set(model.dof_treeid[jacobian[row] != 0].tolist()))
        found.append([int(tree) for tree in trees if tree >= 0])
    return found


class Islands:
    """The islands of a Data. Each property is computed on request."""

    __slots__ = ()

    @property
    def nisland(self) -> int:
        """Number of islands; 0 without the flag ``island``."""
        return find_islands(self)[0].count

    @property
    def dof_island(self) -> Whole:
        """The island of each degree of freedom, -1: none, (nv,)."""
        return find_islands(self)[0].island

    @property
    def island_dofnum(self) -> Whole:
        """Number of degrees of freedom of each island, (nisland,)."""
        return find_islands(self)[0].number

    @property
    def island_dofadr(self) -> Whole:
        """First index of each island in island_dofind, (nisland,)."""
        return find_islands(self)[0].address

    @property
    def island_dofind(self) -> Whole:
        """The degrees of freedom of all islands, one after the other, then -1, (nv,)."""
        return find_islands(self)[0].members

    @property
    def dof_islandind(self) -> Whole:
        """The index of each degree of freedom in its island, -1: in none, (nv,)."""
        return find_islands(self)[0].place

    @property
    def efc_island(self) -> Whole:
        """The island of each row, -1: none, (nefc,)."""
        return find_islands(self)[1].island

    @property
    def island_efcnum(self) -> Whole:
        """Number of rows of each island, (nisland,)."""
        return find_islands(self)[1].number

    @property
    def island_efcadr(self) -> Whole:
        """First index of each island in island_efcind, (nisland,)."""
        return find_islands(self)[1].address

    @property
    def island_efcind(self) -> Whole:
        """The rows of all islands, one after the other, then -1, (nefc,)."""
        return find_islands(self)[1].members
