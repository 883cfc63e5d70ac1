import type { ServerResponse } from "node:http";

/** Statuses of responses without content (RFC 9110, section 6.4.1). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Sends a response with back-pressure: reads its body no faster than the client receives it. */
export async function sendResponse(outgoing: ServerResponse, response: Response): Promise<void> {
  const { status, statusText, headers, body } = response;
  // Set `set-cookie` from `getSetCookie()`: several cookies can't be joined with commas (RFC 6265, section 3).
  for (const [name, value] of headers) if (name !== "set-cookie") outgoing.setHeader(name, value);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) outgoing.setHeader("set-cookie", cookies);
  outgoing.statusCode = status;
  if (statusText !== "") outgoing.statusMessage = statusText;
  const isHead = outgoing.req.method === "HEAD";
  if (body === null || isHead || WITHOUT_BODY.has(status)) {
    await body?.cancel();
    outgoing.end();
    return;
  }
  const reader = body.getReader();
  outgoing.once("close", () => reader.cancel().catch(() => {}));
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(read.value)) await drained(outgoing);
    }
  } catch (error) {
    // A broken body, as a rule may demand, ends the connection: but not before its beginning is sent.
    await flushed(outgoing);
    throw error;
  }
  outgoing.end();
}

/** Resolves when all that was written is sent, or when the connection is closed. */
function flushed(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once("close", resolve);
    outgoing.write("", () => resolve());
  });
}

/** Resolves when the response can be written to again, or when its connection is closed. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.once("drain", done).once("close", done);
  });
}
