/**
 * Shared parts of the commands that call a running `gw serve`: `create`, `deploy`, `get`, `delete`.
 *
 * @module
 */
import { writeLine } from "../io/terminal/terminal.ts";
import { messageOf } from "../../lib/http/message.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import { EXIT } from "../line/platform.ts";
import { httpUrl, text, withScheme } from "../line/flag.ts";
import { type Client, type ClientReply, createClient } from "../io/gateway/management_client.ts";
import { MANAGEMENT_PORT } from "../serve/settings.ts";
import type { Platform } from "../line/platform.ts";

/** The default address of `gw serve`. */
const DEFAULT_SERVER = `http://127.0.0.1:${MANAGEMENT_PORT}`;

/** The flags for the server and the namespace. */
export const REMOTE_FLAGS = {
  "server": {
    value: "URL",
    read: serverUrl,
    description:
      `Where gw serve is. Default: GW_SERVER, else ${DEFAULT_SERVER}. GW_TOKEN has the token, if it needs one.`,
  },
  "namespace": { short: "n", value: "NAMESPACE", read: text, description: "Namespace. Default: default." },
};

/** Creates a client of the server that the flags and the environment name. */
export function connect(server: URL | undefined, platform: Platform): Client {
  const token = platform.env("GW_TOKEN");
  const written = platform.env("GW_SERVER") || DEFAULT_SERVER;
  let url: URL;
  try {
    url = server ?? serverUrl(written);
  } catch {
    return () => Promise.reject(new Error(`GW_SERVER ${written}: a URL such as ${DEFAULT_SERVER} is meant here.`));
  }
  return createClient({
    server: url,
    ...(token === undefined || token === "" ? {} : { token }),
  });
}

/** Reads the URL of a server. Without a scheme, it is `http:`, and the port of a host alone is that of `gw serve`. */
function serverUrl(written: string): URL {
  const meant = withScheme(written)?.replace(/^https:/, "http:");
  if (meant === undefined) return httpUrl(written);
  return new URL(/:\d+(?:[/?#]|$)/.test(written) ? meant : meant.replace(/^http:\/\/[^/?#]+/, `$&:${MANAGEMENT_PORT}`));
}

/** Sends a request. Prints a message if the server can't be reached. */
export async function ask<Answer>(
  question: () => Promise<Answer>,
  platform: Platform,
): Promise<{ kind: "answered"; answer: Answer } | { kind: "failed"; code: number }> {
  try {
    return { kind: "answered", answer: await question() };
  } catch (error) {
    writeLine(platform.stderr, messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}

export function isFine({ status }: ClientReply): boolean {
  return status >= 200 && status < 300;
}

/** The exit code of an error response. With a 5xx status, 401 or 403, the environment is at fault, else the input. */
export function exitCodeOf({ status }: ClientReply): number {
  return status >= 500 || status === 401 || status === 403 ? EXIT.environment : EXIT.input;
}

/** The message of an error response: a JSON string, or the detail of a problem (RFC 9457). */
export function errorMessageOf({ status, body }: ClientReply): string {
  if (typeof body === "string" && body !== "") return body;
  const detail = isObject(body) ? body["detail"] ?? body["title"] : undefined;
  return typeof detail === "string" ? detail : `The server answered ${status}.`;
}
