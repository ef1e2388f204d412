"""``polybody schema`` and ``polybody generate``: the elements of a format, and code from schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from polybody.cli.streams import say, tell

if TYPE_CHECKING:
    from polybody.base import Attribute, Element, Format, Rule, Text, Value
    from polybody.files import RealPath


@click.command()
@click.argument(
    "format",
    metavar="FORMAT | diff",
    help="mjcf, urdf, srdf, sdf, skel, openrave, x_xy or directives; or diff and two XSD files.",
)
@click.argument(
    "files",
    nargs=-1,
    type=click.Path(path_type=Path),
    metavar="[OLD NEW]",
    help="With diff: the XSD files that are compared.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a page.")
@click.option("--exit-code", is_flag=True, help="With diff: exit code 1 if a change is breaking.")
def schema(format: str, files: tuple[Path, ...], as_json: bool, exit_code: bool) -> None:
    """Show the elements of a format, or the changes between schemas."""
    if format == "diff" and len(files) == 2:
        breaking = _diff(files[0], files[1], as_json)
        raise click.exceptions.Exit(1 if exit_code and breaking else 0)
    from polybody.document.notations import notation_named
    from polybody.document.registry import format_named

    if format == "diff":
        raise click.BadParameter("diff needs two XSD files: polybody schema diff OLD NEW")
    if files:
        raise click.BadParameter("expected the name of one format, or diff OLD NEW")
    notation = notation_named(format)
    if notation is not None:
        _show(notation.describe() if as_json else notation.page())
        return
    try:
        form = format_named(format)
    except ValueError:
        raise click.BadParameter(_unknown(format)) from None
    _show(describe(form) if as_json else _page(form))


def _unknown(name: str) -> str:
    """The message about a format that does not exist."""
    from polybody.document.notations import NOTATIONS
    from polybody.document.registry import names
    from polybody.suggest import did_you_mean

    known = sorted([*names(), *(notation.name for notation in NOTATIONS)])
    hint = did_you_mean(name, known) or f"expected one of {', '.join(known)}"
    return f"unknown format {name!r}; {hint}"


def _diff(old: Path, new: Path, as_json: bool) -> int:
    """Print the changes from one schema to another; return the number of breaking ones."""
    from dataclasses import asdict

    from polybody.codegen.schema import SchemaError, load
    from polybody.codegen.schema.diff import changes

    try:
        found = changes(load(old, read=_reader(old)), load(new, read=_reader(new)))
    except SchemaError as error:
        tell(error)
        raise click.exceptions.Exit(2) from None
    breaking = sum(change.breaking for change in found)
    if as_json:
        click.echo(json.dumps([asdict(change) for change in found], indent=1))
        return breaking
    for change in found:
        say(f"{'BREAKS ' if change.breaking else '       '}{change.kind:<13}{change.path}: {change.message}")
    count = "1 change" if len(found) == 1 else f"{len(found)} changes"
    click.echo(f"{count}, {breaking} of them breaking" if found else "no changes")
    return breaking


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; print what would change, with exit code 1.")
@click.option("--schema", type=click.Path(path_type=Path), help="The XSD to generate from.", metavar="XSD")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of the generated package.", metavar="DIR"
)
@click.option(
    "--root", default="", show_default=False, help="The root element, if the XSD has several.", metavar="TAG"
)
@click.option(
    "--leaves",
    type=click.Choice(["elements", "fields"]),
    help="What elements with only text become: objects, or fields of their parents.",
)
def generate(check: bool, schema: Path | None, out: Path | None, root: str, leaves: str | None) -> None:
    """Generate a package of document classes and a reader from an XSD. Without --schema and --out, in a
    checkout of polybody, its own generated code is regenerated.
    """
    if (schema is None) != (out is None):
        raise click.BadParameter("--schema and --out must be given together")
    if out is not None:
        _require_package_name(out)
    from polybody.codegen.command import checkout, run

    if schema is None:
        ours = checkout()
        if ours is None or not Path.cwd().is_relative_to(ours):
            tell(_purpose(ours))
            raise click.exceptions.Exit(2)
        raise click.exceptions.Exit(run(check=check))
    raise click.exceptions.Exit(run(schema, out, check, root, _reader(schema), leaves or ""))


def _reader(schema: Path) -> Callable[[Path], bytes]:
    """Reads the files of an untrusted schema: those in its folder and in the package that contains it."""
    from polybody.codegen.schema import LONGEST, Place, SchemaError
    from polybody.document.packages import own_folders
    from polybody.files import NotAFileError, contents, is_within, real

    folders = own_folders(schema.parent)

    def read(path: Path) -> bytes:
        try:
            return contents(path if path == schema else allowed(path), LONGEST)
        except NotAFileError:
            raise SchemaError(Place(path), "is not a file; expected an XSD file") from None

    def allowed(path: Path) -> RealPath:
        place = real(path)
        if not any(is_within(str(place), str(real(folder))) for folder in folders):
            message = f"is not opened, because it is outside {folders[-1]}, the folder of the schema"
            raise SchemaError(Place(path), message)
        return place

    return read


def _require_package_name(out: Path) -> None:
    """End the program unless a package in this folder could be imported."""
    import keyword
    import sys

    name = out.resolve().name
    if not name.isidentifier() or keyword.iskeyword(name):
        raise click.BadParameter(f"--out {out}: `{name}` is not a valid name of a Python package")
    if name in sys.stdlib_module_names:
        raise click.BadParameter(f"--out {out}: `{name}` is a module of Python's standard library")


def _purpose(ours: Path | None) -> str:
    """How to use ``generate``, if it was called outside of the checkout that it would write to."""
    where = "" if ours is None else f", {ours}"
    return (
        f"without --schema, generate rewrites polybody's own generated/, in a checkout of polybody{where}; "
        "to make a package from a schema of your own: polybody generate --schema XSD --out DIR"
    )


def describe(form: Format) -> dict[str, Any]:
    """A format as plain data: elements in the schema's order, attributes with their aliases."""
    described: dict[str, Any] = {
        "format": form.name,
        "version": form.version,
        "elements": [
            described
            for path, element in _places(form)
            for described in (_element(form, path, element), *_leaves(form, path, element))
        ],
    }
    if form.notes:
        described["notes"] = [{"on": list(note.on), "text": note.text} for note in form.notes]
    return described


def _places(form: Format) -> Iterator[tuple[str, Element]]:
    """The elements with their paths: each once or, if the format requires it, at every place where it can
    occur.

    An element that can occur inside itself is listed once on any path. Wildcards are not listed.
    """
    if not form.every_path:
        yield from _first_places(form)
        return
    todo: list[tuple[str, ...]] = [(form.root,)]
    met: set[str] = set()
    while todo:
        keys = todo.pop()
        element = form.elements[keys[-1]]
        yield "/".join(form.elements[key].tag for key in keys), element
        if element.key in met and _reaches(form, element):
            continue  # a recursive element is listed in full at its first place
        met.add(element.key)
        below = [child.element for child in element.children if child.element not in ("*", *keys)]
        todo.extend((*keys, key) for key in reversed(below))


def _first_places(form: Format) -> Iterator[tuple[str, Element]]:
    """Elements defined inside a recursive element once, all others at every place where they can occur.

    An element that includes a file can occur anywhere; its path is its tag.
    """
    homes = _homes(form)
    recursive = {f"{homes[key]}/" for key in homes if _reaches(form, form.elements[key])}
    inside = {key for key, home in homes.items() if any(f"{home}/".startswith(top) for top in recursive)}
    found: set[str] = set()
    stack = [(homes[form.root], form.root)]
    while stack:
        path, key = stack.pop()
        if path in found or (key in inside and path != homes[key]):
            continue
        found.add(path)
        if key != "*":
            yield path, form.elements[key]
        for child in reversed(form.elements[key].children):
            below = form.elements[child.element]
            stack.append((child.tag if below.include == "splice" else f"{path}/{child.tag}", child.element))


def _homes(form: Format) -> dict[str, str]:
    """The first path of each element, depth first, by its key.

    The path of a child leads through the outermost of nested elements of the same kind.
    """
    homes: dict[str, str] = {}
    done: set[str] = set()

    def visit(key: str, path: str) -> None:
        path = homes.setdefault(key, path)
        if key in done:
            return
        done.add(key)
        children = form.elements[key].children
        if any(child.element == key for child in children):
            for child in children:
                homes.setdefault(child.element, f"{path}/{child.tag}")
        for child in children:
            visit(child.element, f"{path}/{child.tag}")

    for root in (form.root, *form.roots):
        visit(root, form.elements[root].tag)
    return homes


def _element(form: Format, path: str, element: Element) -> dict[str, Any]:
    attributes = [
        _attribute(form, _rules(form, element), attribute, name)
        for attribute in element.attributes
        if not attribute.leaf
        for name in (attribute.name, *attribute.aliases)
    ]
    text = None
    if element.text is not None:
        text = _text(element.text, element.text.required)
    return {
        "path": path,
        "tag": element.tag,
        "attributes": attributes,
        "text": text,
        "children": [
            *(attribute.name for attribute in element.attributes if attribute.leaf),
            *(child.tag for child in element.children if child.tag != "*"),
        ],
        "recursive": _reaches(form, element),
        "status": _status(form, element),
    }


def _leaves(form: Format, path: str, element: Element) -> Iterator[dict[str, Any]]:
    """The children that contain only text, which are fields of the element."""
    for leaf in element.attributes:
        if leaf.leaf:
            from polybody.document.parser.value_faults import examine

            text = _text(leaf, examine(leaf.forms, "") is not None)
            _resize(text, [rule for rule in element.rules if getattr(rule, "name", None) == leaf.name])
            described = {
                "path": f"{path}/{leaf.name}",
                "tag": leaf.name,
                "attributes": [],
                "text": text,
                "children": [],
                "recursive": False,
                "status": _status(form, leaf),
            }
            if leaf.reason:
                described["reason"] = leaf.reason
            yield described


def _text(row: Attribute | Text, required: bool) -> dict[str, Any]:
    """An element's text; ``required``: it must not be empty."""
    described = {**_value(row.forms), "default": _shown(row.default), "required": required}
    if row.shape:
        described["size"] = row.shape
    return described


def _status(form: Format, row: Element | Attribute) -> str:
    from polybody.base import Status

    return (form.status if row.status is Status.SIMULATED else row.status).value


def _rules(form: Format, element: Element) -> list[Rule]:
    """The rules of an element; a defaults element has the sizes and defaults of the elements that it applies
    to.
    """
    from polybody.base import Default, Length

    filled = [form.elements[row.target] for row in form.defaults if row.source == element.key]
    inherited = [rule for target in filled for rule in target.rules if isinstance(rule, Length | Default)]
    return [*element.rules, *inherited]


def _resize(described: dict[str, Any], rules: Iterable[Rule]) -> None:
    """Name the quantity that determines the size of a list, if a rule does."""
    from polybody.base import Length

    for rule in rules:
        if isinstance(rule, Length) and described["size"] == UNLIMITED:
            described["size"] = rule.quantity


def _attribute(form: Format, rules: list[Rule], attribute: Attribute, name: str) -> dict[str, Any]:
    from polybody.base import Default, Required

    rules = [rule for rule in rules if getattr(rule, "name", None) == attribute.name]
    described = {"name": name, **_value(attribute.forms), "default": _shown(attribute.default)}
    for rule in rules:
        if isinstance(rule, Default) and rule.notation:
            described["default"] = rule.notation
    _resize(described, rules)
    if attribute.shape:
        described["size"] = attribute.shape
    if attribute.notation:
        described["default"] = attribute.notation
    described["required"] = attribute.required or any(
        isinstance(rule, Required) and rule.when is None for rule in rules
    )
    described["status"] = _status(form, attribute)
    if attribute.reason:
        described["reason"] = attribute.reason
    if name != attribute.name:
        described["alias_of"] = attribute.name
    return described


UNLIMITED = "0.."
"""The size of a list without an upper limit, unless a quantity of the format gives it."""


def _value(forms: tuple[Value, ...]) -> dict[str, Any]:
    """Type, size and keywords of a value: those of its most general form, which is the last, and the
    alternatives.
    """
    *others, widest = forms
    described: dict[str, Any] = {
        "type": widest.kind.name.lower(),
        "size": _size(widest),
        "enum": widest.enum and [str(word.value) for word in widest.enum if word not in widest.others],
    }
    if others and all(form.kind is widest.kind for form in others):
        described["size"] = " or ".join(str(_size(form)) for form in forms)
    elif others:
        described["alternatives"] = [
            f"{form.kind.name.lower()} {_size(form) or ''}".strip() for form in others
        ]
    return described


def _size(form: Value) -> int | str | None:
    """Number of words of a value; None for a single word."""
    from polybody.base import UNBOUNDED, Kind

    if form.scalar:
        return 1 if form.kind in (Kind.REAL, Kind.INT) else None
    if form.high == UNBOUNDED:
        return f"{form.low}.."
    return form.low if form.low == form.high else f"{form.low}..{form.high}"


def _shown(value: Any) -> str | None:
    """A default as a document would write it."""
    from enum import Enum

    if value is None:
        return None
    if isinstance(value, tuple):
        return " ".join(_shown(item) or "" for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float):
        return {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(repr(value), repr(value).removesuffix(".0"))
    return str(value)


def _reaches(form: Format, element: Element) -> bool:
    """Whether an element can occur inside itself, directly or through others."""
    seen: set[str] = set()
    queue = [child.element for child in element.children]
    while queue:
        key = queue.pop()
        if key not in seen:
            seen.add(key)
            queue.extend(child.element for child in form.elements[key].children)
    return element.key in seen


def _page(form: Format) -> str:
    """The reference page in the folder of the format's classes, as Markdown."""
    import sys

    from polybody.document.registry import package_of

    package = sys.modules[package_of(form)]
    page = Path(package.__file__ or "").with_name("reference.md")
    return page.read_text(encoding="utf-8").partition("-->\n")[2]


def _show(shown: dict[str, Any] | str) -> None:
    """Print plain data as JSON; a page as formatted text, or as Markdown if the output is not a terminal."""
    import sys

    if not isinstance(shown, str):
        click.echo(json.dumps(shown, indent=1, ensure_ascii=False))
    elif not sys.stdout.isatty():
        click.echo(shown.strip())
    else:
        from polybody.cli.streams import console
        from rich.markdown import Markdown

        console().print(Markdown(shown))
