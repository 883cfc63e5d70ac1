import assert from "node:assert/strict";
import {
  JWT,
  linesOf,
  MOCKED,
  OTHER,
  planOf,
  type RenderedRule,
  renderPlan,
  rulesOf,
  WEB,
} from "./rendering_support.ts";
import type { RouteMatch } from "../../../../lib/cluster/translate/gateway_api.ts";
import type { Rendering } from "../../../../lib/cluster/translate/render.ts";
import { createRandom } from "../../../../lib/mock/generate/random.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import { coverageOf } from "../../../../lib/cluster/protection/route_order.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";

/** The matches and the backends of the rules for operations, as lines such as `POST / ?Action=A #x-target=T -> web`. */
function matchesOf(rendering: Rendering): string[] {
  return rulesOf(rendering).filter(({ name }) => name !== "undeclared").flatMap(({ matches, backendRefs = [] }) =>
    (matches as RouteMatch[]).map(({ path, method = "*", queryParams = [], headers = [] }) => {
      const show = (mark: string, { name, type, value }: { name: string; type?: string; value: string }): string =>
        `${mark}${name}${type === "RegularExpression" ? "~" : "="}${value}`;
      const conditions = [...queryParams.map((one) => show("?", one)), ...headers.map((one) => show("#", one))];
      return [method, path.value, ...conditions, "->", ...backendRefs.map(({ name }) => name)].join(" ");
    })
  ).sort();
}

const RENDERED: { name: string; root?: JsonObject; operations: Record<string, JsonObject>; want: string[] }[] = [
  {
    name: "queries and headers",
    operations: {
      "POST /?Action=A": WEB,
      "POST /?Action=B&Version=2": OTHER,
      "PUT /x#X-Target=Shop.List": WEB,
      "PUT /x": OTHER,
    },
    want: [
      "POST / ?Action=A -> web",
      "POST / ?Action=B ?Version=2 -> other",
      "PUT /x #x-target=Shop.List -> web",
      "PUT /x -> other",
    ],
  },
  {
    name: "any value, an empty one, and values that clients write in several ways",
    operations: { "PUT /a?beta": WEB, "PUT /b?c=": WEB, "PUT /c?d=a%20b/c": WEB, "PUT /d?user={id}": WEB },
    want: [
      "PUT /a ?beta~.* -> web",
      "PUT /b ?c~^$ -> web",
      "PUT /c ?d~a(?:%20|\\+)b(?:/|%2[Ff])c -> web",
      "PUT /d ?user~.* -> web",
    ],
  },
  {
    name: "a route for GET matches HEAD too, unless one for HEAD has the same conditions",
    operations: { "GET /x?a=1": WEB, "GET /x?a=2": WEB, "HEAD /x?a=1": OTHER },
    want: ["GET /x ?a=1 -> web", "GET /x ?a=2 -> web", "HEAD /x ?a=1 -> other", "HEAD /x ?a=2 -> web"],
  },
  {
    name: "keys that differ by labels have one rule",
    operations: { "PUT /tags/{arn}": WEB, "PUT /tags/{arn}#tagKeys": WEB, "PUT /tags/{arn}#more": WEB },
    want: ["PUT ^/tags/[^/]+$ -> web"],
  },
  {
    name: "a mocked operation keeps its rule where one with fewer conditions would take its requests",
    root: MOCKED,
    operations: {
      "PUT /x?a=1": {},
      "PUT /x": { ...WEB, mocking: { enabled: false } },
      "PUT /y": {},
      "PUT /z": {},
      "PUT /y?a=1": { ...OTHER, mocking: { enabled: false } },
    },
    want: ["* / -> gw-mock", "PUT /x -> web", "PUT /x ?a=1 -> gw-mock", "PUT /y ?a=1 -> other"],
  },
  {
    name: "a disabled operation has a rule where one with fewer conditions would take its requests",
    operations: { "PUT /x?a=1": { disabled: true }, "PUT /x": WEB, "PUT /y?a=1": WEB, "PUT /y": { disabled: true } },
    want: ["PUT /x -> web", "PUT /x ?a=1 -> gw-mock", "PUT /y ?a=1 -> web"],
  },
  {
    name: "preflights have no conditions on headers",
    operations: { "PUT /x#X-Target=A": { ...WEB, cors: { origins: ["*"] } } },
    want: [
      "OPTIONS /x #origin~.* #access-control-request-method=PUT -> web",
      "PUT /x #x-target=A -> web",
    ],
  },
];

Deno.test("renderGatewayApi() matches the conditions of path keys", async (t) => {
  for (const { name, root = {}, operations, want } of RENDERED) {
    await t.step(name, async () => {
      const rendering = renderPlan(await planOf("pets", root, operations));
      assert.deepEqual(rendering.diagnostics, []);
      assert.deepEqual(matchesOf(rendering), want);
    });
  }
});

Deno.test("renderGatewayApi() has a rule for requests that fulfil no conditions", async () => {
  const rendering = renderPlan(
    await planOf("pets", { hosts: ["a.example"] }, { "PUT /?a=1": WEB, "PUT /x/y?a=1": WEB }),
  );
  assert.deepEqual(linesOf(rendering).filter((line) => line.endsWith("gw-mock")), [
    "* / -> gw-mock",
    "* /x/y/? -> gw-mock",
  ]);
});

Deno.test("renderGatewayApi() divides many operations of one path among HTTPRoutes", async () => {
  const operations = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`POST /?Action=A${index}`, WEB]));
  const rules = rulesOf(renderPlan(await planOf("pets", {}, operations))).filter(({ name }) => name !== "undeclared");
  const counts = Map.groupBy(rules, ({ route }) => route);
  assert(counts.size > 2);
  for (const [route, rules] of counts) {
    const matches = rules.map(({ matches }) => matches.length);
    assert(matches.every((count) => count <= 64) && matches.reduce((sum, count) => sum + count, 0) <= 128, route);
  }
  assert.equal(rules.flatMap(({ matches }) => matches).length, 300);
});

const PORTABLE = / Use a fleet with the profile `envoy-gateway`\.$/;

const REFUSED: {
  name: string;
  operations: Record<string, JsonObject>;
  profile?: "portable";
  at: string;
  message: RegExp;
}[] = [
  {
    name: "a name that no match can have",
    operations: { "PUT /x?filter[a]=1": WEB },
    at: "/paths/~1x?filter[a]=1/put",
    message:
      /^No rule of a gateway can match the path `\/x\?filter\[a\]=1`: a match can't have the name `filter\[a\]`\.$/,
  },
  {
    name: "two values of one query",
    operations: { "PUT /x?a=1&a=2": WEB },
    at: "/paths/~1x?a=1&a=2/put",
    message: /: a match has at most one value of `a`\.$/,
  },
  {
    name: "any value, in the standard channel",
    operations: { "PUT /x?a": WEB },
    profile: "portable",
    at: "/paths/~1x?a/put",
    message: PORTABLE,
  },
  {
    name: "an order that isn't the gateway's",
    operations: { "PUT /x?a=1&b=2": WEB, "PUT /x#X-Target=T": OTHER },
    at: "/paths/~1x#X-Target=T/put",
    message: /^Some requests fit both `\/x\?a=1&b=2` and `\/x#X-Target=T`, and a gateway doesn't prefer the one/,
  },
  {
    name: "an order that the gateway leaves open",
    operations: { "PUT /x?a=1": WEB, "PUT /x?b=2": OTHER },
    at: "/paths/~1x?b=2/put",
    message: /^Some requests fit both/,
  },
  {
    name: "labels",
    operations: { "PUT /x#one": WEB, "PUT /x#two": OTHER },
    at: "/paths/~1x#two/put",
    message: /^A gateway can't tell `\/x#one` and `\/x#two` apart\. Give both the same action and settings\.$/,
  },
  {
    name: "a disabled operation that differs by a label",
    operations: { "PUT /x#one": WEB, "PUT /x#two": { disabled: true } },
    at: "/paths/~1x#two/put",
    message: /^A gateway can't tell `\/x#one` and `\/x#two` apart\./,
  },
  {
    name: "authentication that depends on a query",
    operations: { "PUT /x?a=1": { ...WEB, ...JWT }, "PUT /x?a=2": WEB },
    at: "/paths/~1x?a=2/put",
    message: /^In a cluster, `\/x\?a=1` and `\/x\?a=2` need the same `auth`/,
  },
  {
    name: "authentication of a mocked operation that depends on a query",
    operations: { "PUT /x?a=1": { ...MOCKED, ...JWT }, "PUT /x?a=2": MOCKED },
    at: "/paths/~1x?a=2/put",
    message: /need the same `auth`/,
  },
  {
    name: "authentication that a further header avoids",
    operations: { "PUT /x#X-Target=T": { ...WEB, ...JWT }, "PUT /x": WEB },
    at: "/paths/~1x/put",
    message: /^In a cluster, `\/x#X-Target=T` and `\/x` need the same `auth`/,
  },
];

Deno.test("renderGatewayApi() refuses conditions that a gateway can't express", async (t) => {
  for (const { name, operations, profile = "envoy-gateway", at, message } of REFUSED) {
    await t.step(name, async () => {
      const { diagnostics } = renderPlan(await planOf("pets", {}, operations), { profile });
      assert.deepEqual(diagnostics.map(({ pointer }) => pointer), [at.replaceAll("//", "/")]);
      assert.match(diagnostics[0]?.message ?? "", message);
    });
  }
});

Deno.test("renderGatewayApi() refuses more operations of a path than it can compare", async () => {
  const operations = Object.fromEntries(
    Array.from({ length: 1_001 }, (_, index) => [`PUT /x?a=${index}`, index === 1 ? OTHER : WEB]),
  );
  const { diagnostics } = renderPlan(await planOf("pets", {}, operations));
  assert.deepEqual(diagnostics.map(({ pointer }) => pointer), ["/paths/~1x?a=1000/put"]);
  assert.match(diagnostics[0]?.message ?? "", /^Too many operations .* at most 500,000 pairs\./);
});

Deno.test("renderGatewayApi() refuses each operation once, of many that it can't tell apart", async () => {
  const operations = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`PUT /x#a${index}`, index % 2 === 1 ? OTHER : WEB]),
  );
  const { diagnostics } = renderPlan(await planOf("pets", {}, operations));
  assert.deepEqual(
    diagnostics.map(({ pointer }) => pointer),
    Object.keys(operations).slice(1).map((key) => `/paths/${key.slice(4).replace("/", "~1")}/put`),
  );
});

Deno.test("renderGatewayApi() accepts conditions whose order decides nothing", async (t) => {
  const accepted: Record<string, JsonObject>[] = [
    { "PUT /x?a=1": WEB, "PUT /x?b=2": WEB },
    { "PUT /x#X-Target=T": OTHER, "PUT /x?a=1": WEB },
    { "PUT /x?a=1": WEB, "PUT /x?a=2": OTHER },
    { "PUT /x?a=1": WEB, "GET /x?b=2": OTHER },
    { "PUT /x#X-Target=T": { ...WEB, ...JWT }, "PUT /x#X-Target=U": WEB },
    { "PUT /x?a=1": { ...WEB, ...JWT }, "PUT /x": { ...OTHER, ...JWT } },
    { "PUT /x?a=1": { ...WEB, ...JWT }, "PUT /x": OTHER },
  ];
  for (const operations of accepted) {
    await t.step(Object.keys(operations).join(", "), async () => {
      assert.deepEqual(renderPlan(await planOf("pets", {}, operations)).diagnostics, []);
    });
  }
});

/** The rule that has precedence by the Gateway API; `several` if the Gateway API doesn't define which has. */
function ruleFor(
  rules: readonly RenderedRule[],
  query: URLSearchParams,
  headers: Headers,
): string | undefined {
  const fits = ({ type, value }: { type?: string; value: string }, given: string | null): boolean =>
    given !== null && (type === "RegularExpression" ? new RegExp(`^(?:${value})$`).test(given) : given === value);
  const found = rules.flatMap(({ name, backendRefs = [], matches }) =>
    (matches as RouteMatch[])
      .filter(({ queryParams = [] }) => queryParams.every((one) => fits(one, query.get(one.name))))
      .filter(({ headers: named = [] }) => named.every((one) => fits(one, headers.get(one.name))))
      .map(({ path, method, queryParams = [], headers: named = [] }) => ({
        backend: name === "undeclared" ? name : backendRefs[0]?.name,
        rank: (path.type === "PathPrefix" ? 0 : 20_000) + (method === undefined ? 0 : 10_000) + named.length * 100 +
          queryParams.length,
      }))
  );
  const highest = Math.max(...found.map(({ rank }) => rank));
  const backends = new Set(found.filter(({ rank }) => rank === highest).map(({ backend }) => backend));
  return backends.size > 1 ? "several" : [...backends][0];
}

const PARTS = ["a=1", "a=2", "a", "b=1", "b"];
const HEADERS = ["X-A=1", "X-A=2", "X-B=1"];

Deno.test("a gateway finds the operation that gw mock finds, unless the rendering is refused", async () => {
  const random = createRandom(1);
  const some = (list: readonly string[], share: number): string[] => list.filter(() => random() < share);
  let accepted = 0;
  for (let round = 0; round < 300; round++) {
    const keys = new Set(Array.from({ length: 3 }, () => {
      const [query, fragment] = [some(PARTS, 0.3).join("&"), some(HEADERS, 0.3).join("&")];
      return `/x${query && `?${query}`}${fragment && `#${fragment}`}`;
    }));
    const operations = [...keys].map((key, index): [string, JsonObject] => {
      const kind = random();
      const settings = kind < 0.3 ? MOCKED : kind < 0.4 ? { disabled: true } : WEB;
      return [`PUT ${key}`, settings === WEB ? { upstream: { service: { name: `service-${index}` } } } : settings];
    });
    const plan = await planOf("pets", {}, Object.fromEntries(operations));
    const rendering = renderPlan(plan);
    if (rendering.diagnostics.length > 0) continue;
    accepted++;
    const rules = rulesOf(rendering);
    const router = createRouter(plan.routes.map((route, index) => (
      {
        method: "PUT",
        path: "/x",
        conditions: route.conditions,
        backend: route.action.kind === "upstream" ? `service-${index}` : route.action.kind,
      }
    )));
    for (let count = 0; count < 20; count++) {
      const query = new URLSearchParams(some(["a=1", "b=1"], 0.5).map((part) => part.split("=") as [string, string]));
      if (random() < 0.3) query.set("a", "2");
      const headers = new Headers(some(HEADERS, 0.4).map((part) => part.split("=") as [string, string]).slice(-1));
      const match = router.match("PUT", "/x", { url: `http://a.example/x?${query}`, headers });
      const backend = match.kind === "found" ? match.route.backend : "disabled";
      const found = ruleFor(rules, query, headers) ?? "";
      const want = backend === "mock" ? /^gw-mock$/ : backend === "disabled" ? /^gw-mock$|^undeclared$/ : backend;
      assert.match(found, new RegExp(want), `${JSON.stringify(operations)} for ?${query} ${[...headers]}`);
    }
  }
  assert(accepted > 30, `${accepted}`);
});

Deno.test("coverageOf() tells matches with different queries apart", async () => {
  const { objects } = renderPlan(await planOf("pets", {}, { "PUT /x?a=1": WEB, "PUT /x?a=2": WEB }));
  const route = objects.find(({ kind }) => kind === "HTTPRoute");
  assert.equal([...coverageOf(route)].filter((key) => /\bPUT\b/.test(key) && !key.includes("OPTIONS")).length, 2);
});
