"""One session of a mock server, as a test uses it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Union

from .control import ControlError, send
from .one_line import one_line

#: Most requests that one question to the journal is answered with.
_PAGE = 1000


class Mock:
    """A session of ``gw mock``: state, rules, journal and clock that other sessions don't see.

    Clients send their requests to :attr:`url`, or to :attr:`server_url` with :attr:`headers`.
    """

    def __init__(self, server_url: str, session: str) -> None:
        #: The name of the session.
        self.session = session
        #: Base URL of the server without the session: its requests need :attr:`headers`.
        self.server_url = server_url
        #: Base URL with the session in its path: ``http://127.0.0.1:41234/_gw/s/NAME``, without a trailing slash.
        self.url = f"{server_url}/_gw/s/{session}"
        #: The header that names the session, for clients of :attr:`server_url`.
        self.headers: Dict[str, str] = {"X-Gw-Session": session}

    def __repr__(self) -> str:
        return f"Mock({self.url!r})"

    def rule(self, rule: Union[str, Mapping[str, Any]]) -> str:
        """Adds a rule, before all others of the session, and returns its id.

        :param rule: in words, ``"GET /todos: 503 x1"``, or as an object, ``{"operation": "listTodos", "status": 503}``.
        :raises ControlError: if the rule doesn't fit the definition.
        """
        __tracebackhide__ = True
        added = self.control("POST", "/rules", rule if isinstance(rule, str) else dict(rule))
        return str(added["id"])

    @property
    def requests(self) -> List[Dict[str, Any]]:
        """The requests that were answered, the oldest first.

        Each has ``id``, ``time``, ``operation``, ``request``, ``response`` and ``violations``, as ``/_gw/requests``
        lists them; secrets are shown as they were sent.
        """
        found: List[Dict[str, Any]] = []
        while True:
            after = found[-1]["id"] if found else 0
            page = self.control("GET", f"/requests?after={after}&limit={_PAGE}&secrets=shown")["requests"]
            found += page
            if len(page) < _PAGE:
                return found

    def verify(self, **expectation: Any) -> List[int]:
        """Asserts that requests came, and returns their ids.

        Filters are ``operation``, ``method``, ``path``, ``status``, ``query`` and ``headers`` (texts by name) and ``body``
        (values by JSON Pointer); ``count``, ``at_least`` and ``at_most`` bound their number, which is at least 1 by default;
        ``in_order`` is a list of filters::

            mock.verify(operation="createTodo", body={"/title": "Buy milk"}, count=1)

        :raises AssertionError: if they didn't; the message has the nearest requests, and how they differ.
        """
        __tracebackhide__ = True  # pytest shows the line of the test instead.
        names = {"at_least": "atLeast", "at_most": "atMost", "in_order": "inOrder"}
        content = {names.get(name, name): value for name, value in expectation.items()}
        try:
            return list(self.control("POST", "/requests/verify", content)["ids"])
        except ControlError as error:
            if error.status != 417:
                raise
            raise AssertionError(_unmet(error.problem)) from None

    def reset(self) -> None:
        """Takes the session back to its beginning: state, rules, journal and clock."""
        __tracebackhide__ = True
        self.control("POST", "/reset")

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request to the control API for this session, and returns the answer's JSON value.

        Its paths are those of ``/_gw/openapi.json``::

            mock.control("PUT", "/state/todos", [{"id": 7, "title": "Feed the cat"}])

        :raises ControlError: if it is refused.
        """
        __tracebackhide__ = True
        return send(method, f"{self.url}/_gw{path}", body)


def _unmet(problem: Mapping[str, Any]) -> str:
    """What was expected and didn't come, with the nearest requests. The detail has the first of them."""
    nearest = [
        f"  {entry['method']} {entry['target']} {entry['status']}: {'; '.join(entry['differences'])}"
        for entry in problem.get("nearest", [])[1:]
    ]
    return "\n".join(one_line(line) for line in [str(problem.get("detail", "")), *nearest])
