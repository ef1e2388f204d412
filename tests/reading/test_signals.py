"""Signals, such as Ctrl-C, are handled while a large document is read and checked."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.waiting import PATIENCE, environment, python, said

if sys.platform == "win32":
    pytest.skip("no timers that send signals on Windows", allow_module_level=True)

CHECKED = '''
import signal
from collections import Counter
import polybody

seen = Counter()
signal.signal(signal.SIGALRM, lambda _, frame: seen.update([frame.f_code.co_name]))
text = """{text}""".replace("@", """{part}""" * 100_000)
polybody.check("m.xml", text="<mujoco/>")
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
polybody.check("m.xml", text=text, model=False)
signal.setitimer(signal.ITIMER_REAL, 0)
print(seen["{function}"] > 3, seen)
'''
PARTS = {
    "of four tags": '<body><geom size=".1"/></body>',
    "empty": '<geom size=".1"/>',
    "with text": "<body><!-- a --><geom/></body>",
}
"""The scanner counts tags: of the first ones, it always counts odd numbers where it looks for signals."""


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("parser", ["scanner", "expat"])
def test_signals_are_handled_in_a_parse(part: str, parser: str) -> None:
    if parser == "expat":  # which reads what the scanner does not
        part = part.replace("<geom", "<geom name='&lt;'")
    text = "<mujoco><worldbody>@</worldbody></mujoco>"
    code = CHECKED.format(text=text, part=part, function="_parse")
    assert said(code).startswith("True")


def test_signals_are_handled_in_a_check() -> None:
    text, part = "<mujoco><worldbody>@</worldbody></mujoco>", PARTS["of four tags"] * 3
    assert said(CHECKED.format(text=text, part=part, function="check_rules")).startswith("True")


LEFT = """
import atexit, os, signal, time
from polybody import cli

def app(**_):
    print("some")
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt as error:
        raise SystemExit(130) from error

class Kept:
    def __del__(self):
        print("freed")

kept = Kept()
atexit.register(lambda: print("left", flush=True))
cli.app = app
cli.run()
"""


def test_a_command_that_is_interrupted_frees_nothing() -> None:
    """A large document takes seconds to free; output is complete, and what is to be removed is removed."""
    done = subprocess.run(
        python(LEFT), env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "some\nleft\n", "")
