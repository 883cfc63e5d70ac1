import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { type Running, startGw } from "./process.ts";
import { sendRaw } from "./raw.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {operationId: listPets, responses: {"200": {description: Pets, content: {application/json: {example: [{name: Tom}]}}}}}
    post:
      operationId: createPet
      requestBody: {content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}
      responses: {"201": {description: A pet, content: {application/json: {example: {name: Tom}}}}}
  /{any}/{name}: {get: {responses: {"204": {description: Anything.}}}}
`;

async function startPets(...args: string[]): Promise<Running> {
  // The folder may be deleted when `gw mock` has started: with `--no-watch`, the definition isn't read again.
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, PETS);
  return await startGw({ args: ["mock", `${folder.path}/pets.yaml`, "--no-watch", ...args] });
}

Deno.test("gw mock remembers requests with their bodies, checked or not", async () => {
  for (const validate of ["off", "warn", "error"]) {
    await using gw = await startPets("--validate", validate);
    const json = { "content-type": "application/json" };
    const sent = await fetch(`${gw.url}/pets`, { method: "POST", headers: json, body: '{"name":"Ann"}' });
    await sent.body?.cancel();
    const verified = await fetch(`${gw.url}/_gw/requests/verify`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ operation: "createPet", body: { "/name": "Ann" }, count: 1 }),
    });
    assert.deepEqual(await verified.json(), { count: 1, ids: [1] }, validate);
  }
});

const REFUSED: [headers: Record<string, string>, status: number, log: RegExp][] = [
  [
    { "content-type": "application/xml" },
    415,
    /! The body is "application\/xml"\. Send application\/json or text\/plain\./,
  ],
  [{ "content-type": "text/plain", "via": "1.1 a" }, 403, /! A proxy forwarded this request, .* --control-token\./],
  [
    { "content-type": "text/plain", "origin": "http://evil.test" },
    403,
    /! Pages of other origins may not use gw's own/,
  ],
  [{ "content-type": "text/plain" }, 422, /! The definition has no operation `GET \/dogs`\./],
];

Deno.test("gw mock logs why a request for its own endpoints was refused", async () => {
  await using gw = await startPets();
  for (const [headers, status, log] of REFUSED) {
    const response = await fetch(`${gw.url}/_gw/rules`, { method: "POST", headers, body: "GET /dogs: 503" });
    await response.body?.cancel();
    assert.equal(response.status, status);
    await gw.until(new RegExp(`POST /_gw/rules ${status} .*\\n  ${log.source}`));
  }
});

Deno.test("gw mock --control serves its endpoints elsewhere, so that /_gw/ belongs to the definition", async () => {
  await using gw = await startPets("--control", "/-/mock");
  const health = await fetch(`${gw.url}/-/mock/health`);
  assert.deepEqual(await health.json(), { status: "ok" });
  const description = await (await fetch(`${gw.url}/-/mock/openapi.json`)).json();
  assert.deepEqual(description.servers, [{ url: "/-/mock" }]);
  assert.equal((await fetch(`${gw.url}/_gw/requests`)).status, 204);
});

Deno.test("gw mock --no-control has no endpoints of its own, nor --as-gateway", async () => {
  for (const [flag, status] of [["--no-control", 204], ["--as-gateway", 501]] as const) {
    await using gw = await startPets(flag);
    const response = await fetch(`${gw.url}/_gw/requests`);
    await response.body?.cancel();
    assert.equal(response.status, status, flag);
  }
});

Deno.test("gw mock ends at once although a client streams its requests", async () => {
  await using gw = await startPets();
  const stream = await fetch(`${gw.url}/_gw/requests`, { headers: { accept: "text/event-stream" } });
  const start = performance.now();
  gw.signal("SIGTERM");
  assert.match(await stream.text(), /^: /);
  assert.equal((await gw.ended).code, 0);
  // The open event streams are ended at once. Other requests would have a grace period of ten seconds.
  assert.ok(performance.now() - start < 9_000);
});

/** Requests as raw bytes, and the beginning of the expected response. */
const RAW: readonly [name: string, head: string, status: string][] = [
  ["this machine", "GET /_gw/state HTTP/1.1\r\nHost: localhost", "200"],
  ["HTTP/1.0 without a host", "GET /_gw/state HTTP/1.0", "200"],
  ["a foreign host", "GET /_gw/state HTTP/1.1\r\nHost: evil.example", "403"],
  ["a foreign host in an absolute target", "GET http://evil.example/_gw/state HTTP/1.1\r\nHost: localhost", "403"],
  ["a foreign host beside an absolute target", "GET http://localhost/_gw/state HTTP/1.1\r\nHost: evil.example", "403"],
  ["a forwarded request", "GET /_gw/state HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 127.0.0.1", "403"],
  ["a page of another origin", "GET /_gw/state HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example", "403"],
  [
    "a preflight of another origin",
    "OPTIONS /_gw/state HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: PUT",
    "403",
  ],
  ["a session of a foreign host", "GET /_gw/s/a/_gw/state HTTP/1.1\r\nHost: evil.example", "403"],
  ["an encoded path", "GET /%5Fgw/state HTTP/1.1\r\nHost: evil.example", "204"],
  ["health for a foreign host", "GET /_gw/health HTTP/1.1\r\nHost: evil.example", "200"],
  ["the mock in a session, for a foreign host", "GET /_gw/s/a/pets HTTP/1.1\r\nHost: evil.example", "200"],
  ["TRACE", "TRACE /_gw/state HTTP/1.1\r\nHost: localhost", "4"],
];

Deno.test("gw mock refuses its own endpoints to clients of other machines", async () => {
  await using gw = await startPets();
  for (const [name, head, status] of RAW) {
    const answer = await sendRaw(gw.port, `${head}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, new RegExp(`^HTTP/1\\.[01] ${status}`), `${name}: ${answer.slice(0, 300)}`);
    const isOpen = head.includes("/_gw/health") || head.includes("/pets");
    if (!isOpen) assert.doesNotMatch(answer, /access-control-allow-origin/i, name);
  }
});

Deno.test("gw mock --control-token opens its endpoints to those who have the token", async () => {
  await using gw = await startPets("--control-token", "s3cret");
  const ask = async (authorization: string): Promise<string> =>
    await sendRaw(
      gw.port,
      `GET /_gw/clock HTTP/1.1\r\nHost: gw.example\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    );
  assert.match(await ask("Bearer s3cret"), /^HTTP\/1\.1 200/);
  assert.match(await ask("Bearer s3cre"), /^HTTP\/1\.1 401[^]*www-authenticate: Bearer realm="gw"/i);
});

Deno.test("gw mock answers its own description, validated", async () => {
  await using gw = await startPets();
  const folder = await createFolder();
  const description = await (await fetch(`${gw.url}/_gw/openapi.json`)).text();
  await Deno.writeTextFile(`${folder.path}/control.json`, description);
  await using mock = await startGw({
    args: ["mock", "control.json", "--no-watch", "--no-control", "--validate", "error", "--errors"],
    cwd: folder.path,
  });
  const requests: [line: string, status: number, body?: unknown][] = [
    ["GET /_gw/requests?limit=10&body./name=Tom", 200],
    ["GET /_gw/requests?limit=ten", 400],
    ["POST /_gw/requests/verify", 200, { operation: "createPet", count: 1 }],
    ["POST /_gw/requests/verify", 422, { count: -1 }],
    ["POST /_gw/rules", 201, { operation: "GET /pets", status: 503 }],
    ["PUT /_gw/state/pets", 204, [{ id: 1 }]],
    ["PATCH /_gw/state/pets", 204, { "1": null }],
    ["PUT /_gw/clock", 200, { time: "2030-01-01T00:00:00Z" }],
    ["POST /_gw/sessions", 201, { name: "a" }],
    ["GET /_gw/operations", 200],
  ];
  for (const [line, status, body] of requests) {
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(`${mock.url}${path}`, {
      method,
      ...body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    });
    const text = await response.text();
    assert.equal(response.status, status, `${line}: ${text}`);
  }
  await folder[Symbol.asyncDispose]();
});
