"""The rules between values: a class for each kind of rule, which is all that the generator knows of it.

The fields of a class are the attributes that state a rule of its kind. Its methods check a rule against the
element that has it, and give the rows of runtime/base that readers check, the sentence of the reference, what
an example must have, and what a comparison of two schemas shows.

arguments  the attributes that state a rule, as types of the fields of its class: each says how its text is
           read
graphs     rules about the references between elements
presence   rules about what is given together with what
rule       what all kinds of rules have in common
values     rules about numbers, and defaults that depend on other values
"""

from .arguments import Condition
from .graphs import Graph
from .presence import AnyOf, Exclusive, Ignored, Newer, OneOf, Required, Requires, Together
from .rule import Rule, Shown
from .values import Ascending, Default, Differ, Increasing, Inertia, InOrder, Nonzero, UnitQuaternion

KINDS: dict[str, type[Rule]] = {
    each.kind(): each
    for each in (
        *(Exclusive, Together, OneOf, AnyOf, Requires, Required, Ignored, Newer),
        *(Default, Ascending, Differ, UnitQuaternion, Increasing, InOrder, Nonzero, Inertia),
        Graph,
    )
}
"""The kinds of rules by their names in schemas."""

__all__ = ["KINDS", "Condition", "Rule", "Shown"]
