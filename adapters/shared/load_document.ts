import {
  type DefinitionObject,
  type Document,
  type LoadedText,
  parseDocument,
  type Reference,
  ReferencePolicy,
  type ReferenceWorld,
} from "../../mod.ts";

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

/** Options of {@linkcode loadDocument}. */
export interface LoadOptions {
  /**
   * Whether the definition may refer to files outside its project (the repository, the working directory, and the
   * folder of the definition), and a definition from the network to other origins. Default: `false`.
   */
  allowRemoteRefs?: boolean;
}

/** A text with its URI, after redirects. */
interface Text {
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads a definition and the files of its project that it refers to. A definition from the network may refer to texts
 * of its own origin only, also by redirects.
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
export async function loadDocument(definition: Definition, options: LoadOptions = {}): Promise<Document> {
  if (typeof definition === "object" && definition !== null && "sources" in definition) return definition as Document;
  const document = typeof definition === "string" || definition instanceof URL
    ? await readDocument(definition, options)
    : await parseDocument(definition);
  const errors = document.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return document;
  throw new Error(errors.map(({ uri, line, column, message }) => `${uri}:${line}:${column}: ${message}`).join("\n"));
}

async function readDocument(place: string | URL, options: LoadOptions): Promise<Document> {
  const main = await toUri(place);
  const policy = new ReferencePolicy(await worldOf(), { definitions: [main], ...options });
  const { uri, bytes } = await readText(main, policy).catch((error: unknown) => {
    throw new Error(`${place} can't be read: ${messageOf(error)}`, { cause: error });
  });
  /** Where texts were read, after redirects, by the URIs that references have. */
  const places = new Map<string, string>();
  return await parseDocument(bytes, { uri, load });

  async function load(other: string, written: Reference): Promise<LoadedText> {
    const reference = { ...written, from: places.get(written.from) ?? written.from };
    const { remark } = await policy.check(reference);
    const { uri: at, bytes } = await readText(other, policy, reference);
    places.set(other, at);
    return remark === undefined ? { bytes } : { bytes, remark };
  }
}

async function worldOf(): Promise<ReferenceWorld> {
  const [{ readFile, realpath, stat }, { lookup }, { cwd, env }, { fileURLToPath, pathToFileURL }] = await Promise.all([
    import("node:fs/promises"),
    import("node:dns/promises"),
    import("node:process"),
    import("node:url"),
  ]);
  const home = ReferencePolicy.homeFolder((name) => env[name]);
  return ReferencePolicy.worldOf({
    cwd,
    home,
    realPath: realpath,
    stat: async (path) => {
      const found = await stat(path);
      return { isFile: found.isFile(), isDirectory: found.isDirectory() };
    },
    readTextFile: (path) => readFile(path, "utf8"),
    lookup,
    pathToFileURL,
    fileURLToPath,
  });
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

/** @param reference The reference that leads to the URI; absent for the definition itself. */
async function readText(uri: string, policy: ReferencePolicy, reference?: Reference): Promise<Text> {
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
    const to = new URL(location, at).href;
    await policy.checkRedirect(to, at, reference).catch((error: unknown) => {
      throw new Error(`it redirects to ${to}, which is not read: ${messageOf(error)}`, { cause: error });
    });
    at = to;
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
