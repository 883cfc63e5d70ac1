import type { JsonObject, Node } from "../../schema/json/node.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { Source } from "../../schema/json/source.ts";
import { isDataUri, resolveUri, withoutFragment } from "../../schema/json/uri.ts";
import { EXTENSION } from "../extension/settings.ts";
import { METHODS } from "../methods.ts";
import { LIMITS } from "../reading.ts";

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

/** A name with a line end or another control character. */
export interface BrokenName {
  readonly node: Node;
  /** Whether the name is the key at the node, rather than its value. */
  readonly atKey: boolean;
}

/** A reference where OpenAPI has none. */
export interface Misplaced extends Mention {
  /** The reference as it is written. */
  readonly written: string;
  /** Whether it stands in data of the API, such as an example. */
  readonly isData: boolean;
  /** Whether it stands in the place of a map with keys that the author chooses. */
  readonly isMap: boolean;
  /** Puts a value in the place of the object that has the reference. */
  readonly replace: (value: unknown) => void;
}

/** The references in a text, and the schemas that references can identify. */
export interface Mentions {
  /** One object for each target of `$ref`, by the target's absolute URI. */
  readonly references: ReadonlyMap<string, Mention>;
  /** One object for each target of `externalValue` (OpenAPI 3.0, section 4.7.19), by the target's absolute URI. */
  readonly externalValues: ReadonlyMap<string, Mention>;
  /** References where OpenAPI has none. */
  readonly misplaced: readonly Misplaced[];
  /** Whether a schema declares a property `$ref`, so that examples may have one. */
  readonly declaresRef: boolean;
  /** Schemas with an `$id`, `$anchor` or `$dynamicAnchor`, by absolute URI (JSON Schema 2020-12 core, section 8.2). */
  readonly named: ReadonlyMap<string, Node>;
  /** The first object with an `$id` that is no identifier. */
  readonly unknownId: Node | undefined;
  /** The first object that has a key longer than the limit. */
  readonly longKeyed: Node | undefined;
  /** The first names that a line of text or of HTTP can't carry, each with its object or value. */
  readonly brokenNames: readonly BrokenName[];
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
  /** The text that wrote the `$id` or `$self` in this base, if it isn't the source itself. */
  baseWriter?: string | undefined;
  /** Whether the keys are names that the author chooses, rather than keywords. */
  isMap: boolean;
  /** Whether this is data of the API, such as an example. */
  isData: boolean;
}

/** Keywords whose value is a reference, or an identifier that references can use. */
const KEYWORDS = new Set(["$ref", "$id", "$self", "$anchor", "$dynamicAnchor", "externalValue"]);

/**
 * Keywords of any version whose value is a map with keys that the author chooses: in `properties`, `example` is the
 * name of a property.
 */
export const SCANNED_MAPS: ReadonlySet<string> = new Set([
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

/** Maps whose values may be texts, so that `$ref` may be a name. */
const MAPS_OF_TEXTS: ReadonlySet<string | number> = new Set(["mapping", "scopes"]);

/** Keywords whose value is a list. */
const LISTS: ReadonlySet<string | number> = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "prefixItems",
  "required",
  "security",
  "servers",
  "tags",
]);

const OPERATIONS: ReadonlySet<string | number> = new Set(METHODS);

/** Keywords whose value is an example, in which a `$ref` may be meant as a reference. */
const EXAMPLES: ReadonlySet<string> = new Set(["example", "value", "dataValue"]);

/** The maps whose keys become part of a request line, of a header, or of a line of the log. */
const NAMED: ReadonlySet<string | number> = new Set([
  "additionalOperations",
  "content",
  "examples",
  "headers",
  "paths",
  "responses",
]);

/** Matches control characters other than tabs, and line separators. */
const UNFIT = /[^\P{Cc}\t]|[\u2028\u2029]/u;

/** Limit of the names of a text that are reported as broken. */
const MOST_BROKEN_NAMES = 20;

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
    misplaced: [],
    declaresRef: false,
    named: new Map(),
    seen: source.isShared ? new Set() : undefined,
    stack: [],
    longKeyed: undefined,
    brokenNames: [],
    mayHaveExtension: false,
  };
  if (isContainer(source.value)) {
    scan.stack.push({ value: source.value, key: "", parent: undefined, base: source.uri, isMap: false, isData: false });
  }
  for (let frame = scan.stack.pop(); frame !== undefined; frame = scan.stack.pop()) {
    // The parent was visited before, so the parent's `base` already includes its `$id`.
    frame.base = frame.parent?.base ?? frame.base;
    frame.baseWriter = frame.parent?.baseWriter;
    const { value } = frame;
    if (frame.isData) {
      scanData(scan, frame);
    } else if (Array.isArray(value)) {
      const isListOfTypes = frame.key === "produces" || frame.key === "consumes";
      for (let index = 0; index < value.length; index++) {
        push(scan, frame, index, value[index], false, frame.key === "examples");
        if (isListOfTypes) checkName(scan, frame, index, value[index]);
      }
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
  readonly misplaced: Misplaced[];
  declaresRef: boolean;
  readonly named: Map<string, Node>;
  /** The objects visited so far; `undefined` if the text has no YAML aliases, so that each object is reached once. */
  readonly seen: Set<object> | undefined;
  readonly stack: Frame[];
  longKeyed: Node | undefined;
  readonly brokenNames: BrokenName[];
  mayHaveExtension: boolean;
}

function scanObject(scan: Scan, frame: Frame, value: JsonObject): void {
  const { isMap } = frame;
  const hasNames = isMap && NAMED.has(frame.key);
  let keywords: [keyword: string, value: string][] | undefined;
  for (const key of Object.keys(value)) {
    const part = value[key];
    if (key.length > LIMITS.key) scan.longKeyed ??= nodeOf(scan, frame);
    if (hasNames) checkName(scan, frame, key);
    if (key === EXTENSION) scan.mayHaveExtension = true;
    if (typeof part === "object") {
      if (isMap || !DATA.has(key)) push(scan, frame, key, part, !isMap && SCANNED_MAPS.has(key));
      else if (EXAMPLES.has(key) || isMisplacedEnum(key, part)) push(scan, frame, key, part, false, true);
      if (key === "$ref" && frame.key === "properties") scan.declaresRef = true;
    } else if (typeof part === "string" && !isMap) {
      if (key === "$ref" && isInPlaceOfOther(frame)) addMisplaced(scan, frame, part);
      else if (KEYWORDS.has(key)) (keywords ??= []).push([key, part]);
      if (isNameOf(key, value, frame)) checkName(scan, frame, key, part);
    } else if (key === "$ref" && typeof part === "string" && !MAPS_OF_TEXTS.has(frame.key)) {
      addMisplaced(scan, frame, part);
    }
  }
  if (keywords !== undefined) readKeywords(scan, frame, new Map(keywords));
}

/** Scans data of the API for objects that have a `$ref` and nothing else. */
function scanData(scan: Scan, frame: Frame): void {
  const { value } = frame;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) push(scan, frame, index, value[index], false, true);
    return;
  }
  const keys = Object.keys(value);
  const reference = keys.length === 1 ? value["$ref"] : undefined;
  if (typeof reference === "string") addMisplaced(scan, frame, reference);
  else for (const key of keys) push(scan, frame, key, value[key], false, true);
}

function isMisplacedEnum(key: string, value: unknown): boolean {
  return key === "enum" && isContainer(value) && !Array.isArray(value);
}

/** Whether an object stands where OpenAPI has a list, or an Operation Object. */
function isInPlaceOfOther({ key, parent }: Frame): boolean {
  if (parent === undefined || parent.isMap || Array.isArray(parent.value)) return false;
  const isOperation = OPERATIONS.has(key) && (parent.parent === undefined || parent.parent.isMap);
  return isOperation || LISTS.has(key);
}

function addMisplaced(scan: Scan, frame: Frame, written: string): void {
  const { parent, key, isMap, isData } = frame;
  if (parent === undefined) return;
  const container: Record<string | number, unknown> = parent.value as JsonObject;
  const node = nodeOf(scan, frame);
  scan.misplaced.push({
    node,
    uri: resolveUri(written, frame.base),
    writer: writerOf(scan, frame, node, "$ref", written),
    written,
    isMap,
    isData,
    replace: (value) => container[key] = value,
  });
}

/** Whether the value of a key becomes part of a request line or of a header: of the client's, or of a response. */
function isNameOf(key: string, { in: where }: JsonObject, { parent }: Frame): boolean {
  // Parameter Objects and Security Scheme Objects; Server Objects.
  return key === "name" && typeof where === "string" || key === "url" && parent?.key === "servers";
}

/**
 * Remembers a name that has a line end or another control character.
 *
 * @param value The name, if it isn't the key.
 */
function checkName(scan: Scan, frame: Frame, key: string | number, value?: unknown): void {
  const name = value ?? key;
  if (typeof name !== "string" || !UNFIT.test(name) || scan.brokenNames.length >= MOST_BROKEN_NAMES) return;
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    if (String(at.key).startsWith("x-") && at.key !== "x-webhooks") return;
  }
  const { source, pointer } = nodeOf(scan, frame);
  scan.brokenNames.push({
    node: { source, value: frame.value, pointer: pointer + formatPointer([key]) },
    atKey: value === undefined,
  });
}

function push(
  { seen, stack }: Scan,
  parent: Frame,
  key: string | number,
  value: unknown,
  isMap: boolean,
  isData = false,
): void {
  if (!isContainer(value) || seen?.has(value)) return;
  seen?.add(value);
  stack.push({ value, key, parent, base: "", isMap, isData });
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
    const node = nodeOf(scan, frame);
    const writer = writerOf(scan, frame, node, keywords.has("$id") ? "$id" : "$self", id);
    frame.base = resolveUri(id, frame.base);
    frame.baseWriter = writer === scan.source.uri ? undefined : writer;
    named.set(withoutFragment(frame.base), node);
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
  const keyword = mentions === scan.references ? "$ref" : "externalValue";
  // Only references to other texts depend on who wrote them.
  const writer = withoutFragment(uri) === source.uri ? source.uri : writerOf(scan, frame, node, keyword, reference);
  // What the definition itself refers to as well, it refers to, and no overlay.
  if (known === undefined || writer === source.uri) mentions.set(uri, { uri, node, writer });
  if (INTO_DATA.test(uri)) scan.mayHaveExtension = true;
}

/** The text that decides where a reference leads: the one that wrote it or, of a relative reference, its base. */
function writerOf({ source }: Scan, frame: Frame, node: Node, keyword: string, written: string): string {
  const writer = source.originOf?.({ pointer: `${node.pointer}/${keyword}` }).source.uri ?? source.uri;
  return writer !== source.uri || isDataUri(written) || URL.canParse(written) ? writer : frame.baseWriter ?? writer;
}

function nodeOf({ source }: Scan, frame: Frame): Node {
  const tokens: (string | number)[] = [];
  for (let at = frame; at.parent !== undefined; at = at.parent) tokens.push(at.key);
  return { value: frame.value, source, pointer: formatPointer(tokens.reverse()) };
}

function isContainer(value: unknown): value is Frame["value"] {
  return typeof value === "object" && value !== null;
}
