"""The executable that the wheel carries."""

from __future__ import annotations

import os
from pathlib import Path


def find_executable() -> str:
    """Returns the path of ``gw``.

    :raises FileNotFoundError: if the package was installed without its executable.
    """
    path = Path(__file__).parent / "bin" / ("gw.exe" if os.name == "nt" else "gw")
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no executable at {path}: install openapi-gw from a wheel, which has one for its platform."
        )
    return str(path)
