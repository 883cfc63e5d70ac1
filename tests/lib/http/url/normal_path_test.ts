/** How the path of a request is normalised, which paths are refused, and which other readings a path has. */
import assert from "node:assert/strict";
import { normalPath, otherReadings, UNSAFE } from "../../../../lib/http/url/normal_path.ts";
import { RE2JS } from "re2js";

/** The normal form of each path; 400 for a path that is refused. */
const PATHS: Readonly<Record<string, string | 400>> = {
  "/": "/",
  "/pets/7": "/pets/7",
  "/%61pi/v1/pets": "/api/v1/pets",
  "/%41%5A%61%7a%30%39%2D%2e%5F%7E": "/AZaz09-._~",
  // Other characters stay as the client wrote them, with the case of their hexadecimal digits.
  "/a%2Fb%2fc": "/a%2Fb%2fc",
  "/a%5Cb%5c": "/a%5Cb%5c",
  "/a;v=1/b%3B": "/a;v=1/b%3B",
  "/a%20b%c3%A9%25%7B%40": "/a%20b%c3%A9%25%7B%40",
  "/100%/%zz/%": "/100%/%zz/%",
  "/%2561dmin": "/%2561dmin",
  // Dot segments.
  "/./a": "/a",
  "/a/.": "/a/",
  "/a/b/..": "/a/",
  "/..": "/",
  "/../../a": "/a",
  "/a/%2e%2E/b": "/b",
  "/a/.%2e/b": "/b",
  "/a\\..\\b": "/b",
  "/a\\b": "/a/b",
  "/a//../b": "/a/b",
  "/.well-known/v1.2": "/.well-known/v1.2",
  "/a/...": "/a/...",
  "/a/..b/.c/d..": "/a/..b/.c/d..",
  "/a/x..%2Fb": "/a/x..%2Fb",
  "/a/%2Fb%2F": "/a/%2Fb%2F",
  "/a/%2F.git": "/a/%2F.git",
  "/a/.;b/../c": "/a/c",
  // Decoded once.
  "/files/..%2fadmin": 400,
  "/files/..%2Fadmin": 400,
  "/files/%2e%2e%2fadmin": 400,
  "/files/%2E%2E%2Fadmin": 400,
  "/files/x%2f..%2fadmin": 400,
  "/files/x%2f..": 400,
  "/files/x%2f.": 400,
  "/files/.%2fadmin": 400,
  "/users/%2e%2fadmin": 400,
  "/users/x%2f.%2fadmin": 400,
  "/files/..%5cadmin": 400,
  "/files/..%5Cadmin": 400,
  "/files/x%5c..%5cadmin": 400,
  "/files/x%5c../admin": 400,
  "/files/%2f../admin": 400,
  "/files/x/..%2f": 400,
  "/%2f..": 400,
  // With parameters, a query or a fragment.
  "/files/..;/admin": 400,
  "/files/..;x/admin": 400,
  "/files/..;x=1": 400,
  "/files/.;/admin": 400,
  "/files/..%3b/admin": 400,
  "/files/..%3Bx/admin": 400,
  "/files/%2e%2e;/admin": 400,
  "/files/a/..;%2f..;%2fadmin": 400,
  "/files/..%3f/admin": 400,
  "/files/..%23/admin": 400,
  // Decoded twice.
  "/files/..%252fadmin": 400,
  "/files/%252e%252e%252fadmin": 400,
  "/files/%252e%252e/admin": 400,
  "/files/%252E%252e": 400,
  "/files/%252e": 400,
  "/files/..%255cadmin": 400,
  "/files/..%253b/admin": 400,
  "/files/x%252f..": 400,
  // Encoded digits and letters of an encoding.
  "/files/%2%65%2%65/admin": 400,
  "/files/%%32%65%%32%65/admin": 400,
  "/files/..%2%66admin": 400,
  "/files/..%25%32%66admin": 400,
  "/files/%25%32%65%25%32%65/admin": 400,
  // NUL.
  "/files/..%00/admin": 400,
  "/users/admin%00": 400,
  "/users/admin%2500": 400,
  "/users/admin%%30%30": 400,
  "/users/%001": 400,
};

Deno.test("normalPath() decodes unreserved characters and resolves dot segments, or refuses the path", () => {
  for (const [path, want] of Object.entries(PATHS)) assert.equal(normalPath(path) ?? 400, want, path);
});

Deno.test("normalPath() leaves a normal path as it is", () => {
  for (const path of Object.values(PATHS)) if (path !== 400) assert.equal(normalPath(path), path);
});

Deno.test("the expression of refused paths means the same in RE2", () => {
  const expression = RE2JS.compile(UNSAFE);
  for (const [path, want] of Object.entries(PATHS)) {
    if (want !== 400) assert.ok(!expression.matcher(want).find(), want);
    else if (!/%[%3]|%2%/.test(path)) assert.ok(expression.matcher(path.replaceAll(/%2e/gi, ".")).find(), path);
  }
});

Deno.test("otherReadings() decodes encoded slashes, and removes parameters of segments", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "/users/admin;x": ["/users/admin", "/users/admin/"],
    "/users/admin%3bx": ["/users/admin", "/users/admin/"],
    "/users/admin%2f": ["/users/admin/", "/users/admin"],
    "/users/%2Fadmin": ["/users/admin", "/users/admin/"],
    "/users%5cadmin": ["/users/admin", "/users/admin/"],
    "/;/admin": ["/admin", "/admin/"],
    "/a;b%2Fc/d": ["/a;b/c/d", "/a;b/c/d/", "/a/d", "/a/d/", "/a/c/d", "/a/c/d/"],
  };
  for (const [path, want] of Object.entries(cases)) {
    assert.deepEqual(otherReadings(path).toSorted(), want.toSorted(), path);
  }
});
