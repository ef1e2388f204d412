"""Settings of a project for all commands: polybody.toml, or [tool.polybody] in pyproject.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

FILES = ("polybody.toml", "pyproject.toml")
LONGEST = 1 << 20
"""Bytes of such a file."""
KINDS: dict[str, type] = {
    "policy": str,
    "ignore": list,
    "min-severity": str,
    "packages": dict,
    "package-path": list,
    "roots": list,
}
CHOICES = {"policy": ("strict", "warn", "lenient"), "min-severity": ("info", "warning", "error")}
"""Values of settings that take one of a few."""
WORDS = {"str": "a string", "list": "a list of strings", "dict": "a table of strings"}
FOLDERS = ("package-path", "roots")


class Settings(NamedTuple):
    """What was found, and where; folders are relative to the file."""

    path: Path | None = None
    values: dict[str, Any] = {}  # noqa: RUF012

    def get(self, name: str, default: Any) -> Any:
        return self.values.get(name, default)


def settings(folder: Path) -> Settings:
    """The settings of the project that a folder is in: of the nearest file upwards that has any.

    The folder is the working directory. Folders of models are not trusted: their settings could
    declare roots, or suppress findings.

    Raises:
        ValueError: the file is no TOML, or holds what is no setting.
    """
    import tomllib

    from polybody.files import head, is_file

    for around in (folder.resolve(), *folder.resolve().parents):
        for name in FILES:
            path = around / name
            data = head(path, LONGEST) if is_file(path) else None
            if data is None:
                continue
            try:
                table: Any = tomllib.loads(data.decode())
            except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, too many digits or brackets
                if name == FILES[0]:
                    raise ValueError(f"{path}: {error}") from None
                continue  # others say so
            if name != FILES[0]:
                tools = table.get("tool")
                table = tools.get("polybody") if isinstance(tools, dict) else None
                if table is None:
                    continue
            return Settings(path, _checked(path, table))
    return Settings()


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
        items = value.values() if isinstance(value, dict) else value
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
