import assert from "node:assert/strict";
import { join } from "node:path";
import { runGw, startGw } from "./process.ts";
import { createMock } from "../../lib/mock/mock.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { parseOverlay } from "../../lib/openapi/overlay/parse_overlay.ts";
import { planSecrets, SHOP, shopRequests, startShop } from "./shop.ts";

Deno.test("gw proxy --record: 1,000 requests with 20 secrets are recorded without them, and answered again", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "recorded.yaml");
    const secrets = planSecrets();
    await using shop = startShop(secrets);
    const requests = shopRequests(secrets);
    const answers: Answer[] = [];
    {
      await using gw = await startGw({ args: ["proxy", "-", shop.url, "--record", path, "--quiet"], stdin: SHOP });
      for (const request of requests) answers.push(await ask((asked) => fetch(asked), gw.url, request));
      gw.signal("SIGTERM");
      assert.equal((await gw.ended).code, 0);
    }
    const text = await Deno.readTextFile(path);
    for (const [name, secret] of Object.entries(secrets)) {
      for (const form of [secret, encodeURIComponent(secret), btoa(secret).replace(/=+$/, "").slice(0, -2)]) {
        assert.ok(!text.includes(form), `${name} is in the recording: ${form}`);
      }
    }

    const mock = createMock(await parseDocument(SHOP, { overlays: [await parseOverlay(text)] }));
    let equal = 0;
    for (const [index, request] of requests.entries()) {
      const again = await ask(async (asked) => await mock(asked), "http://localhost", request);
      if (JSON.stringify(again) === JSON.stringify(answers[index])) equal++;
    }
    assert.ok(equal >= 950, `${equal} of ${requests.length} answers are equal`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the recording of a killed gw is complete, and the next gw continues it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "recorded.yaml");
    await using shop = startShop(planSecrets());
    const args = ["proxy", "-", shop.url, "--record", path, "--quiet"];
    const watcher = Deno.watchFs(folder);
    {
      await using gw = await startGw({ args, stdin: SHOP });
      await (await fetch(`${gw.url}/items/1`)).body?.cancel();
      for await (const { paths } of watcher) if (paths.includes(path)) break;
      const asking = Array.from(
        { length: 50 },
        (_, id) => fetch(`${gw.url}/items/${id}`).then((answer) => answer.text()),
      );
      await Promise.race(asking);
      gw.signal("SIGKILL");
      await Promise.allSettled([...asking, gw.ended]);
    }
    const before = await Deno.readTextFile(path);
    assert.deepEqual((await parseOverlay(before)).diagnostics, []);
    {
      await using gw = await startGw({ args, stdin: SHOP });
      await (await fetch(`${gw.url}/items/77`)).body?.cancel();
      gw.signal("SIGTERM");
      await gw.ended;
    }
    const after = await Deno.readTextFile(path);
    assert.ok(after.includes("id-77:") && /^ {8}id-1:$/m.test(after));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

const PICTURES = `
openapi: 3.1.0
info: {title: Pictures, version: "1"}
paths:
  /{name}:
    get:
      parameters: [{name: name, in: path, required: true, schema: {type: string}}]
      responses: {"200": {description: One, content: {image/png: {}}}}
`;

Deno.test("what gw proxy --record finds out looks like the lines of the log, once", async () => {
  const folder = await Deno.makeTempDir();
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    const headers = { "content-type": "image/png" };
    return new Response(new Uint8Array(1 << 21), { status: url.endsWith("/new") ? 201 : 200, headers });
  });
  try {
    const target = `http://127.0.0.1:${upstream.addr.port}`;
    const args = ["proxy", "-", target, "--record", `${folder}/recorded.yaml`];
    await using gw = await startGw({ args, stdin: PICTURES });
    for (const name of ["cat", "dog", "new"]) await (await fetch(`${gw.url}/${name}`)).bytes();
    gw.signal("SIGTERM");
    const { stdout } = await gw.ended;
    assert.match(
      stdout,
      /\n\d\d:\d\d:[\d.]+ GET \/cat 200 recording\n {2}! Answers of GET \/\{name\} are not recorded: their body has more than/,
    );
    assert.equal(stdout.split("are not recorded").length, 2);
    // The status is known with the head, and so is in the line of the request.
    assert.match(stdout, /GET \/new 201 image\/png upstream \S+ ms\n {2}! Response status 201 is not declared/);
    assert.doesNotMatch(stdout, /GET \/new 201 body/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

interface Answer {
  status: number;
  type: string | null;
  body: unknown;
}

async function ask(
  send: (request: Request) => Promise<Response>,
  url: string,
  { target, ...init }: { target: string } & RequestInit,
): Promise<Answer> {
  const response = await send(new Request(`${url}${target}`, init));
  const text = await response.text();
  const type = response.headers.get("content-type");
  return { status: response.status, type, body: type?.includes("json") ? JSON.parse(text) : text };
}

const MISTAKES: readonly { args: string[]; want: RegExp }[] = [
  {
    args: ["mock", "x.yaml", "--record", "r.yaml"],
    want: /--record writes what an upstream answers: add --proxy URL\./,
  },
  { args: ["mock", "x.yaml", "--proxy", "http://x", "--redact", "/a"], want: /--redact says what --record leaves out/ },
  { args: ["proxy", "x.yaml", "http://x", "--record", "r", "--overlay", "r"], want: /--record can't add to r while/ },
  { args: ["proxy", "x.yaml", "http://x", "--record", "r", "--redact", "a"], want: /a JSON Pointer is meant here/ },
  { args: ["proxy", "x.yaml", "http://x", "--record", "r", "--record-examples", "0"], want: /record-examples/ },
];

for (const { args, want } of MISTAKES) {
  Deno.test(`gw ${args.join(" ")} is refused`, async () => {
    const { code, stderr } = await runGw({ args });
    assert.equal(code, 2);
    assert.match(stderr, want);
  });
}

Deno.test("gw proxy --record FILE is refused where the file is something else", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "openapi.yaml");
    await Deno.writeTextFile(path, SHOP);
    const { code, stderr } = await runGw({ args: ["proxy", path, "http://localhost:1", "--record", path] });
    assert.equal(code, 3);
    assert.match(stderr, /Cannot add to .*openapi\.yaml: It is no overlay/);
    assert.equal(await Deno.readTextFile(path), SHOP);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
