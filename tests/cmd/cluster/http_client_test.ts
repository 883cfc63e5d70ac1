import assert from "node:assert/strict";
import type { KubeClient, KubeError, WatchEvent } from "../../../cmd/cluster/client.ts";
import { clientOver } from "../../../cmd/cluster/http_client.ts";
import type { Identity } from "../../../cmd/cluster/kube_config.ts";
import { createTransport } from "../../../cmd/cluster/transport.ts";

const TYPE = { apiVersion: "example.com/v1", kind: "Thing", plural: "things" };
const CORE = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", isClusterWide: true };
const THING = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a", namespace: "shop" } };

Deno.test("a client sends the requests of the Kubernetes API", async () => {
  await using server = startServer(() => Response.json({ ...THING, items: [], metadata: { name: "a" } }));
  const { client } = server;
  await client.get(TYPE, "shop", "a");
  await client.get(CORE, "", "shop");
  await client.list(TYPE, "", { limit: "5" });
  await client.create(TYPE, THING, { dryRun: true });
  await client.replace(TYPE, THING);
  await client.apply(TYPE, THING);
  await client.applyStatus(TYPE, THING, { fieldManager: "other" });
  await client.patch(TYPE, "shop", "a", { spec: null });
  await client.delete(TYPE, "shop", "a", { preconditions: { uid: "1" }, dryRun: true });
  await client.request("POST", "/apis/a/b", { c: 1 });
  const things = "/apis/example.com/v1/namespaces/shop/things";
  assert.deepEqual(
    server.requests.map(({ method, target, type }) => [method, target, type].filter(Boolean).join(" ")),
    [
      `GET ${things}/a`,
      "GET /api/v1/namespaces/shop",
      "GET /apis/example.com/v1/things?limit=5",
      `POST ${things}?fieldManager=gw&dryRun=All application/json`,
      `PUT ${things}/a?fieldManager=gw application/json`,
      `PATCH ${things}/a?fieldManager=gw&force=true application/apply-patch+yaml`,
      `PATCH ${things}/a/status?fieldManager=other&force=true application/apply-patch+yaml`,
      `PATCH ${things}/a?fieldManager=gw application/merge-patch+json`,
      `DELETE ${things}/a application/json`,
      "POST /apis/a/b application/json",
    ],
  );
  const deletion = JSON.parse(server.requests[8]?.body ?? "");
  assert.deepEqual([deletion.preconditions, deletion.dryRun], [{ uid: "1" }, ["All"]]);
});

Deno.test("a client adds the kind to the items of a list, and gives the token of the next page", async () => {
  const items = [{ metadata: { name: "a" } }];
  await using server = startServer(() => Response.json({ metadata: { resourceVersion: "7", continue: "x" }, items }));
  const list = await server.client.list(TYPE, "shop");
  assert.deepEqual(list, {
    items: [{ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } }],
    resourceVersion: "7",
    continue: "x",
  });
});

Deno.test("a client answers undefined for a missing object", async () => {
  await using server = startServer(() => refusal(404, "NotFound"));
  assert.equal(await server.client.get(TYPE, "shop", "a"), undefined);
  assert.equal(await server.client.delete(TYPE, "shop", "a"), false);
  await assert.rejects(server.client.patch(TYPE, "shop", "a", {}), (error: KubeError) => error.status === 404);
});

Deno.test("an error keeps status and reason, and cuts the middle out of a long message", async (t) => {
  const table: [what: string, answer: () => Response, want: [number, string, RegExp]][] = [
    ["a Status", () => refusal(409, "AlreadyExists"), [409, "AlreadyExists", /^no$/]],
    ["a text of a proxy", () => new Response("bad gateway", { status: 502 }), [502, "", /502: bad gateway/]],
    ["a message that quotes all", () => refusal(422, "Invalid", "x".repeat(1e6) + "end"), [
      422,
      "Invalid",
      /^.{900,1100}end$/,
    ]],
  ];
  for (const [what, answer, [status, reason, message]] of table) {
    await t.step(what, async () => {
      await using server = startServer(answer);
      await assert.rejects(server.client.get(TYPE, "shop", "a"), (error: KubeError) => {
        assert.deepEqual([error.status, error.reason], [status, reason]);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

Deno.test("a client retries when the server is busy and says when to come again", async () => {
  let tries = 0;
  await using server = startServer(() => ++tries < 3 ? busy("0") : Response.json(THING));
  assert.equal((await server.client.get(TYPE, "shop", "a"))?.kind, "Thing");
  assert.equal(tries, 3);
});

Deno.test("a client gives up after some retries", async () => {
  await using server = startServer(() => busy("0"));
  await assert.rejects(server.client.get(TYPE, "shop", "a"), (error: KubeError) => error.status === 429);
  assert.equal(server.requests.length, 4);
});

Deno.test("a client says which server can't be reached", async () => {
  const server = startServer(() => new Response());
  await server[Symbol.asyncDispose]();
  const client = clientOver(createTransport(configOf(server.url, {})), server.url);
  await assert.rejects(client.get(TYPE, "shop", "a"), (error: KubeError) => {
    assert.equal(error.status, 0);
    assert.match(error.message, new RegExp(`The API server at ${server.url} can't be reached: `));
    return true;
  });
  client.close();
});

Deno.test("a watch gives events, in whatever pieces they arrive, and ends with its response", async () => {
  const lines = [
    { type: "ADDED", object: { ...THING, spec: { text: "ä".repeat(10_000) } } },
    { type: "BOOKMARK", object: { kind: "Thing", metadata: { resourceVersion: "9" } } },
    { type: "DELETED", object: THING },
  ].map((event) => JSON.stringify(event));
  const bytes = new TextEncoder().encode(`${lines.join("\n\n")}\n`);
  await using server = startServer(() => new Response(ReadableStream.from(pieces(bytes, 777))));
  const events = await watch(server.client);
  assert.deepEqual(events.map(({ type }) => type), ["ADDED", "BOOKMARK", "DELETED"]);
  assert.equal(JSON.stringify(events[0]), lines[0]);
  const query = new URL(`http://x${server.requests[0]?.target}`).searchParams;
  assert.deepEqual(["watch", "allowWatchBookmarks", "resourceVersion"].map((name) => query.get(name)), [
    "true",
    "true",
    "5",
  ]);
});

Deno.test("a watch rejects with the error that the server sends in it", async () => {
  const status = { kind: "Status", code: 410, reason: "Expired", message: "too old resource version: 5 (9)" };
  await using server = startServer(() => new Response(`${JSON.stringify({ type: "ERROR", object: status })}\n`));
  await assert.rejects(watch(server.client), (error: KubeError) => error.status === 410 && error.reason === "Expired");
});

Deno.test("a watch ends when its signal aborts", async () => {
  await using server = startServer(() => new Response(new ReadableStream({ pull: () => new Promise(() => {}) })));
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  assert.deepEqual(await watch(server.client, stop.signal), []);
});

Deno.test("a client sends its token, its password, or no credentials", async (t) => {
  const table: [Identity, string | null][] = [
    [{ token: "abc\n" }, "Bearer abc"],
    [{ basic: { username: "jane", password: "ä" } }, "Basic amFuZTrDpA=="],
    [{}, null],
  ];
  for (const [identity, want] of table) {
    await t.step(String(want), async () => {
      await using server = startServer(() => Response.json(THING), identity);
      await server.client.get(TYPE, "shop", "a");
      assert.equal(server.requests[0]?.authorization, want);
    });
  }
});

Deno.test("a token file is read again when its token is refused", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, "old\n");
    await using server = startServer(
      ({ headers }) =>
        headers.get("authorization") === "Bearer new" ? Response.json(THING) : refusal(401, "Unauthorized"),
      { tokenFile: file },
    );
    await assert.rejects(server.client.get(TYPE, "shop", "a"), (error: KubeError) => error.status === 401);
    assert.equal(server.requests.length, 1);
    await Deno.writeTextFile(file, "new\n");
    assert.equal((await server.client.get(TYPE, "shop", "a"))?.kind, "Thing");
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("an exec plugin runs once until its credentials expire, and again then", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const count = `${folder}/count`;
    const script = `import { env, stdout } from "node:process";
      Deno.writeTextFileSync(${JSON.stringify(count)}, "x", { append: true });
      const number = Deno.readTextFileSync(${JSON.stringify(count)}).length;
      const { kind, apiVersion } = JSON.parse(env.KUBERNETES_EXEC_INFO);
      const expirationTimestamp = new Date(Date.now() + (number === 1 ? 0 : 3_600_000)).toISOString();
      stdout.write(JSON.stringify({ kind, apiVersion, status: { token: env.PREFIX + number, expirationTimestamp } }));`;
    await Deno.writeTextFile(`${folder}/plugin.ts`, script);
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: Deno.execPath(),
      args: ["run", "-A", "--no-config", "--no-lock", `${folder}/plugin.ts`],
      env: { PREFIX: "t" },
      installHint: "",
    };
    await using server = startServer(() => Response.json(THING), { exec });
    for (let time = 0; time < 3; time++) await server.client.get(TYPE, "shop", "a");
    assert.deepEqual(server.requests.map(({ authorization }) => authorization), [
      "Bearer t1",
      "Bearer t2",
      "Bearer t2",
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("an exec plugin that gives no credentials is named, and its output isn't quoted", async (t) => {
  const table: [what: string, code: string, message: RegExp][] = [
    ["nonsense", 'console.log("s3cret")', /gave no ExecCredential/],
    ["a failure", 'console.error("log in first"); Deno.exit(3)', /ended with 3: log in first/],
  ];
  for (const [what, code, message] of table) {
    await t.step(what, async () => {
      const exec = { apiVersion: "v1", command: Deno.execPath(), args: ["eval", code], env: {}, installHint: "" };
      await using server = startServer(() => Response.json(THING), { exec });
      await assert.rejects(server.client.get(TYPE, "shop", "a"), (error: KubeError) => {
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /s3cret/);
        return true;
      });
    });
  }
  const exec = {
    apiVersion: "v1",
    command: "no-such-program",
    args: [],
    env: {},
    installHint: "Install it from there.",
  };
  await using server = startServer(() => Response.json(THING), { exec });
  await assert.rejects(server.client.get(TYPE, "shop", "a"), /Cannot run no-such-program.*Install it from there\./);
});

Deno.test("a client goes through the proxy that the kubeconfig names", async () => {
  await using proxy = startServer(() => Response.json(THING));
  const config = { ...configOf("http://api.example:6443", {}), proxyUrl: proxy.url };
  const client = clientOver(createTransport(config), config.server);
  assert.equal((await client.get(TYPE, "shop", "a"))?.kind, "Thing");
  assert.equal(proxy.requests.length, 1);
  client.close();
});

Deno.test("a kubeconfig with settings that gw doesn't support is refused at once", () => {
  const config = { ...configOf("https://10.0.0.1:6443", {}), proxyUrl: "http://b" };
  assert.throws(() => createTransport({ ...config, tlsServerName: "a" }), /both tls-server-name and proxy-url/);
  assert.throws(() => createTransport({ ...config, skipsTlsVerify: true }), /insecure-skip-tls-verify and proxy-url/);
});

interface Got {
  method: string;
  /** Path and query of the URL. */
  target: string;
  type: string | null;
  authorization: string | null;
  body: string;
}

function startServer(answer: (request: Request) => Response, identity: Identity = {}): AsyncDisposable & {
  readonly url: string;
  readonly client: KubeClient;
  readonly requests: Got[];
} {
  const requests: Got[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { method, headers, url } = request;
    const body = await request.text();
    const target = url.slice(url.indexOf("/", 8));
    requests.push({
      method,
      target,
      type: headers.get("content-type"),
      authorization: headers.get("authorization"),
      body,
    });
    return answer(request);
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const client = clientOver(createTransport(configOf(url, identity)), url);
  return {
    url,
    client,
    requests,
    async [Symbol.asyncDispose]() {
      client.close();
      await server.shutdown();
    },
  };
}

function configOf(server: string, identity: Identity) {
  return { server, skipsTlsVerify: false, namespace: "default", identity };
}

async function watch(client: KubeClient, signal = new AbortController().signal): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  await client.watch(TYPE, "", { resourceVersion: "5", signal }, (event) => events.push(event));
  return events;
}

function* pieces(bytes: Uint8Array<ArrayBuffer>, size: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

function refusal(code: number, reason: string, message = "no"): Response {
  return Response.json({ kind: "Status", status: "Failure", code, reason, message }, { status: code });
}

function busy(retryAfter: string): Response {
  return new Response("busy", { status: 429, headers: { "retry-after": retryAfter } });
}
