import { writeLine } from "../io/terminal/terminal.ts";
import { type Command, readLine, refuse } from "../line/command.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { fetchFailureOf } from "../io/files/read.ts";

/** The health check of `gw mock` on its default port. */
const DEFAULT_URL = "http://127.0.0.1:8080/_gw/health";

/** Milliseconds that a server has to answer. Docker ends a health check after 30 seconds, so this limit is lower. */
const LIMIT = 5_000;

export const HEALTH_COMMAND = {
  name: "health",
  usage: "[URL]",
  description: `Asks a URL whether a server is up, for containers without curl. Default: ${DEFAULT_URL}`,
  flags: {},
  examples: [
    { line: "gw health", does: "Is gw mock up on its default port? The exit code is 0 or 3" },
    { line: "gw health http://127.0.0.1:8090/healthz", does: "The same of gw serve" },
  ],
} satisfies Command<Record<never, never>>;

/**
 * Checks whether a server is up: whether it answers a GET request with a 2xx status.
 *
 * @param args The command line after `gw health`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function health(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(HEALTH_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const [url = DEFAULT_URL, ...more] = line.operands;
  if (more.length > 0) return refuse("One URL at a time, please.", HEALTH_COMMAND.name, platform).code;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return refuse(`${url} is no URL of HTTP, such as ${DEFAULT_URL}.`, HEALTH_COMMAND.name, platform).code;
  }
  const problem = await findProblem(url);
  if (problem === undefined) return EXIT.fine;
  writeLine(platform.stderr, problem);
  return EXIT.environment;
}

/** Sends the request. Returns what is wrong if the status isn't 2xx. */
async function findProblem(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(LIMIT) });
    await response.body?.cancel();
    return response.ok ? undefined : `${url} answers ${response.status}.`;
  } catch (error) {
    return `${url} doesn't answer: ${fetchFailureOf(error)}.`;
  }
}
