import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { runGw, startGw } from "./process.ts";
import { sendRaw } from "./raw.ts";
import { serveReceiver } from "./receiver.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {responses: {"200": {description: Pets, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
    trace: {responses: {"204": {description: Traced.}}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}}
  /real:
    post:
      x-svc: {mocking: {enabled: false}}
      requestBody: {content: {text/plain: {}}}
      responses: {"201": {description: Made.}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
`;

async function petFolder(): ReturnType<typeof createFolder> {
  const folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, PETS);
  return folder;
}

const JSON_BODY = { "content-type": "application/json" };

Deno.test("gw mock --stateful: the base path of a session applies to every request, malformed ones too", async () => {
  await using folder = await petFolder();
  await using gw = await startGw({ args: ["mock", "pets.yaml", "--stateful"], cwd: folder.path });
  const created = await fetch(`${gw.url}/_gw/s/a/pets`, {
    method: "POST",
    headers: JSON_BODY,
    body: '{"name": "Tom"}',
  });
  const { id } = await created.json();
  assert.equal(created.headers.get("location"), `/_gw/s/a/pets/${id}`);
  const cases: [head: string, want: RegExp][] = [
    [`GET /_gw/s/a/pets/${id} HTTP/1.1\r\nHost: a`, /^HTTP\/1\.1 200 /],
    [`GET /pets/${id} HTTP/1.1\r\nHost: a\r\nX-Gw-Session: a`, /^HTTP\/1\.1 200 /],
    [`GET /pets/${id} HTTP/1.1\r\nHost: a`, /^HTTP\/1\.1 404 /],
    [`HEAD /_gw/s/a/pets/${id} HTTP/1.1\r\nHost: a`, /^HTTP\/1\.1 200 /],
    ["TRACE /_gw/s/a/pets HTTP/1.1\r\nHost: a", /^HTTP\/1\.1 204 /],
    ["OPTIONS /_gw/s/a/pets HTTP/1.1\r\nHost: a", /^HTTP\/1\.1 204 [^]*allow: GET, POST, TRACE, HEAD, OPTIONS/i],
    ["GET /_gw/s/a/pets HTTP/1.1\r\nHost: a/b", /^HTTP\/1\.1 400 /],
    ["GET /_gw/s/a/pets HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade", /^HTTP\/1\.1 200 /],
    ["GET /_gw/s/a/none HTTP/1.1\r\nHost: a", /^HTTP\/1\.1 404 /],
    ["GET /_gw/s/%20/pets HTTP/1.1\r\nHost: a", /^HTTP\/1\.1 400 [^]*no name of a session/],
  ];
  for (const [head, want] of cases) {
    const connection = head.includes("Connection:") ? "" : "\r\nConnection: close";
    assert.match(await sendRaw(gw.port, `${head}${connection}\r\n\r\n`), want, head);
  }
});

Deno.test("gw mock --proxy: the upstream doesn't see the base path of a session", async () => {
  await using folder = await petFolder();
  await using upstream = serveReceiver({
    "/real": () => new Response(null, { status: 201, headers: { location: "/real/7" } }),
  });
  await using gw = await startGw({ args: ["mock", "pets.yaml", "--proxy", upstream.url], cwd: folder.path });
  const response = await fetch(`${gw.url}/_gw/s/a/real?x=1`, {
    method: "POST",
    headers: { "content-type": "text/plain" },
    body: "Hello",
  });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get("location"), "/_gw/s/a/real/7");
  assert.deepEqual(upstream.received, [
    { method: "POST", target: "/real?x=1", contentType: "text/plain", body: "Hello" },
  ]);
});

Deno.test("gw mock --state-limit limits what a session stores", async () => {
  await using folder = await petFolder();
  const args = ["mock", "pets.yaml", "--stateful", "--items", "0", "--state-limit", "items=1"];
  await using gw = await startGw({ args, cwd: folder.path });
  const create = (): Promise<Response> =>
    fetch(`${gw.url}/pets`, { method: "POST", headers: JSON_BODY, body: '{"name": "Tom"}' });
  assert.equal((await create()).status, 201);
  const refused = await create();
  assert.equal(refused.status, 507);
  assert.match((await refused.json()).detail, /the limit "items" \(items of a session\) is 1/);
});

Deno.test("gw mock lists the limits of --state-limit when one is unknown", async () => {
  const { code, stderr } = await runGw({ args: ["mock", "a.yaml", "--state-limit", "item=3"] });
  assert.equal(code, 2);
  assert.match(stderr, /--state-limit item=3: a limit is meant here: items, bytes, .* Did you mean items\?/);
});

Deno.test("gw mock warns of flags about the state where no operation is stateful", async () => {
  await using folder = await petFolder();
  const advice =
    "as no operation is stateful: add --stateful, or x-svc: {mocking: {stateful: true}} to the definition.";
  const cases: [flags: string[], warning: string][] = [
    [["--items", "5"], `--items has no effect, ${advice}`],
    [["--state-limit", "items=5", "--state", "s.json"], `--state, --state-limit have no effect, ${advice}`],
    [["--stateful", "--items", "5"], ""],
    [["--sessions", "5"], ""],
    [["--state-limit", "rules=5"], ""],
  ];
  for (const [flags, warning] of cases) {
    await using gw = await startGw({ args: ["mock", "pets.yaml", ...flags], cwd: folder.path });
    gw.signal("SIGTERM");
    const { stderr } = await gw.ended;
    assert.equal(stderr.trim(), warning, flags.join(" "));
  }
});

Deno.test("gw mock -v: lists the resources of operations that x-svc.mocking.stateful makes stateful", async () => {
  await using folder = await petFolder();
  const text = PETS.replace("  /pets/{id}:\n", "  /pets/{id}:\n    x-svc: {mocking: {stateful: true}}\n");
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, text);
  await using gw = await startGw({ args: ["mock", "pets.yaml", "-v"], cwd: folder.path });
  await gw.until(/read by .*\n/);
  assert.match(gw.text(), /^ {2}resource pets\n {4}read by GET \/pets\/\{id\} \(an item by its id\)$/m);
  assert.doesNotMatch(gw.text(), /list by|create by/);
});

Deno.test("gw mock --stateful names --validate error at the first invalid body of an operation that it accepts", async () => {
  await using folder = await petFolder();
  await using gw = await startGw({ args: ["mock", "pets.yaml", "--stateful"], cwd: folder.path });
  const post = async (pet: unknown): Promise<number> => {
    const init = { method: "POST", body: JSON.stringify(pet), headers: { "content-type": "application/json" } };
    const response = await fetch(`${gw.url}/pets`, init);
    await response.body?.cancel();
    return response.status;
  };
  for (const pet of [{ name: "Tom" }, { name: 1 }, { name: 2 }]) assert.equal(await post(pet), 201);
  await gw.until(/must be string[^]*must be string/);
  assert.equal(gw.text().match(/--validate error refuses such requests/g)?.length, 1);
});
