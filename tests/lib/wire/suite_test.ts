/**
 * The JSON Schema Test Suite, with each value sent as query, form and XML. These media don't distinguish types: `1` may
 * be a number or a text. A text must be accepted if the schema allows one of its meanings, and refused if it allows
 * none.
 */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { loadFormats } from "../../../lib/schema/format.ts";
import { child, isObject, type Node } from "../../../lib/schema/json/node.ts";
import { createSchemaReader } from "../../../lib/schema/schema_reader.ts";
import { createValidator } from "../../../lib/schema/validator.ts";
import { encodeBody } from "../../../lib/wire/encode.ts";
import { styledFields } from "../../../lib/wire/form.ts";

/** A case of the suite: a schema, with values that are valid or invalid. */
interface Case {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

const SUITE = new URL("../../data/json_schema_test_suite/", import.meta.url);
const MEDIA = ["query", "form", "xml"] as const;
type Medium = (typeof MEDIA)[number];

/** The reason why a medium (query, form or XML) can't express a value. */
type Loss = string | undefined;

const FORM = "application/x-www-form-urlencoded";
const XML = "application/xml";

/** Returns the reason why a medium can't express a value; `undefined` if it can. */
const LOSS_OF: Readonly<Record<Medium, (value: unknown) => Loss>> = {
  query: (value) => isObject(value) ? lossInDeepObject(value) : lossInField(value),
  form: (value) => {
    if (!isObject(value)) return value === null ? NULL : lossInField(value);
    const members = Object.values(value);
    if (members.length === 0) return EMPTY;
    return members.includes(null) ? NULL : members.map(lossInField).find((loss) => loss !== undefined);
  },
  xml: lossInXml,
};

const EMPTY = "nothing is written of an empty array or object";
const NULL = "nothing is written of null";

function lossInField(value: unknown): Loss {
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return EMPTY;
  const kinds = Map.groupBy(value, (item) => textOf(item ?? ""));
  const isLost = [...kinds.values()].some((alike) => alike.some((item) => typeof item !== typeof alike[0]));
  return isLost ? "two items that differ are written alike" : undefined;
}

function lossInDeepObject(value: unknown): Loss {
  if (typeof value !== "object" || value === null) return undefined;
  const parts = Object.values(value);
  if (parts.length === 0) return EMPTY;
  if (Object.keys(value).some((name) => name === "" || /[[\]]/.test(name))) return "names in brackets have none";
  return parts.map(lossInDeepObject).find((loss) => loss !== undefined);
}

function lossInXml(value: unknown): Loss {
  // deno-lint-ignore no-control-regex
  if (typeof value === "string" && /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/.test(value)) {
    return "XML has no way to write control characters";
  }
  if (typeof value !== "object" || value === null) return undefined;
  const parts = Object.values(value);
  if (parts.some((part) => Array.isArray(part) && part.length === 0)) return EMPTY;
  return parts.map(lossInXml).find((loss) => loss !== undefined);
}

/** The number of values that a text may mean. A text with more is treated as if it could mean any value. */
const MOST_MEANINGS = 20_000;

/** All values that a medium writes as it writes this value; `undefined` if there are too many. */
function meaningsOf(value: unknown, medium: Medium): unknown[] | undefined {
  try {
    switch (medium) {
      case "query":
        return isObject(value) ? inDeepObject(value) : inField(value).flatMap((meaning) => [meaning, { n: meaning }]);
      case "form":
        return isObject(value) ? objects(value, inField) : inField(value);
      case "xml":
        return inElement(value);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The values that a text may mean: `"1"` may be a text or a number. */
function inText(text: string): unknown[] {
  const meanings: unknown[] = [text];
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) meanings.push(Number(text));
  if (text === "true" || text === "false") meanings.push(text === "true");
  if (text === "null" || text === "") meanings.push(null);
  if (/^\s*[[{]/.test(text)) meanings.push(JSON.parse(text));
  return meanings;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The values that all fields with one name together may mean. A single field may be a list with one item. */
function inField(value: unknown): unknown[] {
  if (!Array.isArray(value)) return inText(textOf(value ?? "")).flatMap((meaning) => [meaning, [meaning]]);
  const lists = product(value.map((item) => inText(textOf(item ?? ""))));
  return value.length === 1 ? [...lists, ...lists.map(([item]) => item)] : lists;
}

/**
 * The values that the fields `name[a][b]` may mean. Indexes may be those of a list, and a single text may be a list
 * with one item.
 */
function inDeepObject(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return inField(value);
  const alike = objects({ ...value }, inDeepObject);
  return Object.keys(value).every((name) => /^\d+$/.test(name))
    ? [...alike, ...alike.map((object) => Object.values(object))]
    : alike;
}

/** The values that an XML element may mean. A list has one element per item, of any name. */
function inElement(value: unknown): unknown[] {
  if (value === null) return [null];
  if (Array.isArray(value)) return value.length === 0 ? inElement("") : inElement({ item: value });
  if (!isObject(value)) {
    return [...inText(textOf(value)), ...inText(textOf(value).trim()), ...value === "" ? [{}, []] : []];
  }
  if (Object.keys(value).length === 0) return inElement("");
  const lists = product(
    Object.values(value).flatMap((part) => (Array.isArray(part) ? part : [part]).map((item) => inElement(item))),
  );
  return [...objects(value, inElements), ...lists];
}

/** The values that all elements with one name together may mean. */
function inElements(value: unknown): unknown[] {
  if (!Array.isArray(value)) return inElement(value).flatMap((meaning) => [meaning, [meaning]]);
  const lists = product(value.map(inElement));
  return value.length === 1 ? [...lists, ...lists.map(([item]) => item)] : lists;
}

function objects(value: object, meaningsOf: (part: unknown) => unknown[]): object[] {
  const names = Object.keys(value);
  const parts = product(Object.values(value).map(meaningsOf));
  return parts.map((parts) => Object.fromEntries(names.map((name, index) => [name, parts[index]])));
}

function product(lists: readonly unknown[][]): unknown[][] {
  if (lists.reduce((size, { length }) => size * length, 1) > MOST_MEANINGS) throw new RangeError("too many meanings");
  return lists.reduce<unknown[][]>((heads, list) => heads.flatMap((head) => list.map((item) => [...head, item])), [[]]);
}

const DIFFERENCE = "the validator differs from the suite";
/** Cases in which gw's validator has another result than the suite expects. */
const VALIDATOR_DIFFERS = [
  /^optional\/format\/email\.json: .*(quoted string|address-literal)/,
  /^optional\/format\/idn-hostname\.json: /,
  /^optional\/format\/iri\.json: .*invalid IRI based on IPv6/,
  /^optional\/float-overflow\.json: /,
  /^optional\/unknownKeyword\.json: /,
];

function* listFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, SUITE))) {
    if (isDirectory) yield* listFiles(`${folder}${name}/`);
    else if (name.endsWith(".json")) yield `${folder}${name}`;
  }
}

const reference = { $ref: "#/components/schemas/Main" };
const property = { type: "object", properties: { n: reference }, required: ["n"] };
const responses = { "204": { description: "Fine" } };

function body(mediaType: string, schema: unknown): object {
  return { post: { requestBody: { required: true, content: { [mediaType]: { schema } } }, responses } };
}

function query(style: string): object {
  return {
    post: {
      parameters: [{ name: "n", in: "query", required: true, style, explode: true, schema: reference }],
      responses,
    },
  };
}

const paths = {
  "/query": query("form"),
  "/query/object": query("deepObject"),
  "/form": body(FORM, property),
  "/form/object": body(FORM, reference),
  "/xml": body(XML, reference),
};

async function requestOf(value: unknown, medium: Medium, document: Document): Promise<Request> {
  const schema = (path: string, mediaType: string): Node =>
    ["paths", path, "post", "requestBody", "content", mediaType, "schema"].reduce<Node>(child, document.root);
  const send = async (path: string, mediaType: string, value: unknown): Promise<Request> => {
    const { body } = await encodeBody(value, mediaType, { document, schema: schema(path, mediaType) }, "data");
    const headers = { "content-type": mediaType };
    // An empty body counts as absent.
    return new Request(`http://localhost${path}`, { method: "POST", headers, body: body as Uint8Array<ArrayBuffer> });
  };
  switch (medium) {
    case "query": {
      const [path, style] = isObject(value) ? ["/query/object", "deepObject"] as const : ["/query", "form"] as const;
      const fields = styledFields("n", value, { style, explode: true, allowReserved: false });
      return new Request(`http://localhost${path}?${fields.join("&")}`, { method: "POST" });
    }
    case "form":
      return isObject(value) ? await send("/form/object", FORM, value) : await send("/form", FORM, { n: value });
    case "xml":
      return await send("/xml", XML, value);
  }
}

/**
 * The number of values with each outcome, by medium. An invalid value may be accepted if its text may also mean a valid
 * value.
 */
const COUNTS: Readonly<Record<Medium, Readonly<Record<string, number>>>> = {
  query: {
    "accepted": 774,
    "refused": 309,
    "accepted, and may mean a valid value": 301,
    "refused, and may mean a valid value": 53,
    "not sent: the validator differs from the suite": 67,
    "not sent: names in brackets have none": 1,
    "not sent: nothing is written of an empty array or object": 144,
    "not sent: two items that differ are written alike": 1,
  },
  form: {
    "accepted": 742,
    "refused": 346,
    "accepted, and may mean a valid value": 293,
    "refused, and may mean a valid value": 14,
    "not sent: the validator differs from the suite": 67,
    "not sent: nothing is written of an empty array or object": 135,
    "not sent: nothing is written of null": 52,
    "not sent: two items that differ are written alike": 1,
  },
  xml: {
    "accepted": 862,
    "refused": 411,
    "accepted, and may mean a valid value": 291,
    "refused, and may mean a valid value": 3,
    "not sent: XML has no way to write control characters": 10,
    "not sent: the validator differs from the suite": 67,
    "not sent: nothing is written of an empty array or object": 6,
  },
};

type Counts = Record<Medium, Record<string, number>>;

Deno.test("JSON Schema Test Suite through queries, forms and XML", async (t) => {
  const counts: Counts = { query: {}, form: {}, xml: {} };
  for (const file of [...listFiles("")].sort()) {
    await t.step(file, async () => {
      const cases: Case[] = JSON.parse(Deno.readTextFileSync(new URL(file, SUITE)));
      for (const one of cases) await examine(file, one, counts);
    });
  }
  await t.step("counts", () => {
    // deno-lint-ignore no-console
    console.log(counts);
    assert.deepEqual(counts, COUNTS);
  });
});

async function examine(file: string, { description, schema, tests }: Case, counts: Counts): Promise<void> {
  const isNamed = typeof schema !== "object" || schema === null || "$id" in schema;
  const Main = isNamed ? schema : { $id: "https://example.com/main", ...schema };
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.1",
    info: { title: "Suite", version: "1" },
    paths,
    components: { schemas: { Main } },
  }));
  // Skip cases that refer to other servers.
  if (document.missing.length > 0) return;
  const main = createSchemaReader(document, "request").read(
    ["components", "schemas", "Main"].reduce<Node>(child, document.root),
  );
  const { isValid } = createValidator(await loadFormats(), await loadPatternReader());
  const mock = createMock(document, { validate: "error" });
  for (const { data, ...test } of tests) {
    for (const medium of MEDIA) {
      const name = `${file}: ${description}: ${test.description}: ${medium}`;
      const loss = VALIDATOR_DIFFERS.some((pattern) => pattern.test(name)) ? DIFFERENCE : LOSS_OF[medium](data);
      if (loss !== undefined) {
        count(counts[medium], `not sent: ${loss}`);
        continue;
      }
      const request = await requestOf(data, medium, document);
      const text = `${request.url} ${await request.clone().text()}`;
      const response = await mock(request);
      const problem = await response.text();
      const outcome = response.status === 204 ? "accepted" : "refused";
      const isAmbiguous = !test.valid && (meaningsOf(data, medium)?.some((meaning) => isValid(meaning, main)) ?? true);
      if (!isAmbiguous) assert.equal(outcome, test.valid ? "accepted" : "refused", `${name}: ${text}: ${problem}`);
      count(counts[medium], isAmbiguous ? `${outcome}, and may mean a valid value` : outcome);
    }
  }
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
