/**
 * Real clients' own encoders against `gw mock --validate error`: what they send in each style arrives as it was meant.
 * The schema of each parameter allows one value only, so that the answer tells what gw read.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { installPackages, makeOnce } from "../../scripts/cache.ts";
import { createMock } from "../../lib/mock/mock.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { writeJson } from "../../lib/schema/json/json.ts";

type Place = "query" | "path" | "form" | "header" | "cookie";

/** What a client sends, before it is encoded, and what it means. */
interface Case {
  readonly place: Place;
  /** The fields of the Parameter Object or Encoding Object. */
  readonly style: Readonly<Record<string, unknown>>;
  readonly pairs: readonly (readonly [name: string, text: string])[];
  readonly value: unknown;
  /** The version of the definition. Default: `3.1.0`. */
  readonly swagger?: boolean;
}

const TEXTS = ["a b", "c+d", "é€😀", "x&y=z;w", "50%", "a/b?c#d", "%2C", "'\"", "[0]", "~*()!", "&amp;"];
/** Texts without the delimiters of a style: joined before they are encoded, delimiters in texts can't be told apart. */
const joined = (delimiter: string): readonly string[] => TEXTS.filter((text) => !text.includes(delimiter));
const NUMBERS = [1, -2, 9007199254740993n, 0.5];
const OBJECT = { a: "x y", b: "é&=", c: "1" };

const DELIMITERS: readonly [style: string, delimiter: string][] = [
  ["form", ","],
  ["spaceDelimited", " "],
  ["pipeDelimited", "|"],
];
const COLLECTIONS: readonly [format: string, delimiter: string][] = [
  ["csv", ","],
  ["ssv", " "],
  ["tsv", "\t"],
  ["pipes", "|"],
];
const PREFIXES: readonly [style: string, prefix: string, delimiter: string][] = [
  ["simple", "", ","],
  ["label", ".", ","],
  ["matrix", ";p=", ","],
];
/** Texts that every client can send in a header and in a cookie without encoding them. */
const PLAIN = ["a b", "c+d", "x&y=z", "50%", "a/b?c#d", "'", "[0]", "~*()!", "&amp", "1"];

function* casesOf(): Generator<Case> {
  for (const place of ["query", "form"] as const) {
    for (const text of [...TEXTS, "a,b", "a|b", "a\tb", "a\nb"]) {
      yield { place, style: { style: "form" }, pairs: [["p", text]], value: text };
    }
    const several = [...TEXTS, "a,b"];
    yield { place, style: { style: "form", explode: true }, pairs: several.map((text) => ["p", text]), value: several };
    yield { place, style: { style: "form", explode: true }, pairs: Object.entries(OBJECT), value: OBJECT };
    for (const [style, delimiter] of DELIMITERS) {
      for (const list of [joined(delimiter), NUMBERS]) {
        yield { place, style: { style, explode: false }, pairs: [["p", list.join(delimiter)]], value: list };
      }
      const flat = Object.entries(OBJECT).flat().map((text) => text.replaceAll(" ", "_"));
      const value = { a: "x_y", b: "é&=", c: "1" };
      yield { place, style: { style, explode: false }, pairs: [["p", flat.join(delimiter)]], value };
    }
    const members = Object.entries(OBJECT).map(([name, text]) => [`p[${name}]`, text] as const);
    yield { place, style: { style: "deepObject", explode: true }, pairs: members, value: OBJECT };
  }
  for (const [style, prefix, delimiter] of PREFIXES) {
    for (const list of [joined(delimiter).filter((text) => !/[.;]/.test(text)), [1, -2, 9007199254740993n]]) {
      yield { place: "path", style: { style }, pairs: [["p", prefix + list.join(delimiter)]], value: list };
    }
  }
  for (const place of ["header", "cookie"] as const) {
    const style = { style: place === "header" ? "simple" : "form" };
    for (const text of PLAIN) yield { place, style, pairs: [["p", text]], value: text };
    const members = Object.entries({ a: "x y", b: "1" });
    const value = Object.fromEntries(members);
    const list = PLAIN.filter((text) => place === "header" || !/[&=]/.test(text));
    yield { place, style: { ...style, explode: false }, pairs: [["p", list.join(",")]], value: list };
    yield { place, style: { ...style, explode: false }, pairs: [["p", members.flat().join(",")]], value };
  }
  for (const text of ["é", "naïve ÿ"]) {
    yield { place: "header", style: { style: "simple" }, pairs: [["p", text]], value: text };
  }
  yield {
    place: "header",
    style: { style: "simple", explode: true },
    pairs: [["p", "a=x y,b=1"]],
    value: { a: "x y", b: "1" },
  };
  yield {
    place: "cookie",
    style: { style: "form", explode: true },
    pairs: [["a", "x y"], ["b", "1"]],
    value: { a: "x y", b: "1" },
  };
  for (const text of TEXTS) yield { place: "path", style: { style: "simple" }, pairs: [["p", text]], value: text };
  for (const [collectionFormat, delimiter] of COLLECTIONS) {
    for (const place of ["query", "form"] as const) {
      for (const list of [joined(delimiter), [1, -2]]) {
        yield { place, swagger: true, style: { collectionFormat }, pairs: [["p", list.join(delimiter)]], value: list };
      }
    }
  }
  yield {
    place: "query",
    swagger: true,
    style: { collectionFormat: "multi" },
    pairs: TEXTS.map((text) => ["p", text]),
    value: TEXTS,
  };
}

/** The schema that only a value fits. */
function schemaOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return { type: "array", items: { type: typeOf(value[0]) }, enum: [value] };
  if (typeof value !== "object" || value === null) return { type: typeOf(value), enum: [value] };
  const properties = Object.fromEntries(Object.keys(value).map((name) => [name, { type: "string" }]));
  return { type: "object", properties, enum: [value] };
}

const typeOf = (value: unknown): string => typeof value === "string" ? "string" : "number";

/** A definition with a path for each case: `/0`, `/1`, … */
function definitionOf(cases: readonly Case[], swagger: boolean): Record<string, unknown> {
  const responses = { "200": { description: "It arrived." } };
  const paths = cases.flatMap(({ place, style, value, ...rest }, at): [string, unknown][] => {
    if ((rest.swagger === true) !== swagger) return [];
    const schema = schemaOf(value);
    const parameter = { name: "p", in: swagger && place === "form" ? "formData" : place, required: true };
    if (swagger) {
      const consumes = place === "form" ? { consumes: ["application/x-www-form-urlencoded"] } : {};
      const parameters = [{ ...parameter, ...style, ...schema }];
      return [[`/${at}`, { [place === "form" ? "post" : "get"]: { ...consumes, parameters, responses } }]];
    }
    if (place !== "form") {
      const parameters = [{ ...parameter, ...style, schema }];
      return [[place === "path" ? `/${at}/{p}` : `/${at}`, { get: { parameters, responses } }]];
    }
    // An exploded object of the style `form` has a field for each member.
    const isSpread = style["style"] === "form" && style["explode"] === true && !Array.isArray(value) &&
      typeof value === "object";
    const media = isSpread
      ? { schema }
      : { schema: { type: "object", required: ["p"], properties: { p: schema } }, encoding: { p: style } };
    const requestBody = { required: true, content: { "application/x-www-form-urlencoded": media } };
    return [[`/${at}`, { post: { requestBody, responses } }]];
  });
  const version = swagger ? { swagger: "2.0" } : { openapi: "3.1.0" };
  return { ...version, info: { title: "Encoders", version: "1" }, paths: Object.fromEntries(paths) };
}

/** Runs a client, which reads cases from standard input and prints the statuses of the answers. */
type Client = (input: string) => Promise<string>;

async function run(command: string, args: readonly string[], input: string, env = {}, cwd = "."): Promise<string> {
  const child = new Deno.Command(command, {
    args: [...args],
    env,
    cwd,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const CLIENTS: Readonly<Record<string, Client>> = {
  "Go, url.Values": (input) => run("go", ["run", pathOf("client.go")], input),
  "Python, urlencode": (input) => run("python3", [pathOf("client.py"), "urlencode"], input),
  "Python, urlencode with quote": (input) => run("python3", [pathOf("client.py"), "quote"], input),
  "Python, requests": async (input) => {
    const pin = "requests==2.32.5";
    const folder = await makeOnce("encoders", "requests", [pin], async (folder) => {
      await run("python3", ["-m", "pip", "install", "--quiet", "--target", folder, pin], "");
    });
    return await run("python3", [pathOf("client.py"), "requests"], input, { PYTHONPATH: folder });
  },
  "Python, httpx": async (input) => {
    const pin = "httpx==0.28.1";
    const folder = await makeOnce("encoders", "httpx", [pin], async (folder) => {
      await run("python3", ["-m", "pip", "install", "--quiet", "--target", folder, pin], "");
    });
    return await run("python3", [pathOf("client.py"), "httpx"], input, { PYTHONPATH: folder });
  },
  "JavaScript, URLSearchParams": (input) => run("node", [pathOf("client.mjs"), "urlsearchparams"], input),
  "JavaScript, axios": async (input) => {
    const axios = `${await installPackages({ axios: "1.12.2" })}/axios/index.js`;
    return await run("node", [pathOf("client.mjs"), "axios", `file://${axios}`], input);
  },
  "curl, --data-urlencode": async (input) => {
    const statuses: number[] = [];
    for (const { url, place, pairs } of JSON.parse(input) as (Case & { url: string })[]) {
      // curl encodes what follows the first `=`, and leaves the name as it is.
      const data = pairs.flatMap(([name, text]) => ["--data-urlencode", `${encodeURIComponent(name)}=${text}`]);
      const sent = place === "header"
        ? [...pairs.flatMap(([name, text]) => ["-H", `${name}: ${text}`]), url]
        : place === "cookie"
        ? ["-b", pairs.map(([name, text]) => `${name}=${text}`).join("; "), url]
        : place === "path"
        ? [`${url}/${encodeURIComponent(pairs[0]?.[1] ?? "")}`]
        : [
          ...place === "query" ? ["--get"] : [],
          ...data,
          url,
        ];
      statuses.push(
        Number(
          await run("curl", [
            "-s",
            "-o",
            Deno.build.os === "windows" ? "NUL" : "/dev/null",
            "-w",
            "%{http_code}",
            ...sent,
          ], ""),
        ),
      );
    }
    return JSON.stringify(statuses);
  },
};

/** Clients that know the styles themselves, with the cases that they can't send. */
const STYLED: Readonly<Record<string, { readonly send: Client; readonly lacks: (given: Case) => boolean }>> = {
  "Go, oapi-codegen": {
    send: (input) => run("go", ["run", "."], input, {}, pathOf("oapi")),
    // It has no delimited objects, and sends an exploded object in a cookie as `p=a=1,b=2`.
    lacks: ({ place, style, value }) =>
      (/Delimited/.test(String(style["style"])) && !Array.isArray(value)) ||
      (place === "cookie" && style["explode"] === true && isObject(value)),
  },
  "JavaScript, swagger-client": {
    send: async (input) => {
      const folder = await installPackages({ "swagger-client": "3.39.0" });
      return await run("node", [pathOf("swagger.mjs"), `file://${folder}/swagger-client/es/index.js`], input);
    },
    // An exploded cookie gets the name twice, encoded: `p=p%3D1%26p%3D2`. Browsers send no such cookies from scripts.
    lacks: ({ place, style, value }) =>
      (/Delimited/.test(String(style["style"])) && !Array.isArray(value)) ||
      (place === "cookie" && style["explode"] === true && typeof value === "object"),
  },
};

const STYLES: Readonly<Partial<Record<Place, readonly string[]>>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

function* styledCases(): Generator<Case> {
  const isEncoded = (place: Place): boolean => place === "path" || place === "query";
  for (const [place, styles] of Object.entries(STYLES) as [Place, readonly string[]][]) {
    for (const style of styles) {
      for (const explode of style === "deepObject" ? [true] : [false, true]) {
        const texts = isEncoded(place) ? [...TEXTS, "a,b"] : PLAIN;
        const isSeparator = style === "spaceDelimited"
          ? / /
          : style === "label"
          ? /[.]/
          : isEncoded(place)
          ? /^$/
          : place === "cookie"
          ? /[,&=]/
          : /,/;
        const list = texts.filter((text) => !isSeparator.test(text));
        const object = isEncoded(place) ? { a: "x y", b: "é,/", c: "50%" } : { a: "x y", b: "1" };
        const given = { place, style: { style, explode }, pairs: [] };
        if (style !== "deepObject") {
          if (!style.endsWith("Delimited")) yield* texts.map((value): Case => ({ ...given, value }));
          yield { ...given, value: list };
          yield { ...given, value: [1, -2, 0.5].filter((number) => style !== "label" || Number.isInteger(number)) };
        }
        yield { ...given, value: object };
      }
    }
  }
}

for (const [name, client] of Object.entries(CLIENTS)) {
  Deno.test(`${name}: every value arrives as it was sent`, () => check([...casesOf()], client));
}

for (const [name, { send, lacks }] of Object.entries(STYLED)) {
  Deno.test(`${name}: every value arrives as it was sent`, async () => {
    const cases = [...styledCases()].filter((given) => !lacks(given));
    await check(cases, send);
  });
}

async function check(cases: readonly Case[], client: Client): Promise<void> {
  const texts = [false, true].map((swagger) => writeJson(definitionOf(cases, swagger)));
  const documents = await Promise.all(texts.map((text) => parseDocument(text)));
  for (const { diagnostics } of documents) assert.deepEqual(diagnostics, []);
  const mock = createMock(documents, { validate: "error" });
  const details = new Map<string, string>();
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const response = await mock(request);
    const { pathname, search } = new URL(request.url);
    if (!response.ok) {
      const sent = `${pathname}${search} ${request.headers.get("p")} ${request.headers.get("cookie")}`;
      details.set(pathname.split("/")[1] ?? "", `${sent}: ${await response.clone().text()}`);
    }
    return response;
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const input = JSON.stringify(
    cases.map(({ place, style, pairs, value }, at) => {
      const parameter = { name: "p", in: place, required: true, ...style, schema: schemaOf(value) };
      return { url: `${url}/${at}`, place, pairs, value, ...style, parameter };
    }),
    (_, value: unknown) => typeof value === "bigint" ? String(value) : value,
  );
  const statuses: unknown = JSON.parse(await client(input));
  assert.ok(Array.isArray(statuses) && statuses.length === cases.length);
  const failed = cases.flatMap(({ place, style }, at) =>
    statuses[at] === 200 ? [] : [`${place} ${JSON.stringify(style)} ${statuses[at]} ${details.get(String(at))}`]
  );
  assert.deepEqual(failed, []);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value);
}
