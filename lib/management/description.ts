import text from "./openapi.yaml" with { type: "text" };

/** The OpenAPI definition of the management API itself, as YAML. */
export const DESCRIPTION: string = text;
