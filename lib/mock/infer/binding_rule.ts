import type { Binding } from "./resource.ts";
import { isSamePath } from "./id_property.ts";

/** The rule by which an operation is bound to its resource, in a few words: `the newest item`. */
export function ruleOf(binding: Binding): string {
  const { kind, resource, operation: { method }, idParameter, keys, isNewest, listEnvelope, createsMissing } = binding;
  if (resource.isSingleton) return "the only object at this path";
  if (isNewest === true) return "the newest item";
  const [key, ...others] = keys ?? [];
  const isOther = key !== undefined && others.length === 0 && !isSamePath(key, resource.id);
  const named = isOther ? `by the key ${key.join(".")}` : keys === undefined ? "by its id" : "by one of several keys";
  switch (kind) {
    case "list":
      return `${method === "POST" ? "a search by POST" : "a list"} of the same items${spanOf(binding)}`;
    case "count":
      return "a count below the collection";
    case "create":
      return listEnvelope === undefined ? "POST of the collection" : "POST of the collection; each item of a list";
    case "action":
      return "below an item, with the item in the response";
    case "read":
    case "delete":
      return `an item ${named}`;
    case "replace":
    case "update": {
      const created = createsMissing ? "; an unknown one is created" : "";
      return idParameter === undefined ? `the item that the body names${created}` : `an item ${named}${created}`;
    }
  }
}

/** The parents whose items an operation shows together: `, of all userId`. */
function spanOf({ resource, scopeParameters }: Binding): string {
  const all = resource.scope.flatMap(({ parameter }, index) => scopeParameters[index] === undefined ? [parameter] : []);
  return all.length === 0 ? "" : `, of all ${all.join(", ")}`;
}
