import { membership } from "../../schema/json/equal.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import { spend, type Steps } from "../../regexp/steps.ts";
import { isOfType } from "../../schema/json/value.ts";
import type { Failure } from "./body.ts";
import { subsumes } from "./subsumption.ts";
import { intersectTypes } from "./type.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * Finds a contradiction between schemas without search: between types, `enum` and `const` values, required and
 * forbidden properties.
 */
export function contradictionOf(schemas: readonly Schema[], steps: Steps): Failure | undefined {
  let types: readonly Type[] | undefined;
  let values: readonly unknown[] | undefined;
  for (const schema of schemas) {
    if (schema.types !== undefined) {
      const common = intersectTypes(types, schema.types);
      if (common.length === 0) {
        const reason = `type ${schema.types.join(" or ")} contradicts type ${types?.join(" or ")}`;
        return { reason, schema, proven: true };
      }
      types = common;
    }
    for (const listed of [schema.enum, schema.const && [schema.const.value]]) {
      if (listed === undefined) continue;
      spend(steps, listed.length);
      const common = values?.filter(membership(listed)) ?? listed;
      if (common.length === 0) {
        const reason = listed.length === 0 ? "`enum` lists no value" : "the listed values have none in common";
        return { reason, schema, proven: true };
      }
      values = common;
    }
  }
  if (types?.length === 1 && types[0] === "object") {
    const contradiction = contradictionInProperties(schemas, steps);
    if (contradiction !== undefined) return contradiction;
  }
  return types === undefined || values === undefined ? undefined : contradictionInValues(schemas, types, values);
}

function contradictionInValues(
  schemas: readonly Schema[],
  types: readonly Type[],
  values: readonly unknown[],
): Failure | undefined {
  if (values.some((value) => types.some((type) => isOfType(value, type)))) return undefined;
  const schema = schemas.find((member) => member.enum ?? member.const);
  if (schema === undefined) return undefined;
  return { reason: `no listed value is of type ${types.join(" or ")}`, schema, proven: true };
}

function contradictionInProperties(schemas: readonly Schema[], steps: Steps): Failure | undefined {
  const excluded = exclusionsOf(schemas, steps);
  const closed = schemas.filter(({ additionalProperties, patternProperties }) =>
    additionalProperties?.never !== undefined && patternProperties === undefined
  );
  if (excluded.size === 0 && closed.length === 0) return undefined;
  for (const schema of schemas) {
    for (const name of schema.required ?? []) {
      spend(steps, 1 + closed.length);
      if (closed.some(({ properties }) => !properties?.has(name))) {
        return { reason: `the property ${writeJson(name)} is required and not allowed`, schema, proven: true };
      }
      const exclusions = excluded.get(name);
      if (exclusions === undefined) continue;
      spend(steps, schemas.length);
      const parts = schemas.flatMap(({ properties }) => properties?.get(name) ?? []);
      const isContradicted = exclusions.some((exclusion) =>
        exclusion === undefined || subsumes(exclusion, parts.filter(({ not }) => not !== exclusion), steps)
      );
      if (!isContradicted) continue;
      return { reason: `the property ${writeJson(name)} is required and excluded`, schema, proven: true };
    }
  }
  return undefined;
}

/**
 * For each property name, the schemas under `not` that its value must not satisfy. An `undefined` schema stands for
 * `false`: the property is forbidden.
 */
function exclusionsOf(schemas: readonly Schema[], steps: Steps): ReadonlyMap<string, readonly (Schema | undefined)[]> {
  const excluded = new Map<string, (Schema | undefined)[]>();
  for (const { properties } of schemas) {
    spend(steps, properties?.size ?? 0);
    for (const [name, property] of properties ?? []) {
      if (property.never === undefined && property.not === undefined) continue;
      const exclusion = property.never === undefined ? property.not : undefined;
      const others = excluded.get(name);
      if (others === undefined) excluded.set(name, [exclusion]);
      else others.push(exclusion);
    }
  }
  return excluded;
}
