/**
 * YAML with exact integers: those beyond 2^53 are `bigint`, as in JSON texts (lib/schema/json/json.ts).
 *
 * @module
 */
import { CORE_SCHEMA, defineScalarTag, DUMP_SCHEMA, intCoreTag } from "js-yaml";
import { exactInteger } from "../../schema/json/json.ts";

const EXACT_INT = defineScalarTag(intCoreTag.tagName, {
  ...intCoreTag,
  resolve: (source, ...rest) => {
    const value = intCoreTag.resolve(source, ...rest);
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value) && source.length <= MOST_LENGTH;
    return isRounded ? exactInteger(decimal(source)) ?? value : value;
  },
  identify: (value) => typeof value === "bigint" || intCoreTag.identify?.(value) === true,
  represent: (value) => String(value),
});

/** A longer text has more digits than are kept, or leading zeros. */
const MOST_LENGTH = 100;

/** Writes an integer of YAML, which may be octal or hexadecimal, as JSON has it: `+0009` as `9`. */
function decimal(source: string): string {
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/.exec(source) ?? [];
  return `${sign === "-" ? sign : ""}${BigInt(digits)}`;
}

/** Schema for reading. */
export const EXACT_CORE_SCHEMA = CORE_SCHEMA.withTags(EXACT_INT);
/** Schema for writing. */
export const EXACT_DUMP_SCHEMA = DUMP_SCHEMA.withTags(EXACT_INT);
