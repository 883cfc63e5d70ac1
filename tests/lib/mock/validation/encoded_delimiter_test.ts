import assert from "node:assert/strict";
import { latin1Text } from "../../../../lib/http/latin1.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const DELIMITED = { style: "form", explode: false };
const INTEGERS = { type: "array", items: { type: "integer" } };
const RGB = {
  type: "object",
  properties: { R: { type: "integer" }, G: { type: "integer" } },
  additionalProperties: false,
};

interface Case {
  parameter: Record<string, unknown>;
  /** Queries or path segments that are valid, and some that aren't. */
  valid: readonly string[];
  invalid?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    parameter: { in: "query", ...DELIMITED, schema: INTEGERS },
    valid: ["1%2C2", "1%2c2%2C3", "1,2", "1", new URLSearchParams({ p: "1,2,3" }).toString().slice(2)],
    invalid: ["1%2C2,3", "a%2C2"],
  },
  {
    parameter: { in: "query", ...DELIMITED, schema: { type: "array", minItems: 2, maxItems: 2 } },
    valid: ["Smith%2C%20J,Doe", "Smith%2CDoe"],
    invalid: ["Smith%2C%20J,Doe%2C%20K,Roe"],
  },
  {
    // Only the whole fits the schema.
    parameter: {
      in: "query",
      ...DELIMITED,
      schema: { type: "array", items: { type: "string", pattern: "^\\w+, \\w$" } },
    },
    valid: ["Smith%2C%20J", "Smith%2C%20J,Doe%2C%20K"],
    invalid: ["Smith%2CJ"],
  },
  {
    parameter: { in: "query", ...DELIMITED, schema: RGB },
    valid: ["R%2C1%2CG%2C2", "R,1,G,2"],
    invalid: ["R%2C1%2CG"],
  },
  { parameter: { in: "query", ...DELIMITED, schema: { type: "string", enum: ["a,b"] } }, valid: ["a%2Cb", "a,b"] },
  {
    parameter: { in: "query", style: "pipeDelimited", explode: false, schema: INTEGERS },
    valid: ["1%7C2", "1%7c2", "1|2"],
    invalid: ["1%7C2|3"],
  },
  { parameter: { in: "query", style: "spaceDelimited", explode: false, schema: INTEGERS }, valid: ["1%202", "1+2"] },
  { parameter: { in: "query", explode: true, schema: INTEGERS }, valid: ["1"], invalid: ["1%2C2"] },
  { parameter: { in: "path", required: true, schema: INTEGERS }, valid: ["1%2C2", "1,2"], invalid: ["1%2Ca"] },
  { parameter: { in: "path", required: true, explode: true, schema: RGB }, valid: ["R%3D1%2CG%3D2", "R=1,G=2"] },
  { parameter: { in: "path", required: true, style: "label", schema: INTEGERS }, valid: [".1%2C2", ".1,2", ".1.2"] },
  {
    parameter: {
      in: "path",
      required: true,
      style: "label",
      schema: { type: "array", enum: [["a", "b,"], ["c.d", "e"]] },
    },
    valid: [".a.b%2C", ".a,b%2C", ".c.d,e", ".c.d%2Ce"],
    invalid: [".a.b"],
  },
  {
    parameter: { in: "path", required: true, style: "matrix", schema: INTEGERS },
    valid: [";p=1%2C2", ";p=1,2", "%3Bp%3D1%2C2", "%3bp=1%2C2"],
    invalid: ["%3Bq%3D1", "%253Bp%3D1"],
  },
  {
    parameter: {
      in: "path",
      required: true,
      style: "matrix",
      explode: true,
      schema: { type: "array", enum: [["a%2C", "b"]] },
    },
    valid: [";p=a%252C;p=b", "%3Bp%3Da%252C%3Bp%3Db"],
    invalid: ["%3Bp%3Da%2C%3Bp%3Db"],
  },
  {
    parameter: { in: "path", required: true, style: "matrix", explode: true, schema: RGB },
    valid: ["%3BR%3D1%3BG%3D2"],
  },
];

for (const { parameter, valid, invalid = [] } of CASES) {
  Deno.test(`percent-encoded delimiters of ${JSON.stringify(parameter)}`, async () => {
    const isPath = parameter["in"] === "path";
    const document = await parseDocument({
      openapi: "3.1.0",
      info: { title: "Lists", version: "1.0.0" },
      paths: {
        [isPath ? "/{p}" : "/"]: { get: { parameters: [{ name: "p", ...parameter }], responses: { 204: {} } } },
      },
    });
    const mock = createMock(document, { validate: "error" });
    for (const [status, values] of [[204, valid], [422, invalid]] as const) {
      for (const value of values) {
        const response = await mock(new Request(`http://localhost/${isPath ? value : `?p=${value}`}`));
        assert.equal(response.status, status, value);
      }
    }
  });
}

Deno.test("percent-encoded delimiters of Swagger 2.0, of a form, and of a cookie", async (t) => {
  const answers = async (definition: Record<string, unknown>, path: string, init?: RequestInit): Promise<number> => {
    const mock = createMock(await parseDocument(definition), { validate: "error" });
    return (await mock(new Request(`http://localhost${path}`, init))).status;
  };
  for (const [collectionFormat, value] of [["csv", "1%2C2"], ["ssv", "1%202"], ["tsv", "1%092"], ["pipes", "1%7C2"]]) {
    await t.step(`${collectionFormat}`, async () => {
      const parameters = [{ name: "p", in: "query", collectionFormat, ...INTEGERS }];
      const paths = { "/": { get: { parameters, responses: { 200: { description: "OK" } } } } };
      assert.equal(await answers({ swagger: "2.0", info: { title: "L", version: "1" }, paths }, `/?p=${value}`), 200);
      assert.equal(await answers({ swagger: "2.0", info: { title: "L", version: "1" }, paths }, "/?p=1%3B2"), 422);
    });
  }
  for (const [collectionFormat, value] of [["csv", "1%2C2"], ["ssv", "1+2"], ["tsv", "1%092"], ["pipes", "1%7C2"]]) {
    await t.step(`${collectionFormat} in a form`, async () => {
      const parameters = [{ name: "p", in: "formData", collectionFormat, ...INTEGERS }];
      const consumes = ["application/x-www-form-urlencoded"];
      const paths = { "/": { post: { consumes, parameters, responses: { 200: { description: "OK" } } } } };
      const init = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" } };
      const definition = { swagger: "2.0", info: { title: "L", version: "1" }, paths };
      assert.equal(await answers(definition, "/", { ...init, body: `p=${value}` }), 200);
      assert.equal(await answers(definition, "/", { ...init, body: "p=1%3B2" }), 422);
    });
  }
  await t.step("a form", async () => {
    const content = {
      "application/x-www-form-urlencoded": {
        schema: { type: "object", properties: { p: INTEGERS } },
        encoding: { p: DELIMITED },
      },
    };
    const paths = { "/": { post: { requestBody: { content }, responses: { 204: { description: "OK" } } } } };
    const post = (body: string): RequestInit => ({
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
    });
    const definition = { openapi: "3.1.0", info: { title: "L", version: "1" }, paths };
    assert.equal(await answers(definition, "/", post(new URLSearchParams({ p: "1,2" }).toString())), 204);
    assert.equal(await answers(definition, "/", post("p=1%2Ca")), 422);
  });
  await t.step("a cookie", async () => {
    const parameters = [{ name: "p", in: "cookie", explode: false, schema: INTEGERS }];
    const paths = { "/": { get: { parameters, responses: { 204: { description: "OK" } } } } };
    const definition = { openapi: "3.1.0", info: { title: "L", version: "1" }, paths };
    for (const cookie of ["p=1%2C2", "p=1,2"]) {
      assert.equal(await answers(definition, "/", { headers: { cookie } }), 204);
    }
  });
  await t.step("an exploded cookie", async () => {
    const schema = { type: "array", minItems: 1, items: { type: "string", enum: ["a", "b", "c,d"] } };
    const parameters = [{ name: "p", in: "cookie", required: true, schema }];
    const paths = { "/": { get: { parameters, responses: { 204: { description: "OK" } } } } };
    const definition = { openapi: "3.1.0", info: { title: "L", version: "1" }, paths };
    for (const cookie of ["p=a&p=b", "p=a; p=b", "p=a,b", 'p="a,b"', "p=c%2Cd", "p=c,d", "p=a&p=c%2Cd"]) {
      assert.equal(await answers(definition, "/", { headers: { cookie } }), 204, cookie);
    }
    assert.equal(await answers(definition, "/", { headers: { cookie: "p=a,x" } }), 422);
  });
});

Deno.test("an array in one field of a form is JSON where its Encoding Object says so", async () => {
  const properties = { nums: INTEGERS };
  const bodyOf = (encoding: Record<string, unknown>): Record<string, unknown> => ({
    openapi: "3.1.0",
    info: { title: "L", version: "1" },
    paths: {
      "/": {
        post: {
          requestBody: {
            content: { "application/x-www-form-urlencoded": { schema: { type: "object", properties }, encoding } },
          },
          responses: { 204: { description: "OK" } },
        },
      },
    },
  });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (
    const [encoding, body, want] of [
      [{ nums: { contentType: "application/json" } }, "nums=[1,2]", 204],
      [{ nums: { contentType: "application/json" } }, "nums=%5B1%2C2%5D", 204],
      [{ nums: { contentType: "application/json" } }, "nums=1&nums=2", 204],
      [{ nums: { contentType: "application/json" } }, 'nums=["a"]', 422],
      [{}, "nums=[1,2]", 422],
      [{}, "nums=1&nums=2", 204],
    ] as const
  ) {
    const mock = createMock(await parseDocument(bodyOf(encoding)), { validate: "error" });
    const response = await mock(new Request("http://localhost/", { method: "POST", headers, body }));
    assert.equal(response.status, want, `${JSON.stringify(encoding)} ${body}`);
  }
});

Deno.test("a part of a form has one of the media types that its Encoding Object lists", async () => {
  const definition = {
    openapi: "3.1.0",
    info: { title: "L", version: "1" },
    paths: {
      "/": {
        post: {
          requestBody: {
            content: {
              "multipart/form-data": {
                schema: { type: "object", properties: { file: { type: "string", format: "binary" } } },
                encoding: { file: { contentType: "image/png, audio/*" } },
              },
            },
          },
          responses: { 204: { description: "OK" } },
        },
      },
    },
  };
  const mock = createMock(await parseDocument(definition), { validate: "error" });
  for (
    const [type, want] of [
      ["image/png", 204],
      ["audio/ogg", 204],
      ["application/octet-stream", 204],
      ["", 204],
      ["image/gif", 400],
    ] as const
  ) {
    const body = new FormData();
    body.append("file", new Blob(["x"], { type }), "a");
    assert.equal((await mock(new Request("http://localhost/", { method: "POST", body }))).status, want, type);
  }
});

Deno.test("headers and cookies hold UTF-8, as Go, curl and httpx send it, or Latin-1", async () => {
  const parameters = [
    { name: "X-Name", in: "header", schema: { type: "string", enum: ["José €", "Jos\u00e9"] } },
    { name: "c", in: "cookie", schema: { type: "string", enum: ["José €", "Jos\u00e9"] } },
  ];
  const value = (text: string): unknown => ({
    value: text,
    "x-svc": { mocking: { match: { "header.X-Name": text } } },
  });
  const content = { "text/plain": { examples: { none: { value: "none" }, euro: value("José €") } } };
  const paths = { "/": { get: { parameters, responses: { 200: { description: "OK", content } } } } };
  const mock = createMock(await parseDocument({ openapi: "3.1.0", info: { title: "L", version: "1" }, paths }), {
    validate: "error",
  });
  const utf8 = latin1Text(new TextEncoder().encode("José €"));
  for (const [name, sent, want] of [[utf8, utf8, "José €"], ["Jos\u00e9", "Jos\u00e9", "none"]] as const) {
    const request = new Request("http://localhost/", { headers: { "X-Name": name, cookie: `c=${sent}` } });
    const response = await mock(request);
    assert.deepEqual([response.status, await response.text()], [200, want]);
  }
});
