from collections.abc import Collection, Mapping
from typing import Any

from polybody.document.parser.tables import Table

class PlainNames:
    """The roles of a format's elements for its names.

    Elements are identified by their keys, kinds of names by numbers from 0.

    Args:
        table: the format's.
        kinds: the number of kinds of names.
        holders: elements whose names belong to the same scope as the element itself.
        named: holders that also declare a name of a kind by the attribute `name`, after their content.
        referring: elements whose text refers to names of a kind.
        unknown: elements that are never plain.
        bars: attributes that make an element not plain.
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
        """Whether in a node each name is new, and each reference is to an earlier name."""
