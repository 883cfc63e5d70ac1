import assert from "node:assert/strict";
import { readOutsideHost } from "../../../../lib/cluster/translate/backends.ts";
import { planOf, planOfStaticRoute, renderPlan, rulesOf } from "./rendering_support.ts";

// An upstream must not be a backend that the API's author couldn't reach directly, such as gw's own Services or the API
// server.

const MOCKS_SERVICE = { service: { name: "gw-mock", namespace: "gw-system", port: 8080 } };

Deno.test("renderGatewayApi() refuses the mocks as a backend: they trust the header that names the API", async (t) => {
  const cases = {
    "an upstream of a static route": await planOfStaticRoute("rest", { upstream: MOCKS_SERVICE }),
    "an upstream with a weight": await planOfStaticRoute("rest", {
      upstreams: [{ ...MOCKS_SERVICE, weight: 50 }, { service: { name: "web" }, weight: 50 }],
    }),
    "an upstream of an operation": await planOf("pets", { upstream: MOCKS_SERVICE }, { "GET /a": {} }),
    "an authorization server": await planOf("pets", {
      upstream: { service: { name: "web" } },
      auth: { custom: MOCKS_SERVICE },
    }, { "GET /a": {} }),
  };
  for (const [name, plan] of Object.entries(cases)) {
    await t.step(name, () => {
      const { diagnostics, objects } = renderPlan(plan);
      assert.match(diagnostics[0]?.message ?? "", /`gw-mock` in `gw-system` is gw's own/);
      assert.deepEqual(objects.filter(({ kind }) => kind === "HTTPRoute"), []);
    });
  }
});

Deno.test("renderGatewayApi() removes the headers of gw from requests of a static route", async () => {
  const plan = await planOfStaticRoute("rest", { upstream: { host: { hostname: "10.96.0.20", port: 8080 } } });
  const [rule] = rulesOf(renderPlan(plan));
  assert.deepEqual(rule?.filters, [
    {
      type: "RequestHeaderModifier",
      requestHeaderModifier: { remove: ["x-svc-api", "x-svc-closed", "x-svc-undeclared"] },
    },
  ]);
});

Deno.test("readOutsideHost() refuses hosts inside the cluster and on the node, in any notation", async (t) => {
  const namespaces = new Set(["shop", "default"]);
  const read = (host: string): string => readOutsideHost(host, (name) => namespaces.has(name)).kind;
  const refused = [
    ...["localhost", "a.localhost", "LOCALHOST.", "localhost.localdomain"],
    ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "①②⑦.0.0.1", "127.0.0.1."],
    ...["::1", "[::1]", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "0:0:0:0:0:0:0:1"],
    ...["169.254.169.254", "0xa9fea9fe", "2852039166", "::ffff:169.254.169.254", "fe80::1", "febf::1"],
    ...["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "fd00:ec2::254", "fd20:ce::254"],
    ...["100.100.100.200", "168.63.129.16", "192.0.0.192"],
    ...["metadata.google.internal", "metadata.goog", "Metadata.Google.Internal."],
    ...["todo", "todo.shop.svc", "todo.shop.svc.cluster.local", "todo.shop.svc.corp.example", "1-2-3-4.shop.pod"],
    // DNS resolvers may complete such short names by `.svc.cluster.local`.
    ...["todo.shop", "web-0.todo.shop", "kubernetes.default", "KUBERNETES.Default.", "todo.svc", "todo.cluster.local"],
  ];
  for (const host of refused) await t.step(host, () => assert.equal(read(host), "refused"));
  const accepted = {
    name: ["example.com", "todo.shop.example.com", "shop.example.com", "default.io", "a.b.c.shop", "svc.example.com"],
    address: ["10.0.0.1", "192.168.1.1", "2001:db8::1", "[2001:db8::1]", "fd00::1", "64:ff9b::8.8.8.8"],
  };
  for (const [kind, hosts] of Object.entries(accepted)) {
    for (const host of hosts) await t.step(host, () => assert.equal(read(host), kind));
  }
});

Deno.test("A host by name is absolute for DNS, and without the dot for Host and TLS", async () => {
  const long = `${"a.".repeat(126)}b`;
  const cases = [
    { hostname: "secrets.vault", tls: true, want: { hostname: "secrets.vault", fqdn: "secrets.vault." } },
    { hostname: "API.example.com.", tls: false, want: { hostname: "api.example.com", fqdn: "api.example.com." } },
    // No search domain fits behind a name of 253 characters, and Envoy Gateway takes no longer one.
    { hostname: long, tls: false, want: { hostname: long, fqdn: long } },
  ];
  for (const { hostname, tls, want } of cases) {
    const plan = await planOf("pets", { upstream: { host: { hostname, tls } } }, { "GET /a": {} });
    const { objects, diagnostics } = renderPlan(plan);
    assert.deepEqual(diagnostics, []);
    const { endpoints: [endpoint], tls: transport } = Object(objects.find(({ kind }) => kind === "Backend")?.spec);
    assert.deepEqual({ hostname: endpoint.hostname, fqdn: endpoint.fqdn.hostname }, want);
    if (tls) assert.equal(transport.sni, want.hostname);
  }
});
