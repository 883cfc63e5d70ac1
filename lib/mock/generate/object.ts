import type { JsonObject } from "../../openapi/node.ts";
import type { Schema } from "../../openapi/schema_object.ts";
import { type Conjunction, type Failure, isFailure } from "./conjunction.ts";
import type { Place } from "./place.ts";
import { createRandom, derive } from "./random.ts";
import { partsOf } from "./satisfies.ts";
import { isScalar } from "./type.ts";
import type { Build, Built, Workshop } from "./workshop.ts";

/** Names of properties that a definition leaves open. */
const FREE_NAMES = ["key", "more", "other", "extra"];
/** More than anybody means by `minProperties`. */
const MOST_FREE_NAMES = 10_000;
/** Names that a definition leaves open are mostly alike: where some of them fail, others will. */
const MOST_FAILURES = 20;

/** Makes an object: what is required, and all else that the definition declares. */
export function writeObject(build: Build, workshop: Workshop, way: Conjunction, place: Place): Built | Failure {
  const schemas = [...way.members.keys()];
  const [schema] = schemas;
  if (schema === undefined) throw new RangeError("Cannot build an object: there is no schema");
  const anything: Schema = { node: schema.node };
  const least = Math.max(0, ...schemas.map(({ minProperties = 0 }) => minProperties));
  const most = Math.min(...schemas.map(({ maxProperties = Infinity }) => maxProperties));
  const required = requiredNames(schemas);
  const requiring = (name: string): Schema => schemas.find((member) => member.required?.includes(name)) ?? schema;
  if (required.size > most) {
    return { reason: "more properties are required than `maxProperties` allows", schema, proven: true };
  }
  if (least > most) return { reason: "`minProperties` is above `maxProperties`", schema, proven: true };

  // A contradiction in what is required makes the rest idle work.
  for (const name of required) {
    const contradiction = contradictionIn(name);
    if (contradiction !== undefined) return blame(contradiction, name);
  }

  const object = new Map<string, unknown>();
  // What is contested comes first, so that nothing is made in vain.
  for (const name of required) {
    if (!partsFor(name).some((part) => part.not !== undefined)) continue;
    const built = buildProperty(name, false);
    if (isFailure(built)) return blame(built, name);
    object.set(name, built.value);
  }
  const declared = new Set(schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]));
  const missing: string[] = [];
  let areOthersImpossible = false;
  for (const name of [...declared, ...required].filter((name, index, names) => names.indexOf(name) === index)) {
    const isRequired = required.has(name);
    if (object.has(name)) {
      // It takes the place that the definition gives it.
      const value = object.get(name);
      object.delete(name);
      object.set(name, value);
      continue;
    }
    if (!isRequired && (!isWanted(name) || object.size + countAhead(name) >= most)) {
      missing.push(name);
      continue;
    }
    const built = buildProperty(name, !isRequired);
    if (!isFailure(built)) object.set(name, built.value);
    else if (isRequired) return blame(built, name);
    else if (workshop.budget.spent !== undefined) return built;
  }
  dropUnmetDependencies();
  if (object.size < least) addUpTo(least, missing);
  else if (declared.size === 0 && object.size === 0 && most > 0 && isOpenMap()) addUpTo(1, []);
  if (object.size < least) {
    const proven = (isClosed() || areOthersImpossible) && missing.every((name) => contradictionIn(name) !== undefined);
    const limiting = schemas.find(({ minProperties = 0 }) => minProperties === least) ?? schema;
    return { reason: "there are fewer properties than `minProperties` wants", schema: limiting, proven };
  }
  return { value: toObject(object) };

  /** Required properties that are still to come after an optional one. */
  function countAhead(name: string): number {
    return [...required].filter((other) => other !== name && !object.has(other)).length;
  }

  function contradictionIn(name: string): Failure | undefined {
    const nameContradiction = refusalOfName(name);
    if (nameContradiction !== undefined) return nameContradiction;
    const parts = partsFor(name);
    if (parts.length === 0) return undefined;
    const common = workshop.ways.commonPartOf(parts);
    return isFailure(common) ? common : undefined;
  }

  function blame(failure: Failure, name: string): Failure {
    const reason = failure.reason.startsWith("the required property")
      ? failure.reason
      : `the required property ${JSON.stringify(name)}: ${failure.reason}`;
    const at = failure.schema.node.pointer === "" ? requiring(name) : failure.schema;
    return { ...failure, reason, schema: at };
  }

  function refusalOfName(name: string): Failure | undefined {
    const refusing = schemas.find(({ propertyNames }) =>
      propertyNames !== undefined && !workshop.satisfies(name, propertyNames)
    );
    if (refusing === undefined) return undefined;
    return { reason: "`propertyNames` refuses the name", schema: refusing, proven: true };
  }

  /** Whether an optional property is to be there. */
  function isWanted(name: string): boolean {
    if (refusalOfName(name) !== undefined) return false;
    if (workshop.isVaried && createRandom(derive(place.hash, `omit ${name}`))() < 0.1) return false;
    const parts = partsFor(name);
    if (parts.length === 0) return true;
    const common = workshop.ways.commonPartOf(parts);
    if (isFailure(common)) return false;
    if (common.followed.some((followed) => place.open.includes(followed))) return false;
    return place.depth < workshop.plan.depth || (workshop.plan.depth > 0 && isScalar(common));
  }

  function buildProperty(name: string, optional: boolean): Built | Failure {
    const parts = partsFor(name);
    return build(parts.length === 0 ? [anything] : parts, {
      ...place,
      name,
      hash: derive(place.hash, name),
      optional,
      preferred: way.hints.get(name) ?? [],
    });
  }

  /** All that is said of a property. */
  function partsFor(name: string): Schema[] {
    const parts = schemas.flatMap((member) => partsOf(name, member, workshop.matches));
    for (const member of schemas) {
      if (member.unevaluatedProperties === undefined) continue;
      if (!schemas.some((other) => isWithin(other, member) && partsOf(name, other, workshop.matches).length > 0)) {
        parts.push(member.unevaluatedProperties);
      }
    }
    return parts;
  }

  /** Whether a member applies because another one does. */
  function isWithin(inner: Schema, outer: Schema): boolean {
    for (let at: Schema | undefined = inner; at !== undefined; at = way.members.get(at)) if (at === outer) return true;
    return false;
  }

  /** Leaves out optional properties whose dependencies could not be made. */
  function dropUnmetDependencies(): void {
    for (let changed = true; changed;) {
      changed = false;
      for (const { dependentRequired } of schemas) {
        for (const [name, needed] of dependentRequired ?? []) {
          if (object.has(name) && !needed.every((other) => object.has(other))) {
            object.delete(name);
            changed = true;
          }
        }
      }
    }
  }

  /** Whether names beyond the declared ones are described, so that an object without any would show nothing. */
  function isOpenMap(): boolean {
    if (place.depth > Math.max(workshop.plan.depth, 1)) return false;
    return schemas.some((member) =>
      (member.patternProperties?.size ?? 0) > 0 ||
      (member.additionalProperties !== undefined && member.additionalProperties.never === undefined &&
        Object.keys(member.additionalProperties).length > 1) ||
      (member.propertyNames !== undefined)
    ) || (workshop.isVaried && workshop.plan.depth > 0);
  }

  /** Whether no name beyond the declared ones is allowed. */
  function isClosed(): boolean {
    return schemas.some(({ additionalProperties, patternProperties }) =>
      additionalProperties?.never !== undefined && patternProperties === undefined
    );
  }

  /** Adds properties until there are enough: declared ones that were left out, then others. */
  function addUpTo(count: number, leftOut: readonly string[]): void {
    let failures = 0;
    const optional = object.size >= least;
    for (const name of candidates(leftOut)) {
      if (object.size >= count || failures > MOST_FAILURES || workshop.budget.spent !== undefined) return;
      if (object.has(name)) continue;
      const built = contradictionIn(name) ?? buildProperty(name, optional);
      if (!isFailure(built)) object.set(name, built.value);
      else if (!leftOut.includes(name)) {
        failures++;
        // A name that nothing is said of stands for all others.
        areOthersImpossible ||= built.proven &&
          schemas.every((member) => member.patternProperties === undefined && member.propertyNames === undefined);
      }
    }
    dropUnmetDependencies();
  }

  /** Names to try one by one: most are never asked for. */
  function* candidates(leftOut: readonly string[]): Generator<string> {
    yield* leftOut;
    yield* freeNames();
  }

  function* freeNames(): Generator<string> {
    const named = schemas.flatMap(({ propertyNames }) => propertyNames === undefined ? [] : [propertyNames]);
    for (const { enum: listed = [] } of named) for (const name of listed) if (typeof name === "string") yield name;
    const patterns = [...new Set(schemas.flatMap(({ patternProperties }) => [...patternProperties?.keys() ?? []]))];
    const random = createRandom(derive(place.hash, "names"));
    for (const pattern of patterns) {
      const text = workshop.textWriter.write({ patterns: [pattern], minLength: 0, maxLength: Infinity }, random);
      if (text !== undefined) yield text;
    }
    const suffix = workshop.isVaried ? String(place.hash % 100) : "";
    for (const name of FREE_NAMES) yield `${name}${suffix}`;
    for (let index = 1; index < MOST_FREE_NAMES; index++) {
      for (const pattern of index <= 200 ? patterns : []) {
        const text = workshop.textWriter.write(
          { patterns: [pattern], minLength: index % 10, maxLength: Infinity },
          random,
        );
        if (text !== undefined) yield text;
      }
      if (named.length > 0 && index <= 200) {
        const hash = derive(place.hash, index);
        const built = build([...named, { ...anything, types: ["string"] }], { ...place, hash, optional: true });
        if (!isFailure(built) && typeof built.value === "string") yield built.value;
      }
      yield `key${index}`;
    }
  }
}

/** The names that must be there, and those that they make necessary. */
function requiredNames(schemas: readonly Schema[]): Set<string> {
  const names = new Set(schemas.flatMap(({ required = [] }) => required));
  for (const name of names) {
    for (const { dependentRequired } of schemas) dependentRequired?.get(name)?.forEach((needed) => names.add(needed));
  }
  return names;
}

/** As `Object.fromEntries`, in the order of the map; `__proto__` is a name like any other. */
function toObject(entries: ReadonlyMap<string, unknown>): JsonObject {
  return Object.fromEntries(entries);
}
