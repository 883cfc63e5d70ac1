import { type Command, readLine, refuse } from "../line/command.ts";
import { shellWord } from "../../lib/http/message.ts";
import { httpUrl, withScheme } from "../line/flag.ts";
import { serveDefinitions } from "./mock.ts";
import { mistakeIn } from "../mock/mistakes.ts";
import { MOCK_COMMAND, MOCK_GROUPS, type MockSettings } from "../mock/settings.ts";
import { definitionsOf } from "../line/operands.ts";
import type { Platform } from "../line/platform.ts";

type MockFlags = typeof MOCK_COMMAND.flags;

/**
 * The flags of `gw mock` that `gw proxy` doesn't have, as they are about mocking, with the values that they have there.
 */
const MOCKING = {
  "dynamic": false,
  "seed": 0,
  "any-status": false,
  "as-gateway": false,
  "proxy": undefined,
  "errors": false,
  "callbacks": undefined,
  "webhook": undefined,
  "stream-interval": 0,
  "stateful": false,
  "items": 3,
  "state-limit": [],
  "state": undefined,
  "cluster": false,
  "kubeconfig": undefined,
  "context": undefined,
  "check-port": undefined,
} satisfies Partial<MockSettings>;

type ProxyFlags = Omit<MockFlags, keyof typeof MOCKING>;

const EXAMPLE = "Write gw proxy openapi.yaml https://api.example.com.";

export const PROXY_COMMAND: Command<ProxyFlags> = {
  name: "proxy",
  usage: "[definition]... <url> [flags]",
  description: "Sends every operation of OpenAPI definitions to the server at a URL, and checks requests and\n" +
    "responses against the definitions.\n\n" +
    "The log and the header x-gw-violations tell what is wrong. With --validate error, an invalid request is\n" +
    "refused, and an invalid response becomes a problem, 502.",
  flags: withoutMocking(MOCK_COMMAND.flags),
  groups: MOCK_GROUPS,
  translate: MOCK_COMMAND.translate,
  examples: [
    { line: "gw proxy openapi.yaml https://api.example.com", does: "Log what breaks the definition" },
    { line: "gw proxy openapi.yaml http://localhost:3000 --validate error", does: "Refuse it" },
    { line: "gw proxy openapi.yaml http://localhost:3000 --proxy-unknown", does: "Pass on what isn't defined, too" },
  ],
};

/**
 * Sends the operations of definitions to an upstream until a stop signal.
 *
 * @param args The command line after `gw proxy`.
 * @returns The exit code.
 */
export async function proxy(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(PROXY_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  // The operands are also the first values of `in`. The last operand names the upstream; the others name definitions.
  const { operands, values } = line;
  const last = operands.at(-1);
  const definitions = values.in.filter((_, index) => index !== operands.length - 1);
  const mistake = (message: string): number => refuse(message, PROXY_COMMAND.name, platform).code;
  if (last === undefined) return mistake(`Which definition, and which server? ${EXAMPLE}`);
  const upstream = upstreamOf(last);
  if (upstream === undefined) {
    return mistake(`Which server? The last argument, ${last}, is not a URL. ${suggestionFor(operands)}`);
  }
  const named = await definitionsOf(definitions, values.overlay, "gw proxy");
  if (named.kind === "mistake") return mistake(named.message);
  const settings = { ...MOCKING, ...values, in: named.definitions, proxy: upstream, proxyAll: true };
  const contradiction = mistakeIn(settings);
  return contradiction === undefined ? await serveDefinitions(settings, platform) : mistake(contradiction);
}

/** The command line that operands without a URL at their end may mean: one with a scheme, or in another order. */
function suggestionFor(operands: readonly string[]): string {
  const urls = operands.map((operand) => upstreamOf(operand)?.href.replace(/\/$/, "") ?? withScheme(operand));
  const last = urls.at(-1);
  // Any other operand may also be the URL of a definition.
  const at = last === undefined && operands.length === 2 ? 0 : operands.length - 1;
  const server = urls[at];
  if (server === undefined) return EXAMPLE;
  const definitions = operands.filter((_, index) => index !== at);
  const words = [...definitions.length === 0 ? ["openapi.yaml"] : definitions, server].map(shellWord);
  return `Did you mean gw proxy ${words.join(" ")}?`;
}

function upstreamOf(written: string): URL | undefined {
  try {
    return httpUrl(written);
  } catch {
    return undefined;
  }
}

function withoutMocking(flags: MockFlags): ProxyFlags {
  const rest = Object.entries(flags).filter(([name]) => !Object.hasOwn(MOCKING, name));
  // `Object.fromEntries` returns a type without the flags' names.
  return Object.fromEntries(rest) as ProxyFlags;
}
