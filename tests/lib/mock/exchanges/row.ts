/** Rows of the table of exchanges: a definition, and requests with the responses that every user gives. */
import assert from "node:assert/strict";
import type { Seen, Settings, UserName } from "./users.ts";

export interface Row extends Settings {
  readonly name: string;
  /** The Paths Object. */
  readonly paths: Readonly<Record<string, unknown>>;
  /** Further fields of the OpenAPI Object. */
  readonly root?: Readonly<Record<string, unknown>>;
  /** `x-svc` at the root. Default: operations are mocked, and bodies generated. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly exchanges: readonly Exchange[];
  /** The users that the row is for, and why the others are left out. Default: all users. */
  readonly only?: { readonly users: readonly UserName[]; readonly why: string };
}

/** A request, and the response that is wanted. The exchanges of a row run in order, in one server. */
export interface Exchange extends Wanted {
  /** The request line. `{id}` is the `id` of the latest JSON body that had one and whose exchange says `keeps`. */
  readonly ask: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body: a string as it is, any other value as JSON. Its type is JSON unless `headers` say another. */
  readonly send?: unknown;
  /** Whether later exchanges use the `id` of the response's body. */
  readonly keeps?: boolean;
  /** The users that must answer otherwise, and why. */
  readonly but?: readonly Difference[];
}

export interface Wanted {
  readonly status: number;
  /** Header fields; `null` for one that must be absent. */
  readonly has?: Readonly<Record<string, string | null>>;
  /** The body as text. */
  readonly text?: string;
  /** The body as JSON. */
  readonly json?: unknown;
  /** Parts of the body. */
  readonly says?: readonly string[];
  /** The source of the answer, where the user shows it. */
  readonly source?: string;
  readonly delay?: number | undefined;
  readonly fault?: string | undefined;
}

export interface Difference extends Partial<Wanted> {
  readonly users: readonly UserName[];
  readonly why: string;
}

export const MOCKED = { mocking: { enabled: true, generate: true } };

/** The definition of a row, as JSON. */
export function definitionOf({ paths, root, settings = MOCKED }: Row): string {
  const info = { title: "T", version: "1" };
  return JSON.stringify({ openapi: "3.1.0", info, "x-svc": settings, paths: described(paths), ...root });
}

/** Adds the descriptions that a deployment demands of responses. */
function described(paths: Row["paths"]): unknown {
  return JSON.parse(JSON.stringify(paths), (key, value) => {
    if (key !== "responses") return value;
    return Object.fromEntries(
      Object.entries<Record<string, unknown>>(value).map(([code, response]) =>
        [code, "$ref" in response ? response : { description: code, ...response }] as const
      ),
    );
  });
}

/** What a user must answer in an exchange. */
export function wantedOf({ but = [], ...wanted }: Exchange, user: UserName): Wanted {
  return but.filter(({ users }) => users.includes(user)).reduce(
    (all, difference) => ({ ...all, ...difference }),
    wanted,
  );
}

export function requestOf({ ask, headers = {}, send }: Exchange, id: string): Request {
  const [method = "", target = ""] = ask.replace("{id}", id).split(" ");
  const body = send === undefined || typeof send === "string" ? send : JSON.stringify(send);
  const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  const length: Record<string, string> = body === undefined ? {} : { "content-length": String(byteLength(body)) };
  return new Request(`http://localhost:8080${target}`, {
    method,
    headers: { ...type, ...length, ...headers },
    ...body === undefined ? {} : { body },
  });
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Compares a reply with what is wanted. Returns the text of its body. */
export async function check({ response, ...seen }: Seen, wanted: Wanted): Promise<string> {
  const text = await response.text();
  assert.equal(response.status, wanted.status, text);
  for (const [name, value] of Object.entries(wanted.has ?? {})) assert.equal(response.headers.get(name), value, name);
  if (wanted.text !== undefined) assert.equal(text, wanted.text);
  if ("json" in wanted && wanted.json !== undefined) assert.deepEqual(JSON.parse(text), wanted.json);
  for (const part of wanted.says ?? []) assert.ok(text.includes(part), `${part} in ${text}`);
  if (seen.source !== undefined && wanted.source !== undefined) assert.equal(seen.source, wanted.source);
  if ("delay" in seen && "delay" in wanted) assert.equal(seen.delay ?? 0, wanted.delay ?? 0, "delay");
  if ("fault" in seen && "fault" in wanted) assert.equal(seen.fault?.kind, wanted.fault, "fault");
  return text;
}
