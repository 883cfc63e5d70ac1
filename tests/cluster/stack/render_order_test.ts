/**
 * The precedence of paths in a real Envoy: for templates of two APIs that overlap on one host, Envoy must choose the
 * same operation as the router of the mocks.
 *
 * @module
 */
import assert from "node:assert/strict";
import { type Fleet, renderFleet } from "../../../lib/cluster/translate/fleet.ts";
import { renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import { createRouter } from "../../../lib/mock/route/router.ts";
import { ask } from "../support/ask.ts";
import { planOf } from "../support/render.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";
import { freePort } from "../../free_port.ts";

const HOST = "order.example.com";

/** A method, a path, and whether the operation is disabled. */
type Line = readonly [method: string, path: string, disabled?: "disabled"];

const FIRST: readonly Line[] = [
  ["GET", "/pets/{id}"],
  ["DELETE", "/pets/{id}"],
  ["GET", "/pets/mine"],
  ["POST", "/pets/mine"],
  ["GET", "/pets/hidden", "disabled"],
  ["GET", "/{kind}/with-a-long-name-of-its-own"],
  ["GET", "/pets/{id}/toys/{toy}"],
  ["GET", "/pets/{id}/{part}/{piece}"],
  ["GET", "/pets/7/{part}/{piece}"],
  ["GET", "/{kind}/{id}/toys/rope-with-a-long-name"],
  ["HEAD", "/pets/{id}/toys/ball"],
  ["GET", "/pets/{id}/toys/ball"],
  ["GET", "/reports/{name}.{format}"],
  ["GET", "/reports/annual.{format}"],
  ["GET", "/reports/{name}"],
  ["GET", "/reports/{name}.pdf"],
  ["GET", "/reports/{name}/"],
  ["GET", "/a.c"],
  ["GET", "/a b/größe"],
  ["GET", "/a b/{x}"],
  ["GET", "/x%2Fy/{z}"],
  ["GET", "/x+y/(z)"],
  ["GET", "/v1/things:search"],
  ["GET", "/v1/{thing}:search"],
  ["GET", "/v1/{thing}"],
  ["GET", "/users/@me"],
  ["GET", "/users/{id}"],
  ["PUT", "/users/{id}"],
];
const SECOND: readonly Line[] = [
  ["GET", "/{kind}/mine"],
  ["POST", "/{kind}/{id}"],
  ["GET", "/{kind}/{id}/toys/ball"],
  ["GET", "/users/{id}/{part}"],
  ["GET", "/{a}/{b}/{c}"],
];

const PATHS = [
  ...[
    "/pets/1",
    "/pets/mine",
    "/pets/hidden",
    "/pets/with-a-long-name-of-its-own",
    "/cats/with-a-long-name-of-its-own",
  ],
  ...["/pets/7/toys/rope", "/pets/8/toys/rope", "/pets/8/bowls/red", "/pets/8/toys/rope-with-a-long-name"],
  ...[
    "/pets/7/toys/rope-with-a-long-name",
    "/cats/7/toys/rope-with-a-long-name",
    "/pets/8/toys/ball",
    "/cats/8/toys/ball",
  ],
  ...["/reports/annual.pdf", "/reports/annual.csv", "/reports/other.csv", "/reports/other.pdf", "/reports/other"],
  ...[
    "/reports/other/",
    "/reports/a.b.c",
    "/reports/.pdf",
    "/a.c",
    "/abc",
    "/a%20b/gr%C3%B6%C3%9Fe",
    "/a%20b/gr%c3%b6%c3%9fe",
  ],
  ...[
    "/a%20b/other",
    "/x%2Fy/1",
    "/x%2fy/1",
    "/x/y/1",
    "/x+y/(z)",
    "/v1/things:search",
    "/v1/other:search",
    "/v1/other",
  ],
  ...[
    "/users/@me",
    "/users/1",
    "/users/1/friends",
    "/cats/mine",
    "/cats/1",
    "/pets/4%2F2",
    "/pets",
    "/pets/",
    "/nothing",
  ],
  ...["/pets/1?a=b/c", "/%70ets/mine", "/pets/m%69ne", "/PETS/mine", "/users/%40me", "/v1/other%3Asearch"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];

Deno.test("Envoy and the mocks choose the same operation for overlapping paths", async (test) => {
  await using stack = await takeStack();
  // gw's controller would delete these objects, as no API owns them.
  await stack.removeGw();
  await using nobody = startUpstream(
    "nobody",
    () => new Response(null, { status: 404, headers: { "x-from": "mocks" } }),
  );
  const { api } = stack;
  const namespace = await api.createNamespace();
  const fleet: Fleet = { namespace, name: "edge", spec: { service: { ports: [{ port: freePort() }] } } };
  const mocks = { name: "mocks", namespace, port: 80, checkPort: 81 };
  const plans = [
    await planOf(namespace, "first", definitionOf(FIRST, 0)),
    await planOf(namespace, "second", definitionOf(SECOND, FIRST.length)),
  ];
  await api.apply(
    ...serviceObjects({ namespace, name: "mocks", endpoints: [nobody] }),
    ...renderFleet(fleet, { mocks, plans }),
  );
  for (const plan of plans) {
    const { objects, diagnostics } = renderGatewayApi(plan, {
      gateway: { name: "edge", namespace },
      profile: "envoy-gateway",
      mocks,
      neighbours: plans,
    });
    assert.deepEqual(diagnostics, []);
    await api.apply(...objects);
  }
  const port = await stack.portOf(fleet);
  await until(async () => (await ask(port, { host: HOST, path: "/pets/1" })).status === 302);
  await until(async () => (await ask(port, { host: HOST, path: "/cats/mine" })).status === 302);

  const lines = [...FIRST, ...SECOND];
  const router = createRouter(lines.map(([method, path], index) => ({ method, path, index })));
  for (const path of PATHS) {
    await test.step(path, async () => {
      for (const method of METHODS) {
        const match = router.match(method, path.replace(/\?.*/, ""));
        const index = match.kind === "found" ? match.route.index : undefined;
        const wanted = index === undefined || lines[index]?.[2] === "disabled" ? "404" : `op-${index}.example.com`;
        const { status, headers } = await ask(port, { host: HOST, path, method });
        const got = status === 302 ? new URL(headers.get("location") ?? "").hostname : String(status);
        assert.equal(got, wanted, `${method} ${path}: ${lines[index ?? -1]} is meant`);
      }
    });
  }
  assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
});

/** A definition whose operations redirect to different hosts, which tells which one answered. */
function definitionOf(lines: readonly Line[], first: number): string {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [index, [method, path, disabled]] of lines.entries()) {
    const settings = disabled ? { disabled: true } : { redirect: { host: `op-${first + index}.example.com` } };
    (paths[path] ??= {})[method.toLowerCase()] = { "x-svc": settings, responses: { 200: { description: "Fine." } } };
  }
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Order", version: "1" },
    "x-svc": { hosts: [HOST] },
    paths,
  });
}
