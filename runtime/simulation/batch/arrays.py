"""Arrays of a batch by the name of their column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from numpy.typing import ArrayLike, NDArray
from polybody.simulation.batch.memory import fill
from polybody.suggest import closest


def no_result(name: str) -> str:
    """What to do about a column that steps do not compute."""
    return f'steps do not compute {name}: BatchStepper(model, n, results=("{name}",))'


def no_parameter(name: str) -> str:
    """What to do about a column that all instances share."""
    return f'{name} is not a parameter of this batch: BatchStepper(model, n, parameters=("{name}",))'


class Arrays(Mapping[str, NDArray[Any]]):
    """The arrays of some columns, each (n, ...). An assignment copies values into an array, as for `qpos`.

    Args:
        arrays: by name.
        absent: the message of the KeyError for another name.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], absent: Callable[[str], str]) -> None:
        self._arrays, self._absent = arrays, absent

    def __getitem__(self, name: str) -> NDArray[Any]:
        found = self._arrays.get(name)
        if found is None:
            near = closest(str(name), self._arrays)
            raise KeyError(self._absent(name) if near is None else f"no {name!r}; did you mean `{near}`?")
        return found

    def __setitem__(self, name: str, value: ArrayLike) -> None:
        fill(self[name], name, value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shown = [f"{name} {array.shape}" for name, array in self._arrays.items()]
        return f"<{', '.join(shown) or 'no arrays'}>"
