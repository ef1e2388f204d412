"""``polybody editor``: completion and checks of the formats in VS Code, and what other editors need."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import click
from polybody.cli.streams import say, tell
from polybody.files import open_regular, replacing

SETTINGS = Path(".vscode") / "settings.json"
EXTENSION = "redhat.vscode-xml"
ASSOCIATIONS, CATALOGS = LISTS = "xml.fileAssociations", "xml.catalogs"
LOOKED_INTO = (".xml", ".world")
COPIES = Path(".vscode") / "polybody"
"""Where the schemas are copied, so that the settings contain no path of this machine."""
OURS = (COPIES.name, "editor")
"""The folders of our schemas: of the copies, and in an installation."""
XACRO = re.compile(rb"xmlns:xacro\b|<xacro:")
"""What distinguishes a template of xacro from a document; a schema would mark it as wrong."""
LOOKED_AT = 1 << 16
"""The number of bytes at the beginning of a file in which it is searched for."""
SPECIAL = re.compile(r"[\[\]{}*?\\]")
"""Characters with a special meaning in a pattern."""
LONGEST = 1 << 20
"""Maximum size of the settings in bytes."""
MANY = 100_000
"""Maximum number of files that are examined."""


@click.command()
@click.argument(
    "folder",
    type=click.Path(path_type=Path),
    default=".",
    help="The folder that is opened in the editor.  [default: .]",
    metavar="[FOLDER]",
)
@click.option("--print", "show", is_flag=True, help="Write nothing; print the settings.")
def editor(folder: Path, show: bool) -> None:
    """Set up completion and checks of models in VS Code.

    The command copies the XSD 1.0 files to .vscode/polybody, and associates the files of a folder with them
    in .vscode/settings.json: files whose suffix is the name of a format by suffix, other files (.xml, .world)
    one by one by their content; not templates of xacro, beside which files of their suffix are associated one
    by one. Other settings are kept. All paths are relative, so
    both can be committed. For other editors, the command prints the path of the schemas and their catalog.
    """
    if not folder.is_dir():
        raise click.BadParameter(f"{folder} is not a folder")
    path = folder / SETTINGS
    for place in (path.parent, path, folder / COPIES):
        if place.is_symlink() and not show:
            tell(
                f"{place} is a symbolic link and is not changed; `polybody editor --print` "
                "shows the settings, which you can add to its target"
            )
            raise click.exceptions.Exit(1)
    added = list(_associations(folder))
    if not show:
        _copy_schemas(folder / COPIES)
    merged = merge({} if show else _settings(path), added)
    text = json.dumps(merged, indent=4, ensure_ascii=False) + "\n"
    if show:
        click.echo(text, nl=False)
        return
    with replacing(path) as file:
        file.write(text.encode())
    say(f"wrote {path}: {len(added)} associations of files with the schemas in {folder / COPIES}")
    click.echo(f"schemas and catalog of this installation: {schemas_folder()}")
    click.echo(f"VS Code needs the extension {EXTENSION}: code --install-extension {EXTENSION}")


def _copy_schemas(folder: Path) -> None:
    for each in (folder.parent, folder):
        each.mkdir(exist_ok=True)
    for schema in sorted(schemas_folder().iterdir()):
        if schema.suffix in (".xsd", ".xml"):
            with replacing(folder / schema.name) as file:
                file.write(schema.read_bytes())


def _settings(path: Path) -> dict[str, Any]:
    """The present settings. VS Code allows comments in them, which a rewrite would lose."""
    try:
        found = json.loads(_text(path)) if os.path.lexists(path) else {}
    except (OSError, ValueError, RecursionError) as error:
        tell(
            f"{path} is not plain JSON ({error}) and is not changed; `polybody editor --print` "
            f"shows the settings, which you can add to it; the schemas are in {path.parent / COPIES.name}"
        )
        raise click.exceptions.Exit(1) from None
    if not isinstance(found, dict) or not all(isinstance(found.get(key, []), list) for key in LISTS):
        tell(f"{path} does not contain settings of VS Code and is not changed")
        raise click.exceptions.Exit(1)
    return found


def _text(path: Path) -> str:
    """The content of a file."""
    with open_regular(path) as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} bytes")
    return data.decode("utf-8")


def schemas_folder() -> Path:
    """The folder of this installation's XSD 1.0 files."""
    from polybody import generated

    return Path(generated.__file__ or "").parent / "editor"


def merge(settings: dict[str, Any], added: list[tuple[str, str]]) -> dict[str, Any]:
    """The settings with our associations in place of our earlier ones; those of others are kept and precede
    ours.
    """
    ours = {f"{name}.xsd" for name in _names()} | {"catalog.xml"}

    def foreign(path: object) -> bool:
        place = PurePosixPath(path.replace("\\", "/")) if isinstance(path, str) else PurePosixPath()
        return place.name not in ours or place.parent.name not in OURS

    rows = settings.get(ASSOCIATIONS, [])
    kept = [row for row in rows if not isinstance(row, dict) or foreign(row.get("systemId"))]
    copies = COPIES.as_posix()
    associated = [{"pattern": pattern, "systemId": f"{copies}/{name}.xsd"} for pattern, name in added]
    catalogs = [path for path in settings.get(CATALOGS, []) if foreign(path)]
    return {**settings, ASSOCIATIONS: [*kept, *associated], CATALOGS: [*catalogs, f"{copies}/catalog.xml"]}


def _names() -> list[str]:
    from polybody.generated.formats import ROOTS

    return list(ROOTS)


def _associations(folder: Path) -> Iterator[tuple[str, str]]:
    """Pairs of pattern and format: by suffix, then files of other suffixes by content. Files with a suffix
    that some template has, too, are associated one by one, because a pattern cannot leave out files.
    """
    names = _names()
    files = list(_candidates(folder, (*LOOKED_INTO, *(f".{name}" for name in names))))
    templates = {path for path in files if path.suffix not in LOOKED_INTO and _is_template(path)}
    mixed = {path.suffix for path in templates}
    for name in names:
        if f".{name}" not in mixed:
            yield f"**/*.{name}", name
    for path in files:
        found = None if path in templates else path.suffix[1:]
        if path.suffix.lower() in LOOKED_INTO:
            found = _format_of(path)
        elif path.suffix not in mixed:
            continue
        if found is not None:
            yield SPECIAL.sub(r"\\\g<0>", path.relative_to(folder).as_posix()), found


def _is_template(path: Path) -> bool:
    """Whether a file is a template of xacro; one that cannot be read is none."""
    try:
        with open_regular(path) as file:
            return XACRO.search(file.read(LOOKED_AT)) is not None
    except OSError:
        return False


def _candidates(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    from polybody.document.packages import Reach

    seen, reach = 0, Reach(folder)
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            seen += 1
            if seen > MANY:
                tell(f"more than {MANY:,} files; those after {base} were not examined")
                return
            suffix = Path(name).suffix
            if (suffix in suffixes or suffix.lower() in LOOKED_INTO) and Path(base) / name in reach:
                yield Path(base) / name


def _format_of(path: Path) -> str | None:
    """The format of a file by its first tags; None if it is unknown or the file cannot be read."""
    from polybody.document.registry import detect
    from polybody.document.sources import Limits, SourceError, first_tags, load, make_source, root_tag
    from polybody.generated.formats import ROOTS

    try:
        source = make_source(str(path), load(str(path), Limits()), Limits())
    except SourceError:
        return None
    tag = root_tag(source)
    if XACRO.search(source.data, 0, LOOKED_AT):
        return None
    if tag is None or not any(tag.lower() == root.lower() for roots in ROOTS.values() for root in roots):
        return None
    form = detect(tag, first_tags(source))
    return None if form is None or form.name not in ROOTS else form.name
