"""Opens compiled programs and calls their kernels on the memory of a simulation."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.kernels.layout import KernelData

ABI: int
STATE: tuple[str, ...]
START: tuple[str, ...]
LOAD: str

def pointers(solver: Any) -> NDArray[Any]: ...

class Unconstrained:
    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None: ...
    @property
    def function(self) -> int: ...
    @property
    def address(self) -> int: ...

class ProgramError(ValueError): ...

class Program:
    def __init__(self, path: str | os.PathLike[str], key: str | None = None) -> None: ...
    @property
    def key(self) -> str: ...
    @property
    def lanes(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def kernels(self) -> Mapping[str, Mapping[str, int]]: ...
    def bind(
        self,
        name: str,
        columns: Mapping[str, Any],
        *,
        limit: float = ...,
        owner: KernelData | None = None,
        start: KernelData | None = None,
    ) -> Bound: ...

class Bound:
    @property
    def program(self) -> Program: ...
    @property
    def name(self) -> str: ...
    @property
    def pushed(self) -> bool: ...
    def call(self) -> None: ...
    def step(self, n: int = 1) -> int: ...
