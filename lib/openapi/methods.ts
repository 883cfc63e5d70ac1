/** The fields of a Path Item Object that hold an Operation Object; `query` since OpenAPI 3.2. */
export const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"] as const;
