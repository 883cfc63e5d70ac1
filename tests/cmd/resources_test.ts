import assert from "node:assert/strict";
import { resources } from "../../cmd/commands/resources.ts";
import { recordPlatform } from "./recorded_platform.ts";

const SHOP = "tests/data/resources/shop.yaml";

/** Runs `gw resources`. Returns the exit code and the output as one text. */
async function run(...args: string[]): Promise<string> {
  const platform = recordPlatform();
  const code = await resources(args, platform);
  return `exit ${code}\n${platform.printed.stdout}${platform.printed.stderr}`;
}

Deno.test("gw resources prints each resource with its operations, its id, its envelope and its parent", async () => {
  assert.equal(
    await run(SHOP),
    `exit 0
users.orders, by id, below users
  list     GET /users/{userId}/orders                    the list is at data
  create   POST /users/{userId}/orders
  read     GET /users/{userId}/orders/{orderId}
  delete   DELETE /users/{userId}/orders/{orderId}
  action   POST /users/{userId}/orders/{orderId}/cancel

users, by id
  read     GET /users/{userId}
  replace  PUT /users/{userId}

settings, the only one
  read     GET /settings
  update   PATCH /settings

3 resources; 9 of 10 operations are bound. -v tells why the others aren't.
`,
  );
});

Deno.test("gw resources -v tells the evidence, and why other operations aren't bound", async () => {
  const printed = await run(SHOP, "-v");
  assert.match(printed, /\n {2}- \{orderId\} is `id` of an item\.\n/);
  assert.match(printed, /\nnot bound\n {2}POST \/search: No other operation reads or changes the same items\.\n/);
});

Deno.test("gw resources --format json prints the same for programs", async () => {
  const printed = await run(SHOP, "--format", "json");
  const { resources: [orders], unbound } = JSON.parse(printed.replace("exit 0\n", ""));
  assert.deepEqual(
    { ...orders, operations: orders.operations.slice(0, 1), evidence: [] },
    {
      name: "users.orders",
      id: "id",
      isSingleton: false,
      parents: ["users"],
      scope: [{ parameter: "userId", property: "userId" }],
      operations: [{
        operation: "GET /users/{userId}/orders",
        method: "GET",
        path: "/users/{userId}/orders",
        kind: "list",
        status: 200,
        envelope: "data",
        rule: "a list of the same items",
      }],
      evidence: [],
    },
  );
  assert.deepEqual(unbound.map(({ path }: { path: string }) => path), ["/search"]);
});

Deno.test("gw resources refuses a command line without definition, and a file that isn't there", async () => {
  assert.match(await run(), /^exit 2\nWhich definition\?/);
  assert.match(await run("missing.yaml"), /^exit 3\n.*missing\.yaml/s);
});

Deno.test("gw resources refuses what is no definition", async () => {
  for (
    const [stdin, code, want] of [
      ["<!DOCTYPE html>\n<html><body>Sign in: here</body></html>\n", 3, /^Cannot read -: it is an HTML page, not a /],
      ["a: [", 1, /^-:1:5 error syntax: /],
      ["a: 1", 1, /^-:1:1 error not-openapi: /],
    ] as const
  ) {
    const platform = recordPlatform({ stdin });
    assert.equal(await resources(["-"], platform), code);
    assert.match(platform.printed.stderr, want);
    assert.equal(platform.printed.stdout, "");
  }
});
