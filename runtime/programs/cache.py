"""The folder of compiled programs: persistent, shared by processes, and checked before use.

    programs/<key>/program.so       the program
    programs/<key>/about.json       its key, its digest, how it was made
    building/<key>.../              a running build; renamed to programs/<key> when complete
    locks/<two letters of the key>  locked while a program is built

A library is loaded only if it belongs to the user (or to root, as in an image that was made with its
programs), is writable by nobody else, and is complete.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from polybody.files import NotAFileError, open_regular

BOUND = 512
"""Maximum size of all programs in MiB, unless POLYBODY_CACHE_SIZE gives another."""
STALE = 3600.0
"""Age in seconds of an unfinished build that is removed."""
UNMAPPED = 65534
"""The owner of system files, as seen in a container with a user namespace."""
LIBRARY, ABOUT, BESIDE = "program.so", "about.json", "beside"
FOLDERS = ("programs", "building", "locks")
LONGEST = 1 << 20
"""Maximum size of an about.json in bytes."""
MIN_FREE = 64 << 20
"""Free space in bytes that a build requires."""
TRIAL = 1 << 20
"""Bytes that are written to test whether the folder is writable."""
FACTS: dict[str, Any] = {
    "key": str,
    "digest": str,
    "bytes": int,
    "model": str,
    "nbody": int,
    "nv": int,
    "request": {"kernels": [str], "lanes": int, "precision": str},
    "kernels": [{"name": str, "operations": int}],
    "texts": int,
    "compiler": str,
    "command": [str],
    "seconds": {"tracing": float, "compiling": float},
    "made": str,
}
"""The keys of an about.json, and their types."""
_KEY = re.compile(r"[0-9a-f]{32}-[0-9a-f]{32}")


_LOCKING = os.O_CREAT | os.O_WRONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):  # neither through a link nor waiting for a pipe
    _LOCKING |= getattr(os, _name, 0)


class CacheError(RuntimeError):
    """The folder cannot be used. The message gives the reason and a remedy."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A program in the cache."""

    key: str
    folder: Path
    facts: dict[str, Any]
    """The content of about.json: "model", "nv", "kernels", "compiler", "seconds" and so on."""
    used: float
    """Time of the last use, seconds since 1970."""

    @property
    def library(self) -> Path:
        """The library to load."""
        return self.folder / LIBRARY

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return sum(path.lstat().st_size for path in self.folder.iterdir())


def usual() -> Path:
    """The folder that POLYBODY_CACHE names, else polybody's folder among the user's caches.

    Raises:
        CacheError: the home folder does not exist.
    """
    named = os.environ.get("POLYBODY_CACHE", "").strip()
    try:
        if named:
            return Path(named).expanduser().absolute()
        from platformdirs import user_cache_path

        return user_cache_path("polybody", appauthor=False).expanduser().absolute()
    except RuntimeError:
        where = named or "the user's caches"
        raise CacheError(f"there is no home folder for {where}; name a folder in POLYBODY_CACHE") from None


def bound() -> int:
    """Maximum size of all programs in bytes.

    Raises:
        CacheError: POLYBODY_CACHE_SIZE is not a number of MiB.
    """
    text = os.environ.get("POLYBODY_CACHE_SIZE", "").strip() or str(BOUND)
    if not text.isdecimal():
        raise CacheError(f"POLYBODY_CACHE_SIZE={text!r} is not a whole number of MiB")
    return int(text) << 20


class Cache:
    """Programs in a folder.

    Args:
        folder: by default that of :func:`usual`. It is created on first use, accessible only to its owner.
        lasting: whether it outlives this process.

    Raises:
        CacheError: as in :func:`usual`.
    """

    def __init__(self, folder: Path | None = None, *, lasting: bool = True) -> None:
        self.lasting = lasting
        self.folder = Path(os.path.realpath(usual() if folder is None else folder))

    @property
    def programs(self) -> Path:
        """The folder of the entries."""
        return self.folder / "programs"

    # --- finding ----------------------------------------------------------------------------------

    def find(self, program: str, build: str | None) -> Entry | None:
        """The program with these keys, if it is complete and belongs to the user; without a build key, that
        of any compiler.

        A damaged program is removed, so that it is built again.

        Raises:
            CacheError: others could have written into the folder.
        """
        if not self.programs.is_dir():
            return None
        self.check()
        kept = [f"{program}-{build}"] if build else [p.name for p in self.programs.glob(f"{program}-*")]
        for name in sorted(kept):
            if (self.programs / name).is_dir() and _KEY.fullmatch(name):
                entry = self._whole(name)
                if entry is not None:
                    with suppress(OSError):  # a read-only folder keeps its order of use
                        os.utime(entry.folder / ABOUT)
                    return entry
        return None

    def _whole(self, key: str) -> Entry | None:
        folder = self.programs / key
        for path, kind in (
            (folder, stat.S_ISDIR),
            (folder / LIBRARY, stat.S_ISREG),
            (folder / ABOUT, stat.S_ISREG),
        ):
            if not kind(_mode(path)):  # there is none, or a link or a pipe
                self.remove(key)
                return None
            _check_owner(path)
        entry = self._entry(key)
        with suppress(NotAFileError):
            if entry.facts and entry.facts.get("digest") == digest(entry.library):
                return entry
        self.remove(key)
        return None

    def _entry(self, key: str) -> Entry:
        """An entry with its facts, unless they are damaged or belong to another user."""
        about = self.programs / key / ABOUT
        facts: Any = {}
        used = 0.0
        with suppress(OSError, ValueError, CacheError, RecursionError):
            used = min(max(about.lstat().st_mtime, 0.0), time.time())
            _check_owner(about)
            with open_regular(about) as file:
                facts = json.loads(file.read(LONGEST))
        if not _fits(facts, FACTS) or facts.get("key") != key:
            facts = {}
        return Entry(key, about.parent, facts, used)

    def entries(self) -> list[Entry]:
        """All entries, most recently used first."""
        with suppress(OSError):
            keys = [path.name for path in self.programs.iterdir() if _KEY.fullmatch(path.name)]
            return sorted((self._entry(key) for key in keys), key=lambda entry: (-entry.used, entry.key))
        return []

    # --- trust ------------------------------------------------------------------------------------

    def check(self) -> None:
        """Check that nobody else can have written here.

        Raises:
            CacheError: the folder belongs to another user, or others may write into it or replace it.
        """
        for path in (*(self.folder / name for name in FOLDERS), self.folder):
            mode = _mode(path)
            if mode and not stat.S_ISDIR(mode):
                raise CacheError(
                    f"{path} is a link or a file, not a folder, so no compiled program is loaded from it; "
                    "remove it, or name another folder in POLYBODY_CACHE"
                )
            if mode:
                _check_owner(path)
        for path in self.folder.parents:
            status = path.stat()
            foreign = _user() is not None and status.st_uid not in (0, UNMAPPED, _user())
            loose = "" if status.st_mode & stat.S_ISVTX else _writers(status)
            if os.name == "posix" and (foreign or loose):
                whose = "belongs to another user" if foreign else f"can be written by {loose}"
                raise CacheError(
                    f"no compiled program is loaded from {self.folder}, since {path} {whose}; name "
                    "another folder in "
                    "POLYBODY_CACHE"
                )

    # --- writing ----------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Create the folders, accessible only to their owner.

        Raises:
            OSError: they cannot be created, there is no space, or the file system does not allow execution.
            CacheError: as in :meth:`check`.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in FOLDERS:
            with suppress(FileExistsError):  # whatever it is: see check
                (self.folder / name).mkdir(mode=0o700)
        self.check()
        if shutil.disk_usage(self.folder).free < MIN_FREE:
            raise OSError(errno.ENOSPC, f"less than {MIN_FREE >> 20} MiB are free", str(self.folder))
        with tempfile.TemporaryFile(dir=self.folder / "building") as file:
            file.write(bytes(TRIAL))  # a quota or a read-only file system only shows now
            file.flush()
            _check_executable(file.fileno(), self.folder)

    def building(self, key: str) -> Path:
        """A new folder for building a program; the caller removes it."""
        return Path(tempfile.mkdtemp(prefix=f"{key[:8]}.", dir=self.folder / "building"))

    def store(self, key: str, built: Path, facts: dict[str, Any]) -> Entry:
        """Store a program that was built. The entry appears atomically.

        Args:
            key: both halves, joined by "-".
            built: the library, in a folder of :meth:`building`.
            facts: further content of about.json.

        Raises:
            OSError: it cannot be written.
        """
        whole = Path(tempfile.mkdtemp(prefix="whole.", dir=built.parent))
        built.rename(whole / LIBRARY)
        (whole / LIBRARY).chmod(0o600)
        size = (whole / LIBRARY).stat().st_size
        about = facts | {"key": key, "digest": digest(whole / LIBRARY), "bytes": size}
        (whole / ABOUT).write_text(json.dumps(about, indent=1), encoding="ascii")
        (whole / ABOUT).chmod(0o600)
        with (whole / LIBRARY).open("rb") as file:
            os.fsync(file.fileno())
        self.remove(key)
        try:
            whole.rename(self.programs / key)
        except OSError:
            if self._whole(key) is None:  # not only because another process was faster
                raise
        self.evict(keep=key)
        self.sweep()
        return self._entry(key)

    def remove(self, key: str) -> None:
        """Remove an entry, atomically for readers."""
        folder = self.programs / key
        if not os.path.lexists(folder):
            return
        away = self.folder / "building" / f"removed.{os.getpid()}.{time.monotonic_ns()}"
        with suppress(OSError):
            (self.folder / "building").mkdir(exist_ok=True, mode=0o700)
            folder.rename(away)
            if away.is_symlink() or not away.is_dir():
                away.unlink()
            else:
                shutil.rmtree(away, ignore_errors=True)

    def evict(self, keep: str = "") -> None:
        """Remove the least recently used programs until the rest is within the limit."""
        entries = self.entries()
        total, most = 0, bound()
        for entry in entries:
            with suppress(OSError):
                total += entry.size
            if total > most and entry.key != keep:
                self.remove(entry.key)

    def sweep(self) -> None:
        """Remove the remains of builds that were killed."""
        if not stat.S_ISDIR(_mode(self.folder / "building")):
            return  # a link to a folder with files of others
        with suppress(OSError):
            for path in (self.folder / "building").iterdir():
                if time.time() - path.lstat().st_mtime > STALE:
                    shutil.rmtree(path, ignore_errors=True)

    def clear(self) -> tuple[int, int]:
        """Remove every program; returns their number and their size in bytes. Other files are kept."""
        entries = self.entries()
        size = 0
        for entry in entries:
            with suppress(OSError):
                size += entry.size
            self.remove(entry.key)
        return len(entries), size

    @contextmanager
    def lock(self, key: str, waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
        """A lock that one process holds at a time; ``waiting`` is called first if another one holds it.
        Without support of the file system, or with something else in the place of its file, several may hold
        it, which only costs time.
        """
        path = self.folder / "locks" / key[:2]
        with ExitStack() as stack:
            file = None
            if _mode(path) == 0 or stat.S_ISREG(_mode(path)):
                with suppress(OSError):
                    file = stack.enter_context(os.fdopen(os.open(path, _LOCKING, 0o600), "wb"))
            if file is not None and stat.S_ISREG(os.fstat(file.fileno()).st_mode) and sys.platform != "win32":
                import fcntl

                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    waiting()
                    with suppress(OSError):
                        fcntl.flock(file, fcntl.LOCK_EX)
                except OSError:
                    pass
            yield


@cache
def temporary() -> Cache:
    """A cache for this process alone, removed at its end; used if the user's cannot be written or trusted."""
    import atexit

    folder, owner = Path(tempfile.mkdtemp(prefix="polybody-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    cache = Cache(folder, lasting=False)
    cache.prepare()
    return cache


def _check_executable(descriptor: int, folder: Path) -> None:
    """Raise OSError if the file system does not allow execution, so that libraries could not be loaded."""
    if sys.platform != "win32":
        import mmap

        try:
            mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
        except OSError as error:
            raise OSError(error.errno, "nothing may be executed there", str(folder)) from None


def _fits(value: Any, shape: Any) -> bool:
    """Whether a JSON value has a structure: a type, a list of one structure, or an object with these keys.

    Keys of FACTS are optional.
    """
    if isinstance(shape, list):
        return isinstance(value, list) and all(_fits(item, shape[0]) for item in value)
    if isinstance(shape, dict):
        known = isinstance(value, dict) and (shape is FACTS or shape.keys() <= value.keys())
        return known and all(name not in value or _fits(value[name], shape[name]) for name in shape)
    if shape is float:
        return type(value) in (int, float)
    return type(value) is shape


def _writers(status: os.stat_result) -> str:
    """Who may write into a folder besides its owner: "" for nobody, otherwise in words.

    A group with the owner as its only member, which many systems create for each user, does not count.
    """
    if status.st_mode & stat.S_IWOTH:
        return "anybody"
    if not status.st_mode & stat.S_IWGRP or os.name != "posix":
        return ""
    import grp
    import pwd

    try:
        owner, group = pwd.getpwuid(status.st_uid), grp.getgrgid(status.st_gid)
    except KeyError:
        return "a group"
    alone = group.gr_name == owner.pw_name and set(group.gr_mem) <= {owner.pw_name}
    return "" if alone else f"the group {group.gr_name}"


def digest(path: Path) -> str:
    """The digest of a file's content; raises NotAFileError for a pipe or another thing that is no file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _mode(path: Path) -> int:
    """The type and the permissions of what is at a path, without following links; 0 if there is nothing."""
    try:
        return path.lstat().st_mode
    except OSError:
        return 0


def _user() -> int | None:
    return os.geteuid() if hasattr(os, "geteuid") else None


def _check_owner(path: Path) -> None:
    """Check the owner of a path: whoever can write there can run code in this process.

    Raises:
        CacheError: it belongs to somebody else.
    """
    user = _user()
    if user is None:
        return  # on systems without such owners, the user's folders are protected by other means
    status = path.lstat()
    if status.st_uid not in (0, user):  # the system's owner can do anything in any case
        raise CacheError(f"{path} belongs to another user, so no compiled program is loaded from it; "
                         "remove it, "
                         "or name another folder in POLYBODY_CACHE")  # fmt: skip
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise CacheError(f"{path} can be written by others, so no compiled program is loaded from "
                         "it; remove it, "
                         "or name another folder in POLYBODY_CACHE")  # fmt: skip
