import { child, isObject, type JsonObject } from "../../../schema/json/node.ts";
import { entries } from "../../../schema/json/node.ts";
import { follow } from "../../../schema/json/reference.ts";
import { listExamples } from "../../answer/example.ts";
import type { Binding, BindingKind, Resource } from "../../infer/resource.ts";
import { selectResponse } from "../../answer/select_response.ts";
import { valueAt } from "../../../schema/json/pointer.ts";

/**
 * The kinds of bindings whose responses may contain examples of items. Lists come first, since each of their examples
 * has several items.
 */
const KINDS: readonly BindingKind[] = ["list", "read", "create", "replace", "update", "action"];
/** Limit of the examples of a resource. */
const MOST_EXAMPLES = 1000;

/** The items in the examples of a resource's responses. They may be invalid, or have equal ids. */
export function itemExamples(resource: Resource): JsonObject[] {
  const examples: JsonObject[] = [];
  for (const kind of KINDS) {
    for (const binding of resource.bindings.filter((binding) => binding.kind === kind)) {
      for (const item of examplesOf(binding)) {
        if (examples.length >= MOST_EXAMPLES) return examples;
        examples.push(item);
      }
    }
  }
  return examples;
}

function* examplesOf({ operation, status, kind, envelope, element }: Binding): Generator<JsonObject> {
  const response = selectResponse(operation, { code: status });
  if (response.kind !== "response" || envelope === undefined) return;
  const { document } = operation;
  for (const [, reference] of entries(child(response.node, "content"))) {
    const media = follow(document, reference);
    for (const { value, form } of listExamples(document, media).values()) {
      if (form === "serialized") continue;
      const part = valueAt(value, envelope);
      const items = kind !== "list" ? [part] : Array.isArray(part) ? part.map((item) => valueAt(item, element)) : [];
      yield* items.filter(isObject);
    }
  }
}
