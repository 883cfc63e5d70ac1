import assert from "node:assert/strict";
import { createMock, createMockServer, type Document, type MockOptions, parseDocument } from "../../../mod.ts";

/** An object without a JSON text, as that of a server is. */
const CIRCULAR: Record<string, unknown> = {};
CIRCULAR["self"] = CIRCULAR;

/** Options as a JavaScript program may write them, with what the error says of each. */
const WRONG: [options: Record<string, unknown>, message: string][] = [
  [{ validate: "on" }, 'The option `validate` must be "off", "warn" or "error", not "on".'],
  [{ journal: -1 }, "The option `journal` must be a whole number from 0, not -1."],
  [{ sessions: 0 }, "The option `sessions` must be a whole number from 1, not 0."],
  [{ sessions: Infinity }, "The option `sessions` must be a whole number from 1, not Infinity."],
  [{ seed: 7n }, "The option `seed` must be a whole number, not 7."],
  [{ seed: "7" }, 'The option `seed` must be a whole number, not "7".'],
  [{ stateful: "yes" }, 'The option `stateful` must be a boolean, not "yes".'],
  [{ now: 0 }, "The option `now` must be a function, not 0."],
  [{ clientOf: null }, "The option `clientOf` must be a function, not null."],
  [{ stateLimits: [] }, "The option `stateLimits` must be an object, not []."],
  [{ upstream: CIRCULAR }, "The option `upstream` must be a function, not an object."],
  [{ controlPath: () => "/" }, "The option `controlPath` must be a string, not a function."],
  [
    { rules: ["GET /pets: 503"] },
    'The option `rules` must be a list of rules, as objects with an operation, not ["GET /pets: 503"].',
  ],
];

Deno.test("a wrong option throws when the mock server is made, not at a request", async (t) => {
  const definition = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} };
  const document = await parseDocument(definition);
  for (const [wrong, message] of WRONG) {
    await t.step(message, async () => {
      const options: MockOptions = wrong;
      for (const given of [document, definition]) {
        assert.throws(() => createMock(given, options), { name: "TypeError", message });
        await assert.rejects(createMockServer(given, options), { name: "TypeError", message });
      }
    });
  }
});

Deno.test("a wrong definition throws when the mock server is made", async (t) => {
  const wrong: [definition: unknown, message: string][] = [
    ["api.yaml", 'The definition must be an object or a document of parseDocument(), not "api.yaml".'],
    [null, "The definition must be an object or a document of parseDocument(), not null."],
    [undefined, "The definition must be an object or a document of parseDocument(), not nothing."],
    [[undefined], "The definitions of a list must be documents of parseDocument(), not nothing."],
    [[{ openapi: "3.1.0" }], "The definitions of a list must be documents of parseDocument(), not an object."],
  ];
  for (const [definition, message] of wrong) {
    await t.step(message, async () => {
      const given = definition as Document;
      assert.throws(() => createMock(given), { name: "TypeError", message });
      await assert.rejects(createMockServer(given), { name: "TypeError", message });
    });
  }
});

Deno.test("an object that can't be read is refused, when it has been parsed", async (t) => {
  const deep = Array.from({ length: 501 }).reduce<Record<string, unknown>>((part) => ({ part }), {});
  const cases: [info: Record<string, unknown>, message: RegExp][] = [
    [CIRCULAR, /^This object can't be written as JSON: /],
    [deep, /^Objects and arrays are nested more than 500 deep\.$/],
  ];
  for (const [info, message] of cases) {
    await t.step(String(message), async () => {
      const refused = { name: "TypeError", message };
      await assert.rejects(createMockServer({ openapi: "3.1.0", info }), refused);
      const mock = createMock({ openapi: "3.1.0", info });
      await assert.rejects(async () => await mock(new Request("http://localhost/")), refused);
    });
  }
});

Deno.test("an option that is undefined has its default", () => {
  const options: Record<string, unknown> = { validate: undefined, journal: undefined };
  createMock({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} }, options);
});
