import assert from "node:assert/strict";
import { createMockServer, parseDocument } from "../../../mod.ts";

/** A mock server whose definition has the path `/pets` and the given `servers`. */
async function serverOf(urls: readonly string[], baseUrls?: readonly string[]) {
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: urls.map((url) => ({ url, variables: { region: { default: "eu", enum: ["eu", "us"] } } })),
    paths: { "/pets": { get: { responses: { "204": { description: "No pets." } } } } },
  });
  return await createMockServer(document, baseUrls === undefined ? {} : { baseUrls });
}

const ABSOLUTE = "https://api.example.com/v1";

const CASES: { servers: string[]; baseUrls?: string[]; url: string; want: "path" | "origin" | "none" }[] = [
  { servers: [ABSOLUTE], url: "https://api.example.com/v1/pets", want: "path" },
  { servers: [ABSOLUTE], url: "https://api.example.com/v1/cats", want: "origin" },
  { servers: [ABSOLUTE], url: "https://other.example.com/v1/pets", want: "none" },
  { servers: ["https://{region}.example.com"], url: "https://us.example.com/pets", want: "path" },
  { servers: ["https://{region}.example.com"], url: "https://cn.example.com/pets", want: "none" },
  { servers: ["/v1"], url: "http://localhost:3000/v1/pets", want: "path" },
  { servers: ["/v1"], url: "http://localhost:3000/app.js", want: "none" },
  { servers: [], url: "http://localhost:3000/pets", want: "path" },
  { servers: [ABSOLUTE, "/v1"], url: "https://api.example.com/cats", want: "origin" },
  { servers: [ABSOLUTE, "/v1"], url: "http://localhost/v1/pets", want: "path" },
  {
    servers: ["/v1"],
    baseUrls: ["https://test.example.com/v2"],
    url: "https://test.example.com/v2/pets",
    want: "path",
  },
  { servers: ["/v1"], baseUrls: ["https://test.example.com/v2"], url: "http://localhost/v1/pets", want: "none" },
  { servers: [ABSOLUTE], baseUrls: ["/api"], url: "http://localhost/api/pets", want: "path" },
  { servers: [ABSOLUTE], baseUrls: ["/api"], url: "https://api.example.com/v1/pets", want: "path" },
];

for (const { servers, baseUrls, url, want } of CASES) {
  const at = `${JSON.stringify(servers)}${baseUrls === undefined ? "" : ` and ${JSON.stringify(baseUrls)}`}`;
  Deno.test(`scopeOf() tells ${want} for ${url} of ${at}`, async () => {
    assert.equal((await serverOf(servers, baseUrls)).scopeOf(new Request(url)), want);
  });
}

Deno.test("scopeOf() is path for methods that the path doesn't have", async () => {
  const request = new Request("http://localhost/pets", { method: "DELETE" });
  assert.equal((await serverOf([])).scopeOf(request), "path");
});

Deno.test("scopeOf() is none for a URL that isn't of a server", async () => {
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "Files", version: "1" },
    paths: { "/{file}": { get: { responses: { "204": { description: "No file." } } } } },
  });
  const server = await createMockServer(document);
  const urls = ["data:application/json,{}", "blob:http://localhost/1b3f", "file:///pets"];
  for (const url of urls) assert.equal(server.scopeOf(new Request(url)), "none", url);
});

Deno.test("baseUrls are paths under which operations are found", async () => {
  const server = await serverOf([ABSOLUTE], ["https://test.example.com/v2/"]);
  for (const path of ["/pets", "/v1/pets", "/v2/pets"]) {
    assert.equal((await server.fetch(`http://localhost${path}`)).status, 204, path);
  }
});
