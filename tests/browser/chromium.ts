/**
 * Runs Chromium without a window: opens a page, runs a script in it, and returns the script's result.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { hasProgram } from "../../scripts/program.ts";
import { createFolder } from "../cmd/definitions.ts";

/** A host name of another site for Chromium, which resolves it to this machine. */
export const ELSEWHERE = "page.example.com";

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];
/** Milliseconds that a page may take. Only a failing page takes that long. */
const TIMEOUT = 60_000;

/** The path of the installed Chromium; `undefined` without one. */
export const CHROMIUM: string | undefined = PROGRAMS.find(hasProgram);

/** The absolute path of Chromium, as Playwright needs it. */
export function pathOfChromium(): string {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  const path = folders.map((folder) => `${folder}/${CHROMIUM}`).find((path) => existsSync(path));
  if (path === undefined) throw new Error("Chromium is not installed: apt-get install chromium");
  return path;
}

export interface Site extends AsyncDisposable {
  readonly origin: string;
  /**
   * Opens a page and runs a script in it.
   *
   * @param script The body of an asynchronous function, which returns a JSON value.
   * @returns The value.
   */
  run(script: string): Promise<unknown>;
}

/**
 * Serves a site.
 *
 * @param host The host name of the site: one of this machine, or {@linkcode ELSEWHERE}.
 * @param fileOf Returns the other files of the site, by path. Default: none.
 */
export function serveSite(host: string, fileOf?: (path: string) => Promise<Response>): Site {
  const found = Promise.withResolvers<unknown>();
  let page = "";
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    if (request.method === "POST") {
      found.resolve(await request.json());
      return new Response();
    }
    const { pathname } = new URL(request.url);
    if (pathname !== "/" && fileOf !== undefined) return await fileOf(pathname);
    const html = pathname === "/" ? page : "";
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  const origin = `http://${host}:${server.addr.port}`;
  return {
    origin,
    async run(script) {
      page = pageOf(script);
      await using browser = await startChromium(`${origin}/`);
      const ended = browser.ended.then((stderr) => {
        throw new Error(`Chromium ended before its page was done:\n${stderr}`);
      });
      return await Promise.race([found.promise, ended]);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Starts Chromium, which opens one page. */
async function startChromium(url: string): Promise<{ ended: Promise<string> } & AsyncDisposable> {
  if (CHROMIUM === undefined) throw new Error("Chromium is not installed: apt-get install chromium");
  const profile = await createFolder();
  const child = new Deno.Command(CHROMIUM, {
    args: [
      "--headless=new",
      // Chromium has no sandbox when it runs as root, as in containers.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--no-first-run",
      `--user-data-dir=${profile.path}`,
      `--host-resolver-rules=MAP ${ELSEWHERE} 127.0.0.1`,
      url,
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  // If the script in the page never ends, Chromium is killed, so that the tests end.
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT);
  let isEnded = false;
  const ended = child.output().then(({ stderr }) => {
    isEnded = true;
    clearTimeout(timer);
    return new TextDecoder().decode(stderr);
  });
  return {
    ended,
    async [Symbol.asyncDispose]() {
      if (!isEnded) child.kill("SIGTERM");
      await ended;
      await profile[Symbol.asyncDispose]();
    },
  };
}

function pageOf(script: string): string {
  return `<!doctype html><script type="module">
const run = async () => { ${script} };
const found = await run().catch((error) => String(error));
await fetch("/found", { method: "POST", body: JSON.stringify(found) });
</script>`;
}
