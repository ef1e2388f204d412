"""Processes whose time and memory the operating system limits, so that no test depends on a clock."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.waiting import PATIENCE

MEMORY = 2 << 30  # bytes of address space, part of which the interpreter and its libraries need
RESIDENT = 700 << 20
SECONDS = 20  # of processor time, after which the system ends the process: quadratic costs take minutes

PRELUDE = f"""
import json, pathlib, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))

def allow_more_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(usage.ru_utime + usage.ru_stime) + 1 + {SECONDS}
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))

def resident():
    status = pathlib.Path("/proc/self/status")
    if status.exists():  # a child's ru_maxrss begins at its parent's
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

allow_more_time()
"""


def run(code: str, *arguments: object, given: object = None) -> list[Any]:
    """The output of a program, one JSON value per line.

    The program gets ``arguments`` in sys.argv and ``given`` as JSON on stdin, and may call allow_more_time()
    and resident(). The test fails if the program fails or the system ends it.
    """
    command = [sys.executable, "-c", PRELUDE + code, *map(str, arguments)]
    text = json.dumps(given).encode()
    done = subprocess.run(command, input=text, capture_output=True, timeout=PATIENCE, check=False)
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, (done.returncode, said[-300:], done.stderr.decode(errors="replace")[-2000:])
    return [json.loads(line) for line in said.splitlines()]
