"""Files whose names others chose: only regular ones are opened, and no name makes more than an OSError."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

# A pipe that nobody writes to must not block the opening, nor may a terminal become that of this process.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading bytes; pipes, devices and folders are refused without being opened.

    Raises:
        OSError: there is no such file, or it cannot be read, or its name is none that a file can have.
    """
    try:
        _check(Path(path).stat())
        descriptor = os.open(path, _FLAGS)
    except ValueError as error:  # a NUL character, or one that the system's encoding does not have
        raise OSError(str(error)) from None
    file = os.fdopen(descriptor, "rb")
    try:
        _check(os.fstat(descriptor))
    except OSError:
        file.close()
        raise
    return file


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError("not a file")


def head(path: str | os.PathLike[str], most: int) -> bytes | None:
    """The first bytes of a regular file; None where it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(most)
    except OSError:
        return None


def real(path: str | os.PathLike[str]) -> Path:
    """A path without links, as far as the system can follow them: one that links to itself stays as it is.

    Raises:
        ValueError: the path has a NUL character, or one that the system's encoding does not have.
    """
    return Path(os.path.realpath(path))


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; a name that no file can have is none."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises for some names)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a folder; a name that no folder can have is none."""
    return os.path.isdir(path)  # noqa: PTH112
