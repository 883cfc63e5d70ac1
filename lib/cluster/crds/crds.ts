/**
 * The CustomResourceDefinitions of gw's kinds: API, Fleet and StaticRoute.
 *
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/}
 * @module
 */
import { GROUP, VERSION } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { API_SCHEMA } from "./api_schema.ts";
import { CUSTOM_RESOURCES } from "../custom_resource.ts";
import { FLEET_SCHEMA } from "./fleet_schema.ts";
import { STATIC_ROUTE_SCHEMA } from "./static_route_schema.ts";
import type { SchemaRule, StructuralSchema } from "./structural_schema.ts";

/** The parts of a CustomResourceDefinition that differ between gw's kinds. */
interface Definition {
  kind: string;
  plural: string;
  shortNames: readonly string[];
  schema: KindSchema;
  columns: readonly Column[];
  /** The fields that field selectors can use: `kubectl get apis --field-selector spec.fleet.name=edge`. */
  selectable?: readonly string[];
}

/** The description of a kind, with the schemas of its `spec` and `status`. */
interface KindSchema {
  description: string;
  spec: StructuralSchema;
  status: StructuralSchema;
}

/** A column that `kubectl get` prints. */
interface Column {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  description: string;
  /** The priority of the column. `kubectl get` prints columns with a priority above 0 only with `-o wide`. */
  priority?: number;
}

const AGE: Column = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "Time since its creation.",
};
const FLEET: Column = { name: "Fleet", type: "string", jsonPath: ".spec.fleet.name", description: "Its fleet." };
const RESOLVED: Column = {
  ...condition("ResolvedRefs", "Whether the Services that it names exist."),
  name: "Resolved",
};
const REASON: Column = {
  name: "Reason",
  type: "string",
  jsonPath: '.status.conditions[?(@.type=="Accepted")].reason',
  description: "Reason of the condition Accepted.",
  priority: 1,
};

const DEFINITIONS: readonly Definition[] = [
  {
    ...CUSTOM_RESOURCES.api,
    shortNames: ["gwa"],
    schema: API_SCHEMA,
    columns: [
      FLEET,
      condition("Accepted", "Whether its definition could be deployed."),
      condition("Programmed", "Whether the gateway serves its operations."),
      RESOLVED,
      count("Mocked", ".status.operations.mocked", "Operations that gw answers itself."),
      count("Proxied", ".status.operations.proxied", "Operations that an upstream answers."),
      { ...count("Disabled", ".status.operations.disabled", "Operations that are hidden."), priority: 1 },
      REASON,
      AGE,
    ],
    selectable: [".spec.fleet.name", ".spec.fleet.namespace"],
  },
  {
    ...CUSTOM_RESOURCES.fleet,
    shortNames: ["gwf"],
    schema: FLEET_SCHEMA,
    columns: [
      {
        name: "Default",
        type: "boolean",
        jsonPath: ".spec.default",
        description: "Whether it serves APIs and static routes that name no fleet.",
      },
      {
        name: "Address",
        type: "string",
        jsonPath: ".status.addresses[0].value",
        description: "Address of its proxies.",
      },
      condition("Programmed", "Whether its proxies are running."),
      count("APIs", ".status.apis", "Number of its APIs."),
      count("Routes", ".status.staticRoutes", "Number of its static routes."),
      {
        name: "Profile",
        type: "string",
        jsonPath: ".spec.profile",
        description: "Capabilities of its gateway.",
        priority: 1,
      },
      REASON,
      AGE,
    ],
  },
  {
    ...CUSTOM_RESOURCES.staticroute,
    shortNames: ["gwsr"],
    schema: STATIC_ROUTE_SCHEMA,
    columns: [
      FLEET,
      { name: "Hosts", type: "string", jsonPath: ".spec.hosts", description: "Its host names." },
      condition("Accepted", "Whether it could be deployed."),
      condition("Programmed", "Whether the gateway serves it."),
      RESOLVED,
      REASON,
      AGE,
    ],
    selectable: [".spec.fleet.name", ".spec.fleet.namespace"],
  },
];

/**
 * The rule that the name of an object is a DNS label (RFC 1123). gw makes the names of other objects from it, which
 * must be valid.
 */
const NAME_RULE: SchemaRule = {
  rule: "self.metadata.name.size() <= 63 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
  message: "metadata.name must be a DNS label: at most 63 lower-case letters, digits and -, " +
    "with a letter or digit at both ends",
};

/** Makes the CustomResourceDefinitions of gw's kinds. */
export function customResourceDefinitions(): KubernetesObject[] {
  return DEFINITIONS.map(definitionOf);
}

function definitionOf({ kind, plural, shortNames, schema, columns, selectable }: Definition): KubernetesObject {
  const { description, spec, status } = schema;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.${GROUP}`,
      labels: { "app.kubernetes.io/name": "gw", "app.kubernetes.io/component": "crds" },
    },
    spec: {
      group: GROUP,
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames, categories: ["gw"] },
      versions: [{
        name: VERSION,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            description,
            required: ["spec"],
            properties: {
              apiVersion: { type: "string", description: `${GROUP}/${VERSION}` },
              kind: { type: "string", description: kind },
              metadata: { type: "object" },
              spec,
              status,
            },
            "x-kubernetes-validations": [NAME_RULE],
          },
        },
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        ...(selectable === undefined ? {} : { selectableFields: selectable.map((jsonPath) => ({ jsonPath })) }),
      }],
    },
  };
}

function condition(type: string, description: string): Column {
  return { name: type, type: "string", jsonPath: `.status.conditions[?(@.type=="${type}")].status`, description };
}

function count(name: string, jsonPath: string, description: string): Column {
  return { name, type: "integer", jsonPath, description };
}
