/** Raw TCP: what clients and upstreams of the attacks write and read. */

/** A text as bytes, one for each character: what it says of `\xff` is on the wire. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Bytes as a text, one character for each. */
export function textOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Writes all of some bytes. */
export async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Closes a connection, unless that has been done. */
export function closeQuietly(connection: Deno.TcpConn): void {
  try {
    connection.close();
  } catch { /* It is closed. */ }
}

/** The bytes that a client sends, and how long it listens. */
export interface Conversation {
  text: string;
  /** Milliseconds until the client gives up a server that neither answers nor closes. */
  patience: number;
}

/** Sends bytes over a connection of their own; gives all that comes back until the server closes it. */
export async function converse(port: number, { text, patience }: Conversation): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const timer = setTimeout(() => closeQuietly(connection), patience);
  let answer = "";
  // A server that has answered need not read on.
  const writing = writeAll(connection, bytesOf(text)).catch(() => {});
  try {
    const buffer = new Uint8Array(64 * 1024);
    for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
      answer += textOf(buffer.subarray(0, count));
    }
  } catch {
    /* The connection was reset, or the client has given up. */
  } finally {
    clearTimeout(timer);
    closeQuietly(connection);
    await writing;
  }
  return answer;
}

/** Status of the first response in what a server has written; `undefined` without one. */
export function statusOf(answer: string): number | undefined {
  const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answer) ?? [];
  return status === undefined ? undefined : Number(status);
}
