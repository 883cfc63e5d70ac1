import { isAnything } from "../generate/anything.ts";
import { BoundedCache } from "../../http/limits/bounded_cache.ts";
import { firstExample } from "../answer/example.ts";
import type { Document } from "../../openapi/document.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import type { Node } from "../../schema/json/node.ts";
import type { BodyGenerator } from "../generate/generate.ts";
import type { FitRules } from "./item/fit_value.ts";

/** The generator's step budget for `fresh()`. If it doesn't suffice, `base(0)` is used instead. */
const MOST_FRESH_WORK = 150_000;
/**
 * Seeds come in blocks of ten: the generator makes sure that small bodies of one block differ. Only every tenth seed is
 * used, so that each value begins a block.
 */
const SEEDS_OF_BLOCK = 10;
/** The number of different seeds of `fresh()`. */
const MOST_SEEDS = 1_000_000;
/** Limit of the valid values of a schema that `base()` returns. */
const MOST_BASES = 4;
/** Limit of the cached values of subschemas. */
const MOST_PARTS = 2_000;

/** A schema, prepared: its hints, its validator, and generated values. */
export interface SchemaPlan extends FitRules {
  /** Valid values by index: first the example, if it is valid, then generated values. `undefined` after the last. */
  readonly base: (index: number) => unknown;
  /** A generated value, usually different for each seed; `undefined` if none is found. */
  readonly fresh: (seed: number) => unknown;
}

export interface SchemaTools {
  readonly document: Document;
  readonly generator: BodyGenerator;
  readonly validator: DocumentValidator;
}

/**
 * Prepares a schema for answers from state.
 *
 * @param media The Media Type Object with the schema. If its example is valid, `base(0)` returns it.
 */
export function planSchema(
  { document, generator, validator }: SchemaTools,
  schema: Node<"Schema">,
  seed: number,
  media?: Node<"MediaType">,
): SchemaPlan {
  const hints: Hints = readHints(document, schema.value === undefined ? undefined : schema, "response");
  const checkAll = schema.value === undefined ? undefined : validator.checkOf(schema, "response");
  const check: FitRules["check"] = checkAll === undefined ? () => [] : checkAll;
  const bases: unknown[] = [];
  const parts = new BoundedCache<string, { readonly value: unknown }>(MOST_PARTS);
  return { hints, check, generate, base, fresh };

  function generate(node: Node): unknown {
    const key = `${node.source.uri}#${node.pointer}`;
    return parts.of(key, () => ({ value: generated(node, seed) })).value;
  }

  function base(index: number): unknown {
    if (index >= MOST_BASES) return undefined;
    while (bases.length <= index) {
      const example = bases.length === 0 ? exampleOf() : undefined;
      bases.push(example ?? generated(schema, seed + bases.length * SEEDS_OF_BLOCK));
    }
    return bases[index];
  }

  function exampleOf(): unknown {
    const example = media && firstExample(document, media);
    if (example === undefined || example.form === "serialized" || check(example.value).length > 0) return undefined;
    return example.value;
  }

  function fresh(seed: number): unknown {
    const own = (seed >>> 0) % MOST_SEEDS * SEEDS_OF_BLOCK;
    return generated(schema, own, MOST_FRESH_WORK) ?? base(0);
  }

  function generated(node: Node, seed: number, most?: number): unknown {
    if (node.value === undefined) return undefined;
    if (isAnything(document, node)) return null;
    const work = most === undefined ? {} : { work: { left: most } };
    const body = generator.generate(node, { seed, ...work });
    return body.kind === "body" ? body.value : undefined;
  }
}
