"""A picture of completion in use: Neovim in an emulated terminal, with an XML language server.

``python -m tests.editing.screen docs/completion.svg``. Requires Neovim 0.7 or newer on the path and the
package `pyte`, which emulates a terminal.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from .client import SERVER, command, settings
from .documents import DOCUMENTS

COLUMNS, LINES = 100, 22
WIDE, HIGH = 8.4, 18
"""Size of a cell in the picture."""
PATIENCE = 40.0
CHOSEN, MANY = "limit", 50
"""The item whose documentation is shown, and the maximum number of items to search."""
OMNI, NEXT = "\x18\x0f", "\x0e"
"""Keys that request completion, and that move to the next item."""
INK, PAPER = "24292f", "ffffff"


class Terminal:
    """A program in a terminal, and the content of its screen."""

    def __init__(self, program: list[str], folder: Path, environment: dict[str, str]) -> None:
        import pyte

        self.screen = pyte.Screen(COLUMNS, LINES)
        self.stream = pyte.ByteStream(self.screen)
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            program,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**os.environ, **environment, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        self.file = ours

    def type(self, keys: str) -> None:
        os.write(self.file, keys.encode())

    def wait(self, seen: Callable[[str], bool]) -> None:
        """Wait until the screen shows the expected text and has not changed for a moment.

        Raises RuntimeError if that does not happen.
        """
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([self.file], [], [], 1.0)
            if ready:
                self.stream.feed(os.read(self.file, 1 << 16))
            elif seen("\n".join(self.screen.display)):
                return
        shown = "\n".join(self.screen.display)
        raise RuntimeError(f"the editor does not show what was waited for:\n{shown}")

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.file)


def photograph(name: str, chosen: str) -> Any:
    """The screen after completion was requested in the document of a format and an item was selected."""
    document = DOCUMENTS[name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / document.file).write_text(document.text, encoding="utf-8")
        environment = {
            "POLYBODY_COMMAND": json.dumps(command()),
            "POLYBODY_SETTINGS": json.dumps(settings(folder.resolve())),
        }
        script = Path(__file__).with_name("neovim.lua")
        terminal = Terminal(["nvim", "-n", "-u", str(script), document.file], folder, environment)
        try:
            line, _ = document.place
            terminal.wait(lambda shown: "■" in shown)
            terminal.type(f"{line + 1}GA{OMNI}")
            terminal.wait(lambda shown: all(f" {word} " in shown for word in document.offered))
            for _ in range(MANY):
                if any(f"<{chosen}" in row for row in terminal.screen.display):
                    break
                terminal.type(NEXT)
                terminal.wait(lambda shown: True)
            return terminal.screen
        finally:
            terminal.stop()


# --- the picture -------------------------------------------------------------------------------------------


def svg(screen: Any, title: str) -> str:
    """The screen as SVG: a rectangle for each run of cells of one background colour, a text for each of one
    foreground colour.
    """
    width, height = COLUMNS * WIDE, LINES * HIGH
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" fill="#{PAPER}"/>',
    ]
    for y in range(LINES):
        for x, length, paper in _runs(screen, y, _paper):
            if paper != PAPER:
                rows.append(
                    f'<rect x="{x * WIDE:g}" y="{y * HIGH}" width="{length * WIDE:g}" height="{HIGH}" '
                    f'fill="#{paper}"/>'
                )
        for x, length, (ink, bold, line) in _runs(screen, y, _ink):
            text = "".join(screen.buffer[y][x + place].data for place in range(length))
            if text.strip():
                style = ' font-weight="bold"' * bold + ' text-decoration="underline"' * line
                rows.append(
                    f'<text x="{x * WIDE:g}" y="{y * HIGH + 13}" textLength="{length * WIDE:g}" fill="#{ink}"'
                    f'{style} xml:space="preserve">{escape(text)}</text>'
                )
    return "\n".join([*rows, "</svg>", ""])


def _paper(cell: Any) -> str:
    colour = cell.fg if cell.reverse else cell.bg
    return _colour(colour, INK if cell.reverse else PAPER)


def _ink(cell: Any) -> tuple[str, bool, bool]:
    colour = cell.bg if cell.reverse else cell.fg
    return _colour(colour, PAPER if cell.reverse else INK), cell.bold, cell.underscore


def _colour(name: str, default: str) -> str:
    return name if len(name) == 6 and all(digit in "0123456789abcdef" for digit in name) else default


def _runs(screen: Any, y: int, look: Callable[[Any], Any]) -> Iterator[tuple[int, int, Any]]:
    """Runs of cells of the same style in a line: start, length and style."""
    looks = [look(screen.buffer[y][x]) for x in range(COLUMNS)]
    start = 0
    for x in range(1, COLUMNS + 1):
        if x == COLUMNS or looks[x] != looks[start]:
            yield start, x - start, looks[start]
            start = x


def main(path: Path) -> int:
    if not command():
        print(f"{SERVER} names no language server", file=sys.stderr)
        return 2
    screen = photograph("urdf", CHOSEN)
    print("\n".join(screen.display))
    path.write_text(svg(screen, "Completion in a URDF, in Neovim"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
