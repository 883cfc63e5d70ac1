import assert from "node:assert/strict";
import { PlanCache, type StoredDefinition } from "../../../../cmd/io/gateway/plan_cache.ts";
import { checkDeployment } from "../../../../lib/gateway/check_deployment.ts";

const FLEET = { namespace: "edge", name: "edge" };

const MOCKED = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Todo", version: "1" },
  "x-svc": { mocking: { enabled: true } },
  paths: { "/todos": { get: { responses: { 204: { description: "Todos." } } } } },
});

const REFUSED = MOCKED.replace('"mocking"', '"mockery"');

/** A stored definition that counts how often its text is read. */
function stored(
  text: string,
  { version = "1", name = "todo", fleet = FLEET } = {},
): StoredDefinition & { read: number } {
  const definition = {
    kind: "api" as const,
    namespace: "shop",
    name,
    fleet,
    version,
    read: 0,
    readText: () => {
      definition.read++;
      return text;
    },
  };
  return definition;
}

/** A cache that counts how often definitions are checked. */
function countingCache(): { cache: PlanCache; checks: () => number } {
  let checks = 0;
  const cache = new PlanCache({
    check(...args) {
      checks++;
      return checkDeployment(...args);
    },
  });
  return { cache, checks: () => checks };
}

Deno.test("PlanCache reads, plans and checks a version of a definition only once", async () => {
  const { cache, checks } = countingCache();
  const definition = stored(MOCKED);
  const [first, second] = [cache.get(definition), cache.get(definition)];
  assert.equal(first, second);
  const [plan, again, checked] = await Promise.all([first.plan(), second.plan(), first.check(), second.check()]);
  assert.equal(plan, again);
  assert.ok(checked.kind === "deployable");
  assert.equal(checked.plan, plan);
  assert.equal(await first.text(), MOCKED);
  assert.deepEqual([definition.read, checks()], [1, 1]);
  assert.notEqual(cache.get({ ...definition, version: "2" }), first);
});

Deno.test("PlanCache doesn't check a definition that only has to be planned", async () => {
  const { cache, checks } = countingCache();
  const planned = cache.get(stored(REFUSED));
  await planned.plan();
  assert.equal((await planned.trust(["doubtful"])).kind, "deployable");
  assert.equal((await planned.parse()).kind, "deployable");
  assert.equal(checks(), 0);
});

Deno.test("PlanCache refuses a definition with its errors", async (t) => {
  const cases = [
    { name: "an unknown setting", definition: stored(REFUSED), want: /^1:\d+: .*mockery/ },
    { name: "a text that doesn't parse", definition: stored("{"), want: /^1:\d+: / },
    {
      name: "a text that can't be read",
      definition: { ...stored(""), readText: () => Promise.reject(new RangeError("It is not base64.")) },
      want: /^It is not base64\.$/,
    },
  ];
  for (const { name, definition, want } of cases) {
    await t.step(name, async () => {
      const checked = await new PlanCache().get(definition).check();
      assert.ok(checked.kind === "refused");
      assert.match(checked.errors.join("\n"), want);
    });
  }
});

Deno.test("PlanCache uses an expected plan for its text and fleet only", async (t) => {
  const cases = [
    { name: "the same text", definition: stored(MOCKED, { version: "2" }), isUsed: true },
    { name: "another text", definition: stored(`${MOCKED} `, { version: "2" }), isUsed: false },
    { name: "another fleet", definition: stored(MOCKED, { fleet: { ...FLEET, name: "other" } }), isUsed: false },
    { name: "another name", definition: stored(MOCKED, { name: "other" }), isUsed: false },
  ];
  for (const { name, definition, isUsed } of cases) {
    await t.step(name, async () => {
      const { cache, checks } = countingCache();
      const plan = await cache.uncached(stored(MOCKED)).plan();
      cache.expect(plan, ["doubtful"]);
      const checked = await cache.get(definition).check();
      assert.ok(checked.kind === "deployable");
      assert.equal(checked.plan === plan, isUsed);
      assert.deepEqual([checked.warnings, checks()], isUsed ? [["doubtful"], 0] : [[], 1]);
      cache.expectNothing();
      assert.notEqual(await cache.get({ ...definition, version: "3" }).plan(), plan);
    });
  }
});

Deno.test("PlanCache forgets what is gone", () => {
  const cache = new PlanCache();
  const [todo, other] = [stored(MOCKED), stored(MOCKED, { name: "other" })];
  const [first, second] = [cache.get(todo), cache.get(other)];
  cache.delete(todo);
  assert.notEqual(cache.get(todo), first);
  cache.retain([other]);
  assert.equal(cache.get(other), second);
  assert.notEqual(cache.get(todo), first);
});

Deno.test("PlanCache works on one definition at a time, and leaves timers their turns", async () => {
  let running = 0;
  let most = 0;
  const cache = new PlanCache({
    async check(...args) {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve));
      const found = await checkDeployment(...args);
      running--;
      return found;
    },
  });
  const definitions = Array.from({ length: 20 }, (_, index) => stored(MOCKED, { name: `api-${index}` }));
  await Promise.all(definitions.map((definition) => cache.get(definition).check()));
  assert.equal(most, 1);
});
