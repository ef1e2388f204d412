from collections.abc import Collection, Mapping
from typing import Any

from polybody.document.parser.tables import Table

class PlainNames:
    """What the elements of one format mean for its names.

    Elements are given by their keys, kinds of names by numbers from 0.

    Args:
        table: the format's.
        kinds: how many kinds of names there are.
        holders: elements in which names count as if they were beside them.
        named: holders of which each declares a name of a kind, by its attribute `name`, behind what is in it.
        referring: elements whose text holds names of a kind.
        unknown: elements that are plain nowhere.
        bars: attributes that make an element one that is not plain.
    """

    def __init__(
        self,
        table: Table,
        kinds: int,
        holders: Collection[str],
        named: Mapping[str, int],
        referring: Mapping[str, int],
        unknown: Collection[str],
        bars: Mapping[str, Collection[str]],
    ) -> None: ...
    def hold(self, key: str, node: Any) -> bool:
        """Whether in a node each name is new, and each that is referred to is before."""
