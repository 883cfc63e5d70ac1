import type { Binding } from "../infer/resource.ts";
import type { ValueFormats } from "../../wire/value_format.ts";

/** The parameters and the response of a list operation, understood once. */
export interface ListPlan {
  /** The keys on the way to the array of items in the body; empty for a bare array. */
  readonly envelope: readonly string[];
}

/** The parts of a binding that a plan is made from. */
export type ListBinding = Pick<Binding, "operation" | "status" | "envelope" | "element"> & {
  readonly resource: Pick<Binding["resource"], "id" | "schema" | "document" | "name">;
};

/**
 * Finds out which query parameters of a list operation filter, sort and page, and which properties and headers of its
 * response tell of pages.
 *
 * @param formats The formats of queries, where they differ from the definition's.
 */
export function planList(binding: ListBinding, _formats: ValueFormats = {}): ListPlan {
  return { envelope: binding.envelope ?? [] };
}
