/**
 * A baseline: `Deno.serve` that looks up one of many bodies by the first segment of the path.
 *
 * Arguments: the port, a file with the bodies as a JSON object by segment, and the headers as a JSON array of pairs.
 *
 * @module
 */

const [port = "0", bodiesFile = "", headersJson = "[]"] = Deno.args;
const headers: [string, string][] = JSON.parse(headersJson);
const bodies = new Map<string, string>(Object.entries(JSON.parse(Deno.readTextFileSync(bodiesFile))));

Deno.serve({ port: Number(port), hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
  const start = url.indexOf("/", url.indexOf("://") + 3) + 1;
  const body = bodies.get(url.slice(start, url.indexOf("/", start)));
  return new Response(body, { headers, status: body === undefined ? 404 : 200 });
});
