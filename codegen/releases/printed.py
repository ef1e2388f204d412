"""Elements and attributes from the library's own table, which `mj_printSchema` prints.

Each line has a tag, indented by its depth, a mark of how often the element may occur, and names of
attributes, which continue on the next lines.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path as File

from .described import ANY, Attribute, Description, Element, Path

_LINE = re.compile(r"( *)(\(world\)body|\w+) \(([!?*R])\) *(.*)")
OFTEN = {"!": (1, 1), "?": (0, 1), "*": (0, ANY), "R": (0, ANY)}
"""How often an element may occur, by its mark."""
INDENT = 3
ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
text = ctypes.create_string_buffer(1 << 22)
if not 0 < library.mj_printSchema(None, text, len(text), 0, 0) < len(text):
    sys.exit("mj_printSchema prints nothing")
sys.stdout.write(text.value.decode())
"""
"""The library may end the process, so it is asked in another one."""
WORLD = "(world)body"
"""The line that is about <worldbody>, which has no attributes, and about <body>."""
INCLUDE = "include"
REPLACED = frozenset(("frame", "replicate", INCLUDE))
"""Elements that the library replaces before it looks at its table."""


def printed(library: File) -> Description:
    """The description that a library prints.

    Raises:
        OSError: it cannot be asked; the message is the library's or the loader's.
    """
    command = [sys.executable, "-c", ASK, str(library)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"])[-1]
        raise OSError(f"{library} does not print its elements: {reason}")
    return parsed(done.stdout)


def parsed(text: str) -> Description:
    """The description in a printed table.

    Raises:
        ValueError: the text is not such a table; the message has the line.
    """
    found: dict[Path, list[str]] = {}
    marks: dict[Path, str] = {}
    path: Path = ()
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line.rstrip())
        if match:
            depth, names = len(match[1]) // INDENT, match[4].split()
            if len(path) < depth:
                raise ValueError(f"line {number}: {match[2]} is indented more than below its parent")
            path = (*path[:depth], match[2])
            found[path], marks[path] = names, match[3]
        elif line.strip() and path:
            found[path] += line.split()
        elif line.strip():
            raise ValueError(f"line {number}: expected an element, not {line.strip()!r}")
    return {
        _placed(path): Element({name: Attribute() for name in names}, None, *OFTEN[marks[path]])
        for path, names in found.items()
    }


def _placed(path: Path) -> Path:
    """The path of bodies below <worldbody>."""
    return tuple(part for tag in path for part in (("worldbody", "body") if tag == WORLD else (tag,)))
