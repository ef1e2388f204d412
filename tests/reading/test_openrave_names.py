"""OpenRAVE XML: names across elements and files, prefixes, formulas of joints, and sizes that must match."""

from __future__ import annotations

import random
from pathlib import Path

import polybody as pb
import pytest
from polybody.validation.rules.openrave import part_names

ENDS = "<body>l</body><body>m</body>"
TWO = '<body name="l"/><body name="m"/>'
FIRST = f'<joint name="a" type="hinge">{ENDS}</joint>'


def kinbody(inside: str) -> str:
    return f"<kinbody>\n{inside}\n</kinbody>\n"


def following(mimic: str, more: str = "") -> str:
    return kinbody(f'{TWO}{FIRST}{more}<joint name="b" type="hinge" {mimic}>{ENDS}</joint>')


def codes(text: str) -> list[str]:
    return [finding.code for finding in pb.check("k.xml", text=text)]


ROBOT = f"<robot><kinbody>{TWO}{FIRST}</kinbody>%s</robot>"
HAND = "<manipulator name='h'><base>l</base><effector>%s</effector>%s</manipulator>"


MASS = '<mass type="custom"><total>1</total><inertia>%d 0 0 0 1 0 0 0 1</inertia></mass>'
INERTIA = kinbody(f"<body>{MASS}</body>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (kinbody(TWO + FIRST), []),
        (kinbody(FIRST + TWO), ["PB089", "PB089"]),
        (kinbody(TWO + FIRST.replace("<body>m", "<body>n")), ["PB032"]),
        (kinbody(TWO + FIRST.replace("<body>m", "<body>M")), ["PB074"]),
        (kinbody(TWO + FIRST.replace("<body>m", "<body>l")), ["PB033"]),
        (kinbody(TWO + FIRST + FIRST), ["PB031"]),
        (kinbody(TWO + '<body name="l"/>'), ["PB059"]),
        (kinbody('<body name="l"/><body name="m"><offsetfrom>l</offsetfrom></body>'), []),
        (kinbody('<body name="m"><offsetfrom>l</offsetfrom></body>'), ["PB089"]),
        (kinbody(f'<kinbody prefix="x_">{TWO}{FIRST}</kinbody><adjacent>x_l x_m</adjacent>'), []),
        (kinbody(f'<kinbody prefix="x_">{TWO}</kinbody><adjacent>l x_m</adjacent>'), ["PB089"]),
        (ROBOT % (HAND % ("m", "")), []),
        (ROBOT % (HAND % ("n", "")), ["PB032"]),
        (ROBOT % (HAND % ("m", "<joints>a</joints><closingdirection>1</closingdirection>")), []),
        (ROBOT % (HAND % ("m", "<joints>a</joints><closingdirection>1 1</closingdirection>")), ["PB024"]),
        (ROBOT % (HAND % ("m", "<joints>c</joints>")), ["PB032"]),
        (ROBOT % (2 * (HAND % ("m", ""))), ["PB076"]),
        (ROBOT % (HAND % ("M", "")), ["PB032"]),
        (kinbody(TWO + 2 * FIRST.replace("<joint ", '<joint enable="false" ')), ["PB076"]),
        (kinbody(TWO + "<adjacent>l m l</adjacent>"), ["PB017"]),
        (kinbody(TWO + "<adjacent>l n</adjacent>"), ["PB032"]),
        (ROBOT % "<attachedsensor><link>n</link></attachedsensor>", ["PB032"]),
        (ROBOT % "<jointvalues>1</jointvalues>", []),
        (ROBOT % "<jointvalues>1 2</jointvalues>", ["PB024"]),
        (kinbody("<jointvalues>1</jointvalues>" + TWO + FIRST), []),
        (kinbody(f"<kinbody><kinbody>{TWO}{FIRST}<jointvalues>1 2</jointvalues></kinbody></kinbody>"), []),
        (kinbody(f"<jointvalues>1</jointvalues><kinbody>{TWO}{FIRST}<jointvalues/></kinbody>"), []),
        ("<environment><robot name='r'/><robot name='r'/></environment>", ["PB031"]),
        ("<environment><robot name='r'/><controller robot='q'/></environment>", ["PB032"]),
        (kinbody("<quat>0 0 0 0</quat>"), ["PB041"]),
        (kinbody("<quat>1 1 0 0</quat>"), ["PB042"]),
        (kinbody("<rotationaxis>0 0 0 90</rotationaxis>"), ["PB046"]),
        (kinbody("<rotationmat>1 0 0 0 1 0 0 0 -1</rotationmat>"), ["PB055"]),
        (INERTIA % 9, ["PB047"]),
        (INERTIA % 1, []),
        (kinbody('<body><geom type="box"/></body>'), ["PB021"]),
        (kinbody('<body><geom type="trimesh"><render>a.iv x</render></geom></body>'), ["PB017", "PB040"]),
        (kinbody('<body><geom type="trimesh"><vertices>1 2 3</vertices></geom></body>'), ["PB017"]),
        (kinbody(TWO + FIRST.replace("</joint>", "<limits>1 0</limits></joint>")), ["PB044"]),
    ],
)  # fmt: skip
def test_findings(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("mimic", "expected"),
    [
        ('mimic_pos="a/3+0.8727" mimic_vel="|a 0.33333"', []),
        ('mimic_pos="sin(a)" mimic_vel="|a cos(a)" mimic_accel="|a -sin(a)"', []),
        ('mimic_pos="a" mimic_vel="|a 1" mimic_accel="|a 1"', []),  # by the acceleration, not the position
        ('mimic_pos="a" mimic_vel="|a 1" mimic_accel="|a 2"', ["PB058"]),
        ('mimic_pos="2*a" mimic_vel="|a 3"', ["PB058"]),
        ('mimic_pos="2*a"', ["PB028"]),
        ('mimic_pos="2*c" mimic_vel="|c 2"', ["PB057", "PB057"]),
        ('mimic_pos="2*(a" mimic_vel="|a 2"', ["PB057"]),
        ('mimic_pos="b" mimic_vel="|b 1"', ["PB033"]),
        ('mimic_pos1="a" mimic_vel1="|a 1"', ["PB027"]),
    ],
)
def test_formulas(mimic: str, expected: list[str]) -> None:
    assert codes(following(mimic)) == expected


def follower(name: str, of: str) -> str:
    return f'<joint name="{name}" type="hinge" mimic_pos="2*{of}" mimic_vel="|{of} 2">{ENDS}</joint>\n'


def test_each_joint_of_a_cycle_of_mimics_is_reported() -> None:
    text = kinbody(TWO + FIRST + "\n" + follower("x", "y") + follower("y", "z") + follower("z", "x"))
    found = [(finding.line, finding.message) for finding in pb.check("k.xml", text=text)]
    assert found == [
        (3, "the joint follows itself: `x` -> `y` -> `z` -> `x`"),
        (4, "the joint follows itself: `y` -> `z` -> `x` -> `y`"),
        (5, "the joint follows itself: `z` -> `x` -> `y` -> `z`"),
    ]
    chain = kinbody(TWO + FIRST + follower("x", "a") + follower("y", "x") + follower("z", "x+y"))
    assert [finding.code for finding in pb.check("k.xml", text=chain) if finding.code == "PB033"] == []


def test_cycles_are_reported_under_the_final_names_of_joints() -> None:
    inner = f'<kinbody prefix="l_">{TWO}{follower("x", "y")}{follower("y", "x")}</kinbody>'
    found = [finding.message for finding in pb.check("k.xml", text=kinbody(inner))]
    assert found == [
        "the joint follows itself: `l_x` -> `l_y` -> `l_x`",
        "the joint follows itself: `l_y` -> `l_x` -> `l_y`",
    ]


def test_of_very_many_cycles_some_are_reported() -> None:
    names = [f"j{number}" for number in range(60)]
    joints = "\n" + "".join(follower(name, "+".join(names)) for name in names)
    found = [finding for finding in pb.check("k.xml", text=kinbody(TWO + joints)) if finding.code == "PB033"]
    assert 0 < len({finding.line for finding in found}) == len(found) <= len(names)


@pytest.mark.parametrize(
    ("former", "expected"),
    [
        ("a 2 0.5", []),
        ("c 2 0.5", ["PB057"]),
        ("a 2", ["PB057"]),
        ("a two 0", ["PB057"]),
        ("b 1 0", ["PB033"]),
    ],
)
def test_the_former_spelling(former: str, expected: list[str]) -> None:
    assert codes(following(f'mimic="{former}"'))[1:] == expected  # the first: it is deprecated


def test_a_fault_of_a_formula_is_reported_with_its_column() -> None:
    text = following('mimic_pos="2*(a+elbow)" mimic_vel="|a 2"')
    (found,) = pb.check("k.xml", text=text)
    assert text.splitlines()[found.line - 1][found.column - 1 :].startswith("elbow")
    assert "there is no joint `elbow`" in found.message


DUAL = """<Robot name="schunk-dualarm">
 <KinBody>
   <body name="chest"/>
   <KinBody>
     <KinBody prefix="l_" file="arm.kinbody.xml"></KinBody>
     <translation>0 -0.1 0.7</translation>
   </KinBody>
   <KinBody>
     <KinBody>prefix="r_" file="arm.kinbody.xml"></KinBody>
     <translation>0 0.1 0.7</translation>
   </KinBody>
   <joint name="leftdummy" type="hinge" enable="false"><body>chest</body><body>l_base</body></joint>
   <joint name="rightdummy" type="hinge" enable="false"><body>chest</body><body>r_base</body></joint>
 </KinBody>
</Robot>
"""


def test_prefixes_over_files_and_the_line_that_the_document_breaks(tmp_path: Path) -> None:
    (tmp_path / "arm.kinbody.xml").write_text('<kinbody><body name="base"/></kinbody>')
    main = tmp_path / "dual.robot.xml"
    main.write_text(DUAL)
    found = [(f.line, f.code) for f in pb.check(main)]
    assert found[0] == (9, "PB013")
    assert found[1:] == [(13, "PB032")]
    main.write_text(DUAL.replace('<KinBody>prefix="r_"', '<KinBody prefix="r_"'))
    assert pb.check(main) == []
    main.write_text(
        DUAL.replace('<KinBody>prefix="r_"', '<KinBody prefix="r_"').replace("arm.kinbody.xml", "arm.dae")
    )
    assert {f.code for f in pb.check(main)} == {"PB040"}
    (tmp_path / "arm.dae").touch()
    assert {f.code for f in pb.check(main)} == {"PB077"}


class Suspicious:
    """Reports nothing as plain."""

    def hold(self, key: str, node: object) -> bool:
        return False


def some_robot(rng: random.Random) -> str:
    """A robot whose names, from a small set, are mostly unique and mostly defined."""
    bodies: list[str] = ["z"]
    joints: list[str] = ["z"]
    arms: list[str] = ["z"]

    def new(kind: str, known: list[str]) -> str:
        if rng.random() < 0.03:
            return ""
        known.append(rng.choice(known) if rng.random() < 0.03 else f"{kind}{len(known)}")
        return f' name="{known[-1]}"'

    def old(known: list[str]) -> str:
        return known[0] if rng.random() < 0.03 else rng.choice(known[1:] or known)

    def part(depth: int) -> str:
        kind = rng.choice(["body"] * 4 + ["joint"] * 3 + ["kinbody", "adjacent", "rare"])
        if kind == "body":
            after = f"<offsetfrom>{old(bodies)}</offsetfrom>" if rng.random() < 0.3 else ""
            inner = "<body name='in'/>" if rng.random() < 0.02 else ""
            return f"<body{new('b', bodies)}>{after}{inner}</body>"
        if kind == "joint":
            mimic = ' mimic_pos="j1" mimic_vel="|j1 1"' if rng.random() < 0.05 else ""
            after = f"<offsetfrom>{old(bodies)}</offsetfrom>" if rng.random() < 0.3 else ""
            ends = f"<body>{old(bodies)}</body><body>{old(bodies)}</body>"
            return f'<joint type="hinge"{new("j", joints)}{mimic}>{ends}{after}</joint>'
        if kind == "kinbody" and depth < 3:
            prefix = ' prefix="p_"' if rng.random() < 0.2 else ""
            file = ' file="none.xml"' if rng.random() < 0.1 else ""
            return f"<kinbody{prefix}{file}>{parts(depth + 1, 3)}</kinbody>"
        if kind == "adjacent":
            return f"<adjacent>{old(bodies)} {old(bodies)}</adjacent>"
        return f"<jointvalues>{'0 ' * (len(joints) - 1)}</jointvalues>" if rng.random() < 0.2 else ""

    def parts(depth: int, most: int) -> str:
        return "".join(part(depth) for _ in range(rng.randint(1, most)))

    within = f"<kinbody>{parts(0, 12)}</kinbody>"
    for _ in range(rng.randint(0, 2)):
        hand = f"<base>{old(bodies)}</base><effector>{old(bodies)}</effector><joints>{old(joints)}</joints>"
        within += f"<manipulator{new('m', arms)}>{hand}</manipulator>"
    if rng.random() < 0.3:
        within += f"<attachedsensor><link>{old(bodies)}</link></attachedsensor>"
    return f"<robot>{within}</robot>"


def test_skipping_plain_names_changes_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [some_robot(random.Random(seed)) for seed in range(400)]
    found = [[str(each) for each in pb.check("r.xml", text=text)] for text in texts]
    assert 50 < sum(not any("name" in line or "no body" in line for line in each) for each in found) < 350
    monkeypatch.setattr(part_names, "_plain", Suspicious)
    assert found == [[str(each) for each in pb.check("r.xml", text=text)] for text in texts]


@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_the_last_of_several_values_is_the_one_that_is_written() -> None:
    text = (
        '<kinbody>\n  <body name="a">\n    <geom type="sphere">\n      <radius>1</radius> <!-- c -->\n'
        "      <radius>2</radius>\n    </geom>\n  </body>\n</kinbody>\n"
    )
    document = pb.read("k.xml", text=text)
    assert pb.write(document) == text
    geom = document.body[0].geom[0]
    geom.radius.text = 3.0
    assert pb.write(document) == text.replace(">2<", ">3<")
    geom.radius = None
    assert "radius" not in pb.write(document)
