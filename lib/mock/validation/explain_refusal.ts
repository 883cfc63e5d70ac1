/**
 * Inserts the reason why a request is refused into the error response that the definition declares. The reason goes
 * into the properties `detail`, `message` and `errors`, and the refused parameter and its value into `param`, `input` and
 * the like, if the response's schema or example has them, and if the body stays valid.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { isObject, type JsonObject, type Node } from "../../schema/json/node.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import { type ErrorMeaning, errorMeaningOf, subjectRoleOf } from "../../names/error_names.ts";
import type { RequestViolation } from "./violation.ts";

export interface RefusalReason {
  /** The first violation, as a sentence. */
  readonly detail: string;
  readonly violations: readonly RequestViolation[];
  /** The value at the location of a violation in the request; `undefined` if it isn't known. Default: none is known. */
  readonly valueOf?: (location: readonly string[]) => unknown;
  /** The location of what is refused, if no violation says it: `["path", "petId"]`. */
  readonly subject?: readonly string[] | undefined;
}

/** What inserting a reason into a body needs of the body's schema. */
export interface BodyRules {
  readonly hints: Hints;
  readonly isValid: (body: unknown) => boolean;
}

/** Prepares the hints and the validator for a body's schema; memoised by schema. */
export type BodyRulesReader = (schema: Node<"Schema">) => Promise<BodyRules>;

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

const PROPERTIES = ["detail", "message", "errors"] as const;

/**
 * Inserts the reason into an error body, and into its property `error` if that is an object.
 *
 * @returns The body with the reason; an equal body if the schema leaves no place for it.
 */
export function explainRefusal(body: unknown, reason: RefusalReason, { hints, isValid }: BodyRules): unknown {
  if (!isObject(body)) return body;
  const whole = fillProperties(body, reason, hints, isValid);
  const inner = whole["error"];
  if (!isObject(inner)) return whole;
  const isValidInside = (error: unknown): boolean => isValid({ ...whole, error });
  return { ...whole, error: fillProperties(inner, reason, hints.property("error"), isValidInside) };
}

function fillProperties(
  object: JsonObject,
  reason: RefusalReason,
  hints: Hints,
  isValid: (object: unknown) => boolean,
): JsonObject {
  let filled = object;
  for (const name of PROPERTIES) {
    if (!Object.hasOwn(filled, name) && !hints.propertyNames.has(name)) continue;
    const candidates = valuesFor(name, filled[name], reason, hints.property(name));
    const found = candidates.map((value): JsonObject => ({ ...filled, [name]: value })).find(isValid);
    if (found !== undefined) filled = found;
  }
  return fillSubject(filled, reason, hints, isValid);
}

/** Inserts the parameter that is refused, and its value, into properties that can mean nothing else. */
function fillSubject(
  object: JsonObject,
  { violations: [first], subject = first?.location, valueOf }: RefusalReason,
  hints: Hints,
  isValid: (object: unknown) => boolean,
): JsonObject {
  if (subject === undefined) return object;
  let filled = object;
  for (const name of new Set([...Object.keys(object), ...hints.propertyNames])) {
    const role = subjectRoleOf(name);
    const value = role === "place" ? placeOf(subject) : role === "value" ? valueOf?.(subject) : undefined;
    if (value === undefined || isObject(filled[name]) || Array.isArray(filled[name])) continue;
    const next = { ...filled, [name]: value };
    if (isValid(next)) filled = next;
  }
  return filled;
}

/**
 * Candidate values for the property `name` of an error body, the best first. If the example has the property, the
 * candidates have the type of the example's value.
 */
function valuesFor(name: string, present: unknown, reason: RefusalReason, hints: Hints): unknown[] {
  const texts = [reason.detail, ...reason.violations.slice(0, 1).map(({ message }) => message)];
  const lists = listsFor(present, reason, hints);
  const maps = mapsOf(reason);
  if (Array.isArray(present)) return lists;
  if (isObject(present)) return maps;
  if (present !== undefined) return texts;
  // The example doesn't have the property, so the schema's types decide.
  const { types } = hints;
  const isFree = types.size === 0;
  return [
    ...(name !== "errors" && (isFree || types.has("string")) ? texts : []),
    ...(isFree || types.has("array") ? lists : []),
    ...(types.has("object") ? maps : []),
    ...(name === "errors" && types.has("string") ? texts : []),
  ];
}

/**
 * Lists of violations to try as the value of `errors`: objects like the items of the example or the schema, our
 * violations unchanged, and the messages only.
 */
function listsFor(present: unknown, { violations, valueOf }: RefusalReason, hints: Hints): unknown[] {
  const item: unknown = Array.isArray(present) ? present[0] : undefined;
  const itemHints = hints.item(0);
  const names = new Set([...isObject(item) ? Object.keys(item) : [], ...itemHints.propertyNames]);
  const template = isObject(item) ? item : {};
  const inForm = (wanted: ErrorMeaning | "all"): JsonObject[] =>
    violations.map((violation) => ({
      ...template,
      ...fieldsFor(violation, names, template, itemHints, wanted, valueOf),
    }));
  const messages = violations.map(({ message }) => message);
  // First fill all properties with a recognised name, then the message only: if the schema restricts codes by `enum`,
  // for example, our code would be invalid.
  const forms = [...names].some((name) => errorMeaningOf(name) === "message") ? [inForm("all"), inForm("message")] : [];
  const lists = typeof item === "string" ? [messages] : [...forms, ...(isObject(item) ? [] : [violations, messages])];
  return lists.flatMap((list) => list.length > 1 ? [list, list.slice(0, 1)] : [list]);
}

function fieldsFor(
  violation: RequestViolation,
  names: ReadonlySet<string>,
  template: JsonObject,
  hints: Hints,
  wanted: ErrorMeaning | "all",
  known: RefusalReason["valueOf"],
): JsonObject {
  const fields: JsonObject = {};
  for (const name of names) {
    const meaning = errorMeaningOf(name);
    if (meaning === undefined || (wanted !== "all" && wanted !== meaning)) continue;
    const { types } = hints.property(name);
    const takesText = typeof template[name] === "string" || (template[name] === undefined && mayBe(types, "string"));
    const takesList = Array.isArray(template[name]) || (template[name] === undefined && mayBe(types, "array"));
    const value = meaning === "value"
      ? known?.(violation.location)
      : valueOf(violation, meaning, template[name], takesText, takesList);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function mayBe(types: Hints["types"], type: "string" | "array"): boolean {
  return types.size === 0 || types.has(type);
}

function valueOf(
  { location, message, code, severity }: RequestViolation,
  meaning: Exclude<ErrorMeaning, "value">,
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

/**
 * The messages as an object with the places of the violations as keys. First with a list of messages for each place,
 * then with the messages joined to one text.
 */
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

function placeOf([part = "", ...within]: readonly string[]): string {
  return within.length === 0 ? part : within.join(".");
}
