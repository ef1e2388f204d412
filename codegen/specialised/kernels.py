"""The kernels of the program for one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..physics.kernels import INTEGRATORS, KERNELS, Integrator, Kernel

Columns = Mapping[str, np.ndarray[Any, Any]]


def integrator(columns: Columns) -> Integrator:
    """The integrator of a model."""
    code = int(columns["opt_integrator"][0])
    return next(step for step in INTEGRATORS if step.code == code)


def kernels(columns: Columns) -> dict[str, Kernel]:
    """The kernels that the program of a model may have, by name."""
    return {kernel.name: kernel for kernel in KERNELS if kernel.results} | {
        "step": integrator(columns).kernel
    }
