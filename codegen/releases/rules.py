"""Rules about attributes that are given, in one form, however a schema or a grammar states them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from .described import Rule

Bundle = tuple[str, ...]
"""Attributes that count as one: given if any of them is, complete if all are."""


def exclusive(bundles: Iterable[Bundle]) -> Iterator[Rule]:
    """At most one bundle is given: no attribute of one goes with one of another."""
    for one, other in combinations(bundles, 2):
        for pair in product(one, other):
            if pair[0] != pair[1]:
                yield Rule("exclusive", tuple(sorted(pair)))


def together(names: Iterable[str]) -> Iterator[Rule]:
    """All are given or none."""
    for pair in combinations(sorted(names), 2):
        yield Rule("together", pair)


def alternatives(bundles: Sequence[Bundle]) -> Iterator[Rule]:
    """At least one bundle is complete: of each choice of one attribute per bundle, one is given."""
    for chosen in product(*bundles):
        yield Rule("anyOf", tuple(sorted(set(chosen))))


def gathered(rules: Iterable[Rule]) -> Iterator[Rule]:
    """The same rules in fewer: all attributes that are mutually exclusive, or go together, are in one."""
    left = dict.fromkeys(rules)
    while left:
        rule = next(iter(left))
        names = list(rule.names)
        if rule.kind in ("exclusive", "together"):
            others = [name for each in left if each.kind == rule.kind for name in each.names]
            for name in dict.fromkeys(others):
                pairs = [Rule(rule.kind, tuple(sorted((name, one)))) for one in names if one != name]
                if name not in names and all(pair in left for pair in pairs):
                    names.append(name)
            for pair in combinations(sorted(names), 2):
                left.pop(Rule(rule.kind, pair), None)
        else:
            del left[rule]
        yield Rule(rule.kind, tuple(names))


def missing(theirs: Iterable[Rule], ours: Iterable[Rule]) -> list[Rule]:
    """Those of their rules that do not follow from ours. Attributes that go together stand for each other."""
    theirs, ours = list(dict.fromkeys(theirs)), list(ours)
    stands: dict[str, str] = {}
    for rule in theirs:
        if rule.kind == "together":
            first, second = (stands.get(name, name) for name in rule.names)
            stands = {name: first if other == second else other for name, other in stands.items()}
            stands |= {second: first, rule.names[1]: first}
    known = {_as_known(rule, stands) for rule in ours}
    required = [set(rule.names) for rule in known if rule.kind == "anyOf"]
    left = []
    for rule in theirs:
        said = rule if rule.kind == "together" else _as_known(rule, stands)
        if said.kind == "anyOf" and any(names <= set(said.names) for names in required):
            continue
        if said not in (known if said.kind != "together" else ours):
            left.append(rule)
            known.add(said)
    return left


def _as_known(rule: Rule, stands: dict[str, str]) -> Rule:
    names = [stands.get(name, name) for name in rule.names]
    return Rule(rule.kind, tuple(names if rule.kind == "requires" else sorted(set(names))))
