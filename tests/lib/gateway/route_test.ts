import assert from "node:assert/strict";
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";
import { findConflict, type PlannedRoute, showPath } from "../../../lib/gateway/route.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { definition, plan, planStatic } from "./embedded/fleet.ts";

/** A route as text: `GET /pets upstream`. */
function show({ method, path, action }: PlannedRoute): string {
  return `${method} ${showPath(path)} ${action.kind}`;
}

const OK = 'responses: {"200": {description: Fine.}}';
const UPSTREAM = "upstream: {host: {hostname: pets.example}}";

const cases: { name: string; settings: string; paths: string; want: string[] }[] = [
  {
    name: "an upstream for all operations",
    settings: `{${UPSTREAM}}`,
    paths: `/pets: {get: {${OK}}, post: {${OK}}}`,
    want: ["GET /pets upstream", "POST /pets upstream"],
  },
  {
    name: "the innermost mocking setting wins",
    settings: `{${UPSTREAM}, mocking: {enabled: true}}`,
    paths: `/pets: {x-svc: {mocking: {enabled: false}}, get: {${OK}}, put: {${OK}, x-svc: {mocking: {enabled: true}}}}`,
    want: ["GET /pets upstream", "PUT /pets mock"],
  },
  {
    name: "disabled before redirect before mock before upstream",
    settings: "{redirect: {host: other.example}, mocking: {enabled: true}}",
    paths: `/pets: {get: {${OK}, x-svc: {disabled: true}}, put: {${OK}}, post: {${OK}, x-svc: {${UPSTREAM}}}}`,
    want: ["GET /pets disabled", "PUT /pets redirect", "POST /pets mock"],
  },
  {
    name: "no exact 2xx response: to the upstream",
    settings: `{${UPSTREAM}, mocking: {enabled: true}}`,
    paths: "/pets: {get: {responses: {default: {description: All.}}}}",
    want: ["GET /pets upstream"],
  },
  {
    name: "no exact 2xx response and no upstream: the mock says why",
    settings: "{mocking: {enabled: true}}",
    paths: "/pets: {get: {responses: {default: {description: All.}}}}",
    want: ["GET /pets mock"],
  },
  {
    name: "prefixes of the definition and of a path",
    settings: `{${UPSTREAM}, path: {prefix: /v1/}}`,
    paths: `/pets: {get: {${OK}}}\n  /{x}: {x-svc: {path: {prefix: /v2}}, get: {${OK}}}`,
    want: ["GET /v1/pets upstream", "GET /v2/{x} upstream"],
  },
  {
    name: "the definition itself",
    settings: `{${UPSTREAM}, public_api_path: /openapi.json}`,
    paths: `/pets: {get: {${OK}}}`,
    want: ["GET /pets upstream", "GET /openapi.json definition"],
  },
  {
    name: "the template of a path with conditions",
    settings: `{${UPSTREAM}, path: {prefix: /v1}}`,
    paths: `"/?Action=A": {get: {${OK}}}`,
    want: ["GET /v1/ upstream"],
  },
];

Deno.test("planRoutes() plans the action of each operation", async (t) => {
  for (const { name, settings, paths, want } of cases) {
    await t.step(name, async () => {
      assert.deepEqual((await plan(definition(settings, paths))).routes.map(show), want);
    });
  }
});

Deno.test("planRoutes() takes hosts in lower case, each once", async () => {
  const { hosts } = await plan(definition("{hosts: [API.example.com, api.example.com., '*.Example.com']}"));
  assert.deepEqual(hosts, ["api.example.com", "*.example.com"]);
});

Deno.test("planRoutes() weighs upstreams; one alone takes everything", async () => {
  const [only] = (await plan(definition(`{${UPSTREAM}}`))).routes;
  assert.deepEqual(only?.action, {
    kind: "upstream",
    upstreams: [{ host: { hostname: "pets.example" }, weight: 100 }],
  });
});

Deno.test("planRoutes() plans the valid parts of a broken definition", async () => {
  const document = await parseDocument("openapi: 3.1.0\nx-svc: 7\npaths: {/pets: {get: {x-svc: {disabled: true}}}}");
  const fleet = { namespace: "default", name: "default" };
  const { routes, hosts } = planRoutes({ namespace: "default", name: "a", fleet, document });
  assert.deepEqual([routes.map(show), hosts], [["GET /pets disabled"], ["*"]]);
});

Deno.test("planStaticRoute() takes every method and everything below its prefix", async () => {
  const everything = await planStatic(`{${UPSTREAM}, hosts: [files.example]}`);
  assert.deepEqual(everything.routes.map(show), ["* /* upstream"]);
  assert.deepEqual(everything.hosts, ["files.example"]);
  assert.deepEqual((await planStatic(`{${UPSTREAM}, path: {prefix: /files/}}`)).routes.map(show), [
    "* /files/* upstream",
  ]);
});

const conflicts: { name: string; a: string; b: string; want: string | undefined }[] = [
  { name: "the same path", a: definition("{}"), b: definition("{}"), want: "/pets" },
  {
    name: "the same template with another name",
    a: definition("{}", `/pets/{a}: {get: {${OK}}}`),
    b: definition("{}", `/pets/{b}: {get: {${OK}}}`),
    want: "/pets/{a}",
  },
  {
    name: "the same path by a prefix",
    a: definition("{}", `/v1/pets: {get: {${OK}}}`),
    b: definition("{path: {prefix: /v1}}"),
    want: "/v1/pets",
  },
  { name: "other prefixes", a: definition("{path: {prefix: /a}}"), b: definition("{}"), want: undefined },
  {
    name: "a template beside a path that it would fit",
    a: definition("{}", `/{kind}: {get: {${OK}}}`),
    b: definition("{}"),
    want: undefined,
  },
  {
    name: "another method",
    a: definition("{}", `/pets: {put: {${OK}}}`),
    b: definition("{}"),
    want: undefined,
  },
  {
    name: "other hosts",
    a: definition("{hosts: [a.example]}"),
    b: definition("{hosts: [b.example]}"),
    want: undefined,
  },
  {
    name: "a host in common",
    a: definition("{hosts: [a.example, b.example]}"),
    b: definition("{hosts: [b.example]}"),
    want: "/pets",
  },
  { name: "a host beside any host", a: definition("{hosts: [a.example]}"), b: definition("{}"), want: undefined },
  {
    name: "the same path of the public definition",
    a: definition("{public_api_path: /api}", `/a: {get: {${OK}}}`),
    b: definition("{public_api_path: /api}", `/b: {get: {${OK}}}`),
    want: "/api",
  },
  {
    name: "the same conditions in another order",
    a: definition("{}", `/pets?a=1&b=2: {get: {${OK}}}`),
    b: definition("{}", `/pets?b=2&a=1: {get: {${OK}}}`),
    want: "/pets",
  },
  {
    name: "paths that differ by a label alone",
    a: definition("{}", `"/pets#one": {get: {${OK}}}`),
    b: definition("{}", `"/pets#two": {get: {${OK}}}`),
    want: "/pets",
  },
  {
    name: "other conditions of one path",
    a: definition("{}", `/pets?a=1: {get: {${OK}}}`),
    b: definition("{}", `/pets?a=2: {get: {${OK}}}\n  "/pets#X-Kind=cat": {get: {${OK}}}`),
    want: undefined,
  },
  {
    name: "a path with conditions beside one without",
    a: definition("{}", `/pets?a=1: {get: {${OK}}}`),
    b: definition("{}"),
    want: undefined,
  },
];

Deno.test("findConflict() finds the same host, method and template in two plans", async (t) => {
  for (const { name, a, b, want } of conflicts) {
    await t.step(name, async () => {
      const other = await plan(b, "other");
      const conflict = findConflict(await plan(a), [other]);
      assert.equal(conflict && showPath(conflict.route.path), want);
      assert.equal(conflict?.other, want === undefined ? undefined : other);
    });
  }
  await t.step("a plan and what it replaces", async () => {
    assert.equal(findConflict(await plan(definition("{}")), [await plan(definition("{}"))]), undefined);
  });
  await t.step("two static routes", async () => {
    const other = await planStatic(`{${UPSTREAM}}`, "other");
    assert.equal(findConflict(await planStatic(`{${UPSTREAM}}`), [other])?.other, other);
  });
  await t.step("a static route beside an API", async () => {
    assert.equal(findConflict(await planStatic(`{${UPSTREAM}}`), [await plan(definition("{}"))]), undefined);
  });
});
