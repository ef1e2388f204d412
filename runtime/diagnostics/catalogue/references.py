"""Names, references and files."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import BODY, MESH, PART, drawn, included, mjcf, placed, robot

CODES = (
    Code(
        "PB031",
        "name given twice",
        ALWAYS,
        "Names are unique; the finding has both places.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="arm" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="leg" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
    ),
    Code(
        "PB032",
        "name refers to nothing",
        ALWAYS,
        "There is no element of that kind and name in the document.",
        mjcf('<geom size="1" material="steel"/>'),
        mjcf('<geom size="1" material="steel"/>', '\n  <asset>\n    <material name="steel"/>\n  </asset>'),
    ),
    Code(
        "PB089",
        "name is perhaps in another file",
        TOLERATED,
        "There is nothing of that kind and name in the document, which is one that others include: a robot's "
        "file may have it.",
        '<kinbody name="k">\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n</kinbody>\n',
        '<kinbody name="k">\n  <body name="base"/>\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n'
        "</kinbody>\n",
    ),
    Code(
        "PB033",
        "references form a cycle",
        ALWAYS,
        "What must lead from one thing to another without coming back, such as parents and children, does.",
        robot('<joint name="k" type="fixed"><parent link="arm"/><child link="arm"/></joint>').replace(
            '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>', ""
        ),
        robot(""),
    ),
    Code(
        "PB034",
        "two parents",
        ALWAYS,
        "In a tree, nothing hangs on two others. A loop of joints is closed by a constraint.",
        robot('<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint>'),
        robot(""),
    ),
    Code(
        "PB035",
        "several roots",
        TOLERATED,
        "More than one part hangs on nothing: some readers refuse that, others let the parts move freely.",
        robot('<link name="lost"/>'),
        robot(""),
    ),
    Code(
        "PB036",
        "file missing",
        UNTOLERATED,
        "A mesh, an image or another file is not where the document says it is.",
        drawn("arms.obj"),
        drawn("arm.obj"),
        MESH,
    ),
    Code(
        "PB037",
        "file not looked for",
        NOTABLE,
        "A file is named by a package whose folder cannot be told, since no folder above the document is it, "
        "or stands outside the document's folder, where nothing is opened.",
        drawn("package://arms/arm.obj"),
        drawn("arm.obj"),
        MESH,
    ),
    Code(
        "PB038",
        "file included twice",
        ALWAYS,
        "The format takes each file once: what it holds would be there twice.",
        included("arm.xml").replace("</mujoco>", '  <include file="arm.xml"/>\n</mujoco>'),
        included("arm.xml"),
        PART,
    ),
    Code(
        "PB039",
        "files include each other",
        ALWAYS,
        "A file includes itself, directly or through others; there is no end to it.",
        included("loop.xml"),
        included("arm.xml"),
        PART | {"loop.xml": included("loop.xml")},
    ),
    Code(
        "PB040",
        "file may be elsewhere",
        NOTABLE,
        "A file is not beside the document, or would lead out of its folder. Readers of the format look in "
        "folders of their own, too, so that it may be there; what it holds is not known here.",
        placed("arms.kinbody.xml"),
        placed("arm.kinbody.xml"),
        BODY,
    ),
    Code(
        "PB077",
        "file of another format",
        REMARK,
        "The file is recognised by its name, and not read: what it holds is not known.",
        placed("arm.dae"),
        placed("arm.kinbody.xml"),
        BODY | {"arm.dae": "<COLLADA/>\n"},
    ),
)
