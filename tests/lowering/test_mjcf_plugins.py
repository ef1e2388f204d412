"""MJCF: instances of plugins and their uses, compared with MuJoCo; invalid configurations."""

from __future__ import annotations

import pytest
from polybody import plugins
from polybody.geometry.signed_distances import SHAPES

from tests.lowering.mjcf_models import problems, same

EXTENSION = "<extension>{}</extension>"
PID = """<extension><plugin plugin="mujoco.pid"><instance name="p"><config key="kp" value="4.0"/>
<config key="ki" value="1"/><config key="slewmax" value=".5"/></instance></plugin></extension>
<worldbody><body><joint name="j"/><geom size=".1"/><body><joint name="k"/><geom size=".1"/></body></body>
</worldbody><actuator><plugin name="a" joint="j" instance="p" actdim="2"/><motor joint="j"/>
<plugin joint="k" plugin="mujoco.pid" dyntype="filter" dynprm=".3" actdim="1" ctrlrange="-1 1" gear="2">
<config key="kd" value="2"/></plugin></actuator>"""
CABLE = """<extension><plugin plugin="mujoco.elasticity.cable"><instance name="shared"><config key="bend"
value="1e5"/></instance></plugin></extension><worldbody><body name="b">
<composite prefix="c" type="cable" count="5 1 1" curve="s" size="1 0 0"><plugin {}>
<config key="twist" value="1e6"/></plugin>
<geom type="capsule" size=".02"/></composite></body>
<body name="o"><joint/><geom type="capsule" size=".1 .1"/>
<plugin plugin="mujoco.elasticity.cable"/></body></worldbody>"""
SHELL = """<extension><plugin plugin="mujoco.elasticity.shell"/></extension><worldbody>
<flexcomp name="f" count="3 3 1" spacing="1 1 1"><plugin plugin="mujoco.elasticity.shell">
<config key="young" value="2"/><config key="poisson" value="0"/>
<config key="thickness" value="1"/></plugin>{}</flexcomp></worldbody>"""
GRID = """<extension><plugin plugin="mujoco.sensor.touch_grid"/></extension><worldbody><body><geom size=".1"/>
<site name="s"/></body></worldbody><sensor><clock/><plugin plugin="mujoco.sensor.touch_grid" objtype="site"
objname="s"><config key="size" value="7 3"/><config key="fov" value="40 20"/>
<config key="nchannel" value="2"/></plugin><clock/></sensor>"""


@pytest.mark.parametrize(
    "inside",
    [
        *(PID, GRID, CABLE.format('plugin="mujoco.elasticity.cable"'), SHELL.format("")),
        SHELL.format('<elasticity damping=".3"/><pin id="0 4"/>'),
        CABLE.format('plugin="mujoco.elasticity.cable" instance="shared"').replace(
            '<config key="twist" value="1e6"/>', ""
        ),
    ],
)
def test_instances_and_their_uses_are_mujocos(inside: str) -> None:
    same(inside)


@pytest.mark.parametrize(
    ("shape", "config"),
    [
        ("torus", '<config key="radius1" value=".5"/><config key="radius2" value=".1"/>'),
        ("bowl", '<config key="height" value=".2"/>'),
        ("bolt", ""),
        ("nut", '<config key="radius" value=".2"/>'),
        ("gear", '<config key="teeth" value="9"/><config key="innerdiameter" value="1"/>'),
    ],
)
def test_the_surface_of_a_shape_is_mujocos(shape: str, config: str) -> None:
    instance = f'<plugin plugin="mujoco.sdf.{shape}"><instance name="i">{config}</instance></plugin>'
    ours = same(
        f'<extension>{instance}</extension><asset><mesh name="m"><plugin instance="i"/></mesh></asset>'
        "<worldbody>"
        '<body><freejoint/><geom type="sdf" mesh="m"><plugin instance="i"/></geom></body></worldbody>'
    )
    assert ours.columns["geom_plugin"].tolist() == [0]


def test_all_shapes_with_sizes_are_plugins() -> None:
    for name in SHAPES:
        plugin = plugins.find(name)
        assert isinstance(plugin, plugins.Shape)
        assert len(plugin.otherwise) == len(plugin.keys)


def _pid(actuator: str) -> str:
    body = '<worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>'
    return f'<extension><plugin plugin="mujoco.pid"/></extension>{body}<actuator>\n{actuator}</actuator>'


def _of_pid(key: str, value: str, rest: str = "") -> str:
    config = f'<config key="{key}" value="{value}"/>'
    return _pid(f'<plugin joint="j" plugin="mujoco.pid" {rest}>{config}</plugin>')


REFUSED = {
    "mujoco.pid: `kp` is 'x', which is not a number": _of_pid("kp", "x"),
    "mujoco.pid: `slewmax` is negative": _of_pid("slewmax", "-1", 'actdim="1"'),
    "mujoco.pid has no key `kq`": _of_pid("kq", "1"),
    "`actdim` is 0; with this configuration of mujoco.pid it must be 1": _of_pid("ki", "1"),
    "there is no plugin `mujoco.x`: it is not registered": _pid('<plugin joint="j" plugin="mujoco.x"/>'),
    "the plugin `mujoco.elasticity.cable` is not declared in <extension>": _pid(
        '<plugin joint="j" plugin="mujoco.elasticity.cable"/>'
    ),
    "`size` must be two positive whole numbers": GRID.replace("\n", " ").replace("7 3", "7"),
    "`fov` must be two angles, up to 180 and up to 90 degrees": GRID.replace("\n", " ").replace(
        "40 20", "40 91"
    ),
    "`nchannel` is 9; it must be 1 to 6": GRID.replace("\n", " ").replace('value="2"', 'value="9"'),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_a_plugin_does_not_take_has_a_line(message: str) -> None:
    assert any(message in problem for problem in problems(REFUSED[message]))


def test_plugins_are_of_one_kind_of_element() -> None:
    inside = _pid('<motor joint="j"/>').replace("<geom", '\n<plugin plugin="mujoco.pid"/><geom')
    assert "2:1 PB063 mujoco.pid is a plugin of actuators, not of bodies" in problems(inside)
