import assert from "node:assert/strict";
import { createResponder } from "../../../../lib/mock/responder.ts";
import type { Reply } from "../../../../lib/mock/operation/reply.ts";
import { createRandom, pick, type Random, randomInteger } from "../../../../lib/mock/generate/random.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { runs } from "../../../runs.ts";

const NOTES = `
openapi: 3.1.0
info: {title: Notes, version: 1.0.0}
paths:
  /notes:
    get: {responses: {"200": {description: Notes, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Note"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}
      responses: {"201": {description: A note, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}}
  /notes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A note, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}}}
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}
      responses: {"200": {description: A note, content: {application/json: {schema: {$ref: "#/components/schemas/Note"}}}}}
    delete: {responses: {"204": {description: Deleted.}}}
components:
  schemas:
    Note: {type: object, required: [id, text], properties: {id: {type: integer, readOnly: true}, text: {type: string}}}
`;

const CLIENTS = 64;
/** The number of requests by all clients together. `GW_TEST_TIMES=50` makes it 100,000. */
const REQUESTS = 2_000;
/** The number of notes that a client keeps at most. */
const MOST_NOTES = 8;

type Respond = (request: Request) => Reply | Promise<Reply>;

/** A client with a session of its own. It knows which notes the session must contain. */
class Client {
  readonly #name: string;
  readonly #random: Random;
  readonly #respond: Respond;
  readonly #notes = new Map<number, string>();
  #written = 0;

  constructor(index: number, seed: number, respond: Respond) {
    this.#name = `client-${index}`;
    this.#random = createRandom(seed * CLIENTS + index);
    this.#respond = respond;
  }

  /** Sends a random request, and asserts that the answer contains exactly this client's notes. */
  async ask(): Promise<void> {
    const kinds = this.#notes.size < MOST_NOTES ? ["list", "read", "write", "delete", "create"] : ["list", "delete"];
    const id = pick([0, ...this.#notes.keys()], this.#random);
    const kind = id === 0
      ? pick(["list", "create"], this.#random)
      : kinds[randomInteger(0, kinds.length - 1, this.#random)];
    if (kind === "list") {
      const { body } = await this.#send("GET", "/notes");
      assert.deepEqual(body, Array.from(this.#notes, ([id, text]) => ({ id, text })), this.#name);
    } else if (kind === "read") {
      assert.deepEqual(await this.#send("GET", `/notes/${id}`), {
        status: 200,
        body: { id, text: this.#notes.get(id) },
      });
    } else if (kind === "delete") {
      assert.equal((await this.#send("DELETE", `/notes/${id}`)).status, 204);
      this.#notes.delete(id);
      assert.equal((await this.#send("GET", `/notes/${id}`)).status, 404);
    } else {
      const text = `${this.#name} ${++this.#written}`;
      const { body } = kind === "create"
        ? await this.#send("POST", "/notes", { text })
        : await this.#send("PUT", `/notes/${id}`, { text });
      const note = body as { id: number; text: string };
      assert.equal(note.text, text);
      if (kind === "write") assert.equal(note.id, id);
      this.#notes.set(note.id, text);
    }
  }

  async #send(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const headers: Record<string, string> = { "x-gw-session": this.#name };
    if (body !== undefined) headers["content-type"] = "application/json";
    const { response } = await this.#respond(
      new Request(`http://localhost${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  }
}

Deno.test("64 clients at once see their own items only", async () => {
  const { numRuns, seed } = runs(REQUESTS / CLIENTS);
  const respond = await createResponder([await parseDocument(NOTES)], { stateful: true, items: 0 });
  const clients = Array.from({ length: CLIENTS }, (_, index) => new Client(index, seed, respond));
  await Promise.all(clients.map(async (client) => {
    for (let request = 0; request < Math.round(numRuns); request++) await client.ask();
  }));
});
