/**
 * `readOnly` properties in requests. A mock server reports them as warnings; a gateway that validates requests refuses
 * them.
 */
import assert from "node:assert/strict";
import { createRequestCheck } from "../../../../lib/gateway/embedded/request_check.ts";
import { createResponder } from "../../../../lib/mock/responder.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";

const id = { type: "integer", readOnly: true };
const pet = { type: "object", required: ["id", "name"], properties: { id, name: { type: "string" } } };
const closed = { ...pet, additionalProperties: false };
const cat = { type: "object", required: ["kind"], properties: { kind: { const: "cat", readOnly: true }, id } };
const dog = { type: "object", required: ["kind"], properties: { kind: { const: "dog", readOnly: true }, id } };
const components = {
  schemas: {
    Pet: pet,
    Id: id,
    Node: {
      type: "object",
      properties: { id, next: { $ref: "#/components/schemas/Node" } },
      additionalProperties: false,
    },
  },
};

interface Case {
  name: string;
  openapi?: string;
  schema: unknown;
  mediaType?: string;
  body: string;
  /** The expected remarks and errors, as `location: code`. */
  want: string[];
  /** The expected status. Default: 200. */
  status?: number;
}

const JSON_CASES: (Omit<Case, "body"> & { value: unknown })[] = [
  { name: "a property", schema: closed, value: { id: 1, name: "Tom" }, want: ["body/id: readOnly"] },
  { name: "no such property, though it is required", schema: closed, value: { name: "Tom" }, want: [] },
  {
    name: "a property of the wrong type",
    schema: closed,
    value: { id: "x", name: "Tom" },
    want: ["body/id: readOnly"],
  },
  {
    name: "another property is wrong",
    schema: closed,
    value: { id: 1, name: 2 },
    want: ["body/name: type", "body/id: readOnly"],
    status: 422,
  },
  {
    name: "another property is missing",
    schema: closed,
    value: { id: 1 },
    want: ["body: required", "body/id: readOnly"],
    status: 422,
  },
  {
    name: "nested properties",
    schema: { type: "object", properties: { pets: { type: "array", items: closed } } },
    value: { pets: [{ name: "Tom" }, { id: 1, name: "Tom" }, { id: 2, name: "Tom" }] },
    want: ["body/pets/1/id: readOnly", "body/pets/2/id: readOnly"],
  },
  {
    name: "a property with parts",
    schema: { type: "object", properties: { owner: { ...closed, readOnly: true } } },
    value: { owner: { id: "x", what: 1 } },
    want: ["body/owner: readOnly"],
  },
  {
    name: "a recursive schema",
    schema: { $ref: "#/components/schemas/Node" },
    value: { next: { next: { id: 1 } } },
    want: ["body/next/next/id: readOnly"],
  },
  {
    name: "a property through $ref",
    schema: { type: "object", properties: { id: { $ref: "#/components/schemas/Id" } } },
    value: { id: 1 },
    want: ["body/id: readOnly"],
  },
  {
    name: "readOnly beside a $ref in 3.1",
    openapi: "3.1.0",
    schema: { type: "object", properties: { pet: { $ref: "#/components/schemas/Pet", readOnly: true } } },
    value: { pet: { name: 1 } },
    want: ["body/pet: readOnly"],
  },
  {
    name: "a member of allOf",
    schema: { allOf: [{ $ref: "#/components/schemas/Pet" }, { type: "object", required: ["id"] }] },
    value: { id: 1, name: "Tom" },
    want: ["body/id: readOnly"],
  },
  {
    name: "a branch of oneOf",
    schema: { oneOf: [closed, { type: "string" }] },
    value: { id: 1, name: "Tom" },
    want: ["body/id: readOnly"],
  },
  {
    name: "a property that tells branches apart",
    schema: { oneOf: [cat, dog] },
    value: { kind: "dog", id: 1 },
    want: ["body/kind: readOnly", "body/id: readOnly"],
  },
  {
    name: "unevaluated properties",
    openapi: "3.1.0",
    schema: { allOf: [pet], unevaluatedProperties: false },
    value: { id: 1, name: "Tom" },
    want: ["body/id: readOnly"],
  },
];

const CASES: Case[] = [
  ...JSON_CASES.map(({ value, ...rest }): Case => ({ ...rest, body: JSON.stringify(value) })),
  {
    name: "a form",
    schema: closed,
    mediaType: "application/x-www-form-urlencoded",
    body: "id=1&name=Tom",
    want: ["body/id: readOnly"],
  },
  {
    name: "a form with a wrong value",
    schema: closed,
    mediaType: "application/x-www-form-urlencoded",
    body: "id=x&name=Tom",
    want: ["body/id: readOnly"],
  },
  {
    name: "XML",
    schema: closed,
    mediaType: "application/xml",
    body: "<doc><id>1</id><name>Tom</name></doc>",
    want: ["body/id: readOnly"],
  },
  {
    name: "an attribute of XML",
    schema: { ...closed, properties: { ...closed.properties, id: { ...id, xml: { attribute: true, name: "no" } } } },
    mediaType: "application/xml",
    body: '<doc no="1"><name>Tom</name></doc>',
    want: ["body/id: readOnly"],
  },
  {
    name: "a list of XML under another name",
    schema: {
      type: "object",
      properties: {
        tags: {
          type: "array",
          readOnly: true,
          items: { type: "string", xml: { name: "tag" } },
          xml: { wrapped: true },
        },
        name: { type: "string" },
      },
      additionalProperties: false,
    },
    mediaType: "application/xml",
    body: "<doc><tags><tag>a</tag></tags><name>Tom</name></doc>",
    want: ["body/tags: readOnly"],
  },
  {
    name: "multipart",
    schema: closed,
    mediaType: "multipart/form-data; boundary=b",
    body:
      '--b\r\ncontent-disposition: form-data; name="id"\r\n\r\n1\r\n--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nTom\r\n--b--\r\n',
    want: ["body/id: readOnly"],
  },
  {
    name: "YAML",
    schema: closed,
    mediaType: "application/yaml",
    body: "id: 1\nname: Tom\n",
    want: ["body/id: readOnly"],
  },
  {
    name: "a large body",
    schema: { type: "array", items: closed },
    body: JSON.stringify(Array.from({ length: 4000 }, () => ({ id: 1, name: "Tom" }))),
    want: Array.from({ length: 100 }, (_, index) => `body/${index}/id: readOnly`),
  },
];

for (const { name, openapi = "3.0.3", schema, mediaType = "application/json", body, want, status = 200 } of CASES) {
  const type = mediaType.split(";")[0] ?? "";
  const request = (): Request =>
    new Request("http://h/a", { method: "POST", headers: { "content-type": mediaType }, body });
  const read = (): Promise<Document> =>
    parseDocument(JSON.stringify({
      openapi,
      components,
      paths: { "/a": { post: { requestBody: { content: { [type]: { schema } } }, responses: { 200: {} } } } },
    }));

  Deno.test(`a readOnly property in a request is a warning: ${name}`, async () => {
    const answer = await (await createResponder([await read()], { validate: "error" }))(request());
    const { violations } = await answer.validation ?? { violations: [] };
    assert.deepEqual(violations.map(({ location, code }) => `${location.join("/")}: ${code}`), want);
    assert.equal(answer.response.status, status);
    assert.ok(violations.every(({ code, severity }) => (severity === "Warning") === (code === "readOnly")));
  });

  Deno.test(`a gateway that validates requests refuses a readOnly property: ${name}`, async () => {
    const [operation] = listOperations(await read());
    assert.ok(operation);
    const check = createRequestCheck(operation, () => createDocumentValidator(operation.document));
    const client = { remoteAddr: { hostname: "127.0.0.1" } };
    const target = { path: "/a", query: "", pathParameters: {} };
    const sent = request();
    const reply = await check({ request: sent, url: sent.url, target, client, headers: [] });
    assert.equal(reply?.response.status, want.length > 0 ? 400 : undefined);
  });
}

Deno.test("a readOnly property in a parameter is a warning", async () => {
  const parameters = [{ in: "query", name: "pet", style: "deepObject", explode: true, schema: closed }];
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: { "/a": { get: { parameters, responses: { 200: {} } } } },
  }));
  const answer = await (await createResponder([document], { validate: "error" }))(
    new Request("http://h/a?pet[id]=1&pet[name]=Tom"),
  );
  assert.equal(answer.response.status, 200);
  assert.deepEqual((await answer.validation)?.violations, [{
    location: ["query", "pet", "id"],
    severity: "Warning",
    code: "readOnly",
    message: "Request query parameter pet.id must not be there: it is readOnly.",
  }]);
});
