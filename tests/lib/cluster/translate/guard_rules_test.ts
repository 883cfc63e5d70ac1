/** Which paths guard rules take, judged by RE2, and which they leave to the operations. */
import assert from "node:assert/strict";
import { RE2JS } from "re2js";
import { normalPath } from "../../../../lib/http/url/normal_path.ts";
import { planRoutes } from "../../../../lib/gateway/plan_routes.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { definitionOf, OPEN, REFUSED, SPELLINGS } from "../../../paths/spellings.ts";
import {
  FLEET,
  guardsOf,
  JWT,
  MOCKED,
  planOf,
  planOfStaticRoute,
  renderPlan,
  rulesOf,
  WEB,
} from "./rendering_support.ts";

const OFF = { disabled: true };

function isGuarded(guards: readonly string[], path: string): boolean {
  return guards.some((guard) => RE2JS.matches(guard, path));
}

Deno.test("guards take the paths that a server may read as a refused path, and no others", async () => {
  const document = await parseDocument(JSON.stringify(definitionOf(WEB, "https://id.example.com/keys")));
  const plan = planRoutes({ namespace: "shop", name: "paths", fleet: FLEET, document });
  const guards = guardsOf(renderPlan(plan));
  for (const path of SPELLINGS) {
    // Envoy does the same as normalPath(), and refuses NUL itself.
    const normal = (normalPath(path) ?? path).replace(/\/{2,}/g, "/");
    const isReading = /%2f|%5c|;|%3b/i.test(normal) && !/^\/(?:admin|users|v1)?(?:%2f|;|%5c)/i.test(normal);
    if (normalPath(path) === undefined) {
      assert.ok(isGuarded(guards, path.replaceAll(/%(2e|66|65|32)/gi, (code) => decodeURIComponent(code))), path);
    } else if (isReading && !/^\/v1\/[^/]+\/[^/]+\/locked$/.test(normal)) assert.ok(isGuarded(guards, normal), path);
  }
  for (const path of [...Object.values(OPEN), ...REFUSED]) assert.ok(!isGuarded(guards, path), path);
});

Deno.test("guards are made for stricter paths that an open template or prefix could take", async (t) => {
  interface Case {
    name: string;
    root?: JsonObject;
    operations: Record<string, JsonObject>;
    /** A static route on the same host. */
    rest?: JsonObject;
    guarded: readonly string[];
    free: readonly string[];
  }
  const cases: readonly Case[] = [
    {
      name: "a disabled path beside a template",
      operations: { "GET /a/{x}": {}, "GET /a/b": OFF },
      guarded: ["/a/b;v", "/a/b%2F", "/a%2fb", "/a/%5Cb", "/a;v/b", "/a/..%2fb"],
      free: ["/a/b", "/a/c;v", "/a/c%2Fb", "/a/b%2Fc", "/a/bc;v", "/a/xb"],
    },
    {
      name: "a protected template beside a shorter one",
      operations: { "GET /a/{x}": {}, "GET /a/{x}/b": JWT },
      guarded: ["/a/1%2Fb", "/a/1%5cb;v", "/a%2f1/b", "/a/1/b%2f"],
      free: ["/a/1;v/b", "/a/1%2F2/b", "/a/1%2F2", "/a/1/b"],
    },
    {
      name: "a literal in the middle, and one with other characters",
      operations: { "GET /{a}/{b}": {}, "GET /x/{id}/a@b": JWT },
      guarded: ["/x/1%2Fa@b", "/x/1%2fa%40b", "/x%2F1/a@b"],
      free: ["/x/1", "/x/1/a@b", "/x/1;v/a@b"],
    },
    {
      name: "everything behind one authentication: only unsafe paths",
      root: JWT,
      operations: { "GET /a/{x}": {}, "GET /a/b": {} },
      guarded: ["/a/..%2fb"],
      free: ["/a/b;v", "/a%2fb"],
    },
    {
      name: "another method is open",
      operations: { "PUT /a/{x}": {}, "GET /a/b": JWT },
      guarded: ["/a/..%2fb"],
      free: ["/a/b;v"],
    },
    {
      name: "a mocked template: the mocks refuse the paths themselves",
      operations: { "GET /a/{x}": MOCKED, "GET /a/b": OFF },
      guarded: [],
      free: ["/a/b;v", "/a/..%2fb"],
    },
    {
      name: "no template",
      operations: { "GET /a/c": {}, "GET /a/b": JWT },
      guarded: [],
      free: ["/a/b;v", "/a/..%2fb"],
    },
    {
      name: "a static route beside the API",
      operations: { "GET /a/c": {}, "GET /a/b": JWT },
      rest: WEB,
      guarded: ["/a/b;v", "/a%2fb", "/a/b%2f"],
      free: ["/a/c;v", "/x/a%2fb", "/a/b"],
    },
    {
      name: "a path that the definition has with a parameter",
      operations: { "GET /a/{x}": {}, "GET /a/b": JWT, "GET /a/b;v=2": {} },
      guarded: ["/a/..%2fb"],
      free: ["/a/b;v=2"],
    },
    {
      name: "a path that is too long for a whole expression",
      operations: {
        "GET /{x}": {},
        [`GET /${Array.from({ length: 16 }, (_, index) => `segment-of-some-length-${index}`).join("/")}`]: JWT,
      },
      guarded: [`/${Array.from({ length: 16 }, (_, index) => `segment-of-some-length-${index}`).join("%2F")}`],
      free: ["/segment-of-some-length-0", "/a%2Fb"],
    },
  ];
  for (const { name, root = {}, operations, rest, guarded, free } of cases) {
    await t.step(name, async () => {
      const plan = await planOf("pets", { ...WEB, ...root }, operations);
      const neighbours = rest === undefined ? [] : [await planOfStaticRoute("rest", rest)];
      const guards = guardsOf(renderPlan(plan, { neighbours }));
      for (const path of guarded) assert.ok(isGuarded(guards, path), `${path} passes ${guards.join("\n")}`);
      for (const path of free) assert.ok(!isGuarded(guards, path), `${path} is taken by ${guards.join("\n")}`);
      assert.ok(guards.every(({ length }) => length <= 1024));
    });
  }
});

Deno.test("guards of a static route are for the paths below its prefix", async () => {
  const plan = await planOfStaticRoute("files", { ...WEB, ...JWT, path: { prefix: "/files" } });
  const rest = await planOfStaticRoute("rest", WEB);
  const guards = guardsOf(renderPlan(plan, { neighbours: [rest] }));
  for (const path of ["/files;x/y", "/files%2Fx", "/%5cfiles/x", "/files/..%2fx", "/;v/files/a/b"]) {
    assert.ok(isGuarded(guards, path), path);
  }
  for (const path of ["/files", "/files/x%2Fy;z", "/filesystem;x", "/other/files%2Fx"]) {
    assert.ok(!isGuarded(guards, path), path);
  }
});

Deno.test("a guard is longer than the expressions of the templates that it guards", async () => {
  const long = `${"long-name-".repeat(30)}{x}`;
  const plan = await planOf("pets", WEB, { [`GET /a/${long}/{y}`]: {}, [`GET /a/${long}/b`]: OFF });
  const rendering = renderPlan(plan);
  const guards = guardsOf(rendering);
  const templates = rulesOf(rendering).flatMap(({ matches }) => matches)
    .filter(({ path, method }) =>
      method === "GET" && path.type === "RegularExpression" && !guards.includes(path.value)
    );
  const open = templates.filter(({ path }) => path.value.replaceAll("(?:)", "").endsWith("[^/]+$"));
  assert.equal(open.length, 1);
  for (const guard of guards) assert.ok(guard.length > (open[0]?.path.value.length ?? 0), guard);
});

Deno.test("the portable profile has no guards: the order of its expressions isn't specified", async () => {
  const plan = await planOf("pets", WEB, { "GET /a/{x}": {} });
  assert.deepEqual(guardsOf(renderPlan(plan, { profile: "portable" })), []);
});
