"""Sends the cases of standard input with an encoder of Python: urlencode, quote (urlencode with %20), or requests."""

import json
import sys
from urllib.error import HTTPError
from urllib.parse import quote, quote_plus, urlencode
from urllib.request import Request, urlopen

ENCODER = sys.argv[1]


def with_urllib(case):
    encoded = urlencode([tuple(pair) for pair in case["pairs"]], quote_via=quote if ENCODER == "quote" else quote_plus)
    url, body, headers = case["url"], None, {}
    if case["place"] == "header":
        headers = dict(case["pairs"])
    elif case["place"] == "cookie":
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in case["pairs"])}
    elif case["place"] == "query":
        url += "?" + encoded
    elif case["place"] == "path":
        url += "/" + quote(case["pairs"][0][1], safe="")
    else:
        body = encoded.encode()
    try:
        with urlopen(Request(url, data=body, headers=headers)) as response:
            return response.status
    except HTTPError as error:
        return error.code


def with_requests(case):
    import requests

    pairs = [tuple(pair) for pair in case["pairs"]]
    if case["place"] == "header":
        return requests.get(case["url"], headers=dict(pairs)).status_code
    if case["place"] == "cookie":
        return requests.get(case["url"], cookies=dict(pairs)).status_code
    if case["place"] == "query":
        return requests.get(case["url"], params=pairs).status_code
    if case["place"] == "form":
        return requests.post(case["url"], data=pairs).status_code
    return requests.get(case["url"] + "/" + requests.utils.quote(pairs[0][1], safe="")).status_code


def with_httpx(case):
    import httpx

    pairs = [tuple(pair) for pair in case["pairs"]]
    place, url = case["place"], case["url"]
    if place == "header":
        return httpx.get(url, headers=[(name, value.encode("utf-8")) for name, value in pairs]).status_code
    if place == "cookie":
        return httpx.get(url, cookies=dict(pairs)).status_code
    if place == "query":
        return httpx.get(url, params=pairs).status_code
    if place == "form":
        return httpx.post(url, content=urlencode(pairs), headers=FORM).status_code
    return httpx.get(url + "/" + quote(pairs[0][1], safe="")).status_code


FORM = {"Content-Type": "application/x-www-form-urlencoded"}
send = with_httpx if ENCODER == "httpx" else with_requests if ENCODER == "requests" else with_urllib
print(json.dumps([send(case) for case in json.load(sys.stdin)]))
