"""Passes over a model's columns make it cheaper; test_specialised.py checks that they preserve it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from polybody.codegen.passes import PASSES
from polybody.codegen.passes.hinge_frames import hinge_frames
from polybody.codegen.physics import kinematics
from polybody.codegen.physics.elementary_rotations import Turns, elementary, quarter
from polybody.codegen.specialised import Request, program
from polybody.generated.kernels.layout import VALUES

from .machines import specialise
from .trees import Array, Body, Joint, columns, unit

STEP = Request(("step",), lanes=8)


def leaning(n: int) -> dict[str, Array]:
    """An arm whose axes are tilted by some angle against the preceding one, with general offsets."""
    quat = unit(np.array([0.9, 0.1, 0.3, 0.0]))
    return columns([Body(b, [Joint("hinge")], np.array([0.3, 0.2, 0.0]), quat) for b in range(n)])


def operations(c: dict[str, Array]) -> int:
    return specialise(c, STEP).kernels[0].operations


def test_hinges_face_the_bodies_attached_to_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the rotations that align one axis with the next, those about the axes themselves merge with the
    hinges' rotations.
    """
    c = leaning(5)
    t = program.linked(c, VALUES, STEP).tables
    for k in range(2, 6):
        turns = [axis for axis, cosine, sine in t.link_base[k].turns if not quarter(cosine, sine)]
        assert turns[0] != 2
        assert turns[1:] in ([], [2])
    cheap = operations(c)
    monkeypatch.setattr(program, "PASSES", [one for one in PASSES if one.apply is not hinge_frames])
    assert cheap < 0.85 * operations(c)


def test_nobody_asks_for_the_axes_of_tips(monkeypatch: pytest.MonkeyPatch) -> None:
    c = leaning(4)
    cheap = operations(c)
    monkeypatch.setattr(program, "place_leaves", kinematics.place)
    assert cheap < operations(c)


@pytest.mark.parametrize("tilt", [1e-4, 1e-7, 3e-8, 1e-9, 1e-12])
def test_a_small_tilt_is_kept(tilt: float) -> None:
    """cos(3e-8) rounds to 1, but the rotation is still not about z alone."""
    about_z, leaning = (
        Turns([(2, math.cos(0.7), math.sin(0.7))]),
        Turns([(0, math.cos(tilt), math.sin(tilt))]),
    )
    R = np.reshape(Turns((*about_z.turns, *leaning.turns, *about_z.turns)).flat(), (3, 3))
    again = np.reshape(Turns(elementary(R)).flat(), (3, 3))
    assert np.abs(again - R).max() < 1e-15
