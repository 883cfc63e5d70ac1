import { messageOf } from "../http/message.ts";
import { type Diagnostic, locateDiagnostics } from "./diagnostic.ts";
import { child, isObject, type Node, rootOf } from "../schema/node.ts";
import { lookUp } from "../schema/reference.ts";
import type { Source } from "../schema/source.ts";
import { withoutFragment } from "../schema/uri.ts";
import type { RuleCode } from "./rules.ts";
import { type Mention, scanMentions } from "./scan.ts";
import type { SchemaDocument, Version } from "../schema/dialect.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";
import { LIMITS, readSource } from "./source.ts";

/** A definition that was read: every text that it is made of, and what is wrong with them. */
export interface Document extends SchemaDocument {
  /** URI of the main text. */
  readonly uri: string;
  /** Version of the specification that it follows; 3.1 where that can't be read. */
  readonly version: Version;
  /** The OpenAPI Object; that of a Swagger 2.0 definition is converted to OpenAPI 3.0. */
  readonly root: Node<"OpenAPI">;
  /** The same as it was written. */
  readonly written: Node<"OpenAPI">;
  /** The main text and every text that it refers to, by URI. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Schemas that have a name of their own (`$id`, `$anchor`, `$dynamicAnchor`), by absolute URI. */
  readonly named: ReadonlyMap<string, Node>;
  /** The bytes of `externalValue`s, by URI. */
  readonly externalValues: ReadonlyMap<string, Uint8Array>;
  /** URIs that the definition refers to and that could not be loaded. */
  readonly missing: readonly string[];
  /** The diagnostics of reading, before their lines and columns are looked up. */
  readonly unlocatedDiagnostics: readonly UnlocatedDiagnostic[];
  /** The diagnostics of reading, with line and column, which are looked up at the first access. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Where a definition comes from. */
export interface ParseOptions {
  /** Address of the text, which its relative references start from. Default: `definition`, a name without a folder. */
  uri?: string;
  /**
   * Loads another text that the definition refers to, by absolute URI; rejects when it can't or must not. Default:
   * nothing is loaded, and each such reference is reported.
   */
  load?: (uri: string) => Promise<Uint8Array>;
  /** Fields that the text may leave out, with the values that they have then. Default: none. */
  defaults?: Readonly<Record<string, unknown>>;
}

/**
 * Reads a definition and every text that it refers to. Never throws for what a text says: the problems are in
 * `diagnostics`, and whatever could be understood is there beside them.
 *
 * @param text The definition, as YAML or JSON in UTF-8.
 * @param options Where it comes from, and how to load what it refers to.
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
 */
export async function parseDocument(text: string | Uint8Array, options: ParseOptions = {}): Promise<Document> {
  const read = await readSource(options.uri ?? "definition", text);
  const written = withDefaults(read.source, options.defaults ?? {});
  const converted = isSwagger(written.value) ? (await import("./swagger.ts")).convertSwagger(written) : undefined;
  const main = converted?.source ?? written;
  const sources = new Map([[main.uri, main]]);
  const named = new Map<string, Node>();
  const externalValues = new Map<string, Uint8Array>();
  const references: Mention[] = [];
  const missing = new Map<string, string>();
  const ofTexts = [...read.diagnostics, ...converted?.diagnostics ?? []];
  const diagnostics: UnlocatedDiagnostic[] = [];

  for (const source of sources.values()) await readMentions(source);
  const root = rootOf(main) as Node<"OpenAPI">;
  const version = readVersion(rootOf(written), read.diagnostics, diagnostics);
  diagnostics.push(...ofTexts);
  if (version !== undefined) {
    reportMissingParts(root, diagnostics);
    reportBrokenReferences();
  }

  let located: Diagnostic[] | undefined;
  return {
    uri: main.uri,
    version: version ?? "3.1",
    root,
    written: rootOf(written) as Node<"OpenAPI">,
    sources,
    named,
    externalValues,
    missing: [...missing.keys()],
    unlocatedDiagnostics: diagnostics,
    get diagnostics() {
      return located ??= locateDiagnostics(diagnostics);
    },
  };

  async function readMentions(source: Source): Promise<void> {
    const mentions = scanMentions(source);
    for (const [uri, node] of mentions.named) named.set(uri, node);
    if (mentions.longKeyed !== undefined) diagnostics.push(longKey(mentions.longKeyed));
    references.push(...mentions.references.values());
    // Where a `$ref` leads is known only when all names of this source are: it may be the `$id` of a schema.
    for (const uri of new Set([...mentions.references.keys()].map(withoutFragment))) {
      if (sources.has(uri) || named.has(uri) || missing.has(uri)) continue;
      const bytes = await tryLoad(uri);
      if (bytes === undefined) continue;
      const read = await readSource(uri, bytes);
      sources.set(uri, read.source);
      ofTexts.push(...read.diagnostics);
    }
    for (const mention of mentions.externalValues.values()) {
      if (externalValues.has(mention.uri) || missing.has(mention.uri)) continue;
      const bytes = await tryLoad(mention.uri);
      if (bytes !== undefined) externalValues.set(mention.uri, bytes);
      else diagnostics.push(brokenReference(mention, missing.get(mention.uri)));
    }
  }

  async function tryLoad(uri: string): Promise<Uint8Array | undefined> {
    try {
      if (options.load !== undefined) return await options.load(uri);
      missing.set(uri, "nothing outside this text is loaded");
    } catch (error) {
      missing.set(uri, messageOf(error));
    }
    return undefined;
  }

  function reportBrokenReferences(): void {
    let broken = 0;
    for (const mention of references) {
      if (lookUp({ sources, named }, mention.uri) !== undefined) continue;
      if (++broken > MOST_BROKEN) return;
      diagnostics.push(brokenReference(mention, missing.get(withoutFragment(mention.uri))));
    }
  }
}

/** As many broken references as anybody reads of. */
const MOST_BROKEN = 1_000;

function longKey({ source, pointer }: Node): UnlocatedDiagnostic {
  const message = `A key of this object has more than ${LIMITS.key} characters.`;
  return { severity: "error", code: "key-too-long", message, source, pointer };
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

/** Adds the fields that a text may leave out. They stand nowhere in it, so problems in them have the place of the whole. */
function withDefaults(source: Source, defaults: Readonly<Record<string, unknown>>): Source {
  const { value } = source;
  if (!isObject(value) || Object.keys(defaults).length === 0) return source;
  // A Swagger 2.0 definition says its version in another field.
  const { openapi, ...others } = defaults;
  const version = openapi === undefined || Object.hasOwn(value, "swagger") ? {} : { openapi };
  return { ...source, value: { ...version, ...others, ...value } };
}

function isSwagger(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "swagger") && /^2(\.0)?$/.test(String(value["swagger"]));
}

/** Reads `openapi` or `swagger`; an unquoted `3.1` in YAML is a number, which is meant well enough. */
function readVersion(
  root: Node,
  ofText: readonly UnlocatedDiagnostic[],
  diagnostics: UnlocatedDiagnostic[],
): Version | undefined {
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
    return refuse("This is not an OpenAPI definition: the field `openapi`, such as `openapi: 3.1.0`, is missing.");
  }
  if (typeof version !== "string" && typeof version !== "number") {
    return refuse(`The field \`${keyword}\` must be a version such as \`3.1.0\`.`, `/${keyword}`);
  }
  const text = typeof version === "number" ? version.toFixed(1) : version;
  const known = /^(2\.0|3\.[012])(?![0-9])/.exec(text)?.[1];
  if (known === "2.0" || known === "3.0" || known === "3.1" || known === "3.2") return known;
  return refuse(`OpenAPI ${text} is not supported; 2.0, 3.0, 3.1 and 3.2 are.`, `/${keyword}`);
}

/** Reports what a definition should have and can be mocked without. */
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
