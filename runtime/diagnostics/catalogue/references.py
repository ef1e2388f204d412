"""Names, references and files."""

from __future__ import annotations

from polybody.diagnostics.catalogue.code import ALWAYS, NOTABLE, REMARK, TOLERATED, UNTOLERATED, Code
from polybody.diagnostics.catalogue.documents import BODY, MESH, PART, drawn, included, mjcf, placed, robot

CODES = (
    Code(
        "PB031",
        "duplicate name",
        ALWAYS,
        "Names of one kind must be unique. The finding gives both places.",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="arm" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
        '<x_xy>\n  <worldbody>\n    <body name="arm" joint="rx"/>\n    <body name="leg" joint="ry"/>\n'
        "  </worldbody>\n</x_xy>\n",
    ),
    Code(
        "PB032",
        "undefined name",
        ALWAYS,
        "The document refers to a name, but has no element of the required kind with that name. Either the "
        "reference is misspelt, or the element is missing.",
        mjcf('<geom size="1" material="steel"/>'),
        mjcf('<geom size="1" material="steel"/>', '\n  <asset>\n    <material name="steel"/>\n  </asset>'),
    ),
    Code(
        "PB089",
        "name may be in another file",
        TOLERATED,
        "The document has no element of the required kind with this name. But documents of this kind are "
        "usually included in other files, and the including file may define the name.",
        '<kinbody name="k">\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n</kinbody>\n',
        '<kinbody name="k">\n  <body name="base"/>\n  <body name="arm"/>\n  <adjacent>arm base</adjacent>\n'
        "</kinbody>\n",
    ),
    Code(
        "PB033",
        "cyclic references",
        ALWAYS,
        "References that must not form a cycle do form one, for example those from children to parents.",
        robot('<joint name="k" type="fixed"><parent link="arm"/><child link="arm"/></joint>').replace(
            '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>', ""
        ),
        robot(""),
    ),
    Code(
        "PB034",
        "two parents",
        ALWAYS,
        "In a tree, an element has only one parent. If the model has a loop of joints, remove one joint and "
        "close the loop with a constraint, if the format has one.",
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
        "More than one part has no parent. Some readers refuse such a model, others let the additional parts "
        "move freely.",
        robot('<link name="lost"/>'),
        robot(""),
    ),
    Code(
        "PB036",
        "missing file",
        UNTOLERATED,
        "A mesh, an image or another file does not exist at the path that the document gives.",
        drawn("arms.obj"),
        drawn("arm.obj"),
        MESH,
    ),
    Code(
        "PB037",
        "file not checked",
        NOTABLE,
        "The file is in a package whose folder is unknown, or outside the document's folder, where no files "
        "are opened. An unknown package is reported once, at the first file in it. `--package NAME=DIR` "
        "gives the folder of a package, `--root DIR` a folder in which files may be opened.",
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
        "The file is not in the document's folder, or its path leads out of that folder. Readers of the "
        "format also search other folders, so the file may exist there. polybody does not know its content.",
        placed("arms.kinbody.xml"),
        placed("arm.kinbody.xml"),
        BODY,
    ),
    Code(
        "PB077",
        "file of another format",
        REMARK,
        "According to its name, the file has another format. It is not read, so its content is unknown.",
        placed("arm.dae"),
        placed("arm.kinbody.xml"),
        BODY | {"arm.dae": "<COLLADA/>\n"},
    ),
)
