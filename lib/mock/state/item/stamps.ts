/**
 * Sets the fields of an item that the server maintains: times of creation and change, version, `uid`.
 *
 * @module
 */
import { phraseOf } from "../../../names/words.ts";
import type { Hints } from "../../../schema/hints.ts";
import { isObject, type JsonObject } from "../../../schema/json/node.ts";
import { createRandom, hashWith } from "../../generate/random.ts";
import { withPart } from "../../../schema/json/parts.ts";
import type { StateContext } from "../state_context.ts";

/**
 * What a server-maintained field contains: `updated` the time of the last change, `uid` a unique id besides the item's
 * own.
 */
type Stamp = "created" | "updated" | "version" | "uid";

const CREATED =
  /^(created|creation|inserted|registered)( (at|on|date|time|timestamp|datetime|utc|date time|ts))?$|^(create|date|time) (created|time|date|added)$|^date added$/;
const UPDATED =
  /^(last )?(updated|modified|changed|edited|update|modification|change)( (at|on|date|time|timestamp|datetime|utc|date time|ts))?$|^date (updated|modified|changed)$/;
const VERSION = /^(resource version|rev|revision|lock version)$/;

/** Names of objects in an item that may contain server-maintained fields. */
const NESTED: ReadonlySet<string> = new Set(["metadata", "meta", "attributes", "audit", "timestamps", "properties"]);

/** Numbers from this one on are read as milliseconds since the epoch, smaller ones as seconds. */
const LEAST_MILLISECONDS = 1e11;

/** Sets the server-maintained fields of a new item. Fields that the client sent are kept. */
export function stampNew(value: unknown, sent: JsonObject, hints: Hints, context: StateContext): unknown {
  return stamp(value, undefined, sent, hints, context);
}

/**
 * Sets the server-maintained fields of a changed item. The time of the last change always increases, even if the clock
 * stands still.
 */
export function stampChanged(
  value: unknown,
  before: JsonObject,
  sent: JsonObject,
  hints: Hints,
  context: StateContext,
): unknown {
  return stamp(value, before, sent, hints, context);
}

function stamp(
  value: unknown,
  before: JsonObject | undefined,
  sent: JsonObject,
  hints: Hints,
  context: StateContext,
  isNested = false,
): unknown {
  if (!isObject(value)) return value;
  let stamped: unknown = value;
  for (const name of hints.propertyNames) {
    const present = value[name];
    const old = before !== undefined && Object.hasOwn(before, name) ? before[name] : undefined;
    if (!isNested && NESTED.has(name) && isObject(present)) {
      const inner = stamp(
        present,
        before && (isObject(old) ? old : {}),
        isObject(sent[name]) ? sent[name] : {},
        hints.property(name),
        context,
        true,
      );
      stamped = withPart(stamped, [name], inner);
      continue;
    }
    const meaning = stampOf(name);
    if (
      meaning === undefined || (meaning === "uid" && !isNested) || (Object.hasOwn(sent, name) && sent[name] !== old)
    ) continue;
    const next = before !== undefined && (meaning === "created" || meaning === "uid")
      ? old
      : writeStamp(meaning, hints.property(name), old, present, context);
    if (next !== undefined) stamped = withPart(stamped, [name], next);
  }
  return stamped;
}

/** What a server-maintained field contains, by its name; `undefined` for any other field. */
export function stampOf(name: string): Stamp | undefined {
  const words = phraseOf(name);
  if (CREATED.test(words)) return "created";
  if (UPDATED.test(words)) return "updated";
  return words === "uid" ? "uid" : VERSION.test(words) ? "version" : undefined;
}

/**
 * The next value of a server-maintained field; `undefined` if its schema allows none. Times and versions always
 * increase.
 */
function writeStamp(
  meaning: Stamp,
  { types, schemas }: Hints,
  old: unknown,
  present: unknown,
  { now, state, seed }: StateContext,
): unknown {
  if (meaning === "uid") return types.has("string") ? uniqueId(seed, state.revision) : undefined;
  if (meaning === "version") {
    const next = Math.max(state.revision, Number.isFinite(Number(old)) ? Number(old) : 0) + 1;
    if (types.has("integer")) return next;
    return types.has("string") && schemas.every((schema) => schema.format === undefined) ? String(next) : undefined;
  }
  if (types.has("string")) {
    if (schemas.some(({ format }) => format === "date")) return new Date(now()).toISOString().slice(0, 10);
    if (!schemas.some(({ format }) => format === "date-time") && !isDateTime(present)) return undefined;
    const before = typeof old === "string" ? Date.parse(old) : NaN;
    const time = Number.isNaN(before) ? now() : Math.max(now(), before + 1);
    const text = new Date(time).toISOString();
    return time % 1000 === 0 ? text.replace(".000Z", "Z") : text;
  }
  if (!types.has("integer") && !types.has("number")) return undefined;
  const isInMilliseconds = typeof present === "number" && present >= LEAST_MILLISECONDS;
  const time = isInMilliseconds ? now() : Math.floor(now() / 1000);
  return typeof old === "number" ? Math.max(time, old + 1) : time;
}

/** A UUID (RFC 9562, version 4), different for each write of a session. */
function uniqueId(seed: number, revision: number): string {
  const random = createRandom(hashWith(hashWith(seed, "uid"), revision));
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16));
  digits[12] = "4";
  digits[16] = "a";
  return digits.join("").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function isDateTime(value: unknown): boolean {
  return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value);
}
