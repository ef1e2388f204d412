"""From a file to a Model in one call."""

from __future__ import annotations

import os
from typing import Any

from polybody.diagnostics import Policy, ValidationError
from polybody.diagnostics.warned import RemarksUnread, one_warning
from polybody.document.access import NOTHING, Folders
from polybody.document.parser.gc_pause import CollectorPaused
from polybody.document.searches import LookedUpOnce
from polybody.lowering import lowered_as_read
from polybody.model.flags import Words
from polybody.model.model import Model
from polybody.reading import Input, Packages, opened, read


def load(
    path: Input,
    *,
    format: str = "auto",
    release: str = "auto",
    policy: Policy = "warn",
    text: str | bytes | None = None,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
    disable: Words = (),
    enable: Words = (),
    **options: Any,
) -> Model:
    """Read, check and compile a model file.

    Args:
        path: the file, "-" for standard input, or a file object open for reading.
        format: the format's name; "auto" looks at the content.
        release: the release of MJCF as which the file is read; see ``polybody.read``.
        policy: what counts as an error; see ``polybody.read``.
        text: the document itself, instead of the file's content; see ``polybody.read``.
        packages, package_path, roots, confined: where files that the model refers to are found, and may be
            opened; see ``polybody.read``.
        disable, enable: parts of the simulation to disable or enable, by their names in MJCF's <flag>;
            see ``polybody.lowering.lowered``.
        options: options of the format's lowering; for x_xy ``seed``, for the random values that a file
            requires, and ``randomize``, to draw also optional ones.

    Raises:
        ValidationError: the file has errors, or no valid Model can be made of it.
        TypeError: the format takes no such option.
        OptionError: there is no such release, or the format has none; also a ValueError.
        ValueError: ``disable`` or ``enable`` contains an unknown flag, or a package or folder does not exist.

    Warns:
        ModelWarning: there are warnings; the message gives their number.
    """
    words: dict[str, Any] = {"packages": packages, "package_path": package_path, "roots": roots}
    words |= {
        "confined": confined,
        "format": format,
        "release": release,
        "policy": policy,
        "text": text,
        "disable": disable,
        "enable": enable,
    }
    with CollectorPaused(), RemarksUnread():
        model: Model = load_lowered(path, **words, **options).model
    return model


def load_lowered(
    path: Input,
    *,
    format: str = "auto",
    release: str = "auto",
    policy: Policy = "warn",
    text: str | bytes | None = None,
    packages: Packages = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
    disable: Words = (),
    enable: Words = (),
    **options: Any,
) -> Any:
    """As `load`, but the result also has the findings of the lowering; see `polybody.lowering.lowered`."""
    # Under "lenient", parts of the document that were not understood may be missing, so the rest is checked
    # again.
    name, text = opened(path, text)
    places: dict[str, Any] = {"packages": packages, "package_path": package_path, "roots": roots}
    places |= {"confined": confined, "release": release}

    def attempt(policy: Policy) -> Any:
        how = options | {"policy": policy, "checked": policy != "lenient"}
        document = read(name, policy=policy, format=format, text=text, **places)
        return lowered_as_read(document, disable=disable, enable=enable, **how)

    with LookedUpOnce(), one_warning(os.fsdecode(name)):
        try:
            return attempt(policy)
        except ValidationError as error:
            raise error.verified(attempt) from error.__cause__
