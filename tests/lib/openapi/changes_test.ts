import assert from "node:assert/strict";
import { compareOperations } from "../../../lib/openapi/changes.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    parameters: [{$ref: "#/components/parameters/Limit"}]
    get:
      responses:
        "200":
          description: Pets
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
    post:
      responses: {"201": {description: Made}}
  /shops:
    get:
      responses:
        "200":
          description: Shops
          content: {application/json: {schema: {$ref: "#/components/schemas/Shop"}}}
  /logo:
    get:
      responses:
        "200":
          description: Logo
          content: {text/plain: {examples: {logo: {externalValue: logo.txt}}}}
components:
  parameters:
    Limit: {name: limit, in: query, schema: {type: integer}}
  schemas:
    Pet: {type: object, properties: {owner: {$ref: "#/components/schemas/Owner"}}}
    Owner: {type: object, properties: {pets: {type: array, items: {$ref: "#/components/schemas/Pet"}}, age: {type: integer}}}
    Shop: {type: object, properties: {name: {type: string}}}
`;

async function parse(text: string, logo = "logo"): Promise<Document> {
  const load = () => Promise.resolve(new TextEncoder().encode(logo));
  return await parseDocument(text, { uri: "file:///pets/openapi.yaml", load });
}

Deno.test("compareOperations() lists added, removed and changed operations", async (t) => {
  const cases: { edit: string; find: string | RegExp; replace: string; want: Record<string, string[]> }[] = [
    { edit: "nothing", find: "pets", replace: "pets", want: {} },
    { edit: "only layout", find: "type: integer", replace: "type:   integer", want: {} },
    { edit: "an operation's own text", find: "Made", replace: "Created", want: { changed: ["POST /pets"] } },
    {
      edit: "what is referred to is gone",
      find: "    Shop:",
      replace: "    Store:",
      want: { changed: ["GET /shops"] },
    },
    { edit: "a referred schema", find: "name: {type: string}", replace: "name: {}", want: { changed: ["GET /shops"] } },
    {
      edit: "a schema that is referred to in a cycle, two steps away",
      find: "age: {type: integer}",
      replace: "age: {type: number}",
      want: { changed: ["GET /pets"] },
    },
    {
      edit: "a parameter that all operations of a path share",
      find: "in: query",
      replace: "in: header",
      want: { changed: ["GET /pets", "POST /pets"] },
    },
    {
      edit: "another method",
      find: "    post:",
      replace: "    put:",
      want: { added: ["PUT /pets"], removed: ["POST /pets"] },
    },
    {
      edit: "another path",
      find: "  /shops:",
      replace: "  /stores:",
      want: { added: ["GET /stores"], removed: ["GET /shops"] },
    },
    { edit: "a title", find: "title: Pets", replace: "title: Cats", want: {} },
    {
      edit: "a reference that leads nowhere now",
      find: "    Shop:",
      replace: "    Store:",
      want: { changed: ["GET /shops"] },
    },
  ];
  const before = await parse(PETS);
  for (const { edit, find, replace, want } of cases) {
    await t.step(edit, async () => {
      assert.deepEqual(names(before, await parse(PETS.replace(find, replace))), want);
    });
  }
  await t.step("the text of an external value", async () => {
    assert.deepEqual(names(before, await parse(PETS, "another")), { changed: ["GET /logo"] });
  });
});

function names(before: Document, after: Document): Record<string, string[]> {
  const found = Object.entries(compareOperations(before, after))
    .map((
      [kind, operations],
    ) => [kind, operations.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)])
    .filter(([, operations]) => operations !== undefined && operations.length > 0);
  return Object.fromEntries(found);
}
