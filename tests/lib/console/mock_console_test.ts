import assert from "node:assert/strict";
import { createMockConsole } from "../../../lib/console/mock/mock_console.ts";
import { createLogins } from "../../../lib/http/logins.ts";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { PAGES_PATH } from "../../../lib/mock/own_endpoints.ts";
import { createResponder } from "../../../lib/mock/responder.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { PETS } from "../mock/control/controlled.ts";

const TOKEN = "s3cret";
const ATTACK = `"><script>alert('x')</script>`;

type Ask = (line: string, init?: { headers?: Record<string, string>; body?: string }) => Promise<Response>;

async function start(
  definition = PETS,
  { client = "127.0.0.1", ...options }: MockOptions & { client?: string } = {},
): Promise<Ask> {
  const document = await parseDocument(definition);
  let time = Date.UTC(2026, 0, 1);
  let id = 0;
  const { controlToken: token } = options;
  const logins = createLogins({ path: "/_gw/", now: () => time, newId: () => `id${id++}` });
  const load = () =>
    Promise.resolve(createMockConsole({ command: "gw mock", logins, token, statusOf: () => ({ diagnostics: [] }) }));
  const respond = await createResponder([document], {
    control: true,
    stateful: true,
    journal: 100,
    now: () => time++,
    clientOf: () => client,
    ...options,
    console: { logins, pages: { path: PAGES_PATH, load } },
  });
  return async (line, { headers = {}, body } = {}) => {
    const [method = "", target = ""] = line.split(" ");
    const isPage = target.startsWith("/_gw/") || target === "/";
    const { response } = await respond(
      new Request(`http://localhost:8080${target}`, {
        method,
        headers: { host: "localhost:8080", ...isPage ? { accept: "text/html" } : {}, ...headers },
        ...body === undefined ? {} : { body },
      }),
    );
    return response;
  };
}

const FORM = { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:8080" };

async function page(ask: Ask, path: string): Promise<string> {
  const response = await ask(`GET ${path}`);
  assert.equal(response.status, 200, path);
  return await response.text();
}

const PAGES = ["", "console/operations", "console/state", "console/rules", "console/definition"];

Deno.test("every page has the policy of no inline script, no other host and no frame", async () => {
  const ask = await start();
  for (const path of PAGES) {
    const response = await ask(`GET /_gw/${path}`);
    const policy = response.headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'self'", "form-action 'self'"]) {
      assert.ok(policy.split("; ").includes(part), `${path} ${part}`);
    }
    assert.doesNotMatch(policy, /unsafe|http/);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    const text = await response.text();
    assert.doesNotMatch(text, /<script(?! type="module" src="\/_gw\/console\/assets\/)|\son\w+=|\sstyle=|<style/);
    for (const [, url = ""] of text.matchAll(/(?:src|href|action)="([^"]*)"/g)) assert.match(url, /^(?:\/(?!\/)|#)/);
  }
});

Deno.test("the assets are the same for everybody, and all that pages load weighs at most 60 KB gzipped", async () => {
  const ask = await start(PETS, { client: "192.168.1.7" });
  let size = 0;
  for (const name of ["console.css", "console.js", "icon.svg"]) {
    const response = await ask(`GET /_gw/console/assets/${name}`);
    assert.equal(response.status, 200);
    const zipped = response.body?.pipeThrough(new CompressionStream("gzip"));
    size += (await new Response(zipped ?? null).arrayBuffer()).byteLength;
  }
  assert.ok(size < 60_000, `${size}`);
  assert.equal((await ask("GET /_gw/console/assets/constructor")).status, 403);
});

Deno.test("texts of requests and of the definition are shown, and never markup", async () => {
  const definition = `
openapi: 3.1.0
info: {title: ${JSON.stringify(ATTACK)}, version: ${JSON.stringify(ATTACK)}}
paths:
  ${JSON.stringify(`/a${ATTACK}`)}:
    get:
      operationId: ${JSON.stringify(ATTACK)}
      summary: ${JSON.stringify(ATTACK)}
      description: ${JSON.stringify(ATTACK)}
      parameters: [{name: ${JSON.stringify(ATTACK)}, in: query, required: true, schema: {type: string, enum: [${
    JSON.stringify(ATTACK)
  }]}}]
      responses:
        "200":
          description: ${JSON.stringify(ATTACK)}
          content:
            application/json:
              schema: {type: object, required: [${JSON.stringify(ATTACK)}], properties: {${
    JSON.stringify(ATTACK)
  }: {type: string, description: ${JSON.stringify(ATTACK)}}}}
              examples: {${JSON.stringify(ATTACK)}: {value: {a: ${JSON.stringify(ATTACK)}}}}
  /things: {get: {responses: {"200": {description: "", content: {text/plain: {example: ${JSON.stringify(ATTACK)}}}}}}}
`;
  const ask = await start(definition);
  const headers = { "x-attack": ATTACK, "content-type": "application/json", "x-gw-session": "a" };
  await ask(`GET /things?q=${ATTACK}`, { headers });
  await ask(`POST /nothing${ATTACK}`, { headers, body: JSON.stringify({ [ATTACK]: ATTACK }) });
  await ask("POST /_gw/rules", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      operation: "GET /things",
      body: ATTACK,
      match: { "query.q": ATTACK },
    }),
  });
  const key = encodeURIComponent(`GET /a${ATTACK}`);
  const query = encodeURIComponent(ATTACK);
  const paths = [
    ...PAGES,
    "console/request?id=1",
    "console/request?id=2",
    `console/operation?of=${key}`,
    "console/operation?of=GET+/things",
    `console/rules?text=${query}&operation=${query}`,
    `?text=${query}&operation=x`,
    `console/operations?text=${query}`,
  ];
  for (const path of paths) {
    const text = await page(ask, `/_gw/${path}`);
    assert.doesNotMatch(text, /<script>|"><script/, path);
  }
  for (
    const path of [`console/source?file=${query}`, `console/state?resource=${query}`, `console/operation?of=${query}`]
  ) {
    const response = await ask(`GET /_gw/${path}`);
    assert.equal(response.status, 404);
    assert.doesNotMatch(await response.text(), /<script>/, path);
  }
});

Deno.test("the requests show what fits no operation with the nearest one, and the filter of the address", async () => {
  const ask = await start();
  for (const path of ["/pets", "/pet", "/pets/999"]) await ask(`GET ${path}`);
  const all = await page(ask, "/_gw/");
  assert.match(all, /3 requests, 2 errors/);
  assert.match(all, /Near it: \/pets/);
  for (
    const [query, count] of [["only=unmatched", 1], ["status=2XX", 1], ["text=999", 1], ["operation=readPet", 1], [
      "source=problem&only=unmatched",
      1,
    ]]
  ) {
    assert.match(await page(ask, `/_gw/?${query}`), new RegExp(`<span data-count>${count} request`), String(query));
  }
  assert.match(await page(ask, "/_gw/?text=nowhere"), /No request fits the filter/);
});

Deno.test("the script gets the log alone, and nothing while there is nothing new", async () => {
  const ask = await start();
  await ask("GET /pets");
  const part = await ask("GET /_gw/", { headers: { "x-gw-known": "" } });
  const text = await part.text();
  assert.match(text, /^<section id="log"/);
  const [, known = ""] = /data-known="([^"]*)"/.exec(text) ?? [];
  assert.equal((await ask("GET /_gw/", { headers: { "x-gw-known": known } })).status, 204);
  await ask("GET /pets");
  assert.equal((await ask("GET /_gw/", { headers: { "x-gw-known": known } })).status, 200);
});

Deno.test("a request's page names the step that decided, with the place in the definition", async () => {
  const ask = await start();
  await ask("GET /pet");
  const text = await page(ask, "/_gw/console/request?id=1");
  assert.match(text, /<li class="decides"><h3>Operation/);
  assert.match(text, /console\/operation\?of=GET\+%2Fpets/);
  assert.match(text, /console\/source\?file=/);
  assert.match(text, /curl -i &#39;http:\/\/localhost:8080\/pet&#39;/);
  assert.equal((await ask("GET /_gw/console/request?id=9")).status, 404);
});

Deno.test("the form to try an operation has the id of an item that there is, and a body that is valid", async () => {
  const ask = await start();
  const [first] = await (await ask("GET /pets")).json();
  const read = await page(ask, "/_gw/console/operation?of=GET+%2Fpets%2F%7BpetId%7D");
  assert.match(read, new RegExp(`name="target" value="/pets/${first.id}"`));
  assert.match(read, /<span class="status s2">200<\/span>/);
  const create = await page(ask, "/_gw/console/operation?of=POST+%2Fpets");
  const [, written = ""] = /name="body"[^>]*>\n([^<]*)</.exec(create) ?? [];
  const body = written.replaceAll("&quot;", '"');
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  assert.equal((await ask("POST /pets", { headers, body })).status, 201);
  assert.match(await page(ask, "/_gw/?only=violations"), /No request fits the filter/);
});

Deno.test("secrets are redacted; only without a login they can be shown", async () => {
  const asks = [await start(), await start(PETS, { controlToken: TOKEN, client: "192.168.1.7" })] as const;
  const bearer = { authorization: `Bearer ${TOKEN}` };
  for (const ask of asks) await ask("GET /pets", { headers: { authorization: "Bearer hushhush" } });
  const local = await page(asks[0], "/_gw/console/request?id=1");
  assert.doesNotMatch(local, /hushhush/);
  assert.match(local, /secrets=shown/);
  assert.match(await page(asks[0], "/_gw/console/request?id=1&secrets=shown"), /hushhush/);
  const remote = await asks[1]("GET /_gw/console/request?id=1&secrets=shown", { headers: bearer });
  assert.doesNotMatch(await remote.text(), /hushhush|secrets=shown/);
});

Deno.test("forms change state, rules, sessions, snapshots and clock by the control API, without scripts", async () => {
  const ask = await start();
  const act = async (fields: Record<string, string>): Promise<number> => {
    const body = new URLSearchParams({ _back: "/_gw/console/rules", ...fields }).toString();
    const response = await ask("POST /_gw/console/act", { headers: FORM, body });
    if (response.status === 303) assert.equal(response.headers.get("location"), "/_gw/console/rules");
    return response.status;
  };
  assert.equal(await act({ _call: "POST /rules", text: "GET /pets: 503 x1" }), 303);
  assert.equal((await ask("GET /pets")).status, 503);
  assert.equal(
    await act({ _call: "POST /rules", operation: "GET /pets", "status:number": "418", "body:json": "" }),
    303,
  );
  assert.equal((await ask("GET /pets")).status, 418);
  assert.equal(await act({ _call: "DELETE /rules" }), 303);
  assert.equal(await act({ _call: "POST /rules", text: "GET /pets" }), 422);
  assert.equal(await act({ _call: "POST /rules", operation: "GET /pets", "body:json": "{" }), 400);
  assert.equal(await act({ _call: "PATCH /state/pets", _key: "7", "value:json": '{"id":7,"name":"Tom"}' }), 303);
  assert.deepEqual(await (await ask("GET /pets/7")).json(), { id: 7, name: "Tom" });
  assert.equal(await act({ _call: "PUT /snapshots/{name}", _name: "before" }), 303);
  assert.equal(await act({ _call: "PATCH /state/pets", _key: "7", "value:json": "null" }), 303);
  assert.equal((await ask("GET /pets/7")).status, 404);
  assert.equal(await act({ _call: "POST /snapshots/before/restore" }), 303);
  assert.equal((await ask("GET /pets/7")).status, 200);
  assert.equal(await act({ _call: "POST /sessions", name: "copy" }), 303);
  assert.match(await page(ask, "/_gw/console/state?session=copy&resource=pets"), />Tom</);
  assert.equal(await act({ _call: "DELETE /state", _session: "copy" }), 303);
  assert.equal((await ask("GET /pets/7", { headers: { "x-gw-session": "copy" } })).status, 404);
  assert.equal(await act({ _call: "PUT /clock", time: "2020-01-01T00:00:00Z", "isStopped:json": "true" }), 303);
  assert.match(await page(ask, "/_gw/console/state"), /2020-01-01T00:00:00/);
  assert.equal(await act({ _call: "GET /../pets" }), 404);
  assert.equal(await act({ _call: "POST https://evil.example/" }), 404);
});

Deno.test("a form of another site changes nothing, and a link of another site opens a page", async () => {
  const ask = await start();
  const body = "_call=POST+%2Frules&text=GET+%2Fpets%3A+503";
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://localhost:9090" },
    {},
  ];
  for (const origin of foreign) {
    const { origin: _, ...form } = FORM;
    assert.equal((await ask("POST /_gw/console/act", { headers: { ...form, ...origin }, body })).status, 403);
  }
  assert.equal((await ask("GET /pets")).status, 200);
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await ask("GET /_gw/", { headers: link })).status, 200);
  const accept = "text/html,*/*;q=0.8";
  assert.equal((await ask("GET /_gw/requests", { headers: { ...link, accept } })).status, 200);
  for (const frame of ["iframe", "embed", "empty"]) {
    const headers = { ...link, "sec-fetch-dest": frame };
    assert.equal((await ask("GET /_gw/", { headers })).status, 403);
    assert.equal((await ask("GET /_gw/requests", { headers })).status, 403);
  }
  assert.equal((await ask("DELETE /_gw/requests", { headers: link })).status, 403);
});

Deno.test("without the token there is a login, whose cookie stands for it until the logout", async () => {
  const ask = await start(PETS, { controlToken: TOKEN, client: "192.168.1.7" });
  const asked = await ask("GET /_gw/console/rules?session=a");
  assert.equal(asked.status, 401);
  const login = await asked.text();
  assert.match(login, /name="back" value="\/_gw\/console\/rules\?session=a"/);
  assert.match(login, /type="password" name="token"/);
  const refused = await ask("POST /_gw/console/login", { headers: FORM, body: "token=wrong&back=/_gw/" });
  assert.equal(refused.status, 401);
  assert.equal(refused.headers.get("set-cookie"), null);
  const body = `token=${TOKEN}&back=%2F%2Fevil.example`;
  const opened = await ask("POST /_gw/console/login", { headers: FORM, body });
  assert.deepEqual([opened.status, opened.headers.get("location")], [303, "/_gw/"]);
  const [cookie = ""] = (opened.headers.get("set-cookie") ?? "").split(";");
  assert.equal((await ask("GET /_gw/console/rules", { headers: { cookie } })).status, 200);
  assert.equal((await ask("GET /_gw/rules", { headers: { cookie } })).status, 200);
  assert.equal((await ask("DELETE /_gw/rules", { headers: { cookie } })).status, 401);
  assert.equal((await ask("DELETE /_gw/rules", { headers: { cookie, origin: FORM.origin } })).status, 204);
  assert.equal((await ask("POST /_gw/console/logout", { headers: { ...FORM, cookie } })).status, 303);
  assert.equal((await ask("GET /_gw/console/rules", { headers: { cookie } })).status, 401);
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  assert.equal((await ask("GET /_gw/", { headers: link })).headers.get("refresh"), "0");
  assert.equal((await ask("GET /_gw/?a=1")).headers.get("refresh"), "0; url=/_gw/?a=1&login=");
  assert.equal((await ask("GET /_gw/?a=1&login=")).headers.get("refresh"), null);
  assert.equal((await ask("GET /_gw/", { headers: { "sec-fetch-site": "none" } })).headers.get("refresh"), null);
});

Deno.test("/ leads browsers to the console, and other clients get JSON there and at /_gw/", async () => {
  const ask = await start();
  const page = await ask("GET /");
  assert.deepEqual([page.status, page.headers.get("location")], [303, "/_gw/"]);
  assert.equal((await ask("GET /", { headers: { accept: "*/*" } })).headers.get("content-type"), "application/json");
  assert.equal((await ask("GET /_gw/", { headers: { accept: "*/*" } })).status, 404);
  assert.equal((await ask("HEAD /_gw/")).status, 200);
  assert.equal((await ask("GET /_gw/console/nothing")).status, 404);
  assert.equal((await ask("GET /_gw/console/constructor")).status, 404);
});

Deno.test("a link that a page of another site opens begins no session that displaces others", async () => {
  const ask = await start(PETS, { sessions: 1 });
  await ask("GET /pets", { headers: { "x-gw-session": "mine" } });
  const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  await ask("GET /_gw/rules?session=theirs", { headers: link });
  const { sessions } = await (await ask("GET /_gw/sessions", { headers: { accept: "*/*" } })).json();
  assert.ok(sessions.some(({ name }: { name: string }) => name === "mine"));
});
