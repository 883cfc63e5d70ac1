import type { Document } from "../openapi/document.ts";
import { loadFormats } from "../schema/format.ts";
import { createValidator } from "../schema/validator.ts";
import type { Node } from "../schema/node.ts";
import { loadPatternReader } from "../regexp/pattern.ts";
import { createSchemaReader } from "../schema/schema_reader.ts";
import type { Direction } from "../schema/schema.ts";
import { withinSteps } from "../schema/steps.ts";

/** Tells whether a value fits a schema; `false` also where telling would take too long. */
export type Fits = (value: unknown, schema: Node) => boolean;

/** Makes what tells whether the values of one body fit; `steps` is how many schemas it may ask in all. */
export type FitsWithin = (steps: number) => Fits;

/** Loads what tells whether values fit the schemas of a document. Nothing is compiled: few values are asked about. */
export async function loadFits(document: Document, direction: Direction): Promise<FitsWithin> {
  const [formats, readPattern] = await Promise.all([loadFormats(), loadPatternReader()]);
  const { read } = createSchemaReader(document, direction);
  return (left) => {
    const steps = { left };
    const { isValid } = createValidator(formats, readPattern, steps);
    return (value, schema) => withinSteps(() => steps.left > 0 && isValid(value, read(schema)), () => false);
  };
}
