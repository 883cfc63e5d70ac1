/** A body, or why there is none. */
export type GeneratedBody =
  | { readonly kind: "body"; readonly value: unknown }
  | {
    readonly kind: "impossible";
    /** What in the schema contradicts itself, as a sentence. */
    readonly reason: string;
    /** JSON Pointer of the schema that can't be satisfied. */
    readonly pointer: string;
    /** Whether no value exists; otherwise the search ended without one. */
    readonly proven: boolean;
  };
