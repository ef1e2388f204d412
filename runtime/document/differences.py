"""What a document means in one release of its format and not in another, although both read it.

The rows are from MuJoCo's changelog and, where that is silent, from comparisons of releases. Defaults that
changed are in the schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from polybody.base import Attribute, Format, Node, Span, at_release
from polybody.base.releases import is_in, number
from polybody.document.parser.lacking import Lacked
from polybody.document.resolver import Resolved
from polybody.document.translation import lacking_in


class Difference(NamedTuple):
    """A change of meaning: the first release that has the new one, the elements concerned, and the change.

    ``of`` is ``tag|tag``, ``tag/@name|name`` for those where an attribute has another value than by the
    schema, or ``tag/@name=word|word`` for those where it has one of some values, whoever gives it. A tag
    alone is outside of classes of defaults, ``parent/tag`` in such an element: ``default/geom``,
    ``frame/flexcomp``. Only documents that also have such elements as ``only`` says are concerned,
    and at least ``least`` of the elements; alternatives of ``only`` are separated by a comma.
    """

    since: str
    of: str
    text: str
    only: str = ""
    least: int = 1


_SEARCHED = "geom/@type=ellipsoid|cylinder|mesh|hfield"
_TURNING = "freejoint, joint/@type=ball|free, composite"
"""Joints that rotate about any axis; those of a cable are balls."""
_OWN = ("option", "size", "statistic", "visual")
"""What an attached model may have, and what counts only in the document that attaches it."""

_SEVERAL = ("attach", "replicate", "composite", "flex", "flexcomp")
"""Elements by which one element may stand for several."""

_ACTUATORS = "general|motor|position|intvelocity|velocity|damper"
_DEFAULTS = "|".join(
    f"default/{tag}"
    for tag in ("position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion")
)

DIFFERENCES: Mapping[str, tuple[Difference, ...]] = {
    "mjcf": (
        Difference("3.3.0", _SEARCHED, "contacts of convex shapes are found by GJK and EPA, not by MPR"),
        Difference(
            "3.3.0",
            "distance|normal|fromto",
            "distances are found by GJK and EPA; before, they could be too small",
        ),
        Difference(
            "3.3.0",
            "flexcomp/@type=box|cylinder|ellipsoid",
            "its points move in all directions; before, only away from its centre",
        ),
        Difference(
            "3.3.1", "replicate/@euler", "the offset of a copy is in its own axes, not in those before it"
        ),
        Difference(
            "3.3.1",
            "replicate",
            "what refers to tendons and actuators of copies is copied, too; before, a part of it was lost",
            only="actuator|tendon",
        ),
        Difference("3.3.5", "geom/@type=sdf", "its mesh is sampled in an octree"),
        Difference(
            "3.3.6", "option/@iterations", "constraints are solved in islands, each with its own stop"
        ),
        Difference("3.3.6", "option/@integrator=RK4", "all stages of a step have the same warm start"),
        Difference(
            "3.3.6",
            "geom/@mass|density=0",
            "a body without mass has another inertial frame than its shape",
        ),
        Difference("3.3.7", "mesh", "principal axes of inertia are more exact, by up to 4e-7"),
        Difference(
            "3.3.7", "compiler/@fitaabb", "a fitted shape has the bounding box of its mesh, at its place"
        ),
        Difference("3.3.7", "accelerometer|framelinacc", "on a body that cannot move, it measures nothing"),
        Difference(
            "3.5.0", "geom/@margin", "margins of two geoms are added; before, the greater counted", least=2
        ),
        Difference(
            "3.5.0",
            f"{_ACTUATORS}/@forcerange",
            "implicit integrators do not differentiate a force that is clamped",
            only="option/@integrator=implicit|implicitfast",
        ),
        Difference(
            "3.5.0",
            "general/@actearly",
            "implicit integrators differentiate with the activation of the next step",
            only="option/@integrator=implicit|implicitfast",
        ),
        Difference("3.5.0", "rangefinder/@cutoff", "it also bounds -1, the value without a hit"),
        Difference("3.7.0", "connect|weld", "its reference acceleration has the derivative of the Jacobian"),
        Difference(
            "3.8.0",
            "geom/@type=capsule|cylinder|mesh",
            "flat faces, and straight sides on them, touch in several points",
        ),
        Difference("3.8.1", "option/@solver=PGS", "rows are solved in another order"),
        Difference(
            "3.9.0",
            "geom|pair/@gap",
            "contacts are found within margin + gap and act within margin; before, margin and margin - gap",
        ),
        Difference("3.10.0", "option/@solver=CG", "search directions are those of Hager and Zhang"),
        Difference(
            "3.10.0",
            "geom/@type=plane",
            "without edges it extends the scene by 0.01 m; before, by 1 m",
        ),
        Difference("3.10.0", "mesh/@maxhullvert", "hulls with fewer vertices have others"),
        Difference("3.11.0", "option/@solver=PGS", "sweeps over rows have momentum"),
        Difference(
            "3.11.0",
            "option/@tolerance",
            "a warm start within it is the solution; so is a point from which Newton's next step gains less",
        ),
        Difference(
            "3.11.0",
            "freejoint",
            "implicitfast has the full gyroscopic derivative of a free body",
            only="option/@integrator=implicitfast",
        ),
        Difference(
            "3.11.0",
            "position|intvelocity",
            "a servo of a ball joint turns to the nearest angle",
            only="joint/@type=ball",
        ),
        Difference(
            "3.11.0", "position|intvelocity/@refsite", "a servo of a rotation turns to the nearest angle"
        ),
        Difference("3.11.0", "damper", "defaults give it their `kv`", only="default/damper/@kv"),
        Difference(
            "3.12.0", "geom/@type=box", "two boxes have other depths, and up to eight points", least=2
        ),
        Difference(
            "3.12.0", "body/@mocap", "mocap bodies are a group of their own when contacts are filtered"
        ),
        Difference(
            "3.13.0",
            f"{_ACTUATORS}/@ctrlrange",
            "implicit integrators differentiate with the control within its range",
            only="option/@integrator=implicit|implicitfast",
        ),
        Difference("3.13.0", "geom/@type=mesh", "on a plane, up to four corners of its lowest face touch"),
        Difference("3.13.0", "geom/@type=cylinder", "its ends and its side have other points, of one search"),
        Difference(
            "3.14.0",
            "geom/@fluidshape=ellipsoid",
            "shapes below some centimetres have their whole lift; before, a part of it",
        ),
        Difference("3.14.0", "force|torque", "forces of spatial tendons count, torques of welds are scaled"),
        Difference(
            "3.15.0",
            "position|intvelocity/@dampratio",
            "the inertia is that of the whole mechanism at the initial pose",
        ),
        Difference(
            "3.15.0",
            "geom/@type=capsule",
            "on flat faces, its side has two points, of one search",
            only=_SEARCHED,
        ),
        Difference("3.15.0", "pair", "of geoms that nothing moves against each other it has no constraints"),
        Difference(
            "3.16.0", "geom/@type=capsule", "nearly parallel capsules touch in two points", least=2
        ),
        Difference(
            "3.16.0", "key", "it is of the model with all copies, and is not copied", only="replicate"
        ),
        Difference(
            "3.16.0",
            "compiler/@fusestatic",
            "each body is merged to which nothing refers; before, none if anything had a reference",
        ),
        Difference(
            "3.16.0",
            "geom/@fluidshape=ellipsoid",
            "it is not discarded, even if it touches nothing",
            only="compiler/@discardvisual",
        ),
        Difference(
            "3.16.0",
            "default/geom|default/site|default/camera/@euler|axisangle|xyaxes|zaxis",
            "a `quat` of the element itself takes precedence over it",
        ),
        Difference(
            "3.16.0",
            "adhesion|position",
            "defaults of general actuators do not give it their activation dynamics",
            only="default/general/@dyntype",
        ),
        Difference("3.16.0", _DEFAULTS, "its gains are defaults of actuators of this kind alone, not of all"),
        Difference(
            "3.17.0", "statistic/@meaninertia", "it does not scale the solver's stopping test any more"
        ),
        Difference(
            "3.17.0",
            "geom/@margin",
            "within the margin, too, flat faces have the points of one search",
            only="geom/@type=cylinder|mesh",
        ),
        Difference(
            "3.17.0", "geom/@sidesite", "a path along the inside differs by the tolerance of its search, 1e-7"
        ),
        Difference(
            "4.0",
            "connect|weld/@body1|body2=world",
            "copies of it are connected with the world; before, it was not copied",
            only="replicate|attach",
        ),
        Difference(
            "4.0", "geom/@sidesite", "the tendon winds around the shape like the path through the site"
        ),
        Difference(
            "4.0",
            "option/@integrator=RK4",
            "ball and free joints are integrated to fourth order",
            only=_TURNING,
        ),
        Difference(
            "4.0",
            "joint|spatial|fixed/@actuatorfrcrange",
            "implicit integrators do not differentiate forces of actuators at this limit",
            only="option/@integrator=implicit|implicitfast",
        ),
        Difference(
            "4.0",
            "accelerometer|framelinacc",
            "on a body that cannot move, it measures gravity, as until 3.3.6",
        ),
        Difference(
            "4.0",
            "edge/@damping",
            "implicit integrators do not differentiate damping along edges of flexes",
            only="option/@integrator=implicit|implicitfast",
        ),
        Difference("4.0", "mesh", "its principal axes do not depend on its size"),
        Difference("4.0", "frame/flexcomp", "poses of the frames around it count, as for everything else"),
        Difference("4.0", "flex|flexcomp", "elastic constants and weights of contacts are others"),
    )
}
"""By format."""


class Where(NamedTuple):
    """A text of `Difference`, parsed."""

    tags: tuple[str, ...]
    attributes: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def what(self) -> str:
        """The attributes, or "" for the element."""
        named = " or ".join(f"`{name}`" for name in self.attributes)
        return f"{named} of " if named else ""


@cache
def where(text: str) -> Where:
    """The elements that a text of `Difference` names."""
    tags, _, named = text.partition("/@")
    names, _, words = named.partition("=")
    several = (tuple(text.split("|")) if text else () for text in (names, words))
    return Where(tuple(tags.split("|")), *several)


class Differs(NamedTuple):
    """A difference that concerns a document: the first element concerned, its file if that is not the
    document's own, and the number of all.
    """

    since: str
    text: str
    what: str
    span: Span | None
    total: int
    file: str = ""

    @property
    def line(self) -> str:
        """Where the first element is; "" if that is unknown."""
        if self.span is None:
            return ""
        return f"{self.file}:{self.span.line}" if self.file else f"line {self.span.line}"

    def __str__(self) -> str:
        times = f", {self.total} times" if self.total > 1 else ""
        line = f" ({self.line}{times})" if self.line else ""
        return f"{self.what}{line}: {self.text}"


class _Part(NamedTuple):
    """A document, or one of the models that it attaches, with what is in force there."""

    root: Node
    resolved: Resolved
    attached: bool

    def walk(self) -> Iterator[tuple[Node, str]]:
        """Its elements, each with the tag of the one around it. Of an attached model without what only the
        document itself determines.
        """
        waiting: list[tuple[Node, str]] = [(self.root, "")]
        while waiting:
            node, around = waiting.pop()
            yield node, around
            left = _OWN if self.attached and node is self.root else ()
            waiting += [(each, node.TAG) for each in reversed(node.children) if each.TAG not in left]


def differing(document: Node, form: Format, after: str = "", to: str = "") -> list[Differs]:
    """The differences that concern a document, in the order of releases.

    Args:
        document: a document of a format with releases.
        form: the tables of its release.
        after, to: only those that begin after a release, and not after another one. With both, a default that
            changed several times is one difference.
    """
    parts = _parts(document, form)
    found = [*_defaults(parts, form, after, to), *_meanings(parts, form)]
    chosen = (
        each
        for each in found
        if not (after and is_in(after, each.since, None)) and (not to or is_in(to, each.since, None))
    )
    return sorted(chosen, key=lambda each: number(each.since))


def unsayable(document: Node, form: Format, after: str, to: str) -> list[Differs]:
    """As `differing`, without changed defaults, which can be written out."""
    found = _meanings(_parts(document, form), form)
    changed = [each for each in found if is_in(to, each.since, None)]
    return [each for each in changed if not is_in(after, each.since, None)]


def _parts(document: Node, form: Format) -> list[_Part]:
    """A document with the content of included files in place, then the models that it attaches, each once."""
    found: list[_Part] = []
    waiting, met = [document], {id(document)}
    while waiting:
        root = waiting.pop()
        resolved = Resolved(root, form)
        found.append(_Part(resolved.expanded, resolved, root is not document))
        for node in resolved.expanded.walk():
            content = getattr(node, "content", None)
            if isinstance(content, type(document)) and id(content) not in met:
                met.add(id(content))
                waiting.append(content)
    return found


def _meanings(parts: Sequence[_Part], form: Format) -> Iterator[Differs]:
    """The rows of `DIFFERENCES` that concern a document."""
    nodes = _by_tag(parts)
    several = any(tag in nodes for tag in _SEVERAL)
    for row in DIFFERENCES.get(form.name, ()):
        if row.only and not any(_held(where(text), nodes) for text in row.only.split(", ")):
            continue
        at = where(row.of)
        held = _held(at, nodes)
        if held and (several or len(held) >= row.least):
            first, resolved = held[0]
            name = _concerned(at, first, resolved) if at.attributes else None
            what, span = (f"`{name}` of ", first.attribute_span(name)) if name else ("", first.span)
            yield _differs(parts, row.since, row.text, f"{what}<{first.TAG}>", span, len(held))


def _differs(
    parts: Sequence[_Part], since: str, text: str, what: str, span: Span | None, total: int
) -> Differs:
    own = parts[0].resolved.document.span
    file = "" if span is None or own is None or span.path == own.path else span.path
    return Differs(since, text, what, span, total, file)


_Elements = Mapping[str, list[tuple[Node, Resolved]]]
"""Elements by their tags, except for those in a class of defaults; all by ``parent/tag``."""


def _by_tag(parts: Iterable[_Part]) -> _Elements:
    nodes: dict[str, list[tuple[Node, Resolved]]] = {}
    for part in parts:
        for node, around in part.walk():
            for name in (f"{around}/{node.TAG}", *([node.TAG] if around != "default" else [])):
                nodes.setdefault(name, []).append((node, part.resolved))
    return nodes


def _held(at: Where, nodes: _Elements) -> list[tuple[Node, Resolved]]:
    """The elements of a document that are concerned."""
    found = [each for tag in at.tags for each in nodes.get(tag, ())]
    return [each for each in found if not at.attributes or _concerned(at, *each)]


def _concerned(at: Where, node: Node, resolved: Resolved) -> str | None:
    """The attribute of an element that is concerned, if one is."""
    kind = resolved.kinds.get(type(node))
    known = {} if kind is None else kind.attributes
    for name in at.attributes:
        if name not in known:
            continue
        found = resolved.value(node, name)
        if at.words and _shown(found.value) in [word.lower() for word in at.words]:
            return name
        if not at.words and found.origin != "schema" and found.value != known[name].default:
            return name
    return None


def _defaults(parts: Sequence[_Part], form: Format, after: str, to: str) -> Iterator[Differs]:
    """Changed defaults of attributes that an element does not give, and that a release has."""
    whole = form.whole or form
    lenders = {whole.elements[each.source].cls for each in whole.defaults}
    rows = {row.cls: row for row in whole.elements.values() if row.cls not in lenders}
    met: dict[tuple[str, str, str, str], list[Node]] = {}
    for node in (node for part in parts for node, _ in part.walk()):
        row = rows.get(type(node))
        for attribute in () if row is None else row.attributes:
            if after and not is_in(after, attribute.since, attribute.until):
                continue
            if attribute.changes and getattr(node, attribute.field) is None:
                for since, text in redefaulted(attribute, after, to):
                    met.setdefault((since, node.TAG, attribute.name, text), []).append(node)
    for (since, tag, name, text), nodes in met.items():
        yield _differs(parts, since, text, f"`{name}` of <{tag}>", nodes[0].span, len(nodes))


def redefaulted(attribute: Attribute, after: str = "", to: str = "") -> Iterator[tuple[str, str]]:
    """The releases in which the default of an attribute changed, with how; between two releases, the last one
    with the whole change.
    """
    start, changes = attribute.default, attribute.changes
    if after and to:
        done = [each for each in changes if is_in(after, each.since, None)]
        start = done[-1].default if done else start
        changes = tuple(each for each in changes[len(done) :] if is_in(to, each.since, None))[-1:]
    before = _shown(start)
    for change in changes:
        now = _shown(change.default)
        if now != before:
            yield change.since, f"the default is `{now}`; before, `{before}`"
        before = now


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(_shown, value))
    plain = getattr(value, "value", value)
    return f"{plain:g}" if isinstance(plain, float) else str(plain).lower()


def oldest(document: Node, form: Format) -> tuple[str | None, Lacked | None]:
    """The oldest release that has all that is in a document, and something that the one before lacks; None
    twice if no release has all.
    """
    lacked: Lacked | None = None
    for release in form.releases:
        missing = next(iter(_lacking(document, form, release)), None)
        if missing is None:
            return release, lacked
        lacked = missing
    return None, None


def _lacking(document: Node, form: Format, release: str) -> Iterable[Lacked]:
    return () if release == form.version else lacking_in(document, form, at_release(form, release))
