/**
 * A recorded request as a command or a test.
 *
 * @module
 */
import { splitTarget } from "../../http/url/url.ts";
import type { JournalEntry } from "../../mock/journal/entry.ts";
import { decodeStrictly } from "../../http/decode_strictly.ts";

interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** Headers that a client sets itself. */
const OF_CLIENTS = /^(?:accept-encoding|connection|content-length|host|user-agent|sec-.*)$/i;

/**
 * The request as curl, and as tests that expect the status of its answer.
 *
 * @param file The name of the definition's file.
 */
export function snippetsOf({ request, response: { status }, operation }: JournalEntry, file: string): Snippet[] {
  const { method, url } = request;
  const { path, query } = splitTarget(url);
  const target = query === "" ? path : `${path}?${query}`;
  const headers = request.headers.filter(([name, value]) =>
    !OF_CLIENTS.test(name) && !(name.toLowerCase() === "accept" && value === "*/*")
  );
  const text = request.body && decodeStrictly(request.body, { isStart: request.bodyLength !== undefined });
  const name = `${operation?.operationId ?? `${method} ${path}`} answers ${status}`;
  const parts = { method, url, target, headers, text, status, name, file };
  return [
    { name: "curl", text: curl(parts) },
    { name: "Vitest", text: vitest(parts) },
    { name: "pytest", text: pytest(parts) },
    { name: "Go", text: go(parts) },
  ];
}

interface Parts {
  readonly method: string;
  readonly url: string;
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string | undefined;
  readonly status: number;
  readonly name: string;
  readonly file: string;
}

function curl({ method, url, headers, text }: Parts): string {
  const quoted = (written: string): string => `'${written.replaceAll("'", `'\\''`)}'`;
  return [
    `curl -i${method === "GET" ? "" : ` -X ${method}`} ${quoted(url)}`,
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...text === undefined ? [] : [`--data-raw ${quoted(text)}`],
  ].join(" \\\n  ");
}

function vitest({ method, url, headers, text, status, name, file }: Parts): string {
  const options = [
    `method: ${JSON.stringify(method)},`,
    ...headers.length === 0 ? [] : [`headers: ${JSON.stringify(Object.fromEntries(headers), undefined, 2)},`],
    ...text === undefined ? [] : [`body: ${JSON.stringify(text)},`],
  ];
  return `import { mockApi } from "openapi-gw/vitest";
import { expect, test } from "vitest";

mockApi(${JSON.stringify(file)});

test(${JSON.stringify(name)}, async () => {
  const response = await fetch(${JSON.stringify(url)}, {
    ${indent(options.join("\n"), 4)}
  });
  expect(response.status).toBe(${status});
});
`;
}

function pytest({ method, target, headers, text, status, name, file }: Parts): string {
  const named = name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "");
  const options = [
    ...headers.length === 0 ? [] : [`headers=${JSON.stringify(Object.fromEntries(headers), undefined, 4)},`],
    ...text === undefined ? [] : [`data=${JSON.stringify(text)}.encode(),`],
  ];
  return `import requests


def test_${named}(gw_mock):
    mock = gw_mock(${JSON.stringify(file)})
    response = requests.request(
        ${JSON.stringify(method)},
        mock.url + ${JSON.stringify(target)},
${options.map((option) => `        ${indent(option, 8)}\n`).join("")}    )
    assert response.status_code == ${status}
`;
}

function go({ method, target, headers, text, status, name }: Parts): string {
  const title = name.replace(/[^A-Za-z0-9]+/g, " ").trim().replace(
    /(?:^| )([A-Za-z0-9])/g,
    (_, first) => first.toUpperCase(),
  );
  const quoted = JSON.stringify;
  return `package api_test

import (
	"net/http"
	"os"
${text === undefined ? "" : '	"strings"\n'}	"testing"
)

func Test${title}(t *testing.T) {
	request, err := http.NewRequest(${quoted(method)}, os.Getenv("GW_URL")+${quoted(target)}, ${
    text === undefined ? "nil" : `strings.NewReader(${quoted(text)})`
  })
	if err != nil {
		t.Fatal(err)
	}
${
    headers.map(([name, value]) => `	request.Header.Set(${quoted(name)}, ${quoted(value)})\n`).join("")
  }	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != ${status} {
		t.Errorf("status %d, want ${status}", response.StatusCode)
	}
}
`;
}

function indent(text: string, spaces: number): string {
  return text.replaceAll("\n", `\n${" ".repeat(spaces)}`);
}
