import { type DefinitionObject, type Document, parseDocument } from "../../mod.ts";

/**
 * A definition: its path from the working directory; its URL with `file:`, `http:` or `https:`; a parsed document; or
 * an object.
 */
export type Definition = string | URL | Document | DefinitionObject;

/** The most milliseconds for reading a text from the network. */
const TIMEOUT = 30_000;

/** The most redirects to follow. */
const MOST_REDIRECTS = 5;

/** The most bytes of a text from the network. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A text with its URI, after redirects. */
interface Text {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads a definition and the files that it refers to. A definition from the network may refer to texts of its own
 * origin only, also by redirects.
 *
 * @throws {Error} If the definition can't be read or has errors. The message has a line for each error, with file, line
 * and column.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const document = await loadDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths: {} });
 * assert.equal(document.version, "3.1");
 * await assert.rejects(loadDocument("pets.yaml"), /pets.yaml can't be read/);
 * ```
 */
export async function loadDocument(definition: Definition): Promise<Document> {
  if (typeof definition === "object" && definition !== null && "sources" in definition) return definition as Document;
  const document = typeof definition === "string" || definition instanceof URL
    ? await readDocument(definition)
    : await parseDocument(definition);
  const errors = document.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return document;
  throw new Error(errors.map(({ uri, line, column, message }) => `${uri}:${line}:${column}: ${message}`).join("\n"));
}

async function readDocument(place: string | URL): Promise<Document> {
  const { uri, bytes } = await readText(await toUri(place), () => true).catch((error: unknown) => {
    throw new Error(`${place} can't be read: ${messageOf(error)}`, { cause: error });
  });
  return await parseDocument(bytes, { uri, load: (other) => readReferred(other, uri) });
}

async function readReferred(other: string, uri: string): Promise<Uint8Array> {
  const { origin } = new URL(uri);
  const permits = (place: string): boolean => !isRemote(uri) || isRemote(place) && new URL(place).origin === origin;
  if (!permits(other)) {
    throw new Error("it is not read, as it has another origin than the definition that refers to it");
  }
  return (await readText(other, permits)).bytes;
}

async function toUri(place: string | URL): Promise<string> {
  if (place instanceof URL || /^(https?|file):\/\//i.test(place)) return new URL(place).href;
  return (await import("node:url")).pathToFileURL(place).href;
}

async function toPath(uri: string): Promise<string> {
  return (await import("node:url")).fileURLToPath(uri);
}

function isRemote(uri: string): boolean {
  return /^https?:/.test(uri);
}

/** @param permits Whether a redirect may lead to a URL. */
async function readText(uri: string, permits: (uri: string) => boolean): Promise<Text> {
  if (!isRemote(uri)) {
    // Copy the bytes: in jsdom, `Uint8Array` is another class than that of Node.js's buffers.
    return { uri, bytes: new Uint8Array(await (await import("node:fs/promises")).readFile(await toPath(uri))) };
  }
  const signal = AbortSignal.timeout(TIMEOUT);
  let at = uri;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await fetch(at, { signal, redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) {
      return { uri: at, bytes: await readBody(response) };
    }
    await response.body?.cancel();
    at = new URL(location, at).href;
    if (!isRemote(at) || !permits(at)) throw new Error(`it redirects to ${at}, which is not read`);
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
}

async function readBody(response: Response): Promise<Uint8Array> {
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    chunks.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
