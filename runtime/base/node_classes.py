"""Classes of nodes: dataclasses whose constructors are compiled when the first instance is made by one.

`dataclasses.dataclass` compiles the constructor of each class from text, which took half of the import of a
format's classes. The reader makes nodes without constructors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

__all__ = ["compile_constructor", "dataclass"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, kw_only: bool, eq: bool, repr: bool) -> Callable[[type[T]], type[T]]:
        """As the function of that name in `dataclasses`, for classes derived from Node."""
        options = {"slots": slots, "kw_only": kw_only, "eq": eq, "repr": repr, "init": False}

        def made(cls: type[T]) -> type[T]:
            made = dataclasses.dataclass(**options)(cls)
            made._without_constructor = True
            return made

        return made


def compile_constructor(cls: type) -> Any:
    """Compile the constructor that a class of nodes has or inherits. Returns the class to which it belongs;
    None if there is nothing to compile.
    """
    owner: Any = next((each for each in cls.__mro__ if "_without_constructor" in vars(each)), None)
    if owner is None:
        return None
    rows = [(each.name, each.type, _copied(each)) for each in dataclasses.fields(owner)]
    twin: Any = dataclasses.make_dataclass(owner.__qualname__, rows, kw_only=True, eq=False, repr=False)
    twin.__init__.__module__ = owner.__module__
    del owner._without_constructor
    owner.__init__ = twin.__init__
    return owner


def _copied(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=field.default_factory)
    return dataclasses.field(default=field.default)
