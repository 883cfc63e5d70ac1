import type { JsonObject, Node } from "../schema/node.ts";
import { formatPointer } from "../schema/pointer.ts";
import type { Source } from "../schema/source.ts";
import { resolveUri, withoutFragment } from "../schema/uri.ts";
import { EXTENSION } from "./extension/settings.ts";
import { LIMITS } from "./reading.ts";

/** A reference in a text, with its resolved URI. */
export interface Mention {
  /**
   * The object that has the reference: a Reference Object, a schema with `$ref`, or an Example Object with
   * `externalValue`.
   */
  readonly node: Node;
  /** The absolute URI of the target, with its fragment. */
  readonly uri: string;
  /** The URI of the text in which the reference is written: that of the source, or of an overlay. */
  readonly writer: string;
}

/** The references in a text, and the schemas that references can identify. */
export interface Mentions {
  /** One object for each target of `$ref`, by the target's absolute URI. */
  readonly references: ReadonlyMap<string, Mention>;
  /** One object for each target of `externalValue` (OpenAPI 3.0, section 4.7.19), by the target's absolute URI. */
  readonly externalValues: ReadonlyMap<string, Mention>;
  /** Schemas with an `$id`, `$anchor` or `$dynamicAnchor`, by absolute URI (JSON Schema 2020-12 core, section 8.2). */
  readonly named: ReadonlyMap<string, Node>;
  /** The first object with an `$id` that is no identifier. */
  readonly unknownId: Node | undefined;
  /** The first object that has a key longer than the limit. */
  readonly longKeyed: Node | undefined;
  /** Whether an object may have an `x-svc`. Data of the API isn't scanned, so a reference to it counts as one. */
  readonly mayHaveExtension: boolean;
}

/**
 * An object or array on the stack of the traversal. Its JSON Pointer is made from the keys of its ancestors on demand.
 */
interface Frame {
  value: JsonObject | unknown[];
  key: string | number;
  parent: Frame | undefined;
  /** The base URI of references in the object or array. */
  base: string;
  /** Whether the keys are names that the author chooses, rather than keywords. */
  isMap: boolean;
}

/** Keywords whose value is a reference, or an identifier that references can use. */
const KEYWORDS = new Set(["$ref", "$id", "$self", "$anchor", "$dynamicAnchor", "externalValue"]);

/**
 * Keywords of any version whose value is a map with keys that the author chooses: in `properties`, `example` is the
 * name of a property.
 */
export const MAPS: ReadonlySet<string> = new Set([
  "additionalOperations",
  "callbacks",
  "content",
  "definitions",
  "$defs",
  "dependentRequired",
  "dependentSchemas",
  "encoding",
  "examples",
  "headers",
  "links",
  "mapping",
  "mediaTypes",
  "parameters",
  "pathItems",
  "paths",
  "patternProperties",
  "properties",
  "requestBodies",
  "responses",
  "schemas",
  "scopes",
  "securityDefinitions",
  "securitySchemes",
  "variables",
  "webhooks",
  "x-webhooks",
]);

/** Keywords whose value is data of the API: a `$ref` inside it isn't a reference. */
export const DATA: ReadonlySet<string> = new Set(["example", "default", "enum", "const", "value", "dataValue"]);

/** Matches the URI of a reference into data, such as `#/x-paths/example/pets`, and of some other references. */
const INTO_DATA = new RegExp(`/(?:${[...DATA].join("|")})(?:/|$)`);

/**
 * Collects the references and identifiers of a text in one traversal. Takes time in proportion to its size.
 *
 * @param hasIdentifiers Whether schemas have identifiers. Those of OpenAPI before 3.1 have none: `$id` is no keyword.
 */
export function scanMentions(source: Source, hasIdentifiers = true): Mentions {
  const scan: Scan = {
    source,
    hasIdentifiers,
    unknownId: undefined,
    references: new Map(),
    externalValues: new Map(),
    named: new Map(),
    seen: source.isShared ? new Set() : undefined,
    stack: [],
    longKeyed: undefined,
    mayHaveExtension: false,
  };
  if (isContainer(source.value)) {
    scan.stack.push({ value: source.value, key: "", parent: undefined, base: source.uri, isMap: false });
  }
  for (let frame = scan.stack.pop(); frame !== undefined; frame = scan.stack.pop()) {
    // The parent was visited before, so the parent's `base` already includes its `$id`.
    frame.base = frame.parent?.base ?? frame.base;
    const { value } = frame;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) push(scan, frame, index, value[index], false);
    } else {
      scanObject(scan, frame, value);
    }
  }
  return scan;
}

/** The state of the traversal of one text. */
interface Scan extends Mentions {
  readonly source: Source;
  readonly hasIdentifiers: boolean;
  unknownId: Node | undefined;
  readonly references: Map<string, Mention>;
  readonly externalValues: Map<string, Mention>;
  readonly named: Map<string, Node>;
  /** The objects visited so far; `undefined` if the text has no YAML aliases, so that each object is reached once. */
  readonly seen: Set<object> | undefined;
  readonly stack: Frame[];
  longKeyed: Node | undefined;
  mayHaveExtension: boolean;
}

function scanObject(scan: Scan, frame: Frame, value: JsonObject): void {
  const { isMap } = frame;
  let keywords: [keyword: string, value: string][] | undefined;
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (key.length > LIMITS.key) scan.longKeyed ??= nodeOf(scan, frame);
    if (key === EXTENSION) scan.mayHaveExtension = true;
    if (typeof part === "object") {
      if (isMap || !DATA.has(key)) push(scan, frame, key, part, !isMap && MAPS.has(key));
    } else if (typeof part === "string" && !isMap && KEYWORDS.has(key)) {
      (keywords ??= []).push([key, part]);
    }
  }
  if (keywords !== undefined) readKeywords(scan, frame, new Map(keywords));
}

function push({ seen, stack }: Scan, parent: Frame, key: string | number, value: unknown, isMap: boolean): void {
  if (!isContainer(value) || seen?.has(value)) return;
  seen?.add(value);
  stack.push({ value, key, parent, base: "", isMap });
}

function readKeywords(scan: Scan, frame: Frame, keywords: ReadonlyMap<string, string>): void {
  if (scan.hasIdentifiers) readIdentifiers(scan, frame, keywords);
  else if (keywords.has("$id")) scan.unknownId ??= nodeOf(scan, frame);
  mention(scan, scan.references, frame, keywords.get("$ref"));
  mention(scan, scan.externalValues, frame, keywords.get("externalValue"));
}

function readIdentifiers(scan: Scan, frame: Frame, keywords: ReadonlyMap<string, string>): void {
  const { named } = scan;
  const id = keywords.get("$id") ?? (frame.parent === undefined ? keywords.get("$self") : undefined);
  if (id !== undefined) {
    frame.base = resolveUri(id, frame.base);
    named.set(withoutFragment(frame.base), nodeOf(scan, frame));
  }
  for (const keyword of ["$anchor", "$dynamicAnchor"]) {
    const anchor = keywords.get(keyword);
    if (anchor !== undefined) named.set(`${withoutFragment(frame.base)}#${anchor}`, nodeOf(scan, frame));
  }
}

function mention(scan: Scan, mentions: Map<string, Mention>, frame: Frame, reference: string | undefined): void {
  if (reference === undefined) return;
  const { source } = scan;
  const uri = resolveUri(reference, frame.base);
  const known = mentions.get(uri);
  if (known !== undefined && known.writer === source.uri) return;
  const node = nodeOf(scan, frame);
  const place = { pointer: `${node.pointer}/${mentions === scan.references ? "$ref" : "externalValue"}` };
  // Only references to other texts depend on who wrote them.
  const writer = withoutFragment(uri) === source.uri ? source.uri : source.originOf?.(place).source.uri ?? source.uri;
  // What the definition itself refers to as well, it refers to, and no overlay.
  if (known === undefined || writer === source.uri) mentions.set(uri, { uri, node, writer });
  if (INTO_DATA.test(uri)) scan.mayHaveExtension = true;
}

function nodeOf({ source }: Scan, frame: Frame): Node {
  const tokens: (string | number)[] = [];
  for (let at = frame; at.parent !== undefined; at = at.parent) tokens.push(at.key);
  return { value: frame.value, source, pointer: formatPointer(tokens.reverse()) };
}

function isContainer(value: unknown): value is Frame["value"] {
  return typeof value === "object" && value !== null;
}
