"""Link the folders of this checkout into a view with the layout of the installed package.

    python tools/view.py DEST        makes DEST/polybody/...

The build (for Cython's cimports), mypy and the import rules use the view; nothing is installed from it.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUBPACKAGES = ("codegen", "generated", "schemas")


def make_view(destination: Path) -> None:
    """Replace ``destination/polybody`` by links to what runtime/ holds and to the sub-packages' folders."""
    package = destination / "polybody"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for source in [*sorted((ROOT / "runtime").iterdir()), *(ROOT / name for name in SUBPACKAGES)]:
        if source.exists() and source.name != "__pycache__":
            (package / source.name).symlink_to(source, target_is_directory=source.is_dir())


if __name__ == "__main__":
    make_view(Path(sys.argv[1]))
