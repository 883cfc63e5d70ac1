import { BOOLEAN, HOST, NAME, PORT, type SettingSchema } from "./setting_schema.ts";

/** A Service of the cluster as upstream. */
export const SERVICE = {
  type: "object",
  description: "A Service of the cluster.",
  additionalProperties: false,
  properties: {
    name: { ...NAME, description: "Name of the Service." },
    namespace: {
      ...NAME,
      description: "Namespace of the Service. Default: that of the object. In another namespace a ReferenceGrant " +
        "there has to permit it.",
    },
    port: { ...PORT, description: "Port of the Service. Default: 80." },
  },
  required: ["name"],
} as const satisfies SettingSchema;

/** A host outside the cluster as upstream. */
export const UPSTREAM_HOST = {
  type: "object",
  description: "Any host.",
  additionalProperties: false,
  properties: {
    hostname: { ...HOST, description: "Host name or IP address, without scheme, port or path." },
    port: { ...PORT, description: "Port of the host. Default: 80." },
    tls: { ...BOOLEAN, description: "Whether requests to the host use TLS." },
  },
  required: ["hostname"],
} as const satisfies SettingSchema;

/** A change of a request's path on its way to the upstream. */
export const REWRITE = {
  type: "object",
  description: "How the path changes on its way to the upstream.",
  additionalProperties: false,
  properties: {
    // A deployment checks whether RE2 supports the pattern. The schema can't require that, because stored APIs of
    // earlier versions of gw may have patterns that RE2 doesn't support.
    pattern: {
      type: "string",
      format: "re2",
      description: "Regular expression of RE2, of at most 1,000 characters; each match in the path is replaced.",
    },
    substitution: {
      type: "string",
      description: "The replacement; \\1 is the text of the first group, \\0 the whole match.",
    },
  },
  required: ["pattern", "substitution"],
} as const satisfies SettingSchema;

/** Which `Host` an upstream gets. */
const HOST_HEADER = {
  type: "string",
  enum: ["client", "upstream"],
  description:
    "Host that the upstream gets: that of the client's request, or the upstream's own, which is of a service " +
    "in a cluster NAME.NAMESPACE.svc. Default: client for a service, upstream for a host, and on a laptop for a " +
    "service with an https URL. X-Forwarded-Host has the client's.",
} as const satisfies SettingSchema;

export const EXACTLY_ONE_TARGET = [{ required: ["service"] }, { required: ["host"] }] as const;

export const UPSTREAM = {
  type: "object",
  description: "Where requests go: exactly one of service and host.",
  additionalProperties: false,
  properties: { service: SERVICE, host: UPSTREAM_HOST, rewrite: REWRITE, host_header: HOST_HEADER },
  oneOf: EXACTLY_ONE_TARGET,
} as const satisfies SettingSchema;

/** An upstream with its share of the requests. */
export const WEIGHTED_UPSTREAM = {
  type: "object",
  additionalProperties: false,
  properties: {
    ...UPSTREAM.properties,
    weight: { type: "integer", minimum: 0, maximum: 100, description: "Share of the requests, in per cent." },
  },
  required: ["weight"],
  oneOf: EXACTLY_ONE_TARGET,
} as const satisfies SettingSchema;
