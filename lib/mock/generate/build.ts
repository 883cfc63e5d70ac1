import type { Schema, Type } from "../../schema/schema.ts";
import { writeArray } from "./array.ts";
import { type Conjunction, type Failure, intersectTypes, isFailure, type OpenConjunction } from "./conjunction.ts";
import { membership } from "../../schema/equal.ts";
import { spend } from "../../schema/steps.ts";
import { suggestFaked } from "./faker.ts";
import { numberDemandOf, writeNumber } from "./number.ts";
import { writeObject } from "./object.ts";
import type { Place } from "./value_path.ts";
import { happens, hashWith } from "./random.ts";
import { suggestNumber } from "./realistic.ts";
import { contradictionInText, suggestText, textDemandOf, writeTextFor } from "./text.ts";
import { culpritOf, isDescribed, likelyTypes } from "./type.ts";
import type { Way } from "./branch.ts";
import type { Build, Built, Workshop } from "./generator_context.ts";

/** Steps of the search for a value that may be left out. */
const MOST_OPTIONAL_STEPS = 2000;
/** Objects and arrays in each other beyond which no value is looked for: deeper than any body that somebody means. */
const MOST_DEPTH = 100;
/** Schemas that are compared in a step of work. */
const COMPARED = 16;
/** Alternatives that bodies of other seeds begin with. */
const MOST_STARTS = 12;

/** Makes the function that builds one body. */
export function createBuild(workshop: Workshop): Build {
  return build;

  function build(schemas: readonly Schema[], place: Place): Built | Failure {
    const { budget } = workshop;
    const { values, steps } = budget;
    spend(workshop.steps, 1 + schemas.length);
    // What may be left out must not use up what the rest needs.
    if (place.optional) budget.steps = Math.min(steps, MOST_OPTIONAL_STEPS);
    const allowed = budget.steps;
    spendSteps(1);
    if (budget.values-- <= 0) budget.spent = "values";
    const built = attempt(schemas, place);
    budget.steps = steps - (allowed - budget.steps);
    if (!isFailure(built)) return built;
    if (budget.spent === "values") return built;
    // What an attempt that failed has made is no part of the body.
    budget.values = values;
    if (budget.spent === "steps" && place.optional && budget.steps > 0) delete budget.spent;
    return built;
  }

  function attempt(schemas: readonly Schema[], place: Place): Built | Failure {
    const { budget } = workshop;
    const [schema] = schemas;
    if (schema === undefined) throw new RangeError("Cannot build a value: there is no schema");
    if (budget.spent !== undefined) return spent(schema);
    if (place.depth > MOST_DEPTH) {
      return { reason: `values nested deeper than ${MOST_DEPTH} levels are not made`, schema, proven: false };
    }
    const common = workshop.ways.commonPartOf(schemas);
    if (isFailure(common)) return common;
    const accepts = (value: unknown): boolean => schemas.every((member) => workshop.isValid(value, member));
    const ready = suggested(common, place).find(accepts);
    if (ready !== undefined) return { value: ready };

    const circles: Way[] = [];
    let failure: Failure | undefined;
    let isProven = true;
    for (const way of workshop.ways.of(schemas, startOf(place))) {
      spendSteps(way.steps);
      if (budget.spent !== undefined) return spent(schema);
      const { conjunction } = way;
      if (!isFailure(conjunction)) {
        spend(workshop.steps, 1 + Math.floor(conjunction.followed.length * place.open.length / COMPARED));
      }
      if (!isFailure(conjunction) && goesRound(conjunction, place)) {
        circles.push(way);
        budget.circles++;
        continue;
      }
      const built = follow(way, accepts, place);
      if (!isFailure(built) || budget.spent !== undefined) return built;
      if (!isFailure(conjunction) && conjunction.isExtra) continue;
      failure = isFailure(conjunction) ? failure ?? built : built;
      isProven &&= built.proven;
    }
    for (const way of place.optional ? [] : circles) {
      const { conjunction } = way;
      if (isFailure(conjunction)) continue;
      // The same schema again inside itself is no way to an end, unless it comes in other company.
      const built: Built | Failure = mostRepeated(conjunction.followed, place.open) > 1
        ? { reason: "the schema requires itself without end", schema: conjunction.followed[0] ?? schema, proven: true }
        : mostRepeated(conjunction.denied, place.denied) > 1
        ? { reason: "only a value that is nested without end is left", schema, proven: false }
        : follow(way, accepts, place);
      if (!isFailure(built) || budget.spent !== undefined) return built;
      if (conjunction.isExtra) continue;
      failure ??= built;
      isProven &&= built.proven;
    }
    failure ??= { reason: "the schema goes round in a circle", schema, proven: false };
    return { ...failure, proven: isProven && failure.proven && !place.optional };
  }

  function startsWithFalse(place: Place): boolean {
    return workshop.look.isVaried ? happens(0.5, place.hash) : place.index % 2 === 1;
  }

  /** The alternative that a body other than the prettiest begins with. */
  function startOf(place: Place): number {
    return workshop.look.isVaried ? hashWith(place.hash, "branch") % MOST_STARTS : 0;
  }

  /** Tries a way, unless it is known to lead nowhere. */
  function follow(way: Way, accepts: (value: unknown) => boolean, place: Place): Built | Failure {
    const { budget } = workshop;
    if (isFailure(way.conjunction)) return way.conjunction;
    if (way.dead !== undefined) {
      spendSteps(way.dead.steps);
      spend(workshop.steps, way.dead.work);
      return way.dead.failure;
    }
    const { values, steps, circles } = budget;
    const work = workshop.steps.left;
    const built = buildOne(way.conjunction, accepts, place);
    if (!isFailure(built) || budget.spent !== undefined) return built;
    // What an attempt that failed has made is no part of the body.
    budget.values = values;
    if (built.proven && budget.circles === circles) {
      way.dead = { failure: built, steps: steps - budget.steps, work: work - workshop.steps.left };
    }
    return built;
  }

  function spendSteps(steps: number): void {
    workshop.budget.steps -= steps;
    if (workshop.budget.steps <= 0) workshop.budget.spent = "steps";
  }

  function spent(schema: Schema): Failure {
    const reason = workshop.budget.spent === "steps" ? "the search became too long" : "the body became too large";
    return { reason, schema, proven: false };
  }

  function buildOne(way: Conjunction, accepts: (value: unknown) => boolean, place: Place): Built | Failure {
    const isRight = (value: unknown): boolean =>
      accepts(value) && !way.denied.some((denied) => workshop.isValid(value, denied));
    const listed = listedValues(way);
    if (listed !== undefined) return chooseListed(listed, way, isRight, place);
    let failure: Failure | undefined;
    let isProven = true;
    for (const type of typesOf(way, place)) {
      const built = buildType(type, way, isRight, place);
      // A body that became too large is made anew, smaller: null in its place would tell nothing.
      if (!isFailure(built) || workshop.budget.spent !== undefined) return built;
      failure ??= built;
      isProven &&= built.proven;
    }
    const [schema] = way.members.keys();
    if (schema === undefined) throw new RangeError("Cannot build a value: there is no schema");
    failure ??= { reason: "no type is allowed", schema, proven: true };
    return { ...failure, proven: isProven && failure.proven };
  }

  function buildType(
    type: Type,
    way: Conjunction,
    isRight: (value: unknown) => boolean,
    place: Place,
  ): Built | Failure {
    switch (type) {
      case "null":
        return oneOf([null]);
      case "boolean":
        return oneOf(startsWithFalse(place) ? [false, true] : [true, false]);
      case "integer":
      case "number":
        return buildNumber(type === "integer");
      case "string":
        return buildText();
      case "array":
        return checked(writeArray(build, workshop, way, inside(way, { arrays: place.arrays + 1 })));
      case "object":
        return checked(
          writeObject(build, workshop, way, inside(way, { group: place.hash, owner: ownerOf(way, place) })),
        );
    }

    function oneOf(values: readonly unknown[]): Built | Failure {
      const value = values.find(isRight);
      return value === undefined
        ? failure(`no value of type ${type} satisfies the rest of the schema`, true)
        : { value };
    }

    function buildNumber(isInteger: boolean): Built | Failure {
      const demand = numberDemandOf(way.members.keys(), isInteger);
      const value = writeNumber(demand, suggestNumber(place), place.hash, isRight);
      if (value === "none") return failure("no number is within the bounds", true);
      return value === undefined ? failure("no number was found that satisfies the schema", false) : { value };
    }

    function buildText(): Built | Failure {
      const demand = textDemandOf(way.members.keys());
      const suggestion = suggestText(demand, place, isRight);
      if (suggestion !== undefined) return { value: suggestion };
      const contradiction = contradictionInText(demand, workshop.textWriter);
      if (contradiction !== undefined) return failure(contradiction, true);
      const value = writeTextFor(demand, place, isRight, workshop);
      return value === undefined ? failure(`no text was found that satisfies the schema`, false) : { value };
    }

    function checked(built: Built | Failure): Built | Failure {
      if (isFailure(built) || !way.needsCheck || isRight(built.value)) return built;
      return failure("what its parts are made of does not satisfy the schema as a whole", false);
    }

    function failure(reason: string, proven: boolean): Failure {
      return { reason, schema: culpritOf(way, type), proven };
    }

    function inside({ members, followed, denied }: Conjunction, changes: Partial<Place>): Place {
      const [top] = members.keys();
      const open = [...place.open, ...top === undefined ? [] : [top], ...followed];
      const denying = denied.length === 0 ? place.denied : [...place.denied, ...denied];
      return { ...place, ...changes, open, denied: denying, depth: place.depth + 1, preferred: [] };
    }
  }

  /** What a definition itself suggests for a value: what a discriminator says, examples, `x-faker`, defaults. */
  function suggested({ members }: OpenConjunction, place: Place): unknown[] {
    const schemas = [...members.keys()];
    const examples = schemas.flatMap((schema) => schema.examples ?? []);
    const defaults = schemas.flatMap((schema) => listOf(schema.default));
    const fakers = schemas.flatMap(({ extensions }) => extensions?.["x-faker"] ?? []);
    if (examples.length + defaults.length + fakers.length === 0) return [...place.preferred];
    const written = isTimeForExample(place) ? [...examples, ...defaults] : [];
    const faked = fakers.flatMap((faker) => suggestFaked(faker, place));
    return [
      ...place.preferred,
      ...workshop.look.isVaried ? [...faked, ...written] : [...examples, ...faked, ...written],
    ];
  }

  /** The example comes first; only among several items, and in other bodies than the first, it comes now and then. */
  function isTimeForExample(place: Place): boolean {
    const { look } = workshop;
    return look.isVaried ? happens(look.example, hashWith(place.hash, "example")) : place.index === 0;
  }

  function isTimeForNull(place: Place): boolean {
    return happens(workshop.look.null, hashWith(place.hash, "null"));
  }

  function chooseListed(
    listed: readonly unknown[],
    way: Conjunction,
    isRight: (value: unknown) => boolean,
    place: Place,
  ): Built | Failure {
    // Another one for each item and seed; as most of them are right, the others need not be asked.
    const start = place.index + (workshop.look.isVaried ? place.hash % 97 : 0);
    const [others, nulls] = [listed.filter((value) => value !== null), listed.filter((value) => value === null)];
    for (const values of isTimeForNull(place) ? [nulls, others] : [others, nulls]) {
      const first = start % Math.max(values.length, 1);
      const value = values.findIndex((_, index) => isRight(values[(first + index) % values.length]));
      if (value !== -1) return { value: values[(first + value) % values.length] };
    }
    const schema = [...way.members.keys()].find((member) => member.enum ?? member.const) ?? [...way.members.keys()][0];
    if (schema === undefined) throw new RangeError("Cannot choose a value: there is no schema");
    return { reason: "none of the listed values satisfies the rest of the schema", schema, proven: true };
  }

  /** The types to try, the likeliest first and null last. */
  function typesOf({ members }: Conjunction, place: Place): readonly Type[] {
    let types: readonly Type[] | undefined;
    for (const schema of members.keys()) if (schema.types !== undefined) types = intersectTypes(types, schema.types);
    if (types === undefined) return likelyTypes([...members.keys()]);
    const described = types.filter((type) => isDescribed(type, members.keys()));
    // Nobody means an array or an object of anything where a scalar will do.
    const plain = described.some((type) => type !== "null") ? described : types;
    const rest = types.filter((type) => !plain.includes(type));
    return [...startingAnywhere(plain, place), ...rest];
  }

  function startingAnywhere(types: readonly Type[], place: Place): readonly Type[] {
    const others = types.filter((type) => type !== "null");
    if (others.length === types.length && types.length === 1) return types;
    const start = workshop.look.isVaried ? hashWith(place.hash, "type") % Math.max(others.length, 1) : 0;
    const rotated = [...others.slice(start), ...others.slice(0, start)];
    if (others.length === types.length) return rotated;
    return isTimeForNull(place) ? ["null", ...rotated] : [...rotated, "null"];
  }
}

/** Whether the value would have to satisfy, or not to satisfy, a schema as one around it does. */
function goesRound({ followed, denied }: Conjunction, place: Place): boolean {
  return followed.some((schema) => place.open.includes(schema)) ||
    denied.some((schema) => place.denied.includes(schema));
}

/** How often the one of some schemas is among others that is there most often. */
function mostRepeated(schemas: readonly Schema[], others: readonly Schema[]): number {
  return Math.max(0, ...schemas.map((schema) => others.filter((other) => other === schema).length));
}

/** What an object is called: by the component that describes it, else by its property. */
function ownerOf({ members, followed }: Conjunction, place: Place): string {
  const [top] = members.keys();
  const component = [...followed, ...top === undefined ? [] : [top]]
    .map(({ node }) => /\/(?:schemas|definitions|\$defs)\/([^/]+)$/.exec(node.pointer)?.[1])
    .find((name) => name !== undefined);
  return component ?? place.name;
}

function listOf(value: { readonly value: unknown } | undefined): unknown[] {
  return value === undefined ? [] : [value.value];
}

/** The values that `enum` and `const` leave; `undefined` where neither is there. */
function listedValues({ members }: Conjunction): readonly unknown[] | undefined {
  let values: readonly unknown[] | undefined;
  for (const schema of members.keys()) {
    for (const listed of [schema.enum, schema.const && [schema.const.value]]) {
      if (listed === undefined) continue;
      values = values?.filter(membership(listed)) ?? listed;
    }
  }
  return values;
}
