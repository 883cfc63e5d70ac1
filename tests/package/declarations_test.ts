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

/** A program that uses the exports of the library. */
const PROGRAM = `
import { createMock, createMockServer, generateBody, parseDocument, parseOverlay, validateDocument } from "openapi-gw";
import type { Diagnostic, Document, Handler, ListedRule, MockServer } from "openapi-gw";

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

/** A program that uses the adapters that need no other package. */
const NODE_PROGRAM = `${PROGRAM}
import { createServer } from "node:http";
import { createListener } from "openapi-gw/node";
createServer(createListener(mock)).close();
`;

const browser = { lib: ["ES2023", "DOM", "DOM.Iterable"], types: [] };
const node = { lib: ["ES2023"], types: ["node"] };

const cases = [
  { module: "esnext", moduleResolution: "bundler", program: PROGRAM, ...browser },
  { module: "node16", moduleResolution: "node16", program: NODE_PROGRAM, ...node },
  { module: "nodenext", moduleResolution: "nodenext", program: NODE_PROGRAM, ...node },
];

for (const { program, ...options } of cases) {
  Deno.test(`a strict project with moduleResolution ${options.moduleResolution} compiles`, async () => {
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
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      noEmit: true,
      typeRoots: [`${types}/@types`],
    };
    await Deno.writeTextFile(`${folder.path}/package.json`, JSON.stringify({ type: "module" }));
    await Deno.writeTextFile(`${folder.path}/tsconfig.json`, JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    await Deno.writeTextFile(`${folder.path}/main.ts`, program);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--config", CONFIGURATION, "npm:typescript@6.0.3/tsc", "-p", folder.path],
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
  });
}
