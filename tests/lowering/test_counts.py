"""Counts that files request are bounded before anything is made of them: the table in polybody.counts."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polybody
import pytest
from polybody.base import Kind
from polybody.counts import COUNTS, MAX_OF_KEYS, OF_ATTRIBUTE, OF_COLUMN
from polybody.errors import ModelError
from polybody.generated.formats.mjcf.tables import FORMAT
from polybody.lowering.mjcf.compile import compile_document
from polybody.model.derived import MAX_ENTRIES, _along_dofs

from tests.lowering.test_mjcf_model import loaded as load
from tests.reading import limits

BALL = '<geom size=".1"/>'
MADE_OF = {
    "replicate": f"<worldbody><replicate count='{{}}'>{BALL}</replicate></worldbody>",
    "composite": "<worldbody><body name='b'><composite type='cable' size='1' count='{} 1 1'>"
    f"{BALL}</composite></body></worldbody>",
    "flexcomp": "<worldbody><body name='b'><flexcomp name='f' type='grid' count='{} 1 1' dim='1'/>"
    "</body></worldbody>",
    "actuator": "<worldbody><body name='b'/></worldbody>"
    "<actuator><general body='b' dyntype='user' actdim='{}'/></actuator>",
    "sensor": "<sensor><user dim='{}'/></sensor>",
}
"""Documents with a count, by element; others are empty elements of a section."""
IN = {
    "texture": "<asset><texture name='t' builtin='flat' {}/></asset>",
    "hfield": "<asset><hfield name='h' size='1 1 1 1' {}/></asset>",
}


def document(path: str, value: int) -> str:
    element, _, name = path.partition("/")
    if element in MADE_OF:
        return f"<mujoco>{MADE_OF[element].format(value)}</mujoco>"
    written = f"{name}='{value}'"
    return f"<mujoco>{IN.get(element, f'<{element} {{}}/>').format(written)}</mujoco>"


def refusal(text: str, check: bool = True) -> str:
    """What lowering says of counts that are too large; a check says the same, unless macros make them."""
    with warnings.catch_warnings(action="ignore", category=polybody.ModelWarning):
        root = polybody.read("m.xml", text=text, policy="lenient", format="mjcf")
    with pytest.raises(polybody.ValidationError) as caught:
        compile_document(root)
    assert {found.code for found in caught.value.diagnostics} == {"PB063"}
    found = polybody.check("m.xml", text=text, format="mjcf")
    checked = {each.message for each in found if each.code == "PB063" and each.severity == "error"}
    assert not check or {each.message for each in caught.value.diagnostics} <= checked
    return str(caught.value)


@pytest.mark.parametrize("path", OF_ATTRIBUTE)
def test_a_count_beyond_its_bound_is_a_finding_at_its_attribute(path: str) -> None:
    most, name = OF_ATTRIBUTE[path].most, path.partition("/")[2]
    for value in (most + 1, 2_000_000_000):
        assert f"`{name}` is {value:,}, more than {most:,}" in refusal(document(path, value))


@pytest.mark.parametrize("name", OF_COLUMN)
def test_a_count_beyond_its_bound_in_a_column_is_a_model_error(name: str) -> None:
    model = load(
        "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='.1'/></body></worldbody>"
        "<actuator><general joint='j' dyntype='user' actdim='1'/></actuator>"
        "<sensor><user dim='1'/></sensor></mujoco>"
    )
    most = OF_COLUMN[name].most
    keys = {"actuator_actnum": "key_act", "actuator_ctrlnum": "key_ctrl"}
    others = {keys[name]: np.zeros((0, most + 1))} if name in keys else {}
    with pytest.raises(ModelError, match=f"is more than {most:,}"):
        model.replace(**{name: np.full_like(getattr(model, name), most + 1)}, **others)


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (
            "<sensor>" + "<user dim='1000000'/>" * 11 + "</sensor>",
            "`dim` of all elements together is more than",
        ),
        (
            "<worldbody><body name='b'>"
            + "".join(
                f"<flexcomp name='f{n}' type='grid' dim='1' count='300000 1 1' rigid='true'/>"
                for n in range(4)
            )
            + "</body></worldbody>",
            "`count` of all elements together is more than 1,000,000",
        ),
        (
            "<size nuser_geom='1000000'/><worldbody>" + BALL * 11 + "</worldbody>",
            "11 elements with 1,000,000 user data each have more than 10,000,000",
        ),
        (
            "<size nkey='100000'/><worldbody><body><joint/><geom size='.1'/></body>"
            f"<replicate count='300'><body><freejoint/>{BALL}</body></replicate></worldbody>",
            f"the key frames have more than {MAX_OF_KEYS:,} values together",
        ),
    ],
)
def test_counts_that_are_too_large_together(inside: str, message: str) -> None:
    assert message in refusal(f"<mujoco>{inside}</mujoco>")


@pytest.mark.parametrize(("most", "kind"), [("points", "points"), ("elements", "elements")])
def test_flexcomps_of_files_are_too_large_together(
    most: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file may be named many times."""
    if most == "elements":
        monkeypatch.setattr("polybody.lowering.mjcf.problems.MAX_FLEX_ELEMENTS", 30)
    else:
        bound = OF_ATTRIBUTE["flexcomp/count"]._replace(total=20)
        monkeypatch.setitem(OF_ATTRIBUTE, "flexcomp/count", bound)
    (tmp_path / "box.obj").write_text(
        "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
        + "".join(f"f {a} {b} {c}\n" for a, b, c in ((1, 2, 4), (1, 4, 3), (5, 7, 8), (5, 8, 6)) * 3)
    )
    inside = "".join(
        f"<flexcomp name='f{n}' type='mesh' dim='2' file='box.obj' rigid='true'/>" for n in range(3)
    )
    text = f"<mujoco><worldbody><body name='b'>{inside}</body></worldbody></mujoco>"
    (tmp_path / "m.xml").write_text(text)
    with pytest.raises(polybody.ValidationError, match=f"more than .* {kind} together"):
        compile_document(polybody.read(tmp_path / "m.xml", policy="lenient"))


def test_many_large_flexcomps_take_no_memory() -> None:
    """20 of a million points each took 5 GB and minutes."""
    one = "<flexcomp name='f{}' type='grid' count='100 100 100' spacing='.1 .1 .1' dim='3' rigid='true'/>"
    inside = "".join(map(one.format, range(20)))
    text = f"<mujoco><worldbody><body name='b'>{inside}</body></worldbody></mujoco>"
    codes, peak = limits.run(FLEXCOMPS, given=text)
    assert "PB063" in codes
    assert peak < limits.RESIDENT


FLEXCOMPS = """
import polybody
found = polybody.check("m.xml", text=json.load(sys.stdin))
print(json.dumps([each.code for each in found]))
print(json.dumps(resident()))
"""
MUSCLE = "<muscle tendon='t'/>"


def muscles(how: str, muscles: int = 1, bodies: int = 0, step: str = "0.002") -> str:
    """A document whose muscles need their ranges of lengths."""
    return (
        f"<mujoco><compiler><lengthrange {how}/></compiler><option timestep='{step}'/><worldbody>"
        "<site name='wall' pos='0 3 1'/><body><joint name='j' axis='0 1 0' range='-1 1' limited='true'/>"
        f"{BALL}<site name='x' pos='1 0 0'/></body>{f'<body>{BALL}</body>' * bodies}</worldbody>"
        "<tendon><spatial name='t'><site site='wall'/><site site='x'/></spatial></tendon>"
        f"<actuator>{MUSCLE * muscles}</actuator></mujoco>"
    )


@pytest.mark.parametrize(
    ("how", "step", "message"),
    [
        ("inttotal='1e9' timestep='1e-9'", "0.002", "takes 1e+09 s in steps of 1e-09 s, more than 100,000"),
        ("timestep='1e-300'", "0.002", "takes 10 s in steps of 1e-300 s, more than 100,000 steps"),
        ("inttotal='1001'", "0.002", "takes 1001 s in steps of 0.01 s, more than 100,000 steps"),
    ],
)
def test_simulations_that_find_ranges_of_lengths_are_bounded(how: str, step: str, message: str) -> None:
    assert message in refusal(muscles(how, step=step))
    again = muscles(how).replace("<lengthrange", "<lengthrange/></compiler><compiler><lengthrange")
    assert message in refusal(again)


@pytest.mark.parametrize(
    ("how", "number", "bodies", "step", "message"),
    [
        ("timestep='0'", 1, 0, "1e-9", "takes 10 s in steps of 1e-09 s, more than 100,000 steps"),
        ("inttotal='900'", 12, 0, ".002", "of 12 actuators take 2,160,000 steps of simulations, more than"),
        ("", 1_001, 0, ".002", "of 1,001 actuators take 2,002,000 steps of simulations, more than"),
        ("", 500, 400, ".002", "of 500 actuators take 1,000,000 steps of simulations of 402 bodies, more"),
    ],
)
def test_such_simulations_are_bounded_together(
    how: str, number: int, bodies: int, step: str, message: str
) -> None:
    """A check without the Model does not see these."""
    assert message in refusal(muscles(how, number, bodies, step), check=False)


def test_the_defaults_of_ranges_of_lengths_are_within_their_bounds() -> None:
    assert load(muscles("inttotal='2' interval='1' accel='100'")).actuator_lengthrange[0, 1] > 0
    model = compile_document(polybody.read("m.xml", text=muscles("", 300, 100), policy="lenient"))
    assert len(model.pending[-1].actuators) == 300


def test_every_whole_number_of_mjcf_is_bounded_or_makes_nothing() -> None:
    """An attribute that is added must be put into the table, or here."""
    bounded = {name.partition("/")[2] for name in OF_ATTRIBUTE}
    found = {
        attribute.name
        for row in FORMAT.elements.values()
        for attribute in row.attributes
        if any(form.kind is Kind.INT for form in attribute.forms)
    }
    assert bounded <= found
    assert found - bounded - NOTHING - OTHERWISE == set()


NOTHING = {
    *(
        "group",
        "contype",
        "conaffinity",
        "priority",
        "condim",
        "dim",
        "num",
        "id",
        "range",
        "grid",
        "gridrange",
        "vertid",
    ),
    *(
        "offwidth",
        "offheight",
        "shadowsize",
        "offsamples",
        "numslices",
        "numstacks",
        "numquads",
        "active",
        "bodyid",
    ),
    *("njmax", "nconmax", "nstack", "activelayers", "resolution", "actuatorgroupdisable", "face", "element"),
    *("exclude", "nchannel", "inertiagrouprange", "coord"),
}
"""Bits, indices, codes with bounds in their types, given lists, and sizes of which nothing is made."""
OTHERWISE = {
    "maxhullvert": "at most as many vertices as the mesh has",
    "gridsize": "at most 12 cells",
    "subgrid": "at most 50",
    "size": "of numeric: at most 500",
}.keys()
"""Counts with a bound of their own."""


def test_a_bound_has_one_row() -> None:
    assert len(OF_ATTRIBUTE) == sum(len(count.attributes) for count in COUNTS)
    assert len(OF_COLUMN) == sum(len(count.columns) for count in COUNTS)


def test_copies_of_nothing_take_no_time() -> None:
    """10^12 of them: no processor could make them."""
    text = "<replicate count='1000000'>" * 2 + "</replicate>" * 2
    assert load(f"<mujoco><worldbody>{text}</worldbody></mujoco>").nbody == 1


def test_key_frames_count_as_copies_of_a_replicate() -> None:
    text = "<worldbody><replicate count='1000000'/></worldbody><keyframe>" + "<key/>" * 10 + "</keyframe>"
    assert "makes more than 250,000 copies" in refusal(f"<mujoco>{text}</mujoco>", check=False)


def test_a_mass_matrix_has_at_most_as_many_entries_as_indices_reach() -> None:
    def chain(length: int) -> dict[str, np.ndarray]:
        bodies = np.arange(length + 1)
        return {
            "body_parentid": np.maximum(bodies - 1, 0),
            "body_dofadr": bodies - 1,
            "body_dofnum": np.minimum(bodies, 1),
        }

    assert MAX_ENTRIES >= 65_535 * 65_536 // 2
    assert _along_dofs(chain(65_535))["M_rowadr"][-1] == 65_534 * 65_535 // 2
    with pytest.raises(ModelError, match="of 65,536 degrees of freedom has 2,147,516,416 entries"):
        _along_dofs(chain(65_536))
