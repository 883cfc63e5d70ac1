import assert from "node:assert/strict";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import {
  assertAccepted,
  assertRefused,
  hostUpstream,
  MOCKED,
  planOf,
  type RefusedCase,
  renderPlan,
  rewrite,
  WEB,
} from "./rendering_support.ts";

const REFUSED: readonly RefusedCase[] = [
  [hostUpstream("127.0.0.1"), "/upstream/host/hostname", /loopback/],
  [hostUpstream("127.1"), "/upstream/host/hostname", /loopback/],
  [hostUpstream("0x7f000001"), "/upstream/host/hostname", /loopback/],
  [hostUpstream("::1"), "/upstream/host/hostname", /loopback/],
  [hostUpstream("[::ffff:127.0.0.1]"), "/upstream/host/hostname", /loopback/],
  [hostUpstream("169.254.169.254"), "/upstream/host/hostname", /link-local/],
  [hostUpstream("fe80::1"), "/upstream/host/hostname", /link-local/],
  [hostUpstream("0.0.0.0"), "/upstream/host/hostname", /nothing can be reached/],
  [hostUpstream("localhost"), "/upstream/host/hostname", /the proxy itself/],
  [hostUpstream("a.localhost"), "/upstream/host/hostname", /the proxy itself/],
  [hostUpstream("database"), "/upstream/host/hostname", /without a dot/],
  [hostUpstream("secrets.vault.svc"), "/upstream/host/hostname", /name it by `service`/],
  [hostUpstream("secrets.vault.svc.cluster.local."), "/upstream/host/hostname", /name it by `service`/],
  [hostUpstream("a_b.example.com"), "/upstream/host/hostname", /letters, digits/],
  [{ upstream: { service: { name: "Web" } } }, "/upstream/service/name", /can't be the name of a Service/],
  [
    { upstream: { service: { name: "web", namespace: "a.b" } } },
    "/upstream/service/namespace",
    /can't be the namespace/,
  ],
  [rewrite("^/(?=a)"), "/upstream/rewrite", /look-around/],
  [rewrite("^/(?<!a)b"), "/upstream/rewrite", /look-around/],
  [rewrite("^/(a)\\1"), "/upstream/rewrite", /back-references/],
  [rewrite("^/a{2000}"), "/upstream/rewrite", /1000 times/],
  [rewrite("^/(a)", "/$2"), "/upstream/rewrite", /more than its 1 groups/],
  [rewrite("^/(a)", "/$`"), "/upstream/rewrite", /text around the match/],
  [
    {
      upstreams: [{ weight: 50, ...WEB.upstream, rewrite: { pattern: "a", substitution: "b" } }, {
        weight: 50,
        ...WEB.upstream,
      }],
    },
    "/upstreams",
    /same `rewrite`/,
  ],
  [
    { upstreams: Array.from({ length: 20 }, (_, index) => ({ weight: 5, service: { name: `web-${index}` } })) },
    "/upstreams",
    /at most 16/,
  ],
  [{ redirect: { host: "a_b" } }, "/redirect/host", /DNS name/],
  [{ ...WEB, cors: { origins: ["capacitor://localhost"] } }, "/cors/origins/0", /can't be allowed/],
];

Deno.test("renderGatewayApi() refuses upstreams, redirects and CORS that a cluster can't express", (t) =>
  assertRefused(t, REFUSED));

Deno.test("renderGatewayApi() accepts upstreams, redirects and CORS at the limits", (t) =>
  assertAccepted(t, [
    hostUpstream("10.0.0.1"),
    hostUpstream("2001:db8::1"),
    hostUpstream("svc.example.com"),
    rewrite("^/v1/(?:a|b)(/.*)?$", "/\\1$&$$"),
    rewrite("^/\\u00fc", "/"),
    rewrite("^/(?<name>a)(?i:b)[[:alpha:]]\\pL\\z", "/\\1"),
    { redirect: { host: "Example.COM." } },
    { ...WEB, cors: { origins: ["http://localhost:3000", "https://*.example.com"] } },
    // This setting would be refused, but the operation is disabled.
    { ...hostUpstream("127.0.0.1"), disabled: true },
  ]));

Deno.test("renderGatewayApi() refuses paths, methods and hosts that no rule can match", async (t) => {
  const long = `/${"a".repeat(1100)}`;
  const cases: [root: JsonObject, operation: string, pointer: string, message: RegExp][] = [
    [WEB, "PUT /a//b", "/paths/~1a~1~1b/put", /merge repeated slashes/],
    [WEB, "PUT /a/../b", "/paths/~1a~1..~1b/put", /resolve/],
    [WEB, "QUERY /a", "/paths/~1a/query", /match the method QUERY/],
    [WEB, `PUT ${long}`, `/paths/~1${long.slice(1)}/put`, /longer than the 1024 characters/],
    [{ ...WEB, hosts: ["10.0.0.1"] }, "PUT /a", "/x-svc/hosts", /DNS name/],
  ];
  for (const [root, operation, pointer, message] of cases) {
    await t.step(operation.slice(0, 20), async () => {
      const plan = await planOf("pets", root, { [operation]: {}, "PATCH /z": MOCKED });
      const { diagnostics } = renderPlan(plan);
      assert.deepEqual(diagnostics.map((diagnostic) => diagnostic.pointer), [pointer]);
      assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});
