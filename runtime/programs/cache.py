"""The folder of compiled programs: kept from run to run, shared by processes, never trusted blindly.

    programs/<key>/program.so       the program
    programs/<key>/about.json       its key, its digest, how it was made
    building/<key>.../              a build under way; renamed to programs/<key> when it is whole
    locks/<two letters of the key>  held while a program is built

What is loaded into the process must belong to its user (or to root, as in an image that was made with its
programs), be writable by nobody else, and be whole.
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
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from polybody.files import open_regular

BOUND = 512
"""MiB that programs take in all, unless POLYBODY_CACHE_SIZE says otherwise."""
STALE = 3600.0
"""Seconds after which a build that nobody finished is swept away."""
UNMAPPED = 65534
"""Who seems to own what is the system's, in a container with users of its own."""
LIBRARY, ABOUT, BESIDE = "program.so", "about.json", "beside"
LONGEST = 1 << 20
"""Bytes of an about.json that are read at most."""
MIN_FREE = 64 << 20
"""Bytes that are to be free where a program is built."""
TRIAL = 1 << 20
"""Bytes that are written to see whether that can be done."""
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
"""What an about.json may say, and of what type it is then."""
_KEY = re.compile(r"[0-9a-f]{32}-[0-9a-f]{32}")


class CacheError(RuntimeError):
    """The folder cannot be used: the message says why, and what would help."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A program that is kept."""

    key: str
    folder: Path
    facts: dict[str, Any]
    """What about.json says: "model", "nv", "kernels", "compiler", "seconds" and so on."""
    used: float
    """When it was last used, seconds since 1970."""

    @property
    def library(self) -> Path:
        """The file to be loaded."""
        return self.folder / LIBRARY

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return sum(path.lstat().st_size for path in self.folder.iterdir())


def usual() -> Path:
    """The folder that POLYBODY_CACHE names, else polybody's own among the user's caches.

    Raises:
        CacheError: it is in a home folder that there is not.
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
    """Bytes that programs may take in all.

    Raises:
        CacheError: POLYBODY_CACHE_SIZE is no number of MiB.
    """
    text = os.environ.get("POLYBODY_CACHE_SIZE", "").strip() or str(BOUND)
    if not text.isdecimal():
        raise CacheError(f"POLYBODY_CACHE_SIZE={text!r} is not a whole number of MiB")
    return int(text) << 20


class Cache:
    """Programs in a folder.

    Args:
        folder: where; by default as :func:`usual` says. It is made, for its owner alone, when first written.

    Raises:
        CacheError: as :func:`usual`.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = Path(os.path.realpath(usual() if folder is None else folder))

    @property
    def programs(self) -> Path:
        """The folder of the entries."""
        return self.folder / "programs"

    # --- finding ----------------------------------------------------------------------------------

    def find(self, program: str, build: str | None) -> Entry | None:
        """The program of these keys, whole and our own; without a build's key that of any compiler.

        What is damaged is removed, so that it is built again.

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
                    with suppress(OSError):  # a folder that cannot be written keeps its old order
                        os.utime(entry.folder / ABOUT)
                    return entry
        return None

    def _whole(self, key: str) -> Entry | None:
        folder = self.programs / key
        for path in (folder, folder / LIBRARY, folder / ABOUT):
            if path.is_symlink() or not path.exists():
                self.remove(key)
                return None
            _check_owner(path)
        entry = self._entry(key)
        if not entry.facts or entry.facts.get("digest") != digest(entry.library):
            self.remove(key)
            return None
        return entry

    def _entry(self, key: str) -> Entry:
        """With its facts, unless they are damaged or somebody else's."""
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
        """All that is kept, what was used last first."""
        with suppress(OSError):
            keys = [path.name for path in self.programs.iterdir() if _KEY.fullmatch(path.name)]
            return sorted((self._entry(key) for key in keys), key=lambda entry: (-entry.used, entry.key))
        return []

    # --- trust ------------------------------------------------------------------------------------

    def check(self) -> None:
        """Make sure that nobody else can have written here.

        Raises:
            CacheError: the folder belongs to another user, or others may write into it or replace it.
        """
        for path in (self.programs, self.folder):
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
        """Make the folders, for their owner alone.

        Raises:
            OSError: they cannot be made, there is no space, or nothing there may be executed.
            CacheError: as :meth:`check`.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name in ("programs", "building", "locks"):
            (self.folder / name).mkdir(exist_ok=True, mode=0o700)
        self.check()
        if shutil.disk_usage(self.folder).free < MIN_FREE:
            raise OSError(errno.ENOSPC, f"less than {MIN_FREE >> 20} MiB are free", str(self.folder))
        with tempfile.TemporaryFile(dir=self.folder / "building") as file:
            file.write(bytes(TRIAL))  # a quota, or a file system that cannot be written, says so only now
            file.flush()
            _check_executable(file.fileno(), self.folder)

    @contextmanager
    def building(self, key: str) -> Iterator[Path]:
        """A folder for building a program in; what is left of it is removed."""
        folder = Path(tempfile.mkdtemp(prefix=f"{key[:8]}.", dir=self.folder / "building"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def store(self, key: str, built: Path, facts: dict[str, Any]) -> Entry:
        """Keep a program that was built: all of it appears at once, or nothing.

        Args:
            key: both halves, joined by "-".
            built: the library, in a folder of :meth:`building`.
            facts: what about.json shall say besides.

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
            if self._whole(key) is None:  # not just another process that was faster
                raise
        self.evict(keep=key)
        self.sweep()
        return self._entry(key)

    def remove(self, key: str) -> None:
        """Take an entry away; readers see all of it or nothing."""
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
        """Remove what was not used for longest until the rest is within the bound."""
        entries = self.entries()
        total, most = 0, bound()
        for entry in entries:
            with suppress(OSError):
                total += entry.size
            if total > most and entry.key != keep:
                self.remove(entry.key)

    def sweep(self) -> None:
        """Remove what builds left that were killed."""
        with suppress(OSError):
            for path in (self.folder / "building").iterdir():
                if time.time() - path.lstat().st_mtime > STALE:
                    shutil.rmtree(path, ignore_errors=True)

    def clear(self) -> tuple[int, int]:
        """Remove every program; returns how many there were, and their bytes. Other files stay."""
        entries = self.entries()
        size = 0
        for entry in entries:
            with suppress(OSError):
                size += entry.size
            self.remove(entry.key)
        return len(entries), size

    @contextmanager
    def lock(self, key: str) -> Iterator[None]:
        """Held by one process at a time; by all where the file system has no locks, which costs only time."""
        path = self.folder / "locks" / key[:2]
        with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "wb") as file:
            if sys.platform != "win32":
                import fcntl

                with suppress(OSError):
                    fcntl.flock(file, fcntl.LOCK_EX)
            yield


@cache
def temporary() -> Cache:
    """A cache for this process alone, removed with it: where the user's cannot be written or trusted."""
    import atexit

    folder, owner = Path(tempfile.mkdtemp(prefix="polybody-")), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    cache = Cache(folder)
    cache.prepare()
    return cache


def _check_executable(descriptor: int, folder: Path) -> None:
    """Raises OSError where the file system lets nothing be executed: a library could not be loaded there."""
    if sys.platform != "win32":
        import mmap

        try:
            mmap.mmap(descriptor, 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()
        except OSError as error:
            raise OSError(error.errno, "nothing may be executed there", str(folder)) from None


def _fits(value: Any, shape: Any) -> bool:
    """Whether a value of JSON has a shape: a type, a list of one shape, an object with these keys.

    Of FACTS any may be missing.
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
    """Who besides its owner may write into a folder: nobody "", somebody in words.

    A group that is its owner's alone, as many systems give each user one, is nobody else.
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
    """Of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _user() -> int | None:
    return os.geteuid() if hasattr(os, "geteuid") else None


def _check_owner(path: Path) -> None:
    """Whoever may write here may run code as this process.

    Raises:
        CacheError: that is somebody else, too.
    """
    user = _user()
    if user is None:
        return  # where there are no such owners, the user's own folders are protected by other means
    status = path.lstat()
    if status.st_uid not in (0, user):  # the system's owner can do anything as it is
        raise CacheError(f"{path} belongs to another user, so no compiled program is loaded from it; "
                         "remove it, "
                         "or name another folder in POLYBODY_CACHE")  # fmt: skip
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise CacheError(f"{path} can be written by others, so no compiled program is loaded from "
                         "it; remove it, "
                         "or name another folder in POLYBODY_CACHE")  # fmt: skip
