import type { OpenAPIV2, OpenAPIV3, OpenAPIV3_1 } from "openapi-types";
import { messageOf } from "../http/message.ts";
import { type Diagnostic, locateDiagnostics } from "./diagnostic.ts";
import { child, isObject, type Node, rootOf } from "../schema/json/node.ts";
import { lookUp } from "../schema/json/reference.ts";
import type { Source } from "../schema/json/source.ts";
import { isDataUri, withoutFragment } from "../schema/json/uri.ts";
import type { RuleCode } from "./rules.ts";
import { type BrokenName, type Mention, type Mentions, type Misplaced, scanMentions } from "./text/scan.ts";
import type { SchemaDocument, Version } from "../schema/dialect.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";
import type { SettingsValidator } from "./extension/validate_settings.ts";
import type { Overlay } from "./overlay/read_overlay.ts";
import { LIMITS } from "./reading.ts";
import { readObject, type ReadSource, readSource } from "./text/source.ts";

/** A definition that was read: all its texts, and the diagnostics of reading them. */
export interface Document extends SchemaDocument {
  /** URI of the main text. */
  readonly uri: string;
  /** Version of the OpenAPI Specification; 3.1 where the definition has no readable version. */
  readonly version: Version;
  /** The OpenAPI Object. A Swagger 2.0 definition is converted to OpenAPI 3.0. */
  readonly root: Node<"OpenAPI">;
  /** The root object as the author wrote it; for a Swagger 2.0 definition, the Swagger Object. */
  readonly written: Node<"OpenAPI">;
  /** The main text, and every text that it refers to, by URI. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Schemas with an identifier (`$id`, `$anchor` or `$dynamicAnchor`), by absolute URI. */
  readonly named: ReadonlyMap<string, Node>;
  /** The bytes that the `externalValue` of Example Objects refers to, by URI. */
  readonly externalValues: ReadonlyMap<string, Uint8Array>;
  /** The texts of the overlays that were passed to `parseDocument`. */
  readonly overlays: readonly Source[];
  /** URIs that the definition refers to and that couldn't be loaded. */
  readonly missing: readonly string[];
  /**
   * Validates an `x-svc`; `undefined` if no object of the definition has one.
   *
   * @internal
   */
  readonly validateSettings: SettingsValidator | undefined;
  /** The diagnostics of reading, without lines and columns. */
  readonly unlocatedDiagnostics: readonly UnlocatedDiagnostic[];
  /** The diagnostics of reading. Their lines and columns are looked up at the first access. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Options of {@linkcode parseDocument}. */
export interface ParseOptions {
  /**
   * URI of the text, which relative references are resolved against. Default: `definition`. It isn't absolute, so
   * relative references to other files aren't resolved.
   */
  uri?: string;
  /**
   * Loads another text that the definition refers to, by absolute URI. Rejects if the text can't or must not be loaded.
   * The second argument tells which text refers to it. Default: nothing is loaded, and each reference to another text
   * is reported.
   */
  load?: (uri: string, reference: Reference) => Promise<Uint8Array | LoadedText>;
  /** Default values for fields of the OpenAPI Object that the text may omit. Default: none. */
  defaults?: Readonly<Record<string, unknown>>;
  /**
   * Overlays to apply, in this order. They are applied to the original text, before a Swagger 2.0 definition is
   * converted. References in overlays are relative to the definition. Default: none.
   */
  overlays?: readonly Overlay[];
}

/** A reference from one text to another. */
export interface Reference {
  /** The absolute URI of the text that is referred to. */
  readonly uri: string;
  /** The URI of the text that has the reference: of an overlay, if the overlay has added it. */
  readonly from: string;
  /** The keyword that refers to the text. */
  readonly kind: "$ref" | "externalValue";
}

/** A text that was loaded, with a remark about the reference to it. */
export interface LoadedText {
  /** The text, as it was loaded. */
  readonly bytes: Uint8Array;
  /**
   * The end of a sentence: what speaks against the reference. With a remark, the text is used only if it parses as an
   * object, with a warning, and no message shows parts of it.
   */
  readonly remark?: string;
}

/**
 * A definition as an object, such as a JSON module: one of the types of `npm:openapi-types`, or any other object, for
 * OpenAPI 3.2.
 *
 * @ignore `deno doc --lint` takes the types of npm packages for private ones.
 */
export type DefinitionObject =
  | OpenAPIV2.Document
  | OpenAPIV3.Document
  | OpenAPIV3_1.Document
  | Record<string, unknown>;

/**
 * Reads a definition and every text that it refers to. Doesn't throw for an invalid text: returns everything that could
 * be read, and the problems in `diagnostics`.
 *
 * @param definition The definition, as YAML or JSON in UTF-8, UTF-16 or UTF-32, or as an object. The text of an object is
 * `JSON.stringify(definition, undefined, 2)`: diagnostics have their lines and columns in this text.
 * @param options Where the definition comes from, and how to load the texts that it refers to.
 * @returns The definition. An `error` among its diagnostics means that it can't be mocked as it is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const document = await parseDocument("openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}");
 * assert.equal(document.version, "3.1");
 * assert.deepEqual(document.diagnostics, []);
 * ```
 *
 * @example An object
 * ```ts
 * import assert from "node:assert/strict";
 * import type { OpenAPIV3_1 } from "openapi-types";
 *
 * const pets: OpenAPIV3_1.Document = {
 *   openapi: "3.1.0",
 *   info: { title: "Pets", version: "1.0.0" },
 *   paths: { "/pets": { $ref: "#/components/pathItems/Cats" } },
 * };
 * const { diagnostics: [diagnostic] } = await parseDocument(pets);
 * assert.equal(diagnostic?.code, "broken-reference");
 * assert.equal(diagnostic.pointer, "/paths/~1pets/$ref");
 * assert.equal(diagnostic.line, 9);
 * ```
 */
export async function parseDocument(
  definition: string | Uint8Array | DefinitionObject,
  { uri = "definition", load, defaults = {}, overlays = [] }: ParseOptions = {},
): Promise<Document> {
  const read = await (isText(definition) ? readSource(uri, definition) : readObject(uri, definition));
  const overlaid = await overlay(withDefaults(read.source, defaults), overlays);
  const written = overlaid.source;
  const texts: Texts = {
    load,
    sources: new Map([[written.uri, written]]),
    named: new Map(),
    externalValues: new Map(),
    references: [],
    misplaced: [],
    declaresRef: false,
    missing: new Map(),
    count: 1 + overlays.length,
    bytes: overlays.reduce((sum, { source }) => sum + source.text().length, isText(definition) ? definition.length : 0),
    readDiagnostics: [...read.diagnostics, ...overlaid.diagnostics],
    diagnostics: [],
    mayHaveExtension: false,
    hasIdentifiers: !/^(?:2|3\.0)(?:\.|$)/.test(versionIn(written.value)),
  };
  const { source: main, writers } = isSwagger(written.value)
    ? await convert(texts, written, overlays.length > 0)
    : { source: written };
  // The loop also visits the sources that `readMentions` adds to the map.
  for (const source of texts.sources.values()) {
    await readMentions(texts, source, source === main ? writers : undefined);
  }
  await resolveMisplaced(texts, texts.misplaced);
  const root = rootOf(main) as Node<"OpenAPI">;
  const version = await readVersion(rootOf(written), read.diagnostics, texts.diagnostics);
  texts.diagnostics.push(...texts.readDiagnostics);
  if (version !== undefined) {
    reportMissingParts(root, texts.diagnostics);
    reportBrokenReferences(texts);
  }
  const { sources, named, externalValues, missing, diagnostics } = texts;
  let located: Diagnostic[] | undefined;
  return {
    uri: main.uri,
    version: version ?? "3.1",
    root,
    written: rootOf(written) as Node<"OpenAPI">,
    sources,
    named,
    externalValues,
    overlays: overlays.map(({ source }) => source),
    missing: [...missing.keys()],
    validateSettings: texts.mayHaveExtension
      ? (await import("./extension/validate_settings.ts")).validateSettings
      : undefined,
    unlocatedDiagnostics: diagnostics,
    get diagnostics() {
      return located ??= locateDiagnostics(diagnostics);
    },
  };
}

async function overlay(source: Source, overlays: readonly Overlay[]): Promise<ReadSource> {
  if (overlays.length === 0) return { source, diagnostics: [] };
  const { applyOverlays } = await import("./overlay/apply_overlays.ts");
  return await applyOverlays(source, overlays);
}

function isText(definition: string | Uint8Array | DefinitionObject): definition is string | Uint8Array {
  return typeof definition === "string" || definition instanceof Uint8Array;
}

/** The texts of a definition while they are being loaded and read. */
interface Texts {
  readonly load: ParseOptions["load"];
  readonly sources: Map<string, Source>;
  readonly named: Map<string, Node>;
  readonly externalValues: Map<string, Uint8Array>;
  readonly references: Mention[];
  /** References where OpenAPI has none. */
  readonly misplaced: Misplaced[];
  /** Whether a schema declares a property `$ref`, so that examples may have one. */
  declaresRef: boolean;
  /** The reasons why texts couldn't be loaded, by URI. */
  readonly missing: Map<string, Miss>;
  /** The number of texts, including those that couldn't be loaded. */
  count: number;
  /** The bytes of all texts. */
  bytes: number;
  /**
   * Diagnostics of parsing the texts as JSON or YAML. They are added to `diagnostics` when all texts have been read.
   */
  readonly readDiagnostics: UnlocatedDiagnostic[];
  readonly diagnostics: UnlocatedDiagnostic[];
  /** Whether one of the texts may have an `x-svc`. */
  mayHaveExtension: boolean;
  /** Whether schemas have identifiers: from OpenAPI 3.1 on. */
  readonly hasIdentifiers: boolean;
}

/** Why a text couldn't be loaded. */
interface Miss {
  readonly reason: string;
  /** The {@linkcode rightOf} the reference. Another one with a higher right may succeed. */
  readonly right: number;
}

/** @param writers The mentions that tell which text wrote a reference. Default: those of the source. */
async function readMentions(texts: Texts, source: Source, writers?: Mentions): Promise<void> {
  const { sources, named, externalValues, missing, diagnostics } = texts;
  const mentions = scanMentions(source, texts.hasIdentifiers);
  const written = writers ?? mentions;
  for (const [uri, node] of mentions.named) named.set(uri, node);
  if (mentions.unknownId !== undefined) diagnostics.push(unknownId(mentions.unknownId));
  if (mentions.longKeyed !== undefined) diagnostics.push(longKey(mentions.longKeyed));
  diagnostics.push(...mentions.brokenNames.map(brokenName));
  texts.mayHaveExtension ||= mentions.mayHaveExtension;
  texts.references.push(...mentions.references.values());
  texts.misplaced.push(...mentions.misplaced);
  texts.declaresRef ||= mentions.declaresRef;
  // A `$ref` may refer to the `$id` of a schema in the definition, so only other URIs are loaded.
  const others = Map.groupBy(mentions.references.values(), ({ uri }) => withoutFragment(uri));
  for (const [uri, [mention]] of others) {
    if (mention === undefined || sources.has(uri) || named.has(uri)) continue;
    const loaded = await tryLoad(texts, { uri, from: writerOf(mention, written.references), kind: "$ref" });
    if (loaded !== undefined) await addSource(texts, uri, mention, loaded);
  }
  await loadMisplaced(texts, mentions.misplaced);
  for (const mention of mentions.externalValues.values()) {
    const { uri } = mention;
    if (externalValues.has(uri)) continue;
    const from = writerOf(mention, written.externalValues);
    const bytes = isDataUri(uri)
      ? (await import("../http/data_uri.ts")).parseDataUri(uri)
      : (await tryLoad(texts, { uri, from, kind: "externalValue" }))?.bytes;
    if (bytes !== undefined) externalValues.set(uri, bytes);
    else diagnostics.push(brokenReference(mention, missing.get(uri)?.reason));
  }
}

async function loadMisplaced(texts: Texts, misplaced: readonly Misplaced[]): Promise<void> {
  const { sources, named } = texts;
  for (const mention of misplaced) {
    const uri = withoutFragment(mention.uri);
    if (sources.has(uri) || named.has(uri) || (mention.isData && texts.declaresRef)) continue;
    // An example may lead no further by a reference than by `externalValue`.
    const kind = mention.isData ? "externalValue" : "$ref";
    const loaded = await tryLoad(texts, { uri, from: mention.writer, kind });
    if (loaded !== undefined) await addSource(texts, uri, mention, loaded);
  }
}

/** Puts the targets of misplaced references in their places. */
async function resolveMisplaced(texts: Texts, misplaced: readonly Misplaced[]): Promise<void> {
  const meant = texts.declaresRef ? misplaced.filter(({ isData }) => !isData) : misplaced;
  if (meant.length === 0) return;
  texts.diagnostics.push(...(await import("./misplaced_references.ts")).resolveMisplaced(texts, meant));
}

/**
 * Converts a definition of Swagger 2.0, in which misplaced references would be in the way.
 *
 * @returns The converted definition, and which text wrote what, where overlays did. The places of a converted definition
 * in its original text are approximate, but rights depend on who wrote what.
 */
async function convert(
  texts: Texts,
  written: Source,
  isOverlaid: boolean,
): Promise<{ source: Source; writers?: Mentions }> {
  const mentions = scanMentions(written, false);
  texts.declaresRef = mentions.declaresRef;
  await loadMisplaced(texts, mentions.misplaced);
  await resolveMisplaced(texts, mentions.misplaced);
  const { source, diagnostics } = (await import("./swagger/swagger.ts")).convertSwagger(written);
  texts.readDiagnostics.push(...diagnostics);
  texts.sources.set(source.uri, source);
  return { source, ...(isOverlaid ? { writers: mentions } : {}) };
}

/**
 * The URI of the text that wrote a reference: an overlay, if one did and the definition itself didn't. A reference that
 * isn't found among those as written counts as a fetched overlay's, if there is one.
 */
function writerOf({ uri, node }: Mention, written: ReadonlyMap<string, Mention>): string {
  const mention = written.get(uri);
  if (mention !== undefined) return mention.writer;
  return [...written.values()].map(({ writer }) => writer).find(isUrl) ?? node.source.uri;
}

/** Adds a text that a `$ref` leads to, if it can be read. */
async function addSource(texts: Texts, uri: string, mention: Mention, { bytes, remark }: LoadedText): Promise<void> {
  const { source, diagnostics } = await readSource(uri, bytes);
  const { value } = source;
  const isBroken = diagnostics.some(({ severity }) => severity === "error");
  const place = { source: mention.node.source, pointer: child(mention.node, "$ref").pointer };
  if (remark !== undefined) {
    if (!isObject(value) || isBroken) {
      texts.missing.set(uri, { reason: remark, right: EVERY_RIGHT });
      return;
    }
    const message = `The reference to ${uri} is followed, though ${remark}, and the next release will refuse it.`;
    texts.diagnostics.push({ severity: "warning", code: "outside-reference", message, ...place });
  }
  // A file such as `.env` that a definition refers to is none of its parts, and may be confidential.
  const isPart = typeof value === "object" && value !== null && /\.(?:json|ya?ml)$/i.test(uri);
  const isHidden = remark !== undefined || !isPart;
  if (isBroken && isHidden) {
    // The parser's messages may quote the text.
    const message = `The reference to ${uri} leads to a text that is neither YAML nor JSON.`;
    texts.readDiagnostics.push({ severity: "error", code: "syntax", message, ...place });
    texts.missing.set(uri, { reason: "it is neither YAML nor JSON", right: EVERY_RIGHT });
    return;
  }
  texts.readDiagnostics.push(...diagnostics);
  texts.sources.set(uri, isHidden ? { ...source, isHidden: true } : source);
}

/** The right of a reference that no other one exceeds. */
const EVERY_RIGHT = 2;

/** Ranks references by what they may lead to: a file may refer to more than a fetched text, and by `$ref` to more. */
function rightOf({ from, kind }: Reference): number {
  return isUrl(from) ? 0 : kind === "externalValue" ? 1 : EVERY_RIGHT;
}

function isUrl(uri: string): boolean {
  return /^https?:/.test(uri);
}

/** Loads a text. If it can't be loaded, keeps the reason in `missing`. */
async function tryLoad(texts: Texts, reference: Reference): Promise<LoadedText | undefined> {
  const { load, missing } = texts;
  const { uri } = reference;
  const right = rightOf(reference);
  const miss = missing.get(uri);
  if (miss !== undefined && miss.right >= right) return undefined;
  try {
    if (load === undefined) throw new Error("nothing outside this text is loaded");
    if (++texts.count > LIMITS.texts) throw new Error(`a definition may consist of ${LIMITS.texts} texts`);
    if (texts.bytes > LIMITS.allBytes) throw new Error(`the texts of a definition may have ${LIMITS.allBytes} bytes`);
    const loaded = await load(uri, reference);
    const text = isBytes(loaded) ? { bytes: loaded } : loaded;
    texts.bytes += text.bytes.length;
    if (texts.bytes > LIMITS.allBytes) throw new Error(`the texts of a definition may have ${LIMITS.allBytes} bytes`);
    missing.delete(uri);
    return text;
  } catch (error) {
    missing.set(uri, { reason: messageOf(error), right });
  }
  return undefined;
}

/** Other realms, such as that of jsdom, have another `Uint8Array`. */
function isBytes(loaded: Uint8Array | LoadedText): loaded is Uint8Array {
  return ArrayBuffer.isView(loaded);
}

function reportBrokenReferences(texts: Texts): void {
  let broken = 0;
  for (const mention of texts.references) {
    if (lookUp(texts, mention.uri) !== undefined) continue;
    if (++broken > MOST_BROKEN) return;
    texts.diagnostics.push(brokenReference(mention, texts.missing.get(withoutFragment(mention.uri))?.reason));
  }
}

/** Limit of the broken references that are reported. */
const MOST_BROKEN = 1_000;

function unknownId(node: Node): UnlocatedDiagnostic {
  const message = "The Schema Object has no field `$id` before OpenAPI 3.1: it is ignored, and the references in it " +
    "are relative to this text. Remove it.";
  const { source, pointer } = child(node, "$id");
  return { severity: "warning", code: "unknown-field", message, source, pointer, atKey: true };
}

function longKey({ source, pointer }: Node): UnlocatedDiagnostic {
  const message = `A key of this object has more than ${LIMITS.key} characters.`;
  return { severity: "error", code: "key-too-long", message, source, pointer };
}

function brokenName({ node: { source, pointer }, atKey }: BrokenName): UnlocatedDiagnostic {
  const message = "This name has a line end or another control character, which neither a header nor the log can " +
    "carry. Remove it.";
  return { severity: "error", code: "bad-name", message, source, pointer, atKey };
}

function brokenReference({ node, uri }: Mention, reason: string | undefined): UnlocatedDiagnostic {
  const keyword = isObject(node.value) && Object.hasOwn(node.value, "$ref") ? "$ref" : "externalValue";
  const written = String(child(node, keyword).value);
  const why = reason === undefined ? "there is nothing at that place" : `${withoutFragment(uri)}: ${reason}`;
  return {
    severity: "warning",
    code: "broken-reference",
    message: `The reference ${written} leads nowhere: ${why}.`,
    source: node.source,
    pointer: child(node, keyword).pointer,
  };
}

/**
 * Adds the default values of fields that the text omits. Diagnostics of these fields point to the start of the text.
 */
function withDefaults(source: Source, defaults: Readonly<Record<string, unknown>>): Source {
  const { value } = source;
  if (!isObject(value) || Object.keys(defaults).length === 0) return source;
  // A Swagger 2.0 definition has `swagger` for its version, so it doesn't get the default of `openapi`.
  const { openapi, ...others } = defaults;
  const version = openapi === undefined || Object.hasOwn(value, "swagger") ? {} : { openapi };
  return { ...source, value: { ...version, ...others, ...value } };
}

function isSwagger(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "swagger") && /^2(\.0)?$/.test(String(value["swagger"]));
}

/** The version as it is written, such as `3.0.3`. YAML parses an unquoted `3.0` as the number 3. */
function versionIn(value: unknown): string {
  if (!isObject(value)) return "";
  const version = Object.hasOwn(value, "swagger") ? value["swagger"] : value["openapi"];
  return typeof version === "number" ? version.toFixed(1) : typeof version === "string" ? version : "";
}

/** Reads the version from `openapi` or `swagger`. YAML parses an unquoted `3.1` as a number, which is accepted. */
async function readVersion(
  root: Node,
  ofText: readonly UnlocatedDiagnostic[],
  diagnostics: UnlocatedDiagnostic[],
): Promise<Version | undefined> {
  const refuse = (message: string, pointer = ""): undefined => {
    const known = ofText.some((diagnostic) => diagnostic.severity === "error");
    if (!known) diagnostics.push({ severity: "error", code: "not-openapi", message, source: root.source, pointer });
    return undefined;
  };
  if (!isObject(root.value)) return refuse("This is not an OpenAPI definition: it is not an object.");
  const [keyword, version] = Object.hasOwn(root.value, "swagger")
    ? ["swagger", root.value["swagger"]]
    : ["openapi", root.value["openapi"]];
  if (version === undefined) {
    // Imported only here: the texts of nearly all programs are definitions.
    const { describeOtherFormat } = await import("./text/other_format.ts");
    const reason = describeOtherFormat(root.value) ?? "the field `openapi`, such as `openapi: 3.1.0`, is missing.";
    return refuse(`This is not an OpenAPI definition: ${reason}`);
  }
  if (typeof version !== "string" && typeof version !== "number") {
    return refuse(`The field \`${keyword}\` must be a version such as \`3.1.0\`.`, `/${keyword}`);
  }
  const text = versionIn(root.value);
  const known = /^(2\.0|3\.[012])(?![0-9])/.exec(text)?.[1];
  if (known === "2.0" || known === "3.0" || known === "3.1" || known === "3.2") return known;
  return refuse(`OpenAPI ${text} is not supported; 2.0, 3.0, 3.1 and 3.2 are.`, `/${keyword}`);
}

/** Reports missing fields that the specification requires, but that a mock can do without. */
function reportMissingParts(root: Node, diagnostics: UnlocatedDiagnostic[]): void {
  const report = (code: RuleCode, message: string): void => {
    diagnostics.push({ severity: "warning", code, message, source: root.source, pointer: root.pointer });
  };
  const has = (key: string): boolean => isObject(child(root, key).value);
  if (!has("info")) report("missing-info", "The definition has no `info` with a title and a version.");
  if (!has("paths") && !has("webhooks") && !has("components")) {
    report("missing-paths", "The definition has no `paths`, so that no request can be answered.");
  }
}
