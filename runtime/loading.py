"""From a file to a Model in one call."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from polybody.diagnostics import Policy
from polybody.diagnostics.warned import one_warning
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.uris import declare
from polybody.lowering import lowered_as_read
from polybody.model.flags import Words
from polybody.model.model import Model
from polybody.reading import NOTHING, Folder, Packages, read


def load(
    path: Folder,
    *,
    format: str = "auto",
    policy: Policy = "warn",
    packages: Packages = NOTHING,
    package_path: Iterable[Folder] = (),
    roots: Iterable[Folder] = (),
    disable: Words = (),
    enable: Words = (),
    **options: Any,
) -> Model:
    """Read, check and compile a model file.

    Args:
        path: the file.
        format: the format's name; "auto" looks at the content.
        policy: what counts as an error; see ``polybody.read``.
        packages, package_path, roots: where files that the file refers to may be; see ``polybody.read``.
        disable, enable: parts of the simulation that are switched off or on, by the words of MJCF's <flag>;
            see ``polybody.lowering.lowered``.
        options: what the format's lowering takes: of x_xy ``seed``, of the random numbers that a file asks
            for, and ``randomize``, to draw also what a file says may be drawn.

    Raises:
        ValidationError: the file has errors, or makes no Model that can be.
        TypeError: the format takes no such option.
        ValueError: a word of ``disable`` or ``enable`` is no flag, or a package or folder is none.

    Warns:
        ModelWarning: there are warnings; how many, and how to see them.
    """
    words: dict[str, Any] = {"packages": packages, "package_path": package_path, "roots": roots}
    words |= {"format": format, "policy": policy, "disable": disable, "enable": enable}
    with CollectorPaused():
        model: Model = load_lowered(path, **words, **options).model
    return model


def load_lowered(
    path: Folder,
    *,
    format: str = "auto",
    policy: Policy = "warn",
    packages: Packages = NOTHING,
    package_path: Iterable[Folder] = (),
    roots: Iterable[Folder] = (),
    disable: Words = (),
    enable: Words = (),
    **options: Any,
) -> Any:
    """The same with what else its format has to say of the Model, as from `polybody.lowering.lowered`."""
    # Under "lenient" a document may lack what was not understood: what is there is looked at once more.
    options |= {"policy": policy, "checked": policy != "lenient"}
    with one_warning(os.fsdecode(path)), declare(packages, package_path, roots):
        document = read(path, policy=policy, format=format)
        return lowered_as_read(document, disable=disable, enable=enable, **options)
