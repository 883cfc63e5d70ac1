import { type KubeClient, KubeError, type WriteOptions } from "../client.ts";
import type { LeaseTerm } from "./leadership.ts";

/** The error for a write that wasn't sent, because the term of leadership is over. */
export class NotLeader extends Error {
  override readonly name = "NotLeader";
}

/**
 * Makes a client that sends writes only during a term of leadership (fencing). The end of the term aborts requests in
 * progress.
 */
export function fencedClient(client: KubeClient, term: LeaseTerm): KubeClient {
  return {
    server: client.server,
    get: (...input) => client.get(...input),
    list: (...input) => client.list(...input),
    watch: (...input) => client.watch(...input),
    create: (type, object, options) => lead((fence) => client.create(type, object, fence(options))),
    replace: (type, object, options) => lead((fence) => client.replace(type, object, fence(options))),
    apply: (type, object, options) => lead((fence) => client.apply(type, object, fence(options))),
    applyStatus: (type, object, options) => lead((fence) => client.applyStatus(type, object, fence(options))),
    patch: (type, namespace, name, patch, options) =>
      lead((fence) => client.patch(type, namespace, name, patch, fence(options))),
    delete: (type, namespace, name, options) =>
      lead((fence) => client.delete(type, namespace, name, { ...options, ...fence(options) })),
    request: (method, path, body, options) =>
      method === "GET"
        ? client.request(method, path, body, options)
        : lead((fence) => client.request(method, path, body, fence(options))),
    close: () => client.close(),
  };

  async function lead<Result>(
    write: (fence: <Options extends WriteOptions>(options?: Options) => WriteOptions) => Promise<Result>,
  ): Promise<Result> {
    checkTerm();
    const { signal } = term;
    try {
      return await write((options) => ({
        ...options,
        beforeSend: checkTerm,
        signal: options?.signal === undefined ? signal : AbortSignal.any([options.signal, signal]),
      }));
    } catch (error) {
      if (signal.aborted && !(error instanceof KubeError)) {
        throw new NotLeader("This replica no longer leads.", { cause: error });
      }
      throw error;
    }
  }

  function checkTerm(): void {
    if (!term.isCurrent) throw new NotLeader("This replica doesn't lead.");
  }
}
