import assert from "node:assert/strict";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { createSessions } from "../../../lib/mock/create_sessions.ts";
import type { Reply } from "../../../lib/mock/operation/reply.ts";
import { createResponder } from "../../../lib/mock/responder.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets.
          content: {application/json: {schema: {type: array, items: {type: integer}}}}
  /subscriptions:
    get:
      parameters: [{name: url, in: query, schema: {type: string}}]
      responses: {"204": {description: Subscribed.}}
      callbacks: {event: {"{$request.query.url}": {delete: {responses: {"204": {description: ""}}}}}}
  /file:
    get:
      responses:
        "200":
          description: A file.
          headers: {X-File: {examples: {file: {externalValue: file.txt}}}}
          content:
            text/plain: {examples: {file: {externalValue: file.txt}, text: {value: inline}}}
`;

const HOST = "http://localhost:8080";

/** Requests by their page, and whether the page is foreign. */
const PAGES: readonly { name: string; headers: Record<string, string>; isForeign: boolean }[] = [
  { name: "no page", headers: {}, isForeign: false },
  { name: "the server's own page", headers: { origin: HOST, "sec-fetch-site": "same-origin" }, isForeign: false },
  { name: "a page of this machine", headers: { origin: "http://127.0.0.1:3000" }, isForeign: false },
  { name: "an image in a page of this machine", headers: { "sec-fetch-site": "same-site" }, isForeign: false },
  { name: "a permitted page", headers: { origin: "https://app.example.com" }, isForeign: false },
  { name: "a foreign page", headers: { origin: "https://evil.example" }, isForeign: true },
  { name: "an image in a foreign page", headers: { "sec-fetch-site": "cross-site" }, isForeign: true },
  { name: "a sandbox", headers: { origin: "null" }, isForeign: true },
];

async function responder(options: MockOptions = {}): Promise<(path: string, headers?: HeadersInit) => Promise<Reply>> {
  const document = await parseDocument(DEFINITION, {
    uri: "file:///pets.yaml",
    load: () => Promise.resolve(new TextEncoder().encode("content of the file")),
  });
  assert.deepEqual(document.diagnostics, []);
  const all = { callbacks: true, control: true, corsOrigins: ["https://app.example.com"], ...options };
  const respond = await createResponder([document], all, createSessions(all));
  return async (path, headers = {}) => await respond(new Request(HOST + path, { headers }));
}

Deno.test("a request of a foreign page causes no callbacks, and the log says why", async () => {
  const ask = await responder();
  for (const { name, headers, isForeign } of PAGES) {
    const { response, callbacks, remarks = [] } = await ask("/subscriptions?url=http://localhost:9/", headers);
    assert.equal(response.status, 204, name);
    assert.equal((await callbacks)?.length, isForeign ? undefined : 1, name);
    const remark = /^No callbacks are sent: the request comes from a page of another site\. --cors-origin permits /;
    assert.equal(remarks.some((one) => remark.test(one)), isForeign, name);
  }
});

Deno.test("a foreign page gets at most 100 items by array-size", async () => {
  const ask = await responder();
  for (const { name, headers, isForeign } of PAGES) {
    for (const [path, more] of [["/pets?__array-size=101", {}], ["/pets", { prefer: "array-size=101" }]] as const) {
      const { response, remarks = [] } = await ask(path, { ...headers, ...more });
      const size = isForeign ? 100 : 101;
      assert.equal((await response.json()).length, size, name);
      assert.equal(response.headers.get("preference-applied"), `array-size=${size}`, name);
      assert.equal(remarks.some((remark) => remark.includes("at most 100 items")), isForeign, name);
    }
    const { response } = await ask("/pets?__array-size=100", headers);
    assert.equal((await response.json()).length, 100, name);
  }
});

Deno.test("a foreign page can't read an example that is a file, nor its content in a header", async () => {
  const ask = await responder();
  for (const { name, headers, isForeign } of PAGES) {
    for (const path of ["/file", "/file?__example=file", "/_gw/s/a/file"]) {
      const { response } = await ask(path, headers);
      assert.equal(await response.text(), "content of the file");
      const origin = new Headers(headers).get("origin");
      assert.equal(response.headers.get("access-control-allow-origin"), isForeign ? null : origin, name);
      const credentials = isForeign || origin === null ? null : "true";
      assert.equal(response.headers.get("access-control-allow-credentials"), credentials, name);
      assert.equal(response.headers.get("vary"), "origin", name);
      assert.equal(response.headers.get("x-file"), null, name);
    }
    const { response } = await ask("/file?__example=text", headers);
    assert.equal(response.headers.get("access-control-allow-origin"), new Headers(headers).get("origin"), name);
  }
});

Deno.test("sessions that foreign pages begin displace no other session", async () => {
  const options = { sessions: 3, control: true };
  const sessions = createSessions(options);
  const respond = await createResponder([await parseDocument(DEFINITION)], options, sessions);
  const ask = async (name: string, headers: Record<string, string>, byHeader = false): Promise<void> => {
    const url = byHeader ? `${HOST}/pets` : `${HOST}/_gw/s/${name}/pets`;
    const named = byHeader ? { "x-gw-session": name, ...headers } : headers;
    assert.equal((await respond(new Request(url, { headers: named }))).response.status, 200);
  };
  const names = (): string[] => sessions.list().map(({ name }) => name);
  for (const name of ["a", "b", "c"]) await ask(name, {});
  for (const { headers, isForeign } of PAGES.filter(({ name }) => name !== "a permitted page")) {
    if (!isForeign) continue;
    for (let number = 0; number < 5; number++) {
      await ask(`path-${number}`, headers);
      await ask(`header-${number}`, headers, true);
    }
  }
  assert.deepEqual(names(), ["", "a", "b", "c", "header-3", "path-4", "header-4"]);
  // A client of this machine takes a session over, which is foreign no more.
  await ask("path-4", {});
  assert.deepEqual(names(), ["", "b", "c", "path-4", "header-3", "header-4"]);
  await ask("b", { origin: "https://evil.example" });
  await ask("d", {});
  assert.deepEqual(names(), ["", "path-4", "b", "d", "header-3", "header-4"]);
});

Deno.test("foreign pages have at most 100 sessions", () => {
  const sessions = createSessions({});
  for (let number = 0; number < 200; number++) sessions.of(`s${number}`, () => true);
  assert.equal(sessions.list().length, 101);
});

Deno.test("a server may have another test of foreign requests", async () => {
  const ask = await responder({ isForeign: ({ headers }) => headers.get("host") === "evil.example" });
  const url = "/subscriptions?url=http://localhost:9/";
  assert.equal((await ask(url, { origin: "https://evil.example" })).callbacks !== undefined, true);
  assert.equal((await ask(url, { host: "evil.example" })).callbacks, undefined);
});
