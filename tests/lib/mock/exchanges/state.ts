/** Rows for operations that are answered from the state of a session. */
import { json } from "./answers.ts";
import type { Row } from "./row.ts";
import { GATEWAYS } from "./users.ts";

const PET = json({ schema: { $ref: "#/components/schemas/Pet" } });
const BODY = { requestBody: PET };

/** Pets that clients list, create, read, replace, change and delete. */
export const PETS = {
  paths: {
    "/pets": {
      get: { responses: { "200": json({ schema: { type: "array", items: { $ref: "#/components/schemas/Pet" } } }) } },
      post: { ...BODY, responses: { "201": { ...PET, headers: { "X-Made": { schema: { const: "yes" } } } } } },
    },
    "/pets/{petId}": {
      parameters: [{ name: "petId", in: "path", required: true, schema: { type: "string" } }],
      get: {
        deprecated: true,
        responses: {
          "200": json({
            schema: { $ref: "#/components/schemas/Pet" },
            examples: { tom: { value: { id: "1", name: "Tom" } } },
          }),
          "404": json({
            schema: { type: "object", required: ["message"], properties: { message: { type: "string" } } },
          }),
        },
      },
      put: { ...BODY, responses: { "200": PET } },
      patch: { ...BODY, responses: { "200": PET } },
      delete: { responses: { "204": {} } },
    },
  },
  root: {
    components: {
      schemas: {
        Pet: {
          type: "object",
          required: ["id", "name"],
          properties: { id: { type: "string", readOnly: true }, name: { type: "string" }, tag: { type: "string" } },
        },
      },
    },
  },
} as const satisfies Pick<Row, "paths" | "root">;

export const STATEFUL = { mocking: { enabled: true, stateful: true, generate: true } };

const REX = { name: "Rex", tag: "dog" };
const inSession = (name: string): Record<string, string> => ({ "x-gw-session": name });

const stateful = (row: Omit<Row, "paths" | "root" | "settings"> & Partial<Pick<Row, "settings">>): Row => (
  { ...PETS, settings: STATEFUL, ...row, name: `state: ${row.name}` }
);

export const STATE: readonly Row[] = [
  stateful({
    name: "what is created can be read, and is gone after its deletion",
    exchanges: [
      { ask: "POST /pets", send: REX, status: 201, says: ['"name":"Rex","tag":"dog"'], keeps: true, source: "state" },
      { ask: "GET /pets/{id}", status: 200, says: ['"name":"Rex"'], source: "state" },
      { ask: "DELETE /pets/{id}", status: 204, text: "" },
      { ask: "GET /pets/{id}", status: 404 },
    ],
  }),
  stateful({
    name: "answers have the headers that every answer has",
    exchanges: [
      {
        ask: "POST /pets",
        send: REX,
        status: 201,
        keeps: true,
        has: { "x-svc-mocked": "true", "content-type": "application/json", "x-made": "yes", deprecation: null },
      },
      { ask: "GET /pets/{id}", status: 200, has: { "x-svc-mocked": "true", deprecation: "true" } },
      { ask: "DELETE /pets/{id}", status: 204, has: { "x-svc-mocked": "true", "content-type": null } },
    ],
  }),
  stateful({
    name: "the error of the definition, with the reason",
    exchanges: [{
      ask: "GET /pets/none",
      status: 404,
      says: ["none"],
      has: { "content-type": "application/json", "x-svc-mocked": "true", deprecation: "true" },
    }],
  }),
  stateful({
    name: "a replacement removes what isn't sent",
    exchanges: [
      { ask: "POST /pets", send: REX, status: 201, keeps: true },
      { ask: "PUT /pets/{id}", send: { name: "Max" }, status: 200 },
      { ask: "GET /pets/{id}", status: 200, says: ['"name":"Max"}'] },
    ],
  }),
  stateful({
    name: "a change keeps what isn't sent",
    exchanges: [
      { ask: "POST /pets", send: REX, status: 201, keeps: true },
      { ask: "PATCH /pets/{id}", send: { name: "Max" }, status: 200 },
      { ask: "GET /pets/{id}", status: 200, says: ['"name":"Max","tag":"dog"'] },
    ],
  }),
  stateful({
    name: "a list begins with the examples and generated items, and has what is created",
    exchanges: [
      { ask: "GET /pets", status: 200, says: ['"id":"1","name":"Tom"'] },
      { ask: "POST /pets", send: REX, status: 201 },
      { ask: "GET /pets", status: 200, says: ['"name":"Rex"', '"name":"Tom"'] },
    ],
  }),
  stateful({
    name: "HEAD reads an item without its body",
    exchanges: [
      { ask: "HEAD /pets/1", status: 200, text: "", has: { "content-type": "application/json" } },
      { ask: "HEAD /pets/none", status: 404, text: "" },
    ],
  }),
  stateful({
    name: "a 406 changes nothing",
    exchanges: [
      { ask: "POST /pets", send: REX, headers: { accept: "image/png" }, status: 406 },
      { ask: "DELETE /pets/1", headers: { accept: "image/png" }, status: 204 },
    ],
  }),
  stateful({
    name: "Location leads to the new item",
    exchanges: [
      { ask: "POST /pets", send: { name: "Rex" }, status: 201, keeps: true },
      { ask: "GET /pets/{id}", status: 200 },
    ],
  }),
  stateful({
    name: "sessions don't share their items",
    exchanges: [
      { ask: "POST /pets", send: REX, headers: inSession("a"), status: 201, keeps: true },
      { ask: "GET /pets/{id}", headers: inSession("a"), status: 200 },
      { ask: "GET /pets/{id}", headers: inSession("b"), status: 404 },
      { ask: "GET /pets/{id}", status: 404 },
    ],
  }),
  stateful({
    name: "a session has a well-formed name",
    exchanges: [
      { ask: "GET /pets", headers: inSession("no name"), status: 400, says: ["X-Gw-Session"] },
      { ask: "GET /pets", headers: inSession("n".repeat(129)), status: 400 },
      { ask: "GET /pets", headers: inSession(""), status: 400 },
      { ask: "POST /pets", send: REX, headers: inSession("/"), status: 400 },
    ],
  }),
  stateful({
    name: "a preference goes before the state",
    exchanges: [{
      ask: "GET /pets/none",
      headers: { prefer: "example=tom" },
      status: 200,
      json: { id: "1", name: "Tom" },
      but: [{ users: GATEWAYS, why: "A gateway ignores preferences.", status: 404, json: undefined }],
    }],
  }),
  {
    name: "state: conditions of an example go before the state, the example of a parameter doesn't",
    paths: {
      ...PETS.paths,
      "/pets/{petId}": {
        ...PETS.paths["/pets/{petId}"],
        parameters: [{ ...PETS.paths["/pets/{petId}"].parameters[0], examples: { tom: { value: "1" } } }],
        get: {
          responses: {
            "200": json({
              schema: { $ref: "#/components/schemas/Pet" },
              examples: {
                tom: { value: { id: "1", name: "Tom" } },
                kim: { value: { id: "2", name: "Kim" }, "x-svc": { mocking: { match: { "query.of": "kim" } } } },
              },
            }),
          },
        },
      },
    },
    root: PETS.root,
    settings: STATEFUL,
    exchanges: [
      { ask: "DELETE /pets/1", status: 204 },
      { ask: "GET /pets/1", status: 404 },
      { ask: "GET /pets/1?of=kim", status: 200, json: { id: "2", name: "Kim" }, source: "examples.kim" },
    ],
  },
  {
    name: "state: conditions on the body of a write go before the state",
    paths: {
      ...PETS.paths,
      "/pets": {
        ...PETS.paths["/pets"],
        post: {
          ...BODY,
          responses: {
            "201": PET,
            "409": json({
              examples: { taken: { value: "taken", "x-svc": { mocking: { match: { "body./name": "taken" } } } } },
            }),
          },
        },
      },
    },
    root: PETS.root,
    settings: STATEFUL,
    exchanges: [
      { ask: "POST /pets", send: { name: "taken" }, status: 409, json: "taken" },
      { ask: "POST /pets", send: { name: "free" }, status: 201, says: ["free"] },
    ],
  },
  {
    name: "state: an operation that isn't bound to a resource is answered without state",
    paths: { ...PETS.paths, "/version": { get: { responses: { "200": json({ example: "1.0" }) } } } },
    root: PETS.root,
    settings: STATEFUL,
    exchanges: [
      { ask: "GET /version", status: 200, json: "1.0", source: "example" },
      { ask: "GET /version", headers: inSession("a"), status: 200, json: "1.0" },
      { ask: "GET /version", headers: inSession("no name"), status: 400 },
    ],
  },
  stateful({
    name: "off: an operation answers its example, whatever was written",
    settings: { mocking: { enabled: true, stateful: false, generate: true } },
    exchanges: [
      { ask: "DELETE /pets/1", status: 204 },
      { ask: "GET /pets/1", status: 200, json: { id: "1", name: "Tom" }, source: "examples.tom" },
    ],
  }),
  {
    name: "state: on at one operation only",
    paths: {
      ...PETS.paths,
      "/pets/{petId}": {
        ...PETS.paths["/pets/{petId}"],
        get: { ...PETS.paths["/pets/{petId}"].get, "x-svc": { mocking: { enabled: true, stateful: true } } },
      },
    },
    root: PETS.root,
    settings: { mocking: { enabled: true, generate: true } },
    exchanges: [{ ask: "GET /pets/none", status: 404, source: "state" }, { ask: "DELETE /pets/1", status: 204 }],
  },
  stateful({
    name: "ids of an item are those of its path, percent-decoded",
    exchanges: [
      { ask: "GET /pets/%31", status: 200, json: { id: "1", name: "Tom" } },
      { ask: "GET /pets/a%2Fb", status: 404, says: ["a/b"] },
    ],
  }),
];
