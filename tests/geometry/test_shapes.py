"""Primitive shapes, bodies with several shapes, and shapes fitted to meshes, compared with MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from polybody import geometry
from polybody.geometry import GeometryError, Part

from .engine import EXACT, close, compiled
from .solids import SOLIDS, msh, text

PRIMITIVES = ("sphere", "capsule", "cylinder", "ellipsoid", "box")


def test_density_makes_mass_and_inertia() -> None:
    random = np.random.default_rng(0)
    for case in range(240):
        shape = (*PRIMITIVES, "hfield")[case % 6]
        shell = case // 6 % 2 == 1
        size = random.uniform(0.01, 2, 4) * 10.0 ** random.integers(-1, 2)
        given = f'size="{text(size[:3])}"' if shape != "hfield" else 'hfield="h"'
        asset = f'<hfield name="h" nrow="2" ncol="2" size="{text(size)}"/>' if shape == "hfield" else ""
        flag = "true" if shell else "false"
        model = compiled(asset, f'<body><geom type="{shape}" {given} shellinertia="{flag}"/></body>')
        mass = 1000 * geometry.measure(shape, size.tolist(), shell)
        close(mass, model.body_mass[1], EXACT)
        # The shell of an ellipsoid is the difference of two solids, which loses six digits.
        within = 1e-8 if shell and shape == "ellipsoid" else EXACT
        close(geometry.moments(shape, size.tolist(), mass, shell), model.body_inertia[1], within)


def test_planes_have_no_mass() -> None:
    assert geometry.measure("plane", (1, 1, 1)) == 0
    assert geometry.moments("plane", (1, 1, 1), 2.0) == (0, 0, 0)


def parts_of(model: mujoco.MjModel, shapes: list[tuple[str, np.ndarray]]) -> list[Part]:
    parts = []
    for geom, (shape, size) in enumerate(shapes):
        mass = 1000 * geometry.measure(shape, size.tolist())
        moments = np.array(geometry.moments(shape, size.tolist(), mass))
        parts.append(Part(mass, model.geom_pos[geom].copy(), model.geom_quat[geom].copy(), moments))
    return parts


def test_several_shapes_are_one_body() -> None:
    """Also with equal moments and right angles, where principal axes depend on rounding."""
    random = np.random.default_rng(1)
    for case in range(200):
        shapes, geoms = [], ""
        for _ in range(int(random.integers(1, 5))):
            shape = PRIMITIVES[int(random.integers(5))]
            size = random.uniform(0.01, 2, 3) * 10.0 ** random.integers(-2, 1)
            pos, quat = random.normal(size=3), random.normal(size=4)
            if case % 3 == 0:
                pos, quat, size = np.round(pos), np.eye(4)[case % 4], np.round(size, 1) + 0.1
            shapes.append((shape, size))
            geoms += f'<geom type="{shape}" size="{text(size)}" pos="{text(pos)}" quat="{text(quat)}"/>'
        model = compiled("", f"<body>{geoms}</body>")
        body = geometry.combined(parts_of(model, shapes))
        close(body.mass, model.body_mass[1], EXACT)
        close(body.pos, model.body_ipos[1], EXACT, 1.0)
        close(body.moments, model.body_inertia[1], EXACT)
        close(body.quat, model.body_iquat[1], 1e-9)


def test_parts_without_mass_are_no_body() -> None:
    nothing = Part(0.0, np.zeros(3), np.array([1.0, 0, 0, 0]), np.zeros(3))
    with pytest.raises(GeometryError, match="too small"):
        geometry.combined([nothing, nothing])


def test_principal_axes_are_mujocos() -> None:
    """Order and signs of the axes for tensors with equal moments and for tiny and large tensors."""
    random = np.random.default_rng(2)
    for case in range(600):
        tensor = random.normal(size=(3, 3)) * 10.0 ** random.integers(-13, 3)
        if case % 3 == 1:
            tensor = np.diag(random.choice([1.0, 2.0, 3.0], 3))
            tensor[0, 1] = random.choice([0, 0.5, 1e-13, 1e-9])
        if case % 3 == 2:
            tensor = np.round(random.normal(size=(3, 3)))
        tensor = (tensor + tensor.T) / 2
        values, vectors, quat = np.zeros(3), np.zeros(9), np.zeros(4)
        mujoco.mju_eig3(values, vectors, quat, tensor.ravel())
        moments, ours = geometry.principal_axes(tensor)
        close(moments, values, EXACT, 1e-12)
        close(ours, quat, 1e-9)


@pytest.mark.parametrize("solid", SOLIDS)
def test_a_primitive_in_place_of_a_mesh(solid: str) -> None:
    data = msh(*SOLIDS[solid]())
    mesh = geometry.load_mesh(data, "msh", hull=False)
    for shape in PRIMITIVES:
        for aabb in (False, True):
            for shell in (False, True):
                model = compiled(
                    '<mesh name="m" file="m.msh"/>',
                    f'<geom type="{shape}" mesh="m" fitscale="1.5" shellinertia="{str(shell).lower()}"/>',
                    {"m.msh": data},
                    f'fitaabb="{str(aabb).lower()}"',
                )
                size, pos, quat = geometry.fit(mesh, shape, shell=shell, aabb=aabb, scale=1.5)
                close(size, model.geom_size[0], EXACT)
                close(pos, model.geom_pos[0], EXACT, 1.0)
                close(quat, model.geom_quat[0], EXACT)
