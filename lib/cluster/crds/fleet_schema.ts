import { conditions, OBSERVED_GENERATION, reference } from "./common_schemas.ts";
import { exactlyOneOf, type SchemaRule, type StructuralSchema } from "./structural_schema.ts";

/** Rules that refuse fields about the Gateway that gw makes, in a fleet that names an existing Gateway instead. */
const OWN_GATEWAY_RULES: readonly SchemaRule[] = ["gatewayClassName", "replicas", "tls", "trustedProxies"].map((
  field,
) => ({
  rule: `!has(self.gateway) || !has(self.${field})`,
  message: `${field} goes with service; a gateway that exists already has its own`,
  fieldPath: `.${field}`,
  reason: "FieldValueForbidden",
}));

const PORT: StructuralSchema = {
  type: "object",
  required: ["port"],
  properties: {
    name: {
      type: "string",
      maxLength: 63,
      pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$",
      description: "Name of the listener. Default: derived from the port.",
    },
    port: { type: "integer", minimum: 1, maximum: 65535, description: "Port that clients connect to." },
    protocol: { type: "string", enum: ["TCP"], default: "TCP", description: "Always TCP." },
    nodePort: {
      type: "integer",
      minimum: 0,
      maximum: 65535,
      description: "Port on each node of the cluster, for the types NodePort and LoadBalancer. Default: any.",
    },
    targetPort: {
      type: "integer",
      minimum: 0,
      maximum: 65535,
      description: "Port of the proxies. Default: chosen by the gateway.",
    },
  },
};

const SERVICE: StructuralSchema = {
  type: "object",
  description: "The Service of a Gateway that gw makes for this fleet. Exactly one of gateway and service is given; " +
    "{} takes all defaults.",
  properties: {
    type: {
      type: "string",
      enum: ["ClusterIP", "LoadBalancer", "NodePort"],
      default: "ClusterIP",
      description: "Type of the Service: reachable in the cluster only, or from outside too.",
    },
    ports: {
      type: "array",
      description: "Ports of the listeners, each once. Default: 80.",
      default: [{ name: "http", port: 80, protocol: "TCP" }],
      minItems: 1,
      maxItems: 64,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
      items: PORT,
    },
    annotations: {
      type: "object",
      description: "Annotations of the Service, which configure the load balancers of clouds.",
      maxProperties: 64,
      additionalProperties: { type: "string" },
    },
  },
};

const REQUIREMENT: StructuralSchema = {
  type: "object",
  required: ["key", "operator"],
  properties: {
    key: { type: "string", minLength: 1, maxLength: 317, description: "Key of the label." },
    operator: {
      type: "string",
      enum: ["In", "NotIn", "Exists", "DoesNotExist"],
      description: "Relation of the label to the values.",
    },
    values: {
      type: "array",
      description: "Values of the label, with In and NotIn only.",
      maxItems: 64,
      "x-kubernetes-list-type": "atomic",
      items: { type: "string", maxLength: 63 },
    },
  },
  "x-kubernetes-validations": [{
    rule: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
    message: "In and NotIn need values; Exists and DoesNotExist have none",
    fieldPath: ".values",
  }],
};

/**
 * The schema of the namespaces whose APIs and static routes the fleet admits. It has the fields of
 * `allowedRoutes.namespaces` of a Gateway's listener. If it is absent, all namespaces are admitted, as in earlier
 * versions of gw.
 */
const ALLOWED_NAMESPACES: StructuralSchema = {
  type: "object",
  description:
    "The namespaces whose APIs and static routes may name this fleet. Default: all; use Same or a selector " +
    "if teams share a cluster.",
  properties: {
    from: {
      type: "string",
      enum: ["All", "Same", "Selector"],
      default: "Same",
      description: "All namespaces, that of the fleet alone, or those that the selector selects.",
    },
    selector: {
      type: "object",
      description: "Selects namespaces by their labels. All requirements must hold; {} selects every namespace.",
      "x-kubernetes-map-type": "atomic",
      properties: {
        matchLabels: {
          type: "object",
          description: "Labels and the values that they must have.",
          maxProperties: 64,
          additionalProperties: { type: "string", maxLength: 63 },
        },
        matchExpressions: {
          type: "array",
          description: "Other requirements.",
          maxItems: 64,
          "x-kubernetes-list-type": "atomic",
          items: REQUIREMENT,
        },
      },
    },
  },
  "x-kubernetes-validations": [{
    rule: "self.from != 'Selector' || has(self.selector)",
    message: "from: Selector needs a selector",
    fieldPath: ".selector",
  }],
};

const SPEC: StructuralSchema = {
  type: "object",
  description: "The Gateway of the fleet: an existing one, or one that gw makes.",
  properties: {
    default: {
      type: "boolean",
      default: false,
      description:
        "Whether it serves the APIs and static routes that name no fleet. Of several such fleets, the oldest does.",
    },
    gateway: reference("A Gateway that exists already, instead of one that gw makes.", "Gateway"),
    gatewayClassName: {
      type: "string",
      minLength: 1,
      maxLength: 253,
      description: "GatewayClass of the Gateway that gw makes. Default: eg, that of Envoy Gateway.",
    },
    service: SERVICE,
    allowedNamespaces: ALLOWED_NAMESPACES,
    replicas: {
      type: "integer",
      minimum: 0,
      maximum: 1000,
      description: "Number of proxies. Default: that of the gateway.",
    },
    tls: {
      type: "object",
      description: "Makes the listeners HTTPS.",
      required: ["certificateRefs"],
      properties: {
        certificateRefs: {
          type: "array",
          description: "Certificates of the listeners.",
          minItems: 1,
          maxItems: 64,
          "x-kubernetes-list-type": "atomic",
          items: reference("A Secret of type kubernetes.io/tls.", "Secret"),
        },
      },
    },
    trustedProxies: {
      type: "array",
      description: "Addresses of proxies in front of the gateway, such as 10.0.0.0/8, whose X-Forwarded-For and " +
        "X-Forwarded-Proto are believed. Nobody else may reach the gateway then: Envoy believes X-Forwarded-Proto of " +
        "every client. Default: none.",
      minItems: 1,
      maxItems: 64,
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "string",
        maxLength: 49,
        pattern: "^([0-9]{1,3}([.][0-9]{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)/[0-9]{1,3}$",
      },
    },
    profile: {
      type: "string",
      enum: ["envoy-gateway", "portable"],
      default: "envoy-gateway",
      description:
        "Capabilities of the gateway: envoy-gateway, or portable for the standard channel of the Gateway API " +
        "alone; settings that it can't express are refused.",
    },
  },
  "x-kubernetes-validations": [exactlyOneOf(["gateway", "service"]), ...OWN_GATEWAY_RULES, {
    rule: "!has(self.trustedProxies) || self.profile == 'envoy-gateway'",
    message: "trustedProxies needs the profile envoy-gateway",
    fieldPath: ".trustedProxies",
    reason: "FieldValueForbidden",
  }],
};

const STATUS: StructuralSchema = {
  type: "object",
  description: "Observed state, written by gw.",
  properties: {
    observedGeneration: OBSERVED_GENERATION,
    conditions: conditions(
      "Accepted: whether its spec is valid. Programmed: whether its proxies are running. OpenToAllNamespaces: " +
        "present if APIs of any namespace may name it.",
    ),
    addresses: {
      type: "array",
      description: "Addresses of its proxies.",
      maxItems: 64,
      "x-kubernetes-list-type": "atomic",
      items: {
        type: "object",
        required: ["value"],
        properties: {
          type: { type: "string", description: "IPAddress or Hostname." },
          value: { type: "string", description: "The address." },
        },
      },
    },
    apis: { type: "integer", minimum: 0, description: "Number of its APIs." },
    staticRoutes: { type: "integer", minimum: 0, description: "Number of its static routes." },
  },
};

/** The schema of the custom resource `Fleet`. */
export const FLEET_SCHEMA = {
  description: "A group of proxies that share listeners: a Gateway.",
  spec: SPEC,
  status: STATUS,
};
