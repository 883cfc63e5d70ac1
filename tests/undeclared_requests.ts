/**
 * Requests to a host with an API and a static route. The API declares the paths of
 * tests/lib/gateway/embedded/hidden_test.ts. The expected result is the upstream that answers (`api` or `static`) with
 * the path that it gets, or the status with `Allow`. It is the same for the embedded gateway and for Envoy.
 *
 * @module
 */
export const UNDECLARED_REQUESTS: Readonly<Record<string, string>> = {
  // Declared operations.
  "GET /pets": "api /pets",
  "GET /x/../pets": "api /pets",
  "GET /x/%2E%2e/pets": "api /pets",
  "GET //pets": "api /pets",
  "GET /pets/4%2F2": "api /pets/4%2F2",
  // Undeclared methods of declared paths.
  "DELETE /pets": "405 GET, POST, HEAD, OPTIONS",
  "PURGE /p%65ts": "405 GET, POST, HEAD, OPTIONS",
  "TRACE /pets": "405 GET, POST, HEAD, OPTIONS",
  "OPTIONS /pets": "204 GET, POST, HEAD, OPTIONS",
  "DELETE /pets/7": "405 GET, PUT, HEAD, OPTIONS",
  "POST /secret": "405 GET, HEAD, OPTIONS",
  "DELETE /x/../secret": "405 GET, HEAD, OPTIONS",
  "GET /secret": "401",
  // A disabled operation, by its own path, and as HEAD.
  "GET /pets/mine": "404",
  "HEAD /pets/mine": "404",
  "POST /pets/mine": "api /pets/mine",
  "PUT /pets/mine": "api /pets/mine",
  "GET /pets/mine/": "404",
  "DELETE /pets/mine": "405 POST, PUT, OPTIONS",
  // A disabled path with one method that is enabled at operation level.
  "GET /admin": "404",
  "HEAD /admin": "404",
  "POST /admin": "404",
  "OPTIONS /admin": "404",
  "TRACE /admin": "404",
  "PATCH /admin": "api /admin",
  "GET /admin/": "404",
  "POST /admin/": "404",
  "PATCH /admin/": "404",
  "POST /%61dmin": "404",
  "POST /%61dmin/": "404",
  "POST //admin": "404",
  "POST /./admin": "404",
  "POST /x/%2e%2E/admin": "404",
  "POST /x\\..\\..\\admin": "404",
  "POST /admin/.": "404",
  "POST /admin/x/..": "404",
  "GET /admin/7": "404",
  "GET /admin/7/": "404",
  "POST /admin/7": "404",
  "GET /empty": "404",
  "GET /empty/": "404",
  "GET /closed": "404",
  "POST /closed": "404",
  "POST /closed/": "404",
  "GET /both": "404",
  "GET /both/": "api /both/",
  "POST /both": "404",
  // Other spellings of declared paths: no upstream gets them.
  "GET /pets/7/": "404",
  "POST /secret/": "404",
};
