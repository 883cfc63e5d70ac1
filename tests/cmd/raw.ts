/**
 * Sends bytes over a new connection. Returns the response: all that arrives until the server closes the connection, or
 * sends nothing for `silence` milliseconds.
 */
export async function sendRaw(port: number, request: string | Uint8Array, silence = 150): Promise<string> {
  const connection = await Deno.connect({ port });
  let answer = "";
  let timer = setTimeout(() => connection.close(), 5000);
  const reading = (async () => {
    for await (const chunk of connection.readable.pipeThrough(new TextDecoderStream())) {
      answer += chunk;
      clearTimeout(timer);
      timer = setTimeout(() => connection.close(), silence);
    }
  })().catch(() => {});
  try {
    const bytes = typeof request === "string" ? new TextEncoder().encode(request) : request;
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch {
    // The server may close the connection while bytes are being written.
  }
  await reading;
  clearTimeout(timer);
  return answer;
}
