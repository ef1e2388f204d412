"""No Model makes a kernel read or write outside of its arrays, however it was made."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.errors import Problem
from polybody.generated.kernels.layout import FRAMES, SENSORS
from polybody.model import references
from polybody.model.model import Model
from polybody.simulation.batch.memory import parameters

from tests import amounts
from tests.waiting import PATIENCE, ROOT

from .mutants import COLUMNS, MAKERS, SETTINGS, STATE, Mutant, mutants, of_instances, single
from .mutations import attempt, is_due_to_a_number
from .scenes import TEXTS, scene

CASES = {
    "everything": amounts.amount(6000, 40),
    "flexes": amounts.amount(4000, 12),
    "formulas": amounts.amount(4000, 16),
    "bushings": amounts.amount(2000, 16),
}


@pytest.mark.long
@pytest.mark.parametrize("name", TEXTS)
def test_a_mutant_is_refused_or_simulated(name: str) -> None:
    command = [sys.executable, "-m", "tests.hostile.mutations", "--scene", name]
    command += ["--cases", str(CASES[name]), "--seed", str(amounts.seed)]
    command += [] if amounts.full else ["--programs", "0"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert f"{CASES[name]:,} mutants" in done.stdout
    assert all(word in done.stdout for word in ("'refused'", "'simulated'"))


def test_a_fault_is_found() -> None:
    """A child that ends with a signal, or an exception that is no ModelError, is reported."""
    from . import mutations

    found = mutations.tried(scene("flexes"), [Mutant((("geom_condim", 0, 7),), "a way", SETTINGS[:1])])
    assert found[0][1].startswith("KeyError")


INVALID = {
    "geom_condim": (2**31 - 1, 1000, 7, 0, -(10**6)),
    "pair_dim": (10**6, 8),
    "eq_obj1id": (2**31 - 1, -1, -(10**6), 7),
    "eq_obj2id": (10**6, 2**31 - 1),
    "eq_type": (4, 99),
    "eq_objtype": (0, 5, 99),
    "sensor_objid": (10**6, 2**31 - 1, -1),
    "sensor_refid": (10**6, -1),
    "geom_plugin": (1000,),
    "body_plugin": (1000,),
    "sensor_plugin": (1000,),
    "actuator_plugin": (1000,),
    "body_mocapid": (-2,),
    "site_bodyid": (-1,),
    "sensor_adr": (10**6,),
    "sensor_dim": (-5,),
    "nuserdata": (-1, 2**31 - 1),
    "actuator_trnid": (10**6,),
    "hfield_nrow": (-4, 10**6),
    "geom_dataid": (-2, 10**6),
    "mesh_vertnum": (-1, 10**6),
    "wrap_objid": (-1, 10**6),
    "exclude_signature": (-1, 2**31 - 1),
    "tendon_num": (-1, 10**6),
    "tex_width": (10**6,),
    "text_size": (10**6,),
}
"""Numbers that are invalid everywhere in a column of the Model with one of everything."""


@pytest.mark.parametrize("made", MAKERS)
def test_an_invalid_number_is_refused_when_the_model_is_made(made: str) -> None:
    model = scene("everything")
    columns = amounts.some(INVALID, len(INVALID) if made == "replace" else 9)
    for column in columns:
        for number in INVALID[column] if made == "replace" else amounts.some(INVALID[column], 1):
            mutant = Mutant(((column, None, number),), made, SETTINGS[:1])
            assert attempt(model, mutant) == "refused", (column, number)


@pytest.mark.parametrize(
    ("column", "number"), [("flex_condim", 7), ("flex_dim", 4), ("flex_elem", 10**6), ("flex_edge", -1)]
)
def test_an_invalid_flex_is_refused(column: str, number: int) -> None:
    model = scene("flexes")
    assert attempt(model, Mutant(((column, 0, number),), "replace", SETTINGS[:1])) == "refused"


def test_a_message_names_the_column_the_row_and_what_was_expected() -> None:
    model = scene("everything")

    def refused(column: str, row: int, number: int) -> str:
        values = np.array(getattr(model, column))
        values.reshape(-1)[row] = number
        with pytest.raises(pb.ModelError) as caught:
            model.replace(**{column: values})
        return str(caught.value)

    assert refused("geom_condim", 2, 7).endswith("geom_condim 7 is not one of [1, 3, 4, 6]")
    assert "geom 2 'ga'" in refused("geom_condim", 2, 7)
    assert "eq_obj1id 99 is not a row of body, of which there are 8" in refused("eq_obj1id", 0, 99)
    near = model.row("sensor", "near")
    assert "sensor_refid -1 is not a row of geom" in refused("sensor_refid", near, -1)
    assert "nuserdata -1 is not from 0 to 16777216" in refused("nuserdata", 0, -1)
    assert "are not within the 4 rows of meshvert" in refused("mesh_vertnum", 0, 10**6)


ELLIPTIC = """<mujoco><option cone="elliptic" solver="{}"/><worldbody><geom type="plane" size="1 1 1"/>
<replicate count="{}" offset=".3 0 0"><body pos="0 0 .09"><freejoint/><geom size=".1"/></body></replicate>
</worldbody></mujoco>"""


@pytest.mark.parametrize("solver", ["Newton", "CG", "PGS"])
def test_the_dimension_of_a_contact_has_its_codes(solver: str) -> None:
    for count in (1, 20):
        model = pb.lower(pb.read("x.xml", text=ELLIPTIC.format(solver, count), format="mjcf"))
        for dim in (1, 3, 4, 6):
            sound = model.replace(geom_condim=np.full(model.ngeom, dim, np.int32))
            data = pb.Data(sound)
            pb.step(sound, data, 2)
            assert np.isfinite(data.qpos).all()
        for dim in (0, 2, 5, 7, 8, 12, 20, 60, 400):
            with pytest.raises(pb.ModelError, match=f"geom_condim {dim} is not one of"):
                model.replace(geom_condim=np.full(model.ngeom, dim, np.int32))


def test_the_command_line_reports_an_invalid_model(tmp_path: Path) -> None:
    """Also one that the kernels would refuse: never an internal error."""
    model = scene("everything")
    model.save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as archive:
        good = dict(archive)
    changes = [("sensor_adr", 10**6), ("actuator_trnid", 10**6), ("geom_condim", 1000)]
    for column, number in amounts.some(changes, 1):
        np.savez(tmp_path / "bad.npz", **good | {column: np.full_like(good[column], number)})
        command = [sys.executable, "-m", "polybody", "sim", str(tmp_path / "bad.npz"), "--steps", "2"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 1, done.stderr
        assert column in done.stderr + done.stdout
        assert "internal" not in done.stderr


def test_programs_simulate_what_is_accepted() -> None:
    changes = [("geom_condim", None, 6), ("eq_obj2id", 0, 0), ("sensor_objid", 5, 0)]
    for change in amounts.some(changes, 1):
        mutant = Mutant((change,), "replace", SETTINGS[:1], "specialized")
        assert attempt(scene("everything"), mutant) == "simulated"


def test_every_integer_column_is_mutated() -> None:
    assert set(COLUMNS) == {column for name in TEXTS for column, *_ in single(scene(name))}


def test_pairs_parameters_and_states_are_mutated() -> None:
    """In turn, so that a run of any length has all of them; and the same ones for a seed."""
    model = scene("formulas")
    found = list(islice(mutants(model, 5, programs=0.5), 200))
    assert found == list(islice(mutants(model, 5, programs=0.5), 200))
    of_models = [mutant for mutant in found if not mutant.own]
    assert sum(len(mutant.changes) == 2 for mutant in of_models) > 60
    assert sum(mutant.kernels == "specialized" for mutant in of_models) > 50
    own = {change[0] for mutant in found for change in mutant.own}
    assert own & set(STATE)
    assert own & set(parameters())
    assert len(found) - len(of_models) == 50
    everything = {name for name, *_ in of_instances(scene("everything"))}
    assert set(STATE) < everything
    assert everything - set(STATE) < set(parameters())


def test_a_memory_error_is_sound_only_if_a_number_is_large_and_it_says_what_did_not_fit() -> None:
    large, small = (Mutant((("nuserdata", None, number),)) for number in (10**6, 3))
    told = MemoryError("not enough memory for 1,000,000 elements of the array 'row' of constraints")
    assert is_due_to_a_number(told, large)
    assert not is_due_to_a_number(told, small)
    assert not is_due_to_a_number(MemoryError(), large)


def test_the_kinds_of_objects_are_those_of_the_kernels() -> None:
    assert {kind: references.OBJECTS[kind] for kind in FRAMES} == dict(FRAMES)
    axes = {*references.OBJECTS.values(), "frame", "ball", "shapes", ""}
    assert {word for _, _, *words in SENSORS.values() for word in words} <= axes
    assert json.dumps(sorted(references.SHAPES)) == "[1, 2, 5]"


def test_models_of_many_geoms_are_checked_without_loops() -> None:
    """The checks of references look at no row of a valid Model alone: the number of names asked for is 0."""
    asked: list[tuple[str, int]] = []
    model: Model = scene("everything")

    def about(axis: str, row: int, text: str, column: str) -> Problem:
        asked.append((axis, row))
        return Problem(text, axis, row, column=column)

    sizes = {axis: len(model.given()[name]) for name, axis in _axes().items()}
    assert list(references.problems(model.given(), sizes, about)) == []
    assert asked == []


@pytest.mark.parametrize("name", TEXTS)
def test_what_is_examined_in_one_pass_is_all_that_is_reported(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Of every changed integer the same is reported as if every report looked at every row; of a valid Model
    none looks.
    """
    examined, found = references._examined(), []
    problems = references.problems

    def both(arrays: Any, sizes: Any, about: Any) -> Iterator[Problem | str]:
        told = list(problems(arrays, sizes, about))
        every = [
            line
            for report in examined.reports
            if sizes.get(_axis_of(report))
            for line in report(arrays, sizes, about)
        ]
        assert [line for line in told if line in every] == every
        found.extend(every)
        return iter(told)

    model = scene(name)
    sizes = {axis: len(model.given()[column]) for column, axis in _axes().items()}
    asked = examined.suspects(model.given(), sizes)
    # Only these can tell whether a joint is a ball, and whether mocap bodies are numbered.
    assert {*asked} <= ({references._measured, references._moved_by_mocap} if name == "everything" else set())
    monkeypatch.setattr(references, "problems", both)
    draw, changes = random.Random(amounts.seed), single(model)
    for change in changes:
        for more in ((), (draw.choice(changes),)):
            with suppress(pb.ModelError):
                MAKERS["replace"](model, Mutant((change, *more)))
    assert bool(found) == (name != "bushings")  # no column of that scene depends on a code


def _axis_of(report: Any) -> str:
    named = {
        references._joined: "eq",
        references._measured: "sensor",
        references._activated: "actuator",
        references._stateful: "actuator",
        references._moved_by_mocap: "body",
    }
    return named.get(report) or report.keywords["axis"]


def test_a_model_with_other_real_numbers_is_not_checked_for_references_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model, asked = scene("formulas"), []
    monkeypatch.setattr(references, "problems", lambda *_: asked.append(1) or iter(()))
    model.replace(opt_gravity=(0, 0, -1), body_mass=2 * model.body_mass)
    assert asked == []
    model.replace(opt_gravity=(0, 0, -1), geom_group=model.geom_group)
    assert asked == [1]


def _axes() -> dict[str, str]:
    from polybody.model.checks import FIRST

    return {name: axis for axis, name in FIRST.items() if axis != "one"}
