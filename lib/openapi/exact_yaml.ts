/**
 * YAML with exact integers: those beyond 2^53 are `bigint`, as in JSON texts (lib/schema/json.ts).
 *
 * @module
 */
import { CORE_SCHEMA, defineScalarTag, DUMP_SCHEMA, intCoreTag } from "js-yaml";
import { exactInteger } from "../schema/json.ts";

const EXACT_INT = defineScalarTag(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, ...rest) => exactInteger(source) ?? intCoreTag.resolve(source, ...rest),
  identify: (value) => typeof value === "bigint" || intCoreTag.identify?.(value) === true,
  represent: (value) => String(value),
});

/** Schema for reading. */
export const EXACT_CORE_SCHEMA = CORE_SCHEMA.withTags(EXACT_INT);
/** Schema for writing. */
export const EXACT_DUMP_SCHEMA = DUMP_SCHEMA.withTags(EXACT_INT);
