import type { UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import { type Document, type OutsideText, parseDocument, type Referrer } from "../../lib/openapi/document.ts";
import type { ReferenceBounds } from "../../lib/openapi/reference_bounds.ts";
import { overlaidText } from "../../lib/openapi/overlay/overlaid_text.ts";
import { isRemote, STDIN, toUri } from "./location.ts";
import type { OverlayFile, OverlayFiles } from "./overlay_files.ts";
import { isSameText, readText, type Text } from "./read.ts";
import { basename } from "node:path";
import { child } from "../../lib/schema/node.ts";

export interface Definition {
  /** The operand of the command line that names the definition. */
  readonly operand: string;
  readonly document: Document;
  /** The texts that the definition was read from, by URI; `undefined` for a text that couldn't be read. */
  readonly texts: ReadonlyMap<string, Uint8Array | undefined>;
  /** How the texts that the definition refers to were read, by URI. */
  readonly referrals: ReadonlyMap<string, Referral>;
  /** The overlays that apply to the definition, in the order of their application. */
  readonly overlays: readonly OverlayFile[];
  /** The entity tag of the definition's text, if the text was fetched. */
  readonly etag?: string;
  /** The source was standard input or another pipe, which can't be read again. */
  readonly isPipe?: true;
}

/** How a text was read that a definition refers to. */
interface Referral {
  /** The text that refers to it. */
  readonly referrer: Referrer;
  /** Where the text was read from, after redirects. */
  readonly at: string;
  /** Whether this is outside the project of the definition, or another origin. */
  readonly isOutside: boolean;
}

export function documentsOf(definitions: readonly Definition[]): Document[] {
  return definitions.map(({ document }) => document);
}

export interface DefinitionOptions {
  /** Reads standard input, for the operand `-`. */
  readStdin: () => Promise<Uint8Array>;
  /** Judges what the texts of the definitions refer to. */
  bounds: ReferenceBounds;
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
    : await readText(uri, options);
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
  return /^\s*<(?:!doctype\s+html|html|head|body)\b/i.test(new TextDecoder().decode(bytes.subarray(0, 1000)));
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
  const { operand, document, texts, referrals, isPipe = false } = known;
  const keeps = (uri: string): boolean => what === "files" && isRemote(uri);
  const main = isPipe || keeps(document.uri) ? undefined : await rereadMain(known, options);
  const text = main ?? { ...known, uri: document.uri, bytes: texts.get(document.uri) };
  const { uri, bytes } = text;
  if (bytes === undefined) return known;
  const overlays = await readOverlays(operand, what, options);

  const fresh = new Map<string, Promise<Reread | undefined>>();
  const signal = AbortSignal.timeout(TIMEOUT);
  let isUnchanged = isSameText(bytes, texts.get(uri)) && haveSameItems(overlays, known.overlays);
  for (const [other, before] of texts) {
    if (other === uri) continue;
    const referral = referrals.get(other);
    if (referral === undefined) continue;
    const now = keeps(other)
      ? Promise.resolve({ bytes: before, at: referral.at })
      : readAgain(other, referral.referrer, options, signal).catch(() => undefined);
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
async function rereadMain({ operand, etag }: Definition, { bounds }: DefinitionOptions): Promise<Text | undefined> {
  return await readText(toUri(operand), etag === undefined ? { bounds } : { bounds, etag });
}

/** Milliseconds within which all texts must be read that a definition refers to. */
const TIMEOUT = 300_000;

async function parseDefinition(
  operand: string,
  { uri, bytes, etag, isPipe }: Text,
  options: DefinitionOptions,
  overlays: readonly OverlayFile[],
  fresh: ReadonlyMap<string, Promise<Reread | undefined>> = new Map(),
): Promise<Definition> {
  const texts = new Map<string, Uint8Array | undefined>([[uri, bytes]]);
  const referrals = new Map<string, Referral>();
  const signal = AbortSignal.timeout(TIMEOUT);
  const { parse = parseDocument, bounds } = options;
  const document = await parse(bytes, { uri, load, overlays: overlays.map(({ overlay }) => overlay) });
  return {
    operand,
    document,
    texts,
    referrals,
    overlays,
    ...(etag === undefined ? {} : { etag }),
    ...(isPipe ? { isPipe } : {}),
  };

  async function load(other: string, written: Referrer): Promise<Uint8Array | OutsideText> {
    const referrer = { ...written, uri: referrals.get(written.uri)?.at ?? written.uri };
    const permission = await bounds.judge(other, referrer).catch((error: unknown) => {
      note(other, undefined, { referrer, at: other, isOutside: false });
      throw error;
    });
    // A refused text isn't watched: for some, such as devices, that would already be a use.
    if (permission.kind === "refused") throw new Error(permission.reason);
    note(other, undefined, { referrer, at: other, isOutside: permission.isOutside });
    const known = await fresh.get(other);
    // When a definition is read again, don't repeat a fetch that has just failed. But read a missing file again: an
    // editor may have saved it meanwhile.
    if (known?.bytes === undefined && fresh.has(other) && isRemote(other)) throw new Error("it could not be fetched");
    const { bytes, at } = isRead(known) ? known : await readReferred(other, referrer, options, signal);
    note(other, bytes, { referrer, at, isOutside: permission.isOutside || isMoved(other, at) });
    return permission.warning === undefined ? bytes : { bytes, warning: permission.warning };
  }

  function note(other: string, bytes: Uint8Array | undefined, referral: Referral): void {
    texts.set(other, bytes);
    referrals.set(other, referral);
  }
}

/** A text that was read for another one, or that is missing. */
interface Reread {
  readonly bytes: Uint8Array | undefined;
  /** Where it was read from, after redirects. */
  readonly at: string;
}

function isRead(reread: Reread | undefined): reread is Reread & { readonly bytes: Uint8Array } {
  return reread?.bytes !== undefined;
}

/** Reads a text that another one refers to, once more: links on its path may lead elsewhere by now. */
async function readAgain(
  uri: string,
  referrer: Referrer,
  options: DefinitionOptions,
  signal: AbortSignal,
): Promise<Reread> {
  const permission = await options.bounds.judge(uri, referrer);
  if (permission.kind === "refused") throw new Error(permission.reason);
  return await readReferred(uri, referrer, options, signal);
}

/** Reads a text that another one may refer to. */
async function readReferred(
  uri: string,
  referrer: Referrer,
  { bounds }: DefinitionOptions,
  signal: AbortSignal,
): Promise<Reread & { readonly bytes: Uint8Array }> {
  const text = await readText(uri, { bounds, referrer, signal });
  if (text === undefined) throw new Error("the server sent nothing");
  return { bytes: text.bytes, at: text.uri };
}

function isMoved(uri: string, at: string): boolean {
  return isRemote(uri) && new URL(uri).origin !== new URL(at).origin;
}

/**
 * Tells whether a definition refers to something outside: a file outside its project, or a text of another origin. What
 * it answers may then be more than its author could show to others.
 */
export function refersOutside({ referrals, texts }: Pick<Definition, "referrals" | "texts">): boolean {
  return [...referrals].some(([uri, { isOutside }]) => isOutside && texts.get(uri) !== undefined);
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
  return source?.isForeign ? undefined : source?.text();
}

/** The text of a definition, as it reads after its overlays were applied. */
export function textOf({ document, texts }: Pick<Definition, "document" | "texts">): string {
  return overlaidText(document)?.text ?? new TextDecoder().decode(texts.get(document.uri));
}

/** File names without an extension that say nothing about the API. */
const GENERIC = /^(openapi|swagger|api|spec|index|definition|stdin)$/;

/** Derives a DNS label (RFC 1123) from the name of a definition's file, or from its title. */
export function apiNameOf({ operand, document }: Pick<Definition, "operand" | "document">): string {
  const file = labelOf(basename(URL.parse(operand)?.pathname ?? operand).replace(/\.[^.]*$/, ""));
  if (file !== "" && !GENERIC.test(file)) return file;
  const title = child(child(document.root, "info"), "title").value;
  return (typeof title === "string" ? labelOf(title) : "") || "api";
}

function labelOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 63).replace(/^-+|-+$/g, "");
}
