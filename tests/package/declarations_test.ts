/**
 * Compiles programs against the type declarations of the npm library, in strict TypeScript projects such as users have.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createFolder } from "../cmd/definitions.ts";
import { installPackages } from "../../scripts/cache.ts";
import { libraryPackage } from "./library_package.ts";

const CONFIGURATION = fileURLToPath(import.meta.resolve("../../deno.json"));

const IMPORTS = `
import { createMock, createMockServer, generateBody, parseDocument, parseOverlay, validateDocument } from "openapi-gw";
import type { Diagnostic, Document, Handler, ListedRule, MockServer } from "openapi-gw";
`;

/** The body of a program that uses the exports of the library. */
const BODY = `
const document: Document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} });
const mock: Handler = createMock(document, { seed: 7 });
const response: Response = await mock(new Request("http://localhost/pets"));
const server: MockServer = await createMockServer(document);
const rules: readonly ListedRule[] = server.rules.list();
const diagnostics: readonly Diagnostic[] = await validateDocument(document);
// @ts-expect-error createMock() takes a document, not a text: parseDocument() makes one.
createMock("openapi: 3.1.0");
console.log(response.status, rules.length, diagnostics.length, typeof generateBody, typeof parseOverlay);
`;

/** Imports of the adapters whose declarations need no package but that of Node.js. */
const NODE_IMPORTS = `${IMPORTS}
import { createServer } from "node:http";
import { mockApi } from "openapi-gw/jest";
import { createListener } from "openapi-gw/node";
import { mockFixture } from "openapi-gw/playwright";
import type { MockApi } from "openapi-gw/vitest";
`;

const NODE_BODY = `${BODY}
createServer(createListener(mock)).close();
const api: MockApi = mockApi("openapi.yaml");
console.log(api, mockFixture("openapi.yaml"));
`;

const NODE_PROGRAM = NODE_IMPORTS + NODE_BODY;

/** The program for CommonJS, which has no `await` outside functions. */
const COMMONJS_PROGRAM = `${NODE_IMPORTS}\nexport async function main(): Promise<void> {${NODE_BODY}}\n`;

const browser = { lib: ["ES2023", "DOM", "DOM.Iterable"], types: [], verbatimModuleSyntax: true };
const node = { lib: ["ES2023"], types: ["node"], verbatimModuleSyntax: true };
/** `verbatimModuleSyntax` forbids `import` in CommonJS. */
const commonJs = { ...node, verbatimModuleSyntax: false };

const cases = [
  { type: "module", module: "esnext", moduleResolution: "bundler", program: IMPORTS + BODY, ...browser },
  { type: "module", module: "node16", moduleResolution: "node16", program: NODE_PROGRAM, ...node },
  { type: "module", module: "nodenext", moduleResolution: "nodenext", program: NODE_PROGRAM, ...node },
  { type: "commonjs", module: "node16", moduleResolution: "node16", program: COMMONJS_PROGRAM, ...commonJs },
  // Before version 6, TypeScript's default for CommonJS, as ts-jest uses it. It doesn't read `exports`.
  {
    type: "commonjs",
    module: "commonjs",
    moduleResolution: "node10",
    ignoreDeprecations: "6.0",
    program: COMMONJS_PROGRAM,
    ...commonJs,
  },
];

for (const { type, program, ...options } of cases) {
  Deno.test(`a strict project of type ${type} with moduleResolution ${options.moduleResolution} compiles`, async () => {
    const [{ path }, types] = await Promise.all([libraryPackage(), installPackages({ "@types/node": "20.19.25" })]);
    await using folder = await createFolder();
    await Deno.mkdir(`${folder.path}/node_modules`);
    await Deno.symlink(path, `${folder.path}/node_modules/openapi-gw`);
    const compilerOptions = {
      ...options,
      target: "es2023",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      typeRoots: [`${types}/@types`],
    };
    await Deno.writeTextFile(`${folder.path}/package.json`, JSON.stringify({ type }));
    await Deno.writeTextFile(`${folder.path}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    await Deno.writeTextFile(`${folder.path}/main.ts`, program);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--config", CONFIGURATION, "npm:typescript@6.0.3/tsc", "-p", folder.path],
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
  });
}
