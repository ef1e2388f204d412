"""The cache of compiled programs: its entries are complete and the user's own, whatever happened to it."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from polybody.programs import cache as caches
from polybody.programs import target
from polybody.programs.build import ask
from polybody.programs.cache import ABOUT, LIBRARY, Cache, CacheError
from polybody.programs.choosing import STEP
from polybody.simulation.stepper import Stepper

from tests.programs.caches import built, empty, forget
from tests.runtime.models import chain, pendulum
from tests.waiting import PATIENCE, process, until

PROGRAM, BUILD = "ab" * 16, "cd" * 16
KEY = f"{PROGRAM}-{BUILD}"
NOBODY = 65534


def piped(path: Path) -> None:
    """Put a pipe without a writer in the place of a file: who opens it without care waits forever."""
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.fixture
def own(tmp_path: Path) -> Cache:
    cache = Cache(tmp_path / "cache")
    cache.prepare()
    return cache


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A real program for pendulum() in a cache of its own, which has just been forgotten; returns its
    folder.
    """
    empty(tmp_path / "cache", monkeypatch)
    entry = built(pendulum()).entry
    assert entry is not None
    forget()
    yield entry.folder
    forget()


def put(cache: Cache, name: str = KEY, content: bytes = b"a program", **facts: object) -> None:
    folder = cache.building(name)
    (folder / LIBRARY).write_bytes(content)
    cache.store(name, folder / LIBRARY, dict(facts))
    shutil.rmtree(folder)


def say(folder: Path, **facts: object) -> None:
    """Make about.json contain a different value."""
    about = json.loads((folder / ABOUT).read_text())
    (folder / ABOUT).write_text(json.dumps(about | facts))


# --- contents ----------------------------------------------------------------------------------------


def test_what_is_stored_is_found_whole(own: Cache) -> None:
    assert own.find(PROGRAM, BUILD) is None
    put(own, model="m")
    entry = own.find(PROGRAM, BUILD)
    assert entry is not None
    assert entry.library.read_bytes() == b"a program"
    assert (entry.key, entry.facts["model"], entry.facts["bytes"]) == (KEY, "m", 9)
    assert own.find(PROGRAM, "ef" * 16) is None
    assert own.find(PROGRAM, None) is not None, "without a compiler, any compiler's"
    assert own.find("ef" * 16, None) is None
    assert [e.key for e in own.entries()] == [KEY]
    assert list((own.folder / "building").iterdir()) == []


def test_all_of_it_belongs_to_its_owner_alone(own: Cache) -> None:
    old = os.umask(0)
    try:
        put(own)
        with own.lock(KEY):
            pass
    finally:
        os.umask(old)
    for path in [own.folder, *own.folder.rglob("*")]:
        assert not path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO), path


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / LIBRARY).write_bytes(b"other bytes"),
        lambda folder: (folder / LIBRARY).write_bytes(b""),
        lambda folder: (folder / LIBRARY).unlink(),
        lambda folder: (folder / ABOUT).unlink(),
        lambda folder: (folder / ABOUT).write_text(""),
        lambda folder: (folder / ABOUT).write_text("[]"),
        lambda folder: (folder / ABOUT).write_bytes(b"\xff\x00" * 100),
        lambda folder: (folder / ABOUT).write_text(json.dumps({"key": "other"})),
        lambda folder: (folder / ABOUT).write_text("{" * 100_000),
        lambda folder: (folder / ABOUT).write_text('{"a":' * 100_000),
        lambda folder: (folder / ABOUT).write_text("[" * 100_000),
        lambda folder: (folder / ABOUT).write_text('{"bytes": ' + "9" * 5000 + "}"),
        lambda folder: say(folder, bytes="many"),
        lambda folder: say(folder, seconds="long"),
        lambda folder: say(folder, seconds={"tracing": "a", "compiling": []}),
        lambda folder: say(folder, request={"lanes": 1}),
        lambda folder: say(folder, request=[]),
        lambda folder: say(folder, kernels=[{"name": "step", "operations": None}]),
        lambda folder: say(folder, model=["m"]),
        lambda folder: say(folder, nv=True),
        lambda folder: say(folder, digest=None),
        lambda folder: (folder / LIBRARY).replace(folder / "x") and (folder / LIBRARY).symlink_to("x"),
        lambda folder: piped(folder / LIBRARY),
        lambda folder: piped(folder / ABOUT),
        lambda folder: (folder / LIBRARY).unlink() or (folder / LIBRARY).mkdir(),
        lambda folder: (folder / LIBRARY).unlink() or (folder / LIBRARY).symlink_to("/dev/zero"),
    ],
)
def test_what_is_damaged_is_removed(own: Cache, damage: Callable[[Path], object]) -> None:
    put(own)
    damage(own.programs / KEY)
    assert own.find(PROGRAM, BUILD) is None
    assert not (own.programs / KEY).exists()
    put(own)
    assert own.find(PROGRAM, BUILD) is not None


def test_what_was_not_used_for_longest_goes_first(own: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYBODY_CACHE_SIZE", "1")
    names = [f"{n:032x}-{BUILD}" for n in range(5)]
    for age, name in enumerate(names):
        put(own, name, bytes(300_000))
        os.utime(own.programs / name / ABOUT, (time.time() - 1000 + age,) * 2)
    assert {entry.key for entry in own.entries()} == set(names[2:])
    assert own.find(names[2][:32], BUILD) is not None  # used just now
    put(own, KEY, bytes(300_000))
    assert {entry.key for entry in own.entries()} == {KEY, names[2], names[4]}
    put(own, names[0], bytes(2_000_000))
    assert [entry.key for entry in own.entries()] == [names[0]], "the newest stays, whatever its size"
    monkeypatch.setenv("POLYBODY_CACHE_SIZE", "much")
    with pytest.raises(CacheError, match="POLYBODY_CACHE_SIZE='much' is not a whole number of MiB"):
        own.evict()


def test_clearing_leaves_what_is_not_ours(own: Cache) -> None:
    put(own)
    (own.folder / "thesis.tex").write_text("years of work")
    (own.programs / "notes").mkdir()
    count, size = own.clear()
    assert (count, size > 9) == (1, True)
    assert own.entries() == []
    assert (own.folder / "thesis.tex").exists()
    assert (own.programs / "notes").exists()


def test_what_killed_builds_left_is_swept(own: Cache) -> None:
    left = own.folder / "building" / "abababab.xyz"
    left.mkdir()
    (left / "unit0.c").write_text("")
    recent = own.folder / "building" / "recent"
    recent.mkdir()
    os.utime(left, (time.time() - 2 * caches.STALE,) * 2)
    put(own)
    assert not left.exists()
    assert recent.exists()


def test_the_usual_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("POLYBODY_CACHE", "~/kernels")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert caches.usual() == tmp_path / "kernels"
    monkeypatch.setenv("POLYBODY_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert "polybody" in caches.usual().parts[-2:]


# --- trust -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [".", "programs", f"programs/{KEY}", f"programs/{KEY}/{LIBRARY}"])
def test_what_others_can_write_is_not_loaded(own: Cache, part: str) -> None:
    put(own)
    path = own.folder / part
    path.chmod(path.stat().st_mode | stat.S_IWOTH)
    with pytest.raises(
        CacheError,
        match=r"can be written by others, so no compiled program is "
        r"loaded from it",
    ):
        own.find(PROGRAM, BUILD)
    assert (own.programs / KEY / LIBRARY).exists(), "it is not for us to remove"


@pytest.mark.parametrize("part", [".", "programs", f"programs/{KEY}", f"programs/{KEY}/{LIBRARY}"])
def test_what_belongs_to_another_user_is_not_loaded(
    own: Cache, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(own)
    if os.geteuid() == 0:
        os.chown(own.folder / part, NOBODY, NOBODY)
    else:
        monkeypatch.setattr(caches, "_user", lambda: NOBODY)
    with pytest.raises(CacheError, match="belongs to another user"):
        own.find(PROGRAM, BUILD)


@pytest.mark.parametrize("part", ["programs", "building", "locks"])
def test_no_folder_of_the_cache_is_a_link(own: Cache, part: str, tmp_path: Path) -> None:
    put(own)
    other = tmp_path / "other"
    (own.folder / part).rename(other)
    (own.folder / part).symlink_to(other)
    (other / "old").mkdir(exist_ok=True)
    os.utime(other / "old", (0, 0))
    before = sorted(other.rglob("*"))
    for act in (own.prepare, own.check):
        with pytest.raises(CacheError, match=f"{part} is a link or a file, not a folder"):
            act()
    own.sweep()
    assert sorted(other.rglob("*")) == before
    (own.folder / part).unlink()
    piped(own.folder / part)
    with pytest.raises(CacheError, match=f"{part} is a link or a file, not a folder"):
        own.prepare()


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and links there")
@pytest.mark.parametrize("make", [piped, lambda path: path.symlink_to(path.parents[2] / "made"), Path.mkdir])
def test_what_is_in_the_place_of_a_lock_is_neither_opened_nor_followed(
    own: Cache, make: Callable[[Path], object], tmp_path: Path
) -> None:
    make(own.folder / "locks" / KEY[:2])
    with own.lock(KEY):
        pass
    assert not (tmp_path / "made").exists()


def test_what_belongs_to_root_serves_every_user(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path("/usr")
    assert root.stat().st_uid == 0
    monkeypatch.setattr(caches, "_user", lambda: NOBODY)
    caches._check_owner(root)


def test_a_folder_that_others_could_replace_is_not_trusted(tmp_path: Path) -> None:
    loose = tmp_path / "loose"
    loose.mkdir()
    own = Cache(loose / "cache")
    own.prepare()
    put(own)
    loose.chmod(0o777)
    with pytest.raises(CacheError, match="loose can be written by anybody"):
        own.find(PROGRAM, BUILD)
    loose.chmod(0o1777)  # as /tmp is
    assert own.find(PROGRAM, BUILD) is not None


def test_a_folder_that_a_group_could_replace_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import grp
    import pwd

    shared = tmp_path / "shared"
    shared.mkdir()
    own = Cache(shared / "cache")
    own.prepare()
    put(own)
    shared.chmod(0o775)
    me = pwd.getpwuid(os.geteuid()).pw_name

    def group(name: str, *members: str) -> None:
        found = grp.struct_group((name, "x", 50, list(members)))
        monkeypatch.setattr(grp, "getgrgid", lambda _: found)

    group(me)
    assert own.find(PROGRAM, BUILD) is not None, "a group of one's own is nobody else"
    for name, members in ((me, ("another",)), ("staff", ())):
        group(name, *members)
        with pytest.raises(CacheError, match=f"shared can be written by the group {name}"):
            own.find(PROGRAM, BUILD)


def serves_from_elsewhere() -> None:
    """A Stepper gets specialized kernels although the user's cache cannot be used."""
    with pytest.warns(UserWarning, match="compiled programs are kept for this process only"):
        sim = Stepper(pendulum(), "specialized")
    sim.step(10)
    assert sim.kernels == "specialized"
    forget()


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = empty(tmp_path / "full", monkeypatch)
    whole = shutil.disk_usage

    def usage(path: str | Path) -> object:
        found = whole(path)
        return found._replace(free=1000) if Path(path).is_relative_to(full) else found

    monkeypatch.setattr(shutil, "disk_usage", usage)
    serves_from_elsewhere()


def test_a_folder_that_cannot_be_written_when_it_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = empty(tmp_path / "cache", monkeypatch)
    prepared = Cache.prepare

    def prepare(self: Cache) -> None:
        prepared(self)
        if self.folder == folder:  # so that the worker cannot store what it compiles
            (folder / "locks").rmdir()
            (folder / "locks").write_text("in the way")

    monkeypatch.setattr(Cache, "prepare", prepare)
    serves_from_elsewhere()


@pytest.mark.skipif(sys.platform == "win32", reason="no such file systems")
def test_a_disk_where_nothing_may_be_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mmap

    folder = empty(tmp_path / "noexec", monkeypatch)
    mapped = mmap.mmap

    def refuse(descriptor: int, *args: Any, **options: Any) -> object:
        if descriptor >= 0 and os.fstat(descriptor).st_ino in inodes:
            raise PermissionError(1, "Operation not permitted")
        return mapped(descriptor, *args, **options)

    inodes: set[int] = set()
    opened = tempfile.TemporaryFile

    def note(*args: Any, dir: str | Path | None = None, **options: Any) -> Any:
        file = opened(*args, dir=dir, **options)
        if dir is not None and Path(dir).is_relative_to(folder):
            inodes.add(os.fstat(file.fileno()).st_ino)
        return file

    monkeypatch.setattr(tempfile, "TemporaryFile", note)
    monkeypatch.setattr(mmap, "mmap", refuse)
    serves_from_elsewhere()


@pytest.mark.parametrize("named", ["~nosuch/kernels", "~/kernels", ""])
def test_no_home(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pwd

    def nobody(_: object) -> None:
        raise KeyError("no such user")

    empty(tmp_path / "unused", monkeypatch)
    monkeypatch.setenv("POLYBODY_CACHE", named)
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    monkeypatch.setattr(pwd, "getpwnam", nobody)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CacheError, match="there is no home folder"):
        Cache()
    with pytest.warns(UserWarning, match="compiled programs are kept for this process only"):
        sim = Stepper(pendulum())  # "auto"
    assert sim.kernels in ("loop", "specialized")
    forget()
    assert list(tmp_path.iterdir()) == []


def test_a_cache_that_is_not_trusted_costs_no_simulation(kept: Path) -> None:
    kept.chmod(0o777)
    with pytest.warns(UserWarning, match="kept for this process only: .* can be written by others"):
        sim = Stepper(pendulum(), "specialized")
    sim.step(10)
    assert sim.kernels == "specialized"
    build = ask(pendulum(), STEP)
    assert build.entry is not None
    assert not build.entry.folder.is_relative_to(kept.parents[1])


# --- real programs -----------------------------------------------------------------------------------


def another_program(folder: Path) -> None:
    """A complete program with a valid digest under this key, but made for another model."""
    other = built(chain(2))
    assert other.entry is not None
    forged = other.entry.facts | {"key": folder.name}
    (folder / LIBRARY).write_bytes(other.entry.library.read_bytes())
    (folder / ABOUT).write_text(json.dumps(forged))


def noise(folder: Path) -> None:
    """Nonsense with a valid digest."""
    (folder / LIBRARY).write_bytes(b"\x7fELF" + bytes(2000))
    about = json.loads((folder / ABOUT).read_text()) | {"digest": caches.digest(folder / LIBRARY)}
    (folder / ABOUT).write_text(json.dumps(about))


def truncated(folder: Path) -> None:
    content = (folder / LIBRARY).read_bytes()
    (folder / LIBRARY).write_bytes(content[: len(content) // 2])


def truncated_with_its_digest(folder: Path) -> None:
    truncated(folder)
    about = json.loads((folder / ABOUT).read_text()) | {"digest": caches.digest(folder / LIBRARY)}
    (folder / ABOUT).write_text(json.dumps(about))


@pytest.mark.parametrize("spoil", [another_program, noise, truncated, truncated_with_its_digest])
def test_a_program_that_is_not_what_it_should_be_is_built_again(
    kept: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(kept)
    forget()
    sim = Stepper(pendulum())
    assert sim.kernels == "loop"
    assert not kept.exists()
    built(pendulum())
    sim.reset()
    assert sim.kernels == "specialized"
    loop = Stepper(pendulum(), "loop")
    loop.step(100)
    sim.step(100)
    assert sim.data.qpos == pytest.approx(loop.data.qpos, abs=1e-12)


def test_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("POLYBODY_CACHE", str(home / "deep" / "cache"))
    home.chmod(0o500)
    forget()
    if os.geteuid() == 0:  # permissions do not apply to root
        home.rmdir()
        home.write_text("a file in the way")
    with pytest.warns(UserWarning, match="compiled programs are kept for this process only"):
        sim = Stepper(pendulum(), "specialized")
    sim.step(10)
    assert sim.kernels == "specialized"
    forget()


def test_a_cache_on_a_file_system_that_cannot_be_written(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries in it are used; new ones are stored elsewhere."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(30, "Read-only file system")

    for name in ("utime", "mkdir", "rename"):
        monkeypatch.setattr(os, name, refuse)
    assert Stepper(pendulum()).kernels == "specialized"


SPECIALIZED = """
from polybody.simulation.stepper import Stepper
from tests.runtime.models import chain

for n in range(1, 3):
    sim = Stepper(chain(n), "specialized")
    sim.step(1)
    assert sim.kernels == "specialized"
"""


@pytest.mark.concurrent
def test_what_others_remove_at_once_still_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four processes share a cache of size zero, while another repeatedly clears it."""
    monkeypatch.setenv("POLYBODY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYBODY_CACHE_SIZE", "0")
    monkeypatch.delenv("POLYBODY_KERNELS")
    Cache().prepare()
    command, root = [sys.executable, "-c", SPECIALIZED], Path(__file__).parents[2]
    with ExitStack() as users_end:
        users = [users_end.enter_context(process(command, cwd=root)) for _ in range(4)]
        until(lambda: Cache().clear() is not None and all(user.poll() is not None for user in users))
        for user in users:
            said = user.communicate(timeout=PATIENCE)[1].decode()
            assert user.returncode == 0, said
            # An entry that is removed while it is written still serves its own process, which reports the
            # removal.
            assert all(
                "compiled programs are kept for this process only" in line for line in said.splitlines()
            ), said


def test_a_program_for_another_processor_is_not_taken(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = target.cpu()
    monkeypatch.setattr(target, "cpu", lambda: before + " avx9000")
    sim = Stepper(pendulum())
    assert sim.kernels == "loop"
    built(pendulum())
    assert len(list(kept.parent.iterdir())) == 2
