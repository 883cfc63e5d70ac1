import assert from "node:assert/strict";
import fc from "fast-check";
import { createRouter, type Route } from "../../../../lib/mock/route/router.ts";
import type { Requirements } from "../../../../lib/openapi/operation_conditions.ts";
import { compareConditions, readPathConditions } from "../../../../lib/openapi/path_condition.ts";
import { areFulfilled } from "../../../../lib/openapi/request_facts.ts";
import { runs } from "../../../runs.ts";

const ROUTES: Route[] = [
  "GET /agents",
  "GET /agents?beta=true",
  "POST /agents?beta=true",
  "GET /agents/{id}?beta=true",
  "GET /agents/{id}",
  "GET /agents/{id}?beta=true&full",
  "GET /agents/{name}?alpha",
  "DELETE /agents/{id}?beta=true",
  "GET /agents/me?beta=true",
  "POST /#X-Amz-Target=A.List",
  "POST /#X-Amz-Target=A.Get",
  "POST /#X-Amz-Target=",
  "POST /?Action=CreateUser",
  "POST /?Action=Create+User",
  "POST /?Action=DeleteUser&Version=1",
  "POST /?Action=DeleteUser&Version=2",
  "GET /labels#one",
  "GET /labels#two",
  "GET /users?name={user}",
  "GET /both?q=1#X-A=1",
  "GET /both?q=1",
  "GET /both#X-A=1",
  "GET /caf%C3%A9?x",
].map((line) => {
  const [method = "", ...path] = line.split(" ");
  return { method, path: path.join(" ") };
});

const CASES: readonly (readonly [request: string, headers: Record<string, string>, want: string])[] = [
  ["GET /agents", {}, "GET /agents"],
  ["GET /agents?beta=true", {}, "GET /agents?beta=true"],
  ["HEAD /agents?beta=true", {}, "GET /agents?beta=true"],
  ["GET /agents?beta=false", {}, "GET /agents"],
  ["GET /agents?x=1&bet%61=tru%65", {}, "GET /agents?beta=true"],
  ["POST /agents?beta=true", {}, "POST /agents?beta=true"],
  ["POST /agents", {}, "method-not-allowed GET"],
  ["PUT /agents?beta=true", {}, "method-not-allowed GET POST"],
  ["OPTIONS /agents?beta=true", {}, "method-not-allowed GET POST"],
  ["OPTIONS /agents", {}, "method-not-allowed GET"],
  ["GET /agents/7", {}, "GET /agents/{id} id=7"],
  ["GET /agents/7?beta=true", {}, "GET /agents/{id}?beta=true id=7"],
  ["GET /agents/7?beta=true&full=", {}, "GET /agents/{id}?beta=true&full id=7"],
  ["GET /agents/7?full", {}, "GET /agents/{id} id=7"],
  ["GET /agents/7?alpha", {}, "GET /agents/{name}?alpha name=7"],
  ["GET /agents/7?alpha&beta=true", {}, "GET /agents/{id}?beta=true id=7"],
  ["DELETE /agents/7", {}, "method-not-allowed GET"],
  // `/agents/me` has precedence over `/agents/{name}` only if the conditions of its path key hold.
  ["GET /agents/me?beta=true", {}, "GET /agents/me?beta=true"],
  ["GET /agents/me", {}, "GET /agents/{id} id=me"],
  ["POST /", { "x-amz-target": "A.Get" }, "POST /#X-Amz-Target=A.Get"],
  ["POST /", { "x-amz-target": "a.get" }, "not-found 7"],
  ["POST /", { "x-amz-target": "" }, "POST /#X-Amz-Target="],
  ["POST /", {}, "not-found 7"],
  ["OPTIONS /", {}, "method-not-allowed POST"],
  ["POST /?Action=CreateUser", {}, "POST /?Action=CreateUser"],
  ["POST /?Action=Create%20User", {}, "POST /?Action=Create+User"],
  ["POST /?Action=DeleteUser&Version=2", {}, "POST /?Action=DeleteUser&Version=2"],
  ["POST /?Action=DeleteUser", {}, "not-found 7"],
  ["POST /?Action=CreateUser", { "x-amz-target": "A.Get" }, "POST /#X-Amz-Target=A.Get"],
  ["GET /labels", {}, "GET /labels#one"],
  ["GET /users?name=a+b", {}, "GET /users?name={user} user=a b"],
  ["GET /users", {}, "not-found 1"],
  ["GET /both?q=1", { "x-a": "1" }, "GET /both?q=1#X-A=1"],
  ["GET /both?q=1", { "x-a": "2" }, "GET /both?q=1"],
  ["GET /both?q=2", { "x-a": "1" }, "GET /both#X-A=1"],
  ["GET /both", {}, "not-found 3"],
  ["GET /caf%c3%a9?x", {}, "GET /caf%C3%A9?x"],
];

const router = createRouter(ROUTES);

for (const [line, headers, want] of CASES) {
  Deno.test(`${line} ${JSON.stringify(headers)} matches ${want}`, () => {
    assert.equal(ask(router, line, headers), want);
  });
}

function ask(
  { match }: ReturnType<typeof createRouter<Route>>,
  line: string,
  headers: Record<string, string> = {},
): string {
  const [method = "", target = ""] = line.split(" ");
  const request = new Request(`http://localhost${target}`, { headers });
  const result = match(method, target.split("?")[0] ?? "", request);
  if (result.kind === "method-not-allowed") return `${result.kind} ${result.allowed.join(" ")}`;
  if (result.kind === "not-found") return `not-found${result.unmet === undefined ? "" : ` ${result.unmet.length}`}`;
  const parameters = Object.entries(result.parameters).map(([name, value]) => ` ${name}=${value}`);
  return `${result.route.method} ${result.route.path}${parameters.join("")}`;
}

Deno.test("conditions count as fulfilled without a request", () => {
  assert.equal(router.match("DELETE", "/agents/7").kind, "found");
  assert.equal(router.match("POST", "/").kind, "found");
});

Deno.test("conditions on headers count as fulfilled where the headers aren't known", () => {
  const match = router.match("POST", "/", { url: "http://localhost/", headers: undefined });
  assert.equal(match.kind === "found" && match.route.path, "/#X-Amz-Target=A.List");
});

Deno.test("path keys with conditions match below base paths", () => {
  const based = createRouter([{ method: "GET", path: "/a?b" }, { method: "GET", path: "/a" }], () => ["/v1"]);
  assert.equal(ask(based, "GET /v1/a?b"), "GET /a?b");
  assert.equal(ask(based, "GET /v1/a"), "GET /a");
});

Deno.test("a route for all methods wins if it has more conditions than the matching route of the method", () => {
  const hiding = createRouter([
    { method: "GET", path: "/a" },
    { method: "GET", path: "/a?b&c" },
    { method: "*", path: "/a?b" },
    { method: "*", path: "/a" },
  ]);
  assert.equal(ask(hiding, "GET /a"), "GET /a");
  assert.equal(ask(hiding, "GET /a?b"), "* /a?b");
  assert.equal(ask(hiding, "GET /a?b&c"), "GET /a?b&c");
  assert.equal(ask(hiding, "PUT /a?b&c"), "* /a?b");
  assert.equal(ask(hiding, "PUT /a"), "* /a");
});

/**
 * Path keys that differ only in labels, with the required parameters of their operations: `X-…` are headers, others are
 * queries.
 */
const LABELLED: readonly (readonly [key: string, required: string, mediaTypes?: readonly string[]])[] = [
  ["/bucket", ""],
  ["/bucket#lifecycle", "lifecycle"],
  ["/bucket#list-type=2", "list-type=2"],
  ["/bucket#list-type=2&x-account", "list-type=2 X-Account"],
  ["/actions#Action=Create", "Action=Create Name"],
  ["/actions#Action=Delete", "Action=Delete Name"],
  ["/required#one", "a"],
  ["/required#two", "b"],
  ["/images", ""],
  ["/images#url", "", ["application/json"]],
  ["/images#stream", "", ["image/*"]],
  ["/beta?beta=true#a", "a"],
  ["/beta?beta=true#b", "b"],
];

const LABEL_CASES: readonly (readonly [target: string, headers: Record<string, string>, want: string])[] = [
  ["/bucket", {}, "/bucket"],
  ["/bucket?lifecycle", {}, "/bucket#lifecycle"],
  ["/bucket?list-type=1", {}, "/bucket"],
  ["/bucket?list-type=2", {}, "/bucket#list-type=2"],
  ["/bucket?list-type=2", { "x-account": "" }, "/bucket#list-type=2&x-account"],
  ["/actions?Action=Delete&Name=a", {}, "/actions#Action=Delete"],
  ["/actions?Action=Delete", {}, "/actions#Action=Delete"],
  ["/actions?Action=Other", {}, "/actions#Action=Create"],
  ["/actions", {}, "/actions#Action=Create"],
  ["/required?b", {}, "/required#two"],
  ["/required?a&b", {}, "/required#one"],
  ["/required", {}, "/required#one"],
  ["/images", {}, "/images"],
  ["/images", { "content-type": "image/png" }, "/images#stream"],
  ["/images", { "content-type": "Application/JSON; charset=utf-8" }, "/images#url"],
  ["/images", { "content-type": "text/plain" }, "/images"],
  ["/beta?beta=true&b", {}, "/beta?beta=true#b"],
  ["/beta?beta=true", {}, "/beta?beta=true#a"],
];

const labelled = createRouter(
  LABELLED.map(([path, required, mediaTypes = []]) => {
    const conditions = readPathConditions(path, (name) => name === "list-type" ? "query" : undefined);
    return { method: "POST", path, conditions, required, mediaTypes };
  }),
  () => [],
  ({ required, mediaTypes }): Requirements => {
    const parameters = required.split(" ").filter((one) => one !== "").map((one) => {
      const [name = "", value] = one.split("=");
      const location = name.startsWith("X-") ? "header" as const : "query" as const;
      return value === undefined ? { in: location, name } : { in: location, name, value };
    });
    return { parameters, mediaTypes };
  },
);

for (const [target, headers, want] of LABEL_CASES) {
  Deno.test(`POST ${target} ${JSON.stringify(headers)} matches ${want} by required parameters`, () => {
    const request = new Request(`http://localhost${target}`, { method: "POST", headers });
    const match = labelled.match("POST", target.split("?")[0] ?? "", request);
    assert.equal(match.kind === "found" && match.route.path, want);
  });
}

Deno.test("match() reads few headers and queries among thousands of path keys", () => {
  const names = Array.from({ length: 3000 }, (_, index) => `Action${index}`);
  const many = createRouter([
    ...names.map((name) => ({ method: "POST", path: `/#X-Target=${name}` })),
    ...names.map((name) => ({ method: "POST", path: `/?Action=${name}&Version=1` })),
  ]);
  let asked = 0;
  const headers = new Headers({ "x-target": "Action2999" });
  const counting = {
    url: "http://localhost/?Action=Action7&Version=1",
    headers: { keys: () => headers.keys(), get: (name: string) => (asked++, headers.get(name)) },
  };
  const match = many.match("POST", "/", counting);
  assert.equal(match.kind === "found" && match.route.path, "/?Action=Action7&Version=1");
  assert.ok(asked < 5, `${asked} headers were asked for`);
});

/** Random conditions with few names and values, so that several path keys often share one. */
const CONDITION = fc.constantFrom("a", "a=1", "a=2", "b=1", "b=", "c", "X-A=1", "X-A=2", "X-B=");

Deno.test("match() agrees with a search through all path keys for the first with the most conditions", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.uniqueArray(CONDITION, { maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      fc.uniqueArray(CONDITION, { maxLength: 6 }),
      (keys, has) => {
        const paths = keys.map(pathOf);
        const [query, headers] = [has.filter((one) => !isHeader(one)), has.filter(isHeader)];
        const request = new Request(`http://localhost/p?${query.join("&")}`);
        for (const header of headers) request.headers.set(...partsOf(header));
        const fulfilled = paths.map((path) => ({ path, conditions: readPathConditions(path) }))
          .filter(({ conditions }) => conditions === undefined || areFulfilled(conditions, request))
          .sort((one, other) => compareConditions(one.conditions, other.conditions));
        const match = createRouter(paths.map((path) => ({ method: "GET", path }))).match("GET", "/p", request);
        assert.equal(match.kind === "found" ? match.route.path : undefined, fulfilled[0]?.path);
      },
    ),
    runs(500),
  );
});

function pathOf(conditions: readonly string[]): string {
  const queries = conditions.filter((one) => !isHeader(one)).join("&");
  const headers = conditions.filter(isHeader).join("&");
  return `/p${queries === "" ? "" : `?${queries}`}${headers === "" ? "" : `#${headers}`}`;
}

function isHeader(condition: string): boolean {
  return condition.startsWith("X-");
}

function partsOf(condition: string): [name: string, value: string] {
  const [name = "", value = ""] = condition.split("=");
  return [name, value];
}

Deno.test("the media type of a body is parsed once, however many path keys are compared", () => {
  const routes = Array.from({ length: 50 }, (_, index) => ({ method: "POST", path: `/x#label${index}` }));
  const { match } = createRouter(routes, () => [], ({ path }) => ({ parameters: [], mediaTypes: [`text/${path}`] }));
  for (const contentType of ["image/png", "none", ""]) {
    let reads = 0;
    const headers = { get: () => (reads++, contentType), keys: () => ["content-type"].values() };
    assert.equal(match("POST", "/x", { url: "http://localhost/x", headers }).kind, "found");
    assert.equal(reads, 1, contentType);
  }
});
