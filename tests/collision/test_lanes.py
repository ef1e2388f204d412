"""Searches of several pairs at a time, as compiled for each size of registers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polybody as pb
import pytest
from polybody.collision import collision_table, table

from tests.amounts import amount

HULLS = (4, 8, 20, 120)
"""Numbers of vertices: hulls with one block of vertices, and with several."""
FIELDS = ("dist", "pos", "frame", "geom")
SHAPES = ("capsule", "ellipsoid", "cylinder", "box")


@pytest.fixture(autouse=True)
def default_registers() -> Iterator[None]:
    yield
    table.choose_registers(table.registers()[0])


def heap(draw: np.random.Generator, flags: str) -> pb.Model:
    """Bodies of all shapes that are searched, in no order: lanes have shapes of different kinds."""
    assets, bodies = "", ""
    for count in HULLS:
        points = draw.normal(size=(count, 3)) * 0.15
        assets += f'<mesh name="m{count}" vertex="{" ".join(map(repr, points.ravel().tolist()))}"/>'
    kinds = [f'type="{shape}" size=".1 .15 .2"' for shape in SHAPES]
    kinds += [f'type="mesh" mesh="m{count}"' for count in HULLS]
    for kind in draw.permutation(kinds * 3):
        bodies += f'<body><freejoint/><geom {kind} mass="1" margin="{draw.uniform(0, 0.02)!r}"/></body>'
    return pb.load(
        "heap.xml",
        text=f"<mujoco><option><flag {flags}/></option><asset>{assets}</asset>"
        f"<worldbody>{bodies}</worldbody></mujoco>",
    )


@pytest.mark.skipif(len(table.registers()) < 2, reason="one size of registers only")
@pytest.mark.parametrize("flags", ["multiccd='disable'", "multiccd='enable'"])
def test_contacts_do_not_depend_on_registers(flags: str) -> None:
    draw, touching, tables = np.random.default_rng(7), 0, []
    for size in table.registers():
        table.choose_registers(size)
        model = heap(np.random.default_rng(8), flags)
        tables.append(collision_table(model))
    data = pb.Data(model)
    for _ in range(amount(2000, 100)):
        data.qpos[:] = draw.normal(size=model.nq)
        data.qpos.reshape(-1, 7)[:, :3] *= 0.3
        data.qpos.reshape(-1, 7)[:, 3:] /= np.linalg.norm(data.qpos.reshape(-1, 7)[:, 3:], axis=1)[:, None]
        pb.forward(model, data)
        found = [own.contacts(data.geom_xpos, data.geom_xmat) for own in tables]
        touching += len(found[0])
        for other in found[1:]:
            assert len(other) == len(found[0])
            for name in FIELDS:
                assert np.array_equal(other[name], found[0][name]), name
    assert touching > 500


def test_only_registers_of_the_processor_are_chosen() -> None:
    with pytest.raises(ValueError, match="no searches for registers of 24 bytes"):
        table.choose_registers(24)
