import type { Schema, Type } from "../../schema/schema.ts";
import { alternativesOf, type Choice, discriminatorValues, type KnownProperties } from "./choice.ts";
import { membership } from "../../schema/equal.ts";
import { isImplied, isImpliedByAll, withReferences } from "./implication.ts";
import { isOfType } from "../../schema/value.ts";
import { spend, type Steps } from "../../schema/steps.ts";

/** Why no value was made. */
export interface Failure {
  readonly reason: string;
  /** The schema that says what can't be fulfilled. */
  readonly schema: Schema;
  /** Whether no value exists, as opposed to none having been found. */
  readonly proven: boolean;
}

/** Schemas that one value has to satisfy together, with a branch chosen wherever they leave a choice. */
export interface Conjunction {
  /** All that has to hold, with the schema that each stands in or is referred to from. */
  readonly members: ReadonlyMap<Schema, Schema | undefined>;
  /** What must not hold. */
  readonly denied: readonly Schema[];
  /** Members that a reference led to. */
  readonly followed: readonly Schema[];
  /** Values that properties should have, by name: what discriminators say of the branches chosen. */
  readonly hints: ReadonlyMap<string, readonly unknown[]>;
  /** Whether a value made for the members may still break what the branches were chosen from. */
  readonly needsCheck: boolean;
  /** Whether the others cover every value without this one. */
  readonly isExtra: boolean;
}

/** A conjunction whose choices are still to be made. */
export interface OpenConjunction extends Conjunction {
  readonly choices: readonly Choice[];
}

interface State extends OpenConjunction {
  readonly pending: readonly Pending[];
}

interface Pending {
  readonly schema: Schema;
  readonly parent: Schema | undefined;
}

/**
 * The conjunction of schemas before any choice is made; a failure if they contradict each other without one.
 *
 * @throws {OutOfSteps} If that takes more steps than are left.
 */
export function commonPartOf(schemas: readonly Schema[], steps: Steps): OpenConjunction | Failure {
  return settle({
    members: new Map(),
    denied: [],
    followed: [],
    hints: new Map(),
    needsCheck: false,
    isExtra: false,
    pending: schemas.map((schema) => ({ schema, parent: undefined })),
    choices: [],
  }, steps);
}

/**
 * Lists the ways to make the choices, and the contradictions met on the way.
 *
 * @param open What holds before.
 * @param start The alternative of the first choice to begin with.
 * @param count Called for each alternative that is looked into.
 * @param steps Bounds the work.
 */
export function* conjunctionsOf(
  open: OpenConjunction | Failure,
  start: number,
  count: () => void,
  steps: Steps,
): Generator<Conjunction | Failure> {
  if (isFailure(open)) return yield open;
  const next = nextChoice(open, count, steps);
  if (next === undefined) return yield open;
  const { choice, branches, isComplete } = next;
  const first = branches.length === 0 ? 0 : start % branches.length;
  for (const branch of [...branches.slice(first), ...branches.slice(0, first)]) {
    yield* conjunctionsOf(branch, 0, count, steps);
  }
  if (branches.length === 0) yield { reason: "every value is excluded", schema: choice.schema, proven: isComplete };
  else if (!isComplete) {
    yield { reason: "not every way to break the schema was tried", schema: choice.schema, proven: false };
  }
}

/** Choices that are looked into to find the one with the fewest alternatives. */
const MOST_COMPARED = 6;

/** A choice with what each of its alternatives leads to. */
interface Fork {
  readonly choice: Choice;
  readonly branches: readonly (OpenConjunction | Failure)[];
  readonly isComplete: boolean;
}

/** The choice to make next: one that leaves no choice, else the first in the definition. */
function nextChoice(open: OpenConjunction, count: () => void, steps: Steps): Fork | undefined {
  const denials = open.choices.filter(({ kind }) => kind === "denied");
  const given = denials.length === 0 ? [] : withReferences([...open.members.keys()], steps);
  for (const choice of denials) {
    count();
    if (!isImpliedByAll(choice.schema, given, steps)) continue;
    const reason = "it must not satisfy this schema, which follows from what it must satisfy";
    return { choice, branches: [{ reason, schema: choice.schema, proven: true }], isComplete: true };
  }
  const first = open.choices.find(({ kind }) => kind !== "denied");
  if (denials.length < 2) {
    const choice = first ?? denials[0];
    return choice && forkOf(open, choice, count, steps);
  }
  let best: Fork | undefined;
  let fewest = Infinity;
  for (const choice of denials.slice(0, MOST_COMPARED)) {
    const fork = forkOf(open, choice, count, steps);
    const viable = fork.branches.filter((branch) => !isFailure(branch));
    if (viable.length < fewest) {
      [best, fewest] = [{ ...fork, branches: viable.length > 0 ? viable : fork.branches }, viable.length];
    }
    if (fewest < 2) return best;
  }
  return first === undefined ? best : forkOf(open, first, count, steps);
}

function forkOf(open: OpenConjunction, choice: Choice, count: () => void, steps: Steps): Fork {
  const choices = open.choices.filter((other) => other !== choice);
  const { schema } = choice;
  const { alternatives, isComplete } = alternativesOf(choice, knownProperties([...open.members.keys()], steps), steps);
  const branches = alternatives.map(
    ({ assert = [], deny = [], around = new Set<Schema>(), hints, isExtra = false }) => {
      count();
      const state: State = {
        ...open,
        denied: [...open.denied, ...deny],
        hints: hints === undefined ? open.hints : new Map([...open.hints, ...hints]),
        isExtra: open.isExtra || isExtra,
        pending: assert.map((asserted) => ({ schema: asserted, parent: schema })),
        choices: [...choices, ...deny.map((denied): Choice => ({ kind: "denied", schema: denied, around }))],
        needsCheck: open.needsCheck || deny.length > 0,
      };
      return settle(state, steps);
    },
  );
  return { choice, branches, isComplete };
}

function knownProperties(schemas: readonly Schema[], steps: Steps): KnownProperties {
  const names = schemas.flatMap(({ properties, required = [] }) => [...properties?.keys() ?? [], ...required]);
  spend(steps, names.length);
  const areOthersAlike = schemas.every(({ patternProperties, propertyNames }) => !patternProperties && !propertyNames);
  return { names: new Set(names), areOthersAlike };
}

/** Tells whether a member of a conjunction holds because another one does: it stands in it or is referred to from it. */
export function holdsBecauseOf({ members }: Conjunction, inner: Schema, outer: Schema): boolean {
  for (let at: Schema | undefined = inner; at !== undefined; at = members.get(at)) if (at === outer) return true;
  return false;
}

/** Tells a failure from anything else. */
export function isFailure(result: object): result is Failure {
  return "proven" in result;
}

/** Adds what is pending, and all that holds with it. */
function settle(state: State, steps: Steps): OpenConjunction | Failure {
  spend(steps, 1 + state.members.size + state.choices.length);
  const members = new Map(state.members);
  const followed = [...state.followed];
  const choices = [...state.choices];
  const denied = [...state.denied];
  const hints = new Map(state.hints);
  let { needsCheck } = state;
  const pending = state.pending.toReversed();
  const last: Pending[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop() ?? last.shift()) {
    const { schema, parent } = next;
    spend(steps, 1);
    if (members.has(schema)) continue;
    members.set(schema, parent);
    if (schema.never !== undefined) return { reason: reasonOf(schema), schema, proven: true };
    const targets = (schema.references ?? []).flatMap(({ target }) => target() ?? []);
    followed.push(...targets);
    // What a schema refers to comes before what follows it, so that properties keep their order.
    for (const member of [...targets, ...schema.allOf ?? []].reverse()) {
      pending.push({ schema: member, parent: schema });
    }
    for (const kind of ["anyOf", "oneOf"] as const) {
      const branches = schema[kind];
      const [only] = branches ?? [];
      if (branches?.length === 1 && only !== undefined) last.push({ schema: only, parent: schema });
      else if (branches !== undefined) choices.push({ kind, schema });
    }
    if (schema.not !== undefined) {
      denied.push(schema.not);
      choices.push({ kind: "denied", schema: schema.not });
    }
    if (schema.if !== undefined && (schema.then ?? schema.else) !== undefined) choices.push({ kind: "if", schema });
    for (const [name, then] of schema.dependentSchemas ?? []) choices.push({ kind: "dependent", schema, name, then });
    if (schema.oneOf !== undefined || schema.not !== undefined) needsCheck = true;
    readDiscriminator(schema);
  }
  return contradictionOf(members, steps) ??
    { ...state, members, denied, followed, choices, hints, needsCheck };

  /** Asks for a subtype of a schema that others extend, or names the one that is being made. */
  function readDiscriminator(schema: Schema): void {
    const { discriminator, anyOf, oneOf } = schema;
    if (discriminator === undefined || (anyOf ?? oneOf) !== undefined) return;
    let extending: Schema | undefined;
    for (let at: Schema | undefined = schema; at !== undefined; at = members.get(at)) {
      const parent = members.get(at);
      if (parent?.allOf?.includes(at)) extending = parent;
    }
    if (extending === undefined) {
      const isMade = hints.has(discriminator.propertyName);
      if (discriminator.mapping.size > 0 && !isMade) choices.push({ kind: "subtype", schema });
    } else if (!hints.has(discriminator.propertyName)) {
      hints.set(discriminator.propertyName, discriminatorValues(discriminator, extending));
    }
  }
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

/** A contradiction between the types and the listed values of schemas. */
function contradictionOf(members: ReadonlyMap<Schema, unknown>, steps: Steps): Failure | undefined {
  let types: readonly Type[] | undefined;
  let values: readonly unknown[] | undefined;
  for (const schema of members.keys()) {
    if (schema.types !== undefined) {
      const narrowed = intersectTypes(types, schema.types);
      if (narrowed.length === 0) {
        const reason = `type ${schema.types.join(" or ")} contradicts type ${types?.join(" or ")}`;
        return { reason, schema, proven: true };
      }
      types = narrowed;
    }
    for (const listed of [schema.enum, schema.const && [schema.const.value]]) {
      if (listed === undefined) continue;
      spend(steps, listed.length);
      const narrowed = values?.filter(membership(listed)) ?? listed;
      if (narrowed.length === 0) {
        const reason = listed.length === 0 ? "`enum` lists no value" : "the listed values have none in common";
        return { reason, schema, proven: true };
      }
      values = narrowed;
    }
  }
  if (types?.length === 1 && types[0] === "object") {
    const contradiction = contradictionInProperties(members, steps);
    if (contradiction !== undefined) return contradiction;
  }
  if (types === undefined || values === undefined) return undefined;
  const allowed = types;
  if (values.some((value) => allowed.some((type) => isOfType(value, type)))) return undefined;
  const schema = [...members.keys()].find((member) => member.enum ?? member.const);
  if (schema === undefined) return undefined;
  return { reason: `no listed value is of type ${types.join(" or ")}`, schema, proven: true };
}

/** A contradiction between what schemas require and what they exclude. */
function contradictionInProperties(members: ReadonlyMap<Schema, unknown>, steps: Steps): Failure | undefined {
  const excluded = new Map<string, (Schema | undefined)[]>();
  for (const { properties } of members.keys()) {
    spend(steps, properties?.size ?? 0);
    for (const [name, property] of properties ?? []) {
      if (property.never === undefined && property.not === undefined) continue;
      const others = excluded.get(name);
      const what = property.never === undefined ? property.not : undefined;
      if (others === undefined) excluded.set(name, [what]);
      else others.push(what);
    }
  }
  const closed = [...members.keys()].filter(({ additionalProperties, patternProperties }) =>
    additionalProperties?.never !== undefined && patternProperties === undefined
  );
  if (excluded.size === 0 && closed.length === 0) return undefined;
  for (const schema of members.keys()) {
    for (const name of schema.required ?? []) {
      spend(steps, 1 + closed.length);
      if (closed.some(({ properties }) => !properties?.has(name))) {
        return { reason: `the property ${JSON.stringify(name)} is required and not allowed`, schema, proven: true };
      }
      const exclusions = excluded.get(name);
      if (exclusions === undefined) continue;
      spend(steps, members.size);
      const parts = [...members.keys()].flatMap(({ properties }) => properties?.get(name) ?? []);
      const isContradicted = exclusions.some((exclusion) =>
        exclusion === undefined || isImplied(exclusion, parts.filter(({ not }) => not !== exclusion), steps)
      );
      if (!isContradicted) continue;
      return { reason: `the property ${JSON.stringify(name)} is required and excluded`, schema, proven: true };
    }
  }
  return undefined;
}

/** The types that two lists have in common; integers are numbers. */
export function intersectTypes(left: readonly Type[] | undefined, right: readonly Type[]): readonly Type[] {
  if (left === undefined) return right;
  const common = left.flatMap((type): Type[] => {
    if (right.includes(type)) return [type];
    const isNumeric = (type === "number" && right.includes("integer")) ||
      (type === "integer" && right.includes("number"));
    return isNumeric ? ["integer"] : [];
  });
  return [...new Set(common)];
}
