"""The rows of physics.xml."""

from __future__ import annotations

from pathlib import Path

from .model import JointRow, Physics, Row, ShapeRow
from .source import SCHEMAS, Node, place, validated

PH = "{urn:polybody:physics:1}"


def physics(path: Path = SCHEMAS / "physics.xml") -> Physics:
    """Read the physics vocabulary.

    Raises:
        SchemaError: the file is not valid against the physics.xsd beside it, or beside the shipped one.
    """
    beside = path.with_name("physics.xsd")
    root = validated(path, beside if beside.exists() else SCHEMAS / "physics.xsd")

    def rows(tag: str) -> list[Node]:
        return list(root.findall(f"{PH}{tag}s/{PH}{tag}"))

    return Physics(
        joints=tuple(
            JointRow(
                name=row.attrib["name"],
                code=int(row.attrib["code"]),
                nq=int(row.attrib["nq"]),
                nv=int(row.attrib["nv"]),
                cls=row.attrib["class"],
                dimension=tuple(row.attrib["dimension"].split()),
                doc=_text(row),
                place=place(row, path),
            )
            for row in rows("joint")
        ),
        shapes=tuple(
            ShapeRow(
                name=row.attrib["name"],
                code=int(row.attrib["code"]),
                size=int(row.attrib["size"]),
                inertia=row.attrib.get("inertia", ""),
                doc=_text(row),
                place=place(row, path),
            )
            for row in rows("shape")
        ),
        actuators=tuple(_row(row, path) for row in rows("actuator")),
        sensors=tuple(_row(row, path) for row in rows("sensor")),
    )


def _row(row: Node, path: Path) -> Row:
    return Row(row.attrib["name"], int(row.attrib["code"]), _text(row), place(row, path))


def _text(row: Node) -> str:
    return " ".join((row.text or "").split())
