import type { UnlocatedDiagnostic } from "../../../lib/openapi/diagnostic.ts";
import { type Document, type LoadedText, parseDocument, type Reference } from "../../../lib/openapi/document.ts";
import { decodeText } from "../../../lib/openapi/text/decode_text.ts";
import { overlaidText } from "../../../lib/openapi/overlay/overlaid_text.ts";
import type { ReferencePolicy } from "../../../lib/openapi/reference_policy.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { isRemote, STDIN, toUri } from "./location.ts";
import type { OverlayFile, OverlayFiles } from "./overlay_files.ts";
import { isSameText, readText, type TextFile } from "./read.ts";
import { createReferencePolicy } from "./reference_policy.ts";
import { basename } from "node:path";
import { child } from "../../../lib/schema/json/node.ts";

export interface Definition {
  /** The operand of the command line that names the definition. */
  readonly operand: string;
  readonly document: Document;
  /** The texts that the definition was read from, by URI; `undefined` for a text that couldn't be read. */
  readonly texts: ReadonlyMap<string, Uint8Array | undefined>;
  /** The references by which the other texts were found, by URI. */
  readonly references: ReadonlyMap<string, FollowedReference>;
  /** The overlays that apply to the definition, in the order of their application. */
  readonly overlays: readonly OverlayFile[];
  /** The entity tag of the definition's text, if the text was fetched. */
  readonly etag?: string;
  /** The source was standard input or another pipe, which can't be read again. */
  readonly isPipe?: true;
}

/** A reference by which a text was found. */
interface FollowedReference extends Reference {
  /** Where the text was read, after redirects. */
  readonly at: string;
  /** Whether this is outside the project of the definition, or at another origin. */
  readonly isOutside: boolean;
  /** What speaks against the reference. */
  readonly remark?: string;
}

export function documentsOf(definitions: readonly Definition[]): Document[] {
  return definitions.map(({ document }) => document);
}

export interface DefinitionOptions {
  /** Reads standard input, for the operand `-`. */
  readStdin: () => Promise<Uint8Array>;
  /** Decides which texts may be referred to. Default: as without flags, for the definition alone. */
  references?: ReferencePolicy;
  /** The overlays of the command line. Default: none. */
  overlays?: OverlayFiles;
  /** Parses the definition and the texts that it refers to. Default: `parseDocument`. */
  parse?: typeof parseDocument;
}

/**
 * Reads a definition and every text that it refers to.
 *
 * @param operand A path, a URL, or `-` for standard input.
 * @returns The definition. Its document has the diagnostics.
 * @throws {UnreadableOverlay} If an overlay can't be read.
 * @throws {Error} If the definition itself can't be read, with a message for the user.
 */
export async function readDefinition(operand: string, options: DefinitionOptions): Promise<Definition> {
  const uri = toUri(operand);
  const main = operand === STDIN
    ? { uri, bytes: await options.readStdin(), isPipe: true as const }
    : await readText(uri, { policy: options.references });
  if (main === undefined) throw new Error("the server sent nothing");
  if (isHtml(main.bytes)) {
    throw new Error("it is an HTML page, not a definition; name the definition that the page shows or links to");
  }
  return await parseDefinition(operand, main, options, await readOverlays(operand, "all", options));
}

/**
 * Tells whether a text begins as an HTML page. A URL may lead to a page that shows a definition, or to a log-in page.
 */
function isHtml(bytes: Uint8Array): boolean {
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(decodeText(bytes.subarray(0, 1000)));
}

/**
 * Reads a definition again.
 *
 * @param what Which texts are read again: files only, or fetched texts too.
 * @returns The old definition, the same object, if none of its texts has changed.
 * @throws {UnreadableOverlay} If an overlay can't be read.
 * @throws {Error} If the definition itself can't be read, with a message for the user.
 */
export async function rereadDefinition(
  known: Definition,
  what: "files" | "all",
  options: DefinitionOptions,
): Promise<Definition> {
  const { operand, document, texts, isPipe = false } = known;
  const keeps = (uri: string): boolean => what === "files" && isRemote(uri);
  const main = isPipe || keeps(document.uri) ? undefined : await rereadMain(known, options);
  const text = main ?? { ...known, uri: document.uri, bytes: texts.get(document.uri) };
  const { uri, bytes } = text;
  if (bytes === undefined) return known;
  const overlays = await readOverlays(operand, what, options);

  const read = readerOf(operand, options);
  const fresh = new Map<string, Promise<Reread | undefined>>();
  let isUnchanged = isSameText(bytes, texts.get(uri)) && haveSameItems(overlays, known.overlays);
  for (const [other, before] of texts) {
    const reference = known.references.get(other);
    if (reference === undefined) continue;
    const now = keeps(other)
      ? Promise.resolve({ ...reference, bytes: before })
      : read(reference).catch(() => undefined);
    fresh.set(other, now);
    isUnchanged &&= isSameText((await now)?.bytes, before);
    if (!isUnchanged) break;
  }
  if (isUnchanged) return known;
  const definition = await parseDefinition(operand, { ...text, bytes }, options, overlays, fresh);
  // The texts may be equal although a file was missing at first: the parser may have found that file a moment later.
  return isSame(definition, known) ? known : definition;
}

function isSame(a: Definition, b: Definition): boolean {
  return haveSameItems(a.overlays, b.overlays) && a.texts.size === b.texts.size &&
    [...a.texts].every(([uri, bytes]) => isSameText(bytes, b.texts.get(uri)));
}

async function readOverlays(
  operand: string,
  what: "files" | "all",
  { overlays }: DefinitionOptions,
): Promise<OverlayFile[]> {
  return await overlays?.readFor(operand, what) ?? [];
}

function haveSameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** Reads the definition's own text again; `undefined` if its entity tag hasn't changed. */
async function rereadMain(
  { operand, etag }: Definition,
  { references: policy }: DefinitionOptions,
): Promise<TextFile | undefined> {
  return await readText(toUri(operand), { policy, etag });
}

/** Milliseconds within which all texts must be read that a definition refers to. */
const TIMEOUT = 300_000;

async function parseDefinition(
  operand: string,
  { uri, bytes, etag, isPipe }: TextFile,
  options: DefinitionOptions,
  overlays: readonly OverlayFile[],
  fresh: ReadonlyMap<string, Promise<Reread | undefined>> = new Map(),
): Promise<Definition> {
  const texts = new Map<string, Uint8Array | undefined>([[uri, bytes]]);
  const references = new Map<string, FollowedReference>();
  const read = readerOf(operand, options);
  const { parse = parseDocument } = options;
  const document = await parse(bytes, { uri, load, overlays: overlays.map(({ overlay }) => overlay) });
  return {
    operand,
    document,
    texts,
    references,
    overlays,
    ...(etag === undefined ? {} : { etag }),
    ...(isPipe ? { isPipe } : {}),
  };

  async function load(other: string, written: Reference): Promise<LoadedText> {
    const reference = { ...written, from: references.get(written.from)?.at ?? written.from };
    const known = await fresh.get(other);
    // When a definition is read again, don't repeat a fetch that has just failed. But read a missing file again: an
    // editor may have saved it meanwhile.
    const mayRead = !(isRemote(other) && fresh.has(other));
    try {
      const { bytes, ...followed } = await read(reference, known, mayRead);
      texts.set(other, bytes);
      references.set(other, followed);
      return { bytes, ...followed.remark === undefined ? {} : { remark: followed.remark } };
    } catch (error) {
      // A missing file may appear, so it is watched. A refused one isn't: for a device, that would already be a use.
      if (!(error instanceof RefusedReference) && !texts.has(other)) {
        texts.set(other, undefined);
        references.set(other, { ...reference, at: other, isOutside: false });
      }
      throw error;
    }
  }
}

/** A text that was read, or is missing, with the reference to it. */
interface Reread extends FollowedReference {
  readonly bytes: Uint8Array | undefined;
}

/** Thrown for a reference that the policy refuses. */
class RefusedReference extends Error {
  override name = "RefusedReference";
}

/**
 * Makes the function that reads the texts that a definition refers to: those that the policy permits, within a time
 * limit for all of them. A text that is `known` isn't read again, but the policy is asked.
 */
function readerOf(operand: string, { references }: DefinitionOptions) {
  const policy = references ?? createReferencePolicy({ operands: [operand] });
  const signal = AbortSignal.timeout(TIMEOUT);
  return async function read(
    reference: Reference,
    known?: Reread,
    mayRead = true,
  ): Promise<FollowedReference & { readonly bytes: Uint8Array }> {
    const { uri, from, kind } = reference;
    const { isOutside, remark } = await policy.check(reference).catch((error: unknown) => {
      throw new RefusedReference(messageOf(error), { cause: error });
    });
    if (known?.bytes === undefined && !mayRead) throw new Error("it could not be fetched");
    const { at, bytes } = known?.bytes === undefined
      ? await readReferred(reference, policy, signal)
      : { at: known.at, bytes: known.bytes };
    const isMoved = isRemote(uri) && new URL(uri).origin !== new URL(at).origin;
    const followed = { uri, from, kind, at, bytes, isOutside: isOutside || isMoved };
    return remark === undefined ? followed : { ...followed, remark };
  };
}

async function readReferred(
  reference: Reference,
  policy: ReferencePolicy,
  signal: AbortSignal,
): Promise<{ at: string; bytes: Uint8Array }> {
  const text = await readText(reference.uri, { policy, reference, signal });
  if (text === undefined) throw new Error("the server sent nothing");
  return { at: text.uri, bytes: text.bytes };
}

/**
 * Tells whether a definition refers to something outside: a file outside its project, or a text of another origin. What
 * it answers may then be more than its author could show to others.
 */
export function refersOutside({ references, texts }: Pick<Definition, "references" | "texts">): boolean {
  return [...references].some(([uri, { isOutside }]) => isOutside && texts.get(uri) !== undefined);
}

/**
 * Removes the repeated diagnostics of an overlay that applies to several definitions. Its `unmatched-target` warnings
 * remain, once, for targets that find nothing in any of these definitions.
 */
export function withoutRepeatedTargets(
  diagnostics: readonly UnlocatedDiagnostic[],
  definitions: readonly Pick<Definition, "document">[],
): UnlocatedDiagnostic[] {
  const overlays = definitions.flatMap(({ document }) => document.overlays);
  const times = new Map<string, number>();
  const keyOf = ({ code, message, source: { uri }, pointer }: UnlocatedDiagnostic): string =>
    JSON.stringify([code, message, uri, pointer]);
  return diagnostics.filter((diagnostic) => {
    const applied = overlays.filter((source) => source === diagnostic.source).length;
    if (applied < 2) return true;
    const key = keyOf(diagnostic);
    times.set(key, (times.get(key) ?? 0) + 1);
    return times.get(key) === (diagnostic.code === "unmatched-target" ? applied : 1);
  });
}

/** The text at a URI for code frames, if a definition or its overlays were read from there. */
export function textIn({ sources, overlays }: Document, uri: string): string | undefined {
  const source = sources.get(uri) ?? overlays.find((overlay) => overlay.uri === uri);
  return source?.isHidden ? undefined : source?.text();
}

/** The text of a definition, as it reads after its overlays were applied. */
export function definitionText({ document, texts }: Pick<Definition, "document" | "texts">): string {
  return overlaidText(document)?.text ?? decodeText(texts.get(document.uri) ?? new Uint8Array());
}

/** File names without an extension that say nothing about the API. */
const GENERIC = /^(openapi|swagger|api|spec|index|definition|stdin)$/;

/** Derives a DNS label (RFC 1123) from the name of a definition's file, or from its title. */
export function apiNameOf(definition: Pick<Definition, "operand" | "document">): string {
  return labelOf(nameSourceOf(definition)) || "api";
}

/**
 * What an API is named after: its file without the ending, or the title. Different ones may give equal names:
 * characters are replaced, and names are cut.
 */
export function nameSourceOf({ operand, document }: Pick<Definition, "operand" | "document">): string {
  const file = basename(URL.parse(operand)?.pathname ?? operand).replace(/\.[^.]*$/, "");
  const label = labelOf(file);
  if (label !== "" && !GENERIC.test(label)) return file;
  const title = child(child(document.root, "info"), "title").value;
  return typeof title === "string" ? title : "";
}

function labelOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 63).replace(/^-+|-+$/g, "");
}
