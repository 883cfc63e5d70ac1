"""Starts ``gw mock``, a mock server for OpenAPI definitions, from Python.

In tests with pytest, the fixture ``gw_mock`` gives a session of the server to each test::

    import requests

    def test_todos_fail_once(gw_mock):
        mock = gw_mock("api.yaml")
        mock.rule("GET /todos: 503 x1")
        assert requests.get(mock.url + "/todos").status_code == 503
        assert requests.get(mock.url + "/todos").status_code == 200
        mock.verify(operation="GET /todos", count=2)

Elsewhere, :class:`Server` does the same::

    with openapi_gw.Server("api.yaml") as server:
        mock = server.session("first")
        urllib.request.urlopen(mock.url + "/todos")
"""

from ._version import __commit__, __version__
from .control import ControlError
from .executable import find_executable
from .mock import Mock
from .server import Server, StartError

__all__ = ["ControlError", "Mock", "Server", "StartError", "__commit__", "__version__", "find_executable"]
