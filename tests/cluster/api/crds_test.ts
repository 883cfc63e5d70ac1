/**
 * gw's custom resources with a real API server: which objects it accepts and refuses, and what kubectl shows.
 *
 * @module
 */
import assert from "node:assert/strict";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { customResourceDefinitions } from "../../../lib/cluster/crds/crds.ts";
import { fromCustomResource, toCustomResource } from "../../../lib/cluster/convert.ts";
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";

const GROUP_PATH = `/apis/${API_VERSION}`;
const TODO = "openapi: 3.1.0\ninfo: {title: Todo, version: 1.0.0}\nx-svc: {mocking: {enabled: true}}\npaths: {}\n";
const WEB = { service: { name: "web" } };

/** Starts an API server that has gw's custom resource definitions. */
async function startWithKinds(): Promise<ApiServer> {
  const api = await startApiServer();
  const definitions = customResourceDefinitions();
  await api.apply(...definitions);
  const names = definitions.map(({ metadata: { name } }) => `crd/${name}`);
  await api.kubectl(["wait", "--for=condition=Established", "--timeout=60s", ...names]);
  return api;
}

function object(kind: keyof typeof CUSTOM_RESOURCES, namespace: string, spec: unknown, name = "x"): KubernetesObject {
  const { apiVersion, kind: objectKind } = CUSTOM_RESOURCES[kind];
  return { apiVersion, kind: objectKind, metadata: { name, namespace }, spec };
}

/** `allowedNamespaces` with a selector of one requirement. */
function selecting(operator: string, ...values: string[]): unknown {
  const requirement = { key: "team", operator, ...(values.length === 0 ? {} : { values }) };
  return { from: "Selector", selector: { matchExpressions: [requirement] } };
}

function pathOf(kind: keyof typeof CUSTOM_RESOURCES, namespace: string): string {
  return `${GROUP_PATH}/namespaces/${namespace}/${CUSTOM_RESOURCES[kind].plural}`;
}

Deno.test("the API server accepts valid objects", async (test) => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const cases: [keyof typeof CUSTOM_RESOURCES, unknown][] = [
    ["api", { openapi: TODO }],
    ["api", { openapiGzip: "H4sIAAAAAAAA/0tKLAIAqo2YPQMAAAA=", fleet: { name: "edge" } }],
    ["fleet", { service: {} }],
    ["fleet", { default: true, service: { type: "LoadBalancer", ports: [{ port: 80 }, { port: 443, name: "tls" }] } }],
    ["fleet", { gateway: { name: "edge", namespace: "gateways" }, profile: "portable" }],
    ["fleet", { service: {}, replicas: 3, tls: { certificateRefs: [{ name: "wildcard" }] } }],
    ["fleet", { service: {}, trustedProxies: ["10.0.0.0/8", "fd00::/8"] }],
    ["fleet", { service: {}, allowedNamespaces: { from: "Same" } }],
    ["fleet", { gateway: { name: "edge" }, allowedNamespaces: { from: "All", selector: {} } }],
    ["fleet", { service: {}, allowedNamespaces: { from: "Selector", selector: {} } }],
    ["fleet", {
      service: {},
      allowedNamespaces: {
        from: "Selector",
        selector: {
          matchLabels: { "example.com/team": "a" },
          matchExpressions: [{ key: "tier", operator: "NotIn", values: ["test"] }, { key: "x", operator: "Exists" }],
        },
      },
    }],
    ["staticroute", { upstream: WEB }],
    ["staticroute", { hosts: ["*", "*.example.com"], upstream: { host: { hostname: "10.1.2.3", tls: true } } }],
    ["staticroute", { settings: { redirect: { host: "example.com" } } }],
    ["staticroute", { settings: { disabled: true } }],
    ["staticroute", { settings: { upstreams: [{ ...WEB, weight: 60 }, { ...WEB, weight: 40 }] } }],
    ["staticroute", {
      upstream: { ...WEB, rewrite: { pattern: "^/v1", substitution: "" } },
      auth: { jwt: { providers: [{ name: "ours", jwks_uri: "https://example.com/jwks" }] } },
      settings: { qos: { request_timeout: 0.5 }, cors: { origins: ["https://example.com"] } },
    }],
  ];
  for (const [kind, spec] of cases) {
    await test.step(`${kind} ${JSON.stringify(spec)}`, async () => {
      const kept = await api.request(
        "POST",
        `${pathOf(kind, namespace)}?dryRun=All&fieldValidation=Strict`,
        object(kind, namespace, spec),
      );
      assert.equal(kept.kind, CUSTOM_RESOURCES[kind].kind);
    });
  }
});

Deno.test("the API server refuses invalid objects, and says why", async (test) => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const jwt = { providers: [{ name: "ours", jwks_uri: "https://example.com/jwks" }] };
  const cases: { kind: keyof typeof CUSTOM_RESOURCES; spec: unknown; name?: string; want: RegExp }[] = [
    { kind: "api", spec: {}, want: /exactly one of openapi and openapiGzip is needed/ },
    { kind: "api", spec: { openapi: TODO, openapiGzip: "aGk=" }, want: /exactly one of openapi and openapiGzip/ },
    { kind: "api", spec: { openapi: "" }, want: /spec\.openapi.* at least 1 chars/ },
    { kind: "api", spec: { openapi: "x".repeat(1024 * 1024 + 1) }, want: /may not be more than 1048576/ },
    { kind: "api", spec: { openapiGzip: btoa(TODO) }, want: /spec\.openapiGzip.*should match/ },
    { kind: "api", spec: { openapiGzip: "H4sI%" }, want: /spec\.openapiGzip.*should match/ },
    { kind: "api", spec: { openapi: TODO, fleet: {} }, want: /spec\.fleet\.name: Required/ },
    { kind: "api", spec: undefined, want: /spec: Required/ },
    { kind: "api", spec: { openapi: TODO, flet: {} }, want: /unknown field "spec\.flet"/ },
    { kind: "api", spec: { openapi: TODO }, name: "a.b", want: /must be a DNS label/ },
    { kind: "api", spec: { openapi: TODO }, name: "a".repeat(64), want: /must be a DNS label/ },
    { kind: "fleet", spec: {}, want: /exactly one of gateway and service is needed/ },
    { kind: "fleet", spec: { gateway: { name: "edge" }, service: {} }, want: /exactly one of gateway and service/ },
    { kind: "fleet", spec: { gateway: { name: "edge" }, replicas: 2 }, want: /spec\.replicas.*goes with service/ },
    { kind: "fleet", spec: { service: {}, trustedProxies: ["10.0.0.1"] }, want: /spec\.trustedProxies/ },
    {
      kind: "fleet",
      spec: { gateway: { name: "edge" }, tls: { certificateRefs: [{ name: "a" }] } },
      want: /spec\.tls.*goes with service/,
    },
    { kind: "fleet", spec: { service: { ports: [{ port: 80 }, { port: 80 }] } }, want: /Duplicate value/ },
    { kind: "fleet", spec: { service: { ports: [] } }, want: /should have at least 1 items/ },
    { kind: "fleet", spec: { service: { ports: [{ port: 0 }] } }, want: /greater than or equal to 1/ },
    { kind: "fleet", spec: { service: { type: "ExternalName" } }, want: /Unsupported value: "ExternalName"/ },
    { kind: "fleet", spec: { service: {}, profile: "nginx" }, want: /Unsupported value: "nginx"/ },
    { kind: "fleet", spec: { service: {}, allowedNamespaces: { from: "Some" } }, want: /Unsupported value: "Some"/ },
    {
      kind: "fleet",
      spec: { service: {}, allowedNamespaces: { from: "Selector" } },
      want: /Selector needs a selector/,
    },
    { kind: "fleet", spec: { service: {}, allowedNamespaces: selecting("In") }, want: /In and NotIn need values/ },
    {
      kind: "fleet",
      spec: { service: {}, allowedNamespaces: selecting("Exists", "a") },
      want: /Exists and DoesNotExist have none/,
    },
    { kind: "fleet", spec: { service: {}, allowedNamespaces: selecting("Is") }, want: /Unsupported value: "Is"/ },
    { kind: "staticroute", spec: {}, want: /upstream is needed/ },
    { kind: "staticroute", spec: { settings: { disabled: false } }, want: /upstream is needed/ },
    { kind: "staticroute", spec: { upstream: {} }, want: /exactly one of service and host is needed/ },
    {
      kind: "staticroute",
      spec: { upstream: { ...WEB, host: { hostname: "example.com" } } },
      want: /exactly one of service and host is needed/,
    },
    { kind: "staticroute", spec: { upstream: { service: {} } }, want: /spec\.upstream\.service\.name: Required/ },
    {
      kind: "staticroute",
      spec: { upstream: { service: { name: "web", port: 65536 } } },
      want: /less than or equal to/,
    },
    {
      kind: "staticroute",
      spec: { upstream: { host: { hostname: "http://a" } } },
      want: /spec\.upstream\.host\.hostname/,
    },
    { kind: "staticroute", spec: { upstream: WEB, hosts: ["a.*"] }, want: /spec\.hosts\[0\]/ },
    { kind: "staticroute", spec: { upstream: WEB, hosts: [] }, want: /should have at least 1 items/ },
    { kind: "staticroute", spec: { upstream: WEB, auth: {} }, want: /one of jwt, oauth2, custom is needed/ },
    {
      kind: "staticroute",
      spec: { upstream: WEB, auth: { jwt: { ...jwt, provider: 1 } } },
      want: /unknown field "spec\.auth\.jwt\.provider"/,
    },
    {
      kind: "staticroute",
      spec: { settings: { upstreams: [{ ...WEB, weight: 60 }, { ...WEB, weight: 50 }] } },
      want: /must total 100/,
    },
    {
      kind: "staticroute",
      spec: { upstream: WEB, settings: { redirect: { host: "a" } } },
      want: /exclude each other/,
    },
    {
      kind: "staticroute",
      spec: { upstream: WEB, settings: { redirect: {} } },
      want: /one of scheme, host, port, path is needed/,
    },
    {
      kind: "staticroute",
      spec: { upstream: WEB, settings: { rate_limit: { requests_per_unit: 1, unit: "day" } } },
      want: /Unsupported value: "day"/,
    },
  ];
  for (const { kind, spec, name, want } of cases) {
    await test.step(`${kind} ${JSON.stringify(spec)?.slice(0, 100)} ${name ?? ""}`, async () => {
      const path = `${pathOf(kind, namespace)}?dryRun=All&fieldValidation=Strict`;
      await assert.rejects(api.request("POST", path, object(kind, namespace, spec, name)), want);
    });
  }
});

Deno.test("the API server fills in defaults", async () => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const kept = await api.request("POST", pathOf("fleet", namespace), object("fleet", namespace, { service: {} }));
  assert.deepEqual(kept.spec, {
    default: false,
    profile: "envoy-gateway",
    service: { type: "ClusterIP", ports: [{ name: "http", port: 80, protocol: "TCP" }] },
  });
});

Deno.test("a resource of the management API is the same after the API server has stored it", async () => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const fleet = { namespace, name: "edge" };
  const large = `openapi: 3.1.0\n${"# ä\n".repeat(500_000)}`;
  const rest = "openapi: 3.1.0\nx-svc:\n  upstream: {host: {hostname: example.com}}\n  qos: {request_timeout: 1.5}\n";
  const ports = [{ name: "http", nodePort: 30080, port: 80, protocol: "TCP", targetPort: 8080 }];
  const resources = [
    { kind: "api", namespace, name: "todo", spec: { fleet, openapi: '\ufeff"quoted" \u0000 \ud83d\ude00\r\n' } },
    { kind: "api", namespace, name: "large", spec: { fleet, openapi: large } },
    { kind: "staticroute", namespace, name: "rest", spec: { fleet, openapi: rest } },
    { kind: "fleet", namespace, name: "edge", spec: { serviceType: "LoadBalancer", ports } },
  ] as const;
  for (const resource of resources) {
    const { kind } = resource;
    const wanted = await toCustomResource(
      kind === "fleet" ? { ...resource, spec: { ...resource.spec, ports: [...ports] } } : resource,
    );
    const kept = await api.request("POST", pathOf(kind, namespace), wanted);
    const read = await fromCustomResource(kept);
    const { version, created, ...same } = read ?? { version: "", created: "" };
    assert.deepEqual(same, resource);
    assert.equal(version, kept.metadata.resourceVersion);
    assert.equal(created, kept.metadata.creationTimestamp);
  }
});

Deno.test("the API server keeps the largest definitions that gw writes", async () => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const openapiGzip = `H4sI${"A".repeat(1_400_000 - 4)}`;
  const path = pathOf("api", namespace);
  await api.request("POST", path, object("api", namespace, { openapiGzip }));
  const status = { warnings: Array.from({ length: 20 }, () => "x".repeat(1_000)) };
  await api.request("PATCH", `${path}/x/status`, { status }, "application/merge-patch+json");
  await api.request("DELETE", `${path}/x`);
});

Deno.test("status is written beside spec, not with it", async () => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  const path = pathOf("api", namespace);
  const status = { operations: { mocked: 1, proxied: 2, disabled: 0 } };
  const created = await api.request("POST", path, { ...object("api", namespace, { openapi: TODO }), status });
  assert.equal(created.status, undefined);
  const written = await api.request(
    "PATCH",
    `${path}/x/status`,
    { status, spec: null },
    "application/merge-patch+json",
  );
  assert.deepEqual(written.status, status);
  assert.deepEqual(written.spec, { openapi: TODO });
  assert.equal(written.metadata.generation, 1);
});

Deno.test("kubectl shows what there is, by short names, a category and columns", async () => {
  await using api = await startWithKinds();
  const namespace = await api.createNamespace();
  await api.apply(
    object("api", namespace, { openapi: TODO, fleet: { name: "edge" } }, "todo"),
    object("api", namespace, { openapi: TODO, fleet: { name: "other" } }, "users"),
    object("fleet", namespace, { default: true, service: {} }, "edge"),
    object("staticroute", namespace, { upstream: WEB, hosts: ["a.example.com"] }, "rest"),
  );
  const condition = (type: string): object => (
    { type, status: "True", reason: type, message: "", lastTransitionTime: "2026-01-02T03:04:05Z" }
  );
  const status = {
    operations: { mocked: 3, proxied: 4, disabled: 5 },
    conditions: [condition("Accepted"), condition("Programmed")],
  };
  await api.request("PATCH", `${pathOf("api", namespace)}/todo/status`, { status }, "application/merge-patch+json");
  const get = (...args: string[]): Promise<string> => api.kubectl(["get", "--namespace", namespace, ...args]);
  assert.match(
    await get("gwa", "todo"),
    /^NAME +FLEET +ACCEPTED +PROGRAMMED +RESOLVED +MOCKED +PROXIED +AGE\ntodo +edge +True +True +3 +4 +\S+\n$/,
  );
  assert.match(await get("gwa", "todo", "-o", "wide"), /DISABLED +REASON.*\n.* 5 +Accepted /);
  assert.match(
    await get("gwf"),
    /^NAME +DEFAULT +ADDRESS +PROGRAMMED +APIS +ROUTES +AGE\nedge +true +\d+s\n$/,
  );
  assert.match(
    await get("gwsr"),
    /^NAME +FLEET +HOSTS +ACCEPTED +PROGRAMMED +RESOLVED +AGE\nrest +\["a\.example\.com"\] +\d+s\n$/,
  );
  const all = await get("gw", "-o", "name");
  assert.deepEqual(all.trim().split("\n").map((line) => line.replace(".gateway.x-svc.io", "")), [
    "api/todo",
    "api/users",
    "fleet/edge",
    "staticroute/rest",
  ]);
  assert.equal(
    await get("gwa", "-o", "name", "--field-selector", "spec.fleet.name=other"),
    "api.gateway.x-svc.io/users\n",
  );
});

Deno.test("kubectl explains each field", async (test) => {
  await using api = await startWithKinds();
  const cases: [string, RegExp][] = [
    ["apis", /KIND: +API\n[^]*An OpenAPI definition that is deployed to a fleet/],
    ["apis.spec.openapi", /its x-svc says how operations are\s+served/],
    ["apis.status.operations.mocked", /Operations that gw answers itself/],
    ["fleets.spec.service.ports.port", /Port that clients connect to/],
    ["staticroutes.spec.upstream.service.port", /Default: 80/],
    ["staticroutes.spec.settings.qos.retries", /Further attempts/],
    ["staticroutes.spec.auth.jwt.providers.jwks_uri", /RFC 7517/],
  ];
  for (const [field, want] of cases) {
    await test.step(field, async () => {
      assert.match(await api.kubectl(["explain", field, "--api-version", API_VERSION]), want);
    });
  }
});
