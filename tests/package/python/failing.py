"""A test that fails, for what its report says. Its name keeps it out of the other runs."""

import requests


def test_that_fails(gw_mock):
    mock = gw_mock("todo.yaml")
    requests.get(mock.url + "/todos?limit=1000")
    mock.verify(operation="DELETE /todos/{id}")
