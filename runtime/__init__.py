"""Typed readers, strict validation and compiled dynamics for physics-model formats.

    import polybody as pb

    model = pb.load("arm.xml")
    sim = pb.Stepper(model)
    sim.step(1000)

Names are imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polybody.assembly.builder import ModelBuilder as ModelBuilder
    from polybody.checking import check as check
    from polybody.checking import validate as validate
    from polybody.diagnostics import Diagnostic as Diagnostic
    from polybody.diagnostics import ValidationError as ValidationError
    from polybody.document.resolver import resolve as resolve
    from polybody.editing.attaching import attach as attach
    from polybody.editing.deleting import delete as delete
    from polybody.editing.extracting import chain as chain
    from polybody.editing.extracting import subtree as subtree
    from polybody.editing.renaming import rename as rename
    from polybody.editing.searching import xpath as xpath
    from polybody.engine import apply_force as apply_force
    from polybody.engine import contact_force as contact_force
    from polybody.engine import differentiate_pos as differentiate_pos
    from polybody.engine import energy as energy
    from polybody.engine import forward as forward
    from polybody.engine import forward_kinematics as forward_kinematics
    from polybody.engine import integrate_pos as integrate_pos
    from polybody.engine import inverse as inverse
    from polybody.engine import jacobian as jacobian
    from polybody.engine import mass_matrix as mass_matrix
    from polybody.engine import mul_m as mul_m
    from polybody.engine import multi_ray as multi_ray
    from polybody.engine import ray as ray
    from polybody.engine import reset as reset
    from polybody.engine import solve_m as solve_m
    from polybody.engine import step as step
    from polybody.engine import step1 as step1
    from polybody.engine import step2 as step2
    from polybody.engine import velocity as velocity
    from polybody.engine.data import Data as Data
    from polybody.errors import CompileError as CompileError
    from polybody.errors import CompileNotice as CompileNotice
    from polybody.errors import CompileWarning as CompileWarning
    from polybody.errors import InternalError as InternalError
    from polybody.errors import ModelError as ModelError
    from polybody.errors import ModelWarning as ModelWarning
    from polybody.errors import SimulationError as SimulationError
    from polybody.generated.formats import *  # noqa: F403
    from polybody.loading import load as load
    from polybody.lowering import lower as lower
    from polybody.model.model import Model as Model
    from polybody.reading import read as read
    from polybody.reading import read_mjcf as read_mjcf
    from polybody.reading import read_openrave as read_openrave
    from polybody.reading import read_sdf as read_sdf
    from polybody.reading import read_skel as read_skel
    from polybody.reading import read_urdf as read_urdf
    from polybody.reading import read_x_xy as read_x_xy
    from polybody.simulation.batch import BatchStepper as BatchStepper
    from polybody.simulation.stepper import Stepper as Stepper
    from polybody.writing import write as write

__version__ = "0.1.0"

_HOMES = {
    "reading": (
        *("read", "read_mjcf", "read_openrave", "read_sdf", "read_skel", "read_urdf", "read_x_xy"),
    ),
    "checking": ("check", "validate"),
    "document.resolver": ("resolve",),
    "writing": ("write",),
    "editing.attaching": ("attach",),
    "editing.deleting": ("delete",),
    "editing.extracting": ("chain", "subtree"),
    "editing.renaming": ("rename",),
    "editing.searching": ("xpath",),
    "diagnostics": ("Diagnostic", "ValidationError"),
    "loading": ("load",),
    "lowering": ("lower",),
    "assembly.builder": ("ModelBuilder",),
    "model.model": ("Model",),
    "engine": (
        "apply_force",
        "contact_force",
        "differentiate_pos",
        "energy",
        "forward",
        "forward_kinematics",
        "integrate_pos",
        "inverse",
        "jacobian",
        "mass_matrix",
        "mul_m",
        "multi_ray",
        "ray",
        "reset",
        "solve_m",
        "step",
        "step1",
        "step2",
        "velocity",
    ),
    "engine.data": ("Data",),
    "simulation.stepper": ("Stepper",),
    "simulation.batch": ("BatchStepper",),
    "errors": (
        *("CompileError", "CompileNotice", "CompileWarning", "InternalError"),
        *("ModelError", "ModelWarning", "SimulationError"),
    ),
}
_FACE = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_FACE)  # noqa: PLE0605  (a list of names, whatever made it)


def _get(name: str) -> Any:
    if name in _FACE:
        value = getattr(import_module(f"{__name__}.{_FACE[name]}"), name)
    elif not name.startswith("_") and find_spec(f"{__name__}.generated.formats.{name}"):
        value = import_module(f"{__name__}.generated.formats.{name}")  # a format's document classes
    else:
        raise AttributeError(_missing(name), name=name)
    globals()[name] = value
    return value


def _missing(name: str) -> str:
    from polybody.mujoco_names import instead
    from polybody.suggest import did_you_mean

    text, hint = f"module {__name__!r} has no attribute {name!r}", instead(name)
    if not hint and not name.startswith("_"):
        close = did_you_mean(name, _FACE)
        hint = f"; {close}" if close else ""
    return text + hint


if not TYPE_CHECKING:  # a misspelt name is an error to type checkers
    __getattr__ = _get


def __dir__() -> list[str]:
    """The public names: functions, classes, and the formats' packages of document classes."""
    from polybody.generated.formats import ROOTS

    return sorted({*_FACE, *ROOTS, *(name for name in globals() if name.startswith("__"))})
