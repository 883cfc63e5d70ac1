import assert from "node:assert/strict";
import { findFaults, LAYERS } from "../../scripts/layers.ts";
import { readRepositoryFile } from "../tour/pages.ts";

const cases: { name: string; files: Record<string, string>; want: [place: string, message: RegExp][] }[] = [
  {
    name: "passes imports that point down",
    files: {
      "main.ts": `import { mock } from "./cmd/mock.ts";`,
      "mod.ts": `export { createMock } from "./lib/mock/mock.ts";`,
      "cmd/mock.ts":
        `import "./io/files.ts"; import "../lib/mock/mock.ts"; const later = import("../lib/http/problem.ts");`,
      "cmd/io/files.ts": `import type { Source } from "../../lib/schema/source.ts";`,
      "lib/mock/mock.ts": `import "./encode/xml.ts"; import "../openapi/source.ts"; import { load } from "js-yaml";`,
      "lib/mock/encode/xml.ts": `import "../../http/problem.ts"; import { inspect } from "node:util";`,
      "lib/openapi/source.ts": `export interface Source {}`,
      "lib/http/problem.ts": `import about from "../../deno.json" with { type: "json" };`,
    },
    want: [],
  },
  {
    name: "reports imports that point up",
    files: {
      "lib/http/problem.ts": `\nimport { x } from "../openapi/source.ts";`,
      "lib/openapi/source.ts": `export * from "../mock/mock.ts";`,
      "lib/mock/mock.ts": `import type { Plan } from "../gateway/route.ts";`,
      "lib/mock/encode/xml.ts": `type Plan = import("../../gateway/route.ts").Plan;`,
      "lib/gateway/route.ts": `const api = await import("../management/api.ts");`,
      "lib/management/api.ts": `import { files } from "../../cmd/io/files.ts";`,
      "cmd/io/files.ts": `import { mock } from "../mock.ts";`,
      "cmd/mock.ts": `import { main } from "../main.ts";\nimport { createMock } from "../mod.ts";`,
    },
    want: [
      ["cmd/io/files.ts:1", /imports cmd\/mock\.ts from above/],
      ["cmd/mock.ts:1", /imports main\.ts from above/],
      ["cmd/mock.ts:2", /imports mod\.ts from above/],
      ["lib/gateway/route.ts:1", /imports lib\/management\/api\.ts from above/],
      ["lib/http/problem.ts:2", /imports lib\/openapi\/source\.ts from above/],
      ["lib/management/api.ts:1", /imports cmd\/io\/files\.ts from above/],
      ["lib/mock/encode/xml.ts:1", /imports lib\/gateway\/route\.ts from above/],
      ["lib/mock/mock.ts:1", /imports lib\/gateway\/route\.ts from above/],
      ["lib/openapi/source.ts:1", /imports lib\/mock\/mock\.ts from above/],
    ],
  },
  {
    name: "reports regular expressions that are made of variables outside of lib/regexp",
    files: {
      "lib/http/token.ts": 'const TOKEN = `[a-z]`;\nnew RegExp(`^${TOKEN}$`, "y");\nnew RegExp(String.raw`\\s`);\n' +
        'const KINDS = [];\nnew RegExp(`(${KINDS.map(({ start }) => start).join("|")})`);',
      "lib/wire/multipart_reader.ts": 'function read(boundary) { new RegExp(`--${RegExp.escape(boundary)}`, "g"); }',
      "lib/mock/rule.ts": "function make(pattern) {\n  return new RegExp(pattern);\n}\n" +
        'const test = (flags) => RegExp("a", flags);\nconst of = (name) => new globalThis.RegExp(`^${name}`);',
      "lib/regexp/pattern.ts": "const make = (pattern) => new RegExp(pattern);",
      "lib/schema/format.ts": "function make(RegExp, text) { return new RegExp(text); }",
    },
    want: [
      ["lib/mock/rule.ts:2", /makes a RegExp of a variable/],
      ["lib/mock/rule.ts:4", /makes a RegExp of a variable/],
      ["lib/mock/rule.ts:5", /makes a RegExp of a variable/],
    ],
  },
  {
    name: "reports what mod.ts takes from elsewhere than lib, and files outside every layer",
    files: {
      "mod.ts": `export { mock } from "./cmd/mock.ts";`,
      "lib/tools/text.ts": ``,
      "cmd/mock.ts": `import "../scripts/bench.ts";`,
    },
    want: [
      ["cmd/mock.ts:1", /imports scripts\/bench\.ts/],
      ["lib/tools/text.ts:1", /belongs to no layer/],
      ["mod.ts:1", /re-exports from lib\/ only/],
    ],
  },
  {
    name: "reports adapters that reach past mod.ts",
    files: {
      "mod.ts": ``,
      "lib/mock/mock.ts": ``,
      "adapters/node.ts": `import "node:http";\nimport "../mod.ts";`,
      "adapters/jest.ts": `import "./node.ts";\nimport "../lib/mock/mock.ts";`,
    },
    want: [["adapters/jest.ts:2", /adapters import mod\.ts/]],
  },
  {
    name: "reports import cycles, type imports included, each once",
    files: {
      "lib/mock/a.ts": `import { x } from "./x.ts";\nimport type { B } from "./b.ts";`,
      "lib/mock/b.ts": `import { c } from "./c.ts";`,
      "lib/mock/c.ts": `import { a } from "./a.ts";`,
      "lib/mock/x.ts": `export const x = 1;`,
      "lib/openapi/self.ts": `import type { Self } from "./self.ts";`,
    },
    want: [
      ["lib/mock/a.ts:2", /import cycle lib\/mock\/a\.ts -> lib\/mock\/b\.ts -> lib\/mock\/c\.ts -> lib\/mock\/a\.ts:/],
      ["lib/openapi/self.ts:1", /import cycle lib\/openapi\/self\.ts -> lib\/openapi\/self\.ts:/],
    ],
  },
  {
    name: "reports what lib takes from the world, once for each use",
    files: {
      "lib/mock/mock.ts": [
        `const text = Deno.readTextFileSync("a");`,
        `const now = Date.now();`,
        `const today = new Date();`,
        `const also = new Date;`,
        `const written = Date();`,
        `const luck = Math.random();`,
        `const tick = performance.now();`,
        `console.log("x");`,
        `globalThis.console["error"]("x");`,
        `const world = { fetch };`,
        `const clock = Date["now"];`,
        `const id = crypto.randomUUID();`,
        `const home = Deno.env.get("HOME") ?? process.env.HOME;`,
        `const answer = fetch("http://localhost");`,
      ].join("\n"),
    },
    want: [
      ["lib/mock/mock.ts:1", /uses Deno\.readTextFileSync:/],
      ["lib/mock/mock.ts:2", /uses Date\.now:/],
      ["lib/mock/mock.ts:3", /uses new Date\(\):/],
      ["lib/mock/mock.ts:4", /uses new Date\(\):/],
      ["lib/mock/mock.ts:5", /uses Date\(\):/],
      ["lib/mock/mock.ts:6", /uses Math\.random:/],
      ["lib/mock/mock.ts:7", /uses performance\.now:/],
      ["lib/mock/mock.ts:8", /uses console\.log:/],
      ["lib/mock/mock.ts:9", /uses console\.error:/],
      ["lib/mock/mock.ts:10", /uses fetch:/],
      ["lib/mock/mock.ts:11", /uses Date\.now:/],
      ["lib/mock/mock.ts:12", /uses crypto\.randomUUID:/],
      ["lib/mock/mock.ts:13", /uses Deno\.env\.get:/],
      ["lib/mock/mock.ts:13", /uses process\.env\.HOME:/],
      ["lib/mock/mock.ts:14", /uses fetch:/],
    ],
  },
  {
    name: "passes the same words in comments, strings, types, names of members and names of its own",
    files: {
      "lib/mock/mock.ts": [
        `// Deno.serve(createMock(document)); console.log(Date.now())`,
        `const text = "Deno.serve, new Date()", template = \`Math.random()\`;`,
        `interface World { fetch: typeof fetch; now: () => number; console?: Console }`,
        `function ask({ fetch, performance }: World) { return fetch("x", { console: 1 }) ?? performance.now(); }`,
        `const date = new Date(0), day = new Date("2026-01-01"), utc = Date.UTC(2026), max = Math.max(1, 2);`,
        `class Process { fetch() { return this.fetch(); } process = 1; }`,
        `for (const process of [1]) ask(process);`,
      ].join("\n"),
      "cmd/mock.ts": `console.log(Date.now(), Deno.args, Math.random());`,
    },
    want: [],
  },
  {
    name: "reports modules and packages that touch the world",
    files: {
      "lib/http/a.ts": [
        `import { readFile } from "node:fs/promises";`,
        `import net from "node:net";`,
        `import { fetch } from "undici";`,
        `import type { KubeConfig } from "npm:@kubernetes/client-node@2.0.1";`,
        `import { wsdl } from "wsdl-parser";`,
      ].join("\n"),
      "cmd/io/a.ts": `import { readFile } from "node:fs/promises";`,
    },
    want: [
      ["lib/http/a.ts:1", /imports node:fs\/promises, which touches the world/],
      ["lib/http/a.ts:2", /imports node:net/],
      ["lib/http/a.ts:3", /imports undici/],
      ["lib/http/a.ts:4", /imports npm:@kubernetes\/client-node@2\.0\.1/],
    ],
  },
];

for (const { name, files, want } of cases) {
  Deno.test(`findFaults() ${name}`, () => {
    const faults = findFaults(new Map(Object.entries(files)));
    assert.deepEqual(faults.map(({ path, line }) => `${path}:${line}`), want.map(([place]) => place));
    for (const [index, [, message]] of want.entries()) assert.match(faults[index]?.message ?? "", message);
  });
}

for (const path of ["docs/design.md", "CONTRIBUTING.md"]) {
  Deno.test(`${path} shows the layers from the highest to the lowest`, () => {
    const [, shown = ""] = /^(main -> .*(?:\n +-> .*)*)/m.exec(readRepositoryFile(path)) ?? [];
    const names = LAYERS.map((layer) => layer.replace(/\/$|\.ts$/, "")).reverse();
    assert.deepEqual(shown.split(/\s+->\s+/), names);
  });
}
