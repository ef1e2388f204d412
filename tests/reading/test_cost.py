"""Memory cost of reading. `benchmarks/` measures its time."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

MEMORY = """
import gc, json, pathlib, resource, sys
import polybody

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

polybody.read("warm.xml", text='<x_xy><worldbody><body name="a" joint="rx"/></worldbody></x_xy>')
gc.collect()
before = resident()
root = polybody.read(sys.argv[1])
json.dump(resident() - before, sys.stdout)
"""


def document(elements: int) -> str:
    """A document of bodies with two geoms each, about 125 bytes per element."""
    r = random.Random(1)

    def numbers(count: int) -> str:
        return " ".join(repr(round(r.uniform(-1, 1), r.randrange(1, 6))) for _ in range(count))

    out = ['<x_xy model="made">\n<defaults><geom color="white"/></defaults>\n<worldbody>\n']
    depth = 0
    for i in range(elements // 3):
        while depth >= 8 or (depth and r.random() < 0.4):
            out.append("</body>\n")
            depth -= 1
        place = f'pos="{numbers(3)}" euler="{numbers(3)}"'
        out.append(f'<body name="b{i}" joint="rx" {place} damping="{r.random()}">\n')
        out.append(
            f'<geom type="box" mass="{r.random()}" dim="0.1 0.2 0.3" pos="{numbers(3)}" color="red"/>\n'
        )
        out.append(f'<geom type="capsule" mass="1" dim="0.1 0.2" pos="{numbers(3)}" euler="0 90 0"/>\n')
        depth += 1
    out.append("</body>\n" * depth + "</worldbody>\n</x_xy>\n")
    return "".join(out)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is measured as Linux tells it")
def test_an_element_takes_at_most_650_bytes(tmp_path: Path) -> None:
    path = tmp_path / "made.xml"
    for elements in (30_000, 120_000):
        path.write_text(document(elements))
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, path], capture_output=True, check=True, timeout=PATIENCE
        )
        held = json.loads(done.stdout)
        assert held - path.stat().st_size < 650 * elements, held / elements
