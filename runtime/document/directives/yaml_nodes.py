"""YAML as nodes with positions. No Python objects are constructed: a scalar is its text, a tag is its name.

Files are untrusted. Nodes are made from the parser's events without recursion. An alias is the same node as
its anchor, so aliases cannot multiply content. Depth, nodes and bytes are limited.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import yaml
from polybody.base import Source, Span
from polybody.diagnostics import Findings
from polybody.document.notations import step_to
from polybody.document.parser.value_faults import clip

MAX_BYTES = 1 << 22
MAX_NODES = 100_000
DEEPEST = 64
TOO_DEEP = f"YAML deeper than {DEEPEST} levels, which exceeds the limit of this reader"
NESTED = "maximum nesting depth"
"""Part of libyaml's message about a document that is too deep for it."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml, if PyYAML has it."""


@dataclass(slots=True, eq=False)
class YamlNode:
    """A scalar, sequence or mapping."""

    kind: str
    """"scalar", "sequence" or "mapping"."""
    span: Span
    tag: str = ""
    """As given, such as ``!Rpy``; "" if there is none."""
    text: str = ""
    """The text of a scalar."""
    plain: bool = False
    """Whether a scalar is not quoted."""
    items: list[YamlNode] = field(default_factory=list)
    """Items of a sequence; for a mapping, keys and values in turn."""
    above: YamlNode | None = None
    """The first node that contains it."""
    key: str | int = ""
    """Its position there: the index in a sequence; in a mapping the key, also for the key itself."""

    says: str | None = None
    """The name that it gives; None: not determined yet."""

    @property
    def path(self) -> str:
        """Its path in the document, as JSONPath."""
        steps: list[str] = []
        node = self
        while node.above is not None:
            steps.append(step_to(node.key))
            node = node.above
        return "$" + "".join(reversed(steps))

    def owner(self, names: tuple[str, ...]) -> str:
        """The key and the name of the innermost mapping that contains this node, or is it, and has a name
        under one of some keys.
        """
        node: YamlNode | None = self
        while node is not None:
            if node.says is None:
                said = {k.text: v.text for k, v in node.pairs if v.kind == "scalar"}
                node.says = next((said[name] for name in names if said.get(name)), "")
            if node.says and isinstance(node.key, str):
                return f"{clip(node.key)} `{clip(node.says)}`"
            node = node.above
        return ""

    @property
    def pairs(self) -> list[tuple[YamlNode, YamlNode]]:
        """The keys and values of a mapping; empty for other nodes."""
        if self.kind != "mapping":
            return []
        return list(zip(self.items[::2], self.items[1::2], strict=False))

    @property
    def empty(self) -> bool:
        """Whether it is a plain scalar without content."""
        return self.kind == "scalar" and self.plain and self.text in ("", "~", "null", "Null", "NULL")


class _StopError(Exception):
    """There is no document; the reason has been reported."""


def compose(source: Source, findings: Findings) -> YamlNode | None:
    """The only document of a source; None after a finding."""
    if len(source.data) > MAX_BYTES:
        message = f"YAML of more than {MAX_BYTES:,} bytes, which exceeds the limit of this reader"
        findings.add("PB002", Span(source.path, 1, 1, 1, 1), message, source=source)
        return None
    composer = _Composer(source, findings)
    try:
        for event in yaml.parse(source.data, Loader=_LOADER):
            composer.take(event)
    except _StopError:
        return None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        span = Span(source.path, 1, 1, 1, 1) if mark is None else _point(source, mark)
        problem = getattr(error, "problem", None) or str(error).split("\n")[0]
        if NESTED in problem:  # since PyYAML 6.0.4, which looks ahead before it returns events
            findings.add("PB002", span, TOO_DEEP, source=source)
        else:
            findings.add("PB005", span, f"this is not YAML: {clip(problem)}", source=source)
        return None
    if composer.root is None:
        message = "the file contains no YAML document"
        findings.add(
            "PB005", Span(source.path, 1, 1, 1, 1), message, hint="write `directives: []`", source=source
        )
    return composer.root


def _point(source: Source, mark: yaml.Mark) -> Span:
    line, column = mark.line + 1, mark.column + 1
    return Span(source.path, line, column, line, column + 1)


class _Composer:
    def __init__(self, source: Source, findings: Findings) -> None:
        self.source, self.findings = source, findings
        self.root: YamlNode | None = None
        self.open: list[YamlNode] = []
        self.names: list[str | None] = []  # anchors of unfinished nodes
        self.anchors: dict[str, YamlNode] = {}
        self.count = self.documents = 0

    def stop(self, code: str, event: yaml.Event, message: str, hint: str | None = None) -> None:
        self.findings.add(code, _point(self.source, event.start_mark), message, hint=hint, source=self.source)
        raise _StopError

    def span(self, event: yaml.Event) -> Span:
        begin, end = event.start_mark, event.end_mark
        return Span(self.source.path, begin.line + 1, begin.column + 1, end.line + 1, end.column + 1)

    def take(self, event: yaml.Event) -> None:
        """Process an event of the parser."""
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.stop("PB014", event, "a second YAML document; a file contains one", "remove `---`")
        elif isinstance(event, yaml.ScalarEvent):
            node = YamlNode("scalar", self.span(event), event.tag or "", event.value, event.style is None)
            self.put(node, event)
            if event.anchor:
                self.anchors[event.anchor] = node
        elif isinstance(event, yaml.AliasEvent):
            known = self.anchors.get(event.anchor)
            if known is None:
                self.stop("PB032", event, f"no anchor `{clip(event.anchor)}` before this alias")
            else:
                self.put(known, event)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            kind = "sequence" if isinstance(event, yaml.SequenceStartEvent) else "mapping"
            node = YamlNode(kind, self.span(event), event.tag or "")
            self.put(node, event)
            self.open.append(node)
            self.names.append(event.anchor)
            if len(self.open) > DEEPEST:
                self.stop("PB002", event, TOO_DEEP)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            node, name = self.open.pop(), self.names.pop()
            if name:
                self.anchors[name] = node

    def put(self, node: YamlNode, event: yaml.Event) -> None:
        self.count += 1
        if self.count > MAX_NODES:
            self.stop(
                "PB002",
                event,
                f"YAML of more than {MAX_NODES:,} parts, which exceeds the limit of this reader",
            )
        if self.open:
            above = self.open[-1]
            if node.above is None:  # otherwise it is an alias
                place = len(above.items)
                named = node if place % 2 == 0 else above.items[-1]
                node.above, node.key = above, place if above.kind == "sequence" else named.text
            above.items.append(node)
        else:
            self.root = node
