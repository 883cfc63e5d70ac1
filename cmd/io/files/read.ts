import { hostKind } from "../../../lib/http/url/address.ts";
import { loadOnce } from "../../../lib/http/load_once.ts";
import { joinBytes } from "../../../lib/http/content_coding.ts";
import { LIMITS } from "../../../lib/openapi/reading.ts";
import type { Reference } from "../../../lib/openapi/document.ts";
import type { ReferencePolicy } from "../../../lib/openapi/reference_policy.ts";
import { isRemote, toPath } from "./location.ts";
import type { CheckAddresses } from "../upstream/checked_client.ts";
import { createReferencePolicy } from "./reference_policy.ts";
import { messageOf } from "../../../lib/http/message.ts";

export interface TextFile {
  /** The URI that the text came from, after redirects. */
  uri: string;
  bytes: Uint8Array;
  /** The entity tag of the text (RFC 9110, section 8.8.3). */
  etag?: string;
  /** The source was a pipe, such as a shell's `<(command)`, which can't be read again. */
  isPipe?: true;
}

export interface ReadOptions {
  /** Decides which redirects are followed. Default: as without flags. */
  policy?: Pick<ReferencePolicy, "checkRedirect" | "checkAddresses"> | undefined;
  /** The reference that leads to the URI; absent if the user named it. */
  reference?: Reference | undefined;
  /** The entity tag of the text as it was last read, for a conditional request. */
  etag?: string | undefined;
  /** Aborts the request. */
  signal?: AbortSignal | undefined;
}

/** Milliseconds within which a server must send the whole text. */
const TIMEOUT = 30_000;
/** The number of redirects that are followed. */
const MOST_REDIRECTS = 5;

/**
 * Reads a file or fetches a URL.
 *
 * @returns The text; `undefined` if it still has the given entity tag.
 * @throws {Error} If the text can't be read, with a message for the user.
 */
export async function readText(uri: string, options: ReadOptions = {}): Promise<TextFile | undefined> {
  if (isRemote(uri)) return await fetchText(uri, options);
  const path = toPath(uri);
  if (path === undefined) throw new Error(`it can't be read, as it is neither a file nor a URL of http or https`);
  return { uri, ...await readFile(path) };
}

async function readFile(path: string): Promise<Pick<TextFile, "bytes" | "isPipe">> {
  try {
    const { isFile, isDirectory, size } = await Deno.stat(path);
    if (isDirectory || (isFile && size <= LIMITS.bytes)) return { bytes: await Deno.readFile(path) };
    using file = await Deno.open(path);
    const bytes = await collect(file.readable);
    return isFile ? { bytes } : { bytes, isPipe: true };
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

/** Explains why a file or a URL can't be read, as the end of a sentence. */
export function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  if (error instanceof Deno.errors.NotADirectory) return "there is no such file";
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder, not a file";
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not read it";
  if (!(error instanceof Error)) return String(error);
  return (("code" in error && NODE_REASONS[String(error.code)]) || error.message);
}

/** Explains why a file can't be written, as the end of a sentence. */
export function writeReasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) {
    return "there is no such folder";
  }
  return error instanceof Deno.errors.PermissionDenied ? "this user may not write there" : reasonOf(error);
}

/** The explanations of errors from Node's functions, by error code. */
const NODE_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder, not a file",
  EACCES: "this user may not read it",
};

async function fetchText(
  uri: string,
  { policy = createReferencePolicy({ operands: [] }), reference, etag, signal: outer }: ReadOptions,
): Promise<TextFile | undefined> {
  const headers: Record<string, string> = {
    accept: "application/vnd.oai.openapi, application/yaml, application/json;q=0.9, */*;q=0.8",
    ...(etag === undefined ? {} : { "if-none-match": etag }),
  };
  const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT), ...outer === undefined ? [] : [outer]]);
  const init = { headers, signal, redirect: "manual" } as const;
  await using clients = new AsyncDisposableStack();
  const loadClient = loadOnce(async () => {
    const { createCheckedClient } = await import("../upstream/checked_client.ts");
    const check: CheckAddresses = (...host) => policy.checkAddresses(...host, reference);
    return clients.use(createCheckedClient(check, Deno.env.get));
  });
  let at = uri;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const isName = hostKind(new URL(at).hostname) === "name";
    const response = await (isName ? (await loadClient()).fetch(at, init) : fetch(at, init)).catch((error) => {
      throw new Error(fetchFailureOf(error), { cause: error });
    });
    if (response.status === 304) return undefined;
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const to = new URL(location, at).href;
      await policy.checkRedirect(to, at, reference).catch((error) => {
        throw new Error(`it redirects to ${to}, which is not read: ${messageOf(error)}`, { cause: error });
      });
      at = to;
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the server answered ${response.status} ${response.statusText}`.trimEnd());
    }
    const bytes = response.body === null ? new Uint8Array() : await collect(response.body);
    const version = response.headers.get("etag");
    return { uri: at, bytes, ...(version === null ? {} : { etag: version }) };
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** Reads a stream to its end, or just past the size limit of texts. The parser then refuses the text with a message. */
async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(new Uint8Array(chunk));
    size += chunk.length;
    if (size > LIMITS.bytes) break;
  }
  return joinBytes(chunks);
}

/**
 * Explains why `fetch` failed, as the end of a sentence: the system's message, without the words that Deno puts around
 * it.
 */
export function fetchFailureOf(error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError") return "there was no answer in time";
  const { cause = error } = error instanceof Error ? error : {};
  const message = messageOf(cause);
  if (/failed to lookup address information|ENOTFOUND|EAI_AGAIN/.test(message)) {
    return "there is no host of this name, or no network";
  }
  if (/received corrupt message of type InvalidContentType/.test(message)) return "the server speaks no TLS: try http:";
  return message
    .replace(/^.*(?:client error \(\w+\)|tcp connect error|dns error): /s, "")
    .replace(/ \(os error \d+\)$/, "");
}

/** Tells whether two texts are the same, or both absent. */
export function isSameText(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}
