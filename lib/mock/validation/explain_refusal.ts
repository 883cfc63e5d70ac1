/**
 * Inserts the reason why a request is refused into the error response that the definition declares: into the properties
 * `detail`, `message` and `errors`, if its schema or example has them, and as far as the body stays valid.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { isObject, type JsonObject, type Node } from "../../schema/node.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import type { RequestViolation } from "./violation.ts";

/** Why a request is refused. */
export interface RefusalReason {
  /** One sentence for a person. */
  readonly detail: string;
  readonly violations: readonly RequestViolation[];
}

/** The parts of a body's schema that inserting a reason needs. */
export interface BodyRules {
  readonly hints: Hints;
  readonly isValid: (body: unknown) => boolean;
}

/** Reads the rules for bodies of a schema; memoised by schema. */
export type BodyRulesReader = (schema: Node<"Schema">) => Promise<BodyRules>;

/** Makes a reader of the rules of a document's bodies. */
export function createBodyRulesReader(
  document: Document,
  validatorOf: (document: Document) => Promise<DocumentValidator>,
): BodyRulesReader {
  const known = new Map<string, BodyRules>();
  return async (schema) => {
    if (schema.value === undefined) return { hints: readHints(document, undefined, "response"), isValid: () => true };
    const key = `${schema.source.uri}#${schema.pointer}`;
    let rules = known.get(key);
    if (rules === undefined) {
      const check = (await validatorOf(document)).checkOf(schema, "response");
      known.set(
        key,
        rules = { hints: readHints(document, schema, "response"), isValid: (body) => check(body).length === 0 },
      );
    }
    return rules;
  };
}

/** The properties of an error body that the reason is inserted into. */
const MEMBERS = ["detail", "message", "errors"] as const;

/**
 * Puts the reason into a body.
 *
 * @returns The body with the reason; the same body if the schema allows no place for it.
 */
export function explainRefusal(body: unknown, reason: RefusalReason, { hints, isValid }: BodyRules): unknown {
  if (!isObject(body)) return body;
  const whole = fillMembers(body, reason, hints, isValid);
  const inner = whole["error"];
  if (!isObject(inner)) return whole;
  const isValidInside = (error: unknown): boolean => isValid({ ...whole, error });
  return { ...whole, error: fillMembers(inner, reason, hints.property("error"), isValidInside) };
}

function fillMembers(
  object: JsonObject,
  reason: RefusalReason,
  hints: Hints,
  isValid: (object: unknown) => boolean,
): JsonObject {
  let filled = object;
  for (const name of MEMBERS) {
    if (!Object.hasOwn(filled, name) && !hints.propertyNames.has(name)) continue;
    const candidates = valuesFor(name, filled[name], reason, hints.property(name));
    const found = candidates.map((value): JsonObject => ({ ...filled, [name]: value })).find(isValid);
    if (found !== undefined) filled = found;
  }
  return filled;
}

/**
 * Candidate values of a member, the best first. If the example has the member, the candidates have the type that it has
 * there.
 */
function valuesFor(name: string, present: unknown, reason: RefusalReason, hints: Hints): unknown[] {
  const texts = [reason.detail, ...reason.violations.slice(0, 1).map(({ message }) => message)];
  const lists = listsFor(present, reason, hints);
  const maps = mapsOf(reason);
  if (Array.isArray(present)) return lists;
  if (isObject(present)) return maps;
  if (present !== undefined) return texts;
  // Without an example the schema alone decides; it may allow more than one type.
  const { types } = hints;
  const isFree = types.size === 0;
  return [
    ...(name !== "errors" && (isFree || types.has("string")) ? texts : []),
    ...(isFree || types.has("array") ? lists : []),
    ...(types.has("object") ? maps : []),
    ...(name === "errors" && types.has("string") ? texts : []),
  ];
}

/** Lists of violations to try as `errors`: in the form of the example's or schema's items, unchanged, and as texts. */
function listsFor(present: unknown, { violations }: RefusalReason, hints: Hints): unknown[] {
  const item: unknown = Array.isArray(present) ? present[0] : undefined;
  const itemHints = hints.item(0);
  const names = new Set([...isObject(item) ? Object.keys(item) : [], ...itemHints.propertyNames]);
  const template = isObject(item) ? item : {};
  const inForm = (wanted: Meaning | "all"): JsonObject[] =>
    violations.map((violation) => ({ ...template, ...fieldsFor(violation, names, template, itemHints, wanted) }));
  const messages = violations.map(({ message }) => message);
  // First items with all members that are known, then items with the message only: if the schema lists codes of its own
  // by `enum`, for example, our code is invalid there.
  const forms = [...names].some((name) => meaningOf(name) === "message") ? [inForm("all"), inForm("message")] : [];
  const lists = typeof item === "string" ? [messages] : [...forms, ...(isObject(item) ? [] : [violations, messages])];
  return lists.flatMap((list) => list.length > 1 ? [list, list.slice(0, 1)] : [list]);
}

/** The meanings of the members of an item in `errors`. */
type Meaning = "message" | "code" | "place" | "part" | "pointer" | "source" | "severity";

/** The names of members with each meaning, in lower case and without `_` and `-`. */
const NAMES: Readonly<Record<Meaning, readonly string[]>> = {
  message: ["message", "msg", "detail", "description", "reason", "errormessage"],
  code: ["code", "type", "keyword", "rule", "errorcode"],
  place: ["field", "property", "name", "param", "parameter", "path", "key", "loc", "location"],
  part: ["in"],
  pointer: ["pointer", "jsonpointer", "instancepath"],
  source: ["source"],
  severity: ["severity"],
};

const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(NAMES).flatMap(([meaning, names]) =>
    names.map((name): [string, Meaning] => [name, meaning as Meaning])
  ),
);

function meaningOf(name: string): Meaning | undefined {
  return MEANINGS.get(name.toLowerCase().replace(/[_-]/g, ""));
}

function fieldsFor(
  violation: RequestViolation,
  names: ReadonlySet<string>,
  template: JsonObject,
  hints: Hints,
  wanted: Meaning | "all",
): JsonObject {
  const fields: JsonObject = {};
  for (const name of names) {
    const meaning = meaningOf(name);
    if (meaning === undefined || (wanted !== "all" && wanted !== meaning)) continue;
    const { types } = hints.property(name);
    const takesText = typeof template[name] === "string" || (template[name] === undefined && mayBe(types, "string"));
    const takesList = Array.isArray(template[name]) || (template[name] === undefined && mayBe(types, "array"));
    const value = valueOf(violation, meaning, template[name], takesText, takesList);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function mayBe(types: Hints["types"], type: "string" | "array"): boolean {
  return types.size === 0 || types.has(type);
}

function valueOf(
  { location, message, code, severity }: RequestViolation,
  meaning: Meaning,
  present: unknown,
  takesText: boolean,
  takesList: boolean,
): unknown {
  const [part = "", ...within] = location;
  const pointer = within.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  switch (meaning) {
    case "place":
      return takesText ? placeOf(location) : takesList ? location : undefined;
    case "source":
      if (!isObject(present)) return undefined;
      return part === "body" ? { pointer } : { parameter: within.join(".") };
    case "message":
      return takesText ? message : undefined;
    case "code":
      return takesText ? code : undefined;
    case "part":
      return takesText ? part : undefined;
    case "pointer":
      return takesText ? pointer : undefined;
    case "severity":
      return takesText ? severity : undefined;
  }
}

/** The messages as objects by place: as a list for each place, and joined to one text. */
function mapsOf({ violations }: RefusalReason): JsonObject[] {
  const places = new Map<string, string[]>();
  for (const { location, message } of violations) {
    const place = placeOf(location);
    places.set(place, [...places.get(place) ?? [], message]);
  }
  return [
    Object.fromEntries(places),
    Object.fromEntries([...places].map(([place, messages]) => [place, messages.join(" ")])),
  ];
}

/** The place of a violation: `items.3.price`; `body` for the body as a whole. */
function placeOf([part = "", ...within]: readonly string[]): string {
  return within.length === 0 ? part : within.join(".");
}
