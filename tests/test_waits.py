"""No test waits indefinitely, loses an exception of a thread, leaves a process behind or reads a clock.

Tests that need these use `tests.waiting`, which limits them in one place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent
HELPER = ROOT / "waiting.py"
OWN_PROCESS = {"editing/client.py", "editing/screen.py", "fuzz/child.py", "hostile/mutations.py"}
"""They keep a process of their own running, and end it themselves."""
CLOCK = {
    *("editing/screen.py", "fuzz/__main__.py", "fuzz/child.py", "differential/thousand.py"),
    "hostile/mutations.py",
}
"""Not tests: code that waits for an editor to draw, and programs that run for a number of minutes."""
CLOCKS = {"sleep", "perf_counter", "perf_counter_ns", "monotonic", "process_time", "thread_time"}
ELSEWHERE = {
    "subprocess.Popen": "tests.waiting.process",
    "threading.Thread": "tests.waiting.start",
    "os.fork": "tests.waiting.in_a_fork",
    "os.waitpid": "tests.waiting.in_a_fork",
}
BOUNDED = {"run", "check_output", "check_call", "call", "communicate"}
"""Functions that start processes: they take `timeout=`."""
ENDLESS_ALONE = {"wait", "join", "get", "result", "exception", "acquire"}
"""Methods that wait indefinitely if called without an argument."""
BUILDS = {"build", "ask"}
"""polybody's own: a build ends because its compilers are ended."""


def faults(text: str, name: str = "test.py") -> Iterator[tuple[int, str]]:
    """The lines of a test's text that break the rule, and what to do instead."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import | ast.ImportFrom) and name not in CLOCK:
            module = getattr(node, "module", None)
            if module == "time" and CLOCKS & {alias.name for alias in node.names}:
                yield node.lineno, "a test looks at no clock"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "time" and node.attr in CLOCKS and name not in CLOCK:
                yield node.lineno, f"time.{node.attr}: a test looks at no clock; wait by tests.waiting.until"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield from _call(node, node.func, name)


def _call(node: ast.Call, function: ast.Attribute, name: str) -> Iterator[tuple[int, str]]:
    of = function.value
    called = f"{of.id}.{function.attr}" if isinstance(of, ast.Name) else ""
    if called in ELSEWHERE and not (called != "threading.Thread" and name in OWN_PROCESS):
        yield node.lineno, f"{called}: take {ELSEWHERE[called]}"
    named = {keyword.arg for keyword in node.keywords}
    process = function.attr == "communicate" or (isinstance(of, ast.Name) and of.id == "subprocess")
    if process and function.attr in BOUNDED and "timeout" not in named:
        yield node.lineno, f"{function.attr}: give it timeout=PATIENCE, of tests.waiting"
    root = of.func if isinstance(of, ast.Call) else of
    build = isinstance(root, ast.Name) and root.id in BUILDS
    if function.attr in ENDLESS_ALONE and not (node.args or named or build):
        yield node.lineno, f"{function.attr}() without a bound: give it PATIENCE, of tests.waiting"
    if function.attr == "Barrier" and "timeout" not in named:
        yield node.lineno, "Barrier: give it timeout=PATIENCE, of tests.waiting"


def test_every_wait_has_an_end() -> None:
    found = [
        f"{path.relative_to(ROOT.parent)}:{line}: {what}"
        for path in sorted(ROOT.rglob("*.py"))
        if path != HELPER
        for line, what in faults(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "time.sleep(1)", "from time import perf_counter", "threading.Thread(target=work).start()",
        "os.fork()", "subprocess.Popen(['true'])", "subprocess.run(['true'], check=True)",
        "process.communicate()", "process.wait()", "thread.join()", "queue.get()", "future.result()",
        "lock.acquire()", "threading.Barrier(2)", "Event().wait()",
    ],
)  # fmt: skip
def test_what_has_none_is_found(line: str) -> None:
    assert [number for number, _ in faults(f"import os\n{line}\n")] == [2]


@pytest.mark.parametrize(
    "line",
    ["', '.join(names)", "names.get('a')", "event.wait(PATIENCE)", "ask(model).wait()", "build.wait()",
     "subprocess.run(['true'], timeout=PATIENCE)", "process.communicate(b'', timeout=1)", "time.time()"],
)  # fmt: skip
def test_what_has_one_is_not(line: str) -> None:
    assert list(faults(line)) == []
