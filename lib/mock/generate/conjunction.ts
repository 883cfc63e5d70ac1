import type { Schema } from "../../schema/schema.ts";
import { spend, type Steps } from "../../regexp/steps.ts";
import { alternativesOf } from "./alternatives.ts";
import { type Failure, isFailure } from "./body.ts";
import { type Alternative, type Choice, discriminatorValues, type KnownProperties } from "./choice.ts";
import { contradictionOf } from "./contradiction.ts";
import { subsumesClosure, withRequired } from "./subsumption.ts";

/**
 * Schemas that one value has to satisfy together, merged as by `allOf`, with an alternative chosen at each choice: a
 * conjunction of the schema's disjunctive normal form.
 */
export interface Conjunction {
  /** The schemas that the value satisfies, each mapped to its parent: the schema that contains it or refers to it. */
  readonly members: ReadonlyMap<Schema, Schema | undefined>;
  readonly negated: readonly Schema[];
  /** The members that are targets of a `$ref`. */
  readonly referenced: readonly Schema[];
  /** Values of discriminator properties that select the chosen subschemas, by property name. */
  readonly preferred: ReadonlyMap<string, readonly unknown[]>;
  /**
   * Whether a value that satisfies all members must be validated again: it may still break `oneOf`, `not` or `negated`.
   */
  readonly needsCheck: boolean;
  /** Whether other conjunctions of the schema already allow every value that this conjunction allows. */
  readonly isRedundant: boolean;
}

/** A conjunction in which some choices are not made yet. */
export interface OpenConjunction extends Conjunction {
  readonly choices: readonly Choice[];
}

/** The counters of a search for conjunctions. */
export interface ConjunctionSearch {
  readonly steps: Steps;
  alternatives: number;
}

/** A schema that is to be merged into a conjunction. */
interface Pending {
  readonly schema: Schema;
  readonly parent: Schema | undefined;
}

/** A choice, with the result of each of its alternatives: a conjunction or a contradiction. */
interface Expansion {
  readonly choice: Choice;
  readonly results: readonly (OpenConjunction | Failure)[];
  readonly isComplete: boolean;
}

/** The most negated choices of which the alternatives are listed, to find the choice with the fewest. */
const MOST_COMPARED = 6;

export function schemasOf({ members }: Conjunction): readonly [Schema, ...Schema[]] {
  const schemas = [...members.keys()];
  if (schemas.length === 0) throw new RangeError("Cannot build a value: there is no schema");
  return schemas as [Schema, ...Schema[]];
}

/**
 * Whether a conjunction contains the schema `inner` because `outer` contains it or refers to it, perhaps through other
 * schemas. `unevaluatedProperties` and `unevaluatedItems` of `outer` depend on such schemas only.
 */
export function followsFrom({ members }: Conjunction, inner: Schema, outer: Schema): boolean {
  for (let at: Schema | undefined = inner; at !== undefined; at = members.get(at)) if (at === outer) return true;
  return false;
}

/**
 * Merges the parts of schemas that hold before any choice is made. Returns a failure if they contradict each other.
 *
 * @throws {OutOfSteps} If the merge takes more steps than are left.
 */
export function mergeRequired(schemas: readonly Schema[], steps: Steps): OpenConjunction | Failure {
  const none: OpenConjunction = {
    members: new Map(),
    negated: [],
    referenced: [],
    preferred: new Map(),
    needsCheck: false,
    isRedundant: false,
    choices: [],
  };
  return merge(none, schemas.map((schema) => ({ schema, parent: undefined })), steps);
}

/**
 * Makes the choices of a conjunction in all combinations, depth first. Yields the resulting conjunctions and the
 * contradictions.
 *
 * @param open The conjunction with the choices to make.
 * @param start Index of the alternative that is tried first at the first choice.
 * @param search The steps of work that are left, and the number of alternatives tried.
 */
export function* searchConjunctions(
  open: OpenConjunction | Failure,
  start: number,
  search: ConjunctionSearch,
): Generator<Conjunction | Failure> {
  if (isFailure(open)) return yield open;
  const expansion = expandNext(open, search);
  if (expansion === undefined) return yield open;
  const { choice: { kind, schema }, results, isComplete } = expansion;
  // The last result of a `subtype` choice is the base schema alone, which is tried only if no subtype gives a value.
  const startable = kind === "subtype" ? results.length - 1 : results.length;
  const first = startable <= 0 ? 0 : start % startable;
  for (const result of [...results.slice(first), ...results.slice(0, first)]) {
    yield* searchConjunctions(result, 0, search);
  }
  if (results.length === 0) yield { reason: "every value is excluded", schema, proven: isComplete };
  else if (!isComplete) yield { reason: "not every way to break the schema was tried", schema, proven: false };
}

/**
 * Selects the choice to make next, and lists its results. If two or more choices are negated, the first of them that
 * has at most one result without a contradiction is selected, because it doesn't make the search branch. Otherwise the
 * first choice that isn't negated is selected; if all are, the one with the fewest such results.
 */
function expandNext(open: OpenConjunction, search: ConjunctionSearch): Expansion | undefined {
  const negations = open.choices.filter(({ kind }) => kind === "negated");
  const given = negations.length === 0 ? [] : withRequired([...open.members.keys()], search.steps);
  for (const choice of negations) {
    search.alternatives++;
    if (!subsumesClosure(choice.schema, given, search.steps)) continue;
    const reason = "the value must not satisfy this schema, which its other schemas require";
    return { choice, results: [{ reason, schema: choice.schema, proven: true }], isComplete: true };
  }
  const first = open.choices.find(({ kind }) => kind !== "negated");
  if (negations.length < 2) {
    const choice = first ?? negations[0];
    return choice && expand(open, choice, search);
  }
  let best: Expansion | undefined;
  let fewest = Infinity;
  for (const choice of negations.slice(0, MOST_COMPARED)) {
    const expansion = expand(open, choice, search);
    const viable = expansion.results.filter((result) => !isFailure(result));
    if (viable.length < fewest) {
      [best, fewest] = [{ ...expansion, results: viable.length > 0 ? viable : expansion.results }, viable.length];
    }
    if (fewest < 2) return best;
  }
  return first === undefined ? best : expand(open, first, search);
}

function expand(open: OpenConjunction, choice: Choice, search: ConjunctionSearch): Expansion {
  const { steps } = search;
  const { alternatives, isComplete } = alternativesOf(choice, knownProperties([...open.members.keys()], steps), steps);
  const rest = { ...open, choices: open.choices.filter((other) => other !== choice) };
  const results = alternatives.map((alternative) => {
    search.alternatives++;
    return addAlternative(rest, alternative, choice.schema, steps);
  });
  return { choice, results, isComplete };
}

function addAlternative(
  open: OpenConjunction,
  { assert = [], negate = [], enclosing = new Set<Schema>(), preferred, isRedundant = false }: Alternative,
  parent: Schema,
  steps: Steps,
): OpenConjunction | Failure {
  const conjunction: OpenConjunction = {
    ...open,
    negated: [...open.negated, ...negate],
    preferred: preferred === undefined ? open.preferred : new Map([...open.preferred, ...preferred]),
    isRedundant: open.isRedundant || isRedundant,
    choices: [...open.choices, ...negate.map((schema): Choice => ({ kind: "negated", schema, enclosing }))],
    needsCheck: open.needsCheck || negate.length > 0,
  };
  return merge(conjunction, assert.map((schema) => ({ schema, parent })), steps);
}

function knownProperties(schemas: readonly Schema[], steps: Steps): KnownProperties {
  const names = schemas.flatMap(({ properties, required = [] }) => [...properties?.keys() ?? [], ...required]);
  spend(steps, names.length);
  const areOthersAlike = schemas.every(({ patternProperties, propertyNames }) => !patternProperties && !propertyNames);
  return { names: new Set(names), areOthersAlike };
}

/**
 * The index of the alternative that selects the type of an array's item, so that the items of a list have different
 * types; 0 if no discriminator distinguishes the alternatives.
 *
 * @param index Index of the item.
 */
export function startOfItem({ choices }: OpenConjunction, index: number): number {
  const first = choices.find(({ kind }) => kind !== "negated");
  if (first?.schema.discriminator === undefined) return 0;
  // `oneOf` has two alternatives for each subschema.
  return first.kind === "oneOf" ? 2 * index : index;
}

/**
 * Adds schemas to a conjunction, with all schemas that they require by `$ref`, by `allOf`, and by `anyOf` or `oneOf`
 * with a single subschema. Adds the choices of these schemas to the conjunction.
 */
function merge(open: OpenConjunction, added: readonly Pending[], steps: Steps): OpenConjunction | Failure {
  spend(steps, 1 + open.members.size + open.choices.length);
  const members = new Map(open.members);
  const referenced = [...open.referenced];
  const choices = [...open.choices];
  const negated = [...open.negated];
  const preferred = new Map(open.preferred);
  let { needsCheck } = open;
  const pending = added.toReversed();
  const last: Pending[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop() ?? last.shift()) {
    const { schema, parent } = next;
    spend(steps, 1);
    if (members.has(schema)) continue;
    members.set(schema, parent);
    if (schema.never !== undefined) return { reason: reasonOf(schema), schema, proven: true };
    const targets = (schema.references ?? []).flatMap(({ target }) => target() ?? []);
    referenced.push(...targets);
    // Merge the target of a `$ref` before the schemas that follow, to keep properties in the order of the definition.
    for (const member of [...targets, ...schema.allOf ?? []].reverse()) {
      pending.push({ schema: member, parent: schema });
    }
    for (const kind of ["anyOf", "oneOf"] as const) {
      const subschemas = schema[kind];
      const [only] = subschemas ?? [];
      if (subschemas?.length === 1 && only !== undefined) last.push({ schema: only, parent: schema });
      else if (subschemas !== undefined) choices.push({ kind, schema });
    }
    if (schema.not !== undefined) {
      negated.push(schema.not);
      choices.push({ kind: "negated", schema: schema.not });
    }
    if (schema.if !== undefined && (schema.then ?? schema.else) !== undefined) choices.push({ kind: "if", schema });
    for (const [name, then] of schema.dependentSchemas ?? []) choices.push({ kind: "dependent", schema, name, then });
    if (schema.oneOf !== undefined || schema.not !== undefined) needsCheck = true;
    readDiscriminator(schema, members, preferred, choices);
  }
  return contradictionOf([...members.keys()], steps) ??
    { ...open, members, negated, referenced, choices, preferred, needsCheck };
}

/**
 * Reads the discriminator of a base schema, which subtypes extend by `allOf`. If a subtype is being built, its
 * discriminator value becomes the preferred value of the property; otherwise, the subtype becomes a choice.
 */
function readDiscriminator(
  schema: Schema,
  members: ReadonlyMap<Schema, Schema | undefined>,
  preferred: Map<string, readonly unknown[]>,
  choices: Choice[],
): void {
  const { discriminator, anyOf, oneOf } = schema;
  if (discriminator === undefined || (anyOf ?? oneOf) !== undefined) return;
  let subtype: Schema | undefined;
  for (let at: Schema | undefined = schema; at !== undefined; at = members.get(at)) {
    const parent = members.get(at);
    if (parent?.allOf?.includes(at)) subtype = parent;
  }
  if (preferred.has(discriminator.propertyName)) return;
  if (subtype !== undefined) {
    preferred.set(discriminator.propertyName, discriminatorValues(discriminator, subtype));
  } else if (discriminator.mapping.size > 0) choices.push({ kind: "subtype", schema });
}

function reasonOf({ never }: Schema): string {
  switch (never) {
    case "readOnly":
      return "the property is `readOnly`, so that no request has it";
    case "writeOnly":
      return "the property is `writeOnly`, so that no response has it";
    default:
      return "`false` allows nothing";
  }
}
