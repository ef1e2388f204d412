"""The data of a Model's flexes for collision detection."""

from typing import Any

from numpy.typing import ArrayLike, NDArray

Rows = NDArray[Any]

def tree(boxes: ArrayLike, members: ArrayLike) -> Rows: ...

class FlexTable:
    """The flexes of a Model and the geoms and flexes that may touch them. Immutable."""

    kept: dict[str, Rows]
    def __init__(
        self,
        flexes: Rows,
        nodes: Rows,
        meetings: Rows,
        pairs: ArrayLike,
        corner: ArrayLike,
        body: ArrayLike,
        layer: ArrayLike,
        beyond: ArrayLike,
        most: int,
    ) -> None: ...
