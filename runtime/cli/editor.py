"""``polybody editor``: completion and checks of the formats in VS Code, and what other editors need."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from polybody.files import open_regular, replacing

app = typer.Typer()

SETTINGS = Path(".vscode") / "settings.json"
EXTENSION = "redhat.vscode-xml"
ASSOCIATIONS, CATALOGS = LISTS = "xml.fileAssociations", "xml.catalogs"
LOOKED_INTO = (".xml", ".world", ".xacro")
SPECIAL = re.compile(r"[\[\]{}*?\\]")
"""Characters with a special meaning in a pattern."""
LONGEST = 1 << 20
"""Maximum size of the settings in bytes."""
MANY = 100_000
"""Maximum number of files that are examined."""


@app.command()
def editor(
    folder: Annotated[
        Path, typer.Argument(help="The folder that is opened in the editor.", metavar="FOLDER")
    ] = Path(),
    show: Annotated[bool, typer.Option("--print", help="Write nothing; print the settings.")] = False,
) -> None:
    """Set up completion and checks of models in VS Code.

    The command associates the files of a folder with schemas, in .vscode/settings.json: files whose suffix
    is the name of a format by suffix, other files (.xml, .world) one by one by their content. Other settings
    are kept. For other editors, the command prints the paths of the XSD 1.0 files and of their catalog.
    """
    if not folder.is_dir():
        raise typer.BadParameter(f"{folder} is not a folder")
    path = folder / SETTINGS
    for place in (path.parent, path):
        if place.is_symlink() and not show:
            typer.echo(
                f"polybody: {place} is a symbolic link and is not changed; `polybody editor "
                "--print` shows the "
                "settings, which you can add to its target",
                err=True,
            )
            raise typer.Exit(1)
    added = list(_associations(folder))
    merged = merge({} if show else _settings(path), added, schemas_folder())
    text = json.dumps(merged, indent=4, ensure_ascii=False) + "\n"
    if show:
        typer.echo(text, nl=False)
        return
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())
    typer.echo(f"wrote {path}: {len(added)} associations of files with schemas")
    typer.echo(f"schemas and catalog: {schemas_folder()}")
    typer.echo(f"VS Code needs the extension {EXTENSION}: code --install-extension {EXTENSION}")


def _settings(path: Path) -> dict[str, Any]:
    """The present settings. VS Code allows comments in them, which a rewrite would lose."""
    try:
        found = json.loads(_text(path)) if os.path.lexists(path) else {}
    except (OSError, ValueError, RecursionError) as error:
        typer.echo(
            f"polybody: {path} is not plain JSON ({error}) and is not changed; `polybody editor "
            "--print` shows "
            "the settings, which you can add to it",
            err=True,
        )
        raise typer.Exit(1) from None
    if not isinstance(found, dict) or not all(isinstance(found.get(key, []), list) for key in LISTS):
        typer.echo(f"polybody: {path} does not contain settings of VS Code and is not changed", err=True)
        raise typer.Exit(1)
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


def merge(settings: dict[str, Any], added: list[tuple[str, str]], schemas: Path) -> dict[str, Any]:
    """The settings with our associations in place of our earlier ones; those of others are kept and precede
    ours.
    """
    ours = {f"{name}.xsd" for name in _names()}

    def foreign(row: object) -> bool:
        place = Path(str(row.get("systemId"))) if isinstance(row, dict) else Path()
        return not (place.name in ours and place.parent.name == schemas.name)

    kept = [row for row in settings.get(ASSOCIATIONS, []) if foreign(row)]
    rows = [{"pattern": pattern, "systemId": str(schemas / f"{name}.xsd")} for pattern, name in added]
    catalog = str(schemas / "catalog.xml")
    others = [path for path in settings.get(CATALOGS, []) if path != catalog]
    return {**settings, ASSOCIATIONS: [*kept, *rows], CATALOGS: [*others, catalog]}


def _names() -> list[str]:
    from polybody.generated.formats import ROOTS

    return list(ROOTS)


def _associations(folder: Path) -> Iterator[tuple[str, str]]:
    """Pairs of pattern and format: by suffix, then files of other suffixes by content."""
    names = _names()
    for name in names:
        yield f"**/*.{name}", name
    for path in _candidates(folder):
        found = _format_of(path)
        if found is not None:
            yield SPECIAL.sub(r"\\\g<0>", path.relative_to(folder).as_posix()), found


def _candidates(folder: Path) -> Iterator[Path]:
    seen = 0
    for base, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            seen += 1
            if seen > MANY:
                typer.echo(
                    f"polybody: more than {MANY:,} files; those after {base} were not examined", err=True
                )
                return
            if Path(name).suffix.lower() in LOOKED_INTO:
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
    if tag is None or not any(tag.lower() == root.lower() for roots in ROOTS.values() for root in roots):
        return None
    form = detect(tag, first_tags(source))
    return None if form is None or form.name not in ROOTS else form.name
