import type { Schema } from "../../schema/schema.ts";
import { type Conjunction, type Failure, isFailure } from "./conjunction.ts";
import { freeNames } from "./free_names.ts";
import type { Place } from "./value_path.ts";
import { propertiesOf } from "./properties.ts";
import { happens, hashWith } from "./random.ts";
import type { Build, Built, Workshop } from "./generator_context.ts";

/** Names that a definition leaves open are mostly alike: where some of them fail, others will. */
const MOST_FAILURES = 20;

/** Values below which an object or array that may be left out would have nothing to show. */
const LEAST_SHARE = 3;

/** Makes an object: what is required, and all else that the definition declares. */
export function writeObject(build: Build, workshop: Workshop, way: Conjunction, place: Place): Built | Failure {
  const [schema, ...others] = way.members.keys();
  if (schema === undefined) throw new RangeError("Cannot build an object: there is no schema");
  const schemas = [schema, ...others] as const;
  const properties = propertiesOf(way, workshop);
  const least = Math.max(0, ...schemas.map(({ minProperties = 0 }) => minProperties));
  const most = Math.min(...schemas.map(({ maxProperties = Infinity }) => maxProperties));
  if (properties.required.size > most) {
    return { reason: "more properties are required than `maxProperties` allows", schema, proven: true };
  }
  if (least > most) return { reason: "`minProperties` is above `maxProperties`", schema, proven: true };

  const contradiction = contradictionInRequired();
  if (contradiction !== undefined) return contradiction;

  const object = new Map<string, unknown>();
  const before = workshop.budget.values;
  const wanted = new Set([...properties.known].filter((name) => !properties.required.has(name) && isWanted(name)));
  let awaited = properties.required.size + wanted.size;
  const failure = addRequired();
  if (failure !== undefined) return failure;
  const missing = addOptional();
  if (workshop.budget.spent !== undefined) return { reason: "the body became too large", schema, proven: false };
  const isEmptyMap = properties.known.size === 0 && most > 0 && showsMap();
  const areOthersImpossible = addFree(missing, object.size < least ? least : isEmptyMap ? 1 : 0);
  if (object.size < least) {
    const proven = (properties.isClosed || areOthersImpossible) &&
      missing.every((name) => properties.contradictionIn(name) !== undefined);
    const limiting = schemas.find(({ minProperties = 0 }) => minProperties === least) ?? schema;
    return { reason: "there are fewer properties than `minProperties` wants", schema: limiting, proven };
  }
  return { value: inOrder() };

  /** Why something that must be there can't be, as far as that shows at once: then all else is idle work. */
  function contradictionInRequired(): Failure | undefined {
    for (const name of properties.required) {
      const contradiction = properties.contradictionIn(name);
      if (contradiction !== undefined) return blame(contradiction, name);
    }
    return undefined;
  }

  /** Adds what must be there, first what may still turn out to be a contradiction; why not, if it can't be. */
  function addRequired(): Failure | undefined {
    const names = [...properties.required];
    const isContested = (name: string): boolean => properties.partsOf(name).some((part) => part.not !== undefined);
    const contested = names.filter(isContested);
    for (const name of new Set([...contested, ...names])) {
      const built = buildProperty(name, false, left() / Math.max(1, awaited--));
      if (isFailure(built)) return blame(built, name);
      object.set(name, built.value);
    }
    return undefined;
  }

  function blame(failure: Failure, name: string): Failure {
    if (failure.reason.startsWith("the required property")) return failure;
    return { ...failure, reason: `the required property ${JSON.stringify(name)}: ${failure.reason}` };
  }

  /** How many of the object's values are left. */
  function left(): number {
    return place.share - (before - workshop.budget.values);
  }

  /** Adds what else is declared, as far as it is wanted and there is room; the names that were left out. */
  function addOptional(): string[] {
    const missing: string[] = [];
    for (const name of properties.known) {
      if (object.has(name)) continue;
      const built = wanted.has(name) && object.size < most ? buildOptional(name) : undefined;
      if (workshop.budget.spent !== undefined) return missing;
      if (built === undefined || isFailure(built)) missing.push(name);
      else object.set(name, built.value);
    }
    dropUnmetDependencies();
    return missing;
  }

  /** Builds a property with an equal part of the values that are left, as long as that is enough to show something. */
  function buildOptional(name: string): Built | Failure | undefined {
    const share = Math.max(left() / awaited--, properties.isScalar(name) ? 1 : LEAST_SHARE);
    return share > left() ? undefined : buildProperty(name, true, share);
  }

  function isWanted(name: string): boolean {
    if (happens(workshop.look.omission, hashWith(place.hash, `omit ${name}`))) return false;
    if (properties.contradictionIn(name) !== undefined) return false;
    if (properties.partsOf(name).length === 0) return true;
    if (properties.goesRound(name, place.open)) return false;
    return place.depth < workshop.plan.depth || (workshop.plan.depth > 0 && properties.isScalar(name));
  }

  function buildProperty(name: string, optional: boolean, share = Infinity): Built | Failure {
    const parts = properties.partsOf(name);
    const preferred = way.hints.get(name) ?? [];
    const anything: Schema = { node: schemas[0].node };
    const inside = { ...place, name, hash: hashWith(place.hash, name), optional, preferred, share: share - 1 };
    return build(parts.length === 0 ? [anything] : parts, inside);
  }

  /** Leaves out optional properties whose dependencies could not be made. */
  function dropUnmetDependencies(): void {
    const dependencies = schemas.flatMap(({ dependentRequired }) => [...dependentRequired ?? []]);
    for (let size = Infinity; object.size < size;) {
      size = object.size;
      for (const [name, needed] of dependencies) {
        if (object.has(name) && !needed.every((other) => object.has(other))) object.delete(name);
      }
    }
  }

  /** Whether an object that declares nothing is to have a property, as an example of what it may have. */
  function showsMap(): boolean {
    if (place.depth > Math.max(workshop.plan.depth, 1)) return false;
    return properties.hasDescribedOthers || (workshop.look.isVaried && workshop.plan.depth > 0);
  }

  /**
   * Adds properties until there are enough: declared ones that were left out, then others.
   *
   * @returns Whether it is proven that there can be no others.
   */
  function addFree(leftOut: readonly string[], count: number): boolean {
    if (object.size >= count) return false;
    let failures = 0;
    let areOthersImpossible = false;
    const optional = object.size >= least;
    for (const name of candidates(leftOut)) {
      if (object.size >= count || failures > MOST_FAILURES || workshop.budget.spent !== undefined) break;
      if (object.has(name)) continue;
      const built = properties.contradictionIn(name) ?? buildProperty(name, optional);
      if (!isFailure(built)) {
        object.set(name, built.value);
      } else if (!leftOut.includes(name)) {
        failures++;
        // A name that nothing is said of stands for all others.
        areOthersImpossible ||= built.proven && properties.areOthersAlike;
      }
    }
    dropUnmetDependencies();
    return areOthersImpossible;
  }

  /** Names to try one by one: most are never asked for. */
  function* candidates(leftOut: readonly string[]): Generator<string> {
    yield* leftOut;
    yield* freeNames(build, workshop, [...schemas], place);
  }

  /** The object with its properties in the order of the definition; `__proto__` is a name like any other. */
  function inOrder(): Record<string, unknown> {
    const names = new Set([...properties.known].filter((name) => object.has(name)));
    return Object.fromEntries([...names.union(object)].map((name) => [name, object.get(name)]));
  }
}
