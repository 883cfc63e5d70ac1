import assert from "node:assert/strict";
import { loadDocument } from "../../adapters/shared/load_document.ts";

/** A definition with a path that refers to another text. */
function referring(to: string): string {
  return JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths: { "/a": { $ref: to } } });
}

/** Serves texts and redirects by path. */
function serve(answers: Record<string, string | { location: string }>): { url: string } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const answer = answers[new URL(request.url).pathname];
    if (answer === undefined) return new Response(null, { status: 404 });
    return typeof answer === "string" ? new Response(answer) : new Response(null, { status: 302, headers: answer });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("loadDocument() follows redirects of a definition, and resolves its references there", async () => {
  await using server = serve({
    "/a.json": { location: "/new/b.json" },
    "/new/b.json": referring("item.json"),
    "/new/item.json": '{"get": {"responses": {"204": {"description": "Found."}}}}',
  });
  const document = await loadDocument(`${server.url}/a.json`);
  assert.equal(document.uri, `${server.url}/new/b.json`);
});

Deno.test("loadDocument() follows no redirect to a file, and no circle of redirects", async (t) => {
  const cases = {
    "a file": {
      location: import.meta.resolve("../data/todo.yaml"),
      message: /redirects to file:.*, which is not read/,
    },
    "a circle": { location: "/a.json", message: /redirects more than 5 times/ },
  };
  for (const [name, { location, message }] of Object.entries(cases)) {
    await t.step(name, async () => {
      await using server = serve({ "/a.json": { location } });
      await assert.rejects(loadDocument(`${server.url}/a.json`), message);
    });
  }
});

Deno.test("loadDocument() follows no redirect of a reference to a file or to another origin", async (t) => {
  await using other = serve({ "/item.json": "{}" });
  for (const location of [import.meta.resolve("../data/todo.yaml"), `${other.url}/item.json`]) {
    await t.step(new URL(location).protocol, async () => {
      await using server = serve({ "/a.json": referring("item.json"), "/item.json": { location } });
      const { diagnostics } = await loadDocument(`${server.url}/a.json`);
      const messages = diagnostics.map(({ message }) => message).join("\n");
      assert.ok(messages.includes(`redirects to ${location}, which is not read`), messages);
    });
  }
});

Deno.test("loadDocument() reads no file outside the project, unless `allowRemoteRefs`", async (t) => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${folder}/api`);
    await Deno.writeTextFile(`${folder}/key.txt`, "secret");
    const media = { "text/plain": { examples: { one: { externalValue: "../key.txt" } } } };
    const paths = { "/a": { get: { responses: { 200: { description: "A", content: media } } } } };
    const text = JSON.stringify({ openapi: "3.1.0", info: { title: "T", version: "1" }, paths });
    await Deno.writeTextFile(`${folder}/api/a.json`, text);
    for (const allowRemoteRefs of [false, true]) {
      await t.step(String(allowRemoteRefs), async () => {
        const { externalValues, diagnostics } = await loadDocument(`${folder}/api/a.json`, { allowRemoteRefs });
        assert.equal(externalValues.size, allowRemoteRefs ? 1 : 0);
        const messages = diagnostics.map(({ message }) => message).join("\n");
        assert.equal(/outside .*api; allowRemoteRefs permits it/.test(messages), !allowRemoteRefs, messages);
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test({
  name: "loadDocument() needs permission for files only",
  permissions: { read: true, env: false, sys: false, net: false },
  fn: async () => {
    const document = await loadDocument(new URL("../data/todo.yaml", import.meta.url));
    assert.equal(document.version, "3.1");
  },
});
