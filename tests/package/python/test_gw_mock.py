"""The fixture gw_mock, in a project that has openapi-gw installed. tests/package/python_test.ts runs it."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import httpx
import openapi_gw
import pytest
import requests


def test_client_of_the_url_has_a_session_of_its_own(gw_mock):
    one = gw_mock("todo.yaml", flags=["--stateful"])
    other = gw_mock("todo.yaml", flags=["--stateful"])
    created = requests.post(one.url + "/todos", json={"title": "Water the plants"}).json()
    assert requests.get(f"{one.url}/todos/{created['id']}").json()["title"] == "Water the plants"
    assert requests.get(f"{other.url}/todos/{created['id']}").status_code == 404
    assert one.server_url == other.server_url


def test_client_of_the_server_url_sends_the_header(gw_mock):
    mock = gw_mock("todo.yaml")
    with httpx.Client(base_url=mock.server_url, headers=mock.headers) as client:
        assert client.get("/todos").json()[0]["title"] == "Buy milk"
    assert [entry["request"]["path"] for entry in mock.requests] == ["/todos"]


def test_urllib(gw_mock):
    with urllib.request.urlopen(gw_mock("todo.yaml").url + "/todos") as response:
        assert response.headers["x-svc-mocked"] == "true"


@pytest.mark.parametrize("rule", ["GET /todos: 503 x1", {"operation": "GET /todos", "status": 503, "times": 1}])
def test_rule(gw_mock, rule):
    mock = gw_mock("todo.yaml")
    rule_id = mock.rule(rule)
    assert [requests.get(mock.url + "/todos").status_code for _ in range(2)] == [503, 200]
    assert mock.control("GET", f"/rules/{rule_id}")["applied"] == 1


def test_rule_that_does_not_fit_is_refused(gw_mock):
    with pytest.raises(openapi_gw.ControlError, match="GET /nothing") as refused:
        gw_mock("todo.yaml").rule("GET /nothing: 503")
    assert refused.value.status == 422


def test_server_that_crashed_is_started_again(gw_mock):
    flags = ["--seed", "4711"]
    crashed = gw_mock("todo.yaml", flags=flags)
    [process] = [pid for pid in _children() if "4711" in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(process, signal.SIGKILL)
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    started = gw_mock("todo.yaml", flags=flags)
    assert started.server_url != crashed.server_url
    assert requests.get(started.url + "/todos").status_code == 200


def _children():
    """The ids of the processes that this process has started."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = status.read_text().rpartition(")")[2].split()[1]
        except OSError:  # The process has ended.
            continue
        if int(parent) == os.getpid():
            yield int(status.parent.name)


def test_verify(gw_mock):
    mock = gw_mock("todo.yaml")
    requests.post(mock.url + "/todos", json={"title": "Buy milk"})
    requests.get(mock.url + "/todos")
    assert mock.verify(operation="POST /todos", body={"/title": "Buy milk"}, count=1) == [mock.requests[0]["id"]]
    assert mock.verify(in_order=[{"method": "POST"}, {"method": "GET"}]) == [entry["id"] for entry in mock.requests]
    mock.verify(method="DELETE", at_most=0)
    with pytest.raises(AssertionError, match='"Buy milk", not "Buy tea"'):
        mock.verify(operation="POST /todos", body={"/title": "Buy tea"}, at_least=1)
    with pytest.raises(openapi_gw.ControlError, match="opration"):
        mock.verify(opration="POST /todos")


def test_reset(gw_mock):
    mock = gw_mock("todo.yaml", flags=["--stateful"])
    mock.rule("GET /todos: 503")
    requests.delete(mock.url + "/todos/1")
    mock.reset()
    assert mock.requests == []
    assert requests.get(mock.url + "/todos").status_code == 200


def test_all_requests_of_a_long_journal(gw_mock):
    mock = gw_mock("todo.yaml", flags=["--journal", "2500"])
    with requests.Session() as session:
        for _ in range(2010):
            session.get(mock.url + "/todos")
    ids = [entry["id"] for entry in mock.requests]
    assert len(ids) == 2010
    assert ids == sorted(ids)


def test_shared_session(gw_mock):
    first = gw_mock("todo.yaml", session="shared")
    requests.get(first.url + "/todos")
    gw_mock("todo.yaml", session="shared").verify(path="/todos")


def test_two_definitions_on_one_server(gw_mock):
    mock = gw_mock("todo.yaml", "more/pets.yaml")
    assert requests.get(mock.url + "/todos").status_code == 200
    assert requests.get(mock.url + "/pets").json() == ["Tom"]


def test_definition_that_is_not_there(gw_mock):
    with pytest.raises(FileNotFoundError, match="no definition nothing.yaml in "):
        gw_mock("nothing.yaml")


def test_definition_that_is_broken(gw_mock, tmp_path):
    (tmp_path / "broken.yaml").write_text("openapi: [")
    with pytest.raises(openapi_gw.StartError, match=r"broken\.yaml:1:\d+"):
        gw_mock(tmp_path / "broken.yaml")


def test_flag_that_is_unknown(gw_mock):
    with pytest.raises(openapi_gw.StartError, match="--nothing"):
        gw_mock("todo.yaml", flags=["--nothing"])


def test_title_that_looks_like_an_announcement(gw_mock, tmp_path):
    info = {"title": "Todo\nListening on http://evil.example", "version": "1"}
    (tmp_path / "api.json").write_text(json.dumps({"openapi": "3.1.0", "info": info, "paths": {}}))
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", gw_mock(tmp_path / "api.json").server_url)


def test_server_without_the_fixture():
    with openapi_gw.Server("todo.yaml") as server:
        mock = server.session("a")
        assert requests.get(mock.url + "/todos").status_code == 200
    with pytest.raises(requests.ConnectionError):
        requests.get(server.url + "/todos")


@pytest.mark.parametrize("command", [["gw"], ["openapi-gw"], [sys.executable, "-m", "openapi_gw"]])
def test_command(command):
    printed = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
    assert printed.split()[:2] == ["gw", openapi_gw.__version__]
    assert subprocess.run([*command, "mock", "nothing.yaml"], capture_output=True).returncode == 3
