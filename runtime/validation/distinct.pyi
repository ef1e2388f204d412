from typing import Any

def distinct(names: list[Any]) -> bool:
    """Whether no two of the names are equal. None is no name; other than str, names are hashable.

    Takes time and memory in proportion to their number.
    """
