/**
 * The validator of `x-svc`: the schema, its formats and its patterns, for the validator of JSON Schema.
 *
 * @module
 */
import type { SchemaDocument } from "../../schema/dialect.ts";
import type { Format } from "../../schema/format.ts";
import type { Node } from "../../schema/node.ts";
import type { Schema } from "../../schema/schema.ts";
import { createSchemaReader } from "../../schema/schema_reader.ts";
import type { Source } from "../../schema/source.ts";
import { createValidator } from "../../schema/validator.ts";
import type { Violation } from "../../schema/violation.ts";
import { EXTENSION_FORMATS } from "./formats.ts";
import { EXTENSION_SCHEMA } from "./schema.ts";

/** The violations of the schema of `x-svc` by a value; none if the value is valid. */
export function violationsOf(value: unknown): readonly Violation[] {
  return EXTENSION_VALIDATOR.violationsOf(value);
}

/** Validates values against the schema of `x-svc`, which is prepared at the first value. */
class ExtensionValidator {
  readonly #validator = createValidator(formats(), readPattern);
  #schema: Schema | undefined;

  violationsOf(value: unknown): readonly Violation[] {
    const schema = this.#schema ??= readSchema();
    return this.#validator.isValid(value, schema) ? [] : this.#validator.violationsOf(value, schema, Infinity);
  }
}

const EXTENSION_VALIDATOR = new ExtensionValidator();

function formats(): Map<string, Format> {
  const formats = new Map(
    Object.entries(EXTENSION_FORMATS).map(([name, { accepts }]): [string, Format] => [
      name,
      { type: "string", accepts: (value) => typeof value !== "string" || accepts(value) },
    ]),
  );
  // YAML has infinite numbers, JSON doesn't.
  return formats.set("double", {
    type: "number",
    accepts: (value) => typeof value !== "number" || Number.isFinite(value),
  });
}

/** Reads a pattern of the schema, all of which are safe from catastrophic backtracking. */
function readPattern(pattern: string): RegExp {
  return new RegExp(pattern, "u");
}

function readSchema(): Schema {
  const source: Source = {
    uri: "x-svc.json",
    value: EXTENSION_SCHEMA,
    isJson: true,
    isShared: true,
    text: () => JSON.stringify(EXTENSION_SCHEMA),
    locate: (places) => places.map(() => 0),
  };
  const root: Node = { value: EXTENSION_SCHEMA, source, pointer: "" };
  const document: SchemaDocument = {
    version: "3.1",
    root: { value: {}, source, pointer: "" },
    sources: new Map([[source.uri, source]]),
    named: new Map(),
  };
  return createSchemaReader(document, "request").read(root);
}
