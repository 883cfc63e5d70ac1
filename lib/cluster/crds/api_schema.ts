import { FLEET_REFERENCE, ROUTE_STATUS } from "./common_schemas.ts";
import { exactlyOneOf, type StructuralSchema } from "./structural_schema.ts";

/**
 * The maximum length of a definition in characters, since a schema can't limit bytes. A character may take several
 * bytes, and etcd stores at most 1.5 MiB in a request: the admission policy `gw-limits` limits the bytes.
 */
const MOST_CHARACTERS = 1024 * 1024;
/**
 * The maximum length of a compressed definition in characters. A character of base64 takes one byte, so this leaves
 * room for the rest of the object within etcd's 1.5 MiB.
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
      // Base64 of the bytes that each gzip file begins with.
      pattern: "^H4sI[+/0-9A-Za-z]*=?=?$",
      maxLength: MOST_PACKED,
    },
  },
  "x-kubernetes-validations": [exactlyOneOf(["openapi", "openapiGzip"])],
};

/** The schema of the kind `API`. */
export const API_SCHEMA = {
  description: "An OpenAPI definition that is deployed to a fleet: its operations are mocked, or sent to upstreams.",
  spec: SPEC,
  status: ROUTE_STATUS,
};
