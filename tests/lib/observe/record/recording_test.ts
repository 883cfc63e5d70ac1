import assert from "node:assert/strict";
import fc from "fast-check";
import { fileURLToPath } from "node:url";
import { createBodyGenerator } from "../../../../lib/mock/generate/generate.ts";
import type { Exchange } from "../../../../lib/observe/exchange.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseOverlay } from "../../../../lib/openapi/overlay/parse_overlay.ts";
import { Recording, type RecordingOptions } from "../../../../lib/observe/record/recording.ts";
import { createRouter } from "../../../../lib/mock/route/router.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";
import { createDocumentValidator } from "../../../../lib/schema/document_validator.ts";
import { readJsonText, writeJson } from "../../../../lib/schema/json/json.ts";
import { parseDataUri } from "../../../../lib/http/data_uri.ts";
import { latin1Bytes, latin1Text } from "../../../../lib/http/latin1.ts";
import { splitTarget } from "../../../../lib/http/url/url.ts";
import { textEncoder } from "../../../../lib/wire/charset.ts";
import { runs } from "../../../runs.ts";

/** `deno task test` imports this file into others, beside which `deno test` would look for the snapshots. */
const SNAPSHOTS = { path: fileURLToPath(import.meta.resolve("./__snapshots__/recording_test.ts.snap")) };

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
security: [{key: []}]
paths:
  /pets:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses:
        "200":
          description: Pets
          headers: {X-Total: {schema: {type: integer}}}
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
        default: {$ref: "#/components/responses/Problem"}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "201": {description: Created, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
        "422": {$ref: "#/components/responses/Problem"}
  /pets/{id}:
    get:
      responses:
        "200":
          description: A pet
          content: {application/json: {example: {name: Own}, schema: {$ref: "#/components/schemas/Pet"}}}
        "404": {$ref: "#/components/responses/Problem"}
    delete: {responses: {"204": {description: Gone}}}
components:
  securitySchemes: {key: {type: apiKey, in: query, name: k}}
  responses:
    Problem:
      description: A problem
      content: {application/problem+json: {schema: {type: object}}}
  schemas:
    Pet:
      type: object
      properties:
        id: {type: integer}
        name: {type: string}
        passcode: {type: string, pattern: "^[0-9]{4}$"}
        chip: {type: string, format: password}
        kind: {type: string}
        token: {type: string, enum: [ring, tag]}
`;

interface Given {
  method?: string;
  target: string;
  sent?: unknown;
  headers?: Record<string, string>;
  status?: number;
  body?: unknown;
  type?: string;
  answered?: Record<string, string>;
  isUpstream?: boolean;
}

function exchangeOf(document: Document, given: Given): Exchange {
  const { method = "GET", target, sent, headers = {}, status = 200, body, type = "application/json" } = given;
  const operations = listOperations(document).map((operation) => ({
    method: operation.method,
    path: operation.path,
    operation,
  }));
  const url = `http://localhost${target}`;
  const match = createRouter(operations, () => []).match(method, splitTarget(url).path);
  assert.equal(match.kind, "found");
  const bytes = (value: unknown): Uint8Array => {
    if (value instanceof Uint8Array) return value;
    return new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
  };
  return {
    operation: match.route.operation,
    pathParameters: match.parameters,
    request: {
      method,
      url,
      headers: new Headers({ ...sent === undefined ? {} : { "content-type": "application/json" }, ...headers }),
      ...(sent === undefined ? {} : { body: bytes(sent) }),
    },
    response: {
      status,
      isUpstream: given.isUpstream ?? true,
      headers: new Headers({ ...body === undefined ? {} : { "content-type": type }, ...given.answered }),
      ...(body === undefined ? {} : { body: bytes(body) }),
    },
    requestViolations: [],
    responseViolations: [],
  };
}

function createRecording(document: Document, options: Partial<RecordingOptions> = {}): Recording {
  return new Recording({
    documents: [document],
    validatorOf: createDocumentValidator,
    generatorOf: createBodyGenerator,
    ...options,
  });
}

async function record(given: readonly Given[], options: Partial<RecordingOptions> = {}): Promise<string | undefined> {
  const document = await parseDocument(PETS, { uri: "file:///pets.yaml" });
  const recording = createRecording(document, options);
  for (const one of given) await recording.add(exchangeOf(document, one));
  return await recording.render();
}

const SAMPLE: readonly Given[] = [
  { target: "/pets", body: [{ id: 1, name: "Tom" }, { id: 2, name: "Ida" }], answered: { "x-total": "2" } },
  { target: "/pets?limit=1", body: [{ id: 1, name: "Tom" }], answered: { "x-total": "2" } },
  { target: "/pets/1", body: { id: 1, name: "Tom" } },
  { target: "/pets/9", status: 404, body: { title: "No pet 9" }, type: "application/problem+json" },
  { method: "POST", target: "/pets", sent: { name: "Eve" }, status: 201, body: { id: 3, name: "Eve" } },
  {
    method: "POST",
    target: "/pets",
    sent: {},
    status: 422,
    body: { title: "No name" },
    type: "application/problem+json",
  },
  { method: "DELETE", target: "/pets/1", status: 204 },
  { method: "DELETE", target: "/pets/9", status: 500, body: "Oops", type: "text/plain" },
];

Deno.test("Recording renders an overlay of examples with conditions on their requests", async (t) => {
  await t.assertSnapshot(await record(SAMPLE), SNAPSHOTS);
});

Deno.test("Recording doesn't depend on the order of exchanges", async () => {
  assert.equal(await record(SAMPLE.toReversed()), await record(SAMPLE));
  assert.equal(await record([...SAMPLE, ...SAMPLE]), await record(SAMPLE));
});

Deno.test("Recording extends an earlier recording and keeps actions that it didn't record", async () => {
  const document = await parseDocument(PETS, { uri: "file:///pets.yaml" });
  const first = await record(SAMPLE.slice(0, 3));
  assert.ok(first);
  const own = "  - target: $.info\n    update:\n      title: My pets\n";
  const recording = createRecording(document);
  assert.equal(await recording.read(first.replace("title: Recorded", "title: My recorded") + own), undefined);
  for (const given of SAMPLE.slice(3)) await recording.add(exchangeOf(document, given));
  const whole = await record(SAMPLE);
  assert.ok(whole);
  assert.equal(await recording.render(), whole.replace("title: Recorded", "title: My recorded") + own);
});

Deno.test("Recording refuses to extend a text that isn't an overlay", async () => {
  const recording = createRecording(await parseDocument(PETS));
  assert.match(await recording.read("openapi: 3.1.0") ?? "", /^It is no overlay/);
  assert.ok(await recording.read("a: [") !== undefined);
});

Deno.test("Recording keeps an earlier example unless a new one has more features", async () => {
  const document = await parseDocument(PETS, { uri: "file:///pets.yaml" });
  const first = await record([{ target: "/pets/1", body: { id: 1, name: "Tom" } }]);
  const recording = createRecording(document);
  assert.equal(await recording.read(first ?? ""), undefined);
  await recording.add(exchangeOf(document, { target: "/pets/1", body: { id: 1, name: "Abe" } }));
  assert.equal(await recording.render(), first);
  await recording.add(exchangeOf(document, { target: "/pets/1", body: { id: 1, name: "Abe", kind: "cat" } }));
  assert.match(await recording.render() ?? "", /kind: cat/);
});

const UNRECORDED: readonly { name: string; given: Given; remark?: RegExp }[] = [
  { name: "answers of gw itself", given: { target: "/pets", status: 502, body: {}, isUpstream: false } },
  { name: "HEAD", given: { method: "HEAD", target: "/pets" } },
  { name: "304", given: { target: "/pets", status: 304 } },
  { name: "206", given: { target: "/pets", status: 206, body: "[", type: "application/json" } },
  { name: "bodies without a type", given: { target: "/pets", body: "x", type: "?" }, remark: /valid Content-Type/ },
  { name: "large bodies", given: { target: "/pets", body: "x".repeat(1_048_577) }, remark: /more than 1048576 bytes/ },
  {
    name: "large binary bodies",
    given: { target: "/pets", body: new Uint8Array(1_048_577), type: "image/png" },
    remark: /more than 1048576 bytes/,
  },
  {
    name: "bodies that broke off",
    given: { target: "/pets", answered: { "content-type": "text/plain" } },
    remark: /broke/,
  },
];

for (const { name, given, remark } of UNRECORDED) {
  Deno.test(`Recording leaves out an exchange: ${name}`, async () => {
    const document = await parseDocument(PETS);
    const recording = createRecording(document);
    if (given.method === "HEAD") {
      const { operation, ...exchange } = exchangeOf(document, { ...given, method: "GET", body: {} });
      assert.ok(operation);
      await recording.add({ ...exchange, operation, request: { ...exchange.request, method: "HEAD" } });
      assert.equal(await recording.render(), undefined);
      return;
    }
    const { remarks } = await recording.add(exchangeOf(document, given));
    assert.equal(await recording.render(), undefined);
    if (remark === undefined) assert.deepEqual(remarks, []);
    else assert.match(remarks.join(), remark);
    assert.deepEqual((await recording.add(exchangeOf(document, given))).remarks, []);
  });
}

Deno.test("Recording bounds the examples of a response and prefers those with the most features", async () => {
  const given = Array.from({ length: 30 }, (_, index): Given => {
    const isOdd = index % 10 === 7;
    return { target: `/pets/${index}`, body: { id: index, ...isOdd ? { name: "Tom", kind: "cat" } : {} } };
  });
  const text = await record(given, { examples: 4 });
  const names = [...(text ?? "").matchAll(/^ {8}(id-\d+):$/gm)].map(([, name]) => name);
  assert.deepEqual(names, ["id-7", "id-0", "id-1", "id-2"]);
  assert.equal(await record(given.toReversed(), { examples: 4 }), text);
});

Deno.test("Recording keeps bodies of every media type as they were sent", async () => {
  const bodies: readonly { type: string; body: string; want: RegExp }[] = [
    { type: "application/xml", body: "<pet><id>1</id></pet>", want: /value: <pet><id>1<\/id><\/pet>/ },
    { type: "text/event-stream", body: "data: 1\n\ndata: 2\n\n", want: /value: \|\+\n +data: 1\n\n +data: 2\n/ },
    { type: "application/json", body: '{"id": 12345678901234567890}', want: /value: '\{"id": 12345678901234567890\}'/ },
    { type: "application/json", body: "[".repeat(450) + "]".repeat(450), want: /value: '\[{450}\]{450}'/ },
    { type: "application/json", body: '{"id": 1', want: /serializedValue: '\{"id": 1'/ },
    { type: "text/plain; charset=latin1", body: "x", want: /contentType: text\/plain; charset=latin1\n/ },
    { type: "application/json;charset=UTF-8", body: "[]", want: /contentType: application\/json;charset=UTF-8\n/ },
    { type: "image/png", body: "\x89PNG", want: /externalValue: data:image\/png;base64,wolQTkc=\n/ },
  ];
  for (const { type, body, want } of bodies) {
    assert.match(await record([{ target: "/pets", type, body }]) ?? "", want);
  }
});

const SECRETS = ["hunter2-login", "sess-93jf83hf", "qk-8812-abc", "bearer-tok-1", "basic-pass-9", "echo-1122-zz"];

Deno.test("Recording redacts secrets and replaces them by valid values", async () => {
  const text = await record([
    // A response contains this secret before a later request sends it as a credential.
    { target: "/pets/5", body: { id: 5, name: `made by ${SECRETS[2]}`, kind: btoa(`x:${SECRETS[4]}`) } },
    {
      target: `/pets?k=${SECRETS[2]}&limit=7&session=${SECRETS[1]}`,
      headers: { authorization: `Bearer ${SECRETS[3]}`, cookie: `theme=dark; sid=${SECRETS[1]}` },
      body: [{ id: 1, name: SECRETS[1], passcode: "1234", chip: "c-77", token: "ring", kind: `k=${SECRETS[3]}` }],
      answered: { "set-cookie": `sid=${SECRETS[1]}`, "x-total": "1" },
    },
    {
      target: "/pets/6",
      headers: { authorization: `Basic ${btoa(`ada:${SECRETS[4]}`)}` },
      body: { id: 6, name: SECRETS[4] },
    },
    {
      method: "POST",
      target: "/pets",
      sent: { name: "Eve", password: SECRETS[0] },
      status: 201,
      body: { id: 3, name: `Eve ${SECRETS[0]}`, kind: encodeURIComponent(`${SECRETS[0]}`) },
    },
    { target: `/pets/${SECRETS[1]}`, status: 404, body: `no ${SECRETS[1]}`, type: "text/plain" },
    { target: "/pets/7", body: { id: 7, kind: "echo", accessToken: SECRETS[5], name: `is ${SECRETS[5]}` } },
  ], { redact: ["/kind"] });
  for (const secret of [...SECRETS, "c-77", "1234"]) assert.ok(!text?.includes(secret), secret);
  assert.ok(!text?.includes(btoa(SECRETS[4] ?? "").slice(0, 8)));
  assert.match(text ?? "", /passcode: '\d{4}'\n +chip: REDACTED\n +token: ring/);
  assert.match(text ?? "", /query\.limit: 7/);
  assert.doesNotMatch(text ?? "", /kind: echo|query\.k|query\.session|sid/);
});

const SWAGGER = `
swagger: "2.0"
info: {title: Pets, version: 1.0.0}
produces: [application/json]
paths:
  /pets/{id}:
    get:
      responses:
        "200":
          description: A pet
          schema: {$ref: "#/definitions/Pet"}
          examples: {application/json: {id: 0}}
        "404": {$ref: "#/responses/Problem"}
responses: {Problem: {description: A problem, schema: {type: object}}}
definitions: {Pet: {type: object, properties: {id: {type: integer}}}}
`;

Deno.test("Recording redacts a credential that a response repeats, even after many others", async () => {
  const repeating = (secret: string, target: string): Given => ({
    target,
    headers: { authorization: `Bearer ${secret}` },
    body: { id: 1, name: `You are ${secret}` },
  });
  const others = Array.from({ length: 1_100 }, (_, index) => repeating(`other-${index}-horse`, "/pets/2"));
  const text = await record([repeating("correct-horse", "/pets/1"), ...others]) ?? "";
  assert.match(text, /You are REDACTED/);
  assert.doesNotMatch(text, /horse/);
});

Deno.test("Recording writes `x-examples` for Swagger 2.0, which the mock server serves", async (t) => {
  const document = await parseDocument(SWAGGER);
  const given: Given[] = [
    { target: "/pets/1", body: { id: 1 } },
    { target: "/pets/2", body: { id: 2 } },
    { target: "/pets/9", status: 404, body: { title: "No pet" } },
    { target: "/pets/8", status: 403, body: { title: "Not yours" } },
    { target: "/pets/7", body: new Uint8Array([0xff, 0xd8, 0xff]), type: "image/jpeg" },
  ];
  const recording = createRecording(document);
  for (const one of given) await recording.add(exchangeOf(document, one));
  const text = await recording.render();
  await t.assertSnapshot(text, SNAPSHOTS);
  const again = createRecording(document);
  assert.equal(await again.read(text ?? ""), undefined);
  assert.equal(await again.render(), text);

  const mock = createMock(await parseDocument(SWAGGER, { overlays: [await parseOverlay(text ?? "")] }));
  for (const { target, status = 200, body } of given) {
    const response = await mock(new Request(`http://localhost${target}`));
    const answered = body instanceof Uint8Array ? await response.bytes() : await response.json();
    assert.deepEqual([response.status, answered], [status, body]);
  }
});

Deno.test("Recording redacts secrets in bytes, of this request and of later ones, and in parts of multipart", async () => {
  const bytes = (text: string): Uint8Array => latin1Bytes(`\xff\xfe\0${text}\0\xff`);
  const part = "\r\nContent-Disposition: form-data; name=";
  const text = await record([
    {
      target: "/pets/1",
      headers: { authorization: "Bearer correct-horse" },
      type: "image/png",
      body: bytes("correct-horse"),
    },
    { target: "/pets/2", type: "application/zip", body: bytes("of later-horse-9") },
    { target: "/pets/3", headers: { authorization: "Bearer later-horse-9" }, body: { id: 3 } },
    {
      target: "/pets/4",
      type: "multipart/form-data; boundary=b",
      body: latin1Bytes(`--b${part}"password"\r\n\r\nhunter2\r\n--b${part}"file"\r\n\r\n\xff\xfe\r\n--b--\r\n`),
    },
  ]) ?? "";
  const bodies = [...text.matchAll(/externalValue: (\S+)/g)].map(([, uri = ""]) =>
    latin1Text(parseDataUri(uri) ?? new Uint8Array())
  );
  assert.equal(bodies.length, 3);
  for (const body of bodies) assert.match(body, /REDACTED/);
  assert.doesNotMatch(bodies.join(), /horse|hunter2/);
  assert.match(bodies.join(), /\r\n\xff\xfe\r\n--b--/);
});

Deno.test("Recording keeps an example in a file that was added to an earlier recording", async () => {
  const whole = await record([{ target: "/pets/1", type: "image/png", body: new Uint8Array([0xff]) }]) ?? "";
  const edited = whole.replace("data:image/png;base64,/w==", "./pet.png");
  assert.notEqual(edited, whole);
  const recording = createRecording(await parseDocument(PETS, { uri: "file:///pets.yaml" }));
  assert.equal(await recording.read(edited), undefined);
  assert.equal(await recording.render(), edited);
});

Deno.test("createMock() answers from a recording as the upstream did", async () => {
  const text = await record(SAMPLE);
  const mock = createMock(await parseDocument(PETS, { overlays: [await parseOverlay(text ?? "")] }));
  for (const { method = "GET", target, sent, status = 200, body, type = "application/json" } of SAMPLE) {
    const init = sent === undefined
      ? { method }
      : { method, body: JSON.stringify(sent), headers: { "content-type": "application/json" } };
    const response = await mock(new Request(`http://localhost${target}`, init));
    assert.equal(response.status, status, `${method} ${target}`);
    if (body === undefined) continue;
    assert.equal(response.headers.get("content-type"), type);
    assert.deepEqual(type.includes("json") ? await response.json() : await response.text(), body);
  }
});

const KINDS = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Kinds", version: "1.0.0" },
  paths: {
    '/it\'s \\ "{kind}"/{id}': {
      get: {
        responses: {
          200: { description: "Any", content: { "application/json": {}, "text/plain": {}, "text/event-stream": {} } },
          404: { description: "None", content: { "text/plain": {} } },
        },
      },
    },
    "/last/{id}": { get: { responses: { default: { description: "Any" } } } },
  },
});

/** Texts with the ends and beginnings that block scalars of YAML treat in a special way. */
const TEXT = fc.array(
  fc.oneof(
    fc.constantFrom(
      "a",
      " ",
      "\n",
      "\t",
      "...",
      "---",
      "#",
      "data: {}",
      "'",
      '"',
      "\\",
      ": ",
      "- ",
      "%",
      "é",
      "\u2028",
    ),
    fc.constantFrom(
      "\r\n",
      "\r",
      "\ufeff",
      "\0",
      "\x85",
      "null",
      "12",
      "{",
      "<",
      "=",
      "&",
      "|",
      "!",
      "😀",
      "\x7f",
      "~",
    ),
  ),
  { minLength: 1, maxLength: 8 },
).map((parts) => parts.join(""));

/** JSON values under names that no secret has: secrets are redacted. */
const SCALAR = fc.oneof(
  TEXT,
  fc.integer(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const JSON_VALUE = fc.oneof(
  SCALAR,
  fc.array(SCALAR, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "it's", "", "b: c"), fc.array(SCALAR, { maxLength: 2 }), { maxKeys: 3 }),
);

/** Bytes that are valid in few charsets, if in any. */
const BYTES = fc.uint8Array({ minLength: 1, maxLength: 12 });

/** A body of parts with a boundary, text and bytes. */
const MULTIPART = fc.tuple(fc.stringMatching(/^[a-z]{4,20}$/), fc.array(BYTES, { minLength: 1, maxLength: 3 })).map(
  ([boundary, parts]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: image/png\r\n\r\n`;
    const written = parts.map((part) => head + latin1Text(part) + "\r\n").join("");
    return { type: `multipart/mixed; boundary="${boundary}"`, body: latin1Bytes(`${written}--${boundary}--\r\n`) };
  },
);

const RECORDED_BODY = fc.oneof(
  MULTIPART,
  fc.record({
    type: fc.constantFrom(
      "application/octet-stream",
      "application/pdf",
      "application/zip",
      "image/png",
      "image/webp; q=1",
      "video/mp4",
      'text/plain; charset="iso-8859-1"',
      "text/html;charset=windows-1251",
      "text/plain; charset=no-such",
      "text/csv; charset=shift_jis; header=present",
      "text/plain; charset=iso-2022-jp",
      "application/xml; charset=utf-16",
      "text/event-stream",
      'application/octet-stream; profile="a\\"b"',
    ),
    body: BYTES,
  }),
  fc.record({
    coded: fc.constantFrom(
      { type: "application/json; charset=gbk", encode: await textEncoder("gbk") },
      { type: "application/hal+json; charset=utf-16le", encode: await textEncoder("utf-16le") },
    ),
    text: fc.constantFrom("é", "中文"),
  }).map(({ coded: { type, encode }, text }) => ({ type, body: encode(writeJson({ a: text })) })),
  fc.record({
    type: fc.constantFrom(
      "text/plain",
      "text/plain; charset=utf-8",
      "text/event-stream",
      "application/xml",
      "image/svg+xml",
      "text/csv",
      "text/html",
      "text/calendar",
      "application/x-ndjson",
      "application/yaml",
      "application/x-www-form-urlencoded",
      "application/javascript",
    ),
    body: TEXT,
  }),
  fc.record({
    type: fc.constantFrom("application/json", "application/vnd.a+json", "application/problem+json; charset=utf-8"),
    body: JSON_VALUE.map((json) => writeJson(json)),
  }),
);

Deno.test("what was recorded is replayed as it was sent, byte for byte if it isn't JSON", async () => {
  const document = await parseDocument(KINDS);
  const answers = fc.array(
    fc.tuple(
      fc.constantFrom("it", "last"),
      fc.constantFrom(200, 201, 202, 301, 400, 404, 418, 500, 503),
      RECORDED_BODY,
    ),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(answers, async (answers) => {
      const recording = createRecording(document);
      const given = answers.map(([place, status, { type, body }], index): Given => ({
        target: place === "last" ? `/last/k${index}` : `/it's%20%5C%20%22x${index}%22/k`,
        status,
        body,
        type,
      }));
      for (const one of given) await recording.add(exchangeOf(document, one));
      const text = await recording.render() ?? "";
      const again = createRecording(document);
      assert.equal(await again.read(text), undefined, text);
      const overlay = await parseOverlay(text);
      const mock = createMock(await parseDocument(KINDS, { overlays: [overlay] }));
      for (const { target, status, type = "", body } of given) {
        const response = await mock(new Request(`http://localhost${target}`));
        const bytes = await response.bytes();
        assert.equal(response.status, status, text);
        assert.equal(response.headers.get("content-type"), type, text);
        const want = body instanceof Uint8Array ? body : new TextEncoder().encode(String(body));
        if (/[/+]json/.test(type) && typeof body === "string") {
          assert.deepEqual(readJsonText(new TextDecoder().decode(bytes)), readJsonText(body), text);
        } else assert.deepEqual(bytes, want, text);
      }
    }),
    runs(200),
  );
});

Deno.test("a recording that ends its YAML document too early is read all the same", async () => {
  const document = await parseDocument(PETS, { uri: "file:///pets.yaml" });
  const sse = { target: "/pets/1", body: "data: 1\n\n", type: "text/event-stream" };
  const whole = await record([sse, { target: "/pets/2", body: { id: 2 } }]) ?? "";
  const broken = whole.replaceAll(/^( +)(data: 1\n\n)/gm, "$1$2...\n");
  assert.notEqual(broken, whole);
  const recording = createRecording(document);
  assert.equal(await recording.read(broken), undefined);
  assert.equal(await recording.render(), whole);
  for (const overlay of [broken, new TextEncoder().encode(broken)]) {
    const mock = createMock(await parseDocument(PETS, { overlays: [await parseOverlay(overlay)] }));
    const response = await mock(new Request("http://localhost/pets/1", { headers: { accept: "text/event-stream" } }));
    assert.equal(await response.text(), "data: 1\n\n");
  }
});
