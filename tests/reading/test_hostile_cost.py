"""Documents with structures that could make a reader scan them repeatedly cost little time and memory.

One process reads all documents of a group. The operating system ends it if a document takes more processor
time or memory than the limit: quadratic costs would exceed it hundreds of times.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.shapes import GROUPS

from . import limits

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

SIZE = 50_000  # elements
RUN = """
import polybody

for name, path in json.load(sys.stdin).items():
    allow_more_time()
    print(json.dumps([name, None, 0]), flush=True)
    found = polybody.check(path)
    print(json.dumps([name, [d.code for d in found if d.severity == "error"], resident()]), flush=True)
"""


@pytest.mark.parametrize("group", GROUPS)
def test_cost_grows_no_faster_than_the_document(group: str, tmp_path: Path) -> None:
    paths = {}
    for place, (name, shape) in enumerate(GROUPS[group].items()):
        folder = tmp_path / str(place)
        folder.mkdir()
        files = shape.make(min(SIZE, shape.most or SIZE))
        for file, text in files.items():
            (folder / file).write_bytes(text.encode("utf-8", "surrogateescape"))
        paths[name] = os.fspath(folder / next(iter(files)))
    said = limits.run(RUN, given=paths)
    for name, codes, peak in said[1::2]:
        code = GROUPS[group][name].code
        assert (code in codes) if code else codes == [], (name, codes[:10])
        assert peak < limits.RESIDENT, (name, peak)
    assert len(said) == 2 * len(paths)


ELEMENTS = 200_000
MANY = """
import resource, polybody

text = sys.stdin.read()
polybody.check("warm.xml", text=json.loads(text)[:200])
text = json.loads(text).encode()
before = resident()
polybody.check("m.xml", text=text)
print(json.dumps([resident() - before, len(text)]))
"""
REPEATED = {
    "bodies": ("<x_xy><worldbody>", "<body/>", "</worldbody></x_xy>", 1),
    "bodies and joints": ("<mujoco><worldbody>", "<body><joint/></body>", "</worldbody></mujoco>", 2),
    "links": ("<sdf version='1.9'><model name='m'>", "<link name='a'/>", "</model></sdf>", 1),
    "links of URDF": ("<robot name='r'>", "<link/>", "</robot>", 1),
    "stray text": (
        "<sdf version='1.9'><model name='m'><link name='l'/>",
        "a<frame name='f'/>",
        "</model></sdf>",
        1,
    ),
    "elements that no sensor reads": (
        "<robot><attachedsensor><sensor type='base_laser'>",
        "<foo/>",
        "</sensor></attachedsensor></robot>",
        1,
    ),
    "bodies of SKEL": (
        "<skel><world name='w'><skeleton name='s'>",
        "<body/>",
        "</skeleton></world></skel>",
        1,
    ),
    "KinBodies": ("<environment>", "<kinbody/>", "</environment>", 1),
}


@pytest.mark.parametrize("name", REPEATED)
def test_an_element_takes_at_most_650_bytes_to_check(name: str) -> None:
    """Including findings, one for nearly every element."""
    begin, again, end, elements = REPEATED[name]
    ((held, size),) = limits.run(MANY, given=begin + again * (ELEMENTS // elements) + end)
    assert held - size < 650 * ELEMENTS, held / ELEMENTS
