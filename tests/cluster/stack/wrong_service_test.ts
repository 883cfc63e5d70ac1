/**
 * While an API is edited, every request is answered by its own upstream. `EDITS`: the number of edits of each kind; `QOS`
 * gives all operations a traffic policy.
 *
 * @module
 */
import assert from "node:assert/strict";
import { ask, type Reply } from "../support/ask.ts";
import { apiObject, deployApi, deployFleet, type Deployment } from "../support/deploy.ts";
import { isFrom, startLoad } from "../support/load.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";
import type { JsonObject } from "../../../lib/schema/json/node.ts";

const HOST = "wrong.example.com";
const EDITS = Number(Deno.env.get("EDITS") ?? 6);
const VARIANTS = Deno.env.get("QOS") === undefined ? [{}, { qos: { retries: 1 } }] : [{ qos: { retries: 1 } }];

const to = (service: string): JsonObject => ({ upstream: { service: { name: service } } });
const MOCKED = { mocking: { enabled: true } };
const SLOW = { ...to("users"), qos: { request_timeout: 45 } };

/** The operations whose upstream no edit changes, and those that an edit adds, removes or changes. */
interface Edits {
  /** The settings of operations by path, for even and for odd versions. */
  readonly versions: readonly [Record<string, JsonObject>, Record<string, JsonObject>];
  /** The paths that are requested all the time, with the upstreams that may answer. `mock` stands for gw. */
  readonly requested: Record<string, readonly string[]>;
}

const ALWAYS = { "/orders": to("orders"), "/users": to("users") };

const edits: Record<string, Edits> = {
  "add and remove operations whose rules sort first": {
    versions: [ALWAYS, { ...ALWAYS, "/carts": to("carts"), "/aaa/{id}": to("carts") }],
    requested: { "/orders": ["orders"], "/users": ["users"] },
  },
  "send an operation to another Service, and back": {
    versions: [{ ...ALWAYS, "/moved": to("orders") }, { ...ALWAYS, "/moved": to("carts") }],
    requested: { "/orders": ["orders"], "/users": ["users"], "/moved": ["orders", "carts"] },
  },
  "switch mocks on and off, beside templates and timeouts": {
    versions: [
      { ...ALWAYS, "/{any}": to("users"), "/moved": MOCKED },
      { "/orders": to("orders"), "/users": SLOW, "/{any}": to("users"), "/moved": to("carts") },
    ],
    requested: { "/orders": ["orders"], "/users": ["users"], "/moved": ["mock", "carts"], "/other": ["users"] },
  },
};

function version(
  namespace: string,
  name: string,
  number: number,
  { versions }: Edits,
  settings: JsonObject,
): Deployment {
  const operation = (path: string, settings: JsonObject): JsonObject => ({
    ...(path.includes("{") ? { parameters: parametersOf(path) } : {}),
    get: {
      "x-svc": settings,
      responses: {
        200: { description: "", content: { "application/json": { schema: {}, example: { upstream: "mock", at: 0 } } } },
      },
    },
  });
  const operations = { ...versions[number % 2], [`/version/${number}`]: to("users") };
  const paths = Object.fromEntries(
    Object.entries(operations).map(([path, settings]) => [path, operation(path, settings)]),
  );
  return {
    namespace,
    name,
    definition: {
      openapi: "3.1.0",
      info: { title: name, version: String(number) },
      "x-svc": { hosts: [`${name}.${HOST}`], ...settings },
      paths,
    },
  };
}

function parametersOf(path: string): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => (
    { name, in: "path", required: true, schema: { type: "string" } }
  ));
}

Deno.test("An edit sends no request to another upstream, and fails none", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  const { api } = stack;
  await using orders = startUpstream("orders");
  await using users = startUpstream("users");
  await using carts = startUpstream("carts");
  const namespace = await api.createNamespace();
  for (const upstream of [orders, users, carts]) {
    await api.apply(...serviceObjects({ namespace, name: upstream.name, endpoints: [upstream] }));
  }
  const { port } = await deployFleet(stack, namespace);
  const served = (name: string, number: number): Promise<unknown> =>
    until(async () => (await ask(port, { host: `${name}.${HOST}`, path: `/version/${number}` })).status === 200, {
      within: 30_000,
      what: `version ${number}`,
    });

  let count = 0;
  for (const [what, one] of Object.entries(edits)) {
    for (const settings of VARIANTS) {
      const name = `shop-${count++}`;
      await t.step(`edits that ${what}${"qos" in settings ? ", with a traffic policy" : ""}`, async () => {
        await deployApi(api, version(namespace, name, 0, one, settings), 60_000);
        await served(name, 0);
        const loads = Object.entries(one.requested).map(([path, upstreams]) => {
          const rights = upstreams.map(isFrom);
          return startLoad(
            port,
            { host: `${name}.${HOST}`, path },
            (reply: Reply) => rights.some((is) => is(reply)),
            3,
          );
        });
        for (let number = 1; number <= EDITS; number++) {
          await api.apply(apiObject(version(namespace, name, number, one, settings)));
          await served(name, number);
          // The edits don't wait for each other: some begin while the last one is being rolled out.
          await new Promise((resolve) => setTimeout(resolve, number % 3 === 0 ? 8_000 : 200));
        }
        const outcomes = await Promise.all(loads.map(({ stop }) => stop()));
        const total = outcomes.reduce((sum, outcome) => sum + outcome.total, 0);
        assert.deepEqual(Object.assign({}, ...outcomes.map(({ failed }) => failed)), {}, `of ${total}`);
        assert.ok(total > 100, `only ${total} requests`);
      });
    }
  }
});
