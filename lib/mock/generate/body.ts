import type { Schema } from "../../schema/schema.ts";

/** A body, or why there is none. */
export type GeneratedBody =
  | { readonly kind: "body"; readonly value: unknown }
  | {
    readonly kind: "impossible";
    /** The contradiction in the schema, as a sentence. */
    readonly reason: string;
    /** JSON Pointer of the schema that can't be satisfied. */
    readonly pointer: string;
    /** Whether no value exists; otherwise the search ended without one. */
    readonly proven: boolean;
  };

/** A value of a body, or a part of one. */
export interface Built {
  readonly value: unknown;
}

/** Why no value was built. */
export interface Failure {
  readonly reason: string;
  /** The schema that can't be satisfied. */
  readonly schema: Schema;
  /** Whether no value exists; otherwise the search ended without one. */
  readonly proven: boolean;
}

/** Tells a failure from any other result. */
export function isFailure(result: object): result is Failure {
  return "proven" in result;
}

/** The result for a body of which no value was built. */
export function impossible({ reason, schema, proven }: Failure): GeneratedBody {
  return { kind: "impossible", reason, pointer: schema.node.pointer, proven };
}
