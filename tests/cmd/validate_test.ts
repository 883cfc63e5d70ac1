import assert from "node:assert/strict";
import { validate } from "../../cmd/commands/validate.ts";
import { recordPlatform } from "./recorded_platform.ts";

const FOLDER = "tests/data/validate";

/** Runs `gw validate`. Returns the exit code and the output as one text. */
async function run(args: string[], options: Parameters<typeof recordPlatform>[0] = {}): Promise<string> {
  const platform = recordPlatform(options);
  const code = await validate(args, platform);
  return `exit ${code}\n${platform.printed.stdout}${platform.printed.stderr}`;
}

/**
 * Compares a text with a golden file. `deno test -A tests/cmd/validate_test.ts -- --update` writes the golden files.
 */
async function assertGolden(name: string, actual: string): Promise<void> {
  const path = `${FOLDER}/${name}`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(path, actual);
  assert.equal(actual, await Deno.readTextFile(path), `${path} differs; -- --update writes it anew`);
}

const DEFINITIONS = [
  "bodies.yaml",
  "circles.yaml",
  "duplicate-keys.json",
  "examples.yaml",
  "extension-right.yaml",
  "extension.yaml",
  "form-3.0.yaml",
  "form-3.1.yaml",
  "form-3.2.yaml",
  "keywords.yaml",
  "later-fields.yaml",
  "mocking.yaml",
  "not-openapi.yaml",
  "paths.yaml",
  "references.yaml",
  "servers.yaml",
  "swagger-2.0.yaml",
  "syntax.yaml",
];

for (const definition of DEFINITIONS) {
  Deno.test(`gw validate prints what is wrong in ${definition}`, async () => {
    await assertGolden(`${definition}.txt`, await run([`${FOLDER}/${definition}`]));
  });
}

Deno.test("gw validate --format json prints an array of diagnostics", async () => {
  const printed = await run([`${FOLDER}/duplicate-keys.json`, "--format", "json"]);
  const [first]: unknown[] = JSON.parse(printed.replace(/^exit 1\n/, ""));
  assert.deepEqual(first, {
    severity: "error",
    code: "duplicate-key",
    message: "The key `title` is in this object twice; only its last value counts. Remove one.",
    uri: new URL("../data/validate/duplicate-keys.json", import.meta.url).href,
    pointer: "/info/title",
    line: 3,
    column: 59,
  });
  assert.equal(await run([`${FOLDER}/extension-right.yaml`, "--format", "json"]), "exit 0\n[]\n");
});

Deno.test("gw validate --format github prints annotations", async () => {
  await assertGolden("references.yaml.github.txt", await run([`${FOLDER}/references.yaml`, "--format", "github"]));
});

Deno.test("gw validate --format github names files from the top of the repository", async () => {
  const env = { GITHUB_WORKSPACE: new URL("../data", import.meta.url).pathname };
  const printed = await run([`${FOLDER}/duplicate-keys.json`, "--format", "github"], { env });
  assert.match(printed, /^::error file=validate\/duplicate-keys\.json,line=3,col=59,title=duplicate-key::/m);
});

Deno.test("gw validate --strict lets warnings count", async () => {
  assert.match(await run([`${FOLDER}/keywords.yaml`]), /^exit 0\n/);
  assert.match(await run([`${FOLDER}/keywords.yaml`, "--strict"]), /^exit 1\n/);
  assert.match(await run([`${FOLDER}/extension-right.yaml`, "--strict"]), /^exit 0\n/);
  assert.match(await run([`${FOLDER}/keywords.yaml`], { env: { GW_VALIDATE_STRICT: "true" } }), /^exit 1\n/);
});

Deno.test("gw validate --severity sets the severity of a rule; the last flag counts", async () => {
  const keywords = `${FOLDER}/keywords.yaml`;
  const asErrors = await run([keywords, "--severity", "unknown-keyword=off", "--severity", "unknown-keyword=error"]);
  assert.match(asErrors, /^exit 1\n.*:\d+:\d+ error unknown-keyword: /);
  assert.doesNotMatch(await run([keywords, "--severity", "unknown-keyword=off"]), /unknown-keyword/);
  assert.match(await run([keywords, "--strict", "--severity", "unknown-keyword=off"]), /^exit 0\n/);
  const form = await run([`${FOLDER}/duplicate-keys.json`, "--severity=duplicate-key=warning"]);
  assert.match(form, /^exit 0\n.* warning duplicate-key: /);
});

Deno.test("gw validate reads GW_VALIDATE_SEVERITY, which the flag overrides", async () => {
  const definitions = [`${FOLDER}/keywords.yaml`, `${FOLDER}/duplicate-keys.json`];
  const env = { GW_VALIDATE_SEVERITY: "unknown-keyword=off,duplicate-key=off" };
  assert.equal(await run([...definitions, "-q"], { env }), "exit 0\n");
  assert.match(await run([...definitions, "--severity", "unknown-keyword=off"], { env }), / error duplicate-key: /);
});

Deno.test("gw validate refuses severities that it doesn't know, and names the code that was meant", async () => {
  for (
    const [written, message] of [
      ["unknown-keywrd=off", /no kind of problem unknown-keywrd\. Did you mean unknown-keyword\?/],
      ["zzzzzzzzzzzzz=off", /no kind of problem zzzzzzzzzzzzz\. The page validate of the documentation lists them\./],
      ["unknown-keyword=of", /off, warning or error is meant after unknown-keyword=\./],
      ["unknown-keyword", /off, warning or error is meant after unknown-keyword=\./],
      ["toString=off", /no kind of problem toString/],
    ] as const
  ) {
    const printed = await run(["a.yaml", "--severity", written]);
    assert.match(printed, /^exit 2\n--severity /);
    assert.match(printed, message);
  }
});

Deno.test("gw validate -q prints no summary", async () => {
  assert.equal(await run([`${FOLDER}/extension-right.yaml`, "-q"]), "exit 0\n");
  assert.doesNotMatch(await run([`${FOLDER}/keywords.yaml`, "-q"]), /4 warnings/);
});

Deno.test("gw validate reads standard input", async () => {
  const stdin = "openapi: 3.1.0\ninfo: {title: Pets}\npaths: {}\n";
  assert.match(
    await run(["-"], { stdin }),
    /^exit 1\n-:2:7 error missing-field: The Info Object needs .* `version`\.\n/,
  );
});

Deno.test("gw validate checks each definition on its own: two may have the same operations", async () => {
  const pets = `${FOLDER}/mocking.yaml`;
  const too = "tests/data/validate/parts/mocking-too.yaml";
  const problemsOf = async (...names: string[]): Promise<string> =>
    (await run([...names, "-q"])).replace(/^exit .*\n/, "");
  assert.equal(await problemsOf(pets, too), await problemsOf(pets) + await problemsOf(too));
});

Deno.test("gw validate prints problems of a file that two definitions share once", async () => {
  const folder = await Deno.makeTempDir();
  const main = "openapi: 3.1.0\ninfo: { title: Pets, version: '1' }\npaths: { /pets: { $ref: part.yaml } }\n";
  for (const name of ["a", "b"]) await Deno.writeTextFile(`${folder}/${name}.yaml`, main);
  await Deno.writeTextFile(`${folder}/part.yaml`, "gett: {}\n");
  const printed = await run([`${folder}/a.yaml`, `${folder}/b.yaml`]);
  assert.equal(printed.match(/unknown-field/g)?.length, 1);
  assert.match(printed, /\n1 error in .*a\.yaml, .*b\.yaml\.\n$/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("gw validate ends with 3 when a definition can't be read, after checking the others", async () => {
  const printed = await run([`${FOLDER}/keywords.yaml`, `${FOLDER}/nowhere.yaml`]);
  assert.match(printed, /^exit 3\n/);
  assert.match(printed, /keywords\.yaml:8:7 warning/);
  assert.match(printed, /\nCannot read .*nowhere\.yaml: there is no such file\.\n$/);
});

Deno.test("gw validate refuses a command line that it doesn't understand", async () => {
  assert.match(await run([]), /^exit 2\nWhich definition\?/);
  assert.match(await run(["-", "-"]), /^exit 2\nStandard input \(-\) can be read only once/);
  assert.match(await run(["--stict", "a.yaml"]), /^exit 2\n.*Did you mean --strict\?/);
  assert.match(await run(["--format", "xml", "a.yaml"]), /^exit 2\n/);
});

Deno.test("gw validate checks no further definitions after the reader has closed its output", async () => {
  const platform = recordPlatform();
  const { stdout } = platform;
  // As with `| head`, which reads the first report.
  const read = {
    ...stdout,
    get isClosed() {
      return platform.printed.stdout !== "";
    },
  };
  const code = await validate([`${FOLDER}/paths.yaml`, `${FOLDER}/servers.yaml`], { ...platform, stdout: read });
  assert.match(platform.printed.stdout, /^tests\/data\/validate\/paths\.yaml:/);
  assert.doesNotMatch(platform.printed.stdout, /^tests\/data\/validate\/servers\.yaml:/m);
  assert.equal(code, 3);
});
