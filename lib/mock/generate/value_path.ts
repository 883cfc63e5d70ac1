import type { Schema } from "../../schema/schema.ts";

/** Where in a body a value stands: what its look depends on. */
export interface Place {
  /** Name of the nearest property around the value; empty at the top. */
  readonly name: string;
  /** What the object around the value is called: its schema or its property. */
  readonly owner: string;
  /** What the random choices for the value come from. */
  readonly hash: number;
  /** The same for the object around the value: what belongs together, such as a name and an address, shares it. */
  readonly group: number;
  /** Index in the nearest array; 0 outside arrays. */
  readonly index: number;
  /** Objects and arrays around the value. */
  readonly depth: number;
  /** Values that it may hold before those that may be left out are. */
  readonly share: number;
  /** Arrays around the value. */
  readonly arrays: number;
  /** Whether the value may be left out where it can't be made, or only by going round in a circle. */
  readonly optional: boolean;
  /** Schemas under way around the value. */
  readonly open: readonly Schema[];
  /** Schemas that the values around must not satisfy. */
  readonly denied: readonly Schema[];
  /** Status code of the error response that the body is of (400-599); absent where it is of none. */
  readonly status?: number;
  /** Values that the value should have if it may, as a discriminator says. */
  readonly preferred: readonly unknown[];
}
