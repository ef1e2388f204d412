"""Reading and writing files in folders that others may have prepared.

Only regular files are opened for reading, and an invalid name raises only an OSError. A path that was checked
is a `RealPath`, and no link on it is followed when it is opened: what is opened is what was checked. Files
are written atomically, and links at their place are not followed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform == "win32":
    from pathlib import WindowsPath as _NativePath
else:
    from pathlib import PosixPath as _NativePath

# Opening must not block on a pipe without a writer, and a terminal must not become that of this process.
_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_UNLINKED = getattr(os, "O_NOFOLLOW", 0)
# A folder on the way is only passed through, which requires no permission to list it.
_PASSED = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | _UNLINKED
_WALKS = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and bool(_UNLINKED)

_ATTEMPTS = 20
"""Number of attempts to resolve a path whose links are replaced at the same time."""


class NotAFileError(OSError):
    """What is at a path is a pipe, a device, a folder or a link."""


class RealPath(_NativePath):
    """A path without links, made by `real` and checked by its maker; paths derived from it are of this class.

    When it is opened, no link is followed, neither at its end nor in its folders: one that was put there
    after the check is an error.
    """

    __slots__ = ()


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading bytes. Pipes, devices and folders are refused without being opened.

    Links are followed, except on a `RealPath`.

    Raises:
        OSError: there is no such file, it cannot be read, or the name is invalid.
    """
    descriptor = _opened(path)
    file = os.fdopen(descriptor, "rb")
    try:
        _check(os.fstat(descriptor))
    except OSError:
        file.close()
        raise
    return file


def contents(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a regular file, up to ``most`` and one that shows that there are more; raises like
    :func:`open_regular`. System calls alone: a file object takes as many again.
    """
    descriptor = _opened(path)
    try:
        status = os.fstat(descriptor)
        _check(status)
        # Memory for as much as there seems to be: all that may be costs more than a small parse.
        data = _read(descriptor, min(status.st_size, most) + 1)
        if len(data) > status.st_size:  # it grows, or tells no size
            data += _read(descriptor, max(0, most + 1 - len(data)))
        return data
    finally:
        os.close(descriptor)


def _read(descriptor: int, count: int) -> bytes:
    """So many bytes of a file, fewer at its end."""
    parts = []
    while count > 0 and (part := os.read(descriptor, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _opened(path: str | os.PathLike[str]) -> int:
    """What an open file is called by the system, which was a regular one just before."""
    try:
        if isinstance(path, RealPath):
            return _opened_without_links(path)
        _check(os.stat(path))  # noqa: PTH116  (a Path costs as much as the rest)
        return os.open(path, _FLAGS)
    except ValueError as error:  # a NUL character, or one that the system's encoding does not have
        raise OSError(str(error)) from None


def _opened_without_links(path: RealPath) -> int:
    """The same for a path without links, from folder to folder: each is opened in the previous one."""
    if not _WALKS:
        return _opened_and_compared(path)
    *folders, name = path.parts
    here: int | None = None
    try:
        for folder in folders:
            inner = os.open(folder, _PASSED, dir_fd=here)
            if here is not None:
                os.close(here)
            here = inner
        _check(os.stat(name, dir_fd=here, follow_symlinks=False))
        return os.open(name, _FLAGS | _UNLINKED, dir_fd=here)
    finally:
        if here is not None:
            os.close(here)


def _opened_and_compared(path: RealPath) -> int:
    """Where folders cannot be opened, the path must still have no links, and lead to the open file."""
    _check(os.lstat(path))
    descriptor = os.open(path, _FLAGS)
    try:
        same = os.path.samestat(os.fstat(descriptor), os.lstat(path))
        if not same or os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
            raise OSError("a link was put in its place")
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _check(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise NotAFileError("not a file")


def head(path: str | os.PathLike[str], most: int) -> bytes | None:
    """The first bytes of a regular file; None if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(most)
    except OSError:
        return None


def real(path: str | os.PathLike[str]) -> RealPath:
    """A path with its links resolved, as far as possible: a link to itself is left unchanged.

    Raises:
        ValueError: the path has a NUL character or one that the file system's encoding does not have, or its
            links change all the time.
    """
    return RealPath(_resolved(path))


def _resolved(path: str | os.PathLike[str]) -> str:
    for _ in range(_ATTEMPTS):
        try:
            return os.path.realpath(path)
        except OSError:  # a link was replaced by a file just before it was read
            continue
    raise ValueError(f"the links of {os.fspath(path)} change all the time")


class Followed:
    """Paths with links resolved. Each folder is resolved once, while one document is read."""

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}

    def folder(self, path: str | os.PathLike[str]) -> str:
        """A folder with links resolved; raises the same errors as :func:`real`."""
        given = os.fspath(path)
        if given not in self._folders:
            self._folders[given] = _resolved(given)
        return self._folders[given]

    def path(self, path: str | os.PathLike[str]) -> str:
        """A path with links resolved, whether it exists or not; raises the same errors as :func:`real`."""
        folder, name = os.path.split(path)
        if name in ("", os.curdir, os.pardir):
            return _resolved(path)
        found = os.path.join(self.folder(folder), name)  # noqa: PTH118  (a Path costs as much as all the rest)
        try:
            link = stat.S_ISLNK(os.lstat(found).st_mode)
        except OSError:
            link = False
        return _resolved(found) if link else found


class Relative:
    """Paths relative to a folder, as files that are shared contain them: with ``/``, links of folders
    resolved.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._followed = Followed()
        self._folder = self._followed.folder(folder)

    def __call__(self, path: str) -> str:
        """The relative path. A name that is no path, such as that of standard input, is unchanged."""
        if path.startswith("<"):
            return path
        folder, name = os.path.split(path)
        try:
            found = os.path.join(self._followed.folder(folder or os.curdir), name)  # noqa: PTH118
            return os.path.relpath(found, self._folder).replace(os.sep, "/")
        except ValueError:  # an invalid path, or one on another drive
            return path.replace(os.sep, "/")


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or inside it. Both must be free of links."""
    return path in Within((folder,))


class Within:
    """The paths that are one of some folders or inside one; all must be free of links."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = frozenset(map(os.path.normcase, folders))
        self._beginnings = tuple(folder.rstrip(os.sep) + os.sep for folder in self._folders)

    def __contains__(self, path: str) -> bool:
        path = os.path.normcase(path)
        return path.startswith(self._beginnings) or path in self._folders


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether such a file exists; False for an invalid name."""
    return os.path.isfile(path)  # noqa: PTH113  (Path.is_file raises for some names)


def is_there(path: str | os.PathLike[str]) -> bool:
    """Whether there is anything at a path, even a link to nothing; False for an invalid name."""
    return os.path.lexists(path)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether such a folder exists; False for an invalid name."""
    return os.path.isdir(path)  # noqa: PTH112


def _permissions(path: Path) -> int | None:
    """The permissions of a file that may be replaced; None if there is none, or a link.

    Raises:
        PermissionError: the file is read-only.
        OSError: it is a pipe, a device or a folder, or a link to one, such as /dev/stdout.
    """
    try:
        status = path.lstat()
        linked = stat.S_ISLNK(status.st_mode)
        status = path.stat() if linked else status
    except OSError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a file, so it is not replaced by one", os.fspath(path))
    if linked:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))
    return stat.S_IMODE(status.st_mode) & 0o777


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file for writing bytes that replaces ``path`` once its content is complete.

    Until then it is in the same folder, under an unpredictable name that only this process creates. A link at
    ``path`` is replaced, not followed. A file at ``path`` keeps its permissions. A device, a pipe or a folder
    is not replaced.

    Raises:
        OSError: it cannot be written; ``path`` is unchanged.
    """
    target = Path(path)
    mode = _permissions(target)
    import secrets

    beside = target.with_name(f".{secrets.token_hex(16)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(beside, flags, 0o666)
    except OSError as error:  # the error names a file that the caller did not choose
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            yield file
        try:
            beside.replace(target)
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
