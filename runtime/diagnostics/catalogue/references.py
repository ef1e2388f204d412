"""Names, references and files."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import BODY, MESH, PART, drawn, included, mjcf, placed, robot

CODES = (
    Code(
        "PB031",
        "duplicate name",
        ALWAYS,
        "Names must be unique. The finding gives both places.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="arm" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="leg" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
    ),
    Code(
        "PB032",
        "undefined name",
        ALWAYS,
        "The document has no element of that kind with this name.",
        mjcf('<geom size="1" material="steel"/>'),
        mjcf('<geom size="1" material="steel"/>', '\n  <asset>\n    <material name="steel"/>\n  </asset>'),
    ),
    Code(
        "PB089",
        "name may be in another file",
        TOLERATED,
        "The document has no element of that kind with this name. It is of a kind that other files "
        "include, and the including file may define the name.",
        '<kinbody name="k">\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n</kinbody>\n',
        '<kinbody name="k">\n  <body name="base"/>\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n'
        "</kinbody>\n",
    ),
    Code(
        "PB033",
        "cyclic references",
        ALWAYS,
        "References that must not form a cycle, such as those from children to parents, form one.",
        robot('<joint name="k" type="fixed"><parent link="arm"/><child link="arm"/></joint>').replace(
            '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>', ""
        ),
        robot(""),
    ),
    Code(
        "PB034",
        "two parents",
        ALWAYS,
        "In a tree, an element has only one parent. A loop of joints is closed by a constraint.",
        robot(
            '<link name="hand"/>\n'
            '  <joint name="k" type="fixed"><parent link="base"/><child link="hand"/></joint>\n'
            '  <joint name="l" type="fixed"><parent link="hand"/><child link="arm"/></joint>'
        ),
        robot(""),
    ),
    Code(
        "PB035",
        "several roots",
        TOLERATED,
        "More than one part has no parent. Some readers refuse such a model, others let these parts move "
        "freely.",
        robot('<link name="lost"/>'),
        robot(""),
    ),
    Code(
        "PB036",
        "missing file",
        UNTOLERATED,
        "A mesh, an image or another file is not at the path that the document gives.",
        drawn("arms.obj"),
        drawn("arm.obj"),
        MESH,
    ),
    Code(
        "PB037",
        "file not searched",
        NOTABLE,
        "The file is in a package whose folder is unknown, because no folder above the document contains "
        "it; or it is outside the document's folder, where no files are opened.",
        drawn("package://arms/arm.obj"),
        drawn("arm.obj"),
        MESH,
    ),
    Code(
        "PB038",
        "file included twice",
        ALWAYS,
        "The format allows each file to be included once, since its content would otherwise be duplicated.",
        included("arm.xml").replace("</mujoco>", '  <include file="arm.xml"/>\n</mujoco>'),
        included("arm.xml"),
        PART,
    ),
    Code(
        "PB039",
        "cyclic includes",
        ALWAYS,
        "A file includes itself, directly or through other files.",
        included("loop.xml"),
        included("arm.xml"),
        PART | {"loop.xml": included("loop.xml")},
    ),
    Code(
        "PB040",
        "file may be elsewhere",
        NOTABLE,
        "The file is not next to the document, or its path leads out of the document's folder. Readers "
        "of the format also search folders of their own, so the file may exist there. Its content is "
        "unknown here.",
        placed("arms.kinbody.xml"),
        placed("arm.kinbody.xml"),
        BODY,
    ),
    Code(
        "PB077",
        "file of another format",
        REMARK,
        "The format of the file is recognised by its name. The file is not read, so its content is unknown.",
        placed("arm.dae"),
        placed("arm.kinbody.xml"),
        BODY | {"arm.dae": "<COLLADA/>\n"},
    ),
)
