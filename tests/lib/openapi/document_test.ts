import { LIMITS } from "../../../lib/openapi/reading.ts";
import assert from "node:assert/strict";
import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from "openapi-types";
import { child, type Node } from "../../../lib/schema/json/node.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { listOperations } from "../../../lib/openapi/operation.ts";
import { follow } from "../../../lib/schema/json/reference.ts";

/** Parses texts whose URIs are their names below `https://host/dir/`. */
async function parseFiles(files: Record<string, string>): Promise<Document & { loaded: string[] }> {
  const loaded: string[] = [];
  const document = await parseDocument(files["main.yaml"] ?? "", {
    uri: "https://host/dir/main.yaml",
    load: (uri) => {
      loaded.push(uri);
      const text = files[uri.replace("https://host/dir/", "")];
      return text === undefined
        ? Promise.reject(new Error("no such file"))
        : Promise.resolve(new TextEncoder().encode(text));
    },
  });
  return { ...document, diagnostics: document.diagnostics, loaded };
}

const HEAD = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\n";

Deno.test("parseDocument() reads the version of a definition", async (t) => {
  const cases: [string, string][] = [
    ["openapi: 3.0.3", "3.0"],
    ["openapi: 3.1.0", "3.1"],
    ["openapi: 3.2.0", "3.2"],
    ["openapi: '3.1'", "3.1"],
    ["openapi: 3.1", "3.1"],
    ["openapi: 3.0", "3.0"],
    ["swagger: '2.0'", "2.0"],
    ["swagger: 2.0", "2.0"],
  ];
  for (const [line, version] of cases) {
    await t.step(line, async () => {
      const document = await parseDocument(`${line}\ninfo: {title: T, version: '1'}\npaths: {}\n`);
      assert.equal(document.version, version);
      assert.deepEqual(document.diagnostics, []);
    });
  }
});

Deno.test("parseDocument() reports a text that isn't a definition, with its place", async (t) => {
  const cases: { text: string; code: string; message: RegExp; at: string }[] = [
    { text: "", code: "syntax", message: /./, at: "1:1" },
    { text: "just text", code: "not-openapi", message: /not an object/, at: "1:1" },
    { text: "[1, 2]", code: "not-openapi", message: /not an object/, at: "1:1" },
    { text: "info: {}", code: "not-openapi", message: /`openapi`.* missing/, at: "1:1" },
    { text: "info: {}\nopenapi: 4.0.0", code: "not-openapi", message: /OpenAPI 4\.0\.0 is not supported/, at: "2:10" },
    { text: "openapi: 3.1.0\npaths: [1", code: "syntax", message: /\]/, at: "2:10" },
    { text: '{"openapi": "3.1.0", "paths": {', code: "syntax", message: /./, at: "1:32" },
    { text: "a: 1\n---\nb: 2", code: "syntax", message: /./, at: "1:1" },
    { text: "a: \0", code: "syntax", message: /./, at: "1:4" },
  ];
  for (const { text, code, message, at } of cases) {
    await t.step(JSON.stringify(text), async () => {
      const diagnostic = (await parseDocument(text)).diagnostics.find(({ severity }) => severity === "error");
      assert.equal(diagnostic?.code, code);
      assert.match(diagnostic?.message ?? "", message);
      assert.equal(`${diagnostic?.line}:${diagnostic?.column}`, at);
    });
  }
});

Deno.test("parseDocument() reads a definition without info, with a warning", async () => {
  const document = await parseDocument("openapi: 3.1.0\npaths: {/a: {get: {}}}");
  assert.deepEqual(document.diagnostics.map(({ severity, code }) => [severity, code]), [["warning", "missing-info"]]);
  assert.equal(listOperations(document).length, 1);
});

Deno.test("parseDocument() reports an unmatched bracket without its consequences", async () => {
  const schemas = Array.from({ length: 50 }, (_, index) => `    S${index}: {type: string}\n`).join("");
  const { diagnostics } = await parseDocument(`${HEAD}components:\n  schemas:\n}\n${schemas}`);
  assert.deepEqual(diagnostics.map(({ line, message }) => `${line}: ${message}`), ["5: This } closes nothing."]);
});

Deno.test("parseDocument() reports the first syntax errors, and the number of others", async () => {
  const values = Array.from({ length: 30 }, (_, index) => `a${index}: [1\n`).join("");
  const { diagnostics } = await parseDocument(values);
  const told = diagnostics.filter(({ code }) => code === "syntax");
  assert.equal(told.length, 11);
  assert.match(told.at(-1)?.message ?? "", /^From here on there are \d+ more syntax errors, which may be consequences/);
});

Deno.test("parseDocument() reports further syntax errors after the first", async () => {
  const document = await parseDocument(`${HEAD}paths:\n  /a: {get: {x: [1, 2}}\n  /b: *nowhere\n  /c: "open\n`);
  const lines = new Set(document.diagnostics.filter(({ code }) => code === "syntax").map(({ line }) => line));
  assert.deepEqual([...lines].filter((line) => line === 4 || line > 5), [4, 7]);
});

Deno.test("parseDocument() reads JSON with a trailing comma as YAML, with a warning", async () => {
  const document = await parseDocument('{"openapi": "3.1.0", "info": {}, "paths": {},\n}');
  const [warning, ...others] = document.diagnostics;
  assert.deepEqual(others, []);
  assert.equal(warning?.code, "not-json");
  assert.equal(warning?.line, 2);
});

Deno.test("parseDocument() loads each text that is referred to once, also in cycles", async () => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths: {/a: {$ref: "paths/a.yaml"}, /b: {$ref: "paths/a.yaml#/other"}}`,
    "paths/a.yaml": `get: {responses: {"200": {$ref: "../responses.json#/ok"}}}\nother: {put: {}}`,
    "responses.json": `{"ok": {"content": {"application/json": {"schema": {"$ref": "main.yaml#/paths"}}}}}`,
  });
  assert.deepEqual(document.loaded, ["https://host/dir/paths/a.yaml", "https://host/dir/responses.json"]);
  assert.deepEqual(document.diagnostics, []);
  const operations = listOperations(document);
  assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`), ["GET /a", "PUT /b"]);
  const response = operations[0] && follow(document, child(child(operations[0].node, "responses"), "200"));
  assert.equal(response?.source.uri, "https://host/dir/responses.json");
  assert.equal(response?.pointer, "/ok");
});

Deno.test("parseDocument() reports references that lead nowhere, with the reason", async () => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths:
  /a:
    $ref: missing.yaml
  /b:
    $ref: '#/components/pathItems/none'
  /c:
    $ref: other.yaml#/none
  /d:
    get: {responses: {'200': {content: {a/b: {examples: {x: {externalValue: x.bin}}}}}}}
  /e:
    get: {responses: {'200': {content: {a/b: {examples: {x: {externalValue: "data:;base64,?"}}}}}}}
`,
    "other.yaml": "some: thing",
  });
  assert.deepEqual(document.diagnostics.map(({ message, line }) => `${line}: ${message}`), [
    "5: The reference missing.yaml leads nowhere: https://host/dir/missing.yaml: no such file.",
    "7: The reference #/components/pathItems/none leads nowhere: there is nothing at that place.",
    "9: The reference other.yaml#/none leads nowhere: there is nothing at that place.",
    "11: The reference x.bin leads nowhere: https://host/dir/x.bin: no such file.",
    "13: The reference data:;base64,? leads nowhere: there is nothing at that place.",
  ]);
  assert.deepEqual(document.missing, ["https://host/dir/missing.yaml", "https://host/dir/x.bin"]);
});

Deno.test("parseDocument() doesn't follow a $ref inside an example", async () => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths: {}
components:
  examples: {e: {value: {$ref: data.json}}}
  schemas:
    A: {example: {$ref: data.json}, enum: [{$ref: data.json}], const: {$ref: data.json}, default: {$ref: data.json}}
    B: {properties: {example: {$ref: '#/components/schemas/A'}, $ref: {type: string}}}
`,
  });
  assert.deepEqual(document.loaded, []);
  assert.deepEqual(document.diagnostics, []);
});

Deno.test("parseDocument() follows a $ref below a name that is a keyword elsewhere", async () => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths: {}
webhooks: {default: {$ref: '#/none/1'}}
x-webhooks: {example: {$ref: '#/none/2'}}
components:
  mediaTypes: {value: {$ref: '#/none/3'}}
  securitySchemes: {default: {$ref: '#/none/4'}}
`,
  });
  assert.deepEqual(document.diagnostics.map(({ message }) => message.split(" ")[2]), [
    "#/none/1",
    "#/none/2",
    "#/none/3",
    "#/none/4",
  ]);
});

Deno.test("parseDocument() loads the texts to which a text that is a list refers", async () => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths: {/a: {$ref: 'list.yaml#/0'}}\n`,
    "list.yaml": "[{get: {parameters: [{$ref: other.yaml}]}}]",
    "other.yaml": "{name: a, in: query}",
  });
  assert.deepEqual(document.loaded, ["https://host/dir/list.yaml", "https://host/dir/other.yaml"]);
});

Deno.test("follow() finds the target of a reference", async (t) => {
  const document = await parseFiles({
    "main.yaml": `${HEAD}paths: {}
components:
  schemas:
    A: {title: a}
    "a/b~c d": {title: odd}
    Chain: {$ref: '#/components/schemas/Chain2'}
    Chain2: {$ref: 'other.yaml#/x'}
    Circle: {$ref: '#/components/schemas/Circle2'}
    Circle2: {$ref: '#/components/schemas/Circle'}
    Self: {$ref: '#/components/schemas/Self'}
    Anchored: {$anchor: here, title: anchored}
    Named: {$id: 'https://ids/named.json', title: named, $defs: {inner: {$anchor: in, title: inner, properties: {p: {$ref: '#/$defs/inner'}}}}}
    List: {prefixItems: [{title: first}]}
    __proto__: {title: proto}
`,
    "other.yaml": "x: {title: x}\ny: {$ref: 'main.yaml#/components/schemas/A'}",
  });
  const cases: [reference: string, title: string | undefined][] = [
    ["#/components/schemas/A", "a"],
    ["main.yaml#/components/schemas/A", "a"],
    ["https://host/dir/main.yaml#/components/schemas/A", "a"],
    ["#/components/schemas/a~1b~0c%20d", "odd"],
    ["#/components/schemas/Chain", "x"],
    ["other.yaml#/y", "a"],
    ["#/components/schemas/List/prefixItems/0", "first"],
    ["#/components/schemas/Chain/title", undefined],
    ["#here", "anchored"],
    ["https://ids/named.json", "named"],
    ["https://ids/named.json#in", "inner"],
    ["https://ids/named.json#/$defs/inner", "inner"],
    ["#/components/schemas/__proto__", "proto"],
    ["#/components/schemas/Circle", undefined],
    ["#/components/schemas/Self", undefined],
    ["#/components/schemas/None", undefined],
    ["#/components/schemas/constructor", undefined],
    ["#none", undefined],
    ["nowhere.yaml#/x", undefined],
    ["#/%zz", undefined],
    ["", "3.1.0"],
  ];
  for (const [reference, title] of cases) {
    await t.step(reference, () => {
      const found: Node = follow(document, { ...document.root, value: { $ref: reference } });
      assert.equal(child(found, reference === "" ? "openapi" : "title").value, title);
    });
  }
  await t.step("relative to the $id around it", () => {
    const holder: Node = follow(document, {
      ...document.root,
      value: { $ref: "https://ids/named.json#/$defs/inner/properties/p" },
    });
    assert.equal(child(holder, "title").value, "inner");
  });
});

Deno.test("listOperations() lists the methods of each path, also through $ref", async () => {
  const document = await parseDocument(`${HEAD}
paths:
  /a:
    summary: not a method
    parameters: []
    get: {}
    trace: {}
    x-get: {}
  /b:
    $ref: '#/components/pathItems/B'
    get: {summary: own}
  x-other: {get: {}}
components:
  pathItems:
    B: {get: {summary: shared}, post: {}}
`);
  const operations = listOperations(document);
  assert.deepEqual(operations.map(({ method, path }) => `${method} ${path}`), [
    "GET /a",
    "TRACE /a",
    "GET /b",
    "POST /b",
  ]);
  assert.deepEqual(operations[2]?.node.value, { summary: "own" });
});

Deno.test("parseDocument() reads a definition that is an object", async (t) => {
  const info = { title: "Pets", version: "1.0.0" };
  const responses = { "200": { description: "Pets." } };
  const v2: OpenAPIV2.Document = { swagger: "2.0", info, paths: { "/pets": { get: { responses } } } };
  const v30: OpenAPIV3.Document = { openapi: "3.0.4", info, paths: { "/pets": { get: { responses } } } };
  const v31: OpenAPIV3_1.Document = { openapi: "3.1.1", info, paths: { "/pets": { get: { responses } } } };
  const v32 = { openapi: "3.2.0", info, paths: { "/pets": { query: { responses } } } };
  for (const [version, object] of [["2.0", v2], ["3.0", v30], ["3.1", v31], ["3.2", v32]] as const) {
    await t.step(version, async () => {
      const document = await parseDocument(object, { uri: "pets" });
      assert.equal(document.version, version);
      assert.deepEqual(document.diagnostics, []);
      assert.deepEqual(document.written.value, object);
      assert.deepEqual(listOperations(document).map(({ path }) => path), ["/pets"]);
    });
  }
  await t.step("and doesn't read its later changes", async () => {
    const object: OpenAPIV3.Document = structuredClone(v30);
    const document = await parseDocument(object);
    object.paths = {};
    assert.equal(listOperations(document).length, 1);
  });
  await t.step("with diagnostics that have pointers, and lines and columns of its JSON text", async () => {
    const { diagnostics, root } = await parseDocument({ openapi: "3.1.0", info: "Pets", paths: {} }, { uri: "pets" });
    assert.deepEqual(diagnostics, [{
      severity: "warning",
      code: "missing-info",
      message: "The definition has no `info` with a title and a version.",
      uri: "pets",
      pointer: "",
      line: 1,
      column: 1,
    }]);
    assert.equal(root.source.text(), '{\n  "openapi": "3.1.0",\n  "info": "Pets",\n  "paths": {}\n}');
  });
  await t.step("with a diagnostic where it contains itself", async () => {
    const schema: Record<string, unknown> = { type: "object" };
    schema["properties"] = { parent: schema };
    const { diagnostics } = await parseDocument({ openapi: "3.1.0", info, components: { schemas: { Node: schema } } });
    assert.deepEqual(diagnostics.map(({ code, message }) => [code, message]), [[
      "syntax",
      "This object can't be written as JSON: Converting circular structure to JSON. Refer by `$ref` instead.",
    ]]);
  });
  await t.step("with a diagnostic if its shared parts make too long a text", async () => {
    let shared: unknown = "x";
    for (let depth = 0; depth < 40; depth++) shared = [shared, shared];
    const { diagnostics } = await parseDocument({ openapi: "3.1.0", info, "x-shared": shared });
    assert.deepEqual(diagnostics.map(({ message }) => message), [
      "This object can't be written as JSON: Its text has more than 67108864 bytes. Refer by `$ref` instead.",
    ]);
  });
  await t.step("with a diagnostic if it can't be read", async () => {
    const failing = {
      info,
      get openapi(): string {
        throw new Error("no luck");
      },
    };
    const { diagnostics } = await parseDocument(failing);
    assert.deepEqual(diagnostics.map(({ message }) => message), ["This object can't be written as JSON: No luck."]);
  });
});

Deno.test("parseDocument() bounds the number of texts, and their bytes together", async (t) => {
  const chainOf = async (padding: number): Promise<{ loaded: number; bytes: number; reason: string }> => {
    let [loaded, bytes] = [0, 0];
    const load = (): Promise<Uint8Array> => {
      const text = new TextEncoder().encode(`$ref: ${++loaded}.yaml\n#${" ".repeat(padding)}`);
      bytes += text.length;
      return Promise.resolve(text);
    };
    const text = "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {A: {$ref: 0.yaml}}}";
    const { diagnostics } = await parseDocument(text, { uri: "https://host/a.yaml", load });
    const reason = diagnostics.find(({ message }) => /may consist of|may have/.test(message))?.message ?? "";
    return { loaded, bytes, reason };
  };
  await t.step("an endless chain of small texts", async () => {
    const { loaded, reason } = await chainOf(0);
    assert.equal(loaded, LIMITS.texts - 1);
    assert.match(reason, /a definition may consist of 10000 texts/);
  });
  await t.step("an endless chain of large texts", async () => {
    const { bytes, reason } = await chainOf(40 * 1024 * 1024);
    assert.ok(bytes < 300 * 1024 * 1024);
    assert.match(reason, /the texts of a definition may have 268435456 bytes/);
  });
});

Deno.test("parseDocument() knows no `$id` before OpenAPI 3.1, and says that it is ignored", async (t) => {
  const texts: Record<string, string> = {
    "file:///api/order.json": '{"$id": "https://example.com/order.json", "properties": {"pet": {"$ref": "pet.json"}}}',
    "file:///api/pet.json": '{"type": "string", "properties": {"$id": {"type": "string"}}}',
  };
  const cases: Record<string, { head: string; asked: string[]; warnings: number }> = {
    "2.0": { head: 'swagger: "2.0"', asked: ["file:///api/order.json", "file:///api/pet.json"], warnings: 1 },
    "3.0": { head: "openapi: 3.0.3", asked: ["file:///api/order.json", "file:///api/pet.json"], warnings: 1 },
    "3.0 as a number": { head: "openapi: 3.0", asked: ["file:///api/order.json", "file:///api/pet.json"], warnings: 1 },
    "3.1": { head: "openapi: 3.1.0", asked: ["file:///api/order.json", "https://example.com/pet.json"], warnings: 0 },
  };
  for (const [version, { head, asked, warnings }] of Object.entries(cases)) {
    await t.step(version, async () => {
      const loaded: string[] = [];
      const load = (uri: string): Promise<Uint8Array> => {
        loaded.push(uri);
        return Promise.resolve(new TextEncoder().encode(texts[uri] ?? "{}"));
      };
      const schemas = version === "2.0" ? "definitions" : "components: {schemas";
      const end = version === "2.0" ? "" : "}";
      const text = `${head}\ninfo: {title: T, version: "1"}\npaths: {}\n` +
        `${schemas}: {A: {$ref: order.json}}${end}\n`;
      const { unlocatedDiagnostics } = await parseDocument(text, { uri: "file:///api/a.yaml", load });
      assert.deepEqual(loaded, asked);
      assert.equal(unlocatedDiagnostics.filter(({ code }) => code === "unknown-field").length, warnings);
    });
  }
});
