"""The commands ``gw``, ``openapi-gw`` and ``python -m openapi_gw``: all run the executable."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from .executable import find_executable


def main() -> None:
    """Runs ``gw`` with the arguments of this process, in its place where the system can do that."""
    command = [find_executable(), *sys.argv[1:]]
    if os.name == "nt":
        # Windows starts another process instead. Ctrl+C reaches both: gw ends by it, and this process waits for gw.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
