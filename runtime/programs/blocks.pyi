"""Steps of many states, block by block, by any number of threads, without the GIL."""

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from polybody.generated.kernels.layout import KernelModel
from polybody.programs.load import Program

AGAIN: str

class Blocks:
    def __init__(
        self,
        mover: Program | KernelModel,
        columns: Mapping[str, NDArray[Any]],
        given: Mapping[str, float | None],
        *,
        time: NDArray[Any],
        failed: NDArray[Any],
        count: int,
        timestep: float,
        limit: float,
        workers: int,
        kernel: str = ...,
        observed: bool = ...,
        attach: Any = ...,
        eq_active: NDArray[Any] | None = ...,
        models: NDArray[Any] | None = ...,
        tables: NDArray[Any] | None = ...,
        at_once: bool = ...,
        effort: float = ...,
        delays: KernelModel | None = ...,
        history: NDArray[Any] | None = ...,
    ) -> None: ...
    @property
    def lanes(self) -> int: ...
    @property
    def workers(self) -> int: ...
    def begin(
        self,
        steps: int,
        every: int = 0,
        done: int = 0,
        record: Sequence[tuple[str, NDArray[Any]]] = (),
        control: NDArray[Any] | None = None,
        heeds: bool = True,
    ) -> None: ...
    def work(self, worker: int) -> None: ...
    def end(self, error: BaseException | None = None) -> None: ...
