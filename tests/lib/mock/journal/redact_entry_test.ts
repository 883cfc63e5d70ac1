import assert from "node:assert/strict";
import { createEntryRedactor } from "../../../../lib/mock/journal/redact_entry.ts";
import type { JournalEntry } from "../../../../lib/mock/journal/entry.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";

const document = await parseDocument(`
openapi: 3.1.0
info: { title: Doors, version: "1" }
paths:
  /doors/{key}:
    post:
      parameters: [{ name: key, in: path, required: true, schema: { type: string, format: password } }]
      requestBody: { content: { application/json: { schema: { properties: { house: { format: password } } } } } }
      responses: { "200": { description: OK } }
components: { securitySchemes: { tenant: { type: apiKey, in: header, name: X-Tenant } } }
`);
const redactor = createEntryRedactor({ documents: [document], operations: listOperations(document) });

function entry(
  request: Partial<JournalEntry["request"]>,
  response: Partial<JournalEntry["response"]> = {},
): JournalEntry {
  return {
    id: 1,
    time: 0,
    session: "",
    operation: { method: "POST", path: "/doors/{key}" },
    request: {
      method: "POST",
      url: "http://h/v1/doors/ab12?limit=3",
      pathParameters: { key: "ab12" },
      headers: [],
      ...request,
    },
    response: { status: 200, mediaType: "text/plain", source: "example", headers: [], ...response },
    violations: [{
      location: ["header", "Authorization"],
      severity: "Error",
      code: "security",
      message: "Request header Authorization must have Bearer credentials.",
    }],
  };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array | undefined): string => new TextDecoder().decode(body);

Deno.test("entry() redacts what the definition declares: path parameters, headers, formats in bodies", () => {
  const { request } = redactor.entry(entry({
    headers: [["x-tenant", "t-1"], ["content-type", "application/json"], ["accept", "text/plain"]],
    body: bytes('{"house":"x1","room":"b"}'),
  }));
  assert.equal(request.url, "http://h/v1/doors/REDACTED?limit=3");
  assert.deepEqual(request.pathParameters, { key: "REDACTED" });
  assert.deepEqual(request.headers, [["x-tenant", "REDACTED"], ["content-type", "application/json"], [
    "accept",
    "text/plain",
  ]]);
  assert.equal(textOf(request.body), '{"house":"REDACTED","room":"b"}');
});

Deno.test("entry() redacts secrets of the request in the response, and keeps gw's own words", () => {
  const given = entry(
    { headers: [["authorization", "Bearer k3y-for-it"], ["content-type", "text/plain"]], body: bytes("x") },
    { body: bytes("you sent k3y-for-it"), detail: "POST /v1/doors/ab12 needs k3y-for-it." },
  );
  const { response, violations } = redactor.entry(given);
  assert.equal(textOf(response.body), "you sent REDACTED");
  assert.equal(response.detail, "POST /v1/doors/REDACTED needs REDACTED.");
  assert.deepEqual(violations, given.violations);
});

Deno.test("entry() redacts bodies that were cut, and bytes", () => {
  const json: [string, string][] = [["content-type", "application/json"]];
  const cut = redactor.entry(entry({ headers: json, body: bytes('{"password":"abc","a":["b"'), bodyLength: 99 }));
  assert.equal(textOf(cut.request.body), '{"password":"REDACTED","a":["b"');
  assert.equal(cut.request.bodyLength, 99);
  const binary = Uint8Array.from([0xFF, 0, ...bytes("token=abcdefgh"), 0, ...bytes("plain")]);
  const { body } = redactor.entry(entry({ body: binary })).request;
  assert.equal(body?.length, binary.length);
  assert.match(new TextDecoder("latin1").decode(body), /^ÿ\0REDACTEDREDACT\0plain$/);
});

Deno.test("entry() redacts the API keys of all definitions in requests without an operation", () => {
  const { operation: _, ...unmatched } = entry({ url: "http://h/x", headers: [["X-Tenant", "t-1"]] });
  assert.deepEqual(redactor.entry(unmatched).request.headers, [["X-Tenant", "REDACTED"]]);
});
