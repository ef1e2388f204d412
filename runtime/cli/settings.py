"""Settings of a project for all commands: polybody.toml, or [tool.polybody] in pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

FILES = ("polybody.toml", "pyproject.toml")
LONGEST = 1 << 20
"""Maximum size of such a file in bytes."""
PER_PATH = "per-path"
KINDS: dict[str, type] = {
    "policy": str,
    "ignore": list,
    "min-severity": str,
    "max-warnings": int,
    "baseline": str,
    "exclude": list,
    PER_PATH: dict,
    "packages": dict,
    "package-path": list,
    "roots": list,
    "confined": bool,
    "release": str,
}
LOCAL = ("policy", "ignore")
"""What a table of ``per-path`` may contain."""
CHOICES = {"policy": ("strict", "warn", "lenient"), "min-severity": ("info", "warning", "error")}
"""The valid values of settings that are keywords."""
WORDS: dict[type, str] = {
    bool: "true or false",
    str: "a string",
    int: "a number that is not negative",
    list: "a list of strings",
    dict: "a table of strings",
}
PATHS = ("package-path", "roots", "packages", "baseline")
FOLDERS = ("package-path", "roots")


class Settings(NamedTuple):
    """The settings of a project and the file that contains them. Folders are relative to that file."""

    path: Path | None = None
    values: dict[str, Any] = {}  # noqa: RUF012
    remarks: tuple[str, ...] = ()
    """What the user is told: settings that are ignored, and folders elsewhere to which they give access."""

    @property
    def folder(self) -> Path:
        """The folder of the file; the working directory if there is none."""
        return Path() if self.path is None else self.path.parent

    def get(self, name: str, default: Any) -> Any:
        return self.values.get(name, default)


def settings(folder: Path) -> Settings:
    """The settings of the project that contains a folder: of the nearest settings file in it or above it.

    The folder is the working directory. Folders of models are not trusted, since their settings could
    declare roots or suppress findings. For the same reason a file that belongs to another user is ignored.

    Raises:
        ValueError: the file is not TOML, or contains an unknown or invalid setting.
    """
    remarks: list[str] = []
    for around in (folder.resolve(), *folder.resolve().parents):
        for name in FILES:
            path = around / name
            data, ours = _content(path)
            if data is None:
                continue
            if name == FILES[0] and not ours:
                remarks.append(_ignored(path))
                continue
            try:
                table = _table(path, data)
            except ValueError:
                if name == FILES[0]:
                    raise
                continue  # other tools report a faulty pyproject.toml
            if table is None:
                continue
            if not ours:
                remarks.append(_ignored(path))
                continue
            values = _checked(path, table)
            return Settings(path, values, (*remarks, *_elsewhere(path, values)))
    return Settings(remarks=tuple(remarks))


def settings_in(path: Path) -> Settings:
    """The settings in a file that the user names, whoever owns it.

    Raises:
        ValueError: the file cannot be read, is not TOML, or contains no settings or an invalid one.
    """
    path = path.absolute()
    data, _ = _content(path)
    if data is None:
        raise ValueError(f"{path}: cannot be read; expected a file such as {FILES[0]}")
    table = _table(path, data)
    if table is None:
        raise ValueError(f"{path}: there is no table [tool.polybody]")
    values = _checked(path, table)
    return Settings(path, values, tuple(_elsewhere(path, values)))


def _table(path: Path, data: bytes) -> Any:
    """The table of settings in the content of a file; None if a pyproject.toml has none.

    Raises:
        ValueError: the content is not TOML.
    """
    import tomllib

    try:
        table: Any = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, too many digits or brackets
        raise ValueError(f"{path}: not valid TOML: {error}") from None
    if path.name != FILES[1]:
        return table
    tools = table.get("tool")
    return tools.get("polybody") if isinstance(tools, dict) else None


def _content(path: Path) -> tuple[bytes | None, bool]:
    """The content of a file, None if there is none; and whether it belongs to this user or to root."""
    from polybody.files import open_regular

    try:
        link = os.lstat(path)
        with open_regular(path) as file:
            owners = {link.st_uid, os.fstat(file.fileno()).st_uid}
            return file.read(LONGEST), not hasattr(os, "geteuid") or owners <= {0, os.geteuid()}
    except OSError:
        return None, False


def _elsewhere(path: Path, values: dict[str, Any]) -> list[str]:
    """One remark about the folders of packages and roots that are not in the folder of the settings."""
    from polybody.files import is_within, real

    folders = [*values.get("packages", {}).values(), *(f for name in FOLDERS for f in values.get(name, ()))]
    home = str(real(path.parent))
    try:
        outside = [folder for folder in folders if not is_within(str(real(folder)), home)]
    except ValueError:  # a path that is not valid, which is reported when it is used
        return []
    if not outside:
        return []
    return [f"{path} allows files of other folders to be opened: {', '.join(dict.fromkeys(outside))}"]


def _ignored(path: Path) -> str:
    return f"{path} is ignored, because it belongs to another user; copy it to use it"


def _checked(path: Path, table: Any) -> dict[str, Any]:
    """The settings of a table, with paths relative to the working directory.

    Raises:
        ValueError: a setting is unknown or invalid.
    """
    if not isinstance(table, dict):
        raise ValueError(f"{path}: [tool.polybody] must be a table")
    values: dict[str, Any] = {}
    given: dict[str, Any] = table
    for name, value in given.items():
        if name == PER_PATH:
            values[name] = _local(path, value)
            continue
        _check(path, name, value, KINDS)
        values[name] = value
        if name not in PATHS:
            continue
        if isinstance(value, str):
            values[name] = str(path.parent / value)
        elif isinstance(value, list):
            values[name] = [str(path.parent / item) for item in value]
        else:
            values[name] = {key: str(path.parent / item) for key, item in value.items()}
    return values


def _local(path: Path, tables: Any) -> dict[str, dict[str, Any]]:
    """The settings for some files, by pattern."""
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ValueError(f'{path}: {PER_PATH} must contain tables such as [{PER_PATH}."third_party/**"]')
    for pattern, table in tables.items():
        for name, value in table.items():
            _check(path, name, value, LOCAL, f"{PER_PATH}.{pattern!r}: ")
    return tables


def _check(path: Path, name: str, value: Any, known: Collection[str], where: str = "") -> None:
    """Raise ValueError if a setting is unknown or its value invalid."""
    from polybody.suggest import did_you_mean

    if name not in known:
        hint = did_you_mean(name, known) or f"one of {', '.join(known)}"
        raise ValueError(f"{path}: {where}unknown setting {name!r}; {hint}")
    kind = KINDS[name]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    valid = type(value) is kind and all(isinstance(item, str) for item in items)
    if not valid or (kind is int and value < 0):
        raise ValueError(f"{path}: {where}{name} must be {WORDS[kind]}")
    if value not in CHOICES.get(name, (value,)):
        raise ValueError(f"{path}: {where}{name} must be one of {', '.join(CHOICES[name])}, not {value!r}")
