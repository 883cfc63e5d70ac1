import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const TEXT = { schema: { type: "string", description: "Nothing else is said of it." } };
const NUMBER = { schema: { type: "integer" } };

/** Sends a request, and returns the header that is generated from its declaration. */
async function headerOf(
  name: string,
  header: unknown,
  more: { path?: string; response?: object } = {},
): Promise<string> {
  const { path = "/pets", response = {} } = more;
  const method = path.endsWith("}") ? "put" : "post";
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    info: { title: 'The "Pets"', version: "1.0.0" },
    paths: {
      "/pets/{petId}": {},
      [path]: { [method]: { responses: { 201: { headers: { [name]: header }, ...response } } } },
    },
  }));
  const url = `http://localhost${path.replace("{petId}", "7").replace("{userId}", "3")}`;
  const answer = await createMock(document)(new Request(url, { method: method.toUpperCase() }));
  return answer.headers.get(name) ?? "";
}

const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} 2025 12:00:00 GMT$/;

const CASES: { name: string; header?: unknown; looks: RegExp }[] = [
  { name: "ETag", looks: /^"[0-9a-f]{8}"$/ },
  { name: "Last-Modified", looks: HTTP_DATE },
  { name: "Expires", looks: HTTP_DATE },
  { name: "Retry-After", looks: /^30$/ },
  { name: "Retry-After", header: NUMBER, looks: /^30$/ },
  { name: "Cache-Control", looks: /^no-cache$/ },
  { name: "WWW-Authenticate", looks: /^Bearer realm="The \\"Pets\\""$/ },
  { name: "Link", looks: /^<\?page=2>; rel="next"$/ },
  { name: "X-RateLimit-Limit", header: NUMBER, looks: /^100$/ },
  { name: "X-Rate-Limit-Remaining", looks: /^99$/ },
  { name: "RateLimit-Reset", looks: /^60$/ },
  { name: "Content-Disposition", looks: /^attachment; filename="file\.bin"$/ },
  // An example or a restricting schema has precedence over the standard value.
  { name: "ETag", header: { example: '"v7"' }, looks: /^"v7"$/ },
  { name: "ETag", header: { schema: { type: "string", enum: ["W/x"] } }, looks: /^W\/x$/ },
  { name: "Retry-After", header: { schema: { type: "integer", minimum: 1, maximum: 9 } }, looks: /^\d$/ },
  { name: "Cache-Control", header: { schema: { type: "string", minLength: 30 } }, looks: /^.{30,}$/ },
];

for (const { name, header = TEXT, looks } of CASES) {
  Deno.test(`the header ${name} of ${JSON.stringify(header)} looks like ${looks}`, async () => {
    assert.match(await headerOf(name, header), looks);
  });
}

const body = (example: unknown) => ({ content: { "application/json": { example } } });

const LOCATIONS: { path: string; response?: object; want: string }[] = [
  { path: "/pets", response: body({ id: 530 }), want: "/pets/530" },
  { path: "/pets", response: body({ petId: "a/b", id: 1 }), want: "/pets/a%2Fb" },
  { path: "/pets", response: body({ pet: { id: 7 } }), want: "/pets/7" },
  { path: "/pets", want: "/pets/1" },
  // A lone surrogate has no UTF-8 form. It becomes U+FFFD, percent-encoded `%EF%BF%BD`.
  { path: "/pets", response: body({ id: "a\ud800\r\n" }), want: "/pets/a%EF%BF%BD%0D%0A" },
  // A path with parameters: `Location` is relative to the URL of the request.
  { path: "/users/{userId}/pets", response: body({ id: 5 }), want: "pets/5" },
  { path: "/pets/{petId}", response: body({ id: 5 }), want: "5" },
];

for (const { path, response = {}, want } of LOCATIONS) {
  Deno.test(`Location of ${path} with ${JSON.stringify(response)} is ${want}`, async () => {
    assert.equal(await headerOf("Location", TEXT, { path, response }), want);
  });
}

Deno.test("an entity tag changes with the body", async () => {
  const tag = await headerOf("ETag", TEXT, { response: body({ id: 1 }) });
  assert.equal(await headerOf("ETag", TEXT, { response: body({ id: 1 }) }), tag);
  assert.notEqual(await headerOf("ETag", TEXT, { response: body({ id: 2 }) }), tag);
});
