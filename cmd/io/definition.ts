import { type Document, parseDocument } from "../../lib/openapi/document.ts";
import { isRemote, STDIN, toUri } from "./location.ts";
import { readText, type Text } from "./read.ts";

/** A definition as it was read from files and servers. */
export interface Definition {
  /** What the command line calls it. */
  readonly operand: string;
  readonly document: Document;
  /** Every text that was asked for, by URI; `undefined` where there was none. */
  readonly texts: ReadonlyMap<string, Uint8Array | undefined>;
  /** What the server calls this version of a definition that was fetched. */
  readonly etag?: string;
  /** It was read from standard input or another pipe, which can't be read again. */
  readonly isPipe?: true;
}

/** How a definition is read. */
export interface DefinitionOptions {
  /** Reads what the operand `-` means. */
  readStdin: () => Promise<Uint8Array>;
  /** Whether a definition that was fetched may refer to other origins than its own. Default: `false`. */
  allowRemoteRefs?: boolean;
  /** Reads the main text and what it refers to. Default: `parseDocument`. */
  parse?: typeof parseDocument;
}

/**
 * Reads a definition and every text that it refers to.
 *
 * @param operand A path, a URL, or `-` for standard input.
 * @returns The definition; what is wrong with it is in its document's diagnostics.
 * @throws {Error} With a message that says why the definition itself can't be read.
 */
export async function readDefinition(operand: string, options: DefinitionOptions): Promise<Definition> {
  const uri = toUri(operand);
  const main = operand === STDIN
    ? { uri, bytes: await options.readStdin(), isPipe: true as const }
    : await readText(uri);
  if (main === undefined) throw new Error("the server sent nothing");
  return await parseDefinition(operand, main, options);
}

/**
 * Reads a definition anew.
 *
 * @param what Whether the files that it is made of may have changed, or also what was fetched.
 * @returns The same definition when nothing that it is made of has changed.
 * @throws {Error} With a message that says why the definition itself can't be read.
 */
export async function rereadDefinition(
  known: Definition,
  what: "files" | "all",
  options: DefinitionOptions,
): Promise<Definition> {
  const { operand, document, texts, isPipe = false } = known;
  const keeps = (uri: string): boolean => what === "files" && isRemote(uri);
  const main = isPipe || keeps(document.uri) ? undefined : await rereadMain(known);
  const text = main ?? { ...known, uri: document.uri, bytes: texts.get(document.uri) };
  const { uri, bytes } = text;
  if (bytes === undefined) return known;

  const fresh = new Map<string, Promise<Uint8Array | undefined>>();
  let isSame = equal(bytes, texts.get(uri));
  for (const [other, before] of texts) {
    if (other === uri) continue;
    const now = keeps(other) ? Promise.resolve(before) : readReferred(other, uri, options).catch(() => undefined);
    fresh.set(other, now);
    isSame &&= equal(await now, before);
    if (!isSame) break;
  }
  if (isSame) return known;
  const definition = await parseDefinition(operand, { ...text, bytes }, options, fresh);
  // A file may have been missing for just that moment.
  return isSameText(definition, known) ? known : definition;
}

function isSameText(a: Definition, b: Definition): boolean {
  return a.texts.size === b.texts.size && [...a.texts].every(([uri, bytes]) => equal(bytes, b.texts.get(uri)));
}

/** Reads the main text again; `undefined` when its server says that it is still the same. */
async function rereadMain({ operand, etag }: Definition): Promise<Text | undefined> {
  return await readText(toUri(operand), etag === undefined ? {} : { etag });
}

async function parseDefinition(
  operand: string,
  { uri, bytes, etag, isPipe }: Text,
  options: DefinitionOptions,
  fresh: ReadonlyMap<string, Promise<Uint8Array | undefined>> = new Map(),
): Promise<Definition> {
  const texts = new Map<string, Uint8Array | undefined>([[uri, bytes]]);
  const { parse = parseDocument } = options;
  const document = await parse(bytes, { uri, load });
  return { operand, document, texts, ...(etag === undefined ? {} : { etag }), ...(isPipe ? { isPipe } : {}) };

  async function load(other: string): Promise<Uint8Array> {
    texts.set(other, undefined);
    const known = await fresh.get(other);
    // A server that didn't answer a moment ago is not waited for once more; a file may be there by now.
    if (known === undefined && fresh.has(other) && isRemote(other)) throw new Error("it could not be fetched");
    const text = known ?? await readReferred(other, uri, options);
    texts.set(other, text);
    return text;
  }
}

/** Reads a text that a definition refers to. */
async function readReferred(uri: string, definition: string, options: DefinitionOptions): Promise<Uint8Array> {
  const text = await readText(uri, { permits: (other) => mayRefer(definition, other, options) });
  if (text === undefined) throw new Error("the server sent nothing");
  return text.bytes;
}

/** A definition on this machine may refer to what it likes; one that was fetched to its own origin. */
function mayRefer(definition: string, uri: string, { allowRemoteRefs = false }: DefinitionOptions): boolean {
  if (!isRemote(definition)) return true;
  return isRemote(uri) && (allowRemoteRefs || new URL(uri).origin === new URL(definition).origin);
}

function equal(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined || a.length !== b.length) return a === b;
  for (let index = 0; index < a.length; index++) {
    if (a[index] !== b[index]) return false;
  }
  return true;
}
