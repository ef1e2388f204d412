"""On mutated documents OpenRAVE's reader accepts a document exactly if an XSD processor accepts its
normalised form.

Findings of the schema's rules are excluded by code.
Many more: ``python -m tests.reading.test_openrave_verdict 4000``.
"""

from __future__ import annotations

import sys
from collections import Counter

import polybody as pb
import xmlschema
from lxml import etree
from polybody.base import Kind
from polybody.codegen.schema import SCHEMAS
from polybody.diagnostics import Diagnostic
from polybody.generated.formats.openrave.tables import FORMAT

from tests.amounts import amount
from tests.codegen.mutations import Mutator

BASE = b"""<environment><bkgndcolor>1 0 0.5</bkgndcolor><camrotationaxis>1 0 0 90</camrotationaxis>
      <unit>m 1</unit>
  <robot name="r" prefix="x_"><kinbody name="k" makejoinedlinksadjacent="1" scalegeometry="1 2 3">
      <modelsdir>..</modelsdir>
    <mass type="box"><density>3</density><extents>1 1 1</extents></mass>
    <body name="l" type="static" enable="true"><translation>0 0 1</translation>
      <rotationmat>1 0 0 0 1 0 0 0 1</rotationmat>
      <mass type="custom"><total>1</total><com>0 0 0</com><inertia>1 0 0 0 1 0 0 0 1</inertia></mass>
      <geom type="box" render="false" modifiable="1"><extents>1 2 3</extents>
      <diffusecolor>1 0 0</diffusecolor></geom>
      <geom type="trimesh"><render>a.iv 0.1</render><collision file="a.iv" scale="2"/>
      </geom><geom type="trimesh"><vertices>1 2 3 4 5 6 7 8 9</vertices></geom>
      <geom type="cage"><sidewall/><transf>1 0 0 0 0 0 0</transf><vExtents>1 1 1</vExtents>
      <type>1</type></geom></body>
    <body name="m"><offsetfrom>l</offsetfrom><rotationaxis>0 0 1 90</rotationaxis><quat>1 0 0 0</quat>
      </body>
    <adjacent>l m</adjacent><joint name="i" type="hinge"><body>l</body><body>m</body></joint>
    <joint name="j" type="hinge" circular="false" mimic_pos="i" mimic_vel="|i 1"><body>l</body><body>m</body>
      <anchor>0 0 1</anchor>
      <axis>0 0 1</axis><limitsdeg>-90 90</limitsdeg><maxvel>1</maxvel><resolution>1</resolution>
      <mode>2</mode>
      <actuator type="electric_motor"><gear_ratio>2</gear_ratio>
      <max_speed_torque_point>1 2</max_speed_torque_point>
      </actuator></joint><jointvalues/></kinbody>
    <manipulator name="h"><base>l</base><effector>m</effector><joints>j</joints>
      <direction>0 0 1</direction></manipulator>
    <attachedsensor name="s"><link>m</link><sensor type="BaseCamera"><kk>1 2 3 4</kk><width>4</width>
      <power>1</power>
      <color>0 1 0</color><gain>2</gain><odd a="1"/></sensor></attachedsensor></robot>
  <controller type="c" robot="r" joints="a b" transform="1"><sendcommand>go</sendcommand></controller>
  <physicsengine type="ode"><odeproperties><friction>1</friction></odeproperties></physicsengine>
      </environment>"""
BY_XSD = {f"PB0{number:02}" for number in (8, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 26, 86)}
OURS = ("a triangle needs 9", "a corner needs 2", "one factor or three")
"""Parts of messages of our own rules with these codes."""
WHEN = ("<kinbody>", "<robot>")
"""Elements whose content depends on `type`, which XSD cannot express."""
TAGS = {row.tag.lower(): row.tag for row in FORMAT.elements.values()}
WORDS = {
    (row.tag, attribute.name)
    for row in FORMAT.elements.values()
    for attribute in row.attributes
    if any(form.kind in (Kind.ENUM, Kind.BOOL) for form in attribute.forms)
}


def by_xsd(finding: Diagnostic) -> bool:
    if finding.severity != "error" or finding.code not in BY_XSD:
        return False
    if any(words in finding.message for words in OURS):
        return False
    return finding.code != "PB011" or not any(f" in {tag}" in finding.message for tag in WHEN)


def folded(text: bytes) -> etree._Element:
    """The document with every name and keyword spelled as in the schema, and no blanks in empty content."""
    root = etree.fromstring(text, etree.XMLParser(remove_comments=True, remove_pis=True))
    for node in root.iter():
        node.tag = TAGS.get(node.tag.lower(), node.tag.lower())
        values = dict(node.attrib)
        node.attrib.clear()
        for name, value in values.items():
            lower = name.lower()
            node.set(lower, value.lower() if (node.tag, lower) in WORDS else value)
        if node.tag == "power" and node.text:
            node.text = node.text.lower()
        if (
            node.tag in ("sidewall", "target_region")
            and len(node) == 0
            and not (node.text or "").strip(" \t\r\n")
        ):
            node.text = None
    return root


def compare(count: int, seed: int) -> list[str]:
    """The first documents on which the two disagree."""
    xsd = xmlschema.XMLSchema11(str(SCHEMAS / "openrave.xsd"))
    assert xsd.is_valid(folded(BASE)), [str(error) for error in xsd.iter_errors(folded(BASE))][:1]
    assert not [f for f in pb.check("a.xml", text=BASE) if by_xsd(f)]
    made, verdicts, differences = Mutator(BASE, seed), Counter[bool](), []
    while verdicts.total() < count:
        text = made.document()
        names = [name.lower() for node in etree.fromstring(text).iter(etree.Element) for name in node.attrib]
        tree = folded(text)
        if b"&#1633;" in text:
            continue  # the XSD processor accepts Arabic digits in integers
        if len(names) != sum(len(node.attrib) for node in tree.iter()):
            continue  # one name in two spellings: reported separately
        valid = xsd.is_valid(tree)
        found = [f for f in pb.check("a.xml", text=text, format="openrave") if by_xsd(f)]
        verdicts[valid] += 1
        if valid == bool(found):
            shown = [f"{f.code} {f.message}" for f in found]
            shown += [] if valid else [f"{e.path}: {e.reason}" for e in xsd.iter_errors(tree)][:2]
            differences.append(f"valid for XSD: {valid}\n{shown}\n{text.decode()}")
    assert min(verdicts.values()) > count // 10, "both verdicts must be tried"
    return differences


def test_verdicts_are_those_of_an_xsd_processor() -> None:
    differences = compare(amount(300, 100), 31)
    assert differences == [], "\n\n".join(differences[:3])


if __name__ == "__main__":
    found = compare(int(sys.argv[1]), 32)
    print(len(found), "differences")
    print("\n\n".join(found[:5]))
