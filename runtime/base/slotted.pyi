from typing import Any, TypeVar

T = TypeVar("T")

def record(cls: type[T]) -> type[T]:
    """Give a dataclass with slots, or a named tuple, a fast constructor.

    Raises:
        TypeError: a field is not a slot, or not an argument that can be positional or named.
    """

def positional(cls: type[T], *names: str) -> type[T]:
    """The class, for callers that pass its first fields by position.

    Args:
        cls: a class with a constructor by `record`.
        names: the fields that they pass, in that order.

    Raises:
        TypeError: the class's fields are others, or in another order.
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
