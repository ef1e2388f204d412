"""The interface between the specialiser and the callers of its programs: requests, processors, kernels, the
ABI.

Generation copies this module to generated/kernels/interface.py, from where a simulation imports it without
loading codegen. So it imports nothing from the project. RESULTS there is from physics/kernels.py.
"""

from __future__ import annotations

from dataclasses import dataclass

ABI = 4
"""Version of the C structs of a program (templates/program.h.jinja)."""
LANES = (1, 2, 4, 8, 16)
"""Possible numbers of states per call of a program."""
PRECISIONS = {"float64": 8, "float32": 4}
"""Size of a number in bytes."""
PREPARE = "prepare_"
"""Prefix of the name of a kernel that computes what depends only on parameters, once."""
PREPARED = "prepared"
"""The column with its results."""
CONSTRAINTS = "constraints"
"""The column with the constraint solver instead of numbers: a PbConstraints."""
CALLED = 3
"""Its size in numbers of eight bytes."""


@dataclass(frozen=True, slots=True)
class Request:
    """A requested program; part of its key.

    Args:
        kernels: names of RESULTS. For a batch also PREPARE and a kernel's name: this kernel computes what
            depends only on the named columns, and needs to be called only when they change.
        precision: "float64" or "float32".
        lanes: the number of states per call; 1 is a single state, in the memory of a simulation.
        named: columns of the Model that remain inputs instead of constants.
        results: further columns of a simulation that a step writes.
        external: whether xfrc_applied is an input; otherwise it is 0.
    """

    kernels: tuple[str, ...]
    precision: str = "float64"
    lanes: int = 1
    named: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    external: bool = False


@dataclass(frozen=True, slots=True)
class Processor:
    """The properties of the target processor on which a program's text depends.

    Args:
        vector: size of a vector register in bytes.
        registers: the number of vector registers.
    """

    vector: int = 64
    registers: int = 32

    def lanes(self, precision: str) -> int:
        """The number of elements of a register."""
        return self.vector // PRECISIONS[precision]

    def at_hand(self, size: int) -> int:
        """The number of values of this size that are kept in registers, apart from those within
        statements.
        """
        return (self.registers if size >= self.vector else min(self.registers, NARROW)) - SPARE

    @property
    def limbs(self) -> tuple[int, ...]:
        """The numbers of subtrees that are computed at a time. Four are no faster than two in registers of
        two numbers.
        """
        return (4, 2) if self.vector >= 4 * PRECISIONS["float64"] else (2,)


AVX512 = Processor()
NARROW = 16  # number of registers used for narrower vectors, as before AVX-512
SPARE = 5
