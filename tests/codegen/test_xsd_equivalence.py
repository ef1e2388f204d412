"""Generated readers accept a document exactly if an XSD processor does, for thousands of mutated documents.

Excluded from the comparison, by the code of the finding, are rules of the schema that XSD cannot express:
requirements after defaults, exclusive or joint attributes, sizes by type, unit quaternions, bounds, unique
names.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import xmlschema
from lxml import etree
from polybody.base import Format
from polybody.checking import check
from polybody.codegen.command import run
from polybody.codegen.schema import SCHEMAS
from polybody.diagnostics import Diagnostic
from polybody.generated.formats import sdf, urdf, x_xy

from tests.amounts import amount

from .mutations import Mutator
from .schemas import write_schema

X_XY = b"""<x_xy model="base">
  <options gravity="0 0 9.81" dt="0.01"/>
  <defaults>
    <geom color="white" edge_color="0 0.5 1"/>
    <body damping="1 2 3" pos_min="0 0 0" pos_max="0 0 1"/>
  </defaults>
  <worldbody>
    <geom type="box" mass="1" dim="1 2 3" color="0 0 0 1"/>
    <body name="a" joint="spherical" quat="1 0 0 0" spring_zero="1 0 0 0" armature="0 0 1"
          spring_stiff="1e1 2 3">
      <geom type="sphere" mass="0" dim="1e-3" pos="0 0 -1" euler="90 0 0"/>
      <omc name="m" pos_marker="2" pos="1 1 1"/>
      <body name="b" joint="p3d">
        <geom type="xyz"/><geom type="capsule" mass="1" dim="1 2" quat="0 1 0 0"/>
      </body>
      <body name="c" joint="free_2d" euler="0 0 1"/>
    </body>
  </worldbody>
</x_xy>"""

SHOP_XSD = """
<xs:simpleType name="Grade"><xs:restriction base="xs:token">
  <xs:enumeration value="low"/><xs:enumeration value="3d"/><xs:enumeration value="a-b"/>
</xs:restriction></xs:simpleType>
<xs:simpleType name="Sizes"><xs:restriction><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType>
  <xs:minLength value="1"/><xs:maxLength value="2"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Either"><xs:union memberTypes="Sizes Grade"/></xs:simpleType>
<xs:simpleType name="Share"><xs:restriction base="xs:double">
  <xs:minExclusive value="0"/><xs:maxInclusive value="1"/></xs:restriction></xs:simpleType>
<xs:complexType name="Named"><xs:attribute name="name" use="required"><xs:simpleType>
  <xs:restriction base="xs:string"><xs:pattern value="[a-z]+"/><xs:pattern value="[0-9]{2,3}"/>
  </xs:restriction></xs:simpleType></xs:attribute></xs:complexType>
<xs:complexType name="Item"><xs:complexContent><xs:extension base="Named">
  <xs:choice minOccurs="0" maxOccurs="unbounded">
    <xs:element name="item" type="Item"/><xs:element name="share" type="Share"/>
    <xs:element name="either" type="Either"/></xs:choice>
  <xs:attribute name="sizes" type="Sizes"/><xs:attribute name="grade" type="Grade" default="low"/>
  <xs:attribute name="grades"><xs:simpleType><xs:list itemType="Grade"/></xs:simpleType></xs:attribute>
  <xs:attribute name="free" type="xs:double"/><xs:attribute name="count" type="xs:unsignedByte"/>
</xs:extension></xs:complexContent></xs:complexType>
<xs:element name="shop"><xs:complexType><xs:all>
  <xs:element name="item" type="Item" minOccurs="1" maxOccurs="3"/>
  <xs:element name="open" type="xs:boolean" minOccurs="0"/>
  <xs:element name="note" minOccurs="0"><xs:complexType><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="lang" type="xs:string"/></xs:extension></xs:simpleContent></xs:complexType>
  </xs:element>
  </xs:all><xs:attribute name="open" type="xs:boolean" use="required"/></xs:complexType></xs:element>
"""
SHOP = b"""<shop open="true">
  <item name="a" sizes="1 2" grade="3d" grades="low a-b" free="1.5" count="7">
    <share>0.5</share><item name="12"/><either>3 4</either><either>low</either>
  </item>
  <item name="bc"><share> 1 </share></item>
  <open> 1 </open>
  <note lang="en">Any text.</note>
</shop>"""

URDF = b"""<robot xmlns:drake="http://drake.mit.edu" name="r" version="1.0">
  <material name="red"><color rgba="1 0 0 1"/><texture filename="a.png"/></material>
  <link name="a" drake_ignore="false">
    <inertial><origin xyz="0 0 1" rpy="0 0 0"/><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual name="v"><geometry><box size="1 2 3"/></geometry><material name="red"/>
      <drake:accepting_renderer name="x"/></visual>
    <collision><origin/><geometry><drake:capsule radius="1" length="2"/></geometry>
      <drake:proximity_properties><drake:mu_static value="1"/><drake:compliant_hydroelastic/>
      </drake:proximity_properties>
      <drake_compliance><static_friction>1</static_friction><dynamic_friction>.5</dynamic_friction>
      </drake_compliance></collision>
  </link>
  <link name="b"><visual><geometry>
      <mesh filename="m.obj" scale="1 1 1"><drake:declare_convex/></mesh></geometry>
    </visual><contact><lateral_friction value="1"/>text</contact></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="4" velocity="2" drake:acceleration="3"/>
    <dynamics damping="0.1" friction="0"/><calibration rising="1"/></joint>
  <drake:joint name="k" type="screw"><parent link="world"/><child link="a"/>
    <drake:screw_thread_pitch value="0.1"/><mimic joint="j" multiplier="2"/></drake:joint>
  <transmission name="t"><type>Other</type><actuator name="m"><mechanicalReduction>1</mechanicalReduction>
    <drake:gear_ratio value="10"/></actuator><joint name="j"><hardwareInterface>x</hardwareInterface></joint>
  </transmission>
  <gazebo reference="a"><any thing="1">at <b>all</b></any></gazebo>
  <sensor name="s"><parent link="a"/><camera>
    <image width="1" height="2" format="f" hfov="1" near="0" far="9"/>
    </camera></sensor>
  <drake:linear_bushing_rpy><drake:bushing_frameA name="a"/><drake:bushing_frameC name="b"/>
    <drake:bushing_torque_stiffness value="1 1 1"/><drake:bushing_torque_damping value="1 1 1"/>
    <drake:bushing_force_stiffness value="1 1 1"/><drake:bushing_force_damping value="0 0 0"/>
  </drake:linear_bushing_rpy>
  <drake:tendon_constraint><drake:tendon_constraint_joint name="j" a="1"/>
    <drake:tendon_constraint_offset value="0"/><drake:tendon_constraint_lower_limit value="-1"/>
    <drake:tendon_constraint_upper_limit value="1"/><drake:tendon_constraint_stiffness value="INF"/>
    <drake:tendon_constraint_damping value="0"/></drake:tendon_constraint>
  <drake:collision_filter_group name="g" ignore="false"><drake:member link="a"/>
    <drake:ignored_collision_filter_group name="g"/></drake:collision_filter_group>
</robot>"""

SDF = b"""<sdf xmlns:drake="http://drake.mit.edu" xmlns:my="http://my" version="1.9">
  <model name="m" canonical_link="a">
    <static>false</static><pose degrees="true">0 0 1 0 0 90</pose>
    <frame name="f" attached_to="a"><pose relative_to="b">0 0 0 0 0 0</pose></frame>
    <link name="a"><gravity>true</gravity>
      <inertial><mass>1</mass><pose>0 0 0 0 0 0</pose>
        <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
      <collision name="c"><geometry><box><size>1 2 3</size></box></geometry>
        <surface><friction><ode><mu>1</mu></ode></friction><contact><collide_bitmask>7</collide_bitmask></contact>
        </surface>
        <drake:proximity_properties><drake:mu_static>1</drake:mu_static><drake:compliant_hydroelastic/>
        </drake:proximity_properties></collision>
      <visual name="v"><transparency>0.5</transparency>
        <geometry><mesh><uri>m.obj</uri><scale>1 1 1</scale><drake:declare_convex/></mesh></geometry>
        <material><diffuse>1 0 0 1</diffuse><script><uri>u</uri><name>n</name></script></material>
        <drake:accepting_renderer>x</drake:accepting_renderer></visual>
      <sensor name="s" type="camera"><update_rate>30</update_rate>
        <camera><horizontal_fov>1</horizontal_fov><image><width>1</width><format>L8</format></image>
          <clip><near>.1</near><far>9</far></clip></camera>
        <plugin name="p" filename="q"><any a="1"/></plugin></sensor>
      <my:part kind="1"><x/></my:part>
      <drake:visual name="w"><drake:geometry><drake:sphere><drake:radius>1</drake:radius></drake:sphere>
        </drake:geometry></drake:visual>
    </link>
    <link name="b"><light name="l" type="spot"><direction>0 0 1</direction></light></link>
    <joint name="j" type="revolute"><parent>a</parent><child>b</child>
      <axis><xyz expressed_in="a">0 0 1</xyz><limit><lower>-1</lower><upper>INF</upper><effort>2</effort>
        <drake:acceleration>3</drake:acceleration></limit><dynamics><damping>0.1</damping></dynamics></axis>
      <drake:gear_ratio>2</drake:gear_ratio><drake:controller_gains p="1" d="0"/></joint>
    <drake:joint name="k" type="planar"><drake:parent>world</drake:parent><drake:child>f</drake:child>
      <drake:damping>1 1 1</drake:damping></drake:joint>
    <drake:collision_filter_group name="g" ignore="false"><drake:member>a</drake:member>
      <drake:ignored_collision_filter_group>g</drake:ignored_collision_filter_group></drake:collision_filter_group>
  </model>
</sdf>"""

RULES = {
    *("PB022", "PB023", "PB024", "PB025", "PB031", "PB032", "PB033", "PB034", "PB041", "PB042", "PB043"),
    *("PB044", "PB045", "PB046", "PB047", "PB048", "PB054"),
    *("PB028", "PB029", "PB035", "PB036", "PB082", "PB083", "PB084"),
}
"""Codes of findings that come from rules, not from XSD."""


def said_by_xsd(finding: Diagnostic) -> bool:
    if finding.code == "PB030":  # a warning if engines ignore text, which no schema allows
        return "<plugin>" not in finding.message  # xmlschema misses text next to a wildcard
    if finding.code == "PB074":
        return True  # an engine's spelling of a number that XSD does not have
    if finding.severity != "error" or finding.code in RULES:
        return False
    if finding.code == "PB013" and "<gazebo>" in finding.message:
        return False  # xmlschema misses text next to a wildcard
    # x_xy's bodies and geoms may get required values from defaults; a pitch is required only by screws.
    by_rule = ("<body>", "<geom>", "needs <drake:screw_thread_pitch>", " if its ")
    if "a model needs a link" in finding.message:
        return False
    if finding.code == "PB020" and "no bound" in finding.message:
        return False  # XML Schema's double includes NaN
    return finding.code != "PB021" or not any(words in finding.message for words in by_rule)


def for_xsd(text: bytes, empty: frozenset[str]) -> etree._Element:
    """The document without the two cases that XSD and the reader treat differently on purpose.

    White space in an element without content: XSD rejects it, no engine does. A colour `inf` or `nan`: a name
    for XSD, a mistake for the reader.
    """
    root = etree.fromstring(text, etree.XMLParser(remove_comments=True, remove_pis=True))
    for node in root.iter():
        if node.tag in empty and len(node) == 0 and not (node.text or "").strip(" \t\r\n"):
            node.text = None
        for name in ("color", "edge_color"):
            if node.get(name, "").strip().lower() in ("inf", "nan"):
                node.set(name, "1 1 1 1 1")
    return root


def compare(
    xsd: xmlschema.XMLSchema11,
    format: Format,
    documents: Callable[[], bytes],
    count: int,
    empty: frozenset[str],
) -> None:
    """Fail with the first documents on which the two disagree."""
    verdicts: Counter[bool] = Counter()
    differences = []
    for number in range(count):
        text = documents()
        tree = for_xsd(text, empty)
        valid = xsd.is_valid(tree)
        findings = [f for f in check("m.xml", text=text, format=format, model=False) if said_by_xsd(f)]
        verdicts[valid] += 1
        if valid == bool(findings):
            shown = [f"{f.code} {f.message}" for f in findings]
            shown += [] if valid else [f"{e.path}: {e.reason}" for e in xsd.iter_errors(tree)]
            differences.append(f"{number}: valid for XSD: {valid}\n{shown}\n{text.decode()}")
    assert differences == [], f"{len(differences)} of {count}\n" + "\n\n".join(differences[:5])
    assert min(verdicts.values()) > count // 10, "both verdicts must be tried"


def test_x_xy() -> None:
    parser = etree.XMLParser(remove_comments=True)
    xsd = xmlschema.XMLSchema11(etree.parse(SCHEMAS / "x_xy.xsd", parser))
    assert xsd.is_valid(etree.fromstring(X_XY))
    assert [f for f in check("base.xml", text=X_XY, model=False) if f.severity == "error"] == []
    compare(
        xsd,
        x_xy.FORMAT,
        Mutator(X_XY, 20).document,
        amount(2500, 500),
        frozenset({"options", "geom", "omc", "body"}),
    )


def test_urdf() -> None:
    xsd = xmlschema.XMLSchema11(str(SCHEMAS / "urdf.xsd"))
    assert xsd.is_valid(etree.fromstring(URDF))
    assert [f for f in check("base.urdf", text=URDF, model=False) if said_by_xsd(f)] == []
    prefixed = {f"{prefix}:": f"{{{uri}}}" for prefix, uri in urdf.FORMAT.prefixes.items()}
    empty = {row.tag for row in urdf.FORMAT.elements.values() if not row.children and row.text is None}
    names = {tag.replace(prefix, uri) for tag in empty for prefix, uri in prefixed.items()}
    compare(xsd, urdf.FORMAT, Mutator(URDF, 22).document, amount(2500, 500), frozenset(names))


def test_sdf() -> None:
    compare_sdf(amount(1500, 300))


def compare_sdf(count: int) -> None:
    """Names are not checked: references to missing names, or invalid names of SDFormat, are found by
    rules.
    """
    xsd = xmlschema.XMLSchema11(str(SCHEMAS / "sdf.xsd"))
    assert xsd.is_valid(etree.fromstring(SDF))
    assert [f for f in check("base.sdf", text=SDF, model=False) if said_by_xsd(f)] == []
    prefixed = {f"{prefix}:": f"{{{uri}}}" for prefix, uri in sdf.FORMAT.prefixes.items()}
    rows = sdf.FORMAT.elements.values()
    empty = {row.tag for row in rows if row.text is None}
    names = {tag.replace(prefix, uri) for tag in empty for prefix, uri in prefixed.items()}
    compare(xsd, sdf.FORMAT, Mutator(SDF, 23).document, count, frozenset(names))


def test_anyone_s_schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_schema(tmp_path, SHOP_XSD, name="shop.xsd")
    assert run(path, tmp_path / "fuzzed_shop") == 0
    monkeypatch.syspath_prepend(str(tmp_path))
    shop = importlib.import_module("fuzzed_shop")
    xsd = xmlschema.XMLSchema11(str(path))
    assert xsd.is_valid(etree.fromstring(SHOP))
    assert check("base.xml", text=SHOP, format=shop.FORMAT) == []
    compare(xsd, shop.FORMAT, Mutator(SHOP, 21).document, amount(2500, 500), frozenset({"item"}))
