"""The combined check of all given columns: it rejects every violation of a rule of the schema, and nothing
else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import polybody as pb
import pytest
from numpy.typing import NDArray
from polybody.counts import OF_COLUMN
from polybody.errors import ModelError
from polybody.model.checks import AXES, COLUMN_CHECKS, GIVEN, UNIT
from polybody.model.column_checks import CHECKS
from polybody.model.model import Model

from tests.runtime.models import everything

RICH = """<mujoco>
  <asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/><texture name="t" type="2d" builtin="flat" width="2"
    height="2"/><material name="w" texture="t"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>
  <worldbody>
    <light/><camera/>
    <geom type="hfield" hfield="h"/>
    <body name="a"><freejoint/><geom name="g" size=".1" material="w"/><geom type="mesh" mesh="m"/>
      <site name="s"/>
      <body name="b" pos="1 0 0"><joint name="j"/><geom name="k" size=".1"/></body></body>
    <body mocap="true"/>
  </worldbody>
  <contact><pair geom1="g" geom2="k"/><exclude body1="a" body2="b"/></contact>
  <equality><joint joint1="j"/></equality>
  <tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>
  <actuator><motor joint="j"/><general site="s" dyntype="integrator"/></actuator>
  <sensor><jointpos joint="j"/></sensor>
  <custom><numeric name="n" data="1"/><text name="x" data="y"/></custom>
  <keyframe><key time="1"/></keyframe>
</mujoco>"""


def rich() -> Model:
    return pb.lower(pb.read("test.xml", text=RICH, format="mjcf"))


WORDS = {
    "finite": "is not finite",
    "codes": "is not one of",
    "flag": "is neither 0 nor 1",
    "bounded": "is below|is more than|is not above|"
    "is not at least|is not from|must (be the world|come before)|"
    "does not exist|never moves|has shape",
    "unit": "does not have length 1",
    "refers": "is not a row of|body|must be the world",
    "counted": "is more than|has shape",
}
BOTH = {"built": everything, "read": rich}


def broken() -> Iterator[tuple[str, str, Any]]:
    """Each given column with a rule, the check that a violation breaks, and a number that breaks it."""
    for name, column in GIVEN.items():
        if column.dtype.startswith("float"):
            yield name, "finite", np.nan
        if column.codes is not None:
            yield name, "codes", -1 if column.dtype == "int32" else 99
        if column.flag:
            yield name, "flag", 2
        if column.minimum is not None and column.dtype != "uint8":
            yield name, "bounded", column.minimum if column.open else column.minimum - 1
        if name in UNIT:
            yield name, "unit", 3
        if column.values:
            yield name, "codes", max(column.values) + 1
        if column.maximum is not None:
            yield name, "bounded", column.maximum + 1
        if column.refers and not column.first:
            yield name, "refers", 1000
        if name in OF_COLUMN:
            yield name, "counted", OF_COLUMN[name].most + 1


@pytest.mark.parametrize("make", BOTH)
def test_every_rule_is_kept_by_every_number_of_every_column(make: str) -> None:
    model = BOTH[make]()
    given = model.given()
    tried = set()
    for name, check, number in broken():
        if not given[name].size:
            continue
        for place in (0, given[name].size - 1):
            values = given[name].copy()
            values.reshape(-1)[place] = number
            taken = COLUMN_CHECKS.take(given | {name: values})
            assert name in taken.others or name in taken.suspects[check], (name, check)
            with pytest.raises(ModelError) as caught:
                Model(given | {name: values}, model.names)
            assert re.search(WORDS[check], str(caught.value)), (name, check)
        tried.add(check)
    assert tried == set(CHECKS)


@pytest.mark.parametrize("make", BOTH)
def test_a_sound_model_is_not_suspected(make: str) -> None:
    taken = COLUMN_CHECKS.take(BOTH[make]().given())
    assert not taken.missing
    assert not any(taken.suspects.values())


def test_counts_are_added_up_over_all_rows() -> None:
    sensors = pb.lower(
        pb.read("test.xml", text=f"<mujoco><sensor>{'<clock/>' * 11}</sensor></mujoco>", format="mjcf")
    )
    one, all_ = OF_COLUMN["sensor_dim"].most, OF_COLUMN["sensor_dim"].total
    assert all_ == 10 * one
    for widths, wrong in (([one] * 10 + [0], False), ([one] * 10 + [1], True), ([-one] + [one] * 10, False)):
        taken = COLUMN_CHECKS.take(sensors.given() | {"sensor_dim": np.array(widths, np.int32)})
        assert taken.suspects["counted"] == ["sensor_dim"] * wrong
    with pytest.raises(ModelError, match="sensor_dim: the rows together are more than 10,000,000"):
        sensors.replace(sensor_dim=np.array([one] * 10 + [1], np.int32))


def test_a_code_above_63_is_looked_at_again() -> None:
    model = rich()
    undefined = np.full(model.nu, 1000, dtype=np.int32)
    assert (
        "actuator_trntype"
        in COLUMN_CHECKS.take(model.given() | {"actuator_trntype": undefined}).suspects["codes"]
    )
    assert (model.replace(actuator_trntype=undefined).actuator_trntype == 1000).all()
    with pytest.raises(ModelError, match="trntype 1001 is not one of"):
        model.replace(actuator_trntype=undefined + 1)


@pytest.mark.parametrize(
    "kind", ["builtin", "swapped", "float32", "list", "Fortran", "strided", "memmap", "misaligned", "bytes"]
)
def test_numbers_come_in_any_layout(kind: str, tmp_path: Any) -> None:
    model = everything()
    own = model.body_pos
    wide: NDArray[Any] = np.repeat(own, 2, axis=1)
    given: Any = {
        "builtin": own.copy(),
        "swapped": own.astype(own.dtype.newbyteorder()),
        "float32": own.astype(np.float32),
        "list": own.tolist(),
        "Fortran": np.asfortranarray(own),
        "strided": wide[:, ::2],
        "memmap": own,
        "misaligned": np.ndarray(own.shape, own.dtype, b" " + own.tobytes(), 1),
        "bytes": np.ndarray(own.shape, own.dtype, b" " * 8 + own.tobytes(), 8),
    }[kind]
    if kind == "memmap":
        given = np.memmap(tmp_path / "numbers", dtype=own.dtype, shape=own.shape, mode="w+")
        given[...] = own
    other = model.replace(body_pos=given)
    np.testing.assert_allclose(other.body_pos, own, atol=1e-7)
    assert other.body_pos.dtype == own.dtype
    assert type(other.body_pos) is np.ndarray
    assert other.body_pos.flags.carray is False
    assert (other.body_pos.flags.aligned, other.body_pos.flags.c_contiguous) == (True, True)
    with pytest.raises(ValueError, match="read-only"):
        other.body_pos[1] = 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((3, 3), dtype="datetime64[s]"), "body_pos has values of type datetime64"),
        (np.array([["a"] * 3]), "body_pos has values of type <U1"),
        (np.zeros((2, 3)), "body_pos has 2 rows"),
        (np.zeros(3), "body_pos has shape"),
        (1j * np.zeros((8, 3)), "body_pos has values of type complex"),
    ],
)
def test_what_is_no_array_of_numbers_is_named(values: NDArray[Any], words: str) -> None:
    with pytest.raises(ModelError, match=words.replace("[", r"\[")):
        everything().replace(body_pos=values)


def test_what_was_given_can_change_without_the_model() -> None:
    values = everything().body_mass.copy()
    model = everything().replace(body_mass=values)
    values[:] = 7
    assert not np.any(model.body_mass == 7)


def test_columns_of_no_rows_have_their_width() -> None:
    model = everything()
    assert {AXES[name] for name in ("key_qpos", "key_ctrl")} == {"key"}
    assert model.key_qpos.shape == (0, model.nq)
    assert model.body_user.shape == (model.nbody, 0)
