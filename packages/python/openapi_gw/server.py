"""A ``gw mock`` of its own process."""

from __future__ import annotations

import collections
import os
import subprocess
import tempfile
import threading
import time
from types import TracebackType
from typing import IO, Optional, Sequence, Type, Union

from .executable import find_executable
from .mock import Mock

#: Seconds until a server must listen. Definitions of several megabytes take less than one.
START_LIMIT = 60.0

#: Seconds that a server has to finish its requests before it is killed.
STOP_LIMIT = 10.0

Definition = Union[str, "os.PathLike[str]"]


class StartError(RuntimeError):
    """``gw mock`` ended, or didn't listen in time. The message has what it printed."""


class Server:
    """Runs ``gw mock`` on a free port of this machine, until :meth:`stop` or the end of a ``with`` block.

    :param definitions: files or URLs of OpenAPI definitions, as for ``gw mock``.
    :param flags: further flags of ``gw mock``, such as ``["--stateful", "--validate", "error"]``.
    :param cwd: the folder that relative paths start at. Default: that of this process.
    :raises StartError: if ``gw mock`` refuses the definitions or flags.
    """

    #: Base URL of the server, without a trailing slash: ``http://127.0.0.1:41234``.
    url: str

    def __init__(
        self,
        *definitions: Definition,
        flags: Sequence[str] = (),
        cwd: Optional[Definition] = None,
    ) -> None:
        paths = [os.fspath(definition) for definition in definitions]
        # Flags that come later win: the address must stay where this class looks for it. Not --quiet, which turns off
        # the validation of requests and so empties the violations of the journal.
        self._folder = tempfile.TemporaryDirectory(prefix="openapi-gw-")
        # gw writes its URL there. Its output isn't read for it, as that has texts of the definitions.
        self._url_file = os.path.join(self._folder.name, "url")
        own = ["--host", "127.0.0.1", "--port", "0", "--no-watch", "--log-format", "text", "--url-file", self._url_file]
        self._process = subprocess.Popen(
            [find_executable(), "mock", *flags, *own, "--", *paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            encoding="utf-8",
            errors="replace",
        )
        self._printed: "collections.deque[str]" = collections.deque(maxlen=200)
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True)
        self._reader.start()
        try:
            self.url = self._await_url()
        except BaseException:
            self.stop()
            raise

    def session(self, name: str) -> Mock:
        """Returns the mock of a session, which has state, rules, journal and clock of its own.

        :param name: 1 to 128 letters, digits and ``. _ ~ -``.
        """
        return Mock(self.url, name)

    @property
    def output(self) -> str:
        """The last 200 lines that the server printed."""
        return "".join(self._printed)

    @property
    def is_running(self) -> bool:
        """Whether the process of the server is there."""
        return self._process.poll() is None

    def stop(self) -> None:
        """Ends the server: it finishes its requests first."""
        if self.is_running:
            self._process.terminate()
            try:
                self._process.wait(STOP_LIMIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(STOP_LIMIT)
        self._folder.cleanup()

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.stop()

    def _read(self, output: IO[str]) -> None:
        """Reads all that the server prints, so that it never waits for a reader."""
        with output:
            for line in output:
                self._printed.append(line)

    def _await_url(self) -> str:
        end = time.monotonic() + START_LIMIT
        while time.monotonic() < end:
            # Look at the process first: it may end right after it has written the file.
            has_ended = not self.is_running
            try:
                with open(self._url_file, encoding="utf-8") as file:
                    return file.read().strip().rstrip("/")
            except FileNotFoundError:
                pass
            if has_ended:
                self._reader.join(STOP_LIMIT)
                break
            time.sleep(0.01)
        reason = f"didn't listen within {START_LIMIT:.0f} seconds" if self.is_running else "ended before it listened"
        raise StartError(f"gw mock {reason}. It printed:\n{self.output.rstrip() or '(nothing)'}")
