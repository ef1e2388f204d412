"""The caller's choices about the meaning of an SDFormat document."""

from __future__ import annotations

from typing import Literal, NamedTuple

Meaning = Literal["drake", "gazebo"]


class Settings(NamedTuple):
    """How a document is interpreted."""

    meaning: Meaning = "drake"

    @property
    def gazebo(self) -> bool:
        """Whether elements that Drake ignores and Gazebo simulates are used."""
        return self.meaning == "gazebo"
