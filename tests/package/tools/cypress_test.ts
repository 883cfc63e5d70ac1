/**
 * The examples for Cypress of docs/testing.md and docs/recipes.md, without Cypress itself: the npm package `cypress` has
 * types and `defineConfig()`, but downloads its program from elsewhere. `cypress_stand_in.js` runs in its place.
 *
 * @module
 */
import assert from "node:assert/strict";
import { findProgram } from "../../../scripts/program.ts";
import { CHROMIUM } from "../../browser/chromium.ts";
import { GW } from "../../cmd/process.ts";
import { freePort } from "../../free_port.ts";
import { isSkipped, stepsOf } from "../recipe.ts";
import { type ExampleFolder, exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/cypress_test.ts";

const TOOLS = {
  "@playwright/test": "1.65.1",
  "cypress": "15.3.0",
  "start-server-and-test": "3.0.12",
  "typescript": "6.0.3",
};

/** The program that stands in for Cypress. */
const STAND_IN = {
  "cypress_stand_in.js": await Deno.readTextFile(new URL("./cypress_stand_in.js", import.meta.url)),
  "cypress_run.js": `import { chromium } from "@playwright/test";
import { runTests } from "./cypress_stand_in.js";
await runTests(chromium);
`,
};

/** A page that lists the titles or names at a URL, or shows why it can't. */
function app(script: string): string {
  return `<!doctype html><title>App</title><p></p><script type="module">
${script}
document.querySelector("p").textContent = await list().then((names) => names.join(", "), ({ message }) => message);
</script>`;
}

/** A test of an unchanged API, which comes after the examples' tests. */
function more(want: string): string {
  return `it("lists", () => {
  cy.visit("/");
  cy.contains(${JSON.stringify(want)});
});
`;
}

const ignore = isSkipped(TEST, HAS_NODE && CHROMIUM !== undefined, "npm, on Linux or macOS, and Chromium");

Deno.test({
  name: "Cypress's types fit the examples of docs/testing.md and docs/recipes.md",
  ignore,
  async fn() {
    const options = { allowJs: true, checkJs: true, noEmit: true, module: "nodenext", target: "es2023", strict: true };
    const compilerOptions = { ...options, skipLibCheck: true, noImplicitAny: false, types: ["cypress"] };
    const include = ["cypress.config.js", "cypress/e2e/*.js", "node.d.ts"];
    await using folder = await exampleFolder(TEST, TOOLS, {
      ...recipe().files,
      // A server of node:http has an address that isn't a port, if it listens on a pipe: its types don't fit.
      "node.d.ts": 'declare module "node:http";\n',
      "tsconfig.json": JSON.stringify({ compilerOptions, include }),
    });
    const compile = (): ReturnType<ExampleFolder["run"]> => folder.run(["node_modules/typescript/bin/tsc"]);
    assert.deepEqual(await compile(), { success: true, text: "" });
    await Deno.writeTextFile(`${folder.path}/cypress/e2e/wrong.cy.js`, 'cy.visits("/");\n');
    assert.match((await compile()).text, /^cypress\/e2e\/wrong\.cy\.js\(1,4\): error TS2551:.*visits/);
  },
});

Deno.test({
  name: "the example for Cypress of docs/testing.md passes, with a stand-in for Cypress",
  ignore,
  async fn() {
    const files = { "cypress/e2e/z.cy.js": more("Tom"), ...STAND_IN };
    await using folder = await exampleFolder(TEST, TOOLS, files);
    const definition = `${folder.path}/openapi.yaml`;
    const example = "application/json: { example: [{ id: 1, name: Tom }], schema: { type: array";
    const text = await Deno.readTextFile(definition);
    await Deno.writeTextFile(definition, text.replace("application/json: { schema: { type: array", example));
    const pets = await Deno.readTextFile(`${folder.path}/pets.js`);
    await using site = serve(app(`${pets}const list = listNames;`));
    const { success, text: output } = await folder.run(["cypress_run.js"], site.env);
    assert.ok(success, output);
    assert.match(output, /✓ says that the server is down\n✓ lists\n2 passing\n$/);
  },
});

Deno.test({
  name: "the recipe for Cypress of docs/recipes.md passes, with a stand-in for Cypress",
  ignore,
  async fn() {
    const port = String(freePort());
    const { files, script } = recipe((text) => text.replaceAll("8080", port));
    await using folder = await exampleFolder(TEST, TOOLS, {
      ...files,
      "cypress/e2e/z.cy.js": more("Buy milk"),
      ...STAND_IN,
    });
    // The folder has the configuration of docs/testing.md, which the recipe doesn't need.
    for (const other of ["cypress.config.js", "cypress/e2e/pets.cy.js"]) await Deno.remove(`${folder.path}/${other}`);
    await writePrograms(folder);
    await using site = serve(app(`async function list() {
  const response = await fetch("http://127.0.0.1:${port}/todos");
  if (!response.ok) throw new Error("Try again later");
  return (await response.json()).map(({ title }) => title);
}`));
    const { success, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-e", "-c", script],
      cwd: folder.path,
      env: { ...site.env, PATH: folder.searchPath, NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    assert.ok(success, output);
    const results = output.split("\n").filter((line) => /✓|passing/.test(line));
    assert.deepEqual(results, ["✓ says that the todos can't be loaded", "✓ lists", "2 passing"]);
    await assert.rejects(Deno.connect({ port: Number(port) }), Deno.errors.ConnectionRefused);
  },
});

/** The files and the script of docs/recipes.md. */
function recipe(change = (text: string): string => text): { files: Record<string, string>; script: string } {
  const steps = stepsOf("docs/recipes.md", TEST);
  const names = ["api.yaml", "cypress/e2e/todos.cy.js"];
  const files = steps.flatMap((step) =>
    step.kind === "file" && names.includes(step.name) ? [[step.name, change(step.text)] as const] : []
  );
  assert.equal(files.length, names.length);
  const script = steps.find((step) => step.kind === "script" && step.text.includes("cypress"));
  assert.ok(script?.kind === "script");
  return { files: Object.fromEntries(files), script: change(script.text) };
}

/** Writes the programs `gw`, from source, and `cypress`, the stand-in, where npm installs programs. */
async function writePrograms({ path }: ExampleFolder): Promise<void> {
  const installed = `${path}/node_modules/.bin`;
  const bin = `${path}/bin`;
  await Deno.rename(installed, bin);
  await Deno.mkdir(installed);
  await Deno.symlink(`${bin}/start-server-and-test`, `${installed}/start-server-and-test`);
  const gw = GW.map((word) => `'${word}'`).join(" ");
  const programs = { gw: `exec ${gw} "$@"`, cypress: `test "$*" = run && exec node ${path}/cypress_run.js` };
  for (const [name, command] of Object.entries(programs)) {
    await Deno.writeTextFile(`${installed}/${name}`, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  }
}

/** Serves the app under test. */
function serve(html: string): { env: Record<string, string> } & AsyncDisposable {
  const headers = { "content-type": "text/html" };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, () => new Response(html, { headers }));
  const env = { CYPRESS_BASE_URL: `http://127.0.0.1:${server.addr.port}`, CHROMIUM: findProgram(CHROMIUM ?? "") ?? "" };
  return { env, [Symbol.asyncDispose]: () => server.shutdown() };
}
