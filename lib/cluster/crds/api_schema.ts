import { FLEET_REFERENCE, ROUTE_STATUS } from "./common_schemas.ts";
import { exactlyOneOf, type StructuralSchema } from "./structural_schema.ts";

/**
 * The maximum length of a definition in characters. A schema can't limit bytes, of which etcd stores at most 1.5 MiB in
 * a request and a character may take several. The admission policy `gw-limits` limits the bytes.
 */
const MOST_CHARACTERS = 1024 * 1024;
/**
 * The maximum length of a compressed definition in characters. A character of base64 takes one byte, so that 100 kB of
 * etcd's 1.5 MiB are left for the rest of the object.
 */
export const MOST_PACKED = 1_400_000;

const SPEC: StructuralSchema = {
  type: "object",
  description: "A definition, and the fleet that serves it.",
  properties: {
    fleet: FLEET_REFERENCE,
    openapi: {
      type: "string",
      description:
        "The OpenAPI definition, in JSON or YAML; its x-svc says how operations are served. Exactly one of " +
        "openapi and openapiGzip is given.",
      minLength: 1,
      maxLength: MOST_CHARACTERS,
    },
    openapiGzip: {
      type: "string",
      description:
        "The OpenAPI definition, compressed by gzip and encoded in base64. gw writes it for a text of more " +
        "than 256 KiB.",
      // The pattern of base64 that encodes gzip: the magic number of gzip begins with `H4sI` in base64.
      pattern: "^H4sI[+/0-9A-Za-z]*=?=?$",
      maxLength: MOST_PACKED,
    },
  },
  "x-kubernetes-validations": [exactlyOneOf(["openapi", "openapiGzip"])],
};

/** The schema of the custom resource `API`. */
export const API_SCHEMA = {
  description: "An OpenAPI definition that is deployed to a fleet: its operations are mocked, or sent to upstreams.",
  spec: SPEC,
  status: ROUTE_STATUS,
};
