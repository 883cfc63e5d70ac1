import assert from "node:assert/strict";
import { createClusterCheck, createFleetChecks } from "../../../lib/cluster/check_service.ts";
import { CLIENT, plan } from "../gateway/embedded/fleet.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
x-svc: {hosts: [api.example.com], path: {prefix: /v1}, upstream: {service: {name: pets}}, rate_limit: {requests_per_unit: 1, unit: hour}}
paths:
  /pets:
    get:
      x-svc: {validation: {request: {enabled: true}}}
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {"200": {description: Pets.}}
    post:
      x-svc: {validation: {request: {enabled: true}}}
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [name]}}}}
      responses: {"201": {description: Made.}}
    delete:
      x-svc: {disabled: true, validation: {request: {enabled: true}}}
      responses: {"204": {description: Gone.}}
  /pets/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: A pet.}}
  /owner:
    get:
      x-svc: {validation: {request: {enabled: true}}}
      security: [{key: []}]
      responses: {"200": {description: You.}}
components: {securitySchemes: {key: {type: http, scheme: bearer}}}
`;

/**
 * An API with the same paths on a wildcard host. For `api.example.com`, the more specific host of the other API has
 * precedence.
 */
const OTHERS = PETS.replace("api.example.com", '"*.example.com"').replace("type: integer", "type: boolean");

const checks = createFleetChecks()([await plan(PETS), await plan(OTHERS)]);
const check = createClusterCheck(({ namespace, name }) =>
  namespace === "fleets" && name === "edge" ? checks : undefined
);

async function ask(path: string, init: RequestInit = {}, host = "api.example.com"): Promise<Response> {
  return (await check(new Request(`http://${host}${path}`, init), CLIENT)).response;
}

const JSON_TYPE = { "content-type": "application/json" };

Deno.test("requests of a gateway are validated against the operation that they match", async (t) => {
  const cases: { given: Parameters<typeof ask>; status: number; detail?: RegExp }[] = [
    { given: ["/check/fleets/edge/v1/pets?limit=3"], status: 200 },
    { given: ["/check/fleets/edge/v1/pets?limit=x"], status: 400, detail: /limit/ },
    { given: ["/check/fleets/edge/v1/x/../pets?limit=x"], status: 400, detail: /limit/ },
    { given: ["/check/fleets/edge/v1/pets?limit=true", {}, "b.example.com:8080"], status: 200 },
    { given: ["/check/fleets/edge/v1/pets?limit=3", {}, "b.example.com"], status: 400, detail: /limit/ },
    {
      given: ["/check/fleets/edge/v1/pets", { method: "POST", body: '{"name":"Tom"}', headers: JSON_TYPE }],
      status: 200,
    },
    {
      given: ["/check/fleets/edge/v1/pets", { method: "POST", body: "{}", headers: JSON_TYPE }],
      status: 400,
      detail: /name/,
    },
    { given: ["/check/fleets/edge/v1/pets", { method: "POST" }], status: 400, detail: /body is required/ },
    { given: ["/check/fleets/edge/v1/owner"], status: 401 },
    { given: ["/check/fleets/edge/v1/owner", { headers: { authorization: "Bearer a" } }], status: 200 },
    // No validation is configured for this operation, so the check service accepts any request.
    { given: ["/check/fleets/edge/v1/pets/tom"], status: 200 },
    { given: ["/check/fleets/edge/v1/pets?limit=3", { method: "HEAD" }], status: 200 },
    // Envoy never asks for these checks: DELETE is disabled, and PUT isn't declared.
    { given: ["/check/fleets/edge/v1/pets", { method: "DELETE" }], status: 404 },
    { given: ["/check/fleets/edge/v1/pets", { method: "PUT" }], status: 405 },
    { given: ["/check/fleets/edge/none"], status: 404 },
    { given: ["/check/fleets/edge"], status: 404 },
    { given: ["/check/fleets/edge/v1/pets", {}, "example.org"], status: 404 },
    { given: ["/check/fleets/other/v1/pets"], status: 503, detail: /fleet/ },
    { given: ["/check/fleets"], status: 404, detail: /NAMESPACE\/FLEET/ },
    { given: ["/"], status: 404, detail: /NAMESPACE\/FLEET/ },
  ];
  for (const { given, status, detail } of cases) {
    await t.step(JSON.stringify(given), async () => {
      const response = await ask(...given);
      assert.equal(response.status, status);
      const text = await response.text();
      if (detail !== undefined) assert.match(JSON.parse(text).detail, detail);
      if (status === 200) assert.equal(text, "");
    });
  }
});

Deno.test("a body beyond 10 MiB isn't checked but refused", async () => {
  const body = new Uint8Array(10 * 1024 * 1024 + 1);
  const response = await ask("/check/fleets/edge/v1/pets", { method: "POST", body, headers: JSON_TYPE });
  assert.equal(response.status, 413);
  assert.match((await response.json()).detail, /10485760 bytes/);
});

Deno.test("new checks keep what was prepared for the plans that stayed", async () => {
  const create = createFleetChecks();
  const plans = [await plan(PETS)];
  const [first, second] = [create(plans), create([...plans, await plan(OTHERS)])];
  for (const checks of [first, second]) {
    const target = { path: "/v1/pets", query: "limit=x" };
    const { response } = await checks(new Request("http://api.example.com/"), target, CLIENT);
    assert.equal(response.status, 400);
  }
});

Deno.test("the paths of a login belong to no operation, and aren't checked", async () => {
  const login =
    "{oauth2: {issuer: 'https://id.example.com', client_id: a, client_secret_ref: {name: s, key: client-secret}}}";
  const definition = PETS.replace("rate_limit:", `auth: ${login}, rate_limit:`);
  const checks = createFleetChecks()([await plan(definition)]);
  const check = createClusterCheck(() => checks);
  const statusOf = async (path: string): Promise<number> => {
    const request = new Request(`http://api.example.com/check/fleets/edge${path}`);
    return (await check(request, CLIENT)).response.status;
  };
  assert.equal(await statusOf("/v1/oauth2/callback?code=a&state=b"), 200);
  assert.equal(await statusOf("/v1/oauth2/logout"), 200);
  assert.equal(await statusOf("/v1/oauth2/other"), 404);
  assert.equal(await statusOf("/v1/pets?limit=x"), 400);
});
