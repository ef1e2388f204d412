"""The whole generation as pure functions from schemas to texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from .context.contract import contract_files
from .context.documents import documents
from .context.editor import catalog, editor_schemas
from .context.formulas import formula_files
from .context.kernels import kernels
from .context.model import model
from .context.reference import format_page, model_page
from .context.tables import tables
from .python_source import layout, mapping, quoted
from .render import comment, header, literal, render
from .schema import SCHEMAS, Physics, Read, Schema, contract, load, physics, read_file
from .schema.annotations import PB
from .schema.source import parse

COMMAND = "python -m codegen"
PACKAGES = {
    "": "What codegen wrote from schemas/: never edited, always checked in.",
    "kernels": "The dynamics, compiled: C loops over values, in Cython modules.",
    "kernels/contract": "What C shares with Cython and Python.",
}


def generate(schemas: Path = SCHEMAS) -> dict[str, str]:
    """Every generated file: {path below generated/: text}.

    Raises:
        SchemaError: a schema has an error.
    """
    files = packages(PACKAGES)
    vocabulary = physics(schemas / "physics.xml")
    formats = {path: load(path, vocabulary) for path in format_schemas(schemas)}
    for schema in formats.values():
        sources = [*sources_of(schema, "schemas/"), "schemas/physics.xml"]
        files |= format_package(schema, f"formats/{schema.format}/", sources, COMMAND)
    files |= format_list(formats)
    files |= editor_files(list(formats.values()))
    files |= canonical_model(schemas, vocabulary)
    return with_manifest(files, COMMAND)


def generate_package(
    path: Path, root: str = "", read: Read = read_file, leaves: str = ""
) -> tuple[dict[str, str], tuple[str, ...]]:
    """A package for one schema: {path in the package: text}, and the constraints that its reader does not
    enforce. ``read`` reads the files of the schema.

    Raises:
        SchemaError: the schema has an error.
    """
    schema = load(path, root=root, read=read, leaves=leaves)
    command = package_command(path.name, "DIR", root, leaves)
    return with_manifest(format_package(schema, "", sources_of(schema), command), command), schema.unread


def package_command(schema: Path | str, out: Path | str, root: str = "", leaves: str = "") -> str:
    """The command that makes the package of a schema."""
    options = {"--schema": schema, "--root": root, "--leaves": leaves, "--out": out}
    return " ".join(["polybody generate", *(f"{name} {value}" for name, value in options.items() if value)])


def format_list(formats: Mapping[Path, Schema]) -> dict[str, str]:
    """The top module of the formats' package: the formats, and how each is recognised. Of two formats with
    the same root, a document that fits both is one of a simulated format.
    """
    listed = sorted(formats.values(), key=_is_not_simulated)
    rows = {literal(s.format): quoted(s.element(key).tag for key in s.roots) for s in listed}
    tags = {literal(schema.format): quoted(_tags(schema)) for schema in formats.values()}
    names = [schema.format for schema in formats.values()]
    folding = quoted(schema.format for schema in formats.values() if schema.fold_case)
    text = render(
        "formats.py.jinja",
        names=names,
        roots=layout(mapping(rows), "ROOTS: Mapping[str, tuple[str, ...]] = "),
        folding=layout(folding, "FOLDS_CASE: tuple[str, ...] = "),
        tags=layout(mapping(tags), "TAGS: Mapping[str, tuple[str, ...]] = "),
    )
    return {"formats/__init__.py": header([f"schemas/{path.name}" for path in formats], COMMAND) + text}


def _tags(schema: Schema) -> list[str]:
    """The tags of all elements below the root, as they are compared."""
    tags = {child.tag for row in schema.elements for child in row.children}
    return sorted({tag.lower() for tag in tags} if schema.fold_case else tags)


def _is_not_simulated(schema: Schema) -> bool:
    return schema.status is None or schema.status.level != "simulated"


def canonical_model(schemas: Path, vocabulary: Physics) -> dict[str, str]:
    """The data about the canonical model for the runtime, and its kernels."""
    schema = load(schemas / "model.xsd", vocabulary)
    sources = [*sources_of(schema, "schemas/"), "schemas/physics.xml"]
    shared = contract(schemas / "contract.xml")
    described = [*sources, "schemas/contract.xml"]
    codes = model(schema, vocabulary, shared)
    texts = {path: header(described, COMMAND) + text for path, text in codes.items()}
    texts |= contract_files(schema, vocabulary, shared, described)
    page = {"model.md": header(sources[:-1], COMMAND, "<!--") + model_page(schema)}
    return texts | page | formula_files() | kernels(schema, vocabulary, sources)


def editor_files(schemas: list[Schema]) -> dict[str, str]:
    """XSD 1.0 of each format for editors, and their catalog."""
    texts: dict[str, str] = {}
    for schema in schemas:
        sources = sources_of(schema, "schemas/")
        head = '<?xml version="1.0" encoding="utf-8"?>\n' + header(sources, COMMAND, "<!--")
        texts |= {name: head + text for name, text in editor_schemas(schema).items()}
    head = '<?xml version="1.0" encoding="utf-8"?>\n' + header(["schemas/"], COMMAND, "<!--")
    texts["catalog.xml"] = head + catalog(schemas)
    return {f"editor/{name}": text for name, text in texts.items()}


def sources_of(schema: Schema, folder: str = "") -> list[str]:
    """The names of a schema's files for headers: one entry for all parts in the folder with the schema's
    name.
    """
    whole, *others = schema.files
    apart = [name for name in others if not name.startswith(f"{PurePosixPath(whole).stem}/")]
    parts = " (with its parts)" if len(apart) < len(others) else ""
    return [f"{folder}{whole}{parts}", *(f"{folder}{name}" for name in apart)]


def format_schemas(schemas: Path) -> list[Path]:
    """The schemas that describe a format: those with pb:format on their root."""
    return [path for path in sorted(schemas.glob("*.xsd")) if is_format(path)]


def format_package(schema: Schema, folder: str, sources: list[str], command: str) -> dict[str, str]:
    """A format's package below a folder: documents, tables, and a page that describes them."""
    head = header(sources, command)
    files = {path: head + text for path, text in {**documents(schema), **tables(schema)}.items()}
    files["reference.md"] = header(sources, command, "<!--") + format_page(schema)
    return {folder + path: text for path, text in files.items()}


def is_format(path: Path) -> bool:
    """Whether a schema names a format with pb:format."""
    return PB + "format" in parse(path).getroot().attrib


def packages(docs: dict[str, str]) -> dict[str, str]:
    """An ``__init__.py`` for each package that needs only a docstring."""
    head = header(["codegen/generate.py"], COMMAND)
    return {f"{path}/__init__.py".lstrip("/"): f'{head}"""{doc}"""\n' for path, doc in docs.items()}


def with_manifest(files: dict[str, str], command: str) -> dict[str, str]:
    """The files in order of path, and MANIFEST, which lists them."""
    return dict(sorted({**files, "MANIFEST": manifest(files, command)}.items()))


def manifest(paths: Iterable[str], command: str) -> str:
    """The files that a regeneration owns: one path per line."""
    head = comment(f"Every file that `{command}` owns here; it leaves others alone.")
    return "\n".join([head, *sorted(paths)]) + "\n"
