from collections.abc import Callable
from typing import Protocol

from polybody.base import Element, Node, Source
from polybody.diagnostics import Findings
from polybody.document.parser.feed import Feed
from polybody.document.parser.tables import Table
from polybody.document.sources import Limits

class Includes(Protocol):
    """Reads the files that elements refer to."""

    def bring(self, node: Node, around: str, where: Callable[[], str]) -> Parse | None:
        """The finished parse of a file as children of an element of the kind ``around``; None: a finding."""

    def load(self, node: Node, row: Element, where: Callable[[], str]) -> None:
        """Attach the separate document that an element refers to, or report why not."""

class Counted(Protocol):
    """Number of elements read so far, in all files of one document."""

    elements: int

class Parse(Feed):
    """One parse of one source; ``run`` fills ``root`` and the findings.

    With ``around``, the key of an element's row, the source is a part of a document: its root, whatever its
    tag, becomes an element of that kind that contains the part's children. Elements are counted in ``files``,
    together with those of other files; it is required with ``includes``.
    """

    poisoned: set[tuple[int, str]]
    lost: set[str]
    included: bool
    def __init__(
        self,
        table: Table | None,
        source: Source,
        findings: Findings,
        limits: Limits,
        includes: Includes | None = None,
        around: str | None = None,
        files: Counted | None = None,
    ) -> None: ...
    def run(self) -> None: ...
