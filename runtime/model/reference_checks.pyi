from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from polybody.errors import Problems

NOWHERE: str
Report = Callable[..., Problems]

class ReferenceChecks:
    """All references of a Model whose axis several columns determine."""

    def __init__(self) -> None: ...
    def run(self, report: Report, axis: str, count: str, first: str, of: str = "") -> None:
        """Examine consecutive rows."""

    def pointers(
        self,
        report: Report,
        axis: str,
        column: str,
        codes: str,
        cells: Mapping[Any, tuple[str, bool]],
        place: int = 0,
        kinds: str = "",
    ) -> None:
        """Examine numbers of rows."""

    def widths(self, report: Report, axis: str, column: str, codes: str, widths: Mapping[int, int]) -> None:
        """Examine sizes, given by code."""

    def arrays(self, report: Report, axis: str, first: str, extents: Sequence[str], of: str) -> None:
        """Examine arrays in an axis."""

    def signatures(self, report: Report, axis: str, column: str, of: str, most: int) -> None:
        """Examine numbers of two rows in one."""

    def absent(self, report: Report, axis: str, column: str) -> None:
        """Report as soon as a row has a number, which is not negative."""

    @property
    def reports(self) -> list[Report]:
        """All these functions, each once."""

    def suspects(self, arrays: dict[str, NDArray[Any]], lengths: dict[str, int]) -> list[Report]:
        """The functions that report what may be wrong, each once."""
