"""What the specialiser and the callers of its programs agree on: requests, processors, kernels, the ABI.

Generation copies this module to generated/kernels/interface.py, where a simulation finds it without loading
codegen. So it imports nothing of the project.
"""

from __future__ import annotations

from dataclasses import dataclass

ABI = 4
"""Version of the C structs of a program (templates/program.h.jinja)."""
LANES = (1, 2, 4, 8, 16)
"""How many states a program may move at a time."""
PRECISIONS = {"float64": 8, "float32": 4}
"""Bytes of a number."""
PREPARE = "prepare_"
"""Before the name of a kernel: another one that computes what parameters alone decide, once."""
PREPARED = "prepared"
"""The column by which it is handed on."""
CONSTRAINTS = "constraints"
"""The column that has what solves constraints instead of numbers: a PbConstraints."""
CALLED = 3
"""Numbers of eight bytes that it takes."""
RESULTS: dict[str, tuple[str, ...]] = {
    "forward_kinematics": ("xpos", "xquat", "xmat"),
    "mass_matrix": ("qM",),
    "bias": ("qfrc_bias",),
    "passive": ("qfrc_passive",),
    "inverse": ("qfrc_inverse",),
    "acceleration": ("qacc",),
    "step": ("qpos", "qvel", "act", "qacc"),
    "energy": ("energy",),
    "jacobian": ("dof_xaxis", "dof_xanchor", "xpos"),
}
"""The kernels, and the columns of a simulation that each of them leaves."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which program is wanted; part of its key.

    Args:
        kernels: names of RESULTS. Of a batch also PREPARE and a kernel's name: that kernel then computes what
            the named columns alone decide, and need be called only when they change.
        precision: "float64" or "float32".
        lanes: states that a call moves; 1 is a single state, in the memory of a simulation.
        named: columns of the Model that stay inputs instead of being folded in.
        results: columns of a simulation that a step leaves besides.
        external: whether xfrc_applied is an input; it counts as 0 otherwise.
    """

    kernels: tuple[str, ...]
    precision: str = "float64"
    lanes: int = 1
    named: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    external: bool = False


@dataclass(frozen=True, slots=True)
class Processor:
    """What a program's text depends on of the processor that it is made for.

    Args:
        vector: bytes of a vector register.
        registers: how many of these there are.
    """

    vector: int = 64
    registers: int = 32

    def lanes(self, precision: str) -> int:
        """How many numbers a register holds."""
        return self.vector // PRECISIONS[precision]

    def at_hand(self, size: int) -> int:
        """How many values of so many bytes are kept in registers, beside what is between statements."""
        return (self.registers if size >= self.vector else min(self.registers, NARROW)) - SPARE

    @property
    def limbs(self) -> tuple[int, ...]:
        """How many limbs that are alike are computed at a time. Four gain nothing in registers of two."""
        return (4, 2) if self.vector >= 4 * PRECISIONS["float64"] else (2,)


AVX512 = Processor()
NARROW = 16  # registers that are used of the narrower vectors, as before AVX-512
SPARE = 5
