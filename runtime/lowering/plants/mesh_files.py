"""Mesh files that elements of a document name: found, read, and shared by the geoms that use them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polybody import geometry
from polybody.assembly.parts import MeshAsset
from polybody.base import Node
from polybody.diagnostics import Findings
from polybody.document.uris import Places
from polybody.geometry import GeometryError
from polybody.lowering.plants.plant import Plant

LEFT_OUT = "the shape is omitted"


class MeshFiles:
    """The meshes of the documents that become one Model.

    A file that does not exist, or is not a mesh, is reported, and the shape that names it is omitted; the
    body still moves.
    """

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self._places: dict[int, Places] = {}  # by the id of a document
        self._assets: dict[tuple[Path, tuple[float, ...], bool], MeshAsset | None] = {}
        self._names: set[str] = set()

    @classmethod
    def of(cls, plant: Plant, findings: Findings) -> MeshFiles:
        """The meshes of a Plant, shared by all documents that become one Model."""
        if plant.meshes is None:
            plant.meshes = cls(findings)
        found: MeshFiles = plant.meshes
        return found

    def asset(
        self,
        node: Any,
        field: str,
        document: Node,
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        touching: bool = True,
    ) -> MeshAsset | None:
        """The mesh that an element names, or None after a finding.

        Args:
            node: the element.
            document: the document that contains it.
            field: the attribute or leaf that names the file.
            scale: factors (3,).
            touching: whether it may touch others, so that its convex hull is needed.
        """
        reference = (getattr(node, field) or "").strip()
        role = "collision" if touching else "visual"
        where = f"//{role}/geometry/{node.TAG}"
        path = self.find(node, field, reference, document, where)
        if path is None:
            return None
        factors = tuple(map(float, scale))
        key = path, factors, touching
        if key not in self._assets:
            self._assets[key] = self._load(node, path, factors, touching, where)
        return self._assets[key]

    def find(self, node: Any, field: str, reference: str, document: Node, where: str = "") -> Path | None:
        """The path of the file that an element names; None without a name, or after a finding.

        Args:
            node: the element.
            field: the attribute or leaf that names the file.
            reference: its value.
            document: the document that contains it.
            where: the XPath for the finding, on which its severity may depend.
        """
        if not reference:
            return None
        if id(document) not in self._places:
            self._places[id(document)] = Places(document.source, document)

        def tell(code: str, message: str, hint: str | None = None) -> None:
            span = node.child_span(field) or node.attribute_span(field) or node.span
            self.findings.add(code, span, message, xpath=where, hint=hint, source=node.source)

        return self._places[id(document)].file(reference, tell)

    def _load(
        self, node: Node, path: Path, scale: tuple[float, ...], hull: bool, where: str
    ) -> MeshAsset | None:
        try:
            mesh = geometry.load_mesh(path, mujoco=False, scale=scale, inertia="exact", hull=hull)
        except (GeometryError, OSError) as error:
            message = f"`{path.name}` {error}: {LEFT_OUT}"
            hint = getattr(error, "hint", None)
            self.findings.add("PB084", node.span, message, xpath=where, hint=hint, source=node.source)
            return None
        return MeshAsset(self._name(path.stem), mesh, scale)

    def _name(self, stem: str) -> str:
        name, count = stem, 1
        while name in self._names:
            name, count = f"{stem}_{count}", count + 1
        self._names.add(name)
        return name
