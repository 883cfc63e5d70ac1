/**
 * Requests that try to reach a protected or disabled operation by another path, for the tests of both gateways before
 * real servers.
 *
 * @module
 */

/** The word in the answers of protected and disabled operations. */
export const SECRET = "SECRET";

/** The paths of operations that the gateway refuses. The upstream answers them with {@linkcode SECRET}. */
export const REFUSED: readonly string[] = [
  "/admin",
  "/users/admin",
  "/users/hidden",
  "/files/private/key",
  "/v1/a/b/locked",
];

/** Paths whose operations are open, with the paths that the upstream gets. */
export const OPEN: Readonly<Record<string, string>> = {
  "/open": "/open",
  "/files/a": "/files/a",
  "/files/%61": "/files/a",
  "/files/a%2Fb": "/files/a%2Fb",
  "/files/private%2Fother": "/files/private%2Fother",
  "/files/a%5Cb;v=1": "/files/a%5Cb;v=1",
  "/files/.well-known": "/files/.well-known",
  "/files/a..b": "/files/a..b",
  "/files/private/other": "/files/private/other",
  "/users/7": "/users/7",
  "/users/7;admin": "/users/7;admin",
  "/users/administrator": "/users/administrator",
  "/users/x/../7": "/users/7",
  "/v1/a/b/c": "/v1/a/b/c",
};

/** Other paths, some of which servers read as one of {@linkcode REFUSED}. */
export const SPELLINGS: readonly string[] = [
  ...REFUSED,
  // Normalised by the gateway.
  ...["/admin/", "//admin", "/./admin", "/x/../admin", "/%61dmin", "/%61%64%6d%69%6e", "/open/../admin"],
  ...["/open/%2e%2e/admin", "/open/.%2e/admin", "/open\\..\\admin", "/users/./admin", "/users//admin"],
  ...["/users/%61dmin", "/users/adm%69n", "/users/x/../admin", "/users/%2e/admin", "/users/h%69dden"],
  ...["/files/../admin", "/files/a/../../admin", "/files/private/./key", "/files/private//key", "/users\\admin"],
  // Dot segments beside encoded slashes.
  ...["/open/%2e%2e%2fadmin", "/open/..%5cadmin", "/files/..%2fadmin", "/files/..%2Fadmin", "/files/..%5cadmin"],
  ...["/files/%2e%2e%2fadmin", "/files/%2E%2E%5Cadmin", "/files/x%2f..%2f..%2fadmin", "/files/x%2f../..%2fadmin"],
  ...["/files/x%5c..%5c..%5cadmin", "/users/x%2f..%2fadmin", "/users/%2e%2fadmin", "/users/.%2fadmin"],
  ...["/users/x%2f%2e%2e%2fhidden", "/files/x/..%2f..%2fadmin", "/files/private%2f.%2fkey", "/v1/a/x%2f..%2fb/locked"],
  ...["/files/x%2f..%2fprivate/key", "/files/x%2f%2e%2e/private/key", "/users/%2f..%2fadmin"],
  // Dot segments with parameters.
  ...["/open/..;/admin", "/files/..;/admin", "/files/..;x/admin", "/files/.;/private/key", "/users/.;/admin"],
  ...["/files/a/..;%2f..;%2fadmin", "/files/..;/..%2fadmin", "/files/%2e%2e;/admin", "/files/..%3b/admin"],
  ...["/files/..%3f/admin", "/files/..%23/admin"],
  // Encoded twice, or in part.
  ...["/files/..%252fadmin", "/files/%252e%252e%252fadmin", "/files/%252e%252e/admin", "/users/x%252f..%252fadmin"],
  ...["/files/%2%65%2%65/admin", "/files/%25%32%65%25%32%65/admin", "/files/..%2%66admin", "/%2561dmin"],
  ...["/users/%2561dmin", "/users/%%36%31dmin"],
  // NUL.
  ...["/files/..%00/admin", "/files/.%00./admin", "/users/admin%00", "/users/admin%00.json", "/admin%00"],
  // Encoded slashes and parameters.
  ...["/%2fadmin", "/admin%2f", "/users/%2fadmin", "/users/admin%2f", "/users%2fadmin", "/users/%5cadmin"],
  ...["/users/admin%5c", "/users/admin%2f%2f", "/files/private%2fkey", "/files/private%2Fkey", "/files/private%5ckey"],
  ...["/files/private%2f%2fkey", "/files/private/%2fkey", "/files/private/key%2f", "/files/%2fprivate%2fkey"],
  ...["/files%2fprivate%2fkey", "/users/hidden%2f", "/users/%2fhidden", "/v1/a/b%2flocked", "/v1/a%2fb/locked"],
  ...["/v1%2fa%2fb%2flocked", "/v1/a/b/locked%2f", "/v1/a%2Fb%2Flocked", "/v1/a/%2fb/locked"],
  ...["/users/admin;x", "/users/admin;", "/users/admin%3bx", "/users;x/admin", "/users/;/admin", "/users/admin;x%2f"],
  ...["/users/hidden;x=1", "/files/private;v=1/key", "/files/private/key;v=1", "/admin;x", "/files/private;x%2fkey"],
  ...["/v1/a/b;x/locked", "/v1/a/b/locked;x", "/v1;x/a/b/locked"],
  // Other characters.
  ...[
    "/users/admin%3fx",
    "/users/admin%23",
    "/users/admin%20",
    "/users/admin%09",
    "/users/admin.",
    "/users/admin.json",
  ],
  ...["/files/..%c0%afadmin", "/files/..%ef%bc%8fadmin", "/files/%u002e%u002e/admin", "/files/%c0%ae%c0%ae/admin"],
];

/** A definition with open templates beside the paths of {@linkcode REFUSED}. */
export function definitionOf(
  settings: Record<string, unknown>,
  jwksUri = "http://127.0.0.1:1/keys",
): Record<string, unknown> {
  const get = { responses: { 200: { description: "Fine." } } };
  const providers = [{ name: "main", issuer: "https://iss.example", jwks_uri: jwksUri }];
  const guarded = { "x-svc": { auth: { jwt: { providers } } }, get, post: get };
  const open = (...names: string[]): unknown => ({
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    get,
    post: get,
  });
  return {
    openapi: "3.1.0",
    info: { title: "Paths", version: "1" },
    "x-svc": settings,
    paths: {
      "/open": { get },
      "/admin": guarded,
      "/files/{name}": open("name"),
      "/files/{folder}/{name}": open("folder", "name"),
      "/files/{top}/{folder}/{name}": open("top", "folder", "name"),
      "/files/private/key": guarded,
      "/users/{id}": open("id"),
      "/users/{id}/{part}": open("id", "part"),
      "/users/admin": guarded,
      "/users/hidden": { "x-svc": { disabled: true }, get, post: get },
      "/v1/{a}/{b}": open("a", "b"),
      "/v1/{a}/{b}/{c}": open("a", "b", "c"),
      "/v1/{a}/{b}/locked": { ...Object(open("a", "b")), "x-svc": guarded["x-svc"] },
    },
  };
}
