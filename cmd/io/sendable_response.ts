/**
 * The response as `Deno.serve` can write it. It writes a 205 with neither a length nor chunks (Deno 2.9), so a client
 * waits for the end of the connection. A 204 says the same but for the view to reset (RFC 9110, section 15.3.6).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9112#section-6.3 RFC 9112, Message Body Length}
 */
export function sendableResponse(response: Response): Response {
  if (response.status !== 205) return response;
  return new Response(null, { status: 204, headers: response.headers });
}
