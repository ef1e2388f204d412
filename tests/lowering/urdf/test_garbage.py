"""A load leaves nothing that only the garbage collector could free."""

from __future__ import annotations

import gc

import polybody as pb

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="hand"><visual><geometry><box size="1 1 1"/></geometry></visual></link>
  <joint name="wrist" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
</robot>"""


def test_no_cycles_remain() -> None:
    pb.load("arm.urdf", text=ARM, base="fixed")  # imports, and what is kept for later loads
    gc.collect()
    gc.disable()
    try:
        before = len(gc.get_objects())
        for _ in range(5):
            pb.load("arm.urdf", text=ARM, base="fixed")
        assert len(gc.get_objects()) - before < 20
    finally:
        gc.enable()
