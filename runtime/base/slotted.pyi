from typing import Any, TypeVar

T = TypeVar("T")

def record(cls: type[T]) -> type[T]:
    """Give a dataclass with slots, or a named tuple, a fast constructor.

    Raises:
        TypeError: a field is not a slot, or not an argument that can be positional or named.
    """

class OrNone:
    """A slot that reads as None until it is set.

    Attributes:
        member: the original slot descriptor.
    """

    member: Any
    def __init__(self, cls: type, name: str) -> None: ...
    def __get__(self, instance: Any, cls: type) -> Any: ...
    def __set__(self, instance: Any, value: Any) -> None: ...

def member(cls: type, name: str) -> Any:
    """The original slot descriptor of a class, also if an `OrNone` replaces it."""
