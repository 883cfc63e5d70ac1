import type { Schema, Type } from "../../openapi/schema_object.ts";
import { type Alternative, alternativesOf, type Choice, discriminatorValues } from "./choice.ts";
import { isEqual } from "./equal.ts";
import { isOfType } from "./satisfies.ts";

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

/** How to order the alternatives of a choice. */
export type Order = (alternatives: readonly Alternative[]) => readonly Alternative[];

/** What schemas say together before any choice; a contradiction if they contradict each other already there. */
export function commonPartOf(schemas: readonly Schema[]): OpenConjunction | Failure {
  return settle({
    members: new Map(),
    denied: [],
    followed: [],
    hints: new Map(),
    needsCheck: false,
    isExtra: false,
    pending: schemas.map((schema) => ({ schema, parent: undefined })),
    choices: [],
  });
}

/** Lists the ways to make the choices, and the contradictions met on the way. */
export function* conjunctionsOf(open: OpenConjunction | Failure, order: Order): Generator<Conjunction | Failure> {
  if (isFailure(open)) return yield open;
  const [choice, ...choices] = open.choices;
  if (choice === undefined) return yield open;
  const declares = (name: string): boolean =>
    [...open.members.keys()].some(({ properties, required }) => properties?.has(name) || required?.includes(name));
  const { alternatives, isComplete } = alternativesOf(choice, declares);
  for (const { assert = [], deny = [], hints, isExtra = false } of order(alternatives)) {
    const parent = choice.schema;
    const next: State = {
      ...open,
      denied: [...open.denied, ...deny],
      hints: hints === undefined ? open.hints : new Map([...open.hints, ...hints]),
      isExtra: open.isExtra || isExtra,
      pending: assert.map((schema) => ({ schema, parent })),
      choices: [...choices, ...deny.map((schema): Choice => ({ kind: "denied", schema }))],
      needsCheck: open.needsCheck || deny.length > 0,
    };
    yield* conjunctionsOf(settle(next), order);
  }
  const { schema } = choice;
  if (alternatives.length === 0) yield { reason: "`not` excludes every value", schema, proven: true };
  if (!isComplete) yield { reason: "not every way to break the schema was tried", schema, proven: false };
}

/** Tells a failure from anything else. */
export function isFailure(result: object): result is Failure {
  return "proven" in result;
}

/** Adds what is pending, and all that holds with it. */
function settle(state: State): OpenConjunction | Failure {
  const members = new Map(state.members);
  const followed = [...state.followed];
  const choices = [...state.choices];
  const hints = new Map(state.hints);
  let { needsCheck } = state;
  const pending = [...state.pending];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { schema, parent } = next;
    if (members.has(schema)) continue;
    members.set(schema, parent);
    if (schema.never !== undefined) return { reason: reasonOf(schema), schema, proven: true };
    for (const { target } of schema.references ?? []) {
      const followedSchema = target();
      if (followedSchema === undefined) continue;
      followed.push(followedSchema);
      pending.push({ schema: followedSchema, parent: schema });
    }
    for (const member of schema.allOf ?? []) pending.push({ schema: member, parent: schema });
    for (const kind of ["anyOf", "oneOf"] as const) {
      const branches = schema[kind];
      const [only] = branches ?? [];
      if (branches?.length === 1 && only !== undefined) pending.push({ schema: only, parent: schema });
      else if (branches !== undefined) choices.push({ kind, schema });
    }
    if (schema.not !== undefined) choices.push({ kind: "not", schema });
    if (schema.if !== undefined && (schema.then ?? schema.else) !== undefined) choices.push({ kind: "if", schema });
    for (const [name, then] of schema.dependentSchemas ?? []) choices.push({ kind: "dependent", schema, name, then });
    if (schema.oneOf !== undefined || schema.not !== undefined) needsCheck = true;
    readDiscriminator(schema);
  }
  return contradictionOf(members) ?? { ...state, members, followed, choices, hints, needsCheck };

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
function contradictionOf(members: ReadonlyMap<Schema, unknown>): Failure | undefined {
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
      const narrowed = values?.filter((value) => listed.some((other) => isEqual(value, other))) ?? listed;
      if (narrowed.length === 0) {
        const reason = listed.length === 0 ? "`enum` lists no value" : "the listed values have none in common";
        return { reason, schema, proven: true };
      }
      values = narrowed;
    }
  }
  if (types === undefined || values === undefined) return undefined;
  const allowed = types;
  if (values.some((value) => allowed.some((type) => isOfType(value, type)))) return undefined;
  const schema = [...members.keys()].find((member) => member.enum ?? member.const);
  if (schema === undefined) return undefined;
  return { reason: `no listed value is of type ${types.join(" or ")}`, schema, proven: true };
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
