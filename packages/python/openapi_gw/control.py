"""Requests to the control API of ``gw mock``, below ``/_gw/``."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any, Mapping

from .one_line import one_line

#: Seconds that a request may take.
LIMIT = 30.0

#: Requests to this machine go to it directly, whatever proxies the environment names.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class ControlError(RuntimeError):
    """The control API refused a request. The message is its reason.

    :ivar status: the HTTP status.
    :ivar problem: the problem details (RFC 9457) that the server answered.
    """

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        errors = problem.get("errors") or []
        # The detail of the problem has the first of them.
        details = [f"  {error.get('pointer', '')}: {error.get('detail', '')}" for error in errors[1:]]
        reason = str(problem.get("detail") or problem.get("title") or status)
        super().__init__("\n".join(one_line(line) for line in [reason, *details]))


def send(method: str, url: str, body: Any = None) -> Any:
    """Sends a request and returns the answer's JSON value, or None where there is no body.

    :param body: text is sent as ``text/plain``, any other value but None as JSON.
    :raises ControlError: if the answer is 4xx or 5xx.
    """
    __tracebackhide__ = True  # pytest shows the line of the test instead.
    headers = {"Accept": "application/json, application/problem+json"}
    content = None
    if isinstance(body, str):
        headers["Content-Type"] = "text/plain"
        content = body.encode()
    elif body is not None:
        headers["Content-Type"] = "application/json"
        content = json.dumps(body).encode()
    request = urllib.request.Request(url, content, headers, method=method)
    try:
        with _opener.open(request, timeout=LIMIT) as response:
            text = response.read()
    except urllib.error.HTTPError as error:
        with error:
            raise ControlError(error.code, _problem(error.read())) from None
    return json.loads(text) if text else None


def _problem(text: bytes) -> Mapping[str, Any]:
    """Reads a problem; an answer of something else is its detail."""
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": text.decode("utf-8", "replace")}
