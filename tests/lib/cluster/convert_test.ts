import assert from "node:assert/strict";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { fromCustomResource, mergeCustomResource, toCustomResource } from "../../../lib/cluster/convert.ts";
import type { WritableResource } from "../../../lib/cluster/convert.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";

const FLEET = { name: "edge", namespace: "fleets" };
const TODO =
  "openapi: 3.1.0\ninfo: {title: Todo, version: 1.0}\nx-svc: {upstream: {service: {name: todo}}}\npaths: {}\n";
const REST = `openapi: 3.1.0 # what is left
info: {title: Rest, version: 1.0.0}
x-svc:
  hosts: [api.example.com]
  upstream: {host: {hostname: example.com, port: 443, tls: true}}
  auth: {jwt: {providers: [{name: ours, jwks_uri: https://example.com/jwks}]}}
  qos: {request_timeout: 3}
paths: {}
`;

function api(openapi: string): WritableResource {
  return { kind: "api", namespace: "shop", name: "todo", spec: { fleet: FLEET, openapi } };
}

function staticRoute(openapi: string): WritableResource {
  return { kind: "staticroute", namespace: "shop", name: "rest", spec: { fleet: FLEET, openapi } };
}

function fleet(ports: object[]): WritableResource {
  const whole = ports.map((port) => ({ name: "", nodePort: 0, port: 80, protocol: "TCP", targetPort: 0, ...port }));
  return { kind: "fleet", namespace: "fleets", name: "edge", spec: { serviceType: "LoadBalancer", ports: whole } };
}

/** Adds the fields that the API server sets when it stores an object. */
function stored(object: KubernetesObject): KubernetesObject {
  const metadata = { ...object.metadata, resourceVersion: "17", creationTimestamp: "2026-01-02T03:04:05Z" };
  return JSON.parse(JSON.stringify({ ...object, metadata }));
}

function object(kind: string, spec: object): KubernetesObject {
  return stored({ apiVersion: API_VERSION, kind, metadata: { name: "rest", namespace: "shop" }, spec });
}

Deno.test("a resource that was written to a cluster is read again as it was", async (test) => {
  const cases: Record<string, WritableResource> = {
    "an API": api(TODO),
    "a text to the letter": api('\ufeffopenapi: 3.1.0\r\n# "quoted" \u0000 \ud83d\ude00\n\n'),
    "a large text": api("\ufeffopenapi: 3.1.0 # ä\n".repeat(30_000)),
    "a static route": staticRoute(REST),
    "a static route that redirects": staticRoute(
      '{"openapi": "3.1.0", "x-svc": {"redirect": {"host": "example.com"}}}',
    ),
    "a document without x-svc": staticRoute("openapi: 3.1.0\n"),
    "a fleet": fleet([{ name: "http", nodePort: 30080, targetPort: 8080 }, { port: 81 }]),
  };
  for (const [name, resource] of Object.entries(cases)) {
    await test.step(name, async () => {
      const read = await fromCustomResource(stored(await toCustomResource(resource)));
      assert.deepEqual(read, { ...resource, version: "17", created: "2026-01-02T03:04:05Z" });
    });
  }
});

Deno.test("toCustomResource() compresses a definition over 256 KiB, the same each time", async () => {
  const line = "openapi: 3.1.0 # ä\n";
  const fitting = line.repeat(13_107); // The line has 20 bytes in UTF-8.
  const small = await toCustomResource(api(fitting));
  assert.deepEqual(Object.keys(small.spec ?? {}), ["fleet", "openapi"]);
  const large = await toCustomResource(api(fitting + line));
  assert.deepEqual(Object.keys(large.spec ?? {}), ["fleet", "openapiGzip"]);
  assert.deepEqual(large, await toCustomResource(api(fitting + line)));
});

Deno.test("toCustomResource() says when a definition is too large for a cluster", async () => {
  // Pseudorandom digits, so that gzip hardly compresses them.
  let state = 1;
  const noise = Array.from({ length: 500_000 }, () => (state = state * 48_271 % 2_147_483_647).toString(36)).join("");
  await assert.rejects(
    toCustomResource(api(noise)),
    (error) =>
      error instanceof StoreError && error.reason === "full" && /shop\/todo takes \d+ bytes/.test(error.message),
  );
});

Deno.test("toCustomResource() writes a static route as fields", async () => {
  const { spec } = await toCustomResource(staticRoute(REST));
  assert.deepEqual(spec, {
    fleet: FLEET,
    hosts: ["api.example.com"],
    upstream: { host: { hostname: "example.com", port: 443, tls: true } },
    auth: { jwt: { providers: [{ name: "ours", jwks_uri: "https://example.com/jwks" }] } },
    settings: { qos: { request_timeout: 3 } },
    openapi: REST,
  });
});

Deno.test("toCustomResource() leaves out a static route's document that equals the fields", async () => {
  const read = await fromCustomResource(object("StaticRoute", { upstream: { service: { name: "web" } } }));
  assert.ok(read?.kind === "staticroute");
  const { spec } = await toCustomResource(read);
  assert.deepEqual(Object.keys(spec ?? {}), ["fleet", "upstream"]);
});

Deno.test("fromCustomResource() makes a document of a static route's fields, also where they were changed", async (test) => {
  const document = (settings: object): string =>
    `${
      JSON.stringify(
        { openapi: "3.1.0", info: { title: "rest", version: "1.0.0" }, "x-svc": settings, paths: {} },
        undefined,
        2,
      )
    }\n`;
  const upstream = { service: { name: "web", port: 8080 } };
  const cases: { name: string; spec: object; settings: object }[] = [
    { name: "upstream only", spec: { upstream }, settings: { upstream } },
    {
      name: "hosts and settings",
      spec: { hosts: ["a.example.com"], upstream, settings: { websocket: true } },
      settings: { hosts: ["a.example.com"], upstream, websocket: true },
    },
    { name: "a document that says something else", spec: { upstream, openapi: REST }, settings: { upstream } },
  ];
  for (const { name, spec, settings } of cases) {
    await test.step(name, async () => {
      const read = await fromCustomResource(object("StaticRoute", spec));
      assert.ok(read?.kind === "staticroute");
      assert.equal(read.spec.openapi, document(settings));
    });
  }
});

Deno.test("fromCustomResource() resolves the reference to a fleet", async (test) => {
  const cases = [
    { fleet: undefined, want: { name: "edge", namespace: "default" } },
    { fleet: { name: "other" }, want: { name: "other", namespace: "shop" } },
    { fleet: { name: "other", namespace: "fleets" }, want: { name: "other", namespace: "fleets" } },
  ];
  for (const { fleet, want } of cases) {
    await test.step(JSON.stringify(want), async () => {
      const given = object("API", { openapi: TODO, ...(fleet === undefined ? {} : { fleet }) });
      const read = await fromCustomResource(given, { defaultFleet: { name: "edge", namespace: "default" } });
      assert.ok(read?.kind === "api");
      assert.deepEqual(read.spec.fleet, want);
    });
  }
});

Deno.test("fromCustomResource() reads fleets that kubectl wrote", async (test) => {
  const port = { name: "", nodePort: 0, port: 80, protocol: "TCP", targetPort: 0 };
  const cases = [
    { spec: { gateway: { name: "edge" } }, want: { serviceType: "ClusterIP", ports: [] } },
    { spec: { service: { ports: [{ port: 80 }] } }, want: { serviceType: "ClusterIP", ports: [port] } },
    {
      spec: { service: { type: "NodePort", ports: [{ port: 80 }] } },
      want: { serviceType: "ClusterIP", ports: [port] },
    },
  ];
  for (const { spec, want } of cases) {
    await test.step(JSON.stringify(spec), async () => {
      assert.deepEqual((await fromCustomResource(object("Fleet", spec)))?.spec, want);
    });
  }
});

Deno.test("fromCustomResource() says why openapiGzip can't be read", async (test) => {
  const pack = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    return (await new Response(packed).bytes()).toBase64();
  };
  const cases = [
    { openapiGzip: "%", message: /spec.openapiGzip can't be read. It is not base64/ },
    { openapiGzip: btoa("openapi: 3.1.0"), message: /not gzip/ },
    { openapiGzip: (await pack(new TextEncoder().encode(TODO))).slice(0, 40), message: /not gzip/ },
    { openapiGzip: await pack(new Uint8Array([0xff, 0xfe])), message: /UTF-8/ },
    { openapiGzip: await pack(new Uint8Array(65 * 1024 * 1024)), message: /more than 67108864 bytes/ },
  ];
  for (const { openapiGzip, message } of cases) {
    await test.step(String(message), async () => {
      await assert.rejects(fromCustomResource(object("API", { openapiGzip })), { name: "RangeError", message });
    });
  }
});

Deno.test("fromCustomResource() leaves other kinds alone", async () => {
  assert.equal(await fromCustomResource(object("HTTPRoute", {})), undefined);
  assert.equal(await fromCustomResource({ ...object("API", {}), apiVersion: "example.com/v1" }), undefined);
});

Deno.test("mergeCustomResource() removes fields of gw that aren't wanted any more, and keeps those of others", async () => {
  const present = {
    ...object("API", { openapi: TODO, somebody: "else's" }),
    status: { routes: ["todo-0"] },
  };
  const wanted = await toCustomResource(api("openapi: 3.1.0 # ä\n".repeat(20_000)));
  const merged = mergeCustomResource(present, wanted);
  assert.deepEqual(Object.keys(merged.spec ?? {}), ["somebody", "fleet", "openapiGzip"]);
  assert.deepEqual(merged.metadata, present.metadata);
  assert.deepEqual(merged.status, present.status);
});
