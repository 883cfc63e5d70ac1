/**
 * Schemas that several of gw's custom resources share.
 *
 * @module
 */
import type { StructuralSchema } from "./structural_schema.ts";

/** The schema of the name of an object in Kubernetes. */
const OBJECT_NAME = { type: "string", minLength: 1, maxLength: 253 } as const;
const NAMESPACE = { type: "string", minLength: 1, maxLength: 63 } as const;

/** The schema of `status.observedGeneration`. */
export const OBSERVED_GENERATION: StructuralSchema = {
  type: "integer",
  format: "int64",
  minimum: 0,
  description: "metadata.generation of the spec that this status is about.",
};

/** Makes the schema of a reference to an object. Its namespace defaults to that of the object with the reference. */
export function reference(description: string, thing: string): StructuralSchema {
  return {
    type: "object",
    description,
    required: ["name"],
    properties: {
      name: { ...OBJECT_NAME, description: `Name of the ${thing}.` },
      namespace: { ...NAMESPACE, description: `Namespace of the ${thing}. Default: that of this object.` },
    },
  };
}

/** The schema of `spec.fleet`. */
export const FLEET_REFERENCE: StructuralSchema = reference(
  "The fleet. Default: the fleet whose spec.default is true.",
  "Fleet",
);

/** Makes the schema of `status.conditions`, as Kubernetes has it for all kinds. */
export function conditions(description: string): StructuralSchema {
  return {
    type: "array",
    description,
    maxItems: 16,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      required: ["type", "status", "reason", "message", "lastTransitionTime"],
      properties: {
        type: { type: "string", maxLength: 316, description: "Type of the condition." },
        status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether the condition holds." },
        reason: { type: "string", minLength: 1, maxLength: 1024, description: "The reason, as a word for programs." },
        message: { type: "string", maxLength: 32_768, description: "The reason, as sentences for people." },
        observedGeneration: OBSERVED_GENERATION,
        lastTransitionTime: { type: "string", format: "date-time", description: "Time of the last change of status." },
      },
    },
  };
}

/** The schema of `status` of APIs and static routes. */
export const ROUTE_STATUS: StructuralSchema = {
  type: "object",
  description: "Observed state, written by gw.",
  properties: {
    observedGeneration: OBSERVED_GENERATION,
    conditions: conditions(
      "Accepted: whether it can be deployed; the message names each error with JSON Pointer, line and column. " +
        "ResolvedRefs: whether the objects that it refers to exist. Programmed: whether the gateway serves it.",
    ),
    operations: {
      type: "object",
      description: "Number of operations by action.",
      required: ["mocked", "proxied", "disabled"],
      properties: {
        mocked: { type: "integer", minimum: 0, description: "Operations that gw answers itself." },
        proxied: { type: "integer", minimum: 0, description: "Operations that an upstream answers, and redirects." },
        disabled: { type: "integer", minimum: 0, description: "Operations that are hidden: they answer 404." },
      },
    },
    routes: {
      type: "array",
      description: "Names of its HTTPRoutes, written by gw.",
      "x-kubernetes-list-type": "atomic",
      items: { type: "string" },
    },
    warnings: {
      type: "array",
      description: "The warnings.",
      "x-kubernetes-list-type": "atomic",
      items: { type: "string" },
    },
  },
};
