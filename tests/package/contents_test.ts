/**
 * Checks what the files of the npm library must contain, and what they must not.
 *
 * @module
 */
import assert from "node:assert/strict";
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { nodeBinary } from "../../scripts/node_binary.ts";
import { libraryPackage } from "./library_package.ts";
import { run } from "./programs.ts";
import { filesBelow } from "./runtimes.ts";

Deno.test("the library's files say nothing about the machine that made them", async () => {
  const { path } = await libraryPackage();
  const files = await filesBelow(path, "", "");
  assert.ok(files.some((file) => file.endsWith(".map")), "there are source maps");
  for (const file of files) {
    const text = await Deno.readTextFile(`${path}/${file}`);
    for (const folder of [homedir(), fileURLToPath(import.meta.resolve("../.."))]) {
      assert.ok(!text.includes(`${folder.replace(/\/$/, "")}/`), `${file} has the path ${folder}`);
    }
  }
});

Deno.test("mod.js needs nothing of a runtime but the web platform's globals", async () => {
  const { path, imports } = await libraryPackage();
  const reached = new Set(["mod.js"]);
  for (const file of reached) {
    const { static: first = [], dynamic = [] } = imports.get(file) ?? {};
    for (const imported of [...first, ...dynamic]) reached.add(imported);
    const text = await Deno.readTextFile(`${path}/library/${file}`);
    assert.doesNotMatch(text, /\b(?:Deno|Bun|process)\.\w/, file);
    assert.doesNotMatch(text, /(?:from|import\(?)\s*"(?:node:|[a-z@])[\w:@/-]+"/, file);
  }
  assert.ok(reached.size > 10, "the parts are files of their own");
});

/** A program that prints the stack traces of errors: of one in mod.js, and of one in a part that is loaded on demand. */
const FAILING = `
import { createMock, createMockServer, parseDocument } from "openapi-gw";
const document = await parseDocument({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths: {} });
for (const fail of [() => createMock(""), async () => (await createMockServer(document)).rules.add("GET /a: 200")]) {
  try {
    await fail();
  } catch (error) {
    console.log(error.stack);
  }
}
`;

Deno.test("the source maps lead from a stack trace to the line of the source that throws", async () => {
  const { folder, path } = await libraryPackage();
  for (const file of (await filesBelow(`${path}/library`, "", ".js")).filter((file) => !file.startsWith("cjs/"))) {
    const text = await Deno.readTextFile(`${path}/library/${file}`);
    const [, map = ""] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(text) ?? [];
    const { sources, sourcesContent = [] }: { sources: string[]; sourcesContent?: unknown[] } = JSON.parse(
      await Deno.readTextFile(`${path}/library/${file.replace(/[^/]*$/, map)}`),
    );
    // The maps of some npm packages, from which these are made, have no texts.
    const withoutText = sources.filter((source, index) =>
      /^gw\/(lib|adapters)\//.test(source) && typeof sourcesContent[index] !== "string"
    );
    assert.deepEqual(withoutText, [], file);
  }
  const program = ["--enable-source-maps", "--input-type=module", "--eval", FAILING];
  const stacks = (await run(await nodeBinary(20), program, folder)).split(/^(?=\w+Error: )/m);
  assert.equal(stacks.length, 2);
  for (const stack of stacks) {
    const [, source = "", line] = /\/gw\/(lib\/\S+\.ts):(\d+):\d+/.exec(stack) ?? [];
    const text = await Deno.readTextFile(new URL(`../../${source}`, import.meta.url));
    assert.match(text.split("\n")[Number(line) - 1] ?? "", /throw new \w+Error\(/, stack);
  }
});
