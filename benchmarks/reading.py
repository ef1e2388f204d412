"""Reading: validated typed documents, compared with parsing alone (lxml) and with xsdata's dataclasses."""

from __future__ import annotations

import argparse
import gc
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.documents import mjcf, openrave, sdf, skel, urdf, x_xy
from benchmarks.rows import Part, Row, compare, main
from benchmarks.xsdata_peer import SCHEMAS, generate

SIZES = (10, 100, 1000, 10_000, 100_000)
FORMATS = {"x_xy": x_xy, "mjcf": mjcf, "urdf": urdf, "sdf": sdf, "skel": skel, "openrave": openrave}
SMALL = {
    "x_xy": 10,
    "mjcf": 30,
    "urdf": 40,
    "sdf": 60,
    "skel": 60,
    "openrave": 113,
}  # the minimum number of elements
XSDATA = ("x_xy", "mjcf")  # formats that xsdata reads as well
ROUNDS = 7
ENOUGH_SECONDS = 0.05  # a round repeats short reads for this time


def microseconds(read: Callable[[], object]) -> float:
    """The median CPU time of one call, with the garbage collector disabled for all (ours disables it by
    itself).
    """
    times: list[float] = []
    gc.disable()
    try:
        while len(times) < 3 or sum(times) < ENOUGH_SECONDS:
            start = time.process_time()
            result = read()
            times.append(time.process_time() - start)
            del result
    finally:
        gc.enable()
    return statistics.median(times) * 1e6


def readers(folder: Path, name: str) -> dict[str, Callable[[Path], object]]:
    import polybody
    from lxml import etree
    from xsdata.formats.dataclass.parsers import XmlParser

    found: dict[str, Callable[[Path], object]] = {
        "polybody": partial(polybody.read, policy="strict"),
        "lxml.etree.parse": etree.parse,
    }
    if name in XSDATA:
        root = generate(SCHEMAS / f"{name}.xsd", folder)
        parser = XmlParser()
        found["xsdata"] = lambda path: parser.from_path(path, root)
    return found


def measure_time(sizes: tuple[int, ...], rounds: int) -> list[Row]:
    rows = []
    for form, document in FORMATS.items():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            candidates = readers(folder, form)
            for size in sizes:
                elements = max(size, SMALL[form])
                path = folder / f"{size}.xml"
                path.write_text(document(elements), encoding="utf-8")
                times: dict[str, list[float]] = {reader: [] for reader in candidates}
                for read in candidates.values():
                    read(path)  # imports, caches
                for _ in range(rounds):
                    for reader, read in candidates.items():
                        times[reader].append(microseconds(partial(read, path)))
                rows += [
                    compare("read", "-", f"{form}, {elements} elements", peer, times["polybody"], times[peer])
                    for peer in times
                    if peer != "polybody"
                ]
    return rows


MEMORY = """
import gc, sys, tracemalloc
from pathlib import Path
from benchmarks.reading import readers, resident
path, small, folder, form, reader, way = sys.argv[1:]
read = readers(Path(folder), form)[reader]
read(Path(small))
gc.collect()
if way == "Python objects":
    tracemalloc.start()
before = resident()
document = read(Path(path))
gc.collect()
print(tracemalloc.get_traced_memory()[0] if way == "Python objects" else resident() - before)
"""


def resident() -> int:
    """Resident memory of this process in bytes."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


def measure_memory(size: int) -> list[Row]:
    """Memory of a document that was read, bytes per element, including the bytes of the file if they are
    stored.

    Measured by the operating system (lxml's trees are not Python objects), and by Python for its own objects.
    """

    def kept(form: str, reader: str, way: str) -> list[float]:
        with tempfile.TemporaryDirectory() as name:
            path, small = Path(name) / "large.xml", Path(name) / "small.xml"
            path.write_text(FORMATS[form](size), encoding="utf-8")
            small.write_text(FORMATS[form](SMALL[form]), encoding="utf-8")
            command = [sys.executable, "-c", MEMORY, str(path), str(small), name, form, reader, way]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            return [int(done.stdout.split()[-1]) / size]

    rows = []
    for form, document in FORMATS.items():
        model = f"{form}, {size} elements, {len(document(size)) / size:.0f} bytes each"
        xsdata = ("xsdata",) if form in XSDATA else ()
        for way, others in (("resident", ("lxml.etree.parse", *xsdata)), ("Python objects", xsdata)):
            if not others:
                continue
            mine = kept(form, "polybody", way)
            work = f"memory, {way}: bytes per element"
            rows += [compare(work, "-", model, peer, mine, kept(form, peer, way)) for peer in others]
    return rows


def measure(arguments: argparse.Namespace) -> list[Row]:
    sizes = SIZES[:3] if arguments.quick else SIZES
    return measure_time(sizes, 3 if arguments.quick else ROUNDS) + measure_memory(SIZES[-1])


PART = Part("Reading", measure)

if __name__ == "__main__":
    main(PART)
