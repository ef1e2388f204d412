"""The meaning of an x_xy document, line by line."""

from __future__ import annotations

import numpy as np
import polybody
import pytest
from polybody.generated.model import JointType, ShapeType
from polybody.lowering import x_xy

from tests.lowering.models import SPHERE, body, document, lowered, one, world
from tests.oracles.random_x_xy import WIDTHS


def pose(result):
    data = polybody.Data(result.model)
    polybody.forward(result.model, data)
    return data.xpos[-1].copy(), data.xmat[-1].reshape(3, 3).copy()


def passive(result, q, qd):
    """Forces of springs and dampers in native coordinates."""
    data = polybody.Data(result.model)
    data.qpos, data.qvel = result.native.qpos(q), result.native.qvel(q, qd)
    polybody.forward(result.model, data)
    return result.native.qd(data.qfrc_passive)


# --- head ------------------------------------------------------------------------------------------------


def test_gravity_is_the_acceleration_of_the_base():
    model = one("pz", head='<options gravity="1 -2 9.5" dt="0.02"/>').model
    np.testing.assert_array_equal(model.opt_gravity, [-1, 2, -9.5])
    assert float(model.opt_timestep) == 0.02
    data = polybody.Data(model)
    polybody.forward(model, data)
    assert data.qacc[0] == pytest.approx(-9.5, rel=1e-5)


def test_defaults_of_the_head():
    model = one("pz").model
    np.testing.assert_array_equal(model.opt_gravity, [0, 0, -9.81])
    assert not np.signbit(model.opt_gravity[:2]).any()
    assert float(model.opt_timestep) == 0.01
    assert float(model.opt_regularization) == 1e-6
    assert float(one("pz", options={"regularization": 0.0}).model.opt_regularization) == 0


@pytest.mark.parametrize("attribute", ["model", "name"])
def test_the_model_has_the_documents_name(attribute):
    assert lowered(f'<x_xy {attribute}="arm"><worldbody>{body("rx")}</worldbody></x_xy>').model.name == "arm"


# --- placement -------------------------------------------------------------------------------------------


def test_euler_is_in_degrees_rz_ry_rx():
    _, mat = pose(one("frozen", euler="90 0 90"))
    np.testing.assert_allclose(mat, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-15)


def test_quat_is_passive():
    half = np.sqrt(0.5)
    _, turned = pose(one("frozen", euler="0 0 90"))
    _, same = pose(one("frozen", quat=f"{half} 0 0 {-half}"))
    np.testing.assert_allclose(same, turned, atol=1e-15)


def test_quat_is_normalised():
    np.testing.assert_allclose(
        pose(one("frozen", quat="2 0 0 -2"))[1], pose(one("frozen", euler="0 0 90"))[1], atol=1e-15
    )


def test_offsets_chain():
    inner = body("frozen", name="c", pos="0 1 0")
    pos, _ = pose(one("frozen", SPHERE + inner, pos="1 0 0", euler="0 0 90"))
    np.testing.assert_allclose(pos, [0, 0, 0], atol=1e-15)


def test_defaults_fill_bodies_and_geoms_everywhere():
    fillers = '<geom type="box" dim="0.2 0.4 0.6" mass="3"/><body pos="1 2 3" damping="0.5" joint="rx"/>'
    head = f"<defaults>{fillers}</defaults>"
    model = lowered(
        world('<body name="a"><geom/><body name="b" damping="2"><geom mass="1"/></body></body>', head)
    ).model
    np.testing.assert_array_equal(model.body_pos[1:], [[1, 2, 3]] * 2)
    np.testing.assert_array_equal(model.dof_damping, [0.5, 2])
    np.testing.assert_array_equal(model.body_mass, [0, 3, 1])
    np.testing.assert_array_equal(model.geom_size, [[0.1, 0.2, 0.3]] * 2)


# --- geoms -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "dim", "size", "moments"),
    [
        ("box", "0.2 0.4 0.6", (0.1, 0.2, 0.3), np.array([0.52, 0.4, 0.2]) / 12),
        ("sphere", "0.5", (0.5, 0, 0), np.array([0.1, 0.1, 0.1])),
        ("cylinder", "0.2 0.6", (0.2, 0.3, 0), np.array([0.02, 0.04, 0.04])),
    ],
)
def test_shapes_and_their_inertia(kind, dim, size, moments):
    """Of 1 kg; cylinders along x."""
    model = one("rx", f'<geom type="{kind}" mass="1" dim="{dim}"/>').model
    assert int(model.geom_type[0]) == ShapeType[kind]
    np.testing.assert_allclose(model.geom_size[0], size)
    tensor = model.body_spatial[1, 4:]
    np.testing.assert_allclose(tensor, [moments[0], 0, moments[1], 0, 0, moments[2]], atol=1e-17)


def test_capsule_lies_along_x_and_its_length_is_without_caps():
    model = one("rx", '<geom type="capsule" mass="1" dim="0.1 0.4"/>').model
    np.testing.assert_allclose(model.geom_size[0], [0.1, 0.2, 0])
    tensor = model.body_spatial[1, 4:]
    tube, caps = np.pi * 0.1**2 * 0.4, 4 / 3 * np.pi * 0.1**3
    along = (tube * 0.1**2 / 2 + caps * 0.4 * 0.1**2) / (tube + caps)
    assert tensor[0] == pytest.approx(along, rel=1e-14)
    assert tensor[2] == pytest.approx(tensor[5], rel=1e-14)
    assert tensor[2] > tensor[0]


def test_geoms_of_a_body_add_up():
    inside = (
        '<geom type="box" mass="1" pos="0.5 0 0" dim="1 0.2 0.1"/>'
        '<geom type="sphere" mass="3" pos="0 0 1" dim="0.1"/>'
        '<geom type="cylinder" mass="2" pos="0 -1 0" euler="0 90 0" dim="0.1 1"/>'
    )
    model = one("spherical", inside).model
    assert model.body_mass[1] == 6
    np.testing.assert_allclose(model.body_ipos[1], np.array([0.5, -2, 3]) / 6, rtol=1e-15)
    np.testing.assert_array_equal(model.geom_mass, [1, 3, 2])
    xx = 1 / 12 * (0.04 + 0.01) + (0.4 * 3 * 0.01 + 3) + (2 * (0.01 / 4 + 1 / 12) + 2)
    assert model.body_spatial[1, 4] == pytest.approx(xx, rel=1e-14)


def test_a_body_symmetric_about_its_axes_keeps_them():
    model = one("rx", '<geom type="cylinder" mass="1" dim="0.2 0.6"/>').model
    np.testing.assert_array_equal(model.body_iquat[1], [1, 0, 0, 0])


def test_xyz_has_neither_mass_nor_shape():
    model = one("rx", SPHERE + '<geom type="xyz"/>').model
    assert model.body_mass[1] == 1
    assert model.ngeom == 1


def test_bodies_without_mass_are_legal():
    for inside in ("", '<geom type="box" mass="0" dim="1 1 1"/>', '<geom type="xyz"/>'):
        model = one("rx", inside).model
        assert model.body_mass[1] == 0
        assert not model.body_inertia[1].any()


def test_geoms_of_the_world():
    model = lowered(world('<geom type="box" mass="5" dim="9 9 1" pos="0 0 -1"/>' + body("rx"))).model
    np.testing.assert_array_equal(model.geom_bodyid, [0, 1])
    assert model.body_mass[0] == 0


@pytest.mark.parametrize(
    ("color", "rgba"),
    [
        ("0.1 0.2 0.3", (0.1, 0.2, 0.3, 1)),
        ("0.1 0.2 0.3 0.4", (0.1, 0.2, 0.3, 0.4)),
        ("red", (1, 0, 0, 1)),
        ("dustin_exp_orange", (227 / 255, 139 / 255, 61 / 255, 1)),
        ("no-such-colour", (0.7, 0.5, 0.1, 1)),
    ],
)
def test_colours(color, rgba):
    inside = f'<geom type="sphere" mass="1" dim="0.1" color="{color}"/>'
    np.testing.assert_allclose(one("rx", inside).model.geom_rgba[0], rgba)


# --- joints ----------------------------------------------------------------------------------------------


def kinds(result):
    return [JointType(code).name for code in result.model.jnt_type]


SPREAD = ["slide", "slide", "slide", "ball"]


@pytest.mark.parametrize(
    ("joint", "expected"),
    [
        ("frozen", []),
        ("rx", ["hinge"]),
        ("py", ["slide"]),
        ("spherical", ["ball"]),
        ("free", ["free"]),
        ("p3d", ["slide"] * 3),
        ("free_2d", ["slide", "slide", "hinge"]),
        ("saddle", ["hinge", "hinge"]),
        ("cor", ["free", "slide", "slide", "slide"]),
        ("rr", ["hinge"]),
        ("rr_imp", ["hinge", "hinge"]),
        ("rsaddle", ["hinge", "hinge"]),
    ],
)
def test_sequences_of_primitive_joints(joint, expected):
    result = one(joint)
    assert kinds(result) == expected
    assert (result.model.nq, result.model.nv) == WIDTHS[joint]


@pytest.mark.parametrize(
    "attributes",
    [
        {"pos": "0 0 1"},
        {"euler": "0 0 10"},
        {"quat": "0.6 0.8 0 0"},
        {"damping": "5 5 5 25 25 25"},
        {"armature": "0 0 0 0 0 1"},
        {"spring_stiff": "1 1 1 1 2 1"},
    ],
    ids=lambda a: next(iter(a)),
)
def test_free_with_an_offset_or_unequal_axes_is_spread(attributes):
    assert kinds(one("free", **attributes)) == SPREAD
    assert kinds(one("free", damping="2 2 2 2 2 2")) == ["free"]


def test_free_and_spread_free_move_alike():
    """The pos of the one equals an offset in q of the other."""
    inside = '<geom type="box" mass="2" pos="0.1 0.2 0.3" euler="10 20 30" dim="0.2 0.3 0.5"/>'
    zero = "0 0 0 0 0 0"
    even, odd = one("free", inside), one("free", inside, damping=zero, pos="0.5 -1 2")
    rng = np.random.default_rng(0)
    q, qd = rng.normal(size=7), rng.normal(size=6)
    q[:4] /= np.linalg.norm(q[:4])
    found = []
    for result, shift in ((even, [0.5, -1, 2]), (odd, [0, 0, 0])):
        data = polybody.Data(result.model)
        start = q.copy()
        start[4:] += shift
        data.qpos, data.qvel = result.native.qpos(start), result.native.qvel(start, qd)
        polybody.step(result.model, data, 50)
        polybody.forward(result.model, data)
        found.append(
            (
                data.xpos[1].copy(),
                data.xmat[1].copy(),
                result.native.qd(data.qvel),
                polybody.mass_matrix(result.model, data),
            )
        )
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_springs_and_dampers_of_a_single_free_joint():
    result = one("free", damping="2 2 2 2 2 2", spring_stiff="3 3 3 3 3 3", spring_zero="0.6 0 0.8 0 1 2 3")
    assert kinds(result) == ["free"]
    q, qd = np.array([0.5, -0.5, 0.5, 0.5, 0.1, 0.2, 0.3]), np.linspace(-1, 1, 6)
    turn = shortest_turn(np.array([0.6, 0, 0.8, 0]), q[:4])
    expected = 3 * np.concatenate([turn, [0.9, 1.8, 2.7]]) - 2 * qd
    np.testing.assert_allclose(passive(result, q, qd), expected, rtol=1e-14)


@pytest.mark.parametrize("joint", sorted(WIDTHS))
def test_damping_acts_on_each_native_velocity(joint):
    nq, nv = WIDTHS[joint]
    damping = np.arange(1.0, nv + 1)
    attributes = {"damping": " ".join(map(str, damping))} if nv else {}
    result = one(joint, pos="1 0 0", euler="10 20 30", **attributes)
    q, qd = np.full(nq, 0.5), np.linspace(-1, 1, nv)
    np.testing.assert_allclose(passive(result, q, qd), -damping * qd, atol=1e-15)


@pytest.mark.parametrize("joint", sorted(WIDTHS))
def test_armature_is_on_each_native_diagonal(joint):
    nq, nv = WIDTHS[joint]
    armature = np.arange(1.0, nv + 1)
    attributes = {"armature": " ".join(map(str, armature))} if nv else {}
    q = np.full(nq, 0.5)
    matrices = []
    for result in (one(joint, pos="1 0 0"), one(joint, pos="1 0 0", **attributes)):
        data = polybody.Data(result.model)
        data.qpos = result.native.qpos(q)
        polybody.forward(result.model, data)
        dense = polybody.mass_matrix(result.model, data)
        matrices.append(result.native.qd(result.native.qd(dense).T))
    np.testing.assert_allclose(matrices[1] - matrices[0], np.diag(armature), atol=1e-13)


def shortest_turn(zero, quat):
    """Axis times angle of the passive quaternion zero o quat^-1, reversed: towards the zero point."""
    w1, v1, w2, v2 = zero[0], zero[1:], quat[0], -quat[1:]
    w, v = w1 * w2 - v1 @ v2, w1 * v2 + w2 * v1 + np.cross(v1, v2)
    if w < 0:
        w, v = -w, -v
    length = np.linalg.norm(v)
    return -2 * np.arctan2(length, w) * v / length


@pytest.mark.parametrize("joint", sorted(set(WIDTHS) - {"frozen"}))
def test_springs_pull_each_axis_to_the_zero_point(joint):
    nq, nv = WIDTHS[joint]
    rng = np.random.default_rng(nq)
    stiffness = rng.uniform(1, 5, nv)
    for _ in range(4):
        q, zero = rng.uniform(-1, 1, nq), rng.uniform(-1, 1, nq)
        expected = zero - q
        if nq > nv:
            q[:4] /= np.linalg.norm(q[:4])
            zero[:4] /= np.linalg.norm(zero[:4])
            expected = np.concatenate([shortest_turn(zero[:4], q[:4]), zero[4:] - q[4:]])
        result = one(
            joint, pos="1 0 0", euler="10 20 30", spring_stiff=" ".join(map(repr, stiffness.tolist())),
            spring_zero=" ".join(map(repr, zero.tolist())),
        )  # fmt: skip
        np.testing.assert_allclose(
            passive(result, q, np.zeros(nv)), stiffness * expected, rtol=1e-12, atol=1e-14
        )


def test_springs_rest_at_the_identity_without_a_zero_point():
    result = one("free", spring_stiff="1 1 1 1 1 1")
    np.testing.assert_array_equal(passive(result, [1, 0, 0, 0, 0, 0, 0], np.zeros(6)), np.zeros(6))


# --- cor -------------------------------------------------------------------------------------------------


def test_cor_has_nine_velocities_and_a_mass_matrix_of_rank_six():
    result = one("cor")
    data = polybody.Data(result.model)
    rng = np.random.default_rng(4)
    data.qpos = result.native.qpos(np.concatenate([[0.5, 0.5, 0.5, 0.5], rng.normal(size=6)]))
    polybody.forward(result.model, data)
    values = np.linalg.eigvalsh(polybody.mass_matrix(result.model, data))
    assert (values > 1e-3).sum() == 6
    assert np.abs(values[:3]).max() < 1e-14


def test_cor_without_regularization_and_armature_is_a_finding():
    codes = [f.code for f in one("cor", options={"regularization": 0.0}).findings]
    assert codes == ["PB062"]
    assert not one("cor").findings
    for armature in ("0 0 0 0 0 0 1 1 1", "0 0 0 1 1 1 0 0 0"):
        assert not one("cor", options={"regularization": 0.0}, armature=armature).findings
    assert one("cor", options={"regularization": 0.0}, armature="1 1 1 0 0 0 1 1 0").findings


# --- random draws ----------------------------------------------------------------------------------------

RANDOM = world(
    "".join(body(joint, name=f"{joint}{k}") for k in range(300) for joint in ("rr", "rr_imp", "rsaddle"))
)


def test_axes_come_from_the_seed():
    text = world(body("rr", name="a") + body("rsaddle", name="b"))
    first, again, other = (lowered(text, seed=seed) for seed in (7, 7, 8))
    for name in ("a", "b"):
        np.testing.assert_array_equal(first.axes[name], again.axes[name])
        assert np.abs(first.axes[name] - other.axes[name]).max() > 1e-3
    np.testing.assert_array_equal(first.model.jnt_axis, np.concatenate([first.axes["a"], first.axes["b"]]))
    assert first.model == again.model
    assert first.model != other.model


def test_axes_are_uniform_on_the_sphere():
    axes = lowered(RANDOM).axes
    for k, joint in enumerate(("rr", "rr_imp", "rr_imp", "rsaddle", "rsaddle")):
        rows = np.array([axes[f"{joint}{i}"][int(k in (2, 4))] for i in range(300)])
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-14)
        # Standard errors of 300 draws: mean 1/30, second moments at most 1/58.
        assert np.abs(rows.mean(axis=0)).max() < 4 / 30
        assert np.abs(rows.T @ rows / 300 - np.eye(3) / 3).max() < 4 / 58


def test_the_residual_axis_is_orthogonal_and_saddles_are_not():
    axes = lowered(RANDOM).axes
    cosines = {
        j: np.array([np.prod(axes[f"{j}{i}"], axis=0).sum() for i in range(300)])
        for j in ("rr_imp", "rsaddle")
    }
    assert np.abs(cosines["rr_imp"]).max() < 1e-14
    assert abs(np.mean(cosines["rsaddle"] ** 2) - 1 / 3) < 0.08


def test_axes_can_be_read_back_and_given():
    text = world(body("rr", name="a") + body("rr_imp", name="b") + body("rsaddle", name="c"))
    first = lowered(text, seed=3)
    again = lowered(text, seed=99, axes=first.axes)
    assert again.model == first.model
    partly = lowered(text, seed=3, axes={"a": [0, 0, 2]})
    np.testing.assert_array_equal(partly.axes["a"], [[0, 0, 1]])
    np.testing.assert_array_equal(partly.axes["c"], first.axes["c"])


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({"nobody": [1, 0, 0]}, "nobody"),
        ({"hinge": [1, 0, 0]}, "hinge"),
        ({"b": [1, 0, 0]}, "rr_imp needs 2"),
        ({"b": [[1, 0, 0], [0, 0, 0]]}, "not directions"),
        ({"b": [[1, 0, 0], [0, np.nan, 0]]}, "not directions"),
        ({"b": [[1, 0, 0], [0.1, 1, 0]]}, "orthogonal"),
    ],
)
def test_axes_that_cannot_be(axes, words):
    with pytest.raises(ValueError, match=words):
        lowered(world(body("rr_imp") + body("rx", name="hinge")), axes=axes)


def test_pos_is_drawn_only_when_asked():
    text = world(
        body("rx", pos="5 5 5", pos_min="-1 0 2", pos_max="1 0 3")
        + body("free", name="c", pos="1 1 1")
        + body("rr", name="r")
    )
    plain = lowered(text, seed=1)
    np.testing.assert_array_equal(plain.model.body_pos[1], [5, 5, 5])
    drawn = np.array([lowered(text, seed=s, randomize=True).model.body_pos for s in range(200)])
    np.testing.assert_array_equal(drawn[:, 2], [[1, 1, 1]] * 200)
    low, high = np.array([-1, 0, 2]), np.array([1, 0, 3])
    assert (drawn[:, 1] >= low).all()
    assert (drawn[:, 1] <= high).all()
    np.testing.assert_allclose(drawn[:, 1].mean(axis=0), (low + high) / 2, atol=4 * 2 / np.sqrt(12 * 200))
    np.testing.assert_allclose(drawn[:, 1].std(axis=0), (high - low) / np.sqrt(12), atol=0.1)
    again = lowered(text, seed=1, randomize=True)
    np.testing.assert_array_equal(again.model.body_pos[1], drawn[1, 1])
    np.testing.assert_array_equal(again.axes["r"], plain.axes["r"])


def test_load_takes_seed_and_randomize(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(world(body("rr", pos_min="0 0 0", pos_max="1 1 1")))
    assert polybody.load(path, seed=4) == lowered(path.read_text(), seed=4).model
    assert (
        polybody.load(path, seed=4, randomize=True) == lowered(path.read_text(), seed=4, randomize=True).model
    )
    assert not polybody.load(path).body_pos[1].any()


# --- names, depth, documents made in Python --------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        '"""\nimport os',
        "'; drop",
        "a:b.0",
        "..",
        "%s{0}",
        "日本語",
        "  spaced  ",
        "1.0 2.0",
        "None",
        "<&>\"'",
        "\\",
        "x" * 5000,
    ],
)
def test_a_name_is_only_a_name(name):
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", "&#10;")
    text = f'<x_xy><worldbody><body name="{escaped}" joint="saddle">{SPHERE}</body></worldbody></x_xy>'
    result = lowered(text)
    assert result.model.names["body"] == ("world", name)
    assert set(result.native.q_slices) == {name}
    assert result.model.body(name).mass == 1


def test_names_of_joints_never_clash():
    model = lowered(
        world(body("saddle", name="a") + body("rx", name="a:saddle.0") + body("rx", name="a:saddle"))
    ).model
    assert len(set(model.names["joint"])) == model.njnt == 4


def test_a_body_called_world_is_an_error_with_its_place():
    with pytest.raises(polybody.ValidationError) as caught:
        lowered("<x_xy><worldbody>\n" + body("rx", name="world") + "</worldbody></x_xy>")
    (finding,) = caught.value.diagnostics
    assert (finding.line, finding.code) == (2, "PB063")


@pytest.mark.parametrize(
    "heavy",
    [
        '<geom type="sphere" mass="1e308" dim="1"/>' * 3,
        '<geom type="capsule" mass="1" dim="1e200 1e200"/>',
        '<geom type="box" mass="1" pos="1e200 0 0" dim="1 1 1"/>',
        '<geom type="box" mass="1" pos="1e200 0 0" dim="1 1 1"/><geom type="box" mass="1" dim="1 1 1"/>',
    ],
)
def test_masses_and_sizes_beyond_all_numbers_are_an_error_with_their_place(heavy):
    with pytest.raises(polybody.ValidationError) as caught:
        lowered("<x_xy><worldbody>\n" + body("rx", heavy) + "</worldbody></x_xy>")
    assert {(finding.line, finding.code) for finding in caught.value.diagnostics} == {(2, "PB063")}


@pytest.mark.parametrize("quat", ["1e-200 0 0 -1e-200", "1e200 0 0 -1e200", "5e-324 0 0 -5e-324"])
def test_quaternions_of_any_length(quat):
    np.testing.assert_allclose(
        pose(one("frozen", quat=quat))[1], pose(one("frozen", euler="0 0 90"))[1], atol=1e-15
    )


def test_two_thousand_bodies_deep():
    depth = 2000
    text = world(
        "".join(f'<body name="{k}" joint="rx" pos="0 0 1">{SPHERE}' for k in range(depth)) + "</body>" * depth
    )
    model = lowered(text).model
    assert model.nbody == depth + 1
    np.testing.assert_array_equal(model.body_parentid[1:], np.arange(depth))


def test_documents_made_in_python():
    doc = polybody.x_xy
    ball = doc.Geom(type=doc.GeomType.SPHERE, mass=1.0, dim=(0.1,))
    arm = doc.Body(name="b", joint=doc.Joint.RX, geom=[ball])
    made = doc.XXy(model="made", worldbody=doc.Worldbody(body=[arm]))
    assert x_xy.lower(made).model.replace(name="") == one("rx").model
    unjointed = doc.Worldbody(body=[doc.Body(name="b")])
    for wrong in (doc.XXy(), doc.XXy(worldbody=doc.Worldbody()), doc.XXy(worldbody=unjointed)):
        with pytest.raises(polybody.ValidationError):
            x_xy.lower(wrong)


def test_lowering_leaves_the_document_alone():
    text = world(body("rr") + body("free", name="c", pos="1 2 3"))
    made = document(text)
    x_xy.lower(made)
    assert made == document(text)


def test_what_is_not_simulated_is_said_once_per_kind():
    inside = SPHERE + '<omc pos_marker="1"/>'
    result = lowered(world(body("rx", inside) + body("rx", inside, name="c")))
    (finding,) = result.findings
    assert (finding.code, finding.severity) == ("PB061", "info")
    assert "omc" in finding.message
    assert "2" in finding.message
