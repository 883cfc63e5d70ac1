import { isObject, type JsonObject, type Node } from "../schema/node.ts";
import { formatPointer } from "../schema/pointer.ts";
import type { Source } from "../schema/source.ts";
import { resolveUri, withoutFragment } from "../schema/uri.ts";
import { LIMITS } from "./source.ts";

/** A mention of another place, as it stands in a source. */
export interface Mention {
  /** The node that holds it: a Reference Object or a schema with `$ref`, or an Example Object with `externalValue`. */
  readonly node: Node;
  /** What it refers to, as an absolute URI with its fragment. */
  readonly uri: string;
}

/** What a source refers to, and what in it can be referred to by name. */
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

/** An object on the way through a source; its pointer is made only where it is asked for. */
interface Frame {
  value: JsonObject | unknown[];
  key: string | number;
  parent: Frame | undefined;
  /** URI that references in it are relative to. */
  base: string;
  /** Whether its keys are names that the author chose, not keywords. */
  isMap: boolean;
}

/** Keywords with a string that names a place. */
const KEYWORDS = new Set(["$ref", "$id", "$self", "$anchor", "$dynamicAnchor", "externalValue"]);

/** Keywords under which the keys are names, so that a property may be called `example`. */
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

/** Keywords whose value is data of the API: a `$ref` in it is not ours. */
export const DATA: ReadonlySet<string> = new Set(["example", "default", "enum", "const", "value", "dataValue"]);

/** Walks a source once and lists what it mentions. Costs what the source's size costs. */
export function scanMentions(source: Source): Mentions {
  const references = new Map<string, Mention>();
  const externalValues = new Map<string, Mention>();
  const named = new Map<string, Node>();
  const seen = source.isShared ? new Set<object>() : undefined;
  const stack: Frame[] = [];
  let longKeyed: Node | undefined;
  if (isObject(source.value)) {
    stack.push({ value: source.value, key: "", parent: undefined, base: source.uri, isMap: false });
  }
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    // The parent is done with by now, so that its `$id` counts.
    frame.base = frame.parent?.base ?? frame.base;
    const { value, isMap } = frame;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) push(frame, index, value[index], false);
      continue;
    }
    let keywords: [keyword: string, value: string][] | undefined;
    for (const key of Object.keys(value)) {
      const part = value[key];
      if (key.length > LIMITS.key) longKeyed ??= nodeOf(frame);
      if (typeof part === "object") {
        if (isMap || !DATA.has(key)) push(frame, key, part, !isMap && MAPS.has(key));
      } else if (typeof part === "string" && !isMap && KEYWORDS.has(key)) {
        (keywords ??= []).push([key, part]);
      }
    }
    if (keywords !== undefined) readKeywords(frame, new Map(keywords));
  }
  return { references, externalValues, named, longKeyed };

  function push(parent: Frame, key: string | number, value: unknown, isMap: boolean): void {
    if (!isContainer(value) || seen?.has(value)) return;
    seen?.add(value);
    stack.push({ value, key, parent, base: "", isMap });
  }

  function readKeywords(frame: Frame, keywords: ReadonlyMap<string, string>): void {
    const id = keywords.get("$id") ?? (frame.parent === undefined ? keywords.get("$self") : undefined);
    if (id !== undefined) {
      frame.base = resolveUri(id, frame.base);
      named.set(withoutFragment(frame.base), nodeOf(frame));
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = keywords.get(keyword);
      if (anchor !== undefined) named.set(`${withoutFragment(frame.base)}#${anchor}`, nodeOf(frame));
    }
    mention(references, frame, keywords.get("$ref"));
    mention(externalValues, frame, keywords.get("externalValue"));
  }

  function mention(mentions: Map<string, Mention>, frame: Frame, reference: string | undefined): void {
    if (reference === undefined) return;
    const uri = resolveUri(reference, frame.base);
    if (!mentions.has(uri)) mentions.set(uri, { uri, node: nodeOf(frame) });
  }

  function nodeOf(frame: Frame): Node {
    const tokens: (string | number)[] = [];
    for (let at = frame; at.parent !== undefined; at = at.parent) tokens.push(at.key);
    return { value: frame.value, source, pointer: formatPointer(tokens.reverse()) };
  }
}

function isContainer(value: unknown): value is Frame["value"] {
  return typeof value === "object" && value !== null;
}
