import assert from "node:assert/strict";
import fc from "fast-check";
import { createRouter, type Route } from "../../../../lib/mock/route/router.ts";
import { runs } from "../../../runs.ts";

const routes: Route[] = [
  "GET /",
  "GET /pets",
  "POST /pets",
  "GET /pets/",
  "GET /pets/mine",
  "PATCH /pets/special",
  "GET /pets/{petId}",
  "DELETE /pets/{petId}",
  "GET /pets/{petId}/photos/{photoId}",
  "GET /pets/mine/photos/first",
  "GET /{kind}/mine/photos/last",
  "GET /report.{format}",
  "GET /report.json",
  "GET /report.{year}.{format}",
  "GET /{name}",
  "GET /dates/{from}-{to}",
  "GET /dates/{day}",
  "GET /caf%C3%A9",
  "GET /a b/{x}",
  "GET /v2/{rest}/{x}:cancel",
  "HEAD /only-head",
].map((line) => {
  const [method = "", ...path] = line.split(" ");
  return { method, path: path.join(" ") };
});

const cases: { request: string; want: string; parameters?: Record<string, string> }[] = [
  { request: "GET /", want: "GET /" },
  { request: "GET /pets", want: "GET /pets" },
  { request: "HEAD /pets", want: "GET /pets" },
  { request: "HEAD /only-head", want: "HEAD /only-head" },
  { request: "GET /pets/", want: "GET /pets/" },
  { request: "GET /pets//", want: "not-found" },
  { request: "GET /pets/mine", want: "GET /pets/mine" },
  { request: "GET /pets/%6Dine", want: "GET /pets/mine" },
  { request: "GET /pets/42", want: "GET /pets/{petId}", parameters: { petId: "42" } },
  { request: "HEAD /pets/42", want: "GET /pets/{petId}", parameters: { petId: "42" } },
  { request: "GET /pets/special", want: "GET /pets/{petId}", parameters: { petId: "special" } },
  { request: "PUT /pets/special", want: "method-not-allowed PATCH GET DELETE" },
  { request: "PUT /pets/7", want: "method-not-allowed GET DELETE" },
  { request: "GET /pets/a%2Fb", want: "GET /pets/{petId}", parameters: { petId: "a/b" } },
  { request: "GET /pets/%252F", want: "GET /pets/{petId}", parameters: { petId: "%2F" } },
  { request: "GET /pets/%zz", want: "GET /pets/{petId}", parameters: { petId: "%zz" } },
  { request: "GET /pets/%", want: "GET /pets/{petId}", parameters: { petId: "%" } },
  { request: "GET /pets/%C3%28", want: "GET /pets/{petId}", parameters: { petId: "%C3%28" } },
  {
    request: "GET /pets/1/photos/2",
    want: "GET /pets/{petId}/photos/{photoId}",
    parameters: { petId: "1", photoId: "2" },
  },
  { request: "GET /pets/mine/photos/first", want: "GET /pets/mine/photos/first" },
  {
    request: "GET /pets/mine/photos/9",
    want: "GET /pets/{petId}/photos/{photoId}",
    parameters: { petId: "mine", photoId: "9" },
  },
  { request: "GET /cats/mine/photos/last", want: "GET /{kind}/mine/photos/last", parameters: { kind: "cats" } },
  { request: "GET /report.csv", want: "GET /report.{format}", parameters: { format: "csv" } },
  { request: "GET /report.json", want: "GET /report.json" },
  { request: "GET /report.", want: "GET /{name}", parameters: { name: "report." } },
  { request: "GET /report.2024.csv", want: "GET /report.{year}.{format}", parameters: { year: "2024", format: "csv" } },
  { request: "GET /Pets", want: "GET /{name}", parameters: { name: "Pets" } },
  { request: "GET /dates/1-2-3", want: "GET /dates/{from}-{to}", parameters: { from: "1", to: "2-3" } },
  { request: "GET /dates/-", want: "GET /dates/{day}", parameters: { day: "-" } },
  { request: "GET /caf%c3%a9", want: "GET /caf%C3%A9" },
  { request: "GET /café", want: "GET /caf%C3%A9" },
  { request: "GET /a%20b/1", want: "GET /a b/{x}", parameters: { x: "1" } },
  { request: "GET /v2/x/job:cancel", want: "GET /v2/{rest}/{x}:cancel", parameters: { rest: "x", x: "job" } },
  { request: "GET /__proto__", want: "GET /{name}", parameters: { name: "__proto__" } },
  { request: "GET /a/b/c/d/e", want: "not-found" },
  { request: "OPTIONS /pets", want: "method-not-allowed GET POST" },
];

Deno.test("createRouter() finds the route of each request", async (t) => {
  const router = createRouter(routes);
  for (const { request, want, parameters = {} } of cases) {
    await t.step(`${request} is ${want}`, () => {
      const [method = "", path = ""] = request.split(" ");
      const match = router.match(method, path);
      switch (match.kind) {
        case "found":
          assert.equal(`${match.route.method} ${match.route.path}`, want);
          assert.deepEqual({ ...match.parameters }, parameters);
          break;
        case "method-not-allowed":
          assert.equal(`${match.kind} ${match.allowed.join(" ")}`, want);
          break;
        case "not-found":
          assert.equal(match.kind, want);
      }
    });
  }
});

Deno.test("createRouter() matches an empty path as /", () => {
  const router = createRouter([{ method: "*", path: "/" }]);
  for (const path of ["", "/"]) assert.equal(router.match("GET", path).kind, "found", JSON.stringify(path));
});

Deno.test("createRouter() matches other methods of a path by its route for all methods, before a template", () => {
  const router = createRouter([
    { method: "GET", path: "/a" },
    { method: "*", path: "/a" },
    { method: "*", path: "/b" },
    { method: "POST", path: "/{x}" },
  ]);
  const found = (method: string, path: string): string => {
    const match = router.match(method, path);
    return match.kind === "found" ? `${match.route.method} ${match.route.path}` : match.kind;
  };
  assert.equal(found("GET", "/a"), "GET /a");
  assert.equal(found("HEAD", "/a"), "GET /a");
  assert.equal(found("POST", "/a"), "* /a");
  assert.equal(found("POST", "/%61"), "* /a");
  assert.equal(found("HEAD", "/b"), "* /b");
  assert.equal(found("POST", "/c"), "POST /{x}");
});

Deno.test("createRouter() finds a route below its base paths; a path without prefix takes precedence", () => {
  const router = createRouter(
    [{ method: "GET", path: "/v1/pets" }, { method: "GET", path: "/pets" }, { method: "GET", path: "/pets/{id}" }],
    () => ["/v1", "/api/v1"],
  );
  const pathOf = (path: string): string => {
    const match = router.match("GET", path);
    return match.kind === "found" ? match.route.path : match.kind;
  };
  assert.equal(pathOf("/pets"), "/pets");
  assert.equal(pathOf("/v1/pets"), "/v1/pets");
  assert.equal(pathOf("/v1/v1/pets"), "/v1/pets");
  assert.equal(pathOf("/api/v1/pets/3"), "/pets/{id}");
  assert.equal(pathOf("/api/pets"), "not-found");
});

Deno.test("createRouter() allows any parameter name", () => {
  const match = createRouter([{ method: "GET", path: "/{__proto__}/{constructor}" }]).match("GET", "/a/b");
  assert.deepEqual(match.kind === "found" && Object.entries(match.parameters), [["__proto__", "a"], [
    "constructor",
    "b",
  ]]);
});

Deno.test("createRouter() names parameters as in the path key of the matched method", () => {
  const router = createRouter([{ method: "GET", path: "/a/{x}" }, { method: "PUT", path: "/a/{y}" }]);
  const match = router.match("PUT", "/a/1");
  assert.deepEqual(match.kind === "found" ? { ...match.parameters } : match, { y: "1" });
});

const segment = fc.constantFrom("a", "b", "c", "{x}", "{y}", "a.{x}", "a b", "é");
const template = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);

Deno.test("createRouter() agrees with a search through all routes for the most specific one", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(template, { maxLength: 12 }),
      fc.array(fc.constantFrom("a", "b", "c", "d", "a.b", "a.", ".b", "é", "a b"), { minLength: 1, maxLength: 4 }),
      (templates, segments) => {
        const router = createRouter(templates.map((path) => ({ method: "GET", path })));
        const match = router.match("GET", `/${segments.map(encodeURIComponent).join("/")}`);
        const want = mostSpecific(templates, segments);
        assert.deepEqual(match.kind === "found" ? ranksOf(match.route.path) : undefined, want && ranksOf(want));
      },
    ),
    runs(2_000),
  );
});

Deno.test("createRouter() finds a route by its own path when parameters are filled in", () => {
  fc.assert(
    fc.property(template, fc.string({ minLength: 1, unit: "grapheme" }), (path, value) => {
      const filled = path.split("/").map((part) => part.split(/(\{[^}]+\})/))
        .map((parts) => parts.map((part) => encodeURIComponent(part.startsWith("{") ? value : part)).join("")).join(
          "/",
        );
      const match = createRouter([{ method: "GET", path }]).match("GET", filled);
      assert.equal(match.kind, "found", `${path} as ${filled}`);
    }),
    runs(100),
  );
});

Deno.test("createRouter() decodes each segment of a path once, however many branches match it", () => {
  const routes = Array.from({ length: 2 ** 6 }, (_, index) => {
    const segments = Array.from({ length: 6 }, (_, bit) => (index >> bit) % 2 === 0 ? "{p}" : "A{p}");
    return { method: "GET", path: `/${segments.join("/")}/end` };
  });
  const router = createRouter(routes);
  const decode = globalThis.decodeURIComponent;
  let decoded = 0;
  globalThis.decodeURIComponent = (text) => {
    decoded++;
    return decode(text);
  };
  try {
    assert.equal(router.match("GET", `${"/%41b".repeat(6)}/other`).kind, "not-found");
  } finally {
    globalThis.decodeURIComponent = decode;
  }
  assert.equal(decoded, 6);
});

/** The rank of each segment: 2 if it is literal, 1 if a part of it is a parameter, 0 if all of it is. */
function ranksOf(path: string): number[] {
  return path.slice(1).split("/").map((part) =>
    part.startsWith("{") && part.endsWith("}") ? 0 : part.includes("{") ? 1 : 2
  );
}

/** The naive algorithm: compares all matching path templates, segment by segment. */
function mostSpecific(templates: readonly string[], segments: readonly string[]): string | undefined {
  const fits = templates.filter((template) => {
    const parts = template.slice(1).split("/");
    return parts.length === segments.length &&
      parts.every((part, index) =>
        new RegExp(`^${part.replaceAll(".", "\\.").replaceAll(/\{[^}]+\}/g, "(.+)")}$`).test(segments[index] ?? "")
      );
  });
  return fits.sort((a, b) => {
    const [left, right] = [ranksOf(a), ranksOf(b)];
    const index = left.findIndex((rank, index) => rank !== right[index]);
    return index === -1 ? 0 : (right[index] ?? 0) - (left[index] ?? 0);
  })[0];
}
