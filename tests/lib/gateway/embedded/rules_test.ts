import assert from "node:assert/strict";
import { createClusterMock, planMocks } from "../../../../lib/cluster/mock_service.ts";
import { createGateways, type Gateway } from "../../../../lib/gateway/embedded/gateway.ts";
import { CLIENT, plan, PLATFORM } from "./fleet.ts";

const DEFINITION = `
openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {path: {prefix: /v1}, mocking: {enabled: true}}
paths:
  /pets:
    get:
      x-svc: {mocking: {sequence: [503, reset, example none], delay: 20}}
      responses:
        "200":
          description: Pets.
          content:
            application/json: {schema: {type: array}, examples: {one: {value: [{}]}, none: {value: []}}}
  /plain:
    get: {responses: {"204": {description: No rules.}}}
`;

const GATEWAYS: readonly [name: string, make: () => Promise<Gateway>][] = [
  ["the embedded gateway", async () => createGateways(PLATFORM)([await plan(DEFINITION)])],
  ["the mocks of a cluster", async () => {
    const gateway = createGateways(PLATFORM)([planMocks(await plan(DEFINITION))]);
    return createClusterMock(() => gateway);
  }],
];

for (const [name, make] of GATEWAYS) {
  Deno.test(`${name}: the rules of a definition decide, anew in each session`, async () => {
    const gateway = await make();
    for (const session of ["a", "b"]) {
      const seen: unknown[] = [];
      for (let count = 0; count < 4; count++) {
        const headers = { "x-svc-api": "default/api", "x-gw-session": session };
        const { response, delay, fault } = await gateway(new Request("http://h/v1/pets", { headers }), CLIENT);
        seen.push([fault === undefined ? response.status : fault.kind, delay]);
        if (count > 1) seen.push(await response.text());
      }
      assert.deepEqual(seen, [[503, 20], ["reset", 20], [200, 20], "[]", [200, 20], "[{}]"]);
    }
    const plain = await gateway(new Request("http://h/v1/plain", { headers: { "x-svc-api": "default/api" } }), CLIENT);
    assert.deepEqual([plain.response.status, plain.delay, plain.fault], [204, undefined, undefined]);
  });
}
