"""Steps per second of a model in polybody and in MuJoCo, from the initial state or a keyframe.

python examples/against_mujoco.py FILE [KEY]
"""

import sys
import time

import polybody as pb

ROUNDS, STEPS = 5, 600


def main(path: str, key: str | None = None) -> None:
    """Print steps per second of both, and the factor between them."""
    try:
        import mujoco
    except ImportError:
        print("MuJoCo is not installed, so there is nothing to compare with: pip install mujoco==3.2.7")
        return
    model = pb.load(path)
    sim = pb.Stepper(model, kernels="specialized")
    peer = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(peer)
    number = -1 if key is None else model.row("key", key)  # without a keyframe, the initial state
    ours, theirs = [], []
    for _ in range(ROUNDS):  # alternating, so that both run under the same conditions
        pb.reset(model, sim.data, key)
        begun = time.perf_counter()
        sim.step(STEPS)
        ours.append(time.perf_counter() - begun)
        mujoco.mj_resetDataKeyframe(peer, data, number)
        begun = time.perf_counter()
        mujoco.mj_step(peer, data, STEPS)
        theirs.append(time.perf_counter() - begun)
    one, other = STEPS / min(ours), STEPS / min(theirs)
    print(f"polybody   {one:,.0f} steps per second of {path}, contacts included")
    print(f"MuJoCo     {other:,.0f} steps per second (version {mujoco.__version__})")
    print(f"factor     {one / other:.1f}")


main(*sys.argv[1:])
