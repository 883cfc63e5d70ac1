import assert from "node:assert/strict";
import { checkPreconditions, etagOf, etagRulesOf } from "../../../../lib/mock/state/etag.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{id}:
    get:
      parameters: [{name: If-None-Match, in: header, schema: {type: string}}]
      responses:
        "200": {description: The pet., headers: {ETag: {schema: {type: string}}}}
    put:
      parameters: [{name: if-match, in: header, schema: {type: string}}]
      responses:
        "200": {description: The pet.}
        "428": {description: Say which revision you have seen.}
    delete:
      responses:
        "204": {description: Gone.}
        "412": {description: It has changed.}
  /plain:
    get:
      responses:
        "200": {description: No headers.}
`;

Deno.test("etagRulesOf() reads what an operation declares", async () => {
  const rules = listOperations(await parseDocument(DEFINITION)).map((operation) =>
    etagRulesOf(operation, operation.method === "DELETE" ? 204 : 200)
  );
  const nothing = { sendsEtag: false, matches: false, noneMatches: false, requiresMatch: false };
  assert.deepEqual(rules, [
    { ...nothing, sendsEtag: true, noneMatches: true },
    { ...nothing, matches: true, requiresMatch: true },
    { ...nothing, matches: true, noneMatches: true },
    undefined,
  ]);
});

Deno.test("etagOf() changes with the revision and with the contents", () => {
  const tags = [
    etagOf({ key: "1", revision: 1, value: { name: "Tom" } }),
    etagOf({ key: "1", revision: 2, value: { name: "Tom" } }),
    etagOf({ key: "1", revision: 1, value: { name: "Tim" } }),
  ];
  assert.equal(new Set(tags).size, 3);
  for (const tag of tags) assert.match(tag, /^"[!-~]+"$/);
  assert.equal(etagOf({ key: "1", revision: 1, value: { name: "Tom" } }), tags[0]);
});

Deno.test("checkPreconditions() follows RFC 9110, section 13.2.2", () => {
  const item = { key: "1", revision: 3, value: { name: "Tom" } };
  const tag = etagOf(item);
  const all = { sendsEtag: true, matches: true, noneMatches: true, requiresMatch: true };
  const cases: { method: string; headers: Record<string, string>; item?: typeof item | null; want: unknown }[] = [
    { method: "GET", headers: { "if-none-match": tag }, want: 304 },
    { method: "GET", headers: { "if-none-match": `"other", W/${tag}` }, want: 304 },
    { method: "GET", headers: { "if-none-match": '"other"' }, want: "met" },
    { method: "HEAD", headers: { "if-none-match": "*" }, want: 304 },
    { method: "PUT", headers: { "if-match": tag }, want: "met" },
    { method: "PUT", headers: { "if-match": `W/${tag}` }, want: 412 },
    { method: "PUT", headers: { "if-match": '"other"' }, want: 412 },
    { method: "PUT", headers: { "if-match": "*" }, want: "met" },
    { method: "PUT", headers: { "if-match": "*" }, item: null, want: 412 },
    { method: "PUT", headers: { "if-none-match": "*" }, want: 412 },
    { method: "PUT", headers: { "if-none-match": "*" }, item: null, want: "met" },
    { method: "PUT", headers: {}, want: 428 },
    { method: "PUT", headers: {}, item: null, want: "met" },
  ];
  for (const { method, headers, item: there = item, want } of cases) {
    const request = { method, headers: new Headers(headers) };
    const rules = { ...all, requiresMatch: method === "PUT" };
    assert.equal(checkPreconditions(rules, request, there ?? undefined), want, JSON.stringify({ method, headers }));
  }
});
