import { nameOf } from "../../openapi/operation.ts";
import { ruleOf } from "./binding_rule.ts";
import type { Binding, Resource, Resources } from "./resource.ts";

/** A resource as JSON: `gw resources --format json`. */
export interface ResourceDescription {
  readonly name: string;
  /** The keys that lead to the id, joined by dots; absent for a singleton. */
  readonly id?: string;
  readonly isSingleton: boolean;
  /** The names of the parent resources, outermost first. */
  readonly parents: readonly string[];
  /** The path parameters before the id, each with the property of an item that has its value. */
  readonly scope: readonly { readonly parameter: string; readonly property?: string }[];
  readonly operations: readonly OperationDescription[];
  readonly evidence: readonly string[];
}

export interface OperationDescription {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly kind: Binding["kind"];
  readonly status: number;
  /** The keys that lead to the item or the list in the response, joined by dots; empty if it is the whole body. */
  readonly envelope?: string;
  /** The rule by which the operation is bound, in a few words. */
  readonly rule: string;
}

export function describeResources({ all }: Resources): ResourceDescription[] {
  return all.map(describeResource);
}

function describeResource({ name, id, isSingleton, scope, bindings, evidence }: Resource): ResourceDescription {
  return {
    name,
    ...isSingleton ? {} : { id: id.join(".") },
    isSingleton,
    parents: [...new Set(scope.flatMap(({ parent }) => parent?.name ?? []))],
    scope: scope.map(({ parameter, property }) => ({
      parameter,
      ...property === undefined ? {} : { property: property.join(".") },
    })),
    operations: bindings.map(describeBinding),
    evidence,
  };
}

function describeBinding(binding: Binding): OperationDescription {
  const { operation, kind, status, envelope } = binding;
  return {
    operation: nameOf(operation),
    method: operation.method,
    path: operation.path,
    kind,
    status,
    ...envelope === undefined ? {} : { envelope: envelope.join(".") },
    rule: ruleOf(binding),
  };
}
