"""Starts the process that builds a program: what it imports is what the requesting process has, or installed.

    python -P start.py JOB NAME=FOLDER ...

Neither the folder of the user's script nor other folders that only the requesting process searches are
searched, because a file there may be named like a module. The NAMEs are packages with the folder in which the
requesting process found them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


class Found:
    """Finds packages in given folders, and nothing else in these."""

    def __init__(self, places: dict[str, str]) -> None:
        self.places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The package of a name, if it is one of these."""
        place = self.places.get(name)
        return None if place is None else PathFinder.find_spec(name, [place], target)


if __name__ == "__main__":
    sys.meta_path.insert(0, Found(dict(each.split("=", 1) for each in sys.argv[2:])))
    from polybody.programs.worker import main

    main()
