"""Where elements can occur in documents."""

from __future__ import annotations

from .model import Schema


def first_paths(schema: Schema) -> dict[str, str]:
    """The first path of each element, by its key: in the order of the schema, depth first.

    The path of a child leads through the outermost of nested elements of the same kind.
    """
    rows = {element.key: element for element in schema.elements}
    paths: dict[str, str] = {}
    done: set[str] = set()

    def visit(key: str, path: str) -> None:
        path = paths.setdefault(key, path)
        if key in done:
            return
        done.add(key)
        children = rows[key].children
        if any(child.element == key for child in children):
            for child in children:
                paths.setdefault(child.element, f"{path}/{child.tag}")
        for child in children:
            visit(child.element, f"{path}/{child.tag}")

    for root in schema.roots:
        visit(root, rows[root].tag)
    return paths
