import type { Schema } from "../../schema/schema.ts";
import { type Conjunction, type Failure, holdsBecauseOf, isFailure } from "./conjunction.ts";
import { canonical } from "../../schema/equal.ts";
import type { Place } from "./value_path.ts";
import { createRandom, hashWith, integer } from "./random.ts";
import type { Build, Built, Workshop } from "./generator_context.ts";

/** More items than anybody means by `minItems`. */
const MOST_ITEMS = 10_000;
/** Tries to make an item that is unlike those before it. */
const MOST_TRIES = 10;

/** `contains`, while its items are still to be made. */
interface Contained {
  readonly schema: Schema;
  missing: number;
  allowed: number;
}

/** Makes an array: a few items, as many as it has to have. */
export function writeArray(build: Build, workshop: Workshop, way: Conjunction, place: Place): Built | Failure {
  const schemas = [...way.members.keys()];
  const [schema] = schemas;
  if (schema === undefined) throw new RangeError("Cannot build an array: there is no schema");
  const contained = schemas.flatMap((member): Contained[] => {
    const { contains, minContains = 1, maxContains = Infinity } = member;
    return contains === undefined ? [] : [{ schema: contains, missing: minContains, allowed: maxContains }];
  });
  const least = Math.max(
    0,
    ...schemas.map(({ minItems = 0 }) => minItems),
    ...contained.map(({ missing }) => missing),
  );
  const most = Math.min(...schemas.map(({ maxItems = Infinity }) => maxItems));
  const limiting = schemas.find(({ minItems, contains }) => minItems ?? contains) ?? schema;
  if (least > most) return { reason: "`minItems` is above `maxItems`", schema: limiting, proven: true };
  if (least > MOST_ITEMS) {
    return { reason: `more than ${MOST_ITEMS} items are not made`, schema: limiting, proven: false };
  }
  const contradicted = contained.find(({ missing, allowed }) => missing > allowed);
  if (contradicted !== undefined) {
    return { reason: "`minContains` is above `maxContains`", schema: contradicted.schema, proven: true };
  }
  const isUnique = schemas.some(({ uniqueItems }) => uniqueItems === true);
  const prefix = Math.max(0, ...schemas.map(({ prefixItems }) => prefixItems?.length ?? 0));
  const wanted = contained.reduce((sum, { missing }) => sum + missing, 0);
  const size = Math.max(least, Math.min(most, Math.max(usualSize(), prefix, wanted)));

  const items: unknown[] = [];
  const before = workshop.budget.values;
  const seen = new Set<string>();
  /** Whether it was proven of each place so far that it can't hold what is to be contained. */
  let isNowhere = contained.length === 1;
  for (let index = 0; index < size || stillMissing(); index++) {
    if (index >= most || index >= MOST_ITEMS) break;
    if (index >= least && !stillMissing() && shareOf(index) < 1) break;
    const built = buildItem(index);
    if (isFailure(built)) {
      if (items.length < least || stillMissing()) return built;
      if (workshop.budget.spent !== undefined) return built;
      break;
    }
    items.push(built.value);
    seen.add(canonical(built.value));
  }
  if (stillMissing()) {
    const reason = "there are fewer items for `contains` than `minContains` wants";
    return { reason, schema: limiting, proven: isNowhere };
  }
  return { value: items };

  function stillMissing(): boolean {
    return contained.some(({ missing }) => missing > 0);
  }

  /** What is left of the array's values, in equal parts for the items to come. */
  function shareOf(index: number): number {
    return (place.share - (before - workshop.budget.values)) / Math.max(1, size - index);
  }

  function usualSize(): number {
    const isTop = place.arrays === 1;
    if (isTop && workshop.arraySize !== undefined) return workshop.arraySize;
    const [count] = schemas.flatMap(({ extensions }) => extensions?.["x-count"] ?? []);
    if (typeof count === "number") return count;
    if (!isTop) return 1;
    return workshop.look.isVaried ? integer(1, 3, createRandom(hashWith(place.hash, "size"))) : 2;
  }

  function buildItem(index: number): Built | Failure {
    const parts = partsFor(index);
    const optional = index >= least && !stillMissing();
    let failure: Failure | undefined;
    const missing = contained.filter((demand) => demand.missing > 0);
    // One item for all of them is worth a try, then one for each. After the tuple all places are alike: what can't be
    // put here can't be put later.
    const ways = [missing, ...missing.length > 1 ? missing.map((demand) => [demand]) : []];
    for (const demands of missing.length > 0 && index < prefix ? [...ways, []] : ways) {
      const others = contained.filter((demand) => !demands.includes(demand) && demand.allowed <= 0);
      const asked = [
        ...parts,
        ...demands.map((demand) => demand.schema),
        ...others.map((demand): Schema => ({ node: demand.schema.node, not: demand.schema })),
      ];
      const built = buildUnlike(asked, index, optional);
      if (isFailure(built)) {
        failure ??= built;
        isNowhere &&= built.proven;
        continue;
      }
      if (demands.length > 0) isNowhere = false;
      for (const demand of contained) {
        if (!workshop.isValid(built.value, demand.schema)) continue;
        demand.missing--;
        demand.allowed--;
      }
      return built;
    }
    return failure ?? { reason: "no item was made", schema: limiting, proven: false };
  }

  /** Builds an item; where items have to differ, one that is unlike those before it. */
  function buildUnlike(parts: readonly Schema[], index: number, optional: boolean): Built | Failure {
    const asked = parts.length === 0 ? [{ node: limiting.node }] : parts;
    for (let attempt = 0; attempt < 2 * MOST_TRIES; attempt++) {
      const hash = hashWith(place.hash, attempt === 0 ? index : `${index} ${attempt}`);
      const number = index + attempt;
      const group = number === 0 ? place.group : hashWith(place.group, number);
      // Where all objects and arrays are alike, their sizes can tell them apart.
      const size = attempt - MOST_TRIES;
      const larger: Schema[] = size < 0 ? [] : [{ node: limiting.node, minProperties: size, minItems: size }];
      const inside = { ...place, hash, group, index: number, optional, share: shareOf(index) - 1 };
      const built = build([...asked, ...larger], inside);
      if (isFailure(built) && size < 0) return built;
      if (!isFailure(built) && (!isUnique || !seen.has(canonical(built.value)))) return built;
    }
    // Whatever looks right was there before: any value will do that was not.
    const used: Schema = { node: limiting.node, enum: items };
    const other = [...asked, { node: limiting.node, not: used }];
    const built = build(other, { ...place, hash: hashWith(place.hash, index), optional });
    if (!isFailure(built)) return built;
    const proven = built.proven && prefix === 0 && contained.length === 0;
    return { reason: "there are fewer different items than `minItems` wants", schema: limiting, proven };
  }

  /** All that is said of an item. */
  function partsFor(index: number): Schema[] {
    const parts = schemas.flatMap((member) => itemOf(member, index));
    for (const member of schemas) {
      if (member.unevaluatedItems === undefined) continue;
      if (!schemas.some((other) => holdsBecauseOf(way, other, member) && itemOf(other, index).length > 0)) {
        parts.push(member.unevaluatedItems);
      }
    }
    return parts;
  }
}

function itemOf({ prefixItems, items }: Schema, index: number): Schema[] {
  const item = prefixItems?.[index] ?? items;
  return item === undefined ? [] : [item];
}
