"""One file for a Model or a Data: NumPy's .npz, arrays and JSON; nothing in it is ever executed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError
from polybody.files import open_regular, replacing
from polybody.generated.model import SCHEMA_VERSION
from polybody.model.checks import check_version

FACTS = "polybody"


def write(
    path: str | os.PathLike[str], kind: str, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]
) -> None:
    """Write arrays and facts. The file is written atomically."""
    text = json.dumps({"kind": kind, "schema": SCHEMA_VERSION, **facts})
    content: dict[str, Any] = {FACTS: np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    with replacing(path) as file:
        np.savez(file, **content)


class _ForeignError(ValueError):
    """The file was not written by :func:`write`; the message continues a sentence."""


def read(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Arrays and facts of a file. Its names, its kind and the version of its schema are checked.

    Compressed files are refused, so a file never needs more memory than its size.

    Raises:
        OSError: the file cannot be read.
        ModelError: it is not a file of that kind, or has another version of the model's schema.
    """
    from zipfile import ZIP_STORED

    name = os.fspath(path)
    with open_regular(path) as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                members = archive.zip.infolist()
                if any(member.compress_type != ZIP_STORED for member in members):
                    raise _ForeignError(": it is compressed")
                if sum(member.file_size for member in members) > os.fstat(file.fileno()).st_size:
                    raise _ForeignError(": its parts overlap")
                if FACTS not in archive.files:
                    raise _ForeignError(
                        ": it has other arrays, such as those of a trajectory that `polybody "
                        "sim --out` writes"
                    )
                arrays = {key: archive[key] for key in archive.files}
            facts = json.loads(bytes(arrays.pop(FACTS).astype(np.uint8)))
        except Exception as error:  # any error of NumPy, zipfile and zlib
            why = str(error) if isinstance(error, _ForeignError) else ""
            raise ModelError([f"{name} is not a file that polybody saved{why}"]) from None
    if not isinstance(facts, dict) or facts.get("kind") != kind:
        raise ModelError([f"{name} contains no saved {kind}"])
    check_version(name, facts.get("schema"))
    names = facts.get("names")
    if not isinstance(names, dict) or not all(isinstance(rows, list) for rows in names.values()):
        raise ModelError([f"{name} has no names"])
    return arrays, {"name": "", **facts}
