"""The constraints of a block of states, solved in all of its lanes at once."""

from collections.abc import Mapping

class BlockSolver:
    def __init__(
        self,
        constraints: int,
        columns: Mapping[str, int],
        lanes: int,
        bytes: int,
        failed: int,
        states: int,
        eq_active: int,
        first: int,
        own: bool,
    ) -> None: ...
    @property
    def function(self) -> int: ...
    @property
    def taking(self) -> int: ...
    @property
    def address(self) -> int: ...
