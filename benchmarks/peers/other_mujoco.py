"""Steps with the MuJoCo of another environment; touching.py starts it with the Python of that environment.

    PYTHON other_mujoco.py MODEL.xml STATES.npz STEPS

It writes MuJoCo's version, then for each index of a state read from standard input the microseconds of a step
from that state. It imports nothing from this repository.
"""

import sys
import time

import mujoco
import numpy as np


def main(path: str, states: str, steps: int) -> None:
    """Answer requests until standard input ends."""
    engine = mujoco.MjModel.from_xml_path(path)
    engine.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    data = mujoco.MjData(engine)
    with np.load(states) as file:
        columns = {name: file[name] for name in file.files}
    print(mujoco.__version__, flush=True)
    for line in sys.stdin:
        for name, rows in columns.items():
            getattr(data, name)[...] = rows[int(line)]
        start = time.perf_counter_ns()
        mujoco.mj_step(engine, data, steps)
        print((time.perf_counter_ns() - start) / 1e3 / steps, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
