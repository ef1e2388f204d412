"""Documents that once caused exceptions or inconsistent results: each now gives findings, whatever is done
with it.

One process reads them, with memory and processor time limited by the operating system; an internal error in
it fails the test.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from . import limits

if sys.platform == "win32":
    pytest.skip("no resource limits on Windows", allow_module_level=True)

RUN = """
import polybody

for name, path in json.load(sys.stdin).items():
    allow_more_time()
    print(json.dumps([name, None]), flush=True)
    found = [finding for finding in polybody.check(path, model=False) if finding.severity == "error"]
    polybody.check(path)
    for act in (polybody.read, polybody.load):
        try:
            act(path, policy="lenient")
        except (polybody.ValidationError, polybody.ModelError):
            pass
    print(json.dumps([name, sorted({finding.code for finding in found})]), flush=True)
"""
MARK = b"\xef\xbb\xbf"
ENTITY = '<!DOCTYPE x_xy [<!ENTITY a "b">]><x_xy>&a;</x_xy>'
MANY, LARGE = "9" * 5000, "9" * 19
BODY = '<x_xy><worldbody><body name="{}" joint="rx"/></worldbody></x_xy>'
Files = dict[str, str | bytes]


def including(path: str) -> str:
    return f"<sdf version='1.9'><world name='w'><include><uri>{path}</uri></include></world></sdf>"


def doubled(name: str, document: str, twice: str, last: str) -> Files:
    """A file that includes the next one twice, and so on."""
    files = {name % i: document % (twice.replace("NEXT", name % (i + 1))) for i in range(40)}
    return {**files, name % 40: document % last}


def jointed(attributes: str) -> str:
    joint = f'<joint name="j" {attributes}/><geom size="1"/>'
    return f"<mujoco><worldbody><body>{joint}</body></worldbody></mujoco>"


ENCODED: dict[str, tuple[Files, set[str]]] = {
    "two marks and a document type": ({"m.xml": MARK + MARK + ENTITY.encode()}, {"PB005"}),
    "three marks": ({"m.xml": MARK * 3 + ENTITY.encode()}, {"PB005"}),
    "UTF-16 with a second mark": ({"m.xml": ("\ufeff\ufeff" + ENTITY).encode("utf-16-le")}, {"PB005"}),
    "UTF-16 without a mark": ({"m.xml": ENTITY.encode("utf-16-le")}, {"PB004"}),
    "UTF-16 without a mark, the other way": ({"m.xml": ENTITY.encode("utf-16-be")}, {"PB004"}),
    "UTF-16 without a mark, behind a blank": ({"m.xml": (" " + ENTITY).encode("utf-16-le")}, {"PB005"}),
    "UTF-32": ({"m.xml": ENTITY.encode("utf-32-be")}, {"PB004"}),
    "UTF-16 behind a mark of UTF-8": ({"m.xml": MARK + ("\ufeff" + ENTITY).encode("utf-16-le")}, {"PB005"}),
    "UTF-16 without its mark behind one of UTF-8": ({"m.xml": MARK + ENTITY.encode("utf-16-le")}, {"PB005"}),
    "a document type behind comments": ({"m.xml": "<!-- a --><?b?>\n" + ENTITY}, {"PB004"}),
    "a document type in small letters": ({"m.xml": "<!doctype x_xy><x_xy/>"}, {"PB004"}),
    "a document type behind the root": ({"m.xml": "<x_xy><!DOCTYPE a></x_xy>"}, {"PB005"}),
    "ASCII that is none": (
        {"m.xml": b"<?xml version='1.0' encoding='ascii'?>" + BODY.format("\u00e9").encode()},
        {"PB003"},
    ),
    "US-ASCII that is none": (
        {"m.xml": b"<?xml version='1.0' encoding='US-ASCII'?>" + BODY.format("\u00e9").encode()},
        {"PB003"},
    ),
}
TREES: dict[str, tuple[Files, set[str]]] = {
    "a circle through two formats": (
        {"w.sdf": including("e.xml"), "e.xml": "<environment><KinBody file='w.sdf'/></environment>"},
        {"PB039"},
    ),
    "the same, begun elsewhere": (
        {"e.xml": "<environment><KinBody file='w.sdf'/></environment>", "w.sdf": including("e.xml")},
        {"PB008", "PB039"},
    ),
    "OpenRAVE in SDFormat": (
        {"w.sdf": including("e.xml"), "e.xml": "<kinbody name='k'><body name='b'/></kinbody>"},
        set(),
    ),
    "SKEL in SDFormat": (
        {
            "w.sdf": including("e.skel"),
            "e.skel": "<skel version='1.0'><world name='w'><skeleton name='s'><body name='b'/>"
            "</skeleton></world>"
            "</skel>",
        },
        set(),
    ),
    "MJCF in SDFormat": ({"w.sdf": including("e.xml"), "e.xml": "<mujoco/>"}, set()),
    "URDF in MJCF": (
        {
            "m.xml": "<mujoco><asset><model name='q' file='r.urdf'/></asset><worldbody><body>"
            "<attach model='q' body='b' prefix='p'/></body></worldbody></mujoco>",
            "r.urdf": "<robot name='r'><link name='b'/></robot>",
        },
        set(),
    ),
    "a version of 5,000 digits": (
        {
            "w.sdf": including("d"),
            "d/model.config": f"<model><sdf version='{MANY}'>m.sdf</sdf></model>",
        },
        {"PB001"},
    ),
    "a description in hexadecimal": (
        {
            "w.sdf": including("d"),
            "d/model.config": "<?xml version='1.0' encoding='hex'?><model>"
            "<sdf version='1'>m.sdf</sdf></model>",
        },
        {"PB001"},
    ),
    "Gmsh of 5,000 digits": (
        {
            "m.xml": '<mujoco><worldbody><flexcomp name="f" type="gmsh" file="g.msh"/></worldbody></mujoco>',
            "g.msh": "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
            + "9" * 5000
            + "\n1 0 0 0\n$EndNodes\n$Elements\n1\n$EndElements\n",
        },
        {"PB084"},
    ),
    "Gmsh of less than nothing": (
        {
            "m.xml": '<mujoco><worldbody><flexcomp name="f" type="gmsh" file="g.msh"/></worldbody></mujoco>',
            "g.msh": "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 -1 1 4\n2 1 0 -1\n1 0 0\n$EndNodes\n"
            "$Elements\n1 -1\n$EndElements\n",
        },
        {"PB084"},
    ),
}
DOUBLED: dict[str, tuple[Files, set[str]]] = {
    "SDFormat": (
        doubled(
            "m%d.sdf",
            "<sdf version='1.9'><model name='m'><link name='l'/>%s</model></sdf>",
            "".join(f"<include><uri>NEXT</uri><name>{n}</name></include>" for n in "ab"),
            "",
        ),
        {"PB002"},
    ),
    "KinBodies of OpenRAVE": (
        doubled(
            "k%d.xml",
            "<KinBody>%s</KinBody>",
            "<KinBody file='NEXT' prefix='a'/><KinBody file='NEXT' prefix='b'/>",
            "<Body name='b'/>",
        ),
        {"PB002"},
    ),
    "environments of OpenRAVE": (
        doubled(
            "e%d.xml",
            "<environment>%s</environment>",
            "<environment file='NEXT'/><environment file='NEXT'/>",
            "<KinBody><Body/></KinBody>",
        ),
        {"PB002"},
    ),
    "includes of MJCF": (
        doubled("m%d.xml", "<mujoco>%s</mujoco>", 2 * "<include file='NEXT'/>", "<worldbody/>"),
        {"PB038"},
    ),
    "models of MJCF": (
        doubled(
            "m%d.xml",
            "<mujoco>%s</mujoco>",
            "<asset><model name='q' file='NEXT'/></asset><worldbody><body name='b'>"
            "<attach model='q' body='b' prefix='c'/><attach model='q' body='b' prefix='d'/></body>"
            "</worldbody>",
            "<worldbody><body name='b'><geom size='1'/></body></worldbody>",
        ),
        set(),
    ),
}
SINGLE: dict[str, tuple[Files, set[str]]] = {
    "a robot of a type with a body": (
        {"m.xml": '<environment><Robot type="c"><Body/></Robot></environment>'},
        set(),
    ),
    "something instead of the world": ({"m.xml": "<x_xy><world/></x_xy>"}, {"PB011"}),
    "1,000 KinBodies in each other": (
        {"m.xml": "<environment>" + "<KinBody>" * 1000 + "</KinBody>" * 1000 + "</environment>"},
        set(),
    ),
    "a corner beyond 64 bits": (
        {"m.xml": f'<mujoco><deformable><flex body="" element="0 {LARGE} 1"/></deformable></mujoco>'},
        {"PB019"},
    ),
    "a corner of a direct flexcomp beyond 64 bits": (
        {
            "m.xml": '<mujoco><worldbody><flexcomp name="f" type="direct" dim="2" point="0 0 0 1 0 0 0 1 0" '
            f'element="0 1 {LARGE}"/></worldbody></mujoco>'
        },
        {"PB019"},
    ),
    "a range of 1e308": ({"m.xml": jointed('range="0 1e308"')}, set()),
    "a range of 2e308": ({"m.xml": jointed('limited="true" range="-1e308 1e308"')}, set()),
    "from and to far apart": (
        {
            "m.xml": "<mujoco><worldbody><geom type='capsule' size='.1' fromto='5 1e308 5 0 0 5'/>"
            "</worldbody>"
            "</mujoco>"
        },
        set(),
    ),
    "from and to of a class far apart": (
        {
            "m.xml": '<mujoco><default><geom fromto="-1e308 0 0 1 0 0"/></default><worldbody><body><joint/>'
            '<geom type="capsule" size=".1"/></body></worldbody></mujoco>'
        },
        set(),
    ),
    "from and to farther apart": (
        {
            "m.xml": "<mujoco><worldbody><geom type='capsule' size='.1' "
            "fromto='-1e308 1e308 -1e308 1e308 0 5'/></worldbody></mujoco>"
        },
        set(),
    ),
    "numbers of 400 digits": ({"m.xml": f"<mujoco><size nuser_jnt='{'9' * 400}'/></mujoco>"}, {"PB019"}),
    "numbers of 5,000 digits": ({"m.xml": f"<mujoco><size nuser_jnt='{'9' * 5000}'/></mujoco>"}, {"PB016"}),
    "a coupling of former times": ({"m.xml": "<mujoco><equality><distance/></equality></mujoco>"}, {"PB054"}),
    "a shader of Drake's": (
        {
            "m.sdf": "<sdf version='1.9' xmlns:drake='d'><model name='m'><link name='l'>"
            "<drake:visual name='v'>"
            "<geometry><box><size>1 1 1</size></box></geometry><drake:material>"
            "<drake:shader type='normal_map_tangent_space'/></drake:material></drake:visual></link>"
            "</model></sdf>"
        },
        {"PB011", "PB023"},
    ),
    "joints without names that follow": (
        {
            "m.urdf": "<robot name='r'><link name='l'/><joint type='continuous'><mimic/></joint>"
            "<joint type='planar'/></robot>"
        },
        {"PB015", "PB021"},
    ),
}


def yaml(text: str) -> Files:
    return {"m.dmd.yaml": "directives:\n" + text}


POSITIONS = "- add_model: {{file: package://p/a.urdf, name: x, default_joint_positions: {{{}}}}}\n"
DIRECTIVES: dict[str, tuple[Files, set[str]]] = {
    "aliases that double": (
        yaml("- &a0 [x]\n" + "".join(f"- &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))),
        {"PB016"},
    ),
    "an alias in itself": (yaml("- &a {add_weld: *a}\n"), {"PB032"}),
    "lists in each other": (yaml("- " + "[" * 10_000 + "\n"), {"PB002"}),
    "mappings in each other": (yaml("- " + "{a: " * 100 + "\n"), {"PB002"}),
    "40,000 bad positions": (
        yaml(POSITIONS.format(", ".join(f"j{i}: [z]" for i in range(40_000)))),
        {"PB002"},
    ),
    "20,000 bad positions": (
        yaml(POSITIONS.format(", ".join(f"j{i}: [z]" for i in range(20_000)))),
        {"PB009", "PB016"},
    ),
    "a name of a million letters": (yaml(f"- add_weld: {{parent: {'a' * 10**6}, child: b}}\n"), {"PB032"}),
    "an anchor of many aliases": (
        yaml("- &a {add_weld: {parent: world, child: world}}\n" + "- *a\n" * 20_000),
        {"PB048"},
    ),
    "bytes that are no text": ({"m.dmd.yaml": b"directives: \xff\n"}, {"PB005"}),
    "control characters": ({"m.dmd.yaml": "directives: [\x1b]\n"}, {"PB005"}),
    "nothing": ({"m.dmd.yaml": ""}, {"PB005"}),
    "a remark alone": ({"m.dmd.yaml": "# nothing"}, {"PB005"}),
    "a class of Python": (yaml("- !!python/object/apply:os.system [ls]\n"), {"PB016"}),
    "a merge of itself": (yaml("- &a {<<: *a}\n"), {"PB032"}),
}


@pytest.mark.parametrize(
    "group",
    [ENCODED, TREES, DOUBLED, SINGLE, DIRECTIVES],
    ids=["encoded", "trees", "doubled", "single", "directives"],
)
def test_documents_end_in_findings(group: dict[str, tuple[Files, set[str]]], tmp_path: Path) -> None:
    paths = {}
    for number, (name, (files, _)) in enumerate(group.items()):
        for file, text in files.items():
            path = tmp_path / str(number) / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths[name] = str(tmp_path / str(number) / next(iter(files)))
    said = {name: codes for name, codes in limits.run(RUN, given=paths) if codes is not None}
    wanted = {name: sorted(codes) for name, (_, codes) in group.items()}
    assert {name: said.get(name) for name in wanted} == wanted
