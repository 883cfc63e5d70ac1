import assert from "node:assert/strict";
import type { Store } from "../../../lib/management/store.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import { definition, type Reply, serve, type Server, type ServerOptions } from "./server.ts";

/**
 * Declares the tests of the management API. It must pass them with every store.
 *
 * @param name The prefix of the tests' names.
 * @param open Calls the test with an empty store, and cleans up afterwards.
 */
export function testManagementApi(name: string, open: (test: (store: Store) => Promise<void>) => Promise<void>): void {
  for (const [behaviour, test] of Object.entries(CASES)) {
    Deno.test(`${name} ${behaviour}`, () => open((store) => test((options = {}) => serve({ store, ...options }))));
  }
}

type Serve = (options?: ServerOptions) => Promise<Server>;

const TODO = { name: "todo", openapi: definition() };
const UPSTREAM = "{upstream: {service: {name: web, port: 8080}}}";
const REST = { name: "rest", openapi: definition({ xSvc: UPSTREAM, path: "/" }).replace(/paths:[^]*/, "paths: {}\n") };
const SHOP_ONLY = { from: "Selector", selector: { matchLabels: { "kubernetes.io/metadata.name": "shop" } } };
const EDGE = { name: "edge", namespace: "shop", serviceType: "ClusterIP", ports: [{ port: 8081 }] };
const TODO_SHAPE = {
  name: "todo",
  namespace: "default",
  fleet: { name: "default", namespace: "default" },
  service: { name: "", namespace: "" },
  version: "1.0.0",
  externalurl: "",
};
const REST_SHAPE = {
  name: "rest",
  namespace: "default",
  proxyFleetName: "default",
  proxyFleetNamespace: "default",
};

const CASES: Readonly<Record<string, (serve: Serve) => Promise<void>>> = {
  "is empty at first": async (serve) => {
    const { ask } = await serve({ hasFleet: false });
    for (const path of ["/apis", "/fleets", "/services", "/staticroutes", "/namespaces"]) {
      assert.equal((await ask(`GET ${path}`)).text, "[]");
    }
  },

  "deploys an API, shows it, and takes it off": async (serve) => {
    const { ask, plans } = await serve();
    const created = await ask("POST /apis", TODO);
    assert.equal(created.status, 201, created.text);
    assert.deepEqual(created.body, TODO_SHAPE);
    assert.equal(created.headers.get("location"), "/apis/default/todo");
    assert.deepEqual(plans(), ["api default/todo"]);
    const read = await ask("GET /apis/default/todo");
    assert.deepEqual(read.body, TODO_SHAPE);
    assert.equal(read.headers.get("etag"), created.headers.get("etag"));
    assert.deepEqual((await ask("GET /apis")).body, [TODO_SHAPE]);
    const deleted = await ask("DELETE /apis/default/todo");
    assert.equal(deleted.status, 204);
    assert.equal((await ask("GET /apis/default/todo")).status, 404);
    assert.deepEqual(plans(), []);
  },

  "replaces an API": async (serve) => {
    const { ask, plans } = await serve();
    const created = await ask("POST /apis", TODO);
    const replaced = await ask("PUT /apis/default/todo", { openapi: definition({ version: "2.0.0", path: "/tasks" }) });
    assert.equal(replaced.status, 201, replaced.text);
    assert.deepEqual(replaced.body, { ...TODO_SHAPE, version: "2.0.0" });
    assert.notEqual(replaced.headers.get("etag"), created.headers.get("etag"));
    assert.match((await ask("GET /apis/default/todo/definition")).text, /tasks/);
    assert.deepEqual(plans(), ["api default/todo"]);
  },

  "changes nothing if the same definition is deployed again": async (serve) => {
    const { ask, store } = await serve();
    await ask("POST /fleets", { ...EDGE, name: "edge", namespace: "default" });
    const deployments = [
      { path: "/apis", content: TODO },
      { path: "/staticroutes", content: REST },
    ];
    for (const { path, content: { name, openapi } } of deployments) {
      const url = `${path}/default/${name}`;
      const etag = (await ask(`POST ${path}`, { name, openapi })).headers.get("etag") ?? "";
      const { revision } = store;
      const whole = (await ask(`GET ${url}/crd`)).text;
      const again = await ask(`PUT ${url}`, { openapi });
      assert.deepEqual([again.status, again.headers.get("etag")], [201, etag]);
      assert.equal((await ask(`PUT ${url}`, { openapi }, { "if-match": etag })).status, 201);
      assert.equal((await ask(`PUT ${url}`, { openapi }, { "if-match": '"other"' })).status, 412);
      assert.equal((await ask(`PUT ${url}?dryRun=true`, { openapi })).status, 201);
      assert.deepEqual([store.revision, (await ask(`GET ${url}/crd`)).text], [revision, whole]);
      const moved = await ask(`PUT ${url}`, { openapi, proxyFleetName: "edge" });
      assert.notEqual(moved.headers.get("etag"), etag);
      const commented = await ask(`PUT ${url}`, { openapi: `# A comment.\n${openapi}`, proxyFleetName: "edge" });
      assert.notEqual(commented.headers.get("etag"), moved.headers.get("etag"));
    }
  },

  "keeps a definition that newer rules refuse when it is deployed again": async (serve) => {
    const { ask, store } = await serve();
    const summary = { version: "", service: { name: "", namespace: "" }, analysisUrl: "", upstreams: [] };
    const openapi = definition({
      xSvc: "{mocking: {enabled: true}, rate_limit: {requests_per_unit: 5000000000, unit: hour}}",
    });
    const spec = { fleet: { name: "default", namespace: "default" }, openapi, summary };
    await store.apply([{ kind: "create", resource: { kind: "api", namespace: "default", name: "old", spec } }]);
    await ask("POST /apis", TODO).then(() => ask("DELETE /apis/default/todo"));
    const { etag } = Object.fromEntries((await ask("GET /apis/default/old")).headers);
    const again = await ask("PUT /apis/default/old", { openapi });
    assert.deepEqual([again.status, again.headers.get("etag")], [201, etag]);
    assert.match(again.headers.get("warning") ?? "", /requests_per_unit.*stays in force/);
    assert.equal((await ask("PUT /apis/default/old", { openapi: `# New.\n${openapi}` })).status, 400);
  },

  "keeps the source of a name": async (serve) => {
    const { ask } = await serve();
    const sourceOf = async (): Promise<string | null> =>
      (await ask("GET /apis/default/todo")).headers.get("x-gw-source");
    await ask("POST /apis", TODO, { "x-gw-source": "todo%20%C3%A4" });
    assert.equal(await sourceOf(), "todo%20%C3%A4");
    await ask("PUT /apis/default/todo", { openapi: definition({ version: "2" }) });
    assert.equal(await sourceOf(), "todo%20%C3%A4");
    for (const [written, want] of [["other", "other"], ["%", "other"], ["a".repeat(2001), "other"]] as const) {
      await ask("PUT /apis/default/todo", { openapi: definition({ version: written.slice(0, 9) }) }, {
        "x-gw-source": written,
      });
      assert.equal(await sourceOf(), want);
    }
  },

  "accepts a fleet as it was read": async (serve) => {
    const { ask, store } = await serve();
    await ask("POST /fleets", { ...EDGE, status: "unavailable", allowedNamespaces: SHOP_ONLY });
    const before = await ask("GET /fleets/shop/edge");
    const { revision } = store;
    const again = await ask("PUT /fleets/shop/edge", before.body);
    assert.deepEqual([again.status, again.text], [200, before.text]);
    assert.equal(again.headers.get("etag"), before.headers.get("etag"));
    assert.match(again.headers.get("warning") ?? "", /apis, services, staticRoutes: ignored/);
    assert.equal(store.revision, revision);
    const [service] = listed(member(before.body, "services"));
    const sent = { ...Object(service), name: "edge", namespace: "shop" };
    assert.equal((await ask("PUT /fleets/shop/edge", sent)).text, before.text);
    const more = { ports: [{ port: 8081 }, { port: 8082 }] };
    const changed = await ask("PUT /fleets/shop/edge", { ...Object(before.body), ...more });
    assert.equal(listed(member(listed(member(changed.body, "services"))[0], "ports")).length, 2);
    for (const [field, value] of [["status", "maybe"], ["ports", []], ["serviceType", "NodePort"]] as const) {
      assert.equal((await ask("PUT /fleets/shop/edge", { [field]: value })).status, 400, field);
    }
  },

  "refuses protocols and target ports that a fleet can't have": async (serve) => {
    const { ask } = await serve({
      services: {
        status: () => "available",
        servicesOf: ({ namespace, name }) =>
          name !== "edge" ? [] : [{
            name: "envoy-edge",
            namespace,
            status: "available",
            serviceType: "ClusterIP",
            ports: [{ name: "http", nodePort: 0, port: 8081, protocol: "TCP", targetPort: "http-8081" }],
          }],
      },
    });
    await ask("POST /fleets", EDGE);
    const cases: [port: Record<string, unknown>, refusal: RegExp | undefined][] = [
      [{ protocol: "TCP" }, undefined],
      [{ protocol: "UDP" }, /`ports\.0\.protocol` must be TCP: fleets listen for HTTP/],
      [{ protocol: "tcp" }, /must be TCP/],
      [{ protocol: 6 }, /must be TCP/],
      [{ targetPort: "http-8081" }, undefined],
      [{ targetPort: "other" }, /shows no targetPort other/],
      [{ targetPort: "65536" }, /must be the number of a port/],
      [{ targetPort: "Http" }, /must be the number of a port/],
    ];
    for (const [port, refusal] of cases) {
      const reply = await ask("PUT /fleets/shop/edge", { ports: [{ port: 8081, ...port }] });
      assert.equal(reply.status, refusal === undefined ? 200 : 400, reply.text);
      if (refusal !== undefined) assert.match(String(member(reply.body, "detail")), refusal);
    }
    const unknown = await ask("POST /fleets", { ...EDGE, name: "new", ports: [{ port: 9, targetPort: "http-8081" }] });
    assert.equal(unknown.status, 400);
  },

  "warns of what a narrowed fleet no longer serves": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", EDGE);
    const onEdge = { proxyFleetName: "edge", proxyFleetNamespace: "shop" };
    await ask("POST /apis", { ...TODO, ...onEdge });
    await ask("POST /apis", { ...TODO, namespace: "shop", openapi: definition({ path: "/own" }), ...onEdge });
    await ask("POST /staticroutes", { ...REST, ...onEdge });
    const narrowed = await ask("PUT /fleets/shop/edge", { allowedNamespaces: { from: "Same" } });
    const warning = narrowed.headers.get("warning") ?? "";
    assert.match(warning, /no longer admits the API default\/todo.*static route default\/rest/);
    assert.doesNotMatch(warning, /shop\/todo/);
    const again = await ask("PUT /fleets/shop/edge", { allowedNamespaces: { from: "Same" }, ports: [{ port: 8085 }] });
    assert.equal(again.headers.get("warning"), null);
  },

  "gives the definition to the letter, and the whole resource": async (serve) => {
    const { ask } = await serve();
    const openapi = `# ä comment\r\n${definition()}`;
    await ask("POST /apis", { name: "yaml", openapi });
    const yaml = await ask("GET /apis/default/yaml/definition");
    assert.equal(yaml.text, openapi);
    assert.equal(yaml.headers.get("content-type"), "application/yaml");
    const json = '{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}';
    await ask("POST /apis", { name: "json", openapi: json });
    assert.equal((await ask("GET /apis/default/json/definition")).headers.get("content-type"), "application/json");
    const crd = await ask("GET /apis/default/yaml/crd");
    assert.equal(member(crd.body, "apiVersion"), "gateway.x-svc.io/v1alpha1");
    assert.equal(member(crd.body, "kind"), "API");
    assert.equal(member(member(crd.body, "spec"), "openapi"), openapi);
  },

  "makes, shows and ends a fleet": async (serve) => {
    const { ask } = await serve();
    const created = await ask("POST /fleets", EDGE);
    assert.equal(created.status, 200, created.text);
    const port = { name: "", nodePort: 0, port: 8081, protocol: "TCP", targetPort: "8081" };
    const service = { name: "edge", namespace: "shop", status: "available", serviceType: "ClusterIP", ports: [port] };
    const shape = { name: "edge", namespace: "shop", apis: [], services: [service], staticRoutes: [] };
    assert.deepEqual(created.body, shape);
    const read = await ask("GET /fleets/shop/edge");
    assert.deepEqual(read.body, shape);
    assert.equal(read.headers.get("etag"), created.headers.get("etag"));
    assert.deepEqual((await ask("GET /fleets?namespace=shop")).body, [shape]);
    assert.equal(member((await ask("GET /fleets/shop/edge/crd")).body, "kind"), "Fleet");
    assert.equal((await ask("DELETE /fleets/shop/edge")).status, 204);
    assert.equal((await ask("GET /fleets/shop/edge")).status, 404);
  },

  "replaces a fleet, and what it serves stays on it": async (serve) => {
    const { ask, plans } = await serve();
    await ask("POST /fleets", EDGE);
    await ask("POST /apis", { ...TODO, proxyFleetName: "edge", proxyFleetNamespace: "shop" });
    const before = await ask("GET /fleets/shop/edge");
    const service = { serviceType: "LoadBalancer", ports: [{ name: "http", port: 8082, targetPort: "9090" }] };
    const tried = await ask("PUT /fleets/shop/edge?dryRun=true", service);
    assert.equal(tried.status, 200, tried.text);
    assert.equal((await ask("GET /fleets/shop/edge")).text, before.text);
    const replaced = await ask("PUT /fleets/shop/edge", { ...EDGE, ...service });
    assert.equal(replaced.status, 200, replaced.text);
    const port = { name: "http", nodePort: 0, port: 8082, protocol: "TCP", targetPort: "9090" };
    assert.deepEqual(replaced.body, {
      name: "edge",
      namespace: "shop",
      apis: [{ name: "todo", namespace: "default" }],
      services: [{
        name: "edge",
        namespace: "shop",
        status: "available",
        serviceType: "LoadBalancer",
        ports: [port],
      }],
      staticRoutes: [],
    });
    assert.equal(replaced.headers.get("location"), "/fleets/shop/edge");
    assert.deepEqual((await ask("GET /fleets/shop/edge")).body, replaced.body);
    assert.equal((await ask("GET /fleets/shop/edge")).headers.get("etag"), replaced.headers.get("etag"));
    assert.deepEqual(plans(), ["api default/todo"]);
  },

  "keeps the namespaces of a fleet that is replaced without them": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", { ...EDGE, allowedNamespaces: { from: "Same" } });
    const onEdge = { ...TODO, proxyFleetName: "edge", proxyFleetNamespace: "shop" };
    assert.equal((await ask("PUT /fleets/shop/edge", EDGE)).status, 200);
    assert.equal((await ask("POST /apis", onEdge)).status, 403);
    assert.equal((await ask("PUT /fleets/shop/edge", { ...EDGE, allowedNamespaces: { from: "All" } })).status, 200);
    assert.equal((await ask("POST /apis", onEdge)).status, 201);
  },

  "replaces no fleet that isn't meant": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", EDGE);
    const etag = (await ask("GET /fleets/shop/edge")).headers.get("etag") ?? "";
    const other = { ...EDGE, ports: [{ port: 8083 }] };
    assert.equal((await ask("PUT /fleets/shop/nobody", { ...other, name: "nobody" })).status, 404);
    assert.equal((await ask("PUT /fleets/shop/edge", other, { "if-match": '"another"' })).status, 412);
    const misnamed = await ask("PUT /fleets/shop/edge", { ...other, name: "core" });
    assert.equal(misnamed.status, 400);
    assert.match(String(member(misnamed.body, "detail")), /`name` is core, but the path says edge/);
    assert.equal((await ask("PUT /fleets/shop/edge", { ...other, ports: [] })).status, 400);
    assert.equal((await ask("GET /fleets/shop/edge")).headers.get("etag"), etag);
    assert.equal((await ask("PUT /fleets/shop/edge", other, { "if-match": etag })).status, 200);
  },

  "takes a target port as text, as a number, or not at all": async (serve) => {
    const { ask } = await serve();
    const targets: [target: unknown, shown: string | undefined][] = [
      ["9090", "9090"],
      [9090, "9090"],
      [0, "8081"],
      ["", "8081"],
      [undefined, "8081"],
      ["http", undefined],
      ["65536", undefined],
      [65536, undefined],
      [-1, undefined],
    ];
    for (const [targetPort, shown] of targets) {
      const made = await ask("POST /fleets", { ...EDGE, ports: [{ port: 8081, targetPort }] });
      assert.equal(made.status, shown === undefined ? 400 : 200, made.text);
      if (shown === undefined) {
        assert.match(made.text, /targetPort/);
        continue;
      }
      const [service] = listed(member(made.body, "services"));
      assert.equal(member(listed(member(service, "ports"))[0], "targetPort"), shown);
      await ask("DELETE /fleets/shop/edge");
    }
  },

  "refuses query parameters that an operation doesn't have": async (serve) => {
    const { ask } = await serve();
    const table: [line: string, detail: RegExp][] = [
      ["GET /apis?fleetName=edge", /"fleetName".*Did you mean fleetname\?/],
      ["GET /apis?namespace=shop&lmit=1", /"lmit".*Did you mean limit\?/],
      ["DELETE /apis/default/todo?dryrun=true", /"dryrun".*Did you mean dryRun\?/],
      ["GET /fleets/default/default?verbose", /"verbose".*It has none/],
      ["DELETE /fleets/default/default?force=1", /"force".*It has dryRun, cascade/],
      ["DELETE /fleets/default/default?cascade=maybe", /^cascade must be true or false, not "maybe"\.$/],
    ];
    for (const [line, detail] of table) {
      const reply = await ask(line);
      assert.equal(reply.status, 400, line);
      assert.match(String(member(reply.body, "detail")), detail);
    }
    assert.equal((await ask("GET /fleets/default/default")).status, 200);
  },

  "takes a static route that is its x-svc alone": async (serve) => {
    const { ask, plans } = await serve();
    const texts = [
      "x-svc: {upstream: {service: {name: web}}}\n",
      '{"x-svc": {"redirect": {"host": "www.example.com"}}}',
      "openapi: 3.0.3\nx-svc: {upstream: {service: {name: web}}}\n",
      "info: {title: Rest, version: 2.0.0}\nx-svc: {upstream: {service: {name: web}}}\n",
    ];
    for (const openapi of texts) {
      const created = await ask("POST /staticroutes", { name: "rest", openapi });
      assert.equal(created.status, 200, created.text);
      assert.deepEqual(plans(), ["static-route default/rest"]);
      assert.equal((await ask("PUT /staticroutes/default/rest", { openapi })).status, 201);
      await ask("DELETE /staticroutes/default/rest");
    }
    const wrong: [openapi: string, fault: RegExp][] = [
      ["{}", /1:1: A static route needs `x-svc.upstream`/],
      ["x-svc: {upstrem: {}}", /1:9: `x-svc` has no key `upstrem`/],
      ["x-svc: {upstream: {service: {name: web}}}\ninfo: {title: 3}", /2:\d+: /],
      ["upstream: {service: {name: web}}", /1:1: .*`upstream`/],
      ["openapi: 4.0.0\nx-svc: {upstream: {service: {name: web}}}", /1:1.*4\.0\.0/],
    ];
    for (const [openapi, fault] of wrong) {
      const refused = await ask("POST /staticroutes", { name: "rest", openapi });
      assert.equal(refused.status, 400, openapi);
      assert.match(String(member(refused.body, "detail")), fault);
    }
    // Unlike the definition of a static route, that of an API must be complete: it needs operations.
    assert.equal((await ask("POST /apis", { name: "rest", openapi: texts[0] })).status, 400);
  },

  "shows what is on a fleet": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", EDGE);
    await ask("POST /apis", TODO);
    await ask("POST /staticroutes", REST);
    const { body } = await ask("GET /fleets/default/default");
    assert.deepEqual(member(body, "apis"), [{ name: "todo", namespace: "default" }]);
    assert.deepEqual(member(body, "staticRoutes"), [{ name: "rest", namespace: "default" }]);
    assert.deepEqual(member((await ask("GET /fleets/shop/edge")).body, "apis"), []);
  },

  "deploys, replaces and deletes a static route": async (serve) => {
    const { ask, plans } = await serve();
    const created = await ask("POST /staticroutes", REST);
    assert.equal(created.status, 200, created.text);
    assert.deepEqual(created.body, REST_SHAPE);
    assert.equal(created.headers.get("location"), "/staticroutes/default/rest");
    assert.deepEqual((await ask("GET /staticroutes/default/rest")).body, REST_SHAPE);
    assert.deepEqual((await ask("GET /staticroutes")).body, [REST_SHAPE]);
    assert.deepEqual(plans(), ["static-route default/rest"]);
    assert.equal((await ask("PUT /staticroutes/default/rest", REST)).status, 201);
    assert.equal(member((await ask("GET /staticroutes/default/rest/crd")).body, "kind"), "StaticRoute");
    assert.equal((await ask("DELETE /staticroutes/default/rest")).status, 204);
    assert.deepEqual(plans(), []);
  },

  "says 404 for what isn't there": async (serve) => {
    const { ask } = await serve();
    for (const kind of ["apis", "fleets", "staticroutes", "services"]) {
      const methods = kind === "services" ? ["GET"] : ["GET", "DELETE"];
      for (const method of methods) {
        const reply = await ask(`${method} /${kind}/default/nobody`);
        assert.equal(reply.status, 404, `${method} ${kind}`);
        assert.equal(reply.headers.get("content-type"), "application/problem+json");
        assert.match(String(member(reply.body, "detail")), /default\/nobody/);
      }
    }
    for (const path of ["/apis/default/nobody/crd", "/apis/default/nobody/definition", "/staticroutes/a/b/crd"]) {
      assert.equal((await ask(`GET ${path}`)).status, 404);
    }
    assert.equal((await ask("PUT /apis/default/nobody", TODO)).status, 404);
    assert.equal((await ask("PUT /staticroutes/default/nobody", REST)).status, 404);
    assert.equal((await ask("GET /api")).status, 404);
    assert.equal((await ask("GET /apis/%zz/%00")).status, 404);
    assert.equal((await ask("GET /apis/__proto__/constructor")).status, 404);
  },

  "says 409 for names that are taken": async (serve) => {
    const { ask } = await serve();
    await ask("POST /apis", TODO);
    await ask("POST /staticroutes", REST);
    const again = await ask("POST /apis", { ...TODO, openapi: definition({ path: "/other" }) });
    assert.equal(again.status, 409);
    assert.match(again.text, /default\/todo/);
    assert.equal((await ask("POST /staticroutes", REST)).status, 409);
    const fleet = { ...EDGE, name: "default", namespace: "default" };
    assert.equal((await ask("POST /fleets", fleet)).status, 409);
    assert.equal(
      (await ask("POST /apis", { ...TODO, namespace: "x", openapi: definition({ path: "/o" }) })).status,
      201,
    );
  },

  "says 409 for routes that are taken, and names who has them": async (serve) => {
    const { ask, plans } = await serve();
    await ask("POST /apis", TODO);
    const other = await ask("POST /apis", { ...TODO, name: "other", namespace: "shop" });
    assert.equal(other.status, 409);
    assert.match(String(member(other.body, "detail")), /GET \/todos is taken by the API default\/todo/);
    // APIs on another fleet, host or path prefix don't conflict.
    await ask("POST /fleets", EDGE);
    const onEdge = { ...TODO, name: "a", proxyFleetName: "edge", proxyFleetNamespace: "shop" };
    assert.equal((await ask("POST /apis", onEdge)).status, 201);
    for (const more of ["hosts: [b.example.com]", "path: {prefix: /v1}"]) {
      const openapi = definition({ xSvc: `{mocking: {enabled: true}, ${more}}` });
      assert.equal((await ask("POST /apis", { name: more.slice(0, 4), openapi })).status, 201);
    }
    assert.equal(plans().length, 4);
    // A new version of an API doesn't conflict with the version that it replaces, but with other APIs.
    assert.equal((await ask("PUT /apis/default/todo", { openapi: definition() })).status, 201);
    const moved = { openapi: definition(), proxyFleetName: "edge", proxyFleetNamespace: "shop" };
    assert.equal((await ask("PUT /apis/default/todo", moved)).status, 409);
    await ask("POST /staticroutes", REST);
    assert.equal((await ask("POST /staticroutes", { ...REST, name: "rest2" })).status, 409);
  },

  "deploys to a fleet only from namespaces that it admits": async (serve) => {
    const { ask } = await serve();
    const own = { ...EDGE, namespace: "default" };
    const cases: [fleet: object, namespace: string, status: number][] = [
      [{ ...own, name: "open" }, "shop", 201],
      [{ ...own, name: "all", allowedNamespaces: { from: "All" } }, "shop", 201],
      [{ ...own, name: "same", allowedNamespaces: { from: "Same" } }, "default", 201],
      [{ ...own, name: "closed", allowedNamespaces: { from: "Same" } }, "shop", 403],
      [{ ...own, name: "named", allowedNamespaces: SHOP_ONLY }, "shop", 201],
      [{ ...own, name: "other", allowedNamespaces: SHOP_ONLY }, "default", 403],
    ];
    for (const [index, [fleet, namespace, status]] of cases.entries()) {
      const ports = [{ name: "http", port: 20_000 + index, protocol: "TCP" }];
      const name = member(fleet, "name");
      assert.equal((await ask("POST /fleets", { ...fleet, ports })).status, 200);
      const target = { namespace, proxyFleetName: name, proxyFleetNamespace: "default" };
      const content = { ...TODO, ...target, name: `api-${index}` };
      for (const query of ["?dryRun=true", ""]) {
        const { status: found, body } = await ask(`POST /apis${query}`, content);
        assert.equal(found, status, `${name} ${namespace}`);
        if (status === 403) assert.match(String(member(body, "detail")), /doesn't admit the namespace/);
      }
      assert.equal((await ask(`GET /apis/${namespace}/api-${index}`)).status, status === 201 ? 200 : 404);
    }
    // A replacement can't move an API to a fleet that doesn't allow the API's namespace.
    const moved = { openapi: TODO.openapi, proxyFleetName: "closed", proxyFleetNamespace: "default" };
    assert.equal((await ask("PUT /apis/shop/api-0", moved)).status, 403);
    const crd = (await ask("GET /fleets/default/named/crd")).body;
    assert.deepEqual(member(member(crd, "spec"), "allowedNamespaces"), SHOP_ONLY);
  },

  "refuses a fleet whose allowedNamespaces isn't in the shape of the Gateway API": async (serve) => {
    const { ask } = await serve();
    const cases: [allowedNamespaces: unknown, pointer: string][] = [
      ["Same", "/allowedNamespaces"],
      [{ from: "Some" }, "/allowedNamespaces/from"],
      [{ from: "Selector" }, "/allowedNamespaces"],
      [{ namespaces: ["a"] }, "/allowedNamespaces"],
      [
        { from: "Selector", selector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
        "/allowedNamespaces/selector",
      ],
    ];
    for (const [allowedNamespaces, pointer] of cases) {
      const { status, body } = await ask("POST /fleets", { ...EDGE, allowedNamespaces });
      assert.equal(status, 400);
      assert.ok(JSON.stringify(body).includes(`"pointer":"${pointer}`), JSON.stringify(body));
    }
  },

  "takes the default fleet where none is named": async (serve) => {
    const { ask } = await serve({ hasFleet: false });
    const none = await ask("POST /apis", TODO);
    assert.equal(none.status, 409);
    assert.match(none.text, /default\/default/);
    assert.equal((await ask("POST /staticroutes", REST)).status, 409);
    await ask("POST /fleets", { ...EDGE, name: "default", namespace: "default" });
    assert.equal((await ask("POST /apis", { ...TODO, proxyFleetName: "", proxyFleetNamespace: "" })).status, 201);
    const unknown = { name: "b", openapi: definition({ path: "/b" }), proxyFleetName: "nowhere" };
    assert.equal((await ask("POST /apis", unknown)).status, 409);
  },

  "leaves an API on its fleet when none is named": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", EDGE);
    await ask("POST /apis", { ...TODO, proxyFleetName: "edge", proxyFleetNamespace: "shop" });
    const replaced = await ask("PUT /apis/default/todo", { openapi: definition() });
    assert.deepEqual(member(replaced.body, "fleet"), { name: "edge", namespace: "shop" });
  },

  "filters lists": async (serve) => {
    const { ask } = await serve();
    await ask("POST /fleets", EDGE);
    await ask("POST /apis", TODO);
    await ask("POST /apis", { ...TODO, namespace: "shop", proxyFleetName: "edge", proxyFleetNamespace: "shop" });
    await ask("POST /staticroutes", { ...REST, namespace: "shop" });
    const table: [string, string[]][] = [
      ["/apis", ["default/todo", "shop/todo"]],
      ["/apis?namespace=", ["default/todo", "shop/todo"]],
      ["/apis?namespace=shop", ["shop/todo"]],
      ["/apis?namespace=nowhere", []],
      ["/apis?fleetname=edge", ["shop/todo"]],
      ["/apis?fleetnamespace=default", ["default/todo"]],
      ["/apis?fleetname=edge&fleetnamespace=default", []],
      ["/fleets?namespace=shop", ["shop/edge"]],
      ["/staticroutes?namespace=shop", ["shop/rest"]],
      ["/staticroutes?namespace=default", []],
      ["/services", ["default/default", "shop/edge", "shop/web"]],
      ["/services?namespace=shop", ["shop/edge", "shop/web"]],
    ];
    for (const [path, want] of table) {
      const reply = await ask(`GET ${path}`);
      assert.deepEqual(namesIn(reply), want, path);
    }
    assert.deepEqual((await ask("GET /namespaces")).body, [{ name: "default" }, { name: "shop" }]);
  },

  "pages through lists": async (serve) => {
    const { ask } = await serve();
    for (const name of ["c", "a", "b"]) await ask("POST /apis", { name, openapi: definition({ path: `/${name}` }) });
    const first = await ask("GET /apis?limit=2&namespace=default");
    assert.deepEqual(namesIn(first), ["default/a", "default/b"]);
    const [, next = ""] = /^<(.*)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    // Relative to the URL of the request: a proxy may serve the API below a prefix.
    const url = new URL(next, "http://localhost:8090/apis?limit=2&namespace=default");
    assert.equal(new URL(next, "https://a.example/gw/apis?limit=2").pathname, "/gw/apis");
    const second = await ask(`GET ${url.pathname}${url.search}`);
    assert.deepEqual(namesIn(second), ["default/c"]);
    assert.equal(second.headers.get("link"), null);
    assert.equal((await ask("GET /apis?limit=3")).headers.get("link"), null);
    for (
      const query of ["limit=0", "limit=x", "limit=-1", "limit=1000001", "continue=x", "continue=A/b", "continue=/"]
    ) {
      assert.equal((await ask(`GET /apis?${query}`)).status, 400, query);
    }
    assert.deepEqual(namesIn(await ask("GET /services?limit=1")), ["default/default"]);
  },

  "shows only services of the gateway, and whether they answer": async (serve) => {
    const status = (_: string, name: string, port: number) =>
      name === "web" && port === 8080 ? "available" as const : "unavailable" as const;
    const { ask } = await serve({ services: { status } });
    assert.deepEqual(namesIn(await ask("GET /services")), ["default/default"]);
    const upstreams = "{upstreams: [{service: {name: web, port: 8080}, weight: 50}, " +
      "{service: {name: db, namespace: data}, weight: 50}]}";
    await ask("POST /apis", { ...TODO, openapi: definition({ xSvc: upstreams }) });
    await ask("POST /apis", {
      name: "host",
      openapi: definition({ path: "/h", xSvc: "{upstream: {host: {hostname: a.example.com}}}" }),
    });
    const { body } = await ask("GET /services");
    const shown = Array.isArray(body)
      ? body.map((service) => [member(service, "name"), member(service, "status")])
      : [];
    assert.deepEqual(shown, [["db", "unavailable"], ["default", "unavailable"], ["web", "available"]]);
    assert.deepEqual((await ask("GET /services/data/db")).body, {
      name: "db",
      namespace: "data",
      status: "unavailable",
      serviceType: "ClusterIP",
      ports: [{ name: "", nodePort: 0, port: 80, protocol: "TCP", targetPort: "80" }],
    });
    assert.deepEqual(member((await ask("GET /apis/default/todo")).body, "service"), {
      name: "web",
      namespace: "default",
    });
    await ask("DELETE /apis/default/todo");
    assert.equal((await ask("GET /services/data/db")).status, 404);
  },

  "shows the version as it is written": async (serve) => {
    const { ask } = await serve();
    const versions: [written: string, shown: string][] = [["1.0", "1.0"], ["2", "2"], ['"3.10"', "3.10"], [
      "1e3",
      "1e3",
    ]];
    for (const [index, [written, shown]] of versions.entries()) {
      const openapi = definition({ version: written, path: `/${index}` });
      const reply = await ask("POST /apis", { name: `v${index}`, openapi });
      assert.equal(member(reply.body, "version"), shown, reply.text);
    }
    const json = '{"openapi":"3.1.0","info":{"title":"x","version":1.0},"paths":{}}';
    const reply = await ask("POST /apis", { name: "json", openapi: json });
    assert.equal(member(reply.body, "version"), "1.0");
    assert.match(reply.headers.get("warning") ?? "", /version/);
  },

  "shows where the figures are": async (serve) => {
    const { ask } = await serve({ analysisUrl: "https://figures.example.com/{namespace}/{name}" });
    const own = await ask("POST /apis", {
      ...TODO,
      openapi: definition({ xSvc: "{mocking: {enabled: true}, analysis: {url: 'https://own.example.com/'}}" }),
    });
    assert.equal(member(own.body, "externalurl"), "https://own.example.com/");
    const other = await ask("POST /apis", { name: "b", openapi: definition({ path: "/b" }) });
    assert.equal(member(other.body, "externalurl"), "https://figures.example.com/default/b");
    assert.equal(
      member((await ask("GET /apis/default/b")).body, "externalurl"),
      "https://figures.example.com/default/b",
    );
  },

  "names every problem of a definition with line and column": async (serve) => {
    const { ask, plans } = await serve();
    const openapi = definition({ more: "    post: {}\n  /b:\n    get: {x-svc: {mocked: true}, responses: {}}\n" })
      .replace("title: Todo, ", "");
    const plain = await ask("POST /apis", { name: "todo", openapi });
    assert.equal(plain.status, 400);
    assert.equal(plain.headers.get("content-type"), "application/json");
    assert.equal(typeof plain.body, "string");
    assert.match(String(plain.body), /^2:7: .*title/m);
    assert.match(String(plain.body), /^\d+:\d+: .*mocked/m);
    const accept = "application/problem+json, application/json;q=0.9";
    const problem = await ask("POST /apis", { name: "todo", openapi }, { accept });
    assert.equal(problem.headers.get("content-type"), "application/problem+json");
    const errors = member(problem.body, "errors");
    assert.ok(Array.isArray(errors) && errors.length >= 2);
    assert.deepEqual(
      errors.map((error) => [member(error, "line"), member(error, "in")])[0],
      [2, "openapi"],
    );
    assert.equal((await ask("PUT /apis/default/todo", { openapi })).status, 404);
    assert.deepEqual(plans(), []);
  },

  "refuses what can't be deployed, and goes on with what was": async (serve) => {
    const { ask, plans } = await serve();
    await ask("POST /apis", TODO);
    const before = await ask("GET /apis/default/todo/crd");
    const table: [what: string, openapi: string][] = [
      ["no YAML", "openapi: [3.1.0"],
      ["nothing", ""],
      ["no OpenAPI", "a: b"],
      ["no operation with an action", definition({ xSvc: "{}" })],
      ["unknown x-svc keys", definition({ xSvc: "{mocking: {enabled: true}, mock: true}" })],
      [
        "a reference to another text",
        definition({ more: "components: {schemas: {A: {$ref: 'http://a.example/b.yaml'}}}\n" }),
      ],
      ["a reference to a file", definition({ more: "components: {schemas: {A: {$ref: './b.yaml'}}}\n" })],
      ["an alias bomb", aliasBomb()],
      ["nesting past the limit", "openapi: 3.1.0\nx: " + "[".repeat(5000) + "]".repeat(5000)],
      [
        "mocking and validation at once",
        definition({ xSvc: "{mocking: {enabled: true}, validation: {request: {enabled: true}}}" }),
      ],
      [
        "mocking without a schema",
        definition().replace(
          '{"204": {description: Nothing.}}',
          '{"200": {description: x, content: {a/b: {example: 1}}}}',
        ),
      ],
      [
        "a login in the embedded gateway",
        definition({
          xSvc:
            "{upstream: {host: {hostname: a.example.com}}, auth: {oauth2: {issuer: 'https://a.example.com', client_id: a, client_secret_ref: {name: a, key: b}}}}",
        }),
      ],
    ];
    for (const [what, openapi] of table) {
      const reply = await ask("PUT /apis/default/todo", { openapi });
      assert.equal(reply.status, 400, `${what}: ${reply.text}`);
      assert.match(String(reply.body), /\d+:\d+: /, what);
      assert.equal((await ask("POST /apis", { name: "other", openapi })).status, 400, what);
    }
    const elsewhere = definition({ more: "components: {schemas: {A: {$ref: './b.yaml'}}}\n" });
    assert.match(String((await ask("PUT /apis/default/todo", { openapi: elsewhere })).body), /`gw deploy` sends them/);
    assert.equal((await ask("GET /apis/default/todo/crd")).text, before.text);
    assert.deepEqual(plans(), ["api default/todo"]);
    assert.deepEqual(namesIn(await ask("GET /apis")), ["default/todo"]);
  },

  "refuses content that isn't what it should be": async (serve) => {
    const { ask } = await serve();
    const long = "a".repeat(64);
    const table: [content: unknown, fault: RegExp][] = [
      ["{", /1:2: .*not JSON/],
      ["[]", /must be object/],
      ["null", /must be object/],
      [{ openapi: definition() }, /name/],
      [{ name: "todo" }, /openapi/],
      [{ ...TODO, name: "" }, /`name`/],
      [{ ...TODO, name: long }, /`name` must NOT have more than 63/],
      [{ ...TODO, name: "Todo" }, /`name` must be a DNS label/],
      [{ ...TODO, name: "-a" }, /`name`/],
      [{ ...TODO, name: 1 }, /`name` must be string/],
      [{ ...TODO, namespace: "a.b" }, /`namespace`/],
      [{ ...TODO, openapi: { openapi: "3.1.0" } }, /`openapi` must be string/],
      [{ ...TODO, fleet: "x" }, /fleet/],
    ];
    for (const [content, fault] of table) {
      const reply = await ask("POST /apis", content);
      assert.equal(reply.status, 400, JSON.stringify(content));
      assert.match(String(reply.body), fault);
    }
    assert.equal((await ask("POST /apis", { ...TODO, name: "a".repeat(63) })).status, 201);
    const misnamed = await ask(`PUT /apis/default/${"a".repeat(63)}`, TODO);
    assert.equal(misnamed.status, 400);
    assert.match(String(misnamed.body), /^1:\d+: `name` is todo/m);
  },

  "tells what it understood of a bad fleet or static route": async (serve) => {
    const { ask } = await serve();
    const bad: [unknown, string][] = [
      [{ ...EDGE, ports: [{ port: 0 }] }, "/ports/0/port"],
      [{ ...EDGE, ports: [] }, "/ports"],
      [{ ...EDGE, serviceType: "NodePort" }, "/serviceType"],
      [{ ...EDGE, ports: [{ port: 80 }, { port: 80 }] }, "/ports/1/port"],
      [{ ...EDGE, name: "Edge" }, "/name"],
      [{ name: "edge", serviceType: "ClusterIP", ports: [{ port: 80 }] }, ""],
      ["{", ""],
    ];
    for (const [content, pointer] of bad) {
      const { status, body } = await ask("POST /fleets", content);
      assert.equal(status, 400);
      assert.equal(member(body, "status"), 400);
      assert.deepEqual(member(body, "apis"), []);
      assert.equal(member(firstOf(member(body, "errors")), "pointer"), pointer);
    }
    const route = await ask("POST /staticroutes", {
      ...REST,
      proxyFleetName: "default",
      openapi: definition({ xSvc: "{}" }),
    });
    assert.equal(route.status, 400);
    assert.equal(member(route.body, "name"), "rest");
    assert.equal(member(route.body, "proxyFleetName"), "default");
    assert.equal(member(route.body, "title"), "Bad Request");
    assert.equal((await ask("POST /staticroutes", "[")).status, 400);
  },

  "takes JSON only, and not too much of it": async (serve) => {
    const { ask } = await serve({ maxBody: 1000 });
    for (const path of ["/apis", "/fleets", "/staticroutes"]) {
      for (const type of ["text/plain", "application/yaml", "application/x-www-form-urlencoded", "nonsense"]) {
        assert.equal((await ask(`POST ${path}`, "{}", { "content-type": type })).status, 415, `${path} ${type}`);
      }
      assert.equal((await ask(`POST ${path}`, `"${"x".repeat(1000)}"`)).status, 413);
    }
    const charset = await ask("POST /apis", TODO, { "content-type": "application/json; charset=utf-8" });
    assert.equal(charset.status, 201);
  },

  "says 405 with the methods that a path has": async (serve) => {
    const { ask } = await serve();
    const table: [string, string][] = [
      ["PATCH /apis", "GET, POST, HEAD, OPTIONS"],
      ["POST /apis/default/todo", "GET, PUT, DELETE, HEAD, OPTIONS"],
      ["POST /fleets/default/default", "GET, PUT, DELETE, HEAD, OPTIONS"],
      ["DELETE /services", "GET, HEAD, OPTIONS"],
    ];
    for (const [line, allow] of table) {
      const reply = await ask(line);
      assert.equal(reply.status, 405, line);
      assert.equal(reply.headers.get("allow"), allow);
    }
    const options = await ask("OPTIONS /apis");
    assert.equal(options.status, 204);
    assert.equal(options.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
  },

  "answers HEAD as GET without a body": async (serve) => {
    const { ask } = await serve();
    await ask("POST /apis", TODO);
    for (const path of ["/apis", "/apis/default/todo", "/fleets", "/namespaces", "/healthz", "/openapi.yaml"]) {
      const [get, head] = [await ask(`GET ${path}`), await ask(`HEAD ${path}`)];
      assert.equal(head.status, 200);
      assert.equal(head.text, "");
      assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
      assert.equal(head.headers.get("etag"), get.headers.get("etag"));
    }
    assert.equal((await ask("HEAD /apis/default/nobody")).status, 404);
  },

  "says 304 to clients that know what they ask for": async (serve) => {
    const { ask } = await serve();
    await ask("POST /apis", TODO);
    for (const path of ["/apis", "/apis/default/todo", "/apis/default/todo/definition"]) {
      const etag = (await ask(`GET ${path}`)).headers.get("etag") ?? "";
      assert.equal((await ask(`GET ${path}`, undefined, { "if-none-match": `"x", W/${etag}` })).status, 304, path);
      await ask("PUT /apis/default/todo", { openapi: definition({ version: crypto.randomUUID() }) });
      assert.equal((await ask(`GET ${path}`, undefined, { "if-none-match": etag })).status, 200, path);
    }
    // The response contains the names of the fleet's APIs. So its entity tag changes only when an API is added or
    // removed.
    const path = "/fleets/default/default";
    const etag = (await ask(`GET ${path}`)).headers.get("etag") ?? "";
    await ask("PUT /apis/default/todo", { openapi: definition({ version: "2.0.0" }) });
    assert.equal((await ask(`GET ${path}`, undefined, { "if-none-match": etag })).status, 304);
    await ask("POST /apis", { name: "tasks", openapi: definition({ path: "/tasks" }) });
    assert.equal((await ask(`GET ${path}`, undefined, { "if-none-match": etag })).status, 200);
  },

  "changes only the state that is meant": async (serve) => {
    const { ask } = await serve();
    const created = await ask("POST /apis", TODO);
    const etag = created.headers.get("etag") ?? "";
    const stale = { "if-match": '"nonsense"' };
    assert.equal((await ask("PUT /apis/default/todo", TODO, stale)).status, 412);
    assert.equal((await ask("DELETE /apis/default/todo", undefined, stale)).status, 412);
    assert.equal((await ask("PUT /apis/default/todo", TODO, { "if-match": `W/${etag}` })).status, 412);
    const changed = { ...TODO, openapi: definition({ version: "2.0.0" }) };
    assert.equal((await ask("PUT /apis/default/todo", changed, { "if-match": etag })).status, 201);
    assert.equal((await ask("PUT /apis/default/todo", TODO, { "if-match": etag })).status, 412);
    assert.equal((await ask("DELETE /apis/default/todo", undefined, { "if-match": "*" })).status, 204);
    const fleet = (await ask("GET /fleets/default/default")).headers.get("etag") ?? "";
    assert.equal((await ask("DELETE /fleets/default/default", undefined, stale)).status, 412);
    await ask("POST /apis", TODO);
    assert.equal(
      (await ask("DELETE /fleets/default/default?cascade=true", undefined, { "if-match": fleet })).status,
      412,
    );
  },

  "lets one of many changes of the same state win": async (serve) => {
    const { ask } = await serve();
    const etag = (await ask("POST /apis", TODO)).headers.get("etag") ?? "";
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) => {
        const openapi = definition({ version: `2.0.${index}` });
        return ask("PUT /apis/default/todo", { openapi }, { "if-match": etag });
      }),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 412, 412, 412, 412]);
    const creations = await Promise.all(
      Array.from(
        { length: 5 },
        (_, index) => ask("POST /apis", { name: `n${index}`, openapi: definition({ path: "/n" }) }),
      ),
    );
    assert.deepEqual(creations.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  },

  "tries without changing anything": async (serve) => {
    const { ask, store, plans } = await serve();
    await ask("POST /apis", TODO);
    const { revision } = store;
    const other = { name: "b", openapi: definition({ path: "/b" }) };
    const table: [string, unknown, number][] = [
      ["POST /apis?dryRun=true", other, 201],
      ["POST /apis?dryRun=true", { ...other, name: "todo" }, 409],
      ["POST /apis?dryRun=true", { ...TODO, name: "b" }, 409],
      ["POST /apis?dryRun=true", { ...other, openapi: "" }, 400],
      ["POST /apis?dryRun=maybe", other, 400],
      ["PUT /apis/default/todo?dryRun=true", { openapi: definition({ version: "9" }) }, 201],
      ["PUT /apis/default/b?dryRun=true", other, 404],
      ["DELETE /apis/default/todo?dryRun=true", undefined, 204],
      ["DELETE /apis/default/b?dryRun=true", undefined, 404],
      ["POST /fleets?dryRun=true", EDGE, 200],
      ["DELETE /fleets/default/default?dryRun=true", undefined, 409],
      ["DELETE /fleets/default/default?dryRun=true&cascade=true", undefined, 204],
      ["POST /staticroutes?dryRun=true", REST, 200],
    ];
    for (const [line, content, status] of table) {
      const reply = await ask(line, content);
      assert.equal(reply.status, status, `${line}: ${reply.text}`);
    }
    assert.equal(store.revision, revision);
    assert.deepEqual(plans(), ["api default/todo"]);
  },

  "keeps a fleet that serves something, unless all is to go": async (serve) => {
    const { ask, plans } = await serve();
    await ask("POST /apis", { ...TODO, namespace: "shop" });
    await ask("POST /staticroutes", REST);
    const kept = await ask("DELETE /fleets/default/default");
    assert.equal(kept.status, 409);
    assert.match(kept.text, /API shop\/todo, static route default\/rest/);
    assert.equal((await ask("DELETE /fleets/default/default?cascade=true")).status, 204);
    for (const path of ["/apis", "/staticroutes", "/fleets"]) assert.equal((await ask(`GET ${path}`)).text, "[]");
    assert.deepEqual(plans(), []);
  },

  "gives warnings": async (serve) => {
    const { ask } = await serve({ services: { status: () => "available", resolves: (_, name) => name !== "web" } });
    const fine = await ask("POST /apis", TODO);
    assert.equal(fine.headers.get("warning"), null);
    const example = '{"200": {description: "ä", content: {application/json: {schema: {type: string}, example: 1}}}}';
    const bad = definition({ path: "/x" }).replace('{"204": {description: Nothing.}}', example);
    const openapi = bad.replace(
      "paths:",
      "paths:\n  /y:\n    get:\n      x-svc: {mocking: {enabled: false}, " +
        "upstream: {service: {name: web}}}\n      responses: {default: {description: x}}\n  /z:\n    get:\n      responses: " +
        '{"200": {description: x, content: {application/json: {schema: {type: object}}}}}',
    );
    const reply = await ask("POST /apis", { name: "b", openapi });
    assert.equal(reply.status, 201, reply.text);
    const warnings = reply.headers.get("warning") ?? "";
    assert.match(warnings, /^299 - "/);
    assert.match(warnings, /example/i);
    assert.match(warnings, /upstream service default\/web:80/);
    assert.match(warnings, /schema/);
  },

  "tells how the server is": async (serve) => {
    let isReady = true;
    const { ask } = await serve({
      ready: () => isReady ? { kind: "ready" } : { kind: "not-ready", reason: "Port 8080 is taken." },
      metrics: () => Promise.resolve({ mediaType: "text/plain; version=0.0.4", text: "gw_objects 1\n" }),
    });
    assert.equal((await ask("GET /healthz")).status, 200);
    assert.equal((await ask("GET /readyz")).status, 200);
    assert.equal((await ask("GET /metrics")).text, "gw_objects 1\n");
    isReady = false;
    const reply = await ask("GET /readyz");
    assert.equal(reply.status, 503);
    assert.match(reply.text, /8080/);
    assert.equal((await ask("GET /healthz")).status, 200);
  },

  "gives its description": async (serve) => {
    const { ask } = await serve();
    const json = await ask("GET /openapi.json");
    assert.deepEqual(
      [member(member(json.body, "info"), "title"), member(member(json.body, "info"), "version")],
      ["gateway-management-api", "1.0.0"],
    );
    assert.match((await ask("GET /openapi.yaml")).text, /title: gateway-management-api/);
  },

  "asks who may do what": async (serve) => {
    const { ask } = await serve({
      authorize: (request, operation) =>
        request.headers.has("authorization") ? operation === "deleteApi" ? problem(403) : undefined : problem(401),
    });
    const known = { authorization: "Bearer x" };
    assert.equal((await ask("GET /apis")).status, 401);
    assert.equal((await ask("GET /apis", undefined, known)).status, 200);
    assert.equal((await ask("DELETE /apis/default/todo", undefined, known)).status, 403);
  },
};

function problem(status: number): Response {
  const body = JSON.stringify({ title: "No", status, detail: "No." });
  return new Response(body, { status, headers: { "content-type": "application/problem+json" } });
}

function aliasBomb(): string {
  const lines = ["openapi: 3.1.0", "x-0: &a0 [1, 1]"];
  for (let level = 1; level < 40; level++) lines.push(`x-${level}: &a${level} [*a${level - 1}, *a${level - 1}]`);
  return lines.join("\n");
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function namesIn({ body }: Reply): string[] {
  assert.ok(Array.isArray(body));
  return body.map((item) => `${member(item, "namespace")}/${member(item, "name")}`);
}
