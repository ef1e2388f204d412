"""The Python examples of the pages as modules, for type checkers.

    python tools/snippets.py DEST        writes DEST/*.py; then: mypy DEST, or pyright DEST

Each example of docs/tasks.md becomes a module that starts with the first lines of that page. The examples of
any other page become one module. All of them pass type checkers in strict mode. The packages that some pages
import are generated beside the modules, as these pages say.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
XSD = re.compile(r"^```xml\n(<xs:schema.*?)^```", re.DOTALL | re.MULTILINE)
TASK = re.compile(r"^### ([^\n]+)\n+```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SILENCED = "# pyright: reportUnusedExpression=false\n# mypy: disable-error-code=unreachable\n"
"""An example may end with an expression, to show its value."""


def blocks(page: str) -> list[str]:
    """The Python examples of a page of docs/, in their order."""
    return BLOCK.findall((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))


def tasks() -> tuple[str, dict[str, str]]:
    """The first lines of docs/tasks.md, which all its examples need, and the example of each heading."""
    text = (ROOT / "docs" / "tasks.md").read_text(encoding="utf-8")
    return blocks("tasks")[0], dict(TASK.findall(text))


def modules() -> dict[str, str]:
    """The text of each module by its name."""
    start, examples = tasks()
    pages = (path.stem for path in sorted((ROOT / "docs").glob("*.md")))
    texts = {page: "\n".join(blocks(page)) for page in pages if page != "tasks"}
    found = {f"page_{page.replace('-', '_')}": text for page, text in texts.items() if text}
    for title, code in examples.items():
        found["task_" + re.sub(r"\W+", "_", title.lower())] = f"{start}\n{code}"
    return {name: SILENCED + code for name, code in found.items()}


def generate_packages(folder: Path) -> None:
    """Make the packages that docs/own-schema.md generates, in a folder."""
    import elementpath
    from polybody.codegen.command import run

    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        crane = work / "crane.xsd"
        crane.write_text(XSD.findall((ROOT / "docs" / "own-schema.md").read_text(encoding="utf-8"))[0])
        json_xml = Path(elementpath.__file__).parent / "validators" / "schema-for-json.xsd"
        packages = {"crane": (crane, ""), "json_xml": (json_xml, "map")}
        for name, (schema, root) in packages.items():
            if run(schema, folder / name, root=root):
                raise SystemExit(f"no package could be made of {schema}")


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, code in modules().items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    generate_packages(folder)
