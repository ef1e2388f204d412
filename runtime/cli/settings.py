"""Settings of a project for all commands: polybody.toml, or [tool.polybody] in pyproject.toml."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

FILES = ("polybody.toml", "pyproject.toml")
LONGEST = 1 << 20
"""Maximum size of such a file in bytes."""
KINDS: dict[str, type] = {
    "policy": str,
    "ignore": list,
    "min-severity": str,
    "packages": dict,
    "package-path": list,
    "roots": list,
    "confined": bool,
}
CHOICES = {"policy": ("strict", "warn", "lenient"), "min-severity": ("info", "warning", "error")}
"""The valid values of settings that are keywords."""
WORDS = {
    "bool": "true or false",
    "str": "a string",
    "list": "a list of strings",
    "dict": "a table of strings",
}
FOLDERS = ("package-path", "roots")


class Settings(NamedTuple):
    """The settings of a project and the file that contains them. Folders are relative to that file."""

    path: Path | None = None
    values: dict[str, Any] = {}  # noqa: RUF012
    remarks: tuple[str, ...] = ()
    """What the user is told: settings that are ignored, and folders elsewhere to which they give access."""

    def get(self, name: str, default: Any) -> Any:
        return self.values.get(name, default)


def settings(folder: Path) -> Settings:
    """The settings of the project that contains a folder: of the nearest settings file in it or above it.

    The folder is the working directory. Folders of models are not trusted, since their settings could
    declare roots or suppress findings. For the same reason a file that belongs to another user is ignored.

    Raises:
        ValueError: the file is not TOML, or contains an unknown or invalid setting.
    """
    import tomllib

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
                table: Any = tomllib.loads(data.decode())
            except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, too many digits or brackets
                if name == FILES[0]:
                    raise ValueError(f"{path}: not valid TOML: {error}") from None
                continue  # other tools report a faulty pyproject.toml
            if name != FILES[0]:
                tools = table.get("tool")
                table = tools.get("polybody") if isinstance(tools, dict) else None
                if table is None:
                    continue
            if not ours:
                remarks.append(_ignored(path))
                continue
            values = _checked(path, table)
            return Settings(path, values, (*remarks, *_elsewhere(path, values)))
    return Settings(remarks=tuple(remarks))


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
    from polybody.suggest import did_you_mean

    if not isinstance(table, dict):
        raise ValueError(f"{path}: [tool.polybody] must be a table")
    values: dict[str, Any] = {}
    given: dict[str, Any] = table
    for name, value in given.items():
        kind = KINDS.get(name)
        if kind is None:
            hint = did_you_mean(name, KINDS) or f"one of {', '.join(KINDS)}"
            raise ValueError(f"{path}: unknown setting {name!r}; {hint}")
        items = value.values() if isinstance(value, dict) else () if kind is bool else value
        if not isinstance(value, kind) or not all(isinstance(item, str) for item in items):
            raise ValueError(f"{path}: {name} must be {WORDS[kind.__name__]}")
        if value not in CHOICES.get(name, (value,)):
            raise ValueError(f"{path}: {name} must be one of {', '.join(CHOICES[name])}, not {value!r}")
        values[name] = value
        if name in FOLDERS:
            values[name] = [str(path.parent / item) for item in items]
        elif isinstance(value, dict):
            values[name] = {key: str(path.parent / item) for key, item in value.items()}
    return values
