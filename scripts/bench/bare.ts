/**
 * A baseline: `Deno.serve` that answers every request with the same bytes and headers.
 *
 * Arguments: the port, a file with the body, the headers as a JSON array of pairs, the address (default: 127.0.0.1),
 * and `json` if the server shall parse the body of each request as JSON.
 *
 * @module
 */

const [port = "0", bodyFile = "", headersJson = "[]", hostname = "127.0.0.1", reads] = Deno.args;
const body = bodyFile === "" ? "[]" : Deno.readTextFileSync(bodyFile);
const headers: [string, string][] = JSON.parse(headersJson);

const answer = (): Response => new Response(body, { headers });
const handler = reads === "json"
  ? (request: Request) => request.body === null ? answer() : request.json().then(answer)
  : answer;

Deno.serve({ port: Number(port), hostname, onListen() {} }, handler);
