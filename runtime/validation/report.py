"""Findings from violated rules: the message, and every place concerned."""

from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from itertools import islice
from typing import Any

from polybody import base
from polybody.base import Attribute, Element, Format, Node, Span, Text, held
from polybody.document.defaults import provider
from polybody.document.parser.messages import ANY_CHILD
from polybody.document.parser.value_faults import clip
from polybody.document.resolver import kinds_of
from polybody.geometry.inertia import inertia_fault
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules, names_in
from polybody.validation.effective import Chain
from polybody.validation.rule_layout import rule_names, values_of
from polybody.validation.scene import At, Scene


def report(
    scene: Scene,
    poisoned: set[tuple[int, str]],
    lost: set[str],
    made: Callable[[str, str], bool] | None = None,
) -> None:
    """Turn violations of rules into findings.

    poisoned: (id of node, field) of attributes that were given but not understood; the field `ANY_CHILD`
    stands for children. Violations that involve them would only be consequences and are not reported. The
    same holds for missing names if they are among the values ``lost`` with them.
    made: whether a name of a namespace exists though no element declares it.
    """
    rules, limit = scene.rules, scene.findings.limit
    # Each is an error: no more than the limit are shown.
    duplicates = rules.duplicates[:limit]
    dangling = (
        (node, row, attribute, missing)
        for node, row, attribute, names in rules.references
        if (missing := [name for name in names if not _exists(str(name), attribute, lost, made)])
    )
    references = list(islice(dangling, limit))
    nodes = [row[0] for row in rules.violations] + [row[0] for row in duplicates]
    scene.look_for(nodes + [row[0] for row in references])
    known = Known(scene.format, poisoned)

    def view(node: Node, row: Element) -> View:
        return View(node, row, known, rules.chain(node, row), scene)

    violations = []
    for node, row, rule in rules.violations:
        seen = view(node, row)
        if not seen.is_consequence(rule):
            violations.append((seen, rule))
    for seen, rule in _without_common(scene.root, violations):
        if not scene.full:
            _WORDS.get(type(rule), _fault)(seen, rule)
    for node, row, attribute, first in duplicates:
        if not scene.full:
            _duplicate(view(node, row), attribute, first)
    for node, row, attribute, missing in references:
        if not scene.full:
            _reference(view(node, row), attribute, known.names(rules, attribute.refers), missing)


class Known:
    """Data shared by all views of one document."""

    def __init__(self, form: Format, poisoned: set[tuple[int, str]]) -> None:
        self.form, self.poisoned = form, poisoned
        self.rows = {row.cls: row for row in form.elements.values()}
        self._spoilt = {node for node, _ in poisoned}
        self._memo: dict[Chain, tuple[Node, ...]] = {}
        self._names: dict[tuple[str, ...], dict[str, Any]] = {}

    def names(self, rules: Rules, namespaces: tuple[str, ...]) -> dict[str, Any]:
        """The names of some namespaces."""
        if namespaces not in self._names:
            each = [names_in(rules, namespace) for namespace in namespaces]
            self._names[namespaces] = each[0] if len(each) == 1 else dict(ChainMap(*each[::-1]))
        return self._names[namespaces]

    def spoilt(self, chain: Chain | None) -> tuple[Node, ...]:
        """The defaults elements of a chain that contain something that was not understood."""
        if chain is None or not self._spoilt:
            return ()
        return chain.folded(
            self._memo, (), lambda own, above: (*(n for n in own if id(n) in self._spoilt), *above)
        )


class View:
    """An element with its effective values and their places, for findings."""

    def __init__(
        self,
        node: Node,
        row: Element,
        known: Known,
        chain: Chain | None,
        scene: Scene,
    ) -> None:
        self.node, self.row, self.chain, self.scene = node, row, chain, scene
        self.known, self.kind = known, kinds_of(known.form)[type(node)]
        self.attributes: dict[str, Attribute | Text] = {a.name: a for a in values_of(row)}

    def given(self, name: str) -> tuple[Any, Node | None]:
        """A value, given or from defaults, and the node that gives it; for a child, the child itself."""
        if name not in self.attributes:
            return self.given_below(name)
        return self.kind.given(self.node, self.attributes[name], self.chain or ())

    def below(self, name: str) -> tuple[Any, Attribute | None]:
        """The child that a rule's name refers to, or None, and its attribute if the name has one."""
        name = name.removesuffix(base.TEXT_OF)
        tag, _, attribute = name.rpartition("/@")
        child = next(child for child in self.row.children if child.tag in (tag, name))
        node = next(iter(held(self.node, child.field)), None)
        row = self.known.form.elements[child.element]
        return node, next((a for a in row.attributes if tag and a.name == attribute and not a.leaf), None)

    def given_below(self, name: str) -> tuple[Any, Node | None]:
        node, attribute = self.below(name)
        field = "text" if name.endswith(base.TEXT_OF) else None if attribute is None else attribute.field
        value = node if field is None or node is None else getattr(node, field)
        return value, None if value is None else node

    def is_inherited(self, name: str) -> bool:
        """Whether a value comes from a defaults element."""
        if name not in self.attributes:
            return False
        holder = self.given(name)[1]
        return holder is not None and holder is not self.node

    def filler_of(self, name: str) -> Node | None:
        """The nearest defaults element that could provide an attribute."""
        attribute = self.attributes.get(name)
        if attribute is None or self.chain is None:
            return None
        rows = self.known.rows
        return next((each for each in self.chain if provider(attribute, rows[type(each)]) is not None), None)

    def effective(self, name: str) -> Any:
        value, holder = self.given(name)
        return self.kind.default(self.attributes[name], self.effective) if holder is None else value

    def is_consequence(self, rule: base.Rule) -> bool:
        """Whether the violation is only a consequence of another finding."""
        poisoned = self.known.poisoned
        names = list(rule_names(rule))
        if isinstance(rule, base.Length):
            names.append(rule.by)
        condition = getattr(rule, "unless", None) or getattr(rule, "when", None)
        asked = names if condition is None else [*names, condition.name]
        if condition is not None and condition.values and self.effective(condition.name) is None:
            return True  # the missing attribute is reported separately
        needed = {child.tag for child in self.row.children if child.low}
        for name in asked:
            known = self.attributes.get(name)
            node, attribute = self.below(name) if known is None else (None, None)
            if known is None and node is None and name.removesuffix(base.TEXT_OF) in needed:
                return True  # the missing child is reported separately
            missing = node is None if known is None else known.leaf and self.given(name)[1] is None
            if missing and (id(self.node), ANY_CHILD) in poisoned:
                return True
            field = "text" if name.endswith(base.TEXT_OF) else attribute and attribute.field
            if known is None and field is not None and (id(node), field) in poisoned:
                return True
        attributes = [self.attributes[name] for name in asked if name in self.attributes]
        if any((id(self.node), attribute.field) in poisoned for attribute in attributes):
            return True
        for filler in self.known.spoilt(self.chain):
            sources = [provider(attribute, self.known.rows[type(filler)]) for attribute in attributes]
            if any(source is not None and (id(filler), source.field) in poisoned for source in sources):
                return True
        holders = {id(holder): holder for _, holder in map(self.given, names) if holder is not None}
        if len(holders) != 1 or not any(map(self.is_inherited, names)):
            return False
        (holder,) = holders.values()
        return rule in self.known.rows[type(holder)].rules

    def span(self, name: str) -> Span | None:
        """Where an attribute is given: on the element or its child, otherwise on the defaults element."""
        _, holder = self.given(name)
        if name not in self.attributes:
            node, attribute = self.below(name)
            at: Node = node or self.node
            return at.span if attribute is None else at.value_span(attribute)
        return (holder or self.node).value_span(self.attributes[name])

    def named(self, name: str) -> str:
        """The name of an attribute or child, with its place if it is from defaults."""
        if name not in self.attributes:
            tag, _, attribute = name.removesuffix(base.TEXT_OF).rpartition("/@")
            return f"`{attribute}` of <{tag}>" if tag else f"<{attribute}>"
        if self.attributes[name].leaf:
            return f"<{name}>"
        if name == Text.name:
            return f"<{self.row.tag}>"
        _, holder = self.given(name)
        if holder is None or holder is self.node:
            return f"`{name}`"
        return f"`{name}` from the defaults{_at(self.span(name))}"

    def add(
        self,
        code: str,
        name: str | None,
        message: str,
        hint: str | None = None,
        related: Span | None = None,
    ) -> None:
        """A finding at an attribute of this element or its child, or at its start tag."""
        holder = None if name is None else self.given(name)[1]
        written = name is not None and holder is not None and not self.is_inherited(name)
        span = self.span(name) if name is not None and written else self.node.span
        value_step = "" if name is None else _value_step(name, self.attributes.get(name))
        self.scene.report(code, self.node, None, message, hint, related, at=At(span, value_step))

    def add_at_value(self, code: str, name: str, message: str, hint: str | None = None) -> None:
        """A finding about one value, at its place: on the element or, once for all elements that it applies
        to, in the defaults.
        """
        _, holder = self.given(name)
        if holder is None or holder is self.node or name not in self.attributes:
            self.add(code, name, message, hint)
        else:
            value_step = _value_step(name, self.attributes.get(name))
            self.scene.report(code, holder, None, message, hint, at=At(self.span(name), value_step))


def _value_step(name: str, row: Attribute | Text | None) -> str:
    """The step of an XPath to a value of an element."""
    sign = "@" if isinstance(row, Attribute) and not row.leaf else ""
    return f"/{sign}{name.removesuffix(base.TEXT_OF)}"


def _at(span: Span | None) -> str:
    return "" if span is None else f" at line {span.line}"


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def _word(value: Any) -> str:
    return f"`{value.value}`" if isinstance(value, Enum) else f"`{value}`"


def _without_common(root: Node, violations: list[tuple[View, base.Rule]]) -> Iterable[tuple[View, base.Rule]]:
    """Report an attribute that several elements of a kind need and none has only once, at the defaults."""
    groups: dict[tuple[str, str], list[View]] = {}
    for view, rule in violations:
        if isinstance(rule, base.Required) and view.filler_of(rule.name) is not None:
            groups.setdefault((view.row.key, rule.name), []).append(view)
    common = set()
    for (key, name), views in groups.items():
        row, filler = views[0].row, views[0].filler_of(name)
        field = views[0].attributes[name].field
        kind = [node for node in root.walk() if type(node) is row.cls]
        if len(views) > 1 and filler is not None and all(getattr(node, field) is None for node in kind):
            common.add((key, name))
            first = views[0].node.span
            message = f"no <{row.tag}> has `{name}`, and the defaults do not give it; {len(views)} need it"
            message += f", the first{_at(first)}"
            views[0].scene.report("PB021", filler, None, message)
    for view, rule in violations:
        if not isinstance(rule, base.Required) or (view.row.key, rule.name) not in common:
            yield view, rule


# --- one function per kind of rule about what is given ------------------------------------------------------


def _fault(view: View, rule: base.Rule) -> None:
    """What the row of a rule finds in the values that it is about."""
    names = rule_names(rule)
    message = rule.fault([view.given(name)[0] for name in names], list(map(view.named, names)))
    add = view.add if names[1:] else view.add_at_value
    add(rule.code, names[0], str(message))


def _required(view: View, rule: base.Required) -> None:
    case = ""
    if rule.unless is not None:
        kinds = " or ".join(_word(value) for value in rule.unless.values) or "given"
        case = f" unless its `{rule.unless.name}` is {kinds}"
    if rule.when is not None:
        now = f"is {_word(view.effective(rule.when.name))}" if rule.when.values else "is given"
        case += f" because its `{rule.when.name}` {now}"
    if rule.advised:
        message = f"<{view.row.tag}> has no {view.named(rule.name)}: some readers require it"
        view.add("PB028", None, message)
    else:
        row = view.attributes.get(rule.name)
        code = "PB015" if row is not None and row.leaf and row.required else "PB021"
        view.add(code, None, f"<{view.row.tag}> needs {view.named(rule.name)}{case}")


def _exclusive(view: View, rule: base.Exclusive) -> None:
    names = [name for name in rule.names if view.given(name)[1] is not None]
    written = [name for name in names if not view.is_inherited(name)]
    at = written[-1] if written else None
    view.add("PB022", at, f"{_listed(map(view.named, names))} are mutually exclusive", "keep one of them")


def _together(view: View, rule: base.Together) -> None:
    given = [name for name in rule.names if view.given(name)[1] is not None]
    missing = [view.named(name) for name in rule.names if name not in given]
    message = f"{_listed(map(view.named, given))} without {_listed(missing)}; give all of them or none"
    view.add("PB023", given[0], message)


def _one_of(view: View, rule: base.OneOf) -> None:
    names = " or ".join(map(view.named, rule.names))
    view.add("PB023", None, f"<{view.row.tag}> needs {names}")


def _requires(view: View, rule: base.Requires) -> None:
    missing = [view.named(name) for name in rule.needs if view.given(name)[1] is None]
    view.add("PB023", rule.name, f"{view.named(rule.name)} also needs {_listed(missing)}")


def _length(view: View, rule: base.Length) -> None:
    value, holder = view.given(rule.name)
    count = len(value) if isinstance(value, tuple) else 1
    member = view.effective(rule.by)
    low, high = rule.sizes[member]
    takes = f"{low}" if low == high else f"{low} to {high}"
    has = f"has {count} value{'s' * (count != 1)}"
    kind = f"`{rule.by}` {_word(member)} takes {takes if high else 'none'}"
    view.add("PB024", rule.name, f"{view.named(rule.name)} {has}; {kind}")
    if holder is not None and view.is_inherited(rule.name):
        message = (
            f"`{rule.name}` {has} and applies to the <{view.row.tag}>{_at(view.node.span)}, whose {kind}"
        )
        at = At(view.span(rule.name), "", holder)
        view.scene.report("PB024", view.node, None, message, at=at)


def _unit(view: View, rule: base.UnitQuaternion) -> None:
    value, _ = view.given(rule.name)
    numbers = value[rule.start : rule.start + 4]
    norm = math.hypot(*numbers)
    part = "" if len(value) == 4 else f" (values {rule.start + 1} to {rule.start + 4})"
    what = f"the quaternion `{rule.name}`{part}"
    if norm == 0.0 or not math.isfinite(norm):
        upright = " ".join("1" if letter == "w" else "0" for letter in rule.order)
        message = f"{what} has norm {norm:g} and is not a rotation"
        view.add_at_value("PB041", rule.name, message, f"`{upright}` is the identity rotation")
        return
    unit = " ".join(f"{number / norm:.9g}" for number in numbers)
    if rule.normalised:
        message = f"{what} has norm {norm:.9g}; it is normalised when used"
        view.add_at_value("PB042", rule.name, message, f"the unit quaternion is `{unit}`")
    else:
        view.add_at_value("PB043", rule.name, f"{what} has norm {norm:.9g}; it must be 1", f"write `{unit}`")


def _ignored(view: View, rule: base.Ignored) -> None:
    kind = f" with {view.named(rule.when.name)}"
    if rule.when.values:
        kind += f" {_word(view.effective(rule.when.name))}"
    elif rule.when.name in rule.names:  # it never has an effect
        kind = ""
    for name in rule.names:
        holder = view.given(name)[1]
        if holder is not None and not view.is_inherited(name) and not _exclude(view, name, rule.when.name):
            view.add(
                "PB027",
                name,
                f"{view.named(name)} has no effect on a <{view.row.tag}>{kind}",
                "remove it",
            )


def _exclude(view: View, first: str, second: str) -> bool:
    """Whether two attributes of the element itself are mutually exclusive, which is reported separately."""
    groups = [set(rule.names) for rule in view.row.rules if isinstance(rule, base.Exclusive) and rule.written]
    together = any(group.issuperset((first, second)) for group in groups)
    return together and view.given(second)[1] is view.node


def _inertia(view: View, rule: base.Inertia) -> None:
    own = view.attributes
    moments = [(view.effective(n) if n in own else view.given(n)[0]) or 0.0 for n in rule.names]
    given = next((name for name in rule.names if view.given(name)[1] is not None), None)
    owner = view.scene.place(view.node).owner()
    what = f"<{view.row.tag}>" + (f" of {owner}" if owner else "")
    view.add("PB047", given, f"{what} is not a possible inertia: {inertia_fault(moments)}")


def _deprecated(view: View, rule: base.Deprecated) -> None:
    value = f" {_word(view.given(rule.name)[0])}" if rule.values else ""
    message = f"not every reader of the format supports {view.named(rule.name)}{value}"
    view.add("PB074", rule.name, message, rule.instead)


_WORDS: dict[type[Any], Callable[[View, Any], None]] = {
    base.Required: _required,
    base.Exclusive: _exclusive,
    base.Together: _together,
    base.OneOf: _one_of,
    base.Requires: _requires,
    base.Length: _length,
    base.UnitQuaternion: _unit,
    base.Ignored: _ignored,
    base.Inertia: _inertia,
    base.Deprecated: _deprecated,
}


# --- names -------------------------------------------------------------------------------------------------


def _duplicate(view: View, attribute: Attribute | Text, first: Node) -> None:
    """A name that another element already has."""
    value = clip(str(view.given(attribute.name)[0]))
    what = f"the {attribute.declares} name `{value}`"
    view.add(
        "PB031",
        attribute.name,
        f"{what} is already used{_at(first.span)}",
        related=first.value_span(attribute),
    )


def _exists(
    name: str, attribute: Attribute | Text, lost: set[str], made: Callable[[str, str], bool] | None
) -> bool:
    """Whether a name exists though no element declares it, or may exist."""
    return name in lost or (made is not None and any(made(space, name) for space in attribute.refers))


def _reference(
    view: View, attribute: Attribute | Text, declared: Mapping[str, Any], missing: list[Any]
) -> None:
    kinds = " or ".join(attribute.refers)
    for name in missing:
        message = f"{view.named(attribute.name)}: there is no {kinds} `{clip(str(name))}`"
        view.add("PB032", attribute.name, message, did_you_mean(str(name), declared))
