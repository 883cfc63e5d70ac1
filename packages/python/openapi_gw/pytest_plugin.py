"""The pytest fixture ``gw_mock``."""

from __future__ import annotations

import os
import re
import uuid
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Protocol, Sequence, Tuple

import pytest

from .control import ControlError
from .mock import Mock
from .one_line import one_line
from .server import Definition, Server

#: The mocks of a test, for the report of its failure.
_MOCKS = pytest.StashKey[List[Mock]]()

#: Most requests that a report lists.
_REPORTED = 20


class GwMock(Protocol):
    """The type of the fixture ``gw_mock``."""

    def __call__(self, *definitions: Definition, flags: Sequence[str] = (), session: Optional[str] = None) -> Mock:
        """Returns a session of the mock server for these definitions and flags, which starts with its first test.

        :param definitions: files or URLs. A relative path starts at the folder of the test, else at pytest's rootdir.
        :param flags: further flags of ``gw mock``, such as ``["--stateful"]``.
        :param session: the name of a session that tests share. Default: one that ends with the test.
        """
        ...


_Start = Callable[[Tuple[str, ...], Tuple[str, ...]], Server]


@pytest.fixture(scope="session")
def _gw_servers() -> Iterator[_Start]:
    """Starts each server once, again if it has crashed, and stops all of them at the end of the run."""
    servers: Dict[Tuple[Tuple[str, ...], Tuple[str, ...]], Server] = {}

    def start(definitions: Tuple[str, ...], flags: Tuple[str, ...]) -> Server:
        key = (definitions, flags)
        if key not in servers or not servers[key].is_running:
            servers[key] = Server(*definitions, flags=flags)
        return servers[key]

    yield start
    for server in servers.values():
        server.stop()


@pytest.fixture
def gw_mock(request: pytest.FixtureRequest, _gw_servers: _Start) -> Iterator[GwMock]:
    """A function that gives the test a mock server of OpenAPI definitions: ``gw_mock("api.yaml").url``."""
    mocks: List[Mock] = []
    request.node.stash[_MOCKS] = mocks

    def mock(*definitions: Definition, flags: Sequence[str] = (), session: Optional[str] = None) -> Mock:
        folders = [request.path.parent, request.config.rootpath]
        paths = tuple(_find(os.fspath(definition), folders) for definition in definitions)
        made = _gw_servers(paths, tuple(flags)).session(session or _session_name(request.node.name))
        if session is None:
            mocks.append(made)
        return made

    yield mock
    for made in mocks:
        _end(made)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Adds to a failed test's report the requests that its mocks answered."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    if report.when != "call" or not report.failed:
        return
    for mock in item.stash.get(_MOCKS, []):
        report.sections.append((f"Requests to {mock.server_url}", _describe(mock)))


def _find(definition: str, folders: Sequence[Path]) -> str:
    """The absolute path of a definition; a URL as it is."""
    if "://" in definition or os.path.isabs(definition):
        return definition
    for folder in folders:
        if (folder / definition).is_file():
            return str(folder / definition)
    places = " or ".join(str(folder) for folder in dict.fromkeys(folders))
    raise FileNotFoundError(f"There is no definition {definition} in {places}.")


def _session_name(test: str) -> str:
    """A name that no other session has, and that tells the test."""
    readable = re.sub(r"[^A-Za-z0-9_.~-]+", "-", test)[:80]
    return f"{readable}-{uuid.uuid4().hex[:8]}"


def _end(mock: Mock) -> None:
    """Frees what the session kept. One that got no request isn't there; nor is a server that has crashed."""
    try:
        mock.control("DELETE", f"/sessions/{mock.session}")
    except (ControlError, OSError):
        pass


def _describe(mock: Mock) -> str:
    """One line for each request, with its number, and its violations of the definition below."""
    try:
        # Secrets are redacted: the report goes to logs.
        entries = mock.control("GET", f"/requests?limit={_REPORTED}")["requests"]
    except (ControlError, OSError) as error:
        return f"The journal can't be read: {error}"
    lines: List[str] = []
    for entry in entries:
        asked, answered = entry["request"], entry["response"]
        lines.append(f"{entry['id']}: {asked['method']} {asked['path']} {answered['status']} {answered['source']}")
        lines += [f"  ! {violation['message']}" for violation in entry["violations"]]
    return "\n".join(one_line(line) for line in lines) or "None came."
