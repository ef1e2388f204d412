"""Model: immutable, queried by name, and equal after a round trip through pickle, file and XML."""

from __future__ import annotations

import copy
import json
import pickle
import re
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st
from polybody.assembly.builder import ModelBuilder
from polybody.engine.data import Data
from polybody.errors import ModelError
from polybody.generated.model import SCHEMA_VERSION, TABLES, Integrator, JointType, ShapeType
from polybody.loading import load
from polybody.model import model as model_module
from polybody.model import npz, xml
from polybody.model.model import Model
from polybody.simulation.batch import BatchStepper
from polybody.simulation.stepper import Stepper

from tests.runtime.models import HOSTILE, everything, pendulum

SCHEMA = Path(__file__).parents[2] / "schemas" / "model.xsd"
ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"


@pytest.fixture(scope="module")
def schema() -> xmlschema.XMLSchema11:
    return xmlschema.XMLSchema11(SCHEMA)


def hostile() -> Model:
    b = ModelBuilder(HOSTILE)
    body = b.body(name=HOSTILE, mass=1, inertia=(1, 1, 1))
    b.joint(body, "hinge", name=HOSTILE + "'")
    b.geom(body, "box", size=(1, 1, 1), name="]]>&#10;<!--")
    b.body(name=" leading and trailing ")
    return b.build()


MODELS = {"everything": everything, "pendulum": pendulum, "hostile": hostile, "empty": ModelBuilder().build}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> Model:
    return MODELS[request.param]()


# --- immutable ------------------------------------------------------------------------------------


def test_no_column_can_be_written_or_replaced() -> None:
    model = everything()
    for table in TABLES:
        for column in table.columns:
            if table.owner == "model":
                value = getattr(model, column.name)
                with pytest.raises(AttributeError, match="is immutable"):
                    setattr(model, column.name, value)
                if isinstance(value, np.ndarray):
                    with pytest.raises(ValueError, match="read-only"):
                        value[...] = 0
                    while isinstance(value, np.ndarray) and value.size:
                        with pytest.raises(ValueError, match="WRITEABLE"):
                            value.setflags(write=True)
                        value = value.base
    for name in ("name", "names", "anything", "_columns"):
        with pytest.raises(AttributeError):
            setattr(model, name, None)
        with pytest.raises(AttributeError):
            delattr(model, name)
    with pytest.raises(TypeError):
        model.names["body"] = ()  # type: ignore[index]
    with pytest.raises(AttributeError):
        model.body("base").mass = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        model.opt.timestep = 3  # type: ignore[misc]


def test_what_simulates_a_model_keeps_it() -> None:
    model, other = everything(), everything()
    for simulation in (Stepper(model), BatchStepper(model, 2), Data(model)):
        with pytest.raises(AttributeError):
            simulation.model = other  # type: ignore[misc]
        assert simulation.model is model


def test_what_it_was_made_from_may_change() -> None:
    model = everything()
    given = {name: array.copy() for name, array in model.given().items()}
    other = Model(given, model.names, name=model.name)
    for array in given.values():
        array[...] = 0
    assert other == model


# --- rows -----------------------------------------------------------------------------------------


def test_rows_by_name_and_number() -> None:
    model = everything()
    hand = model.body("hand")
    assert (hand.id, hand.name, hand.jntnum) == (4, "hand", 2)
    assert hand.mass == model.body_mass[4]
    assert isinstance(hand.mass, float)
    assert np.shares_memory(hand.pos, model.body_pos)
    assert model.body(4).name == model.body(-3).name == model.body(np.int32(4)).name == "hand"
    turn = model.joint("turn")
    assert turn.type is JointType.hinge
    assert turn.armature.tolist() == [0.01]
    assert model.dof_stiffness[model.joint("shoulder").dofs].tolist() == [1, 2, 3]
    assert model.joint("shoulder").stiffness == 1
    assert model.joint("reach").qpos_spring.tolist() == [0.3]
    assert model.geom("palm").type is ShapeType.box
    assert "hand" in repr(hand)


def test_rows_that_are_not_there() -> None:
    model = everything()
    with pytest.raises(KeyError, match="no body is called 'hnad'; did you mean 'hand'"):
        model.body("hnad")
    with pytest.raises(KeyError, match="names are 'floor', 'palm'"):
        model.geom("xyzzy")
    with pytest.raises(KeyError, match="the model has no joint"):
        ModelBuilder().build().joint("a")
    for number in (7, -8, 10**30):
        with pytest.raises(IndexError, match=r"there is no body .*: there are 7"):
            model.body(number)
    with pytest.raises(TypeError, match="by name or number"):
        model.body(1.5)  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        model.geom("")  # a row without a name is not a row called ""


def test_options() -> None:
    model = everything(regularization=1e-6)
    assert model.opt.timestep == model.opt_timestep == 0.001
    assert model.opt.integrator is Integrator.Euler
    assert model.opt.regularization == 1e-6
    assert model.opt.implicit_damping is True
    assert model.opt.gravity.tolist() == [0, 0, -9.81]
    assert repr(model.opt).startswith("Option(timestep=0.001")


# --- other Models ---------------------------------------------------------------------------------


def test_replace_makes_another() -> None:
    model = everything()
    other = model.replace(opt_timestep=0.5, opt_integrator="RK4", name="other")
    assert (other.opt.timestep, other.opt.integrator, other.name) == (0.5, Integrator.RK4, "other")
    assert model.opt.timestep == 0.001
    assert other != model
    assert other.replace(opt_timestep=0.001, opt_integrator="Euler", name=model.name) == model
    with pytest.raises(TypeError, match="not a column that can be given"):
        model.replace(body_subtreemass=1)
    with pytest.raises(TypeError, match="one of Euler, RK4"):
        model.replace(opt_integrator="leapfrog")
    with pytest.raises(ModelError, match="not above 0"):
        model.replace(opt_timestep=-1)


def test_equality() -> None:
    assert everything() == everything()
    assert hash(everything()) == hash(everything())
    assert everything() != pendulum()
    assert everything() != 3
    masses = everything().body_mass.copy()
    masses[2] = np.nextafter(masses[2], 9)
    assert everything().replace(body_mass=masses) != everything()


# --- round trips ----------------------------------------------------------------------------------


def test_copies_are_the_model_itself(model: Model) -> None:
    assert copy.copy(model) is copy.deepcopy(model) is model


def test_pickle(model: Model) -> None:
    other = pickle.loads(pickle.dumps(model))
    assert other == model
    assert not other.body_mass.flags.writeable


def test_save_and_load(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "any name")
    assert Model.load(tmp_path / "any name") == model
    assert [path.name for path in tmp_path.iterdir()] == ["any name"]


OTHER = (
    f"of version 0 of the model's schema, and this polybody reads version {SCHEMA_VERSION}: load the model"
)


def test_what_another_version_saved_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = pendulum(), tmp_path / "model.npz"
    with monkeypatch.context() as older:
        for module in (npz, xml, model_module):
            older.setattr(module, "SCHEMA_VERSION", "0")
        model.save(path)
        text, pickled = model.to_xml(), pickle.dumps(model)
    with pytest.raises(ModelError, match=rf"^{re.escape(str(path))} is {OTHER}"):
        Model.load(path)
    with pytest.raises(ModelError, match=f"^line 2: the XML is {OTHER}"):
        Model.from_xml(text)
    with pytest.raises(ModelError, match=f"^the pickled Model is {OTHER}"):
        pickle.loads(pickled)


def test_what_says_no_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = pendulum(), tmp_path / "model.npz"
    function, arguments = model.__reduce__()
    with pytest.raises(
        ModelError, match="the pickled Model does not state its version of the model's schema"
    ):
        function(*arguments[:4])
    facts = json.dumps({"kind": "model", "name": model.name, "names": dict(model.names)}).encode()
    np.savez(path, polybody=np.frombuffer(facts, dtype=np.uint8), **model.given())
    with pytest.raises(ModelError, match="does not state its version"):
        Model.load(path)
    unsaid = model.to_xml().replace(f' version="{SCHEMA_VERSION}"', "")
    assert Model.from_xml(unsaid) == model, "a person who writes a Model need not know the version"


def test_the_version_is_that_of_the_schema(schema: xmlschema.XMLSchema11) -> None:
    assert schema.source.root.get("{urn:polybody:annotations:1}version") == SCHEMA_VERSION


def test_xml_is_valid_and_reads_back_equal(model: Model, schema: xmlschema.XMLSchema11) -> None:
    text = model.to_xml()
    assert [str(error) for error in schema.iter_errors(text)] == []
    other = Model.from_xml(text)
    assert other == model
    assert Model.from_xml(text.encode()) == model
    assert other.to_xml() == text


def test_xml_shows_derived_columns() -> None:
    text = everything().to_xml()
    assert 'jntnum="2"' in text
    assert 'type="hinge"' in text
    assert 'integrator="Euler"' in text


@given(
    numbers=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    name=st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=20
    ),
)
@settings(max_examples=100)
def test_every_number_and_name_survives_xml(numbers: list[float], name: str) -> None:
    b = ModelBuilder(name)
    b.body(pos=numbers, name=name)
    model = b.build()
    other = Model.from_xml(model.to_xml())
    assert other == model
    assert np.signbit(other.body_pos).tolist() == np.signbit(model.body_pos).tolist()


# --- files from elsewhere -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<model", "<!DOCTYPE model [<!ENTITY a 'b'>]><model", "document type is not allowed"),
        ("</model>", "", "line 12: no element found"),
        ("</model>", "<model/></model>", "line 11: <model> is not allowed here"),
        ("</model>", "more</model>", "stray text 'more'"),
        (' mass="1"', ' mass="1" weight="1"', "line 7: <body> has no attribute 'weight'"),
        (' mass="1"', "", "line 7: <body> needs the attribute 'mass'"),
        (' mass="1"', ' mass="one"', "'mass' cannot be 'one'"),
        (' mass="1"', ' mass="1_0"', "'mass' cannot be '1_0'"),
        (' mass="1"', ' mass="nan"', "mass is not finite"),
        (' mass="1"', ' mass="-1"', "mass -1.0 is below 0"),
        (' mass="1"', ' mass="1 1"', "'mass' has 2 values, not 1"),
        ('ipos="0 0 -1"', 'ipos="0 0"', "'ipos' has 2 values, not 3"),
        ('type="hinge"', 'type="hnige"', "'type' cannot be 'hnige'"),
        ('disableflags="0"', 'disableflags="none"', "'disableflags' cannot be 'none'"),
        ('<body id="1"', '<body id="2"', 'the id of this <body> must be "1"'),
        ('"bob" parentid="0"', '"bob" parentid="9"', "its parent 9 must come before it"),
        ("<option ", "<optoin ", "<optoin> is not allowed here"),
        ("<dof ", "<geom ", "line 9: <geom> needs the attribute 'type'"),
    ],
)  # fmt: skip
def test_xml_that_is_no_model(old: str, new: str, said: str) -> None:
    text = pendulum().to_xml()
    assert old in text
    with pytest.raises(ModelError) as error:
        Model.from_xml(text.replace(old, new, 1))
    assert said in str(error.value)


def test_files_that_hold_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    pendulum().save(path)
    whole = path.read_bytes()
    for content in (b"", b"text", whole[: len(whole) // 2], b"PK\x03\x04" + whole[50:]):
        path.write_bytes(content)
        with pytest.raises(ModelError, match=r"not a file that polybody saved"):
            Model.load(path)
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ModelError, match=r"not a file that polybody saved"):
        Model.load(path)
    with pytest.raises(FileNotFoundError):
        Model.load(tmp_path / "nothing")


def test_a_file_with_python_objects_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    pendulum().save(path)
    with zipfile.ZipFile(path) as archive:
        facts = archive.read("polybody.npy")
    np.savez(path, body_mass=np.array([print], dtype=object))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("polybody.npy", facts)
    with pytest.raises(ModelError, match="not a file that polybody saved"):
        Model.load(path)


def test_files_that_lie(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model = pendulum()
    given = model.given()

    def lie(facts: object, arrays: dict[str, np.ndarray] = given, *, packed: bool = False) -> str:
        text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        (np.savez_compressed if packed else np.savez)(path, polybody=text, **arrays)
        with pytest.raises(ModelError) as error:
            Model.load(path)
        return str(error.value)

    true = {"kind": "model", "schema": SCHEMA_VERSION, "name": model.name, "names": dict(model.names)}
    assert "contains no saved model" in lie([])
    assert "contains no saved model" in lie(true | {"kind": "data"})
    assert "is of version ['1'] of the model's schema" in lie(true | {"schema": ["1"]})
    assert "has no names" in lie(true | {"names": ["world", "bob"]})
    assert "has no names" in lie(true | {"names": {"body": 3}})
    assert "not to joints" in lie(true | {"names": {"joints": []}})
    assert "there are 1 names for 2 body rows" in lie(true | {"names": true["names"] | {"body": ["world"]}})
    assert "0 is not a name" in lie(true | {"names": true["names"] | {"body": ["world", 0]}})
    assert "3 is not a name of a Model" in lie(true | {"name": 3})
    assert "it is compressed" in lie(true, packed=True)
    assert "column body_mass is missing" in lie(true, {k: v for k, v in given.items() if k != "body_mass"})
    assert "'extra' is not a column" in lie(true, given | {"extra": np.zeros(3)})
    assert "its parent 1 must come" in lie(true, given | {"body_parentid": np.array([0, 1])})


def test_a_file_whose_parts_overlap_takes_no_more_memory_than_its_size(tmp_path: Path) -> None:
    path, copies = tmp_path / "model.npz", 500
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", bytes(100_000))
    whole = path.read_bytes()
    start, end = whole.index(b"PK\x01\x02"), whole.index(b"PK\x05\x06")
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, copies, copies, copies * (end - start), start, 0)
    path.write_bytes(whole[:start] + whole[start:end] * copies + tail)
    with pytest.raises(ModelError, match="its parts overlap"):
        Model.load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe<",
        b"<?xml version='1.0' encoding='klingon'?><model/>",
        b"<?xml version='1.0' encoding='utf-32'?><model/>",
        b"<model><body" + b" " * 1_000_000,
        b"<a>" * 100_000,
        b"<model>" * 100_000,
        "<model name='\ud800'/>",
        "<model name='\x00'/>",
        "<model/>",
        "<data/>",
    ],
)
def test_hostile_xml_is_an_error_at_once(content: str | bytes) -> None:
    with pytest.raises(ModelError):
        Model.from_xml(content)


# --- rows by name ------------------------------------------------------------------------------------------


def test_rows_are_replaced_by_name() -> None:
    model = load(ARM, base="fixed")
    changed = model.replace(body_mass={"forearm": 2, "hand": 0.5}, dof_damping={"elbow": 0.1})
    assert changed.body("forearm").mass == 2
    assert changed.body("hand").mass == 0.5
    assert np.flatnonzero(changed.body_mass != model.body_mass).tolist() == [
        model.row("body", "forearm"),
        model.row("body", "hand"),
    ]
    assert changed.dof_damping.tolist() == [0, 0, 0.1, 0, 0, 0]
    assert model.replace(geom_friction={-1: (0.5, 0, 0)}).geom_friction[-1].tolist() == [0.5, 0, 0]
    assert model.replace(body_mass={}) == model


def test_rows_that_do_not_exist() -> None:
    model = load(ARM, base="fixed")
    with pytest.raises(KeyError, match="no body is called 'forarm'; did you mean 'forearm'"):
        model.replace(body_mass={"forarm": 1})
    with pytest.raises(IndexError, match="there is no body 99"):
        model.replace(body_mass={99: 1})
    with pytest.raises(TypeError, match="the rows of opt_gravity have no names"):
        model.replace(opt_gravity={"x": 1})
    with pytest.raises(ModelError):
        model.replace(body_mass={"forearm": -1})
