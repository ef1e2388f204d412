from polybody.base import Node, Source
from polybody.diagnostics import Findings
from polybody.reader.tables import Table
from polybody.sources import Limits

class CollectorPaused:
    """Context in which the garbage collector rests; contexts nest, and threads share it."""

    def __enter__(self) -> None: ...
    def __exit__(self, *exception: object) -> None: ...

class Parse:
    """One parse of one source; ``run`` fills ``root`` and the findings."""

    root: Node | None
    poisoned: set[tuple[int, str]]
    lost: set[str]
    malformed: bool
    given_up: bool
    def __init__(self, table: Table | None, source: Source, findings: Findings, limits: Limits) -> None: ...
    def run(self) -> None: ...
