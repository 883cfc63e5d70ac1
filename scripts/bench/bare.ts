/**
 * The baseline: `Deno.serve` that answers every request with the same bytes and headers.
 *
 * Arguments: the port, a file with the body, the headers as a JSON array of pairs, the address. Default: 127.0.0.1.
 *
 * @module
 */

const [port = "0", bodyFile = "", headersJson = "[]", hostname = "127.0.0.1"] = Deno.args;
const body = bodyFile === "" ? "[]" : Deno.readTextFileSync(bodyFile);
const headers: [string, string][] = JSON.parse(headersJson);

Deno.serve({ port: Number(port), hostname, onListen() {} }, () => new Response(body, { headers }));
