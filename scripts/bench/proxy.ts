/**
 * A baseline: the simplest proxy from `Deno.serve` and `fetch`.
 *
 * Arguments: the port, and the URL of the upstream.
 *
 * @module
 */

const [port = "0", upstream = ""] = Deno.args;

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, ({ url, method, headers, body }) => {
  const { pathname, search } = new URL(url);
  return fetch(`${upstream}${pathname}${search}`, { method, headers, body, redirect: "manual" });
});
