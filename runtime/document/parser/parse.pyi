from collections.abc import Callable
from typing import Protocol

from polybody.base import Element, Node, Source
from polybody.diagnostics import Findings
from polybody.document.parser.feed import Feed
from polybody.document.parser.tables import Table
from polybody.document.sources import Limits

class Includes(Protocol):
    """Who reads the files that elements stand for."""

    def bring(self, node: Node, around: str, where: Callable[[], str]) -> Parse | None:
        """The finished parse of a file as children of an element of the kind ``around``; None: a finding."""

    def load(self, node: Node, row: Element, where: Callable[[], str]) -> None:
        """Give an element the document of its own that it stands for, or report why not."""

class Counted(Protocol):
    """How many elements were read so far, of all files of one reading."""

    elements: int

class Parse(Feed):
    """One parse of one source; ``run`` fills ``root`` and the findings.

    With ``around``, the key of an element's row, the source is a part: its root, whatever its tag, becomes
    an element of that kind, which holds the part's children. Elements are counted in ``files``, with those
    of other files; where there are ``includes``, it is needed.
    """

    poisoned: set[tuple[int, str]]
    lost: set[str]
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
