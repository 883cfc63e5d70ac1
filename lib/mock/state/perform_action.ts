import type { Hints } from "../../schema/hints.ts";
import type { JsonObject } from "../../schema/json/node.ts";
import { phraseOf, singularOf, wordsOf } from "../../names/words.ts";

/**
 * Values of a `status` after an action, by the action's verb. The participles of the verb itself (`cancel`: `canceled`,
 * `cancelled`) are candidates too, and not listed.
 */
const STATES: Readonly<Record<string, readonly string[]>> = {
  accept: ["accepted", "active"],
  activate: ["active", "enabled"],
  begin: ["in progress", "running", "active"],
  block: ["blocked"],
  boot: ["running"],
  close: ["closed", "done"],
  complete: ["completed", "complete", "done", "succeeded"],
  confirm: ["confirmed", "processing", "requires capture", "succeeded"],
  capture: ["captured", "succeeded", "paid"],
  deactivate: ["inactive", "deactivated", "disabled"],
  disable: ["disabled", "inactive"],
  enable: ["enabled", "active"],
  finalize: ["finalized", "open", "final"],
  finish: ["finished", "completed", "done"],
  halt: ["stopped", "halted"],
  hold: ["on hold", "held"],
  pay: ["paid"],
  publish: ["published", "live", "public"],
  reactivate: ["active"],
  reopen: ["open", "reopened", "opened"],
  restore: ["active", "restored"],
  resume: ["active", "running", "resumed"],
  run: ["running"],
  send: ["sent", "open", "out"],
  ship: ["shipped", "in transit"],
  start: ["running", "started", "in progress", "active"],
  stop: ["stopped", "inactive"],
  submit: ["submitted", "pending"],
  suspend: ["suspended", "inactive"],
  unarchive: ["active"],
  unblock: ["active", "unblocked"],
  unpublish: ["unpublished", "draft"],
  unsuspend: ["active"],
  verify: ["verified"],
  void: ["void", "voided"],
};

/** Names, split into words, of properties that contain the state of an item, such as `payment status`. */
const STATE_NAMES = /^(?:.* )?(?:status|state|phase|stage|lifecycle|condition)$/;
/** The prefix of a verb that undoes another: `unlock`. */
const UNDOING = /^(?:un|de|dis)(?=[a-z]{3})/;
/** Whether a property with this name, split into words, contains the state of an item, such as `payment status`. */
export function isStateName(words: string): boolean {
  return STATE_NAMES.test(words);
}

const MOST_FIELDS = 300;

/**
 * The fields of an item that an action changes: a `status` whose `enum` has a value for the action's verb, flags such
 * as `archived`, and times such as `canceledAt`.
 *
 * @param action The last segment of the operation's path: `cancel`, `mark_as_read`.
 * @returns The changed fields; none if the schema doesn't show how the action changes an item.
 */
export function actionChanges(action: string, hints: Hints, now: number): JsonObject {
  const words = wordsOf(action.slice(0, 100));
  const [verb = ""] = words[0] === "mark" ? words.slice(1).filter((word) => word !== "as") : words;
  if (verb === "") return {};
  const participles = new Set([...words.slice(1).map((word) => singularOf(word)).slice(-1), ...participlesOf(verb)]);
  const states = [...STATES[verb] ?? [], ...participlesOf(verb), verb];
  const undone = UNDOING.test(verb) ? new Set(participlesOf(verb.replace(UNDOING, ""))) : new Set<string>();
  const changes: JsonObject = {};
  for (const name of [...hints.propertyNames].slice(0, MOST_FIELDS)) {
    const field = hints.property(name);
    const plain = wordsOf(name).filter((word) => word !== "is").join(" ");
    if (STATE_NAMES.test(plain)) {
      const state = listedState(field, states);
      if (state !== undefined) changes[name] = state;
    } else if (field.types.has("boolean")) {
      if (participles.has(plain) || states.includes(plain)) changes[name] = true;
      else if (undone.has(plain) || (STATES[verb]?.includes(opposite(plain)) ?? false)) changes[name] = false;
    } else if ([...participles].some((participle) => plain === `${participle} at` || plain === `${participle} on`)) {
      const time = timeFor(field, now);
      if (time !== undefined) changes[name] = time;
    } else if ([...undone].some((participle) => plain === `${participle} at`) && field.types.has("null")) {
      changes[name] = null;
    }
  }
  return changes;
}

/**
 * The times that a changed `status` sets. A new `state: closed` sets `closed_at` to now. A later `state: open` sets
 * `closed_at` to `null`, if the schema allows it.
 */
export function stateTimes(
  before: JsonObject,
  after: JsonObject,
  sent: JsonObject,
  hints: Hints,
  now: number,
): JsonObject {
  const times: JsonObject = {};
  for (const name of Object.keys(sent).slice(0, MOST_FIELDS)) {
    const [old, next] = [before[name], after[name]];
    if (old === next || typeof next !== "string" || !isStateName(phraseOf(name))) continue;
    for (const field of [...hints.propertyNames].slice(0, MOST_FIELDS)) {
      const plain = phraseOf(field);
      if (Object.hasOwn(sent, field)) continue;
      if (plain === `${next} at` || plain === `${next} on`) times[field] = timeFor(hints.property(field), now) ?? null;
      else if (plain === `${String(old)} at` && hints.property(field).types.has("null")) times[field] = null;
    }
  }
  return times;
}

/** The first of these states that the `enum` of a field contains. */
function listedState({ schemas }: Hints, states: readonly string[]): string | undefined {
  const listed = schemas.flatMap((schema) => schema.enum ?? []).filter((member) => typeof member === "string");
  for (const state of states) {
    const found = listed.find((member) => phraseOf(member) === state);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The past participles of a regular verb, in British and American spelling: `canceled` and `cancelled` for `cancel`.
 */
function participlesOf(verb: string): string[] {
  if (verb.endsWith("e")) return [`${verb}d`];
  if (/[^aeiou]y$/.test(verb)) return [`${verb.slice(0, -1)}ied`];
  const last = verb.at(-1) ?? "";
  return /[^aeiou][aeiou][bdglmnprt]$/.test(verb) ? [`${verb}ed`, `${verb}${last}ed`] : [`${verb}ed`];
}

/** The name of the opposite flag: `inactive` for `active`, `disabled` for `enabled`. */
function opposite(name: string): string {
  switch (name) {
    case "active":
      return "inactive";
    case "enabled":
      return "disabled";
    case "open":
      return "closed";
    default:
      return `un${name}`;
  }
}

function timeFor({ types, schemas }: Hints, now: number): string | number | undefined {
  if (types.has("string")) {
    const text = new Date(now).toISOString();
    return schemas.some(({ format }) => format === "date") ? text.slice(0, "2026-01-01".length) : text;
  }
  return types.has("integer") || types.has("number") ? Math.floor(now / 1000) : undefined;
}
