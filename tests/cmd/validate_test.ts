import assert from "node:assert/strict";
import { validate } from "../../cmd/validate.ts";
import { recordWorld } from "./recorded_world.ts";

const FOLDER = "tests/data/validate";

/** Runs `gw validate`; what it prints comes after its exit code. */
async function run(args: string[], options: Parameters<typeof recordWorld>[0] = {}): Promise<string> {
  const world = recordWorld(options);
  const code = await validate(args, world);
  return `exit ${code}\n${world.printed.stdout}${world.printed.stderr}`;
}

/** Compares with a golden file; `deno test -A tests/cmd/validate_test.ts -- --update` writes them anew. */
async function assertGolden(name: string, actual: string): Promise<void> {
  const path = `${FOLDER}/${name}`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(path, actual);
  assert.equal(actual, await Deno.readTextFile(path), `${path} differs; -- --update writes it anew`);
}

const DEFINITIONS = [
  "duplicate-keys.json",
  "examples.yaml",
  "extension-right.yaml",
  "extension.yaml",
  "form-3.0.yaml",
  "form-3.1.yaml",
  "form-3.2.yaml",
  "keywords.yaml",
  "mocking.yaml",
  "not-openapi.yaml",
  "paths.yaml",
  "references.yaml",
  "swagger-2.0.yaml",
  "syntax.yaml",
];

for (const definition of DEFINITIONS) {
  Deno.test(`gw validate prints what is wrong in ${definition}`, async () => {
    await assertGolden(`${definition}.txt`, await run([`${FOLDER}/${definition}`]));
  });
}
