import assert from "node:assert/strict";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { listOperations } from "../../../lib/openapi/operation.ts";
import { listParameters, type Parameter } from "../../../lib/openapi/parameter.ts";

async function parametersOf(parameters: unknown, pathItem: Record<string, unknown> = {}): Promise<Parameter[]> {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.2.0",
    paths: { "/items/{id}": { ...pathItem, get: { parameters } } },
    components: {
      parameters: {
        page: { name: "page", in: "query", schema: { $ref: "#/components/schemas/page" } },
        again: { $ref: "#/components/parameters/page" },
      },
      schemas: { page: { type: "integer" } },
      pathItems: { shared: { parameters: [{ name: "shared", in: "query" }] } },
    },
  }));
  const [operation] = listOperations(document);
  assert.ok(operation);
  return listParameters(operation);
}

const DEFAULTS = [
  { in: "path", style: "simple", explode: false, required: true },
  { in: "query", style: "form", explode: true, required: false },
  { in: "header", style: "simple", explode: false, required: false },
  { in: "cookie", style: "form", explode: true, required: false },
];

for (const { in: location, ...want } of DEFAULTS) {
  Deno.test(`a ${location} parameter has the defaults of the specification`, async () => {
    const [parameter] = await parametersOf([{ name: "id", in: location }]);
    assert.ok(parameter);
    const { style, explode, required } = parameter;
    assert.deepEqual({ style, explode, required }, want);
  });
}

const STYLES = [
  { written: { in: "query", style: "deepObject" }, want: ["deepObject", false] },
  { written: { in: "query", style: "spaceDelimited", explode: true }, want: ["spaceDelimited", true] },
  { written: { in: "cookie", style: "cookie" }, want: ["cookie", true] },
  { written: { in: "path", style: "matrix" }, want: ["matrix", false] },
  { written: { in: "path", style: "form" }, want: ["simple", false] },
  { written: { in: "query", style: "telepathy", explode: "no" }, want: ["form", true] },
];

for (const { written, want } of STYLES) {
  Deno.test(`${JSON.stringify(written)} means style ${want.join(", explode ")}`, async () => {
    const [parameter] = await parametersOf([{ name: "id", ...written }]);
    assert.deepEqual([parameter?.style, parameter?.explode], want);
  });
}

Deno.test("listParameters() follows references, and adds the path's parameters that aren't overridden", async () => {
  const parameters = await parametersOf(
    [{ $ref: "#/components/parameters/again" }, { name: "x-id", in: "header", schema: true }],
    {
      $ref: "#/components/pathItems/shared",
      parameters: [
        { name: "X-Id", in: "header", required: true },
        { name: "page", in: "query", required: true },
        { name: "page", in: "header" },
      ],
    },
  );
  assert.deepEqual(parameters.map(({ name, in: location, required }) => [name, location, required]), [
    ["page", "query", false],
    ["x-id", "header", false],
    ["page", "header", false],
    ["shared", "query", false],
  ]);
  assert.equal(parameters[0]?.schema?.pointer, "/components/parameters/page/schema");
});

Deno.test("listParameters() leaves out invalid parameters, and headers such as Accept", async () => {
  const parameters = await parametersOf([
    null,
    "page",
    { in: "query" },
    { name: "page" },
    { name: "page", in: "body" },
    { $ref: "#/nowhere" },
    { name: "Authorization", in: "header" },
    { name: "Content-Type", in: "header" },
    { name: "accept", in: "header" },
  ]);
  assert.deepEqual(parameters, []);
  assert.deepEqual(await parametersOf("page"), []);
});

Deno.test("listParameters() reads the content of a parameter", async () => {
  const [parameter] = await parametersOf([
    { in: "querystring", name: "q", content: { "application/json": { schema: { type: "object" } } } },
  ]);
  assert.equal(parameter?.content?.mediaType, "application/json");
  assert.deepEqual(parameter?.content?.schema?.value, { type: "object" });
});
