"""Assemble the sources for Sphinx: the texts of this checkout, and pages from the schemas and the catalogue.

    python tools/docs.py DEST        writes DEST/**/*.md; then: sphinx-build -c docs DEST HTML

The format's reference pages come from `polybody.codegen`, those of the codes from `polybody.diagnostics`.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import jinja2
import polybody as pb
from polybody.codegen.context.pages import format_site
from polybody.codegen.generate import format_schemas
from polybody.codegen.schema import SCHEMAS, load, physics
from polybody.diagnostics.catalogue import CATALOGUE, Code
from polybody.diagnostics.output import of_engines

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = jinja2.Environment(
    loader=jinja2.FileSystemLoader(ROOT / "docs" / "templates"),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    keep_trailing_newline=True,
)
TEXTS = ("CONTRIBUTING.md", "CHANGELOG.md", "schemas/README.md", "tests/differential/README.md")
"""Texts of the site outside docs/, at the same paths, so that links between them stay valid."""
SECTIONS = {
    "Start": ("getting-started",),
    "Coming from": ("mujoco", "from-urdf", "from-drake", "from-dart"),
    "Guides": (
        *("documents", "tasks", "policies", "releases", "ci", "editors", "batch", "compiled"),
        *("stand-and-drive", "plugins", "directives", "own-schema", "spec-change", "security"),
    ),
    "Formats": ("mjcf", "urdf", "srdf", "sdf", "skel", "openrave", "x_xy"),
    "How it works": (
        *("architecture", "collision", "native", "contacts", "specialised", "kernels", "benchmarks", "cost"),
    ),
}
"""The pages of docs/ in reading order, under the headings of the navigation."""
TITLES = {
    **{name: name.upper() for name in ("mjcf", "urdf", "srdf", "skel")},
    "sdf": "SDFormat",
    "openrave": "OpenRAVE XML",
}
"""Formats as people write them; the others by their names."""
FORMATS = tuple(path.stem for path in format_schemas(SCHEMAS))
LONG, HEAD = 1000, 200
"""Number of characters of a document above which only its first part is shown."""
MOVED = (
    (r"generated/formats/(\w+)/reference\.md", r"reference/\1/index.md"),
    (r"generated/model\.md", "reference/model.md"),
    (r"\.\./README\.md", "../index.md"),
)
"""Pages of generated/, and README, have different paths on the site."""


def assemble(destination: Path) -> None:
    """Replace ``destination`` by the sources of the site."""
    shutil.rmtree(destination, ignore_errors=True)
    files = dict(texts())
    for name in FORMATS:
        files |= {f"reference/{name}/{path}": page for path, page in format_pages(name).items()}
    files |= {f"reference/diagnostics/{path}": page for path, page in diagnostic_pages()}
    for path, text in files.items():
        target = destination / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for picture in (ROOT / "docs").glob("*.[ps][nv]g"):
        shutil.copy(picture, destination / "docs" / picture.name)


def format_pages(name: str) -> dict[str, str]:
    """The reference of a format by the names of its files; the first shows the overview of its guide."""
    schema = load(SCHEMAS / f"{name}.xsd", physics(SCHEMAS / "physics.xml"))
    pages = format_site(schema, TITLES.get(name, name))
    head, elements, rest = pages["index.md"].partition("## Elements\n")
    return pages | {"index.md": f"{head}{overview(name)}\n{elements}{rest}"}


def overview(name: str) -> str:
    """The table at the top of a format's guide, with links relative to reference/<format>/."""
    guide = moved((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8"))
    table = re.findall(r"^\| \| \|\n(?:\|.*\n)+", guide, re.MULTILINE)[0]
    table = re.sub(r"\]\(#", f"]({name}.md#", table)
    table = re.sub(r"\]\(([^):]+)\)", lambda link: f"]({posixpath.normpath(f'../../docs/{link[1]}')})", table)
    return f"{table}\nThe guide [{TITLES.get(name, name)}](../../docs/{name}.md) describes details.\n"


def texts() -> Iterator[tuple[str, str]]:
    """The texts of the checkout by their paths in the site, README first, with the tables of contents."""
    guides = [name for names in SECTIONS.values() for name in names]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    names = [path.removesuffix(".md") for path in TEXTS]
    contents = render("toctree.md.jinja", sections=SECTIONS, formats=FORMATS, texts=names)
    yield "index.md", f"{moved(readme)}\n{contents}"
    for path in [*TEXTS, *(f"docs/{name}.md" for name in guides)]:
        yield path, moved((ROOT / path).read_text(encoding="utf-8"))
    yield "reference/model.md", (ROOT / "generated/model.md").read_text(encoding="utf-8")
    yield "api.rst", render("api.rst.jinja", names=[(name, face(name)) for name in pb.__all__])


def face(name: str) -> str:
    """A public name of the package as autodoc names it."""
    thing = getattr(pb, name)
    if isinstance(thing, type):
        return "exception" if issubclass(thing, BaseException) else "class"
    return "function"


def render(template: str, **context: object) -> str:
    """A template of docs/templates rendered with a given context."""
    return TEMPLATES.get_template(template).render(**context)


def moved(text: str) -> str:
    """A text whose links to pages of generated/ are replaced by those of the site."""
    for old, new in MOVED:
        text = re.sub(old, new, text)
    return text


def diagnostic_pages() -> Iterator[tuple[str, str]]:
    """A page for each code, and their list."""
    codes = sorted(CATALOGUE.values(), key=lambda code: code.code)
    yield "index.md", render("codes.md.jinja", codes=codes)
    for code in codes:
        yield (
            f"{code.code}.md",
            render("code.md.jinja", code=code, engines=of_engines(code.code), examples=list(documents(code))),
        )


def documents(code: Code) -> Iterator[tuple[str, str]]:
    """The contents of a code's page with their headings: the smallest document with the finding, and its
    repair.
    """
    bad = code.bad.decode() if isinstance(code.bad, bytes) else code.bad or ""
    if bad:
        yield "For example", bad if len(bad) < LONG else f"{bad[:HEAD]}...\n"
    for name, text in code.beside.items():
        yield f"In the same folder, `{name}`", text
    if code.good is not None:
        yield "Repaired", code.good


if __name__ == "__main__":
    assemble(Path(sys.argv[1]))
