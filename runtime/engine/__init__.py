"""Dynamics of a simulation, by name, on the generated kernels.

data            Data: one simulation of a Model; constraint_rows, islands: its contacts, rows and islands
requested       results that a Data computes on request
dynamics        what the kernels compute, for a Model and its Data
points          Jacobians, velocities and forces of points on bodies
coordinates     positions from velocities, and velocities from positions
contacts        forces of contacts
at_state        what a Data computes at its state, compiled
variants        derived columns of many Models that differ in numbers
length_ranges   minimum and maximum length of an actuator
rays            distances along rays to the shapes of a scene
divergence      why a step failed, determined afterwards

Everything is imported when first used: making a Model needs less than moving it.

own_plugins     user plugins, which are computed in Python in addition to the kernels
singular        motions without inertia in any state: a mass matrix that is singular by the Model's
                structure
unsimulated     elements of a Model that would act and are not simulated yet
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polybody.first_use import on_first_use

if TYPE_CHECKING:
    from polybody.engine.contacts import contact_force as contact_force
    from polybody.engine.coordinates import differentiate_pos as differentiate_pos
    from polybody.engine.coordinates import integrate_pos as integrate_pos
    from polybody.engine.dynamics import advance as advance
    from polybody.engine.dynamics import energy as energy
    from polybody.engine.dynamics import forward as forward
    from polybody.engine.dynamics import forward_kinematics as forward_kinematics
    from polybody.engine.dynamics import inverse as inverse
    from polybody.engine.dynamics import mass_matrix as mass_matrix
    from polybody.engine.dynamics import mul_m as mul_m
    from polybody.engine.dynamics import reset as reset
    from polybody.engine.dynamics import solve_m as solve_m
    from polybody.engine.dynamics import step as step
    from polybody.engine.dynamics import step1 as step1
    from polybody.engine.dynamics import step2 as step2
    from polybody.engine.points import apply_force as apply_force
    from polybody.engine.points import jacobian as jacobian
    from polybody.engine.points import velocity as velocity
    from polybody.engine.rays import multi_ray as multi_ray
    from polybody.engine.rays import ray as ray

_HOMES = {
    "contacts": ("contact_force",),
    "coordinates": ("differentiate_pos", "integrate_pos"),
    "dynamics": (
        *("advance", "energy", "forward", "forward_kinematics", "inverse", "mass_matrix", "mul_m", "reset"),
        *("solve_m", "step", "step1", "step2"),
    ),
    "points": ("apply_force", "jacobian", "velocity"),
    "rays": ("multi_ray", "ray"),
}

if not TYPE_CHECKING:  # a misspelt name is an error to type checkers
    __getattr__ = on_first_use(__name__, _HOMES)
