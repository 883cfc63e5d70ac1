import type { Schema } from "../../schema/schema.ts";
import { type Conjunction, type Failure, holdsBecauseOf, isFailure } from "./conjunction.ts";
import { partsOf } from "../../schema/validator.ts";
import { spend } from "../../schema/steps.ts";
import { isScalar } from "./type.ts";
import type { Workshop } from "./generator_context.ts";

/** What schemas together say of the properties of an object. */
export interface Properties {
  /** Names that must be there, and those that they make necessary. */
  readonly required: ReadonlySet<string>;
  /** All names that are known, in the order of the definition. */
  readonly known: ReadonlySet<string>;
  /** Whether names are described beyond those that are declared. */
  readonly hasDescribedOthers: boolean;
  /** Whether names beyond those that are declared are not allowed. */
  readonly isClosed: boolean;
  /** Whether nothing tells names apart beyond those that are declared. */
  readonly areOthersAlike: boolean;
  /** All that is said of a property. */
  readonly partsOf: (name: string) => readonly Schema[];
  /** Why a property can't be there, as far as that shows before a choice is made. */
  readonly contradictionIn: (name: string) => Failure | undefined;
  /** Whether a property is made of scalars only. */
  readonly isScalar: (name: string) => boolean;
  /** Whether a property would be one of the schemas that are under way around it. */
  readonly goesRound: (name: string, open: readonly Schema[]) => boolean;
}

/** Reads what the members of a conjunction say of properties. */
export function propertiesOf(way: Conjunction, { matches, isValid, ways, steps }: Workshop): Properties {
  const schemas = [...way.members.keys()];
  const required = requiredNames(schemas);
  const partsKnown = new Map<string, readonly Schema[]>();
  const declared = schemas.flatMap(({ properties }) => [...properties?.keys() ?? []]);
  const naming = schemas.filter(({ propertyNames }) => propertyNames !== undefined);
  const declaring = createDeclarationIndex(schemas);
  return {
    required,
    known: new Set([...declared, ...required]),
    hasDescribedOthers: schemas.some(({ patternProperties, propertyNames, additionalProperties }) =>
      patternProperties !== undefined || propertyNames !== undefined ||
      (additionalProperties !== undefined && additionalProperties.never === undefined &&
        Object.keys(additionalProperties).length > 1)
    ),
    isClosed: schemas.some(({ additionalProperties, patternProperties }) =>
      additionalProperties?.never !== undefined && patternProperties === undefined
    ),
    areOthersAlike: schemas.every(({ patternProperties, propertyNames }) =>
      patternProperties === undefined && propertyNames === undefined
    ),
    partsOf: allPartsOf,
    contradictionIn,
    isScalar: (name) => {
      const common = ways.commonPartOf(allPartsOf(name));
      return !isFailure(common) && isScalar(common);
    },
    goesRound: (name, open) => {
      const common = ways.commonPartOf(allPartsOf(name));
      return !isFailure(common) && common.followed.some((followed) => open.includes(followed));
    },
  };

  function allPartsOf(name: string): readonly Schema[] {
    let parts = partsKnown.get(name);
    if (parts === undefined) partsKnown.set(name, parts = findParts(name));
    return parts;
  }

  function findParts(name: string): readonly Schema[] {
    spend(steps, schemas.length);
    const parts = declaring === undefined
      ? schemas.flatMap((member) => partsOf(name, member, matches))
      : [...declaring().get(name) ?? []];
    for (const member of schemas) {
      if (member.unevaluatedProperties === undefined) continue;
      spend(steps, schemas.length);
      const isEvaluated = schemas.some((other) =>
        holdsBecauseOf(way, other, member) && partsOf(name, other, matches).length > 0
      );
      if (!isEvaluated) parts.push(member.unevaluatedProperties);
    }
    return parts;
  }

  function contradictionIn(name: string): Failure | undefined {
    const refusing = naming.find(({ propertyNames }) => propertyNames !== undefined && !isValid(name, propertyNames));
    if (refusing !== undefined) return { reason: "`propertyNames` refuses the name", schema: refusing, proven: true };
    const parts = allPartsOf(name);
    const common = parts.length === 0 ? {} : ways.commonPartOf(parts);
    return isFailure(common) ? common : undefined;
  }
}

/** Schemas from which on an index of the properties that they declare is faster than a look at each. */
const MANY = 8;

/** The parts of each declared property; `undefined` where schemas are few, or say something of undeclared names. */
function createDeclarationIndex(
  schemas: readonly Schema[],
): (() => ReadonlyMap<string, readonly Schema[]>) | undefined {
  if (schemas.length < MANY) return undefined;
  if (schemas.some((schema) => (schema.patternProperties ?? schema.additionalProperties) !== undefined)) {
    return undefined;
  }
  let index: Map<string, Schema[]> | undefined;
  return () => {
    if (index !== undefined) return index;
    index = new Map();
    for (const { properties } of schemas) {
      for (const [name, part] of properties ?? []) {
        const parts = index.get(name);
        if (parts === undefined) index.set(name, [part]);
        else parts.push(part);
      }
    }
    return index;
  };
}

function requiredNames(schemas: readonly Schema[]): Set<string> {
  const names = new Set(schemas.flatMap(({ required = [] }) => required));
  for (const name of names) {
    for (const { dependentRequired } of schemas) dependentRequired?.get(name)?.forEach((needed) => names.add(needed));
  }
  return names;
}
