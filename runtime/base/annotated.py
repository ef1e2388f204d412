"""Dataclasses whose annotations are texts, made faster than `dataclasses` does.

For such annotations, `dataclasses` finds out by regular expressions whether they are variables of the class.
Ours are seen at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def of_texts(decorate: Callable[[type], type], cls: Any) -> Any:
    """What a decorator of `dataclasses` makes of a class. Its annotations are texts; those of variables of
    the class begin with ``ClassVar``.
    """
    words: dict[str, str] = vars(cls).get("__annotations__", {})  # `inspect` takes long
    cls.__annotations__ = {
        name: object for name, word in words.items() if not word.startswith("ClassVar")
    }
    made: Any = decorate(cls)
    made.__annotations__ = words
    for name, field in made.__dataclass_fields__.items():
        field.type = words.get(name, field.type)
    return made
