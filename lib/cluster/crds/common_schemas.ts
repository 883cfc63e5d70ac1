/**
 * Schemas that several kinds share.
 *
 * @module
 */
import type { StructuralSchema } from "./structural_schema.ts";

/** Names of objects as Kubernetes has them. */
const OBJECT_NAME = { type: "string", minLength: 1, maxLength: 253 } as const;
const NAMESPACE = { type: "string", minLength: 1, maxLength: 63 } as const;

/** A count of the changes of `spec`. */
export const OBSERVED_GENERATION: StructuralSchema = {
  type: "integer",
  format: "int64",
  minimum: 0,
  description: "metadata.generation of the spec that this status tells of.",
};

/** A reference to an object, in the namespace of the one that refers to it where it doesn't say. */
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

/** `spec.fleet` */
export const FLEET_REFERENCE: StructuralSchema = reference(
  "The fleet that serves it. Default: the fleet whose spec.default is true.",
  "Fleet",
);

/** `status.conditions`, as Kubernetes has them everywhere. */
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
        type: { type: "string", maxLength: 316, description: "What is told of." },
        status: { type: "string", enum: ["True", "False", "Unknown"], description: "Whether it is so." },
        reason: { type: "string", minLength: 1, maxLength: 1024, description: "Why, as a word for programs." },
        message: { type: "string", maxLength: 32_768, description: "Why, as sentences for people." },
        observedGeneration: OBSERVED_GENERATION,
        lastTransitionTime: { type: "string", format: "date-time", description: "When status changed last." },
      },
    },
  };
}

/** `status` of what has routes. */
export const ROUTE_STATUS: StructuralSchema = {
  type: "object",
  description: "What has become of it; written by gw.",
  properties: {
    observedGeneration: OBSERVED_GENERATION,
    conditions: conditions(
      "Accepted: whether it can be deployed; the message names each fault with JSON Pointer, line and column. " +
        "ResolvedRefs: whether all that it refers to is there. Programmed: whether the gateway serves it.",
    ),
    operations: {
      type: "object",
      description: "How many operations there are of each sort.",
      required: ["mocked", "proxied", "disabled"],
      properties: {
        mocked: { type: "integer", minimum: 0, description: "Operations that gw answers itself." },
        proxied: { type: "integer", minimum: 0, description: "Operations that an upstream answers, and redirects." },
        disabled: { type: "integer", minimum: 0, description: "Operations that are hidden: they answer 404." },
      },
    },
    routes: {
      type: "array",
      description: "Names of the HTTPRoutes that gw has made for it.",
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
