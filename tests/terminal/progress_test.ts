/**
 * The progress line on a pseudo-terminal, which the program `script` of util-linux makes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createFolder } from "../cmd/definitions.ts";
import { GW, type Running, spawn } from "../cmd/process.ts";
import { needs } from "./shell.ts";

const DEFINITION = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths: {}
`;

/** Erases a line of the terminal. */
const CLEAR = "\r\u001b[K";

/** A server that sends a definition only when the test calls `answer`. `asked` resolves at the first request. */
function createSlowServer(): { url: string; asked: Promise<void>; answer: () => void } & AsyncDisposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    asked.resolve();
    await promise;
    return new Response(DEFINITION);
  });
  return {
    url: `http://ada:secret@127.0.0.1:${server.addr.port}/pets.yaml`,
    asked: asked.promise,
    answer: () => resolve(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Runs a shell command on a terminal of 40 columns. `{gw}` in it stands for the command that runs gw. */
function onTerminal(line: string, cwd: string, env: Record<string, string> = {}): Running {
  return spawn({
    program: ["script"],
    args: ["-qfec", `stty rows 20 cols 40; ${line.replaceAll("{gw}", GW.join(" "))}`, "/dev/null"],
    cwd,
    env: { TERM: "xterm", NO_COLOR: "1", ...env },
  });
}

const OPTIONS = needs("script", "stty");

Deno.test({
  name: "gw validate shows on a terminal what it reads, and erases it before the report",
  ...OPTIONS,
  async fn() {
    await using server = createSlowServer();
    await using folder = await createFolder();
    await using gw = onTerminal(`{gw} validate ${server.url}`, folder.path);
    await gw.until(/Checking http:\/\/ada:REDACTED@127/);
    await gw.until(/Checking [^\r]*…\r/);
    server.answer();
    const { code, stdout } = await gw.ended;
    assert.equal(code, 0);
    const shown = stdout.slice(0, stdout.lastIndexOf(CLEAR)).split(CLEAR).slice(1);
    assert.ok(shown.every((text) => text.length < 40), JSON.stringify(shown));
    const after = stdout.slice(stdout.lastIndexOf(CLEAR) + CLEAR.length);
    assert.match(after, /pets\.yaml/);
    assert.doesNotMatch(after, /Checking/);
  },
});

Deno.test({
  name: "gw convert shows on a terminal what it reads",
  ...OPTIONS,
  async fn() {
    await using server = createSlowServer();
    await using folder = await createFolder();
    await using gw = onTerminal(`{gw} convert ${server.url}`, folder.path);
    await gw.until(/Reading http:\/\/ada:REDACTED@127/);
    server.answer();
    const { code, stdout } = await gw.ended;
    assert.equal(code, 1);
    assert.match(stdout.slice(stdout.lastIndexOf(CLEAR) + CLEAR.length), /^http.* is not a file that gw can convert: /);
  },
});

Deno.test({
  name: "gw validate shows its place among several definitions, and keeps the lines of reports whole",
  ...OPTIONS,
  async fn() {
    await using server = createSlowServer();
    await using folder = await createFolder();
    await Deno.writeTextFile(join(folder.path, "a.yaml"), DEFINITION.replace("paths", "path"));
    await using gw = onTerminal(`{gw} validate a.yaml ${server.url} nowhere.yaml`, folder.path);
    await gw.until(/a\.yaml:\d+:\d+ error [^]*Checking http/);
    server.answer();
    const { stdout } = await gw.ended;
    // Each line of the report must begin at the left margin: after a line feed, or after gw or Deno has erased a line.
    for (const [index] of stdout.matchAll(/a\.yaml:\d+:\d+ error|Cannot read/g).map((match) => [match.index])) {
      assert.match(stdout.slice(0, index), /(?:\n|\p{Cc}\[[JK])$/u);
    }
  },
});

Deno.test({
  name: "gw mock shows on a terminal which URL it waits for",
  ...OPTIONS,
  async fn() {
    await using server = createSlowServer();
    await using folder = await createFolder();
    await using gw = onTerminal(`{gw} mock ${server.url} --port 0`, folder.path);
    await gw.until(/Reading http:\/\/ada:REDACTED@/);
    server.answer();
    await gw.until(/\p{Cc}\[KParsed /u);
    await gw.until(/Listening on/);
  },
});

Deno.test({
  name: "gw shows no progress in pipes, and none with TERM=dumb",
  ...OPTIONS,
  async fn(t) {
    const cases: { line: string; env?: Record<string, string> }[] = [
      { line: "{gw} validate URL 2>err; cat err" },
      { line: "{gw} validate URL", env: { TERM: "dumb" } },
    ];
    for (const { line, env } of cases) {
      await t.step(line, async () => {
        await using server = createSlowServer();
        await using folder = await createFolder();
        await using gw = onTerminal(line.replace("URL", server.url), folder.path, env);
        await server.asked;
        // A later gw shows its progress: by then, this one would have shown its own.
        await using later = onTerminal(`{gw} validate ${server.url}`, folder.path);
        await later.until(/Checking/);
        server.answer();
        const { stdout } = await gw.ended;
        assert.doesNotMatch(stdout, /Checking|\p{Cc}\[K/u);
        assert.match(stdout, /pets\.yaml/);
      });
    }
  },
});
