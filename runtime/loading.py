"""From a file to a Model in one call."""

from __future__ import annotations

import os

from polybody.diagnostics import Policy
from polybody.lowering import lower
from polybody.model.model import Model
from polybody.reading import read


def load(
    path: str | os.PathLike[str],
    seed: int = 0,
    randomize: bool = False,
    *,
    policy: Policy = "strict",
    format: str = "auto",
) -> Model:
    """Read, check and compile a model file.

    Args:
        path: the file.
        seed: of the random numbers that a format asks for, such as x_xy's random joint axes.
        randomize: draw also what a file says may be drawn, such as x_xy's positions from pos_min to pos_max.
        policy: what counts as an error; see ``polybody.read``.
        format: the format's name; "auto" looks at the content.

    Raises:
        ValidationError: the file has errors, or makes no Model that can be.
    """
    document = read(path, policy=policy, format=format)
    return lower(document, seed=seed, randomize=randomize, policy=policy)
