"""Differences as lines for the schema, below the type or the group of attributes that they belong to.

What is new has ``pb:since``: the release, or an earlier one that the schema states by ``pb:newer``. What is
gone has ``pb:until``; a comment says what was otherwise before. Several owners of the same lines have one
heading. A group of attributes stands for all elements that use it. A new element has a type of ours, if one
has its attributes, or a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.sax.saxutils import quoteattr

from ..schema import Kind, Schema
from ..schema.model import Attribute as Declared
from .comparison import TEXT, Row
from .described import ANY, Attribute, Description, Path, Rule
from .rules import gathered
from .types import Types, camel
from .versions import exists

UNKNOWN = "<!-- type and default are not described -->"
ATTRIBUTE = "<xs:attribute name="


class Lines:
    """Lines for a schema.

    Args:
        schema: the schema.
        ours: its description, as it was compared.
        theirs: that of the release.
        since: the release.
        until: the release before it; "" if none is known.
        by_change: whether the schema states another type or default of an attribute by pb:change.
    """

    def __init__(
        self,
        schema: Schema,
        ours: Description,
        theirs: Description,
        since: str,
        until: str,
        by_change: bool = False,
    ) -> None:
        self.by_change = by_change
        self.schema, self.ours, self.theirs = schema, ours, theirs
        self.since, self.until = f'pb:since="{since}"', f'pb:until="{until or "?"}"'
        self.former = f"until {until}" if until else "before"
        self.release = since
        self.types = Types(schema, ours)
        self.elements = {element.key: element for element in schema.elements}
        self.found: dict[str, dict[str, None]] = {}  # line -> the owners that it is for
        self.of_kind: dict[str, list[Path]] = {}  # declaration of theirs -> where it is
        for path, element in theirs.items():
            if element.kind:
                self.of_kind.setdefault(element.kind, []).append(path)
        self.new: dict[str, list[str]] = {}  # new type -> its lines
        self.made: dict[str, str] = {}  # declaration of theirs -> its new type
        self.shared: dict[
            str, dict[str, None]
        ] = {}  # type or group of attributes -> the elements that use it
        self.groups: set[str] = set()
        for kind in dict.fromkeys(element.kind for element in ours.values() if element.kind):
            definition = self.elements[kind]
            groups = {declared.group: None for declared in definition.attributes if declared.group}
            self.groups.update(groups)
            for name in (definition.type_name, *groups):
                if name:
                    self.shared.setdefault(name, {})[kind] = None

    def of(self, rows: Sequence[Row]) -> Iterator[str]:
        """The lines, with headings, in the order of the rows."""
        for row in rows:
            if row.name and row.rule is None:
                self._of_attribute(row)
        of_attributes = dict(self.found)
        for row in rows:
            if row.rule is not None:
                self._put(self.ours[row.path].kind, _rule(row.rule, self.release))
            elif not row.name:
                self._of_element(row, of_attributes)
        sections: dict[tuple[str, ...], list[str]] = {}
        for line, owners in self.found.items():
            sections.setdefault(self._owners(line, list(owners)), []).append(line)
        for group, lines in sections.items():
            yield "; ".join(self._heading(owner) for owner in group)
            yield from (f"  {line}" for line in lines)
        for name, lines in self.new.items():
            yield f"new type {name}, of {lines[0]}"
            yield from (f"  {line}" for line in lines[1:])
        if self.types.lacking:
            yield "new simple types"
            yield from (f"  {line}" for line in self.types.lacking.values())

    def _since(self, owner: str, name: str) -> str:
        """Since when an attribute or a child is there: the schema may know it as newer than what it reads."""
        known = {name: since for rule in self.elements[owner].rules for name, since in rule.newer().items()}
        since = known.get(name, self.release)
        return f'pb:since="{since}"' if exists(since, "", self.release) else self.since

    def _put(self, owner: str, line: str) -> None:
        self.found.setdefault(line, {})[owner] = None

    def _of_attribute(self, row: Row) -> None:
        element = self.ours[row.path]
        leaf = not element.kind  # a child with text only, which its parent declares
        owner = self.ours[row.path[:-1]].kind if leaf else element.kind
        name = row.path[-1] if leaf else row.name
        declared = self.types.declared.get((owner, name))
        if row.ours is None or declared is None:
            if row.theirs is not None:
                self._put(owner, self._attribute(name, row.theirs, row.path[-1], self._since(owner, name)))
        elif row.theirs is None:
            self._put(owner, self._gone(declared, leaf))
        else:
            changes = [change for change in row.changes if change != "keywords"]
            if "keywords" in row.changes and not self._of_keywords(declared, row):
                changes.insert(0, "type")
            if changes:
                self._put(owner, self._changed(name, declared, row, changes))

    def _of_keywords(self, declared: Declared, row: Row) -> bool:
        """Put lines for the keywords of a named type. Return False if it has none and is of another."""
        assert row.ours is not None
        assert row.theirs is not None
        ours, theirs = row.ours, row.theirs
        missing = f"not named for {declared.name} of <{row.path[-1]}>"
        if not declared.type.name or all(form.kind is not Kind.ENUM for form in declared.forms):
            return False
        for word in [*theirs.keywords, *ours.keywords]:
            line = f"<xs:enumeration value={quoteattr(word)} "
            if word not in ours.keywords:
                self._put(declared.type.name, f"{line}{self.since}/>")
            elif word in theirs.keywords:
                continue
            elif word in self._named_for(declared.type.name):  # by another attribute of the type
                remedy = "it has another type, or a row of codegen/releases/accepted.py"
                self._put(declared.type.name, f'<!-- "{word}" is {missing}: {remedy} -->')
            else:
                self._put(declared.type.name, f"{line}{self.until}/> <!-- {missing} -->")
        return True

    def _named_for(self, type_: str) -> set[str]:
        """The keywords that the release names for attributes of a type."""
        return {
            word
            for path, element in self.theirs.items()
            for name, said in element.attributes.items()
            if path in self.ours
            and (declared := self.types.declared.get((self.ours[path].kind, name))) is not None
            and declared.type.name == type_
            for word in said.keywords
        }

    def _changed(self, name: str, declared: Declared, row: Row, changes: list[str]) -> str:
        assert row.ours is not None
        assert row.theirs is not None
        type_ = declared.type.name or "xs:string"
        if {"type", "numbers"}.intersection(changes):
            type_ = self.types.name(name, row.theirs, row.path[-1])
        default = row.theirs.default if row.theirs.default is not None else row.ours.default
        required = row.theirs.required if row.theirs.required is not None else row.ours.required
        said = Attribute(default=default, required=required)
        before = {
            "type": f'type="{declared.type.name}"',
            "numbers": f'type="{declared.type.name}"',
            "default": "no default" if row.ours.default is None else f"default={quoteattr(row.ours.default)}",
            "required": "required" if row.ours.required else "optional",
        }
        words = ", ".join(dict.fromkeys(before[change] for change in changes))
        if self.by_change and "required" not in changes:
            stated = f" type={quoteattr(type_)}" if {"type", "numbers"}.intersection(changes) else ""
            stated += f" default={quoteattr(default or '')}" if "default" in changes else ""
            since = self.since.removeprefix("pb:")
            return f"<pb:change {since}{stated}/> <!-- of {name}; {self.former}: {words} -->"
        line = _declaration(name, type_, said, self.since, declared.leaf)
        return f"{line} <!-- {self.former}: {words} -->"

    def _gone(self, declared: Declared, leaf: bool) -> str:
        said = Attribute(default=declared.default, required=declared.required)
        return _declaration(declared.name, declared.type.name or "xs:string", said, self.until, leaf)

    def _attribute(self, name: str, said: Attribute, tag: str, version: str = "") -> str:
        if said.type is None:
            return f'{ATTRIBUTE}"{name}"{f" {version}" if version else ""}/> {UNKNOWN}'
        words = [f"pb:declares={quoteattr(said.declares)}"] if said.declares else []
        words += [f"pb:refers={quoteattr(said.refers)}"] if said.refers else []
        words += [version] if version else []
        return _declaration(name, self.types.name(name, said, tag), said, " ".join(words))

    def _of_element(self, row: Row, added: dict[str, dict[str, None]]) -> None:
        path, owner = row.path, self.ours[row.path[:-1]].kind
        tag = path[-1]
        if row.how == "new":
            self._put(owner, self._element(path, added, self._since(owner, tag)))
        elif row.how == "gone" and not self.ours[path].kind:
            self._put(owner, self._gone(self.types.declared[owner, tag], True))
        else:
            said, version = (
                (self.ours[path], self.until) if row.how == "gone" else (self.theirs[path], self.since)
            )
            if not self.ours[path].kind:  # a field of its parent
                text = said.text or self.ours[path].text
                assert text is not None
                optional = Attribute(default=text.default, required=said.low == 1)
                line = _declaration(tag, self.types.name(tag, text, path[-2]), optional, version, True)
                self._put(owner, line)
                return
            type_ = self.elements[self.ours[path].kind].type_name
            occurs = _occurs(said.low, said.high)
            self._put(owner, f'<xs:element name="{tag}" type="{type_}" {occurs}{version}/>')

    def _element(self, path: Path, added: dict[str, dict[str, None]], version: str = "") -> str:
        """A line for a new element. Its type is put if ours has none."""
        said, tag = self.theirs[path], path[-1]
        if said.text is not None and not said.attributes and not self._children(path):
            optional = Attribute(default=said.text.default, required=said.low == 1)
            type_ = self.types.name(tag, said.text, path[-2])
            return _declaration(tag, type_, optional, version, True)
        type_ = self._existing(path, added) or self._new_type(path, added)
        words = [f'<xs:element name="{tag}" type="{type_}"', _occurs(said.low, said.high).rstrip()]
        if said.text is not None and said.text.default is not None:
            words.append(f"pb:default={quoteattr(said.text.default)}")
        words.append(version)
        return f"{' '.join(word for word in words if word)}/>"

    def _children(self, path: Path) -> list[Path]:
        return [other for other in self.theirs if other[:-1] == path]

    def _existing(self, path: Path, added: dict[str, dict[str, None]]) -> str:
        """A type of ours for a new element: that of a place where the release has the same declaration; else
        one with its attributes, of the same tag or beside it. "" if there is none.
        """
        for other in self.of_kind.get(self.theirs[path].kind, ()):
            if other in self.ours and self.ours[other].kind:
                return self.elements[self.ours[other].kind].type_name
        if self._children(path) or self.theirs[path].text is not None:
            return ""
        names = set(self.theirs[path].attributes)
        beside = [other for other in self.ours if other[-1] == path[-1] or other[:-1] == path[:-1]]
        for other in sorted(beside, key=lambda other: other[-1] != path[-1]):
            definition = self.elements.get(self.ours[other].kind)
            if definition is None or definition.children or definition.text or not definition.type_name:
                continue
            lines = [line for line, owners in added.items() if definition.key in owners]
            if _with(set(self.ours[other].attributes), lines) == names:
                return definition.type_name
        return ""

    def _new_type(self, path: Path, added: dict[str, dict[str, None]]) -> str:
        """Note the lines of a new element's type. Return its name."""
        element = self.theirs[path]
        kind = element.kind or "/".join(path)
        if kind in self.made:
            return self.made[kind]
        name = camel(path[-1])
        others = {self.theirs[other].kind or other for other in self.theirs if other[-1] == path[-1]}
        if others - {element.kind or path} or name in self.types.places or name in self.new:
            above = self.ours.get(path[:-1])
            name = (
                above.kind if above else self.made[self.theirs[path[:-1]].kind or "/".join(path[:-1])]
            ) + name
        self.made[kind] = name
        lines = self.new[name] = ["/".join(path), f'<xs:complexType name="{name}">']
        if rules := [f"  {_rule(rule)}" for rule in gathered(element.rules)]:
            lines += [
                "<xs:annotation><xs:appinfo><pb:rules>",
                *rules,
                "</pb:rules></xs:appinfo></xs:annotation>",
            ]
        if children := [self._element(child, added) for child in self._children(path)]:
            lines += ["<xs:all>", *(f"  {child}" for child in children), "</xs:all>"]
        inner = list(self._attributes(path, added))
        if element.text is not None:
            type_ = self.types.name(path[-1], element.text, path[-2])
            inner = [f'<xs:simpleContent><xs:extension base="{type_}">', *inner]
            inner.append("</xs:extension></xs:simpleContent>")
        lines += [*inner, "</xs:complexType>"]
        lines[2:-1] = [f"  {line}" for line in lines[2:-1]]
        return name

    def _attributes(self, path: Path, added: dict[str, dict[str, None]]) -> Iterator[str]:
        """Lines for the attributes of a new element; groups of ours for those that they have."""
        left = dict(self.theirs[path].attributes)
        names = {group: self._names(group, added) for group in self.groups}
        for group in sorted(names, key=lambda group: (-len(names[group]), group)):
            if len(names[group]) > 1 and names[group] <= set(left):
                yield f'<xs:attributeGroup ref="{group}"/> <!-- {" ".join(sorted(names[group]))} -->'
                left = {key: said for key, said in left.items() if key not in names[group]}
        for key, said in left.items():
            yield self._attribute(key, said, path[-1])

    def _names(self, group: str, added: dict[str, dict[str, None]]) -> set[str]:
        """The attributes of a group, with those that lines add to it."""
        users = self.shared[group]
        attributes = self.elements[next(iter(users))].attributes
        here = {declared.name for declared in attributes if declared.group == group}
        lines = [line for line, owners in added.items() if group in self._owners(line, list(owners))]
        return _with(here, lines)

    def _owners(self, line: str, owners: list[str]) -> tuple[str, ...]:
        """The owners of a line; a type or a group stands for its elements, if all of them have the line."""
        name = line.split('"')[1] if line.startswith(ATTRIBUTE) else ""
        found: list[str] = []
        while True:
            several = [
                (len(users), shared)
                for shared, users in self.shared.items()
                if shared not in owners
                and (users.keys() <= set(owners))
                and (shared not in self.groups or (name and self._could(shared, users, name)))
            ]
            if not several:
                return (*found, *owners)
            shared = max(several)[1]
            found.append(shared)
            owners = [owner for owner in owners if owner not in self.shared[shared]]

    def _could(self, group: str, users: Iterable[str], name: str) -> bool:
        """Whether a group declares an attribute of all its users, or could, as none of them has it."""
        several = [self.elements[user] for user in users]
        groups = {each.group for element in several for each in element.attributes if each.name == name}
        return groups <= {group} and len(several) > 1

    def _heading(self, owner: str) -> str:
        place = self.types.places.get(owner)
        if place is None:  # an element of a type that others have as well
            place = self.types.places.get(self.elements[owner].type_name) if owner in self.elements else None
        of = ""
        if owner in self.groups:
            of = " ".join(dict.fromkeys(self.elements[user].type_name or user for user in self.shared[owner]))
        words = ", ".join(word for word in (f"group of {of}" if of else "", str(place or "")) if word)
        return f"{owner} ({words})" if words else owner


def _with(names: set[str], lines: Iterable[str]) -> set[str]:
    """Names of attributes, with those that lines add, and without those that are gone."""
    of_attributes = [line for line in lines if line.startswith(ATTRIBUTE)]
    gone = {line.split('"')[1] for line in of_attributes if " pb:until=" in line}
    return names.union(line.split('"')[1] for line in of_attributes) - gone


def _occurs(low: int | None, high: int | None) -> str:
    words = [] if low == 1 else ['minOccurs="0"']
    words += ['maxOccurs="unbounded"'] if high == ANY else []
    return "".join(f"{word} " for word in words)


def _rule(rule: Rule, since: str = "") -> str:
    version = f' since="{since}"' if since else ""
    if rule.kind == "requires":
        return f'<pb:requires of="{rule.names[0]}" names="{" ".join(rule.names[1:])}"{version}/>'
    written = ' written="true"' if rule.kind == "exclusive" else ""
    return f'<pb:{rule.kind} names="{" ".join(rule.names)}"{written}{version}/>'


def _declaration(name: str, type_: str, said: Attribute, version: str, element: bool = False) -> str:
    """An attribute as a line, or an element with text only, or a comment for the text of an element."""
    default = [] if said.default is None else [quoteattr(said.default)]
    key = "pb:default" if element or name == TEXT else "default"
    if default and " ..." in default[0]:  # the manual writes "0 ... 0", the notation "0 ..."
        key, default = "pb:default", [f'{default[0].partition(" ...")[0]} ..."']
    words = [f'type="{type_}"', *(f"{key}={text}" for text in default)]
    if name == TEXT:
        return " ".join(["<!-- text:", *words, *([version] if version else []), "-->"])
    if element:
        words = [
            f'<xs:element name="{name}"',
            words[0],
            *([] if said.required else ['minOccurs="0"']),
            *words[1:],
        ]
    else:
        words = [f'{ATTRIBUTE}"{name}"', *words, *(['use="required"'] if said.required else [])]
    return " ".join([*words, *([version] if version else [])]) + "/>"
