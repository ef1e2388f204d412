"""Subtrees of the same structure are computed together, with the same results."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody.codegen.passes.alike_subtrees import alike_subtrees
from polybody.codegen.physics import aba, integrate, kinematics
from polybody.codegen.specialised import Request, program
from polybody.codegen.staging.packing import (
    Locals,
    Packed,
    PackedCells,
    PackingError,
    Rows,
    increase,
    ordered,
    rounds,
)
from polybody.codegen.staging.pairs import Paired
from polybody.codegen.staging.scalars import Graph, join, lane, pick, total
from polybody.codegen.staging.straight import operations
from polybody.generated.kernels import dynamics, layout

from tests.amounts import amount, some

from .graphs import compiled, values
from .machines import Compiled, Specialised, specialise
from .test_machines import OPTIONS, close
from .trees import (
    NV,
    Array,
    Body,
    Joint,
    chain,
    columns,
    random_body,
    random_joint,
    random_state,
    random_tree,
    unit,
)

KERNELS: dict[str, tuple[str, ...]] = {
    "forward_kinematics": ("xpos", "xquat", "xmat"),
    "mass_matrix": ("qM",),
    "bias": ("qfrc_bias",),
    "passive": ("qfrc_passive",),
    "inverse": ("qfrc_inverse",),
    "acceleration": ("qacc",),
    "energy": ("energy",),
    "step": ("qpos", "qvel", "qacc"),
}


def symmetric(seed: int, trunk: int, limb: int, copies: int, floating: bool = True) -> list[Body]:
    """A random trunk with random subtrees, `copies` of the same structure each, with different numbers."""
    rng = np.random.default_rng(seed)
    kinds = [str(k) for k in rng.permutation(list(NV)) if k != "free"]
    bodies = [random_body(rng, 0, [random_joint(rng, "free" if floating else "hinge")])]
    bodies += [random_body(rng, b, [random_joint(rng, str(rng.choice(kinds)))]) for b in range(1, trunk)]
    for root in rng.choice(np.arange(1, trunk + 1), size=2):
        shape = [
            (int(rng.integers(0, n + 1)), rng.choice(kinds, size=rng.integers(1, 3))) for n in range(limb)
        ]
        for _ in range(copies):
            first = len(bodies)
            for n, (above, joints) in enumerate(shape):
                parent = int(root) if n == 0 or above == 0 else first + above
                bodies.append(random_body(rng, parent, [random_joint(rng, str(k)) for k in joints]))
    return bodies


def twins(n: int) -> list[Body]:
    """Two chains, each on its own root."""
    second = [replace(b, parent=b.parent + n if b.parent else 0) for b in chain(n, seed=1)]
    return [*chain(n), *second]


TREES: dict[str, list[Body]] = {
    "pairs": symmetric(0, 2, 2, 2),
    "three alike": symmetric(1, 1, 1, 3),
    "four alike": symmetric(2, 1, 1, 4, floating=False),
    "nothing alike": random_tree(31, 9),
    "two trees": twins(3),
}


def loops(c: dict[str, Array], state: dict[str, Array], name: str) -> layout.KernelData:
    """Results of the loop kernels."""
    model = layout.KernelModel(c)
    data = layout.KernelData(model)
    for column, x in state.items():
        data.array(column)[...] = x
    if name == "acceleration":
        dynamics.passive(model, data)
    dynamics.step(model, data, 1) if name == "step" else getattr(dynamics, name)(model, data)
    return data


def call(special: Compiled, name: str, state: dict[str, Array]) -> dict[str, Array]:
    kernel, _ = special.kernels[name]
    arrays = {c: np.zeros(n) for c, n in zip(kernel.columns, kernel.sizes, strict=True)}
    for column, x in arrays.items():
        if column in state:
            x[:] = state[column]
    special.call(name, arrays)
    return arrays


@pytest.mark.parametrize(("tree", "integrator"), some(product(TREES, (0, 1)), 4))
def test_packed_is_unpacked_is_loops(
    tree: str, integrator: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    c = columns(TREES[tree], 3, integrator=integrator, **OPTIONS)
    names = ("step",) if integrator else tuple(KERNELS)
    packed = Specialised(c, Request(names), tmp_path)
    (tmp_path / "plain").mkdir()
    monkeypatch.setattr(program, "alike_subtrees", lambda *_: [])
    plain = Specialised(c, Request(names), tmp_path / "plain")
    for seed in range(2):
        state = random_state(c, np.random.default_rng(seed))
        state["qacc"] = state["qvel"][::-1].copy()
        for name in names:
            found, wanted = call(packed, name, state), call(plain, name, state)
            loop = loops(c, state, name)
            for column in KERNELS[name]:
                moved = slice(1, None) if column.startswith("x") else slice(None)
                assert close(found[column], wanted[column], 1e-12), (name, column)
                rows = found[column].reshape(loop.array(column).shape)
                assert close(rows[moved], loop.array(column)[moved], 1e-11), (name, column)


def test_limbs_cost_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two long chains on a short trunk need little more than half the operations; a single chain is not
    packed.
    """
    two, alone = columns(twins(12)), columns(chain(12))
    request = Request(("acceleration",))
    packed = [specialise(c, request).kernels[0].operations for c in (two, alone)]
    monkeypatch.setattr(program, "alike_subtrees", lambda *_: [])
    plain = [specialise(c, request).kernels[0].operations for c in (two, alone)]
    assert packed[0] < 0.6 * plain[0]
    assert packed[1] == plain[1]


def two_solutions(m: Any, t: Any) -> None:
    """aba.both() with forces and dampers that differ, by links and by degrees of freedom."""
    m.call(kinematics.carry)
    for i in m.dofs():
        t.dof_resist[i], t.dof_load[i] = t.dof_armature[i], t.qfrc_applied[i]
        t.dof_late[i] = t.dof_resist[i] + 0.01 * t.dof_damping[i]
        t.load_late[i] = t.qfrc_applied[i] + t.qvel[i]
    m.call(aba.both)
    for k in m.links():
        t.linacc[k] = t.link_acc[k].lin * 1.0
        t.force[k] = t.link_force[k].ang * 1.0


SOLVED = ("qacc", "qacc_late", "linacc", "force", "dof_resist", "dof_load")


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("packs", [True, False])
def test_two_solutions_side_by_side(
    tree: str, packs: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each result is as if computed alone, with branches and without, in fewer operations."""
    c = columns(TREES[tree], 3, **OPTIONS)
    if not packs:
        monkeypatch.setattr(program, "alike_subtrees", lambda *_: [])
    request = Request(("step",), results=("sensordata",))
    sizes = layout.KernelModel(c).sizes

    def outputs() -> dict[str, list[Any]]:
        m = program.executed(two_solutions, c, layout.VALUES, request)
        assert bool(getattr(m, "groups", None))
        return {f"{name}_out": [x for _, x in sorted(m.results(name).items())] for name in SOLVED}

    made = []
    for solving in (program.side_by_side, aba.both):
        monkeypatch.setattr(program, "side_by_side", solving)
        folder = tmp_path / solving.__name__
        folder.mkdir()
        made.append(compiled(outputs(), sizes, request, folder))
    state = random_state(c, np.random.default_rng(1))
    found, wanted = (call(p, "f", state) for p in made)
    for name in SOLVED[:3]:
        assert close(found[f"{name}_out"], wanted[f"{name}_out"], 1e-12), name
    for name in SOLVED[4:]:
        assert (found[f"{name}_out"] == wanted[f"{name}_out"]).all(), name
    assert np.abs(found["qacc_out"] - found["qacc_late_out"]).max() > 0.1
    operations = [p.kernels["f"][0].operations for p in made]
    assert operations[0] < 0.75 * operations[1]


def test_accelerations_by_way_of_the_mass_matrix(tmp_path: Path) -> None:
    """Accelerations of links as well, and both solutions; the program uses the way with fewer operations."""
    c = columns(twins(3), 3, **OPTIONS)
    request = Request(("step",), results=("sensordata",))
    assert program.few(c)
    assert not program.few(columns(TREES["pairs"], 3, **OPTIONS))
    given = random_state(c, np.random.default_rng(1))
    sizes, found = layout.KernelModel(c).sizes, []
    for matrix in (False, True):
        m = program.executed(two_solutions, c, layout.VALUES, request, matrix=matrix)
        outputs = {f"{name}_out": [x for _, x in sorted(m.results(name).items())] for name in SOLVED[:3]}
        folder = tmp_path / str(matrix)
        folder.mkdir()
        found.append(call(compiled(outputs, sizes, request, folder), "f", given))
    for name in outputs:
        assert close(found[1][name], found[0][name], 1e-12), name
        assert np.abs(found[0][name]).max() > 0.1
    machines = [
        program.executed(integrate.euler, c, layout.VALUES, request, matrix=matrix)
        for matrix in (False, True)
    ]
    counts = [operations({n: m.results(n) for n in ("qpos", "qvel", "qacc")}) for m in machines]
    assert counts[0] != counts[1]
    assert specialise(c, request).kernels[0].operations == min(counts)


def test_which_limbs_are_alike() -> None:
    # trunk 1; arms 2-3, 4-5; a leg 6-7-8 of another structure; fingers 9, 10 of arm 3, 11, 12 of arm 5
    parents = [0, 0, 1, 2, 1, 4, 1, 6, 7, 3, 3, 5, 5]
    kinds = [9, 0, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2]
    found = {tuple(sorted(group)) for group in alike_subtrees(kinds, parents)}
    assert found == {(2, 4), (3, 5), (9, 11), (10, 12)}
    kinds[12] = 3  # one finger has another joint: the arms differ, and only the fingers of one hand are equal
    assert {tuple(sorted(g)) for g in alike_subtrees(kinds, parents)} == {(9, 10)}
    assert alike_subtrees([9, 3, 3, 3], [0, 0, 0, 0]) == [(1, 2)]
    assert alike_subtrees([9, *[3] * 3000], [0, 0, 0, *range(1, 2999)]) == [
        (k, k + 1) for k in range(1, 3000, 2)
    ]


@pytest.mark.parametrize(
    ("widths", "found"), [((4, 2), [(5, 6), (1, 2, 3, 4)]), ((2,), [(5, 6), (3, 4), (1, 2)])]
)
def test_how_many_limbs_at_a_time(widths: tuple[int, ...], found: list[tuple[int, ...]]) -> None:
    assert alike_subtrees([9, *[3] * 7], [0] * 8, widths) == found


def test_parameters_of_limbs_stay_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offsets and orientations given at every call, for joints that are equal but belong to one body or to
    two.
    """
    one, two = twins(2)[:2], twins(2)[2:]
    merged = replace(one[0], joints=[*one[0].joints, *one[1].joints])
    c = columns([merged, *[replace(b, parent=b.parent and 2) for b in two]], 3, **OPTIONS)
    c["body_quat"][1] = unit(np.array([0.2, 0.5, -0.7, 0.1]))
    named = ("body_pos", "body_quat", "dof_damping", "opt_gravity")
    packed = Specialised(c, Request(("acceleration",), named=named), tmp_path)
    (tmp_path / "plain").mkdir()
    monkeypatch.setattr(program, "alike_subtrees", lambda *_: [])
    plain = Specialised(c, Request(("acceleration",)), tmp_path / "plain")
    state = random_state(c, np.random.default_rng(0))
    found = call(packed, "acceleration", state | {n: c[n].ravel() for n in named})
    assert close(found["qacc"], call(plain, "acceleration", state)["qacc"], 1e-12)


def test_scalars_side_by_side() -> None:
    g = Graph()
    x, y, z = (g.node("input", "q", k) for k in range(3))
    pair = join(x, y)
    assert (pair.width, (pair * 2.0).width, (z + pair).width) == (2, 2, 2)
    assert lane(pair, 1) is y
    assert join(lane(pair * z, 0), lane(pair * z, 1)) is pair * z
    assert join(z, z) is z
    assert join(-x, -y) is -pair
    assert total(pair, 2) is x + y
    assert total(z, 2) is z * 2.0
    four = join(x, y, z, x) * 2.0
    middle = pick(four, (1, 2))
    assert (middle.width, pick(four, (0, 1, 2, 3)) is four, pick(z, (0, 0)) is z) == (2, True, True)
    assert join(lane(four, 1), lane(four, 2)) is middle
    assert lane(middle, 1) is pick(four, (2,)) is lane(four, 2)
    assert pick(middle, (1, 1, 0)) is pick(four, (2, 2, 1))
    assert pick(-four, (1, 2)) is -middle
    assert pick(join(x, y), (1, 1)) is y
    assert pick(join(2.0, 3.0), (1, 0, 1)) == (3.0, 2.0, 3.0)
    two = g.lift(join(2.0, 3.0))
    assert (two.width, (two * 2.0).value, (two - two).value) == (2, (4.0, 6.0), 0.0)
    assert (lane(two, 1).value, total(two, 2).value, (two * g.lift(join(3.0, 2.0))).value) == (3.0, 5.0, 6.0)


def test_what_limbs_share_may_only_be_added_to() -> None:
    g = Graph()
    x, y, u, v = (g.node("input", "q", k) for k in range(4))
    for old in (x, -x, x * y, x + 2.0, -(x + y), x - y):
        for more in (u, -u, u + v, u * 3.0, join(u, v)):
            assert increase(old, old + more) is more
            assert increase(old, old - more) is -more
        assert g.lift(increase(old, old + 3.0)).value == 3.0
        assert increase(old, old) == 0.0
        for wrong in (old * 2.0, u * u, 1.0, g.lift(1.0)):
            with pytest.raises(PackingError, match="add"):
                increase(old, wrong)
    assert increase(2.0, 5.0) == 3.0


FORK = [Body(0, [Joint("hinge")]), Body(1, [Joint("hinge")]), Body(1, [Joint("hinge")])]


def machine() -> Packed:
    made = program.linked(columns(FORK), layout.VALUES, Request(("acceleration",)))
    made.pack([(2, 3)])
    return made


def test_what_cannot_be_packed_is_not() -> None:
    """An algorithm that multiplies values shared by branches is traced branch by branch."""

    def product(m: Any, t: Any) -> None:
        t.energy[0] = 1.0
        for i in m.dofs():
            t.energy[0] = t.energy[0] * t.qvel[i]

    made = program.executed(product, columns(FORK), layout.VALUES, Request(("energy",)))
    assert isinstance(made, Packed)
    assert made.groups == {}
    v = [made.tables.qvel[i] for i in range(3)]
    assert made.tables.energy[0] is v[0] * v[1] * v[2]


def test_rounds() -> None:
    m = machine()
    assert [repr(k) for k in m.links()] == ["1", "Rows(2, 3)"]
    assert [repr(k) for k in m.links(backward=True)] == ["Rows(2, 3)", "1"]
    assert [repr(i) for i in m.dofs()] == ["0", "Rows(1, 2)"]
    pair: Any = Rows((2, 3))
    assert list(m.climb(pair)) == [pair]
    assert [repr(i) for i in m.ancestors(Rows((1, 2)), itself=True)] == ["0", "Rows(1, 2)"]
    for k in m.links():
        if isinstance(k, Rows):
            assert list(m.dofs()) == [0, 1, 2]  # one by one inside a round
    assert pair <= 3
    for different in (lambda: pair < 3, lambda: pair <= 2):
        with pytest.raises(PackingError, match="branches"):
            different()


def test_every_row_comes_after_its_parent() -> None:
    """Bodies without joints may be between a limb and its trunk, so bodies of later limbs may have a smaller
    number than their parents.
    """
    alone: list[list[int]] = [[1, 2, 4], [3], [5]]
    rows = dict(enumerate(alone, 1))
    assert repr(rounds([(1,), (2, 3)], rows, [-1, 0, 1, 2, 1, 4])) == "[1, 2, 4, Rows(3, 5)]"
    assert repr(rounds([(1,), (2, 3)], rows)) == "[1, 2, Rows(3, 5), 4]"
    # Nothing is after both of its parents, if the parents of one group are in the other and the reverse.
    assert ordered([(1, 4), (2, 3)], [-1, 0, 1, 0, 3]) == [(1,), (2, 3), (4,)]
    assert ordered([(1, 3), (2, 4)], [-1, 0, 1, 0, 3]) == [(1, 3), (2, 4)]
    # Two rows of four have the same parent.
    assert ordered([(1,), (2,), (3, 4, 5, 6)], [-1, 0, 0, 1, 1, 2, 2]) == [(k,) for k in range(1, 7)]
    assert ordered([(1,), (2, 3, 4, 5)], [-1, 0, 1, 1, 1, 1]) == [(1,), (2, 3, 4, 5)]
    with pytest.raises(PackingError, match="above themselves"):
        ordered([(1,), (2,)], [-1, 2, 1])


@pytest.mark.parametrize("seed", range(amount(300, 40)))
def test_orders_of_random_groups(seed: int) -> None:
    """In either direction; each row is visited once."""
    draw = np.random.default_rng(seed)
    count = int(draw.integers(2, 30))
    above = [-1, *(int(draw.integers(k)) for k in range(1, count))]
    mixed = draw.permutation(np.arange(1, count)).tolist()
    ends = np.cumsum(draw.integers(1, 5, size=count)).tolist()
    groups = [tuple(mixed[a:b]) for a, b in zip([0, *ends], ends, strict=False) if mixed[a:b]]
    found = ordered(groups, above)
    place = {row: n for n, group in enumerate(found) for row in group}
    assert sorted(place) == list(range(1, count))
    assert all(place.get(above[row], -1) < n for row, n in place.items())
    parents = [[above[row] for row in group] for group in found]
    assert all(len(set(each)) in (1, len(each)) for each in parents)


def test_rounds_of_two_cases() -> None:
    """In both cases every branch reads the shared values and adds to them."""
    m = machine()
    t = m.tables
    first, second = (m.input("q", k) for k in range(2))

    def gather(m: Any, t: Any) -> None:
        t.trunk[1] = t.push[0] * 2.0
        for i in m.dofs():
            for _ in m.when(i > 0):
                t.limb[i] = t.push[i] * t.trunk[1]
                t.sum[1] += t.push[i]
                t.sum[1] += t.qvel[i]
        sums = m.locals(all=0.0)
        for i in m.dofs():
            with pytest.raises(PackingError, match="two cases") if m.width > 1 else nullcontext():
                sums.all = sums.all + t.qvel[i]

    for i in range(3):
        t.push[i], t.pull[i] = first + float(i), second + float(i)
    t.sum[1] = first
    m.both(gather, Paired("gather", {"push": "pull"}, {"limb": "late", "sum": "sum_late"}, ()))
    assert m.solutions == 1
    v = [3.0, 5.0, 7.0]
    given = {"q": np.array([10.0, 20.0]), "qvel": np.array(v)}
    wanted = {"limb": (11 * 20, 12 * 20), "late": (21 * 40, 22 * 40)}
    for name, numbers in wanted.items():
        assert tuple(values([getattr(t, name)[i] for i in (1, 2)], given)) == numbers
    assert values([t.sum[1], t.sum_late[1]], given) == [10 + 11 + 12 + 12, 10 + 21 + 22 + 12]
    assert all(t.push[i] is first + float(i) for i in range(3))


def test_rounds_add_up_what_is_shared() -> None:
    m = machine()
    t, sums = m.tables, m.locals(all=0.0)
    assert isinstance(sums, Locals)
    assert isinstance(t.trunk, PackedCells)
    t.trunk[1] = m.input("q", 9)
    for i in m.dofs():
        sums.all = sums.all + t.qvel[i]
        t.trunk[1] += t.qvel[i] * 2.0
        t.limb[i] = t.qvel[i]
    v = [t.qvel[i] for i in range(3)]
    assert sums.all is v[0] + (v[1] + v[2])
    assert t.limb[1] is v[1]
    assert t.trunk[1].width == 1
    m.width = 2
    with pytest.raises(PackingError, match="row 4 of fresh"):
        t.fresh[4] = 0.0
    with pytest.raises(PackingError, match=r"the rows \(5, 5\) of fresh"):
        t.fresh[Rows((5, 5))] = t.qvel[Rows((1, 2))]
