/**
 * Interactive shells on a pseudo-terminal, which the program `script` of util-linux makes.
 *
 * @module
 */
import { hasProgram } from "../../scripts/program.ts";

/** Milliseconds to wait for a text of the output. */
const TIMEOUT = 20_000;

export interface Shell extends AsyncDisposable {
  /** Presses keys. */
  type(keys: string): Promise<void>;
  /** Resolves with the match when the output matches. Ignores the output before the end of the last match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a shell on a terminal of 24 rows and 200 columns. */
export function startShell(command: string, options: { cwd: string; env?: Record<string, string> }): Shell {
  const child = new Deno.Command("script", {
    args: ["-qfec", `stty rows 24 cols 200; exec ${command}`, "/dev/null"],
    cwd: options.cwd,
    env: { TERM: "xterm", HOME: options.cwd, ...options.env },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const keys = child.stdin.getWriter();
  let text = "";
  let look = (): void => {};
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      look();
    }
  })();

  return {
    type: (written) => keys.write(new TextEncoder().encode(written)),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`Waited in vain for ${pattern}:\n${text}`)), TIMEOUT);
        look = () => {
          const match = pattern.exec(text);
          if (match === null) return;
          clearTimeout(timer);
          look = () => {};
          text = text.slice(match.index + match[0].length);
          resolve(match);
        };
        look();
      }),
    async [Symbol.asyncDispose]() {
      // Without its terminal, the shell ends too.
      child.kill("SIGKILL");
      await keys.close().catch(() => {});
      await Promise.all([child.status, reading]);
    },
  };
}

/** The options of a test that needs programs. If one is missing, the test is skipped; with `CI=true` it fails. */
export function needs(...programs: string[]): { ignore: boolean } {
  const missing = programs.filter((program) => !hasProgram(program));
  // deno-lint-ignore no-console
  if (missing.length > 0) console.log(`Missing: ${missing.join(", ")}`);
  return { ignore: missing.length > 0 && Deno.env.get("CI") !== "true" };
}
