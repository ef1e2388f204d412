"""Which package may import which.

The imports are read from the sources, .pyx and .pxd included (tools that follow Python's own imports do not
see those), and followed transitively, so a forbidden package cannot be reached indirectly either.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "runtime": "polybody",
    "codegen": "polybody.codegen",
    "generated": "polybody.generated",
    "schemas": "polybody.schemas",
}
LAYERS = (
    *("cli", "loading", "editing", "writing", "checking", "simulation", "plausibility", "lowering"),
    *("assembly", "programs", "engine", "constraints", "collision", "model"),
    *("reading", "validation", "document", "geometry", "formulas", "diagnostics"),
    *("rotations", "css_colours", "counts", "files", "errors", "escaping", "plugins", "base", "suggest"),
    *("mujoco_names", "first_use"),
)
"""The parts of `runtime/`, from top to bottom: each may import only those further down."""
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
FACE = ("polybody", "polybody.__main__")


def folders(*names: str) -> tuple[str, ...]:
    return tuple(f"polybody.{name}" for name in names)


DOCUMENT_SIDE = folders("reading", "validation", "document", "geometry", "formulas", "diagnostics")
MODEL_SIDE = folders("simulation", "programs", "engine", "constraints", "collision", "model")


class Import(NamedTuple):
    """One import: the module named (absolute), its position, and whether it runs when its module is
    loaded.
    """

    target: str
    line: int
    relative: bool
    at_load: bool


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its installed name; a .pxd counts as part of its .pyx."""
    found: dict[str, Path] = {}
    for folder, package in FOLDERS.items():
        for suffix in ("*.pxd", "*.pyx", "*.py"):
            for path in sorted((ROOT / folder).rglob(suffix)):
                parts = path.relative_to(ROOT / folder).with_suffix("").parts
                name = ".".join([package, *parts]).removesuffix(".__init__")
                found[name + ":pxd" if suffix == "*.pxd" else name] = path
    return found


def _absolute(module: str, is_package: bool, level: int, name: str) -> str:
    if level == 0:
        return name
    base = module.split(".")
    base = base[: len(base) - level + is_package]
    return ".".join([*base, name] if name else base)


def _is_imported(module: str, text: object) -> bool:
    """Whether a literal is the name of a module, for `import_module`; generators write such names."""
    named = isinstance(text, str) and text.startswith("polybody.") and text in modules()
    return named and not within(module, folders("codegen"))


def _python_imports(module: str, path: Path) -> Iterator[Import]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        at_load = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno, False, at_load)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, path.name == "__init__.py", node.level, node.module or "")
            for alias in node.names:
                yield Import(f"{base}.{alias.name}", node.lineno, node.level > 0, at_load)
        elif isinstance(node, ast.Constant) and _is_imported(module, node.value):
            yield Import(str(node.value), node.lineno, False, False)  # imported by its name, or about to be


_CYTHON_FROM = re.compile(r"^(\s*)from\s+(\.*)([\w.]*)\s+c?import\s+(.*)")
_CYTHON_IMPORT = re.compile(r"^(\s*)c?import\s+([\w., ]+)")


def _cython_imports(module: str, path: Path) -> Iterator[Import]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := _CYTHON_FROM.match(line):
            base = _absolute(module, False, len(match[2]), match[3])
            for name in re.findall(r"\w+", match[4].split("#")[0]) or [""]:
                yield Import(f"{base}.{name}".rstrip("."), number, bool(match[2]), not match[1])
        elif match := _CYTHON_IMPORT.match(line):
            for name in match[2].split(","):
                yield Import(name.split()[0], number, False, not match[1])


@cache
def imports(module: str) -> tuple[Import, ...]:
    """The project-internal imports of a module, each resolved to the module that defines the name."""
    path = modules()[module]
    read = _python_imports if path.suffix == ".py" else _cython_imports
    found = []
    for item in read(module.removesuffix(":pxd"), path):
        target = item.target
        if target == "polybody.__version__":
            continue  # a number, not a module
        while target and target not in modules() and target + ":pxd" not in modules():
            target = target.rpartition(".")[0]
        if target:
            found.append(item._replace(target=target))
        elif item.target.split(".")[0] in FOLDERS:
            found.append(item)  # an absolute import by the name of a folder works only in a checkout
    return tuple(found)


def reachable(module: str, allowed: tuple[str, ...] = ()) -> dict[str, str]:
    """Modules reached from ``module`` through any chain of imports, each with the chain that leads to it.

    Chains are not followed into ``allowed`` packages, nor through the package's public names (lazy imports).
    """
    chains = {module: module}
    queue = [module]
    while queue:
        current = queue.pop()
        for item in imports(current):
            for target in (item.target, item.target + ":pxd"):
                if target in chains or target not in modules() or within(target, allowed) or target in FACE:
                    continue
                chains[target] = f"{chains[current]}:{item.line} -> {target}"
                queue.append(target)
    del chains[module]
    return chains


def offences(sources: tuple[str, ...], forbidden: tuple[str, ...]) -> list[str]:
    return [
        chain
        for module in modules()
        if within(module.removesuffix(":pxd"), sources)
        for target, chain in reachable(module).items()
        if within(target.removesuffix(":pxd"), forbidden)
    ]


def strays(package: str, leaves: tuple[str, ...] = ()) -> list[str]:
    """Direct imports in ``package`` of project modules other than itself and ``leaves``."""
    return [
        f"{module}:{item.line} imports {item.target}"
        for module in modules()
        if within(module.removesuffix(":pxd"), (package,))
        for item in imports(module)
        if not within(item.target, (package, *leaves))
    ]


def part(module: str) -> str:
    """The folder or module of `runtime/` to which a module belongs; "" if it belongs to none."""
    first = module.removesuffix(":pxd").split(".")[1:2]
    return first[0] if first and first[0] in LAYERS else ""


def test_the_layers_are_what_runtime_holds() -> None:
    there = {path.stem for path in (ROOT / "runtime").iterdir() if path.is_dir() or path.suffix == ".py"}
    assert there - {"__init__", "__main__", "__pycache__", "native"} == set(LAYERS)


@pytest.mark.parametrize("folder", ["runtime", "codegen"])
def test_the_docstring_of_a_package_names_its_modules(folder: str) -> None:
    """The parts of polybody itself are in docs/architecture.md."""
    packages = [path.parent for path in (ROOT / folder).rglob("__init__.py")]
    packages = [package for package in packages if package != ROOT / "runtime"]
    assert len(packages) > 5
    missing = []
    for package in packages:
        said = re.findall(r"\w+", ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or "")
        inside = {path.stem for path in package.iterdir() if path.suffix in (".py", ".pyx")}
        inside |= {path.parent.name for path in package.glob("*/__init__.py")}
        missing += [f"{package}: {name}" for name in sorted(inside - {"__init__", "__main__"} - set(said))]
    assert not missing


def test_c_texts_include_by_path_and_in_no_circle() -> None:
    """Paths begin at runtime/native or at generated/kernels. Kernels know nothing of collisions, collision/
    nothing of rows, rows and their solver nothing of lanes.
    """
    order = (" contract", "dynamics", "collision", "rows solver", "lanes", "single", "programs")
    native, generated = (
        {
            path.relative_to(ROOT / folder).as_posix(): INCLUDE.findall(path.read_text())
            for path in (ROOT / folder).rglob("*.[hc]")
        }
        for folder in ("runtime/native", "generated/kernels")
    )
    assert native
    assert generated

    def place(name: str) -> int:
        return next(k for k, folder in enumerate(order) if name.rpartition("/")[0] in folder.split(" "))

    found = native | generated
    for name, included in found.items():
        assert set(included) <= found.keys(), name
        assert name in generated or all(x in generated or place(x) <= place(name) for x in included), name
    while leaves := [name for name, included in found.items() if not included]:
        found = {name: [x for x in included if x not in leaves] for name, included in found.items()}
        found = {name: included for name, included in found.items() if name not in leaves}
    assert not found, f"in a circle: {sorted(found)}"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_every_header_includes_what_it_needs(tmp_path: Path) -> None:
    """Source files define what the headers for lanes and for registers ask."""
    native, generated = ROOT / "runtime/native", ROOT / "generated/kernels"
    folders = (native, generated, sysconfig.get_path("include"))
    given = ("-DLANE_REAL=double", "-DLANE_INT=int64_t", "-DLANES=2", "-DREGISTER_BYTES=16")
    names = [
        path.relative_to(folder).as_posix() for folder in (native, generated) for path in folder.rglob("*.h")
    ]
    assert len(names) > 80
    text = tmp_path / "alone.c"
    for name in names:
        text.write_text(f'#include "{name}"\n')
        command = ["gcc", "-fsyntax-only", "-w", "-Werror=implicit-function-declaration", *given, str(text)]
        command += [f"-I{folder}" for folder in folders]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 0, f"{name}: {done.stderr[:500]}"


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_is_below_it(layer: str) -> None:
    """Imports inside functions and for type checkers alone count as well."""
    below = LAYERS[LAYERS.index(layer) :]
    upward = [
        f"{module}:{item.line} imports {item.target}"
        for module in modules()
        if part(module) == layer
        for item in imports(module)
        if item.target in FACE or (part(item.target) and part(item.target) not in below)
    ]
    assert upward == []


def test_documents_know_no_model() -> None:
    forbidden = (*MODEL_SIDE, *folders("lowering", "generated.model", "generated.kernels"))
    assert offences(DOCUMENT_SIDE, forbidden) == []


def test_models_know_no_document() -> None:
    forbidden = (*folders("reading", "validation", "document", "lowering", "generated.formats"),)
    assert offences(MODEL_SIDE, forbidden) == []


def test_leaves_know_nothing_that_was_generated() -> None:
    leaves = folders("suggest", "rotations", "css_colours", "counts", "files", "errors", "escaping")
    assert offences(leaves, folders("generated")) == []


def test_codegen_imports_nothing_else_of_the_project_and_only_relatively() -> None:
    assert strays("polybody.codegen") == []
    absolute = [
        f"{module}:{item.line}"
        for module in modules()
        if within(module, ("polybody.codegen",))
        for item in imports(module)
        if not item.relative
    ]
    assert absolute == [], "`python -m codegen` must work in a checkout"


def test_generated_imports_only_itself_and_the_leaf() -> None:
    assert strays("polybody.generated", ("polybody.base",)) == []


def test_the_leaf_imports_only_suggestions() -> None:
    assert strays("polybody.base", ("polybody.suggest",)) == []
    assert strays("polybody.suggest") == []


def test_the_specialiser_needs_no_schema() -> None:
    specialiser = tuple(f"polybody.codegen.{name}" for name in ("staging", "physics", "passes"))
    assert offences(specialiser, ("polybody.codegen.schema", "polybody.codegen.generate")) == []


def test_one_lowering_imports_no_other() -> None:
    folder = ROOT / "runtime" / "lowering"
    formats = {path.stem for path in (ROOT / "schemas").glob("*.xsd")} & {p.stem for p in folder.glob("*")}
    for name in formats:
        others = tuple(f"polybody.lowering.{other}" for other in formats - {name})
        assert offences((f"polybody.lowering.{name}",), others) == []


def test_the_runtime_opens_its_doors_to_codegen_only_inside_functions() -> None:
    at_load = [
        f"{module}:{item.line}"
        for module in modules()
        if not within(module, tuple(FOLDERS.values())[1:])
        for item in imports(module)
        if item.at_load and within(item.target, ("polybody.codegen",))
    ]
    assert at_load == []
