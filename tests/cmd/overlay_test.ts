import assert from "node:assert/strict";
import { createFolder, textOf, texts } from "./definitions.ts";
import { runGw, spawn, startGw } from "./process.ts";
import { startServe } from "./serve_process.ts";
import { render } from "../../cmd/commands/render.ts";
import { validate } from "../../cmd/commands/validate.ts";
import { recordPlatform } from "./recorded_platform.ts";

/** The JSON text of an overlay with the given actions. */
function overlay(actions: unknown[], fields: Record<string, unknown> = {}): string {
  return JSON.stringify(
    { overlay: "1.1.0", info: { title: "Test", version: "1.0.0" }, ...fields, actions },
    undefined,
    1,
  );
}

/** The JSON text of an overlay that sets the text which GET of a path answers. */
function answering(path: string, example: string, fields?: Record<string, unknown>): string {
  const target = `$.paths['${path}'].get.responses['200'].content['text/plain'].example`;
  return overlay([{ target, update: example }], fields);
}

async function folderOf(files: Record<string, string>): Promise<{ path: string } & AsyncDisposable> {
  const folder = await createFolder();
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder.path}/${name}`, text);
  return folder;
}

Deno.test("gw mock applies overlays, and applies them again when they are edited", async () => {
  await using folder = await folderOf({
    "a.json": texts({ "/a": "definition" }),
    "o.json": answering("/a", "first"),
    "p.json": answering("/a", "second"),
  });
  await using gw = await startGw({
    args: ["mock", "a.json", "--overlay", "o.json", "--overlay", "p.json"],
    cwd: folder.path,
  });
  assert.match(gw.text(), /^Parsed a\.json: .*\nApplied o\.json: 1 action\.\nApplied p\.json: 1 action\.\n/);
  await gw.until(/Watching 3 files\./);
  assert.equal(await textOf(gw, "/a"), "second");

  await Deno.writeTextFile(`${folder.path}/p.json`, answering("/a", "third"));
  await gw.until(/^Reloaded p\.json: 1 operation changed\.\n {2}~ GET \/a\n/m);
  assert.equal(await textOf(gw, "/a"), "third");

  await Deno.writeTextFile(`${folder.path}/p.json`, "overlay: [");
  await gw.until(/^p\.json:1:11 error syntax: [^]*Still answering from the last good definition\.\n/m);
  assert.equal(await textOf(gw, "/a"), "third");

  await Deno.remove(`${folder.path}/p.json`);
  await gw.until(/^Cannot read p\.json: there is no such file\. Still answering from the last good definition\.\n/m);
  await Deno.writeTextFile(`${folder.path}/p.json`, answering("/a", "third"));
  await gw.until(/^p\.json can be read again\.\n|^Reloaded p\.json/m);

  // The overlays apply again after the definition was edited.
  await Deno.writeTextFile(`${folder.path}/a.json`, texts({ "/a": "definition", "/b": "b" }));
  await gw.until(/\+ GET \/b\n/);
  assert.equal(await textOf(gw, "/a"), "third");
});

Deno.test("gw mock applies an overlay to the definition that it extends, else to all", async () => {
  await using folder = await folderOf({
    "a.json": texts({ "/a": "a", "/same": "a" }),
    "b.json": texts({ "/b": "b" }),
    "extends.json": overlay([{ target: "$..example", update: "extended" }], { extends: "b.json" }),
    "other.json": overlay([{ target: "$.paths['/a']..example", update: "other" }], { extends: "https://a.example/c" }),
    "lost.json": overlay([{ target: "$.paths['/lost']", remove: true }]),
  });
  const args = ["extends.json", "other.json", "lost.json"].flatMap((file) => ["--overlay", file]);
  await using gw = await startGw({ args: ["mock", "a.json", "b.json", ...args], cwd: folder.path });
  await gw.until(
    /gw validate a\.json b\.json --overlay extends\.json --overlay other\.json --overlay lost\.json may find more\./,
  );
  assert.equal(await textOf(gw, "/a") + await textOf(gw, "/b") + await textOf(gw, "/same"), "otherextendeda");
  assert.equal(gw.text().match(/unmatched-target/g)?.length, 1);
  assert.match(
    gw.text(),
    /lost\.json:9:\d+ warning unmatched-target: The target `\$\.paths\['\/lost'\]` finds nothing\./,
  );
});

Deno.test("gw mock doesn't start with an overlay that is broken or absent", async (t) => {
  await using folder = await folderOf({
    "a.json": texts({ "/a": "a" }),
    "b.json": texts({ "/b": "b" }),
    "definition.json": texts({}),
    "kinds.json": overlay([{ target: "$.info", update: { title: {} } }]),
  });
  const cases = [
    { file: "absent.json", code: 3, want: /^Cannot read absent\.json: there is no such file\.\n$/ },
    {
      file: "definition.json",
      code: 1,
      want: /^definition\.json:1:1 error bad-overlay: This is an OpenAPI definition/,
    },
    {
      file: "kinds.json",
      code: 1,
      want: /^kinds\.json:11:\d+ error bad-overlay: An object can't be merged with "Test"/,
    },
  ];
  for (const { file, code, want } of cases) {
    await t.step(file, async () => {
      const ended = await runGw({ args: ["mock", "a.json", "b.json", "--overlay", file], cwd: folder.path });
      assert.match(ended.stderr, want);
      assert.equal(ended.code, code);
    });
  }
});

Deno.test("gw mock reads an overlay from standard input", async () => {
  await using folder = await folderOf({ "a.json": texts({ "/a": "a" }), "b.json": texts({ "/b": "b" }) });
  await using gw = await startGw({
    args: ["mock", "a.json", "b.json", "--overlay", "-"],
    cwd: folder.path,
    stdin: overlay([{ target: "$..example", update: "piped" }]),
  });
  assert.equal(await textOf(gw, "/a") + await textOf(gw, "/b"), "pipedpiped");
});

Deno.test("gw mock fetches an overlay again with --poll", async () => {
  let answer = answering("/a", "first");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response(answer));
  try {
    await using folder = await folderOf({ "a.json": texts({ "/a": "a" }) });
    const url = `http://127.0.0.1:${server.addr.port}/o.json`;
    await using gw = await startGw({ args: ["mock", "a.json", "--overlay", url, "--poll", "0.1"], cwd: folder.path });
    assert.equal(await textOf(gw, "/a"), "first");
    await gw.until(/Looking at http:.*\/o\.json every 0\.1 s\./);
    answer = answering("/a", "second");
    await gw.until(/Reloaded http:.*\/o\.json: 1 operation changed\./);
    assert.equal(await textOf(gw, "/a"), "second");
  } finally {
    await server.shutdown();
  }
});

const PETS = `openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
x-svc: {upstream: {service: {name: pets}}}
paths:
  /pets:
    get:
      responses:
        "200": {description: Pets., content: {text/plain: {schema: {type: string}, example: Rex}}}
`;

/** Runs a command in a folder. Returns the exit code and the output as one text. */
async function run(command: typeof render, args: string[]): Promise<string> {
  const platform = recordPlatform({});
  const code = await command(args, platform);
  return `exit ${code}\n${platform.printed.stderr}${platform.printed.stdout}`;
}

Deno.test("gw validate finds problems of an overlay and of what it changes", async () => {
  await using folder = await folderOf({
    "pets.yaml": PETS,
    "o.yaml": `overlay: 1.1.0
info: {title: Test, version: 1.0.0}
actions:
  - target: $.paths['/pets'].get
    update: {operationID: listPets}
  - target: $..example
    update: 7
`,
  });
  const printed = await run(validate, [`${folder.path}/pets.yaml`, "--overlay", `${folder.path}/o.yaml`]);
  assert.match(printed, /^exit 1\n/);
  assert.match(printed, /o\.yaml:5:14 error unknown-field: The Operation Object has no field `operationID`/);
  assert.match(printed, /o\.yaml:7:13 warning bad-example: /);
  assert.match(printed, /> 5 \| {5}update: \{operationID: listPets\}\n/);
});

Deno.test("gw validate reports a target that finds nothing in any of its definitions", async () => {
  await using folder = await folderOf({
    "a.yaml": PETS,
    "b.yaml": PETS.replace("/pets:", "/cats:"),
    "o.yaml": overlay([{ target: "$.paths['/cats']", update: { summary: "Cats." } }, { target: "$.x", update: {} }]),
  });
  const files = ["a.yaml", "b.yaml"].map((name) => `${folder.path}/${name}`);
  const printed = await run(validate, [...files, "--overlay", `${folder.path}/o.yaml`]);
  assert.deepEqual(printed.match(/The target .* finds nothing/g), ["The target `$.x` finds nothing"]);
});

Deno.test("gw render renders a definition with its overlays", async () => {
  await using folder = await folderOf({
    "pets.yaml": PETS,
    "o.yaml": overlay([{
      target: "$.paths['/pets']",
      update: { "x-svc": { upstream: { service: { name: "other" } } } },
    }]),
    "warned.yaml": overlay([
      { target: "$", update: { "x-svc": { mocking: { enabled: true } } } },
      { target: "$..example", remove: true },
      { target: "$.paths", update: { "/cats": {} } },
      { target: "$.paths['/cats']", update: { get: { responses: { 200: { description: "" } } } } },
      {
        target: "$.paths['/cats'].get.responses['200']",
        update: { content: { "text/plain": { schema: { type: "string" } } } },
      },
    ]),
    "bad.yaml": overlay([{ target: "$.paths['/pets']", update: { "x-svc": { upstreams: 1 } } }]),
    "broken.yaml": overlay([{ target: "$.paths[", update: {} }]),
  });
  const withOverlay = (name: string): string[] => [`${folder.path}/pets.yaml`, "--overlay", `${folder.path}/${name}`];
  assert.match(await run(render, withOverlay("o.yaml")), /^exit 0\n[^]*backendRefs:\n\s+- name: other\n/);
  const warned = await run(render, withOverlay("warned.yaml"));
  assert.match(
    warned,
    /pets\.yaml:8:\d+ warning deployment-warning: `GET \/pets` will be mocked as 200 without a body/,
  );
  assert.match(warned, /warned\.yaml:\d+:\d+ warning deployment-warning: `GET \/cats` will be mocked as 200 without/);
  assert.match(await run(render, withOverlay("bad.yaml")), /^exit 1\n[^]*bad\.yaml:1[1-3]:\d+ error /);
  assert.match(await run(render, withOverlay("broken.yaml")), /^exit 1\n[^]*broken\.yaml:9:\d+ error bad-overlay: /);
});

Deno.test("gw deploy sends one text with the overlays applied, in the language of the definition", async (t) => {
  await using gw = await startServe();
  const asJson = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pets", version: "1.0.0" },
    "x-svc": { mocking: { enabled: true } },
    paths: {
      "/json": {
        get: {
          responses: {
            200: { description: "Pets.", content: { "text/plain": { schema: { type: "string" }, example: "Rex" } } },
          },
        },
      },
    },
  });
  await using folder = await folderOf({
    "pets.yaml": PETS.replace("upstream: {service: {name: pets}}", "mocking: {enabled: true}"),
    "cats.json": asJson,
    "o.yaml": overlay([{ target: "$..example", update: "Tom" }]),
    "bad.yaml": overlay([{ target: "$.paths.*.get", update: { "x-svc": { mocking: { enabled: "yes" } } } }]),
    "broken.yaml": overlay([{ target: "$.paths[", update: {} }]),
  });
  const deploy = (...args: string[]): ReturnType<typeof runGw> =>
    runGw({ args: ["deploy", ...args], env: { GW_SERVER: gw.api }, cwd: folder.path });
  const cases = [
    { file: "pets.yaml", name: "pets", path: "/pets", begins: "openapi: 3.1.0\n" },
    { file: "cats.json", name: "cats", path: "/json", begins: "{\n" },
  ];
  for (const { file, name, path, begins } of cases) {
    await t.step(file, async () => {
      const { code, stderr } = await deploy(file, "--overlay", "o.yaml");
      assert.equal(stderr, "");
      assert.equal(code, 0);
      assert.equal(await textOf({ url: gw.fleet }, path), "Tom");
      const sent = await textOf({ url: gw.api }, `/apis/default/${name}/definition`);
      assert.equal(sent.slice(0, begins.length), begins);

      // A problem that the server reports is shown with its line in the overlay.
      const refused = await deploy(file, "--overlay", "bad.yaml");
      assert.match(refused.stderr, /^bad\.yaml:13:19 error deployment-error: /m);
      assert.match(refused.stderr, /> \d+ \| +"enabled": "yes"/);
      assert.equal(refused.code, 1);
    });
  }

  await t.step("a broken overlay", async () => {
    const { code, stderr } = await deploy("pets.yaml", "--overlay", "broken.yaml");
    assert.match(stderr, /^broken\.yaml:9:\d+ error bad-overlay: /);
    assert.equal(code, 1);
    assert.equal(await textOf({ url: gw.fleet }, "/pets"), "Tom");
  });

  await t.step("--watch", async () => {
    const args = ["deploy", "pets.yaml", "--overlay", "o.yaml", "--watch"];
    await using watching = spawn({ args, env: { GW_SERVER: gw.api }, cwd: folder.path });
    await watching.until(/Watching 2 files\./);
    await Deno.writeTextFile(`${folder.path}/o.yaml`, overlay([{ target: "$..example", update: "Kit" }]));
    await watching.until(/Unchanged: api default\/pets[^]*Replaced api default\/pets/);
    assert.equal(await textOf({ url: gw.fleet }, "/pets"), "Kit");
  });
});
