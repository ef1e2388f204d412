"""Bad columns are rejected before any kernel uses them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from polybody.generated.kernels import dynamics, layout

from .trees import Array, Body, Joint, columns, random_tree

BAD: dict[str, tuple[str, Any, str]] = {
    "a missing column": ("body_pos", None, "missing"),
    "too short": ("dof_armature", lambda x: x[:-1], "dof_armature has shape"),
    "too long": ("body_pos", lambda x: np.concatenate([x, x]), "body_pos has shape"),
    "of another width": ("jnt_axis", lambda x: x[:, :2], "jnt_axis has shape"),
    "text": ("body_mass", lambda x: x.astype(str), "body_mass has dtype"),
    "numbers for indices": ("body_parentid", lambda x: x + 0.5, "body_parentid has dtype"),
    "indices beyond 32 bits": ("jnt_qposadr", lambda x: x.astype(np.int64) + 2**40, "does not fit"),
    "a child before its parent": ("body_parentid", lambda x: changed(x, 3, 5), "must come after"),
    "a parent that is none": ("body_parentid", lambda x: changed(x, 3, -1), "must come after"),
    "a world with a parent": ("body_parentid", lambda x: changed(x, 0, 1), "world"),
    "an unknown joint": ("jnt_type", lambda x: changed(x, 0, 17), "unknown codes"),
    "a joint on no body": ("jnt_bodyid", lambda x: changed(x, -1, 10**6), "order of their bodies"),
    "a joint on the world": ("jnt_bodyid", lambda x: changed(x, 0, 0), "order of their bodies"),
    "joints out of order": ("jnt_bodyid", lambda x: x[::-1], "order of their bodies"),
    "an address elsewhere": ("jnt_qposadr", lambda x: changed(x, 1, 10**6), "jnt_qposadr"),
    "velocities elsewhere": ("jnt_dofadr", lambda x: changed(x, -1, 10**6), "jnt_dofadr"),
    "too many joints on a body": ("body_jntnum", lambda x: changed(x, 1, 10**6), "body_jntnum"),
    "joints that are another's": ("body_jntadr", lambda x: x + 1, "body_jntadr"),
    "a cycle of degrees of freedom": ("dof_parentid", lambda x: changed(x, 2, 2), "dof_parentid"),
    "a wrong depth": ("dof_depth", lambda x: x + 1, "dof_depth"),
    "an unknown integrator": ("opt_integrator", lambda x: x + 7, "opt_integrator is 7"),
    "a row elsewhere": ("M_rowadr", lambda x: x + 10**9, "M_rowadr"),
}


def changed(x: Array, row: int, value: Any) -> Array:
    x = x.copy()
    x[row] = value
    return x


@pytest.mark.parametrize("name", BAD)
def test_bad_columns(name: str) -> None:
    column, change, message = BAD[name]
    c = columns(random_tree(1, 10, ("hinge", "ball")))
    if change is None:
        del c[column]
    else:
        c[column] = change(c[column])
    with pytest.raises((ValueError, TypeError), match=message):
        layout.KernelModel(c)


def test_a_free_joint_comes_first() -> None:
    c = columns([Body(0, [Joint("hinge"), Joint("free")])])
    with pytest.raises(ValueError, match="must be the first"):
        layout.KernelModel(c)


def test_no_joints_at_all() -> None:
    model = layout.KernelModel(columns([Body(0), Body(1)]))
    data = layout.KernelData(model)
    for name in ("forward_kinematics", "bias", "mass_matrix", "factor", "solve", "acceleration", "energy"):
        getattr(dynamics, name)(model, data)
    assert dynamics.step(model, data, 3) == 3
    layout.KernelModel(columns([]))


def test_a_model_keeps_its_own_copy_and_never_changes() -> None:
    c = columns([Body(0, [Joint("hinge")])])
    model = layout.KernelModel(c)
    c["body_pos"][:] = 7.0
    assert not model.arrays["body_pos"].any()
    with pytest.raises(ValueError, match="read-only"):
        model.arrays["body_pos"][0] = 1.0
    with pytest.raises(AttributeError):
        model.arrays = {}  # type: ignore[misc]


@pytest.mark.parametrize("name", [name for name, *_ in layout.INDICES])
def test_the_last_index_of_every_column_is_checked(name: str) -> None:
    c = columns(random_tree(1, 10, ("hinge", "ball")))
    if not c[name].size:
        return
    c[name] = c[name].copy()
    c[name].flat[-1] = 10**6
    with pytest.raises(ValueError, match=rf"{name}|order of their bodies|rows of|the tree|after its parent"):
        layout.KernelModel(c)


def test_columns_that_are_given_later() -> None:
    """They are zeros until then; a column that is neither given nor to be given later is refused."""
    c = columns([Body(0, [Joint("hinge")])])
    later = frozenset({"dof_armature"})
    model = layout.KernelModel({name: x for name, x in c.items() if name not in later}, later)
    assert not model.arrays["dof_armature"].any()
    with pytest.raises(ValueError, match="dof_armature has shape"):
        model.complete({"dof_armature": np.ones(2)})
    model.complete({"dof_armature": np.ones(1)})
    assert model.arrays["dof_armature"] == 1
    data = layout.KernelData(model)
    dynamics.mass_matrix(model, data)
    assert data.array("qM")[0] >= 1
    with pytest.raises(ValueError, match="read-only"):
        model.arrays["dof_armature"][0] = 2


def test_every_column_of_a_model_has_memory_of_its_own() -> None:
    arrays = layout.KernelModel(columns(random_tree(3, 12, ("hinge", "ball")))).arrays
    ends = sorted((x.ctypes.data, x.ctypes.data + x.nbytes) for x in arrays.values() if x.nbytes)
    assert all(start % 64 == 0 for start, _ in ends)
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


def test_data_belong_to_their_model() -> None:
    c = columns([Body(0, [Joint("hinge")])])
    one, other = layout.KernelModel(c), layout.KernelModel(c)
    with pytest.raises(ValueError, match="another model"):
        dynamics.bias(one, layout.KernelData(other))
    with pytest.raises(TypeError):
        dynamics.bias(one, None)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        layout.KernelData(one).array("nonsense")


def test_no_steps_backwards() -> None:
    model = layout.KernelModel(columns([Body(0, [Joint("hinge")])]))
    data = layout.KernelData(model)
    assert dynamics.step(model, data, 0) == 0
    with pytest.raises(ValueError, match="-1 steps"):
        dynamics.step(model, data, -1)


def test_views_keep_the_memory_alive() -> None:
    data = layout.KernelData(layout.KernelModel(columns([Body(0, [Joint("hinge")])])))
    qpos = data.array("qpos")
    qpos[:] = 1.5
    del data
    assert qpos[0] == 1.5
    assert qpos.ctypes.data % 64 == 0


@pytest.mark.parametrize("kind", ["KernelModel", "KernelData"])
def test_uninitialised_objects_are_refused(kind: str) -> None:
    """`__new__` alone allocates no memory: kernels must not touch it."""
    c = columns([Body(0, [Joint("hinge")])])
    model = layout.KernelModel(c)
    bare = getattr(layout, kind).__new__(getattr(layout, kind))
    with pytest.raises((ValueError, TypeError, AttributeError)):
        dynamics.bias(*((bare, layout.KernelData(bare)) if kind == "KernelModel" else (model, bare)))


def test_every_column_has_memory_of_its_own() -> None:
    """Columns are in one block: none overlaps another, and each begins a cache line."""
    model = layout.KernelModel(columns(random_tree(3, 12, ("hinge", "ball"))))
    data = layout.KernelData(model)
    assert "qM" not in data.arrays
    lazy = {name: data.array(name) for name, axis, *_ in layout.DATA if axis == "M"}
    arrays = data.arrays
    assert {name for name, *_ in layout.DATA} | {"link"} <= set(arrays)
    assert lazy.keys() <= arrays.keys()
    numbers = {name: array for name, array in arrays.items() if array.dtype.kind != "V"}
    for number, array in enumerate(numbers.values(), 1):
        assert not array.any()
        assert array.ctypes.data % 64 == 0
        array[...] = number
    for number, (name, array) in enumerate(numbers.items(), 1):
        assert (array == number).all(), name
        assert data.array(name) is array
    data.clear()
    for name, array in numbers.items():
        assert array.any() == (name in layout.LAZY and array.size > 0), name
    with pytest.raises(KeyError):
        data.array("qops")


def test_memory_is_that_of_its_simulation() -> None:
    model = layout.KernelModel(columns(random_tree(4, 5, ("hinge",))))
    first, second = layout.KernelData(model), layout.KernelData(model)
    first.array("qpos")[...] = 1.0
    assert not second.array("qpos").any()
    kept = first.array("qpos")
    del first
    assert (kept == 1.0).all(), "an array keeps the memory that it shows"
