"""What defaults elements give to others, kept when they are deleted."""

from __future__ import annotations

from typing import Any

from polybody.base import Format, Ignored, Node
from polybody.document.includes import expand
from polybody.document.references import References
from polybody.document.resolver import Resolved, resolve
from polybody.editing.nested import ALTERNATIVES, class_around
from polybody.generated.formats import mjcf

Values = dict[str, tuple[Any, Any]]
"""By the name of an attribute: the value that the document gives, and the one that it has."""
MAIN = "main"
"""Name of the outermost defaults class, if it has no other."""


def gives(form: Format, node: Node) -> bool:
    """Whether an element gives defaults to others."""
    return any(form.elements[default.source].cls is type(node) for default in form.defaults)


def is_class(form: Format, node: Node) -> bool:
    """Whether an element is a defaults class."""
    row = next((row for row in form.elements.values() if row.cls is type(node)), None)
    return row is not None and any(each.defaults_class == "declares" for each in row.attributes)


class Inherited:
    """The values that the defaults elements of a document give to others, before some are deleted."""

    def __init__(self, references: References) -> None:
        self.references = references
        before = resolve(references.document)
        users = self._users(before)
        self.compiled = compiled(references, before, users)
        self.values = {
            id(node): (
                node,
                {name: (before.given(node, name), before.get(node, name)) for name in _names(before, node)},
            )
            for node in users
        }

    def _users(self, resolved: Resolved) -> list[Any]:
        """The elements that defaults apply to: the document's own, and those of included files."""
        form = self.references.form
        targets = {form.elements[default.target].cls for default in form.defaults}
        own = list(self.references.document.walk())
        known = set(map(id, own)) | {id(new) for new in expand(self.references.document, form)[1].values()}
        others = [node for node in resolved.expanded.walk() if id(node) not in known]
        self.foreign = set(map(id, others))
        return [node for node in (*own, *others) if type(node) in targets and resolved.fillers(node)]

    def keep(self) -> None:
        """Write the values that are no longer given.

        Raises:
            ValueError: what is given instead cannot be undone, or the element is in an included file.
        """
        after = resolve(self.references.document)
        remaining = {id(node) for node in after.expanded.walk()}
        remaining |= {id(node) for node in self.references.document.walk()}
        users = [pair for key, pair in self.values.items() if key in remaining]
        for node, values in users:
            idle = _without_effect(after, node, values)
            for name, (given, _) in values.items():
                if given is not None and name not in idle and after.given(node, name) != given:
                    self._write(after, node, name, given)
        for node, values in users:
            idle = _without_effect(after, node, values)
            for name, (given, effective) in values.items():
                if given is None and name not in idle and after.given(node, name) is not None:
                    self._write(after, node, name, effective)

        self._complete(after, users)

    def _complete(self, resolved: Resolved, users: list[tuple[Any, Values]]) -> None:
        """Write what MuJoCo takes from a class beyond values that the element does not give.

        Of a vector with fewer numbers, the last ones are those of the class; actuators of all types share
        their parameters.
        """
        nodes = [node for node, _ in users]
        now = compiled(self.references, resolved, nodes)
        for node in nodes if now else ():
            attributes = resolved.kinds[type(node)].attributes
            fields = {attributes[name].field: name for name in _names(resolved, node)}
            values, before = now[id(node)], self.compiled[id(node)]
            for field in [field for field in before if field in fields and values[field] != before[field]]:
                if getattr(node, field) is not None:
                    self._write(resolved, node, fields[field], before[field])
        again = compiled(self.references, resolved, nodes)
        for node, given in users if again else ():
            values, before = again[id(node)], self.compiled[id(node)]
            idle = {"class_", *_without_effect(resolved, node, given), *_unused(before)}
            different = [name for name in before if name not in idle and values[name] != before[name]]
            if different:
                at = f" at {node.place}" if node.place else ""
                raise ValueError(
                    f"<{node.TAG}>{at} would have another `{different[0]}`, which cannot be written there"
                )

    def _write(self, resolved: Resolved, node: Any, name: str, value: Any) -> None:
        at = f" at {node.place}" if node.place else ""
        if id(node) in self.foreign:
            raise ValueError(f"the `{name}` of <{node.TAG}>{at}, in an included file, would be another one")
        if value is None:
            raise ValueError(f"<{node.TAG}>{at} would have another `{name}`, which cannot be undone")
        attributes = resolved.kinds[type(node)].attributes
        for other in _ignored_with(resolved, node, name):  # it had no effect, and cannot be beside the value
            setattr(node, attributes[other].field, None)
        setattr(node, attributes[name].field, value)


def _ignored_with(resolved: Resolved, node: Node, name: str) -> list[str]:
    """The attributes that have no effect where another one is given."""
    rules = resolved.kinds[type(node)].row.rules
    found = (rule for rule in rules if isinstance(rule, Ignored) and rule.when.name == name)
    return [other for rule in found if not rule.when.values for other in rule.names]


def _without_effect(resolved: Resolved, node: Node, values: Values) -> set[str]:
    """The attributes that have no effect beside others, with some values."""
    found: set[str] = set()
    for rule in resolved.kinds[type(node)].row.rules:
        if isinstance(rule, Ignored) and rule.when.name in values:
            given, effective = values[rule.when.name]
            if effective in rule.when.values if rule.when.values else given is not None:
                found.update(rule.names)
    if isinstance(node, mjcf.Joint) and values["type"][1] is mjcf.JointType.FREE:
        found.add("limited")
    return found


def _unused(values: dict[str, Any]) -> set[str]:
    """What MuJoCo does not use of the compiled values of an element."""
    found = {*ALTERNATIVES}  # the one that is used is the value `alternative`
    found |= {"tag", "around", "apart"}  # whose values those of an actuator began as
    if values.get("fromto") is not None:
        found.add("alternative")
    if values.get("alternative") is not None:
        found.add("quat")
    if values.get("biastype") is mjcf.BiasType.NONE:
        found.add("biasprm")
    if values.get("dyntype") is mjcf.DynamicsType.NONE:
        found.add("dynprm")
    return found


def _names(resolved: Resolved, node: Node) -> list[str]:
    rows = resolved.kinds[type(node)].row.attributes
    return [row.name for row in rows if not (row.defaults_class or row.declares)]


def compiled(references: References, resolved: Resolved, users: list[Any]) -> dict[int, dict[str, Any]]:
    """The values of elements of MJCF as MuJoCo combines them with those of classes; none in other formats."""
    if references.form.name != "mjcf":
        return {}
    from polybody.lowering.mjcf.values import ROWS, Defaults, filled

    form = references.form
    kinds = {form.elements[d.target].cls: form.elements[d.source].tag for d in form.defaults}
    defaults = Defaults(references.document)
    found = {}
    for node in users:
        tag = kinds[type(node)]
        kind = tag if tag in ROWS else "actuator"
        name = getattr(node, "class_", None) or resolved._below.get(id(node), MAIN)
        found[id(node)] = filled(kind, defaults.base(kind, name), node)
    return found


def class_instead(references: References, target: Node, user: Node, gone: set[int]) -> str | None:
    """The name of the class that replaces a deleted one: the one around it, of which it began as a copy.

    Args:
        target: the deleted class.
        user: the element that names it.
        gone: the ``id`` of the elements that are going to be deleted.
    """
    form, parents = references.form, references.parents
    current: Any = target
    while id(current) in gone:
        current = parents[id(current)]
    if is_class(form, current) and is_class(form, parents[id(current)]):
        return str(current.class_)
    classes = [node for node in references.document.walk() if is_class(form, node)]
    deleted = {each.class_ for each in classes if id(each) in gone}  # type: ignore[attr-defined]
    around = class_around(references, user)
    if around is None or around in deleted:
        return None
    outermost: list[Any] = [each for each in classes if not is_class(form, parents[id(each)])]
    return next((str(each.class_) for each in outermost if each.class_ and id(each) not in gone), MAIN)
