import assert from "node:assert/strict";
import { createMock } from "../../lib/mock/mock.ts";
import type { MockOptions } from "../../lib/mock/mock_options.ts";
import type { DefinitionObject } from "../../lib/openapi/document.ts";

const DOCS = await Deno.readTextFile(new URL("../../docs/requests.md", import.meta.url));

/** The parameter whose value the page's tables show in each format. */
const ids = { name: "ids", schema: { const: [1, 2], type: "array", items: { type: "integer" } } };
const filter = {
  name: "filter",
  schema: {
    const: { color: "red", size: 1 },
    type: "object",
    properties: { color: { type: "string" }, size: { type: "integer" } },
  },
};

/** The rows of the table below a heading: a format, and its example texts. */
function rowsOf(heading: string): [format: string, texts: string[]][] {
  const [, rows = ""] = new RegExp(`^\\| \`--query-${heading}\`.*\\n.*\\n((?:\\|.*\\n)+)`, "m").exec(DOCS) ?? [];
  return rows.trim().split("\n").map((row) => {
    const [format = "", ...texts] = [...row.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.replaceAll("\\|", "|"));
    return [format, texts];
  });
}

for (const [kind, { name, schema }] of [["array", ids], ["object", filter]] as const) {
  const rows = rowsOf(kind);
  Deno.test(`docs/requests.md lists the formats of an ${kind}`, () => assert.equal(rows.length, 7));
  for (const [format, texts] of rows) {
    for (const text of texts) {
      Deno.test(`docs/requests.md: ${text} is ${name} in format ${format}`, async () => {
        const formats = kind === "array"
          ? { queryFormats: { queryArray: format }, formFormats: { formArray: format } }
          : { queryFormats: { queryObject: format }, formFormats: { formObject: format } };
        const options = { validate: "error", ...formats } as MockOptions;
        const mock = createMock(definitionOf(name, schema), options);
        const inQuery = await mock(new Request(`http://localhost/?${text}`));
        assert.equal(inQuery.status, 204, await inQuery.text());
        const headers = { "content-type": "application/x-www-form-urlencoded" };
        const inForm = await mock(new Request("http://localhost/", { method: "POST", body: text, headers }));
        assert.equal(inForm.status, 204, await inForm.text());
      });
    }
  }
}

function definitionOf(name: string, schema: object): DefinitionObject {
  const form = { type: "object", required: [name], properties: { [name]: schema } };
  const responses = { "204": { description: "Read" } };
  const content = { "application/x-www-form-urlencoded": { schema: form } };
  return {
    openapi: "3.1.1",
    info: { title: "Formats", version: "1" },
    paths: {
      "/": {
        get: { parameters: [{ name, in: "query", required: true, schema }], responses },
        post: { requestBody: { required: true, content }, responses },
      },
    },
  };
}
