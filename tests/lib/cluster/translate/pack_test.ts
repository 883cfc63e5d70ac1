import assert from "node:assert/strict";
import { ROUTE_LIMITS } from "../../../../lib/cluster/translate/gateway_api.ts";
import { keyOfObject } from "../../../../lib/cluster/object.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { planOf, renderPlan, rulesOf } from "./rendering_support.ts";

const ROOT = { upstream: { service: { name: "web" } } };
const JWT = { auth: { jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys" }] } } };

/** As many operations as GitHub's definition has, with every kind of action and with templates that overlap. */
function manyOperations(): Record<string, JsonObject> {
  const kinds: readonly JsonObject[] = [{}, { mocking: { enabled: true } }, {}, { disabled: true }, JWT, {
    cache: { enabled: true, max_age: 60 },
  }, { redirect: { host: "elsewhere.example.com" } }];
  const operations: Record<string, JsonObject> = {};
  for (let index = 0; Object.keys(operations).length < 845; index++) {
    const path = `/things-${index % 40}/${index % 3 === 0 ? "{id}" : `part-${index}`}/${
      index % 5 === 0 ? "{x}" : index
    }`;
    for (const method of ["GET", "PUT", "DELETE"].slice(0, index % 3 + 1)) {
      operations[`${method} ${path}`] = kinds[(index + method.length) % kinds.length] ?? {};
    }
  }
  return operations;
}

/** The objects that operations are rendered to, as JSON texts by kind and name. */
async function render(operations: Record<string, JsonObject>): Promise<Map<string, string>> {
  const { objects } = renderPlan(await planOf("many", ROOT, operations));
  return new Map(objects.map((object) => [keyOfObject(object), JSON.stringify(object)]));
}

/** The number of objects that differ between two renderings. */
function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): number {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key)).length;
}

Deno.test("pack() keeps to the limits of an HTTPRoute", async () => {
  const rules = rulesOf(renderPlan(await planOf("many", ROOT, manyOperations())));
  const routes = [...Map.groupBy(rules, ({ route }) => route).values()];
  assert.ok(routes.length > 5);
  for (const rules of routes) {
    assert.ok(rules.length <= ROUTE_LIMITS.rules);
    assert.ok(rules.every(({ matches }) => matches.length <= ROUTE_LIMITS.matchesOfRule));
    assert.ok(rules.reduce((sum, { matches }) => sum + matches.length, 0) <= ROUTE_LIMITS.matches);
    assert.deepEqual(rules.map(({ name }) => name), [...new Set(rules.map(({ name }) => name))]);
  }
});

Deno.test("pack() changes at most two objects for an edit of one operation among 845", async (t) => {
  const operations = manyOperations();
  const before = await render(operations);
  const names = Object.keys(operations).filter((_, index) => index % 300 === 7);
  const edits: Record<string, (name: string) => Record<string, JsonObject>> = {
    "mocked": (name) => ({ ...operations, [name]: { mocking: { enabled: true } } }),
    "sent elsewhere": (name) => ({ ...operations, [name]: { upstream: { service: { name: "elsewhere" } } } }),
    "added": (name) => ({ ...operations, [`${name}/more`]: {} }),
    "removed": (name) => Object.fromEntries(Object.entries(operations).filter(([other]) => other !== name)),
  };
  for (const [edit, change] of Object.entries(edits)) {
    await t.step(edit, async () => {
      for (const name of names) assert.ok(differences(before, await render(change(name))) <= 2, name);
    });
  }
});
