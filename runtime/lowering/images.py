"""Whether images are decoded: where nothing shows a Model, this would be most of the time of making it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar, Token

_unneeded: ContextVar[bool] = ContextVar("polybody_images_unneeded", default=False)


class ImagesUnneeded(AbstractContextManager[None]):
    """Within this context, textures from files have a single black pixel."""

    _token: Token[bool]

    def __enter__(self) -> None:
        self._token = _unneeded.set(True)

    def __exit__(self, *exception: object) -> None:
        _unneeded.reset(self._token)


def images_are_decoded() -> bool:
    """Whether textures have the pixels of their files; see :class:`ImagesUnneeded`."""
    return not _unneeded.get()
