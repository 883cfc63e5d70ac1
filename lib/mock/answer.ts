import type { Bytes, HeaderList } from "../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE } from "../http/problem.ts";
import type { Document } from "../openapi/document.ts";
import type { Redirect } from "../openapi/extension/settings.ts";
import type { Node } from "../schema/node.ts";
import { withCors } from "./cors.ts";
import type { Example } from "./example.ts";
import type { ExampleChoice } from "./example_matcher.ts";
import type { BodyGenerator } from "./generate/generate.ts";
import type { negotiate } from "./negotiate.ts";
import type { Preferences } from "./preferences.ts";

/**
 * The answer of an operation to all requests with the same criteria ({@linkcode AnswerCriteria}): made once, cached,
 * and immutable.
 */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  /** `null` where there is no body. A list of chunks is sent chunk by chunk. */
  readonly body: Bytes | readonly Bytes[] | null;
  /** Media type of the body; empty without one. */
  readonly mediaType: string;
  /** The source of the body, for the log. */
  readonly source: AnswerSource;
  /** The parts of the definition that the answer was made from; absent for a problem, for example. */
  readonly origin?: AnswerOrigin;
  /** The detail of the problem, when the answer carries one. */
  readonly detail?: string | undefined;
  /** Sentences for the log about preferences of the client (`Prefer`) that could not be honoured. */
  readonly remarks?: readonly string[];
  /** Status and headers as the argument of `Response`. */
  readonly init: ResponseInit;
  /** `init` with `Vary: origin` added: if CORS is enabled, it is sent to clients without an `Origin` header. */
  readonly sharedInit: ResponseInit;
  /** A short body as text: a server sends text with less work than bytes. */
  readonly text: string | undefined;
}

/** The parts of a definition that an answer is made from. */
export interface AnswerOrigin {
  /** The Response Object. */
  readonly response: Node<"Response">;
  /** The Media Type Object, and the media type that it was chosen for; absent without a body. */
  readonly media?: { readonly mediaType: string; readonly node: Node<"MediaType"> };
  /** The example that is sent as the body; absent if the body was generated. */
  readonly example?: Example;
}

/** `example`, `examples.NAME`, `generated`, `status` (no body), `problem`, `redirect` or `upstream`. */
export type AnswerSource = string;

/** The parts of a request that its answer depends on. */
export interface AnswerCriteria {
  /** The `Accept` header. */
  readonly accept: string | null;
  readonly preferences: Preferences;
  /** The example that the contents of the request select; preferences take precedence. */
  readonly choice?: ExampleChoice | undefined;
  /** Whether the body is generated although there is an example. */
  readonly dynamic: boolean;
  /** Seed of generated values. */
  readonly seed: number;
}

/** How a server makes its answers. */
export interface AnswerRules {
  /** Whether `2XX` and `default` are mocked where there is no exact 2xx code. */
  readonly anyStatus: boolean;
  /** Whether bodies are generated from schemas where there is no example. */
  readonly generate: boolean;
  /** The generator of a document's bodies. */
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  /** Chooses the media type of the answer. Default: {@linkcode negotiate}. */
  readonly negotiate?: typeof negotiate;
  /** Changes a body before it is encoded, such as to insert the reason of an error. Default: no change. */
  readonly revise?: (body: unknown, schema: Node<"Schema">) => Promise<unknown>;
}

/** The header that tells a mocked answer from a real one. */
export const MOCKED: readonly [string, string] = ["x-svc-mocked", "true"];

/** The longest body in bytes that is also stored as text; a longer one would take too much memory. */
const MOST_TEXT = 64 * 1024;

/** Makes an answer, and prepares the arguments of its responses. */
export function createAnswer(parts: Omit<Answer, "init" | "sharedInit" | "text">): Answer {
  const { status, headers, body } = parts;
  return {
    ...parts,
    init: responseInit(status, headers),
    sharedInit: responseInit(status, withCors(headers, null)),
    text: textOf(body),
  };
}

/** Makes an answer without a body. */
export function statusAnswer(status: number, headers: HeaderList): Answer {
  return createAnswer({ status, headers, body: null, mediaType: "", source: "status" });
}

/** Makes the answer that carries a problem. */
export function problemAnswer(problem: Problem, headers: HeaderList = []): Answer {
  return createAnswer({
    status: problem.status,
    headers: [["content-type", PROBLEM_MEDIA_TYPE], ...headers],
    body: new TextEncoder().encode(JSON.stringify(problem)),
    mediaType: PROBLEM_MEDIA_TYPE,
    source: "problem",
    detail: problem.detail,
  });
}

/**
 * Makes the answer that redirects a client. Parts of the URL that the redirect doesn't set are those of the request.
 */
export function redirectAnswer({ scheme, host, port, path, response_code }: Redirect, url: string): Answer {
  const target = new URL(url);
  // A redirect that sets the scheme leads to the default port of the scheme, as in the Gateway API, unless it sets the
  // port.
  if (scheme !== undefined) target.port = "";
  if (scheme !== undefined) target.protocol = scheme;
  if (host !== undefined) target.hostname = host;
  if (port !== undefined) target.port = String(port);
  if (path !== undefined) target.pathname = path;
  return { ...statusAnswer(response_code ?? 302, [["location", target.href]]), source: "redirect" };
}

/** Status and headers as `Response` takes them. */
export function responseInit(status: number, headers: HeaderList): ResponseInit {
  return { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
}

/** The text of a short body in UTF-8. */
function textOf(body: Answer["body"]): string | undefined {
  if (!(body instanceof Uint8Array) || body.length > MOST_TEXT) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
