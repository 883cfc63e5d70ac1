import assert from "node:assert/strict";
import { type Call, createApi, readOperations } from "../../../lib/api/api.ts";
import { errorResponse } from "../../../lib/api/error_response.ts";
import { flagOf, integerOf } from "../../../lib/api/query.ts";

class Full extends Error {}

const operations = readOperations<(call: Call) => Response | Promise<Response>, string>([
  ["GET /pets", "listPets", ({ query }) => Response.json({ limit: integerOf(query, "limit", 1, 10) ?? 5 }), ["limit"]],
  ["POST /pets", "createPet", () => Promise.reject(new Full("no room"))],
  ["GET /pets/{id}", "getPet", ({ parameters: { id } }) => {
    throw errorResponse(404, `There is no pet ${id}.`, [["retry-after", "1"]], { id });
  }],
  ["DELETE /pets/{id}", "deletePet", ({ query }) => Response.json(flagOf(query, "cascade")), ["cascade"]],
  ["GET /bug", "bug", () => {
    throw new TypeError("a bug");
  }],
], (handle) => handle);

const api = createApi<string>({
  operations,
  basePath: "/own/",
  commonQuery: ["session"],
  refuse: (_request, operationId, _parameters, user) =>
    user === "" && operationId !== "listPets" ? new Response("who?", { status: 401 }) : undefined,
  responseOf: (error) => error instanceof Full ? new Response(error.message, { status: 507 }) : undefined,
});

interface Row {
  ask: string;
  status: number;
  /** Part of the body. */
  body?: string;
  allow?: string;
  user?: string;
}

const ROWS: readonly Row[] = [
  { ask: "GET /own/pets", status: 200, body: '{"limit":5}' },
  { ask: "GET /own/pets?limit=7&session=a", status: 200, body: '{"limit":7}' },
  { ask: "HEAD /own/pets", status: 200, body: "" },
  { ask: "GET /own/pets?limit=11", status: 400, body: "limit must be an integer from 1 to 10, not" },
  { ask: "GET /own/pets?limt=1", status: 400, body: "Did you mean limit?" },
  { ask: "GET /own/pets/1?x=1", status: 400, body: "It has session." },
  { ask: "DELETE /own/pets/1?cascade", status: 200, body: "true" },
  { ask: "DELETE /own/pets/1?cascade=maybe", status: 400, body: "cascade must be true or false" },
  { ask: "GET /own/pets/1", status: 404, body: '"id":"1"' },
  { ask: "HEAD /own/pets/1", status: 404, body: "" },
  { ask: "POST /own/pets", status: 507, body: "no room" },
  {
    ask: "PUT /own/pets",
    status: 405,
    body: "/own/pets has no PUT; it has GET, POST, HEAD, OPTIONS.",
    allow: "GET, POST, HEAD, OPTIONS",
  },
  { ask: "OPTIONS /own/pets", status: 204, body: "", allow: "GET, POST, HEAD, OPTIONS" },
  { ask: "GET /own/pet", status: 404, body: "There is nothing at /own/pet. Did you mean /own/pets?" },
  { ask: "GET /own/completely/else", status: 404, body: "There is /own/pets, /own/pets/{id}, /own/bug." },
  { ask: "GET /own/pets", user: "", status: 200 },
  { ask: "GET /own/pets/1?x=1", user: "", status: 401, body: "who?" },
  { ask: "PUT /own/pets", user: "", status: 401 },
  { ask: "GET /own/pet", user: "", status: 404 },
];

Deno.test("an API answers by its table of operations, and errors become problems", async (t) => {
  for (const { ask, status, body, allow, user = "ann" } of ROWS) {
    await t.step(`${ask}${user === "" ? ", refused" : ""}`, async () => {
      const [method = "", target = ""] = ask.split(" ");
      const request = new Request(`http://localhost${target}`, { method });
      const response = await api(request, target.split("?")[0] ?? "", user);
      const text = await response.text();
      assert.equal(response.status, status, text);
      if (body === "") assert.equal(text, "");
      else assert.ok(text.includes(body ?? ""), text);
      assert.equal(response.headers.get("allow"), allow ?? null);
    });
  }
});

Deno.test("an API throws errors that nobody expects", () => {
  assert.throws(() => api(new Request("http://localhost/own/bug"), "/own/bug", "ann"), /a bug/);
});
