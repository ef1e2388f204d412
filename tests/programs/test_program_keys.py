"""Keys of compiled programs: what makes another program has another key."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from polybody.generated.kernels.interface import Request
from polybody.programs import key, target
from polybody.programs.choosing import STEP

from tests.runtime.models import everything, pendulum
from tests.waiting import PATIENCE


def program_key(columns: Mapping[str, Any], request: Request) -> str:
    return key.program_key(columns, request, target.native())


def test_keys_distinguish_what_makes_another_program() -> None:
    columns = key.columns(everything(), STEP)
    same = program_key(key.columns(everything(), STEP), STEP)
    assert program_key(columns, STEP) == same
    keys = {same, program_key(columns, Request(("step",), precision="float32"))}
    keys |= {program_key(columns, Request(("step",), lanes=4))}
    keys |= {program_key(columns, Request(("step",), named=("body_mass",)))}
    for name, array in columns.items():
        if array.size and array.dtype.kind == "f":
            other = array.copy()
            other.flat[-1] = np.nextafter(other.flat[-1], np.inf)
            keys.add(program_key(columns | {name: other}, STEP))
    assert len(keys) == 4 + sum(a.size > 0 and a.dtype.kind == "f" for a in columns.values())


def test_names_and_what_moves_nothing_are_no_part_of_a_key() -> None:
    model = everything()
    same = program_key(key.columns(model, STEP), STEP)
    for other in (
        model.replace(name="other"),
        model.replace(qpos0=model.qpos0 * 1.0, geom_rgba=model.geom_rgba / 2),
    ):
        assert program_key(key.columns(other, STEP), STEP) == same


def test_parts_of_a_key_do_not_run_into_each_other() -> None:
    assert key.digest([b"ab", b"c"]) != key.digest([b"a", b"bc"]) != key.digest([b"abc"])
    one = {"ab": np.zeros(1), "c": np.zeros(2)}
    other = {"a": np.zeros(1), "bc": np.zeros(2)}
    assert program_key(one, STEP) != program_key(other, STEP)
    assert program_key({"a": np.zeros((2, 3))}, STEP) != program_key({"a": np.zeros((3, 2))}, STEP)
    assert program_key({"a": np.zeros(2)}, STEP) != program_key({"a": np.zeros(2, "i8")}, STEP)


def test_the_processor_is_part_of_the_key() -> None:
    here, columns = target.native(), key.columns(pendulum(), STEP)
    wider = replace(here, processor=replace(here.processor, vector=2 * here.processor.vector))
    assert key.program_key(columns, STEP, here) != key.program_key(columns, STEP, wider)


def test_another_compiler_or_generator_makes_another_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = target.native()
    assert found.compiler is not None
    other = replace(found.compiler, command=(*found.compiler.command, "-g"))
    builds = {key.build_key(found), key.build_key(replace(found, compiler=other))}
    builds.add(key.build_key(replace(found, flags=(*found.flags, "-O3"))))
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("CC", f"{tool} -m64")
    builds.add(key.build_key(target.native()))
    tool.write_text("#!/bin/sh\n# updated\n")
    builds.add(key.build_key(target.native()))
    assert len(builds) == 5
    columns = key.columns(pendulum(), STEP)
    before = program_key(columns, STEP)
    monkeypatch.setattr(key, "generator", lambda: b"other")
    assert program_key(columns, STEP) != before


def test_the_headers_that_texts_include_are_part_of_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    native, generated = key.header_folders()
    assert (native / "solver/program.h").is_file()
    assert (generated / "contract/codes.h").is_file()
    columns, keys = key.columns(pendulum(), STEP), {program_key(key.columns(pendulum(), STEP), STEP)}
    for name, header in (("native", "solver/program.h"), ("generated", "contract/codes.h")):
        copies = {"native": native, "generated": generated}
        copies[name] = Path(shutil.copytree(copies[name], tmp_path / name))
        with (copies[name] / header).open("a", encoding="utf-8") as file:
            file.write("/* another version */\n")
        monkeypatch.setattr(key, "header_folders", partial(tuple, copies.values()))
        key.generator.cache_clear()
        keys.add(program_key(columns, STEP))
    key.generator.cache_clear()
    assert len(keys) == 3


def test_the_generators_version_covers_every_module_that_specialising_loads() -> None:
    code = (
        "import sys, polybody.codegen.specialised\n"
        "for name, module in sorted(sys.modules.items()):\n"
        "    if name.startswith('polybody.codegen.'): print(module.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    spec = find_spec("polybody.codegen")
    assert spec is not None
    assert spec.origin is not None
    home = Path(spec.origin).parent
    counted = {path.resolve() for pattern in key.GENERATOR for path in home.glob(pattern)}
    loaded = [Path(line).resolve() for line in done.stdout.splitlines()]
    assert len(loaded) > 10
    assert [path for path in loaded if path not in counted and path.name != "__init__.py"] == []
