import { decodeStrictly } from "../../http/decode_strictly.ts";
import { escapeControls } from "../../http/one_line.ts";
import { sendableHeaders } from "../../http/field_value.ts";
import type { Bytes, HeaderList } from "../../http/handler.ts";
import { type Problem, PROBLEM_MEDIA_TYPE } from "../../http/problem.ts";
import type { Document } from "../../openapi/document.ts";
import type { Redirect } from "../../openapi/extension/settings.ts";
import type { Node } from "../../schema/json/node.ts";
import { withCors } from "./cors.ts";
import type { AnswerTrace } from "./answer_trace.ts";
import type { Example, ExampleChoice } from "./example.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import type { negotiate } from "./negotiate.ts";
import type { Preferences } from "./preferences.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * The answer of an operation to all requests with the same criteria ({@linkcode AnswerCriteria}): made once, cached,
 * and immutable.
 */
export interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  /** `null` if there is no body. A list of chunks is sent chunk by chunk. */
  readonly body: Bytes | readonly Bytes[] | null;
  /** Media type of the body; empty if there is no body. */
  readonly mediaType: string;
  readonly source: AnswerSource;
  /** The parts of the definition from which the answer was made; absent for problems and redirects. */
  readonly origin?: AnswerOrigin;
  /** What an answer's source alone doesn't tell; absent for most answers. */
  readonly facts?: AnswerFacts;
  /** The detail of the problem, if the body is a problem. */
  readonly detail?: string | undefined;
  /** Remarks for the log about preferences (`Prefer`) that weren't honoured. */
  readonly remarks?: readonly string[];
  /** Remarks for the log about the definition, when the answer is sent for the first time. */
  readonly notes?: readonly string[];
  /** Status and headers as the second argument of `new Response()`. */
  readonly init: ResponseInit;
  /**
   * `init` with `Vary: origin` added. Used for requests without `Origin` if CORS is enabled, so that a cache doesn't
   * serve the response to other origins.
   */
  readonly sharedInit: ResponseInit;
  /** A short body as text. Deno's server sends text with less work than bytes. */
  readonly text: string | undefined;
}

/** The parts of a definition from which an answer was made. */
export interface AnswerOrigin {
  readonly response: Node<"Response">;
  /** The Media Type Object of the body, and the negotiated media type; absent if there is no body. */
  readonly media?: { readonly mediaType: string; readonly node: Node<"MediaType"> };
  /** The example that is sent as the body; absent if the body was generated. */
  readonly example?: Example;
}

/** What was decided about an answer, for the journal. */
export interface AnswerFacts {
  /** The seed of a generated body. */
  readonly seed?: number;
  /** The resource of an answer from state. */
  readonly resource?: string;
}

/** `example`, `examples.NAME`, `generated`, `status` (no body), `problem`, `redirect` or `upstream`. */
export type AnswerSource = string;

/** The parts of a request that its answer depends on. Answers are cached by these criteria. */
export interface AnswerCriteria {
  readonly accept: string | null;
  readonly preferences: Preferences;
  /**
   * The example that the contents of the request select (`x-svc.mocking.match`). A preference of the client takes
   * precedence.
   */
  readonly choice?: ExampleChoice | undefined;
  /** Whether the body is generated even if there is an example. */
  readonly dynamic: boolean;
  readonly seed: number;
  /** Receives what is decided; absent unless the request is explained. */
  readonly trace?: AnswerTrace | undefined;
}

/** The options and functions by which a server makes its answers. */
export interface AnswerRules {
  /** Whether `2XX` and `default` are mocked if there is no exact 2xx code. */
  readonly anyStatus: boolean;
  /** Whether a body is generated from the schema if a media type has no example. */
  readonly generate: boolean;
  readonly generatorOf: (document: Document) => Promise<BodyGenerator>;
  /** Chooses the media type of the answer. Default: {@linkcode negotiate}. */
  readonly negotiate?: typeof negotiate;
  /** Changes a body before it is encoded, for example to insert the reason of an error. Default: no change. */
  readonly revise?: (body: unknown, schema: Node<"Schema">) => Promise<unknown>;
}

/** Limit of a body that is also stored as text, in bytes. Above it, the text would take too much memory. */
const MOST_TEXT = 64 * 1024;

/**
 * Makes an answer, and precomputes the arguments of its responses.
 *
 * @param parts With `text`, if the body was encoded from a text in UTF-8. Default: `text` is decoded from the body.
 */
export function createAnswer(
  parts: Omit<Answer, "init" | "sharedInit" | "text"> & Partial<Pick<Answer, "text">>,
): Answer {
  const { status, headers, body, text } = parts;
  return {
    ...parts,
    init: responseInit(status, headers),
    sharedInit: responseInit(status, withCors(headers, null)),
    text: body instanceof Uint8Array && body.length <= MOST_TEXT
      ? text ?? decodeStrictly(body, { ignoreBOM: true })
      : undefined,
  };
}

/** Adds headers to an answer. They replace the answer's headers of the same name. Names are in lower case. */
export function withHeaders(answer: Answer, headers: HeaderList): Answer {
  if (headers.length === 0) return answer;
  const names = new Set(headers.map(([name]) => name));
  return createAnswer({ ...answer, headers: [...answer.headers.filter(([name]) => !names.has(name)), ...headers] });
}

export function statusAnswer(status: number, headers: HeaderList): Answer {
  return createAnswer({ status, headers, body: null, mediaType: "", source: "status" });
}

export function problemAnswer(problem: Problem, headers: HeaderList = []): Answer {
  const text = escapeControls(writeJson(problem));
  return createAnswer({
    status: problem.status,
    headers: [["content-type", PROBLEM_MEDIA_TYPE], ...headers],
    body: new TextEncoder().encode(text),
    text,
    mediaType: PROBLEM_MEDIA_TYPE,
    source: "problem",
    detail: problem.detail,
  });
}

/**
 * Makes the answer of a redirect (`x-svc.redirect`). Parts of the URL that the redirect doesn't set are taken from the
 * request. If it sets neither scheme, host nor port, the location is a path: a proxy in front of this server may have
 * other ones.
 */
export function redirectAnswer({ scheme, host, port, path, response_code }: Redirect, url: string): Answer {
  const target = new URL(url);
  // A redirect that sets only the scheme leads to the scheme's default port, as in the Gateway API.
  if (scheme !== undefined) target.port = "";
  if (scheme !== undefined) target.protocol = scheme;
  if (host !== undefined) target.hostname = host;
  if (port !== undefined) target.port = String(port);
  if (path !== undefined) target.pathname = path;
  const isElsewhere = scheme !== undefined || host !== undefined || port !== undefined;
  // `//name/x` alone would be a reference to the server `name` (RFC 3986, section 4.2).
  const location = isElsewhere || target.pathname.startsWith("//") ? target.href : target.pathname + target.search;
  return { ...statusAnswer(response_code ?? 302, [["location", location]]), source: "redirect" };
}

/**
 * Status and headers as the second argument of `new Response()`. The headers are a `Headers` object, which Deno copies;
 * a list of names and values it would check for each response, which takes more time.
 */
export function responseInit(status: number, headers: HeaderList): ResponseInit {
  return { status, headers: new Headers(sendableHeaders(headers)) };
}
