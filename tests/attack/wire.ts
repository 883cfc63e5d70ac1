/** Reads and writes raw bytes over TCP, for the clients and the upstream of the attacks. */

/** Encodes a text as Latin-1: one byte per character, so that `\xff` becomes the byte 0xff. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Decodes Latin-1: one character per byte. */
export function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Writes bytes until all are written. */
export async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Closes a connection that may be closed already. */
export function closeQuietly(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch { /* It is closed. */ }
}

export interface Conversation {
  text: string;
  /** Milliseconds until the client gives up, if the server neither answers nor closes the connection. */
  timeout: number;
}

/** Sends bytes over a new connection. Returns all bytes until the server closes the connection. */
export async function converse(port: number, { text, timeout }: Conversation): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => closeQuietly(connection), timeout);
  let answer = "";
  // Ignore errors: the server may answer and close the connection before it has read everything.
  const writing = writeAll(connection, bytesOf(text)).catch(() => {});
  try {
    const buffer = new Uint8Array(64 * 1024);
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      answer += textOf(buffer.subarray(0, count));
    }
  } catch {
    // The connection was reset, or the client gave up.
  } finally {
    clearTimeout(timer);
    closeQuietly(connection);
    await writing;
  }
  return answer;
}

/** The status of the first response; `undefined` if the bytes contain none. */
export function statusOf(answer: string): number | undefined {
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? [];
  return status === undefined ? undefined : Number(status);
}
