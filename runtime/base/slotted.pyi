from typing import Any, TypeVar

T = TypeVar("T")

def record(cls: type[T]) -> type[T]:
    """Let a dataclass with slots, or a named tuple, make its instances in one go.

    Raises:
        TypeError: it has a field that is not in a slot, or not an argument by place and name.
    """

class OrNone:
    """A slot that is None where nothing has been put into it.

    Attributes:
        member: the slot as Python has it.
    """

    member: Any
    def __init__(self, cls: type, name: str) -> None: ...
    def __get__(self, instance: Any, cls: type) -> Any: ...
    def __set__(self, instance: Any, value: Any) -> None: ...

def member(cls: type, name: str) -> Any:
    """The slot of a class as Python defines it, also if an `OrNone` replaces it."""
