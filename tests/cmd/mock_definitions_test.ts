import assert from "node:assert/strict";
import { createFolder, textOf, texts, TODO } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";
import { freePort } from "../free_port.ts";

/** Starts a server of definitions, given by their paths. */
function serveTexts(
  answers: Record<string, string | ((request: Request) => Response)>,
): { url: string } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const answer = answers[new URL(request.url).pathname];
    if (answer === undefined) return new Response(null, { status: 404 });
    return typeof answer === "string" ? new Response(answer) : answer(request);
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** A definition with a path that refers to the text at `to`. */
function referring(to: string): string {
  return JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: { "/a": { $ref: to } } });
}

const PATH_ITEM = JSON.stringify({
  get: { responses: { 200: { description: "", content: { "text/plain": { example: "found" } } } } },
});

Deno.test("gw mock names inputs that it can't watch, and the flag that polls a URL", async (t) => {
  await using server = serveTexts({ "/a.json": texts({ "/a": "one" }) });
  await using folder = await createFolder();
  const url = `${server.url}/a.json`;
  await Deno.writeTextFile(`${folder.path}/b.json`, texts({ "/b": "two" }));
  const cases: { args: string[]; want: string[] }[] = [
    { args: ["-"], want: ["Standard input can't be watched."] },
    { args: [url], want: [`${url} is not watched; --poll 60 looks at it each minute.`] },
    { args: [url, "--poll", "30"], want: [`Looking at ${url} every 30 s.`] },
    { args: ["b.json", "-"], want: ["Watching 1 file.", "Standard input can't be watched."] },
  ];
  for (const { args, want } of cases) {
    await t.step(args.join(" ").replace(/:\d+/, ""), async () => {
      const stdin = texts({ "/c": "three" });
      await using gw = await startGw({ args: ["mock", ...args], cwd: folder.path, stdin });
      await gw.until(/(?:can't be watched|looks at it each minute|every 30 s)\.\n/);
      assert.deepEqual(gw.text().trimEnd().split("\n").slice(-want.length), want);
    });
  }
});

Deno.test("gw mock reads standard input", async () => {
  await using gw = await startGw({ args: ["mock", "-"], stdin: texts({ "/a": "from stdin" }) });
  assert.equal(await textOf(gw, "/a"), "from stdin");
});

Deno.test("gw mock answers several definitions on one port", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/a.json`, texts({ "/a": "one" }, "A"));
  await Deno.writeTextFile(`${folder.path}/b.json`, texts({ "/b": "two" }, "B"));
  await using gw = await startGw({ args: ["mock", "a.json", "-i", "b.json"], cwd: folder.path });
  assert.equal(await textOf(gw, "/a") + await textOf(gw, "/b"), "onetwo");
  assert.match(gw.text(), /^Parsed a\.json: A 1\.0\.0, 1 operation\.\nParsed b\.json: B 1\.0\.0, 1 operation\.\n/);
});

Deno.test("gw mock refuses an operation that two definitions have, naming both", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/a.json`, texts({ "/a/{x}": "one" }));
  await Deno.writeTextFile(`${folder.path}/b.json`, texts({ "/a/{y}": "two" }));
  const { code, stderr } = await runGw({ args: ["mock", "a.json", "b.json"], cwd: folder.path });
  assert.equal(code, 1);
  assert.match(stderr, /b\.json:\d+:\d+ error .*GET \/a\/\{y\} is also in .*a\.json/);
});

Deno.test("gw mock answers a path that two definitions have under the base path of each", async () => {
  await using folder = await createFolder();
  const withServer = (server: string, text: string) =>
    JSON.stringify({ servers: [{ url: server }], ...JSON.parse(texts({ "/pets": text })) });
  await Deno.writeTextFile(`${folder.path}/one.json`, withServer("https://api.example.com/v1", "one"));
  await Deno.writeTextFile(`${folder.path}/two.json`, withServer("https://api.example.com/v2", "two"));
  await using gw = await startGw({ args: ["mock", "one.json", "two.json"], cwd: folder.path });
  assert.equal(await textOf(gw, "/v1/pets"), "one");
  assert.equal(await textOf(gw, "/v2/pets"), "two");
  assert.equal(await textOf(gw, "/pets"), "one");
  await gw.until(
    /two\.json:\d+:\d+ warning shared-path: .*one\.json answers GET \/pets without a base path; .* asked as GET \/v2\/pets\./,
  );
});

Deno.test("gw mock says at the start how many operations it can't answer, and the flag that mocks them", async () => {
  await using folder = await createFolder();
  const responses = (...codes: string[]) => Object.fromEntries(codes.map((code) => [code, { description: "" }]));
  const paths = Object.fromEntries(
    [["200"], ["2XX"], ["404"], ["302"]].map((
      codes,
      index,
    ) => [`/${index}`, { get: { responses: responses(...codes) } }]),
  );
  const definition = { openapi: "3.1.0", info: { title: "A", version: "1" }, paths };
  await Deno.writeTextFile(`${folder.path}/a.json`, JSON.stringify(definition));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  await gw.until(
    /^3 operations have no exact 2xx response and will be answered with 501\. --any-status mocks 2 of them/m,
  );
  await using any = await startGw({ args: ["mock", "a.json", "--any-status"], cwd: folder.path });
  await any.until(/^1 operation has no exact 2xx response and will be answered with 501\.\n/m);
});

Deno.test("gw mock shows every error of a broken definition, with the lines around it", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/a.yaml`, "openapi: 3.1.0\npaths:\n  /a: [\n  /b: }\n");
  const { code, stdout, stderr } = await runGw({ args: ["mock", "a.yaml"], cwd: folder.path });
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(stderr, /^a\.yaml:\d+:\d+ error/);
  assert.match(stderr, /> \d \| /);
});

Deno.test("gw mock shows the first of very many errors, and the command that shows all", async () => {
  await using folder = await createFolder();
  const paths = Array.from(
    { length: 30 },
    (_, index) => `  /a${index}: {get: {responses: {"200": {description: A.}}}}\n`,
  );
  const text = `openapi: 3.1.0\ninfo: {title: A, version: "1"}\npaths:\n${paths.join("")}`;
  await Deno.writeTextFile(`${folder.path}/a.yaml`, text);
  await Deno.writeTextFile(`${folder.path}/the b.yaml`, text);
  const { code, stderr } = await runGw({ args: ["mock", "a.yaml", "the b.yaml"], cwd: folder.path });
  assert.equal(code, 1);
  assert.equal(stderr.match(/error duplicate-operation/g)?.length, 20);
  assert.match(stderr, /\nand \d+ more; gw validate a\.yaml 'the b\.yaml' shows all\.\n$/);
});

Deno.test("gw mock counts warnings, and shows them when it listens", async () => {
  await using gw = await startGw({ args: ["mock", "-"], stdin: '{"openapi":"3.1.0","paths":{}}' });
  assert.match(gw.text(), /untitled, 0 operations, 2 warnings\./);
  await gw.until(/-:1:1 warning missing-info.*\n(.*\n)*gw validate - may find more\.\n/);
});

Deno.test("gw mock says why a definition can't be read", async (t) => {
  await using folder = await createFolder();
  await using server = serveTexts({});
  const cases: { operand: string; message: RegExp }[] = [
    { operand: "absent.yaml", message: /^Cannot read absent\.yaml: there is no such file\.\n$/ },
    {
      operand: `${server.url}/absent`,
      message: /^Cannot read http.*: the server answered 404 Not Found\.\n$/,
    },
    {
      operand: `http://127.0.0.1:${freePort()}/a.yaml`,
      message: /^Cannot read http:\/\/127\.0\.0\.1:\d+\/a\.yaml: Connection refused\.\n$/,
    },
  ];
  for (const { operand, message } of cases) {
    await t.step(operand.replace(/:\d+/, ""), async () => {
      const ended = await runGw({ args: ["mock", operand], cwd: folder.path });
      assert.match(ended.stderr, message);
      assert.equal(ended.code, 3);
    });
  }
});

Deno.test("gw mock follows references across local files, in any folder", async () => {
  await using folder = await createFolder();
  await Deno.mkdir(`${folder.path}/api`);
  await Deno.mkdir(`${folder.path}/shared`);
  await Deno.writeTextFile(`${folder.path}/api/a.json`, referring("../shared/path.json"));
  await Deno.writeTextFile(`${folder.path}/shared/path.json`, PATH_ITEM);
  await using gw = await startGw({ args: ["mock", "api/a.json"], cwd: folder.path });
  assert.equal(await textOf(gw, "/a"), "found");
  assert.match(gw.text(), /Watching 2 files\./);
});

Deno.test("gw mock follows references of a fetched definition within its origin", async () => {
  await using server = serveTexts({
    "/old/a.json": () => new Response(null, { status: 302, headers: { location: "/api/a.json" } }),
    "/api/a.json": referring("path.json"),
    "/api/path.json": PATH_ITEM,
  });
  await using gw = await startGw({ args: ["mock", `${server.url}/old/a.json`] });
  assert.equal(await textOf(gw, "/a"), "found");
});

Deno.test("gw mock keeps a fetched definition from other origins and from files", async (t) => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/secret.json`, PATH_ITEM);
  await using other = serveTexts({ "/path.json": PATH_ITEM });
  const cases: { to: string; flags: string[]; status: number; what: string }[] = [
    { what: "another origin", to: `${other.url}/path.json`, flags: [], status: 404 },
    { what: "a redirect to another origin", to: "redirect.json", flags: [], status: 404 },
    { what: "another origin, allowed", to: `${other.url}/path.json`, flags: ["--allow-remote-refs"], status: 200 },
    { what: "a file", to: `file://${folder.path}/secret.json`, flags: ["--allow-remote-refs"], status: 404 },
  ];
  for (const { what, to, flags, status } of cases) {
    await t.step(what, async () => {
      await using server = serveTexts({
        "/a.json": referring(to),
        "/redirect.json": () => new Response(null, { status: 302, headers: { location: `${other.url}/path.json` } }),
      });
      await using gw = await startGw({ args: ["mock", `${server.url}/a.json`, ...flags] });
      assert.equal((await fetch(`${gw.url}/a`)).status, status);
      if (status === 404) await gw.until(/broken-reference/);
    });
  }
});

Deno.test("gw mock --poll fetches a definition again, with the ETag it knows", async () => {
  let version = 1;
  const asked: (string | null)[] = [];
  await using server = serveTexts({
    "/a.json": (request) => {
      const known = request.headers.get("if-none-match");
      asked.push(known);
      if (known === `"${version}"`) return new Response(null, { status: 304 });
      return new Response(texts({ "/a": `version ${version}` }), { headers: { etag: `"${version}"` } });
    },
  });
  await using gw = await startGw({ args: ["mock", `${server.url}/a.json`, "--poll", "0.1"] });
  assert.equal(await textOf(gw, "/a"), "version 1");
  while (asked.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  version = 2;
  await gw.until(/Reloaded .*: 1 operation changed\.\n {2}~ GET \/a\n/);
  assert.equal(await textOf(gw, "/a"), "version 2");
  assert.deepEqual(asked.slice(0, 3), [null, '"1"', '"1"']);
  assert.equal(gw.text().match(/Reloaded/g)?.length, 1);
});

/** The statuses of the failing server, in turn. */
const FAILURES = [503, 404, 500, 503];

Deno.test("gw mock --poll reports a failure once, and a new failure again", async () => {
  let isUp = true;
  let asked = 0;
  await using server = serveTexts({
    "/a.json": () => {
      const status = FAILURES[++asked % FAILURES.length];
      return isUp ? new Response(texts({ "/a": "a" })) : new Response("", { status: status ?? 500 });
    },
  });
  await using folder = await createFolder();
  const local = `${folder.path}/b.json`;
  await Deno.writeTextFile(local, texts({ "/b": "before" }));
  await using gw = await startGw({ args: ["mock", `${server.url}/a.json`, local, "--poll", "0.1"] });
  for (const times of [1, 2]) {
    isUp = false;
    await gw.until(new RegExp(`(?:Cannot read \\S+a\\.json: the server answered \\d+.*[^]*){${times}}`));
    const since = asked;
    while (asked < since + 2 * FAILURES.length) await new Promise((resolve) => setTimeout(resolve, 20));
    // An edit of the local file must not report that the server's definition can be read again.
    await Deno.writeTextFile(local, texts({ "/b": `after ${times}` }));
    await gw.until(new RegExp(`(?:Reloaded \\S*b\\.json[^]*){${times}}`));
    assert.equal(gw.text().match(/can be read again/g)?.length ?? 0, times - 1);
    assert.equal(await textOf(gw, "/a"), "a");
    isUp = true;
    await gw.until(new RegExp(`(?:a\\.json can be read again\\.[^]*){${times}}`));
    assert.equal(gw.text().match(/Cannot read/g)?.length, times);
  }
});

Deno.test("gw mock --poll reports once that a referenced text can't be read", async () => {
  let isUp = true;
  let asked = 0;
  await using server = serveTexts({
    "/part.json": () => {
      asked++;
      return isUp ? new Response('{"description": "part"}') : new Response("", { status: 503 });
    },
  });
  await using folder = await createFolder();
  const main = `${folder.path}/a.json`;
  const definition = JSON.parse(texts({ "/a": "a" }));
  await Deno.writeTextFile(
    main,
    JSON.stringify({ ...definition, components: { responses: { A: { $ref: `${server.url}/part.json` } } } }),
  );
  await using gw = await startGw({ args: ["mock", main, "--poll", "0.1"] });
  isUp = false;
  await gw.until(/part\.json leads nowhere[^]*Still answering/);
  const since = asked;
  while (asked < since + 5) await new Promise((resolve) => setTimeout(resolve, 20));
  isUp = true;
  await gw.until(/Reloaded/);
  assert.equal(gw.text().match(/Still answering/g)?.length, 1);
});

Deno.test("gw mock --as-gateway refuses the definitions that a gateway refuses", async () => {
  const text = await Deno.readTextFile(TODO);
  const refused = text.replace(
    "mocking: { enabled: true }",
    "mocking: { enabled: true }\n        validation: { request: { enabled: true } }",
  );
  const { code, stderr } = await runGw({ args: ["mock", "-", "--as-gateway"], stdin: refused });
  assert.equal(code, 1);
  assert.match(stderr, /mocked-and-validated/);
});

Deno.test("gw mock answers /_gw/health with 200, unless --no-control", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/a.json`, texts({ "/{x}/{y}": "template" }));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  assert.deepEqual(await (await fetch(`${gw.url}/_gw/health`)).json(), { status: "ok" });
  assert.equal((await (await fetch(gw.url)).json()).definitions.length, 1);
  await using free = await startGw({ args: ["mock", "a.json", "--no-control"], cwd: folder.path });
  assert.equal(await textOf(free, "/_gw/health"), "template");
});

Deno.test("gw mock answers a 205 as 204, so that no client waits for the end of the connection", async () => {
  await using folder = await createFolder();
  const paths = { "/form": { delete: { responses: { 205: { description: "Reset." } } } } };
  const definition = { openapi: "3.1.0", info: { title: "A", version: "1" }, paths };
  await Deno.writeTextFile(`${folder.path}/a.json`, JSON.stringify(definition));
  await using gw = await startGw({ args: ["mock", "a.json"], cwd: folder.path });
  const response = await fetch(`${gw.url}/form`, { method: "DELETE" });
  assert.equal(response.status, 204);
  assert.equal(await response.text(), "");
});
