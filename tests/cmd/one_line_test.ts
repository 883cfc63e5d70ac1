import assert from "node:assert/strict";
import { join } from "node:path";
import { main } from "../../main.ts";
import { createFolder } from "./definitions.ts";
import { type RecordedPlatform, recordPlatform } from "./recorded_platform.ts";
import { type Serving, startServe } from "./serve_process.ts";

/** Characters that could control a terminal or reorder what it shows, without those that may end a line. */
const REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069";
const BREAKING = "\n\r\u0085\u2028\u2029\v\f";
const CONTROLS = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 0x7f) +
  String.fromCharCode(...Array.from({ length: 32 }, (_, code) => 0x80 + code));
const FORGED = "FORGED";

/** A text with all such characters, and with the beginning of a line that gw must not print. */
const hostile = (name: string): string =>
  `${name}${[...BREAKING].map((end) => `${end}${FORGED}`).join("")}${CONTROLS}${REORDERING}`;

/** No line begins with a forged text, and no line has one of the characters. */
function assertLines(output: string, label: string): void {
  const found = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.exec(output);
  const at = found?.index ?? 0;
  assert.equal(
    found,
    null,
    `${label} prints U+${found?.[0].charCodeAt(0).toString(16)}: ${
      JSON.stringify(output.slice(Math.max(0, at - 200), at + 20))
    }`,
  );
  assert.doesNotMatch(output, new RegExp(`^\\s*${FORGED}`, "m"), label);
}

/** A definition that can be mocked and deployed, with hostile texts wherever one may stand. */
function definition(): Record<string, unknown> {
  const path = `/todos/${REORDERING}`;
  return {
    openapi: "3.1.0",
    info: { title: hostile("title"), version: hostile("1.0"), description: hostile("description") },
    servers: [{ url: "/", description: hostile("server") }],
    tags: [{ name: hostile("tag") }],
    paths: {
      [path]: {
        get: {
          operationId: hostile("get"),
          summary: hostile("summary"),
          tags: [hostile("tag")],
          parameters: [
            { name: "limit", in: "query", schema: { enum: [hostile("enum")] } },
            { name: hostile("query"), in: "query", required: true, schema: { type: "string" } },
          ],
          responses: {
            "200": {
              description: hostile("response"),
              content: {
                "application/json": {
                  schema: { $ref: "#/components/schemas/Todo" },
                  examples: { [hostile("example")]: { value: { [hostile("member")]: hostile("value") } } },
                },
              },
            },
          },
        },
      },
      "/pets": {
        get: { responses: { "200": list() } },
        post: { operationId: hostile("post"), responses: { "201": { description: "", content: json() } } },
      },
      "/pets/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        get: { responses: { "200": { description: "", content: json() } } },
      },
      "/none": { get: { responses: { default: { description: hostile("default") } } } },
    },
    webhooks: { [hostile("hook")]: { post: { responses: { "200": { description: "" } } } } },
    components: {
      schemas: {
        Todo: { type: "object", title: hostile("schema"), required: [hostile("member")] },
        [hostile("Unused").replaceAll(/[^a-z]/gi, "")]: { enum: [hostile("enum")] },
      },
    },
    "x-svc": { "mocking": { enabled: true } },
  };
}

const json = (): unknown => ({
  "application/json": {
    schema: { type: "object", properties: { id: { type: "string" }, [hostile("name")]: { enum: [hostile("enum")] } } },
  },
});

const list = (): unknown => ({
  description: "",
  content: {
    "application/json": {
      schema: { type: "object", properties: { [hostile("items")]: { type: "array", items: { type: "object" } } } },
    },
  },
});

/** A definition with mistakes, whose messages name hostile texts. */
function broken(): Record<string, unknown> {
  return {
    ...definition(),
    [hostile("field")]: true,
    "x-svc": { [hostile("key")]: 1, path: { prefix: hostile("/x") } },
    paths: {
      "/a": {
        get: {
          operationId: hostile("id"),
          [hostile("field")]: 1,
          parameters: [{ $ref: hostile("#/components/parameters/") }],
          responses: {
            [hostile("200")]: { description: "" },
            "200": {
              description: "",
              content: {
                "application/json": {
                  schema: { type: hostile("type"), pattern: hostile("("), enum: [1], example: hostile("value") },
                  example: hostile("value"),
                },
              },
            },
          },
        },
        [hostile("method")]: {},
      },
      "/b": { get: { operationId: hostile("id"), responses: { "200": { $ref: hostile("./other") } } } },
    },
  };
}

/** Runs a command. A server is stopped as soon as it listens. */
async function run(args: readonly string[]): Promise<string> {
  const onStop = (listener: () => void): () => void => {
    const timer = setTimeout(listener);
    return () => clearTimeout(timer);
  };
  const platform = { ...recordPlatform({ env: { GW_MOCK_PORT: "0" } }), onStop };
  await main(args, platform);
  return platform.printed.stdout + platform.printed.stderr;
}

Deno.test("commands print texts of a definition as one line without control characters", async (t) => {
  await using folder = await createFolder();
  const { path } = folder;
  const good = join(path, "api.json");
  const bad = join(path, `bad${REORDERING}\u2028${FORGED}.json`);
  const yaml = join(path, "raw.yaml");
  const overlay = join(path, `overlay${REORDERING}.json`);
  await Deno.writeTextFile(good, JSON.stringify(definition()));
  await Deno.writeTextFile(bad, JSON.stringify(broken()));
  // Characters that YAML allows in a text as they are.
  await Deno.writeTextFile(
    yaml,
    `openapi: 3.1.0 # ${REORDERING}\ninfo: {title: "a\u2028${REORDERING}", version: 1\u0085x}\npaths: {/a${REORDERING}: {get: {}}}\n` +
      `x-kusk: {}\n`,
  );
  await Deno.writeTextFile(
    overlay,
    JSON.stringify({
      overlay: "1.0.0",
      info: { title: hostile("overlay"), version: "1" },
      actions: [{ target: `$.info['${REORDERING}']`, update: {} }],
    }),
  );
  const cases: string[][] = [
    ...[good, bad, yaml].flatMap((file) => [
      ["validate", file],
      ["validate", "--format", "github", file],
      ["validate", "--format", "json", file],
      ["validate", file, "--overlay", overlay],
      ["resources", "-v", file],
      ["resources", "--format", "json", file],
      ["render", file],
      ["render", "-o", "json", file],
      ["convert", file],
    ]),
    ["validate", `${bad}.missing`],
    ["mock", bad],
    ["mock", good, "--rule", `${hostile("GET")}: 503`],
    ["mock", good, "--webhook", `${hostile("hook")}=http://127.0.0.1:1/`],
    ["mock", good, "--webhook", `${hostile("other")}=http://127.0.0.1:1/`],
    ["mock", good, `--${hostile("flag")}`],
    ["mock", good, "--in", path + hostile("/x")],
    ["deploy", bad, "--server", "http://127.0.0.1:1"],
    [hostile("word")],
    ["init", join(path, "none", `x${REORDERING}`)],
    ["health", hostile("http")],
    ["completions", "bash"],
    ["man"],
    ["get", hostile("kind")],
  ];
  for (const args of cases) {
    const label = `gw ${args.join(" ")}`;
    await t.step(JSON.stringify(label), async () => assertLines(await run(args), label));
  }
});

/** A platform for a server in this process. `stop` ends the server as Ctrl-C does. */
function serverPlatform(): RecordedPlatform & { stop: () => void } {
  const stops = new Set<() => void>();
  const onStop = (listener: () => void): () => void => {
    stops.add(listener);
    return () => stops.delete(listener);
  };
  return { ...recordPlatform(), onStop, stop: () => [...stops].forEach((stop) => stop()) };
}

Deno.test("gw mock logs, reports and answers texts of a definition as one line", async (t) => {
  for (const format of ["text", "json"]) {
    for (const report of ["md", "xml", "json"]) {
      await t.step(`--log-format ${format} --report x.${report}`, async () => {
        await using folder = await createFolder();
        const file = join(folder.path, "api.json");
        const reported = join(folder.path, `x.${report}`);
        await Deno.writeTextFile(file, JSON.stringify(definition()));
        const platform = serverPlatform();
        const flags = ["--port", "0", "-v", "--stateful", "--log-format", format, "--report", reported];
        const ended = main(["mock", file, ...flags], platform);
        const url = await listening(platform);
        const at = `/todos/${encodeURIComponent(REORDERING)}`;
        for (const target of [at, `${at}?limit=x`, "/none", "/pets", "/_gw/nothing"]) {
          const response = await fetch(url + target);
          const text = await response.text();
          if (!response.ok) assertLines(text, target);
        }
        for (const accept of ["text/html", "application/json"]) {
          assertLines(await (await fetch(url, { headers: { accept } })).text(), `/ as ${accept}`);
        }
        platform.stop();
        assert.equal(await ended, 0);
        assertLines(platform.printed.stdout + platform.printed.stderr, "log");
        assertLines(await Deno.readTextFile(reported), reported);
      });
    }
  }
});

async function listening(platform: RecordedPlatform): Promise<string> {
  for (;;) {
    const [, url] = /Listening on (http:[^\s"]+)/.exec(platform.printed.stdout) ?? [];
    if (url !== undefined) return url;
    assert.equal(platform.printed.stderr, "");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

Deno.test("gw deploy, get and delete print what gw serve has as one line", async () => {
  await using folder = await createFolder();
  const file = join(folder.path, "api.json");
  const bad = join(folder.path, "bad.json");
  await Deno.writeTextFile(file, JSON.stringify(definition()));
  await Deno.writeTextFile(bad, JSON.stringify(broken()));
  await using gw: Serving = await startServe();
  const cases = [
    ["deploy", file, "--name", "todo"],
    ["deploy", bad, "--name", "bad"],
    ["get", "apis"],
    ["get", "api", "todo", "-o", "yaml"],
    ["get", "api", "todo", "-o", "json"],
    ["get", "api", hostile("none")],
    ["delete", "api", hostile("none")],
    ["delete", "api", "todo"],
  ];
  for (const args of cases) assertLines(await run([...args, "--server", gw.api]), args.join(" "));
  assertLines(gw.text(), "gw serve");
});
