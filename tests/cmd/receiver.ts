/**
 * A server that receives callbacks and webhooks.
 *
 * @module
 */

export interface Received {
  method: string;
  /** Path and query of the URL. */
  target: string;
  contentType: string | null;
  body: string;
}

/** A server that records its requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when `count` requests have arrived. */
  until(count: number): Promise<void>;
}

/** Starts a receiver. A path without a given answer is answered with 200. */
export function serveReceiver(
  answers: Readonly<Record<string, (request: Request) => Response | Promise<Response>>> = {},
): Receiver {
  const received: Received[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const contentType = request.headers.get("content-type");
    received.push({ method: request.method, target: pathname + search, contentType, body: await request.text() });
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    return await (answers[pathname]?.(request) ?? new Response("Thanks."));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    received,
    until: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (received.length >= count) resolve();
      }),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
