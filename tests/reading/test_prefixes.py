"""Names that no element declares, which get a prefix, too."""

from __future__ import annotations

import polybody as pb
import pytest

from tests.reading.test_editing import attribute as attributes
from tests.reading.test_editing import read

pytestmark = pytest.mark.filterwarnings("ignore::polybody.ModelWarning")


def test_names_of_files_and_of_generated_elements() -> None:
    text = """<mujoco><asset><mesh file="a/cup.stl"/></asset>
      <worldbody><body name="b"><geom type="mesh" mesh="cup"/>
      <replicate count="2" offset="1 0 0"><site name="s"/></replicate></body></worldbody>
      <sensor><force site="s1"/></sensor></mujoco>"""
    document = read(text)
    assert pb.rename(document, document.asset.mesh[0], "mug") == 1
    assert document.asset.mesh[0].name == document.find("geom").mesh == "mug"
    pb.rename(document, prefix="x_")
    assert attributes(document, "//force/@site") == ["x_s1"]
    assert attributes(document, "//geom/@mesh") == ["x_mug"]


def test_names_of_generated_bodies() -> None:
    text = """<mujoco><worldbody><body name="b">
      <flexcomp name="flag" type="grid" count="2 2 1" dim="2" mass="1"/></body></worldbody>
      <equality><connect body1="flag_0" anchor="0 0 0"/></equality></mujoco>"""
    document = read(text)
    pb.rename(document, prefix="left_")
    assert attributes(document, "//connect/@body1") == ["left_flag_0"]
    assert pb.validate(document) == []
