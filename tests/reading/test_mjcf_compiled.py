"""Limits, actuators, flexes, meshes, textures, cameras, masses: the verdict is that of MuJoCo's compiler."""

from __future__ import annotations

import mujoco
import polybody as pb
import pytest

ACTUATORS = [
    *('<damper joint="j" kv="1"/>', '<damper joint="j" kv="1" ctrlrange="0 1"/>'),
    *('<damper joint="j" kv="1" ctrlrange="-1 1"/>', '<damper joint="j" kv="-1" ctrlrange="0 1"/>'),
    *(
        '<adhesion body="b"/>',
        '<adhesion body="b" ctrlrange="0 1"/>',
        '<adhesion body="b" ctrlrange="-1 1"/>',
    ),
    '<adhesion body="b" ctrlrange="0 1" gain="-1"/>',
    *('<intvelocity joint="j"/>', '<intvelocity joint="j" actrange="0 1"/>'),
    *('<intvelocity joint="j" inheritrange="1"/>', '<intvelocity joint="r" inheritrange="1"/>'),
    '<intvelocity joint="r" inheritrange="1" actrange="0 1"/>',
    *('<position joint="j" inheritrange="1"/>', '<position joint="r" inheritrange="1"/>'),
    *('<position joint="r" inheritrange="1" ctrlrange="0 1"/>', '<position joint="j" inheritrange="-1"/>'),
    *('<position site="s" inheritrange="1"/>', '<position joint="j" kv="-1"/>'),
    *('<muscle joint="j" lengthrange="0 1" lmin="2" lmax="3"/>', '<muscle joint="j" lengthrange="0 1"/>'),
    '<muscle joint="j" lengthrange="0 1" range="2 1"/>',
]
DIRECT = 'type="direct" point="0 0 0 1 0 0 0 1 0 0 0 1"'
FLEXIBLE = [
    *("", 'count="4 4 1"', 'count="4 4 2"', 'count="2 1 1"', 'count="2 1 1" dim="1"', 'count="2 2 0"'),
    *('count="2 2 1" dim="3"', 'count="2 2 2" dim="3"', 'type="box" count="2 2 2" dim="3"'),
    *('type="box" count="1 2 2" dim="3"', 'type="circle" dim="1" count="2 1 1"', 'dim="4"', 'dim="0"'),
    *(
        'type="circle" dim="1" count="3 1 1"',
        f'{DIRECT} element="0 1 2" dim="-1"',
        'count="4 4 1" spacing="0.1 0.1 0.1" radius="0.051"',
    ),
    *('count="4 4 1" spacing="0.02 0.02 0"', 'count="4 4 1" scale="0 1 1"', 'count="4 4 1" mass="0"'),
    *('count="4 4 1" inertiabox="0"', f'{DIRECT} element="0 1 2 3" dim="3"', 'count="4 4 1" element="0 1"'),
    *(f'{DIRECT} element="0 1 2" dim="3"', f'{DIRECT} element="0 1 2" dim="2"'),
    *(f'{DIRECT} element="0 1 9" dim="2"', f'{DIRECT} element="0 1 2" dim="2" mass="0"'),
]
FLAT = '<asset><mesh name="m" vertex="-5 -5 0 5 -5 0 -5 5 0 5 5 0" face="0 1 2 1 3 2"/></asset>'
NOTHING = '<geom mass="0" size="0.01"/>'
OTHERS = [
    *(f'<worldbody><camera fovy="{angle}"/></worldbody>' for angle in (179, 180, 0)),
    *(f"{FLAT}<worldbody><geom type='mesh' mesh='m' {g}/></worldbody>" for g in ("", 'contype="0"')),
    *(FLAT, f"{FLAT}<worldbody><geom type='mesh' mesh='m' contype='0' conaffinity='0'/></worldbody>"),
    *(
        f'<asset><texture name="t" builtin="flat" {size}/></asset>'
        for size in (
            *('width="10922" height="2"', 'width="10923" height="2"', 'type="skybox" width="10923"'),
            *('type="2d" width="0" height="1"', 'type="2d" width="30000" height="30000"'),
            'type="2d" width="8" height="8"',
        )
    ),
    *(
        f"<worldbody>{body}</worldbody>"
        for body in (
            *(
                f"<body>{NOTHING}</body>",
                f"<body>{NOTHING * 2}</body>",
                f"<body><body>{NOTHING * 2}</body></body>",
            ),
            *(f"<body>{NOTHING * 2}<geom size='0.1'/></body>", NOTHING * 2),
            f"<body><frame>{NOTHING}</frame>{NOTHING}</body>",
            f"<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>{NOTHING * 2}</body>",
        )
    ),
]
BODY = (
    '<worldbody><body name="b"><joint name="j"/><joint name="r" axis="1 0 0" range="0 1"/><site name="s"/>'
    '<geom size="0.1"/></body></worldbody>'
)
LIMITS = [
    *('range="0 1"', 'limited="true"', 'limited="true" range="0 1"', 'limited="true" range="1 1"'),
    *('actuatorfrcrange="-1 1"', 'actuatorfrclimited="true"', 'actuatorfrclimited="false"'),
]
JOINT = '<worldbody><body><joint type="{}" {}/><geom size="0.1"/></body></worldbody>'
TEXTS = [
    *(
        f'<compiler autolimits="{auto}"/>{JOINT.format(kind, limits)}'
        for auto in ("true", "false")
        for kind in ("free", "ball", "hinge", "slide")
        for limits in LIMITS
    ),
    *(f"{BODY}<actuator>{actuator}</actuator>" for actuator in ACTUATORS),
    '<worldbody><body><freejoint name="f"/><geom size="0.1"/></body></worldbody><actuator>'
    '<position joint="f" inheritrange="1"/></actuator>',
    *(f'<worldbody><flexcomp name="f" {flex}/></worldbody>' for flex in FLEXIBLE),
    *OTHERS,
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_verdict_is_the_compilers(text: str) -> None:
    whole = f"<mujoco>{text}</mujoco>"
    errors = [found for found in pb.check("model.xml", text=whole) if found.severity == "error"]
    assert errors if _refusal(whole) else errors == []


def _refusal(text: str) -> str | None:
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        return str(error)
    return None


def test_a_free_joint_is_not_limited() -> None:
    """Limits from the defaults are not reported; those of the joint itself have no effect."""
    text = """<mujoco><default><joint limited="true"/></default><worldbody>
<body><joint type="free"/><geom size="0.1"/></body>
<body pos="1 0 0"><joint type="free" limited="true"/><geom size="0.1"/></body></worldbody></mujoco>"""
    (found,) = pb.check("model.xml", text=text)
    assert (found.code, found.severity, found.line) == ("PB027", "warning", 3)
    assert "a free joint is not limited by `range`" in found.message
