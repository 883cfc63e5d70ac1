/**
 * The dashboard of `gw proxy` on a pseudo-terminal, which the program `script` of util-linux makes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { GW, type Running, spawn } from "../cmd/process.ts";
import { startShell } from "./shell.ts";

const DEFINITION = `openapi: 3.1.0
info: { title: Todo, version: 1.0.0 }
paths:
  /todos:
    get:
      responses:
        "200":
          description: All.
          content: { application/json: { schema: { type: array, items: { properties: { id: { type: integer } } } } } }
`;

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";

/** gw on a terminal of 20 rows and 80 columns. */
interface OnTerminal extends AsyncDisposable {
  readonly url: string;
  readonly upstream: string;
  readonly program: Running;
  /** The page as it was last drawn, without colours. */
  page(): string;
  resize(rows: number, columns: number): Promise<void>;
  interrupt(): void;
}

async function onTerminal(flags: readonly string[], env: Record<string, string> = {}): Promise<OnTerminal> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "todo.yaml"), DEFINITION);
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => Response.json([{ id: "x" }]));
  const upstream = `http://127.0.0.1:${server.addr.port}`;
  const line = [...GW, "proxy", "todo.yaml", upstream, "--port", "0", ...flags].join(" ");
  const program = spawn({
    program: ["script"],
    args: ["-qfec", `stty rows 20 cols 80; tty; echo pid $$; exec ${line}`, "/dev/null"],
    cwd: folder,
    env: { TERM: "xterm", NO_COLOR: "", ...env },
  });
  const [, terminal = ""] = await program.until(/(\/dev\/\S+)/);
  const [, pid] = await program.until(/pid (\d+)/);
  const [, url = ""] = await program.until(/Listening on (https?:[^\s,"]+)/);
  return {
    url,
    upstream,
    program,
    page: () => {
      const drawing = program.text().split("\u001b[H").at(-1) ?? "";
      return drawing.replaceAll(/\p{Cc}\[[\d;?]*[A-Za-z]/gu, "").replaceAll(/\r+\n/g, "\n");
    },
    async resize(rows, columns) {
      const args = ["-F", terminal, "rows", String(rows), "cols", String(columns)];
      assert.ok((await new Deno.Command("stty", { args }).output()).success);
    },
    interrupt: () => Deno.kill(Number(pid), "SIGINT"),
    async [Symbol.asyncDispose]() {
      // `script` ends together with the program on its terminal.
      try {
        Deno.kill(Number(pid), "SIGKILL");
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
      await program.ended;
      await server.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

Deno.test("gw proxy shows a dashboard on a terminal, follows its size, and restores it", async () => {
  await using terminal = await onTerminal([]);
  const { program, url, upstream } = terminal;
  await program.until(/0 requests, to 0 of 1 operation\./);
  await (await fetch(`${url}/todos`)).body?.cancel();
  await program.until(/\[33m!.*once: Response body property \*\.id must be integer\./);
  const page = terminal.page();
  assert.ok(
    page.startsWith(`gw proxy: ${url} to ${upstream}/\n1 request, to 1 of 1 operation. 1 response violates`),
    page,
  );
  assert.match(page, /\n {7}1 {7}1 {2}GET \/todos {2}200 application\/json \(1\)\n/);
  assert.match(page, /first: GET \/todos 200: "x"/);

  const from = program.text().length;
  await terminal.resize(8, 30);
  await program.until(/operation\.[^]*\p{Cc}\[J/u, from);
  const lines = terminal.page().split("\n");
  assert.ok(lines.length <= 8 && lines.every((line) => line.length <= 30), lines.join("\n"));

  terminal.interrupt();
  await program.until(/first: GET \/todos 200: "x"\r*\n$/);
  const text = program.text();
  assert.equal(text.split(ENTER).length, 2);
  const [page1, after = "", ...more] = text.split(LEAVE);
  assert.ok(page1?.includes("Listening on"));
  assert.deepEqual(more, []);
  assert.match(after, /^1 request, to 1 of 1 operation\. 1 response violates the definition\.\r*\nGET \/todos\r*\n/);
});

Deno.test("keys aren't shown on the dashboard, and q ends gw proxy", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "todo.yaml"), DEFINITION);
  try {
    const line = [...GW, "proxy", "todo.yaml", "http://127.0.0.1:9", "--port", "0"].join(" ");
    await using shell = startShell(`sh -c "${line}; echo ended with $?; stty -a"`, { cwd: folder });
    await shell.until(/q or Ctrl\+C ends\./);
    await shell.type("xyzq");
    // What the terminal shows of the keys would stand before the dashboard ends.
    const [shown] = await shell.until(/^[^]*?\p{Cc}\[\?1049l/u);
    assert.doesNotMatch(shown, /xyz/);
    await shell.until(/0 requests, to 0 of 1 operation\.[^]*ended with 0/);
    await shell.until(/[^-]icanon[^]* echo /);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("gw proxy in the background leaves the keys to the shell", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(join(folder, "todo.yaml"), DEFINITION);
  try {
    const line = [...GW, "proxy", "todo.yaml", "http://127.0.0.1:9", "--port", "0"].join(" ");
    await using shell = startShell("sh -i", { cwd: folder });
    await shell.type(`${line} &\n`);
    await shell.until(/Ctrl\+C ends\./);
    await shell.type("echo $((6*7)); kill -INT $!; wait $!\n");
    await shell.until(/42[^]*0 requests, to 0 of 1 operation\./);
    await shell.type("exit\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("gw proxy shows no dashboard with --no-dashboard, --quiet and TERM=dumb, and has no colours with NO_COLOR", async (t) => {
  const cases: { flags?: string[]; env?: Record<string, string>; until: RegExp; isPage: boolean }[] = [
    { flags: ["--no-dashboard"], until: /upstream \d/, isPage: false },
    { flags: ["--log-format", "json"], until: /"source":"upstream"/, isPage: false },
    { flags: ["--quiet"], until: /Listening on/, isPage: false },
    { env: { TERM: "dumb" }, until: /upstream \d/, isPage: false },
    { env: { NO_COLOR: "1" }, until: /! once: Response body/, isPage: true },
  ];
  for (const { flags = [], env = {}, until, isPage } of cases) {
    await t.step([...flags, ...Object.entries(env).map((entry) => entry.join("="))].join(" "), async () => {
      await using terminal = await onTerminal(flags, env);
      await (await fetch(`${terminal.url}/todos`)).body?.cancel();
      await terminal.program.until(until);
      assert.equal(terminal.program.text().includes(ENTER), isPage);
      if (isPage) assert.doesNotMatch(terminal.program.text(), /\p{Cc}\[\d+m/u);
    });
  }
});
