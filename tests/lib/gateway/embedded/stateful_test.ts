import assert from "node:assert/strict";
import { createClusterMock, planMocks } from "../../../../lib/cluster/mock_service.ts";
import { createGateways, type EmbeddedGateway } from "../../../../lib/gateway/embedded/gateway.ts";
import { StateBudget } from "../../../../lib/mock/state/store/limits.ts";
import { CLIENT, plan, PLATFORM } from "./fleet.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {path: {prefix: /v1}, mocking: {enabled: true, stateful: true}}
paths:
  /pets:
    get: {responses: {"200": {description: Pets., content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: A pet., content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
    get: {responses: {"200": {description: A pet., content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}, example: {id: "1", name: Tom}}}}}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: string, readOnly: true}, name: {type: string}}}
`;

async function send(
  gateway: EmbeddedGateway,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const sent = method === "POST" ? { body: '{"name": "Rex"}' } : {};
  const request = new Request(`http://h${path}`, {
    method,
    headers: { "content-type": "application/json", "x-svc-api": "default/api", ...headers },
    ...sent,
  });
  return (await gateway(request, CLIENT)).response;
}

const GATEWAYS: readonly [name: string, make: () => Promise<EmbeddedGateway>][] = [
  ["the embedded gateway", async () => createGateways(PLATFORM)([await plan(PETS)])],
  ["the mocks of a cluster", async () => {
    const gateway = createGateways(PLATFORM)([planMocks(await plan(PETS))]);
    return createClusterMock(() => gateway);
  }],
];

for (const [name, make] of GATEWAYS) {
  Deno.test(`${name}: what a session creates, it can read`, async () => {
    const gateway = await make();
    const created = await send(gateway, "POST", "/v1/pets", { "x-gw-session": "a" });
    const pet = await created.json();
    assert.equal(created.status, 201);
    assert.equal(created.headers.get("location"), `/v1/pets/${pet.id}`);
    const cases: [session: string | undefined, want: number][] = [["a", 200], ["b", 404], [undefined, 404], ["/", 400]];
    for (const [session, want] of cases) {
      const headers: Record<string, string> = session === undefined ? {} : { "x-gw-session": session };
      assert.equal((await send(gateway, "GET", `/v1/pets/${pet.id}`, headers)).status, want);
    }
  });
}

Deno.test("operations that aren't stateful are answered as before", async () => {
  const gateway = createGateways(PLATFORM)([await plan(PETS.replace("stateful: true", "stateful: false"))]);
  assert.deepEqual(await (await send(gateway, "GET", "/v1/pets/none")).json(), { id: "1", name: "Tom" });
});

Deno.test("an API keeps its state when it is deployed anew, and loses it when it goes", async () => {
  const budget = new StateBudget();
  const createGateway = createGateways(PLATFORM, budget);
  const first = createGateway([await plan(PETS)]);
  const { id } = await (await send(first, "POST", "/v1/pets")).json();
  const second = createGateway([await plan(PETS.replace("A pet.", "One pet."))]);
  assert.equal((await send(second, "GET", `/v1/pets/${id}`)).status, 200);
  createGateway([await plan(PETS, "other")]);
  assert.deepEqual(budget.used, { items: 0, bytes: 0, snapshots: 0 });
  const third = createGateway([await plan(PETS)]);
  assert.equal((await send(third, "GET", `/v1/pets/${id}`)).status, 404);
});
