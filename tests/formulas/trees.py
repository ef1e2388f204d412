"""Random formulas over a few joints."""

from __future__ import annotations

import random

from polybody.formulas import Call, Chain, Expression, Negative, Not, Number, Power, Variable
from polybody.formulas.expressions import LEVELS
from polybody.formulas.functions import FUNCTIONS

JOINTS = ("a", "b", "J0", "left-knee", "2.roll", "a-b", "pow2", "\u03b1")
SMOOTH = (
    "sin",
    "cos",
    "tan",
    "tanh",
    "exp",
    "atan",
    "asinh",
    "cosh",
    "sinh",
    "atan2",
    "hypot",
    "SASS",
    "sec",
    "cot",
)


class Trees:
    """Draws trees; ``smooth`` ones have a derivative wherever they have a value."""

    def __init__(self, seed: int, joints: tuple[str, ...] = JOINTS, *, smooth: bool = False) -> None:
        self.draw = random.Random(seed)
        self.joints, self.smooth = joints, smooth

    def tree(self, deepest: int = 6) -> Expression:
        draw = self.draw
        kind = draw.randrange(8)
        if deepest == 0 or kind < 2:
            return self.leaf()
        if kind == 2:
            return Negative(self.tree(deepest - 1))
        if kind == 3 and not self.smooth:
            return Not(self.tree(deepest - 1))
        if kind == 4:
            exponent = Number(float(draw.randint(1, 4))) if self.smooth else self.tree(deepest - 1)
            return Power(self.tree(deepest - 1), exponent)
        if kind == 5:
            name = draw.choice(SMOOTH if self.smooth else tuple(FUNCTIONS))
            return Call(name, tuple(self.tree(deepest - 1) for _ in range(FUNCTIONS[name].arguments)))
        operators = draw.choice(LEVELS[3:] if self.smooth else LEVELS)
        if self.smooth:
            operators = operators[:2]
        rest = tuple((draw.choice(operators), self.tree(deepest - 1)) for _ in range(draw.randint(1, 3)))
        return Chain(self.tree(deepest - 1), rest)

    def leaf(self) -> Expression:
        draw = self.draw
        if draw.random() < 0.6:
            return Variable(draw.choice(self.joints), draw.choice((0, 0, 0, 1, 2)))
        if self.smooth:
            return Number(round(draw.uniform(0, 3), 2))
        return Number(
            draw.choice(
                (0.0, 1.0, 0.5, 1e-300, 1.7976931348623157e308, 2.5e-7, draw.random(), 12345678901234567.0)
            )
        )
