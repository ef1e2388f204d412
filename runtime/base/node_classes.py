"""Classes of nodes: dataclasses whose constructors are compiled when the first instance is made by one.

`dataclasses.dataclass` compiles the constructor of each class from text, which took half of the import of a
format's classes. The reader makes nodes without constructors.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from polybody.base.annotated import of_texts

__all__ = ["compile_constructor", "dataclass"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, kw_only: bool, eq: bool, repr: bool) -> Callable[[type[T]], type[T]]:
        """As the function of that name in `dataclasses`, for classes derived from Node."""
        options = {"slots": slots, "kw_only": kw_only, "eq": eq, "repr": repr, "init": False}

        def made(cls: type[T]) -> type[T]:
            made = of_texts(dataclasses.dataclass(**options), cls)
            made._has_constructor = False
            return made

        return made


def compile_constructor(cls: type) -> Any:
    """Compile the constructor that a class of nodes has or inherits. Returns the class to which it belongs;
    None if it has none of its own.

    Several threads may do this at the same time: each makes the same constructor, and the class is marked
    once it has one.
    """
    owner: Any = next((each for each in cls.__mro__ if "_has_constructor" in vars(each)), None)
    if owner is None or owner._has_constructor:
        return owner
    rows = [(each.name, each.type, _copied(each)) for each in dataclasses.fields(owner)]
    twin: Any = dataclasses.make_dataclass(owner.__qualname__, rows, kw_only=True, eq=False, repr=False)
    twin.__init__.__module__ = owner.__module__
    owner.__init__ = twin.__init__
    owner._has_constructor = True
    return owner


def _copied(field: dataclasses.Field[Any]) -> Any:
    if field.default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=field.default_factory)
    return dataclasses.field(default=field.default)
