"""xsdata with our own schema: its dataclasses are generated at run time, and it reads the same documents."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from lxml import etree

XS = "{http://www.w3.org/2001/XMLSchema}"
SCHEMAS = Path(__file__).resolve().parents[1] / "schemas"
# xsdata ignores or rejects assertions and keys, reads numbers with patterns as strings, and copies
# annotations.
LEFT_OUT = ("assert", "alternative", "key", "keyref", "unique", "annotation", "pattern")


def plain_schema(source: Path, target: Path) -> Path:
    """The schema as XSD 1.0, including its parts, without features that keep xsdata from generating the same
    classes as ours.
    """
    tree = etree.parse(source)
    root = tree.getroot()
    for element in list(root.iter(*(XS + name for name in LEFT_OUT))):
        element.getparent().remove(element)
    for element in root.iter(f"{XS}*"):
        for name in [name for name in element.attrib if str(name).startswith("{")]:
            del element.attrib[name]
    etree.cleanup_namespaces(tree, keep_ns_prefixes=["xs"])
    path = target / source.name
    for part in root.iterchildren(f"{XS}include"):
        place = Path(str(part.get("schemaLocation")))
        if not (target / place).exists():
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            plain_schema(source.parent / place, (target / place).parent)
    tree.write(path, xml_declaration=True, encoding="utf-8")
    return path


def generate(schema: Path, folder: Path) -> type:
    """Generate the classes below ``folder``, import them and return the root's."""
    from xsdata.codegen.transformer import ResourceTransformer
    from xsdata.models.config import GeneratorConfig, StructureStyle

    config = GeneratorConfig()
    package = f"xsdata_{schema.stem}"
    config.output.package = package
    config.output.format.slots = True
    config.output.structure_style = StructureStyle.SINGLE_PACKAGE  # parts use each other: one module
    working, search = Path.cwd(), os.environ["PATH"]
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{search}"  # xsdata calls ruff
    try:
        os.chdir(folder)  # xsdata writes below the working directory
        ResourceTransformer(config=config).process([plain_schema(schema, folder).as_uri()])
    finally:
        os.chdir(working)
        os.environ["PATH"] = search
    sys.path.insert(0, str(folder))
    module = importlib.import_module(package)
    root = next(e.get("name") for e in etree.parse(schema).getroot().iterchildren(f"{XS}element"))
    for value in vars(module).values():
        if isinstance(value, type) and getattr(getattr(value, "Meta", None), "name", value.__name__) == root:
            return value
    raise LookupError(f"xsdata generated no class for <{root}>")
