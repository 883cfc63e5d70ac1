import assert from "node:assert/strict";
import { createAdmissionHandler } from "../../../cmd/cluster/webhook_handler.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";
import type { ReviewOptions } from "../../../lib/management/admission_review.ts";
import { error } from "../../../lib/openapi/lint/report.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const EDGE = { namespace: "shop", name: "edge" };
const FLEET: KubernetesObject = {
  apiVersion: API_VERSION,
  kind: "Fleet",
  metadata: EDGE,
  spec: { default: true, service: {} },
};
const TODO = `openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {mocking: {enabled: true}}
paths:
  /todos:
    get: {responses: {"204": {description: None.}}}
`;

function object(kind: string, spec: object, name = "todo"): KubernetesObject {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace: "shop" }, spec };
}

async function ask(object: unknown, options: Partial<ReviewOptions> = {}): Promise<Record<string, unknown>> {
  const handler = createAdmissionHandler({
    gateway: { plansOf: () => [], oauth2: true },
    services: {},
    fleets: () => [FLEET],
    defaultFleet: () => EDGE,
    labelsOf: () => ({}),
    ...options,
  });
  const response = await handler(
    new Request("https://gw/validate?timeout=10s", {
      method: "POST",
      body: JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        request: { uid: "7", object },
      }),
    }),
  );
  assert.equal(response.status, 200);
  const { apiVersion, kind, response: { uid, ...answer } } = await response.json();
  assert.deepEqual({ apiVersion, kind, uid }, { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", uid: "7" });
  return answer;
}

async function planOf(name: string): Promise<RoutePlan> {
  return planRoutes({ namespace: "shop", name, fleet: EDGE, document: await parseDocument(TODO) });
}

Deno.test("the webhook allows objects that can be deployed", async (test) => {
  const cases: Record<string, unknown> = {
    "an API": object("API", { openapi: TODO }),
    "a static route": object("StaticRoute", { upstream: { service: { name: "web" } } }),
    "a fleet": object("Fleet", { service: {} }),
    "what isn't gw's": object("HTTPRoute", {}),
    "a deletion": null,
  };
  for (const [name, object] of Object.entries(cases)) {
    await test.step(name, async () => assert.deepEqual(await ask(object), { allowed: true, warnings: [] }));
  }
});

Deno.test("the webhook refuses with all errors, each with line and column", async () => {
  const openapi = TODO.replace("mocking: {enabled: true}", "mockin: {}").replace("/todos", "todos");
  const { allowed, status } = await ask(object("API", { openapi }));
  assert.equal(allowed, false);
  const { code, reason, message } = Object(status);
  assert.deepEqual({ code, reason }, { code: 422, reason: "Invalid" });
  assert.match(message, /^The definition can't be deployed\.\n/);
  assert.match(message, /^3:9: `x-svc` has no key `mockin`\. Did you mean `mocking`\?$/m);
  assert.match(message, /^5:3: .*todos/m);
});

Deno.test("the webhook lists twenty errors, and how many more there are", async () => {
  const openapi = TODO + Array.from({ length: 30 }, (_, index) => `  path${index}: {}\n`).join("");
  const { message } = Object((await ask(object("API", { openapi }))).status);
  assert.equal(message.split("\n").length, 22);
  assert.match(message, /\nThere are \d+ more\.$/);
});

Deno.test("the webhook refuses a route that another API has, but not the API's own", async () => {
  const gateway = { plansOf: () => [plan], oauth2: true };
  const plan = await planOf("users");
  const { status } = await ask(object("API", { openapi: TODO }), { gateway });
  assert.match(Object(status).message, /^GET \/todos is taken by the API shop\/users on the fleet shop\/edge\./);
  assert.equal((await ask(object("API", { openapi: TODO }, "users"), { gateway })).allowed, true);
});

Deno.test("the webhook doesn't count an API that the cluster has deleted in the meantime", async () => {
  const [deleted, present] = [await planOf("deleted"), await planOf("present")];
  const asked: string[] = [];
  const isCurrent = ({ name }: RoutePlan): Promise<boolean> => {
    asked.push(name);
    return Promise.resolve(name === "present");
  };
  const answerBeside = (plans: RoutePlan[]) =>
    ask(object("API", { openapi: TODO }), { gateway: { plansOf: () => plans, oauth2: true }, isCurrent });
  assert.equal((await answerBeside([deleted])).allowed, true);
  const { status } = await answerBeside([deleted, present]);
  assert.match(Object(status).message, /^GET \/todos is taken by the API shop\/present on the fleet shop\/edge\./);
  assert.deepEqual(asked, ["deleted", "deleted", "present"]);
});

Deno.test("a review looks up a bounded number of APIs", async () => {
  const plans = await Promise.all(Array.from({ length: 30 }, (_, index) => planOf(`deleted-${index}`)));
  let lookUps = 0;
  const { allowed } = await ask(object("API", { openapi: TODO }), {
    gateway: { plansOf: () => plans, oauth2: true },
    isCurrent: () => Promise.resolve(++lookUps < 0),
  });
  assert.deepEqual({ allowed, lookUps }, { allowed: false, lookUps: 20 });
});

Deno.test("the webhook refuses settings that the gateway doesn't support", async () => {
  const gateway: ReviewOptions["gateway"] = {
    plansOf: () => [],
    refusalsOf: ({ document }) => [error("not-in-cluster", "This can't be expressed.", document.root)],
  };
  const { status } = await ask(object("API", { openapi: TODO }), { gateway });
  assert.match(Object(status).message, /^1:1: This can't be expressed\.$/m);
});

Deno.test("the webhook refuses a text that can't be unpacked", async () => {
  const { status } = await ask(object("API", { openapiGzip: "H4sIAAAA" }));
  assert.match(Object(status).message, /^spec\.openapiGzip can't be read\. It is not gzip/);
});

Deno.test("the webhook warns", async (test) => {
  const other: KubernetesObject = { ...FLEET, metadata: { name: "other", namespace: "shop" } };
  const cases: { name: string; object: KubernetesObject; options?: Partial<ReviewOptions>; want: RegExp }[] = [
    {
      name: "of a fleet that isn't there",
      object: object("API", { openapi: TODO, fleet: { name: "none" } }),
      want: /^There is no fleet shop\/none yet/,
    },
    {
      name: "of a second default fleet",
      object: object("Fleet", { default: true, service: {} }, "edge"),
      options: { fleets: () => [FLEET, other] },
      want: /^The fleet shop\/other is the default already/,
    },
    {
      name: "of a service that isn't there",
      object: object("StaticRoute", { upstream: { service: { name: "web" } } }),
      options: { services: { resolves: () => false } },
      want: /^The upstream service shop\/web:80 is not known\.$/,
    },
    {
      name: "of an operation that can't be mocked",
      object: object("API", { openapi: TODO.replace("204", "404") }),
      want: /^6:/,
    },
  ];
  for (const { name, object, options, want } of cases) {
    await test.step(name, async () => {
      const { allowed, warnings } = await ask(object, options);
      assert.equal(allowed, true);
      assert.match(String(Object(warnings)[0]), want);
    });
  }
});

Deno.test("the webhook answers malformed requests with problems", async (test) => {
  const handler = createAdmissionHandler({
    gateway: { plansOf: () => [] },
    services: {},
    fleets: () => [],
    labelsOf: () => undefined,
    defaultFleet: () => EDGE,
  });
  const cases: { path?: string; method?: string; body?: string; want: number }[] = [
    { path: "/", want: 404 },
    { method: "GET", want: 405 },
    { method: "POST", body: "x", want: 400 },
    { method: "POST", body: "{}", want: 400 },
    { method: "POST", body: '{"kind": "AdmissionReview", "request": {"object": {}}}', want: 400 },
    { method: "POST", body: " ".repeat(9 * 1024 * 1024), want: 413 },
  ];
  for (const { path = "/validate", method = "POST", body, want } of cases) {
    await test.step(`${method} ${path} ${body?.slice(0, 60).trim() ?? ""}`, async () => {
      const init = body === undefined ? { method } : { method, body };
      assert.equal((await handler(new Request(`https://gw${path}`, init))).status, want);
    });
  }
});

Deno.test("the webhook refuses namespaces that a fleet doesn't admit, and allows those whose labels aren't known yet", async (test) => {
  const selector = { matchLabels: { team: "a" } };
  const cases: {
    name: string;
    allowedNamespaces?: object;
    labels: Record<string, string> | undefined;
    want: boolean;
  }[] = [
    { name: "nothing said", labels: {}, want: true },
    { name: "Same", allowedNamespaces: { from: "Same" }, labels: {}, want: false },
    { name: "selected", allowedNamespaces: { from: "Selector", selector }, labels: { team: "a" }, want: true },
    { name: "not selected", allowedNamespaces: { from: "Selector", selector }, labels: { team: "b" }, want: false },
    { name: "a namespace so new", allowedNamespaces: { from: "Selector", selector }, labels: undefined, want: true },
  ];
  for (const { name, allowedNamespaces, labels, want } of cases) {
    const fleet = { ...FLEET, metadata: { namespace: "edge", name: "edge" }, spec: { service: {}, allowedNamespaces } };
    const spec = { fleet: { namespace: "edge", name: "edge" } };
    const upstream = { upstream: { service: { name: "web" } } };
    for (const wanted of [object("API", { ...spec, openapi: TODO }), object("StaticRoute", { ...spec, ...upstream })]) {
      await test.step(`${name}, ${wanted.kind}`, async () => {
        const { allowed, status } = await ask(wanted, { fleets: () => [fleet], labelsOf: () => labels });
        assert.equal(allowed, want);
        if (want) return;
        const { code, reason, message } = Object(status);
        assert.deepEqual({ code, reason }, { code: 403, reason: "Forbidden" });
        assert.match(message, /^The fleet edge\/edge doesn't admit the namespace shop: /);
      });
    }
  }
});

Deno.test("the webhook warns of APIs that a fleet will serve no longer", async () => {
  const plans = [await planOf("todo")];
  const fleet = { ...object("Fleet", { service: {}, allowedNamespaces: { from: "Same" } }, "edge") };
  const elsewhere = { ...fleet, metadata: { namespace: "edge", name: "edge" } };
  const gateway = { plansOf: () => plans };
  assert.deepEqual((await ask(fleet, { gateway }))["warnings"], []);
  const { allowed, warnings } = await ask(elsewhere, { gateway });
  assert.equal(allowed, true);
  assert.match(String(warnings), /^The API shop\/todo is served no longer: spec\.allowedNamespaces doesn't admit/);
});

Deno.test("the webhook answers with texts of a definition as one line without control characters", async () => {
  const controls = "\u202e\u2066\u0085\u2028\u001b[31m";
  const definition = (info: string, key: string): string =>
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: info, version: "1" },
      "x-svc": { mocking: { enabled: true }, [key]: {} },
      paths: { "/todos": { get: { operationId: info, responses: {} } } },
    });
  for (const [title, key] of [[`a${controls}\nFORGED`, "x-y"], ["a", `mockin${controls}\nFORGED`]] as const) {
    const { status, warnings = [] } = await ask(object("API", { openapi: definition(title, key) }));
    const texts = [String(Object(status).message ?? ""), ...(Array.isArray(warnings) ? warnings.map(String) : [])];
    assert.notDeepEqual(texts, [""]);
    for (const text of texts) {
      assert.doesNotMatch(text, /[^\P{Cc}\n]|[\u2028\u202e\u2066]/u);
      assert.doesNotMatch(text, /^FORGED/m);
    }
  }
});
