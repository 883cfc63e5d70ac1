import { isObject, type JsonObject, type Node } from "../schema/node.ts";
import { formatPointer } from "../schema/pointer.ts";
import type { Source } from "../schema/source.ts";
import { resolveUri, withoutFragment } from "../schema/uri.ts";
import { LIMITS } from "./reading.ts";

/** A reference to another place, as written in a source. */
export interface Mention {
  /**
   * The node that has the reference: a Reference Object or a schema with `$ref`, or an Example Object with
   * `externalValue`.
   */
  readonly node: Node;
  /** The absolute URI of the reference's target, with the fragment. */
  readonly uri: string;
}

/** The references in a source, and its schemas with `$id` or an anchor. */
export interface Mentions {
  /** Each `$ref` once, by its absolute URI. */
  readonly references: ReadonlyMap<string, Mention>;
  /** Each `externalValue` once (OpenAPI 3.0, section 4.7.19). */
  readonly externalValues: ReadonlyMap<string, Mention>;
  /** Schemas that have an `$id`, `$anchor` or `$dynamicAnchor`, by absolute URI (JSON Schema 2020-12, section 8.2). */
  readonly named: ReadonlyMap<string, Node>;
  /** The first object that has a key longer than the limit. */
  readonly longKeyed: Node | undefined;
}

/** An object or array that the walk through a source visits. Its pointer is made from the keys when it is needed. */
interface Frame {
  value: JsonObject | unknown[];
  key: string | number;
  parent: Frame | undefined;
  /** The base URI of references in the object or array. */
  base: string;
  /** Whether the object's keys are names that the author chooses, not keywords. */
  isMap: boolean;
}

/** Keywords whose string is a reference, or an identifier that references use. */
const KEYWORDS = new Set(["$ref", "$id", "$self", "$anchor", "$dynamicAnchor", "externalValue"]);

/** Keywords whose value has names as keys: in `properties`, `example` is a property and not a keyword. */
export const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "definitions",
  "$defs",
  "dependentSchemas",
  "schemas",
  "responses",
  "parameters",
  "headers",
  "examples",
  "requestBodies",
  "links",
  "callbacks",
  "pathItems",
  "paths",
  "content",
]);

/** Keywords whose value is data of the API: a `$ref` in it is no reference. */
export const DATA: ReadonlySet<string> = new Set(["example", "default", "enum", "const", "value", "dataValue"]);

/** Walks a source once and lists its references and names. Costs time in proportion to its size. */
export function scanMentions(source: Source): Mentions {
  const scan: Scan = {
    source,
    references: new Map(),
    externalValues: new Map(),
    named: new Map(),
    seen: source.isShared ? new Set() : undefined,
    stack: [],
    longKeyed: undefined,
  };
  if (isObject(source.value)) {
    scan.stack.push({ value: source.value, key: "", parent: undefined, base: source.uri, isMap: false });
  }
  for (let frame = scan.stack.pop(); frame !== undefined; frame = scan.stack.pop()) {
    // The parent was scanned before, so its `base` is already that of its `$id`.
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

/** A source, with the state of the walk through it. */
interface Scan extends Mentions {
  readonly source: Source;
  readonly references: Map<string, Mention>;
  readonly externalValues: Map<string, Mention>;
  readonly named: Map<string, Node>;
  /** The objects visited so far; `undefined` if no object can be reached twice, as it can by YAML aliases. */
  readonly seen: Set<object> | undefined;
  readonly stack: Frame[];
  longKeyed: Node | undefined;
}

function scanObject(scan: Scan, frame: Frame, value: JsonObject): void {
  const { isMap } = frame;
  let keywords: [keyword: string, value: string][] | undefined;
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (key.length > LIMITS.key) scan.longKeyed ??= nodeOf(scan, frame);
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
  mention(scan, scan.references, frame, keywords.get("$ref"));
  mention(scan, scan.externalValues, frame, keywords.get("externalValue"));
}

function mention(scan: Scan, mentions: Map<string, Mention>, frame: Frame, reference: string | undefined): void {
  if (reference === undefined) return;
  const uri = resolveUri(reference, frame.base);
  if (!mentions.has(uri)) mentions.set(uri, { uri, node: nodeOf(scan, frame) });
}

function nodeOf({ source }: Scan, frame: Frame): Node {
  const tokens: (string | number)[] = [];
  for (let at = frame; at.parent !== undefined; at = at.parent) tokens.push(at.key);
  return { value: frame.value, source, pointer: formatPointer(tokens.reverse()) };
}

function isContainer(value: unknown): value is Frame["value"] {
  return typeof value === "object" && value !== null;
}
