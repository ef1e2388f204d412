"""What is written here instead of a name of MuJoCo."""

from __future__ import annotations

PAGE = "docs/mujoco.md"
_DATA = "data = pb.Data(model)"
_JACOBIAN = "pb.jacobian(model, data, body= | com= | geom= | site=)"
INSTEAD = {
    "MjModel": 'model = pb.load("model.xml")',
    "MjData": _DATA,
    "MjSpec": 'document = pb.read_mjcf("model.xml")',
    "mj_id2name": 'model.names["body"][row]',
    "mj_name2id": 'model.row("body", name)',
    "mj_resetData": "pb.reset(model, data)",
    "mj_resetDataKeyframe": "pb.reset(model, data, key=)",
    "mj_forward": "pb.forward(model, data)",
    "mj_kinematics": "pb.forward_kinematics(model, data)",
    "mj_step": "pb.step(model, data, n)",
    "mj_step1": "pb.step1(model, data)",
    "mj_step2": "pb.step2(model, data)",
    "mj_inverse": "pb.inverse(model, data)",
    "mj_fullM": "data.qM",
    "mj_mulM": "pb.mul_m(model, data, vector)",
    "mj_solveM": "pb.solve_m(model, data, vector)",
    "mj_jac": "pb.jacobian(model, data, body, point)",
    **dict.fromkeys(("mj_jacBody", "mj_jacBodyCom", "mj_jacGeom", "mj_jacSite"), _JACOBIAN),
    "mj_objectVelocity": "pb.velocity(model, data, body= | com= | geom= | site=)",
    "mj_applyFT": "pb.apply_force(model, data, force, torque, point, body)",
    "mj_integratePos": "pb.integrate_pos(model, qpos, qvel, dt)",
    "mj_differentiatePos": "pb.differentiate_pos(model, qpos1, qpos2, dt)",
    "mj_energyPos": "pb.energy(model, data)",
    "mj_energyVel": "pb.energy(model, data)",
    "mj_subtreeVel": "pb.forward(model, data)",
    "mj_rnePostConstraint": "pb.forward(model, data)",
    "mj_contactForce": "pb.contact_force(model, data, i)",
    "mj_ray": "pb.ray(model, data, start, way)",
    "mj_multiRay": "pb.multi_ray(model, data, start, ways)",
    "mj_getState": "data.get_state(parts)",
    "mj_setState": "data.set_state(state, parts)",
    "mj_saveModel": "model.save(path)",
    "mj_saveLastXML": "pb.write(document, path)",
    "rollout": "pb.BatchStepper(model, n)",
    "Renderer": "",
    "viewer": "",
}
"""By a name of MuJoCo; "": there is none."""


def instead(name: str) -> str:
    """The end of the message about a missing name: what to write for one of MuJoCo; "" for any other."""
    written = INSTEAD.get(name)
    if written is None:
        return f"; {PAGE} shows what is written for MuJoCo's functions" if _of_mujoco(name) else ""
    return (
        f"; for MuJoCo's {name} write {written} ({PAGE})" if written else f"; {PAGE} says what to do instead"
    )


def _of_mujoco(name: str) -> bool:
    return name.startswith(("mj_", "mju_", "mjd_", "mjt", "mjv_", "mjr_", "Mj", "Mjv", "Mjr"))
