import assert from "node:assert/strict";
import { createFolder, textOf, texts, TODO } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";

Deno.test("gw mock announces the definitions, the address, the watched files, and with -v the operations", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "-v"] });
  await gw.until(/GET \/todos\/report/);
  const lines = gw.text().trimEnd().split("\n");
  assert.match(lines[0] ?? "", /^Parsed .*todo\.yaml: Todo 0\.0\.2, 6 operations\.$/);
  assert.match(lines[1] ?? "", /^Listening on http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(lines[2], `Console: ${gw.url}/_gw/`);
  assert.equal(lines[3], "Watching 1 file.");
  assert.deepEqual(lines.slice(4), [
    "  GET /todos",
    "  POST /todos",
    "  GET /todos/{id}",
    "  PUT /todos/{id}",
    "  DELETE /todos/{id}",
    "  GET /todos/report.{format}",
  ]);
});

Deno.test("gw mock -v logs why a request fits no operation, and the log without -v is as it was", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "-v"] });
  await textOf(gw, "/todoz");
  await gw.until(/! route: No path of the definition fits \/todoz\. The nearest is GET \/todos: Segment 1 .*\n/);
  await gw.until(/! {3}GET \/todos\/\{id\}: .*\n/);
  assert.equal((await fetch(`${gw.url}/todos`, { method: "PATCH" })).status, 405);
  await gw.until(/! route: The path \/todos is in the definition, but not with PATCH: it has GET, POST\.\n/);
  await textOf(gw, "/api/todos?token=abcdefghijklmnop12345678");
  await gw.until(/! route: .*begins with \/api.*\n/);
  assert.ok(!gw.text().includes("abcdefghijklmnop"), gw.text());

  await using plain = await startGw({ args: ["mock", TODO] });
  await textOf(plain, "/todoz");
  const [, remark] = await plain.until(/GET \/todoz 404 .*\n {2}! (.*)\n/);
  assert.equal(remark, "No path of the definition fits /todoz. Near it: /todos.");
});

Deno.test("gw mock --quiet says where it listens and nothing more", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--quiet"] });
  await textOf(gw, "/todos");
  gw.signal("SIGTERM");
  const { code, stdout, stderr } = await gw.ended;
  assert.equal(code, 0);
  assert.match(stdout, /^Listening on \S+\n$/);
  assert.equal(stderr, "");
});

Deno.test("gw mock writes a line for each request", async () => {
  await using gw = await startGw({ args: ["mock", TODO] });
  await textOf(gw, "/todos?limit=3");
  await textOf(gw, "/todos/1", { method: "DELETE" });
  await textOf(gw, "/nothing");
  await gw.until(/fits \/nothing.*\n/);
  const lines = gw.text().split("\n").slice(4).map((line) => line.replace(/^[\d:.]+ /, "").replace(/[\d.]+ ms$/, "ms"));
  assert.deepEqual(lines, [
    "GET /todos?limit=3 200 application/json example ms",
    "DELETE /todos/1 204 - status ms",
    "GET /nothing 404 application/problem+json problem ms",
    "  ! No path of the definition fits /nothing. The definition has 6 operations.",
    "",
  ]);
});

Deno.test("gw mock logs the violations of a request", async () => {
  await using gw = await startGw({ args: ["mock", TODO] });
  assert.equal((await fetch(`${gw.url}/todos?limit=0`)).status, 200);
  await gw.until(/GET \/todos\?limit=0 200 .*\n {2}! Request query parameter limit .*\n/);
});

Deno.test("gw mock --validate error refuses invalid requests", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--validate", "error"] });
  assert.equal((await fetch(`${gw.url}/todos?limit=0`)).status, 422);
});

Deno.test("gw mock --quiet validates requests if --validate says so", async (t) => {
  const cases: { flags: string[]; status: number; violations: number }[] = [
    { flags: [], status: 200, violations: 0 },
    { flags: ["--validate", "warn"], status: 200, violations: 1 },
    { flags: ["--validate", "error"], status: 422, violations: 1 },
  ];
  for (const { flags, status, violations } of cases) {
    await t.step(flags.join(" "), async () => {
      await using gw = await startGw({ args: ["mock", TODO, "--quiet", ...flags] });
      assert.equal((await fetch(`${gw.url}/todos?limit=0`)).status, status);
      const { requests: [request] } = await (await fetch(`${gw.url}/_gw/requests`)).json();
      assert.equal(request.violations.length, violations);
    });
  }
});

Deno.test("gw mock --no-security doesn't ask for credentials", async () => {
  await using folder = await createFolder();
  const definition = {
    openapi: "3.1.1",
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
    paths: { "/pets": { get: { responses: { "200": { description: "Pets" } } } } },
  };
  await Deno.writeTextFile(`${folder.path}/a.json`, JSON.stringify(definition));
  const strict = ["mock", "a.json", "--validate", "error"];
  for (const [args, status] of [[strict, 401], [[...strict, "--no-security"], 200]] as const) {
    await using gw = await startGw({ args: [...args], cwd: folder.path });
    assert.equal((await fetch(`${gw.url}/pets`)).status, status);
  }
});

Deno.test("gw mock --log-format json writes an object a line", async () => {
  await using gw = await startGw({ args: ["mock", TODO, "--log-format", "json"] });
  await textOf(gw, "/todos");
  await gw.until(/"status":200.*\n/);
  const [parsed, listening, opened, watching, request] = gw.text().trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.equal(parsed.title, "Todo");
  assert.equal(parsed.operations, 6);
  assert.equal(listening.url, gw.url);
  assert.equal(opened.console, `${gw.url}/_gw/`);
  assert.equal(watching.files, 1);
  const { time, duration, ...rest } = request;
  assert.ok(Date.parse(time) > 0 && duration >= 0);
  assert.deepEqual(rest, {
    method: "GET",
    target: "/todos",
    status: 200,
    mediaType: "application/json",
    source: "example",
  });
});

Deno.test("gw mock reads each flag from the environment too; the command line has precedence", async () => {
  await using one = await startGw({ args: ["mock"], env: { GW_MOCK_IN: TODO, GW_MOCK_LOG_FORMAT: "json" } });
  assert.match(one.text(), /"title":"Todo"/);
  await using other = await startGw({
    args: ["mock", TODO, "--log-format", "text"],
    env: { GW_MOCK_LOG_FORMAT: "json", GW_MOCK_QUIET: "true" },
  });
  assert.match(other.text(), /^Listening on/);
});

Deno.test("gw mock takes definitions from the environment only where the command line names none", async (t) => {
  const cases: { args: string[]; want: RegExp }[] = [
    { args: [], want: /^Parsed sample\.json: .*\nListening/ },
    { args: ["-v"], want: /^Parsed sample\.json: .*\nListening/ },
    { args: ["own.json"], want: /^Parsed own\.json: .*\nListening/ },
    { args: ["--in", "own.json"], want: /^Parsed own\.json: .*\nListening/ },
    { args: ["own.json", "--in", "other.json"], want: /^Parsed own\.json: .*\nParsed other\.json: .*\nListening/ },
  ];
  await using folder = await createFolder();
  for (const name of ["sample", "own", "other"]) {
    await Deno.writeTextFile(`${folder.path}/${name}.json`, texts({ [`/${name}`]: name }));
  }
  for (const { args, want } of cases) {
    await t.step(args.join(" "), async () => {
      await using gw = await startGw({
        args: ["mock", ...args],
        env: { GW_MOCK_IN: "sample.json" },
        cwd: folder.path,
      });
      assert.match(gw.text(), want);
    });
  }
});

Deno.test("gw mock without --port takes the next free port, and says so", async () => {
  using _taken = occupy(8080);
  await using gw = await startGw({ args: ["mock", TODO], ownPort: true });
  assert.ok(gw.port > 8080);
  assert.match(gw.text(), /Listening on http:\/\/127\.0\.0\.1:\d+, as port 8080 is taken\n/);
  assert.equal((await fetch(`${gw.url}/todos`)).status, 200);
});

/** Occupies a port, unless another program has it already. */
function occupy(port: number): Disposable {
  try {
    return Deno.listen({ port, hostname: "127.0.0.1" });
  } catch {
    return { [Symbol.dispose]: () => {} };
  }
}

Deno.test("gw mock says at the start that other machines can reach it", async () => {
  await using open = await startGw({ args: ["mock", TODO, "--host", "0.0.0.0"] });
  assert.match(open.text(), /^Listening on http:\/\/localhost:\d+, open to other machines too$/m);
  await using own = await startGw({ args: ["mock", TODO, "--host", "127.0.0.1"] });
  assert.match(own.text(), /^Listening on http:\/\/127\.0\.0\.1:\d+$/m);
});

Deno.test("gw mock ends with 3 when the port of --port is taken", async () => {
  using taken = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = taken.addr;
  const { code, stderr } = await runGw({ args: ["mock", TODO, "--port", String(port)] });
  assert.equal(code, 3);
  assert.match(stderr, new RegExp(`^Port ${port} is taken by another program\\.`));
});
