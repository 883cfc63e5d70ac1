import type { Schema } from "../../schema/schema.ts";

/** A generated body, or the reason why there is none. */
export type GeneratedBody =
  | {
    readonly kind: "body";
    readonly value: unknown;
    /** What the definition says of this body that couldn't be followed, such as an example that fits no schema. */
    readonly remarks?: readonly string[];
  }
  | {
    readonly kind: "impossible";
    readonly reason: string;
    /** JSON Pointer of the schema that can't be satisfied. */
    readonly pointer: string;
    /** Whether it is proven that no value exists; otherwise the search ended without finding one. */
    readonly proven: boolean;
  };

/** A value that was built: a whole body, or a part of a body. */
export interface Built {
  readonly value: unknown;
}

/** Why no value was built. */
export interface Failure {
  readonly reason: string;
  /** The schema that can't be satisfied. */
  readonly schema: Schema;
  /** Whether it is proven that no value exists; otherwise the search ended without finding one. */
  readonly proven: boolean;
}

export function isFailure(result: object): result is Failure {
  return "proven" in result;
}

export function impossible({ reason, schema, proven }: Failure): GeneratedBody {
  return { kind: "impossible", reason, pointer: schema.node.pointer, proven };
}
