import { type KubeClient, KubeError, type WriteOptions } from "../client.ts";
import type { Leadership } from "./leadership.ts";

/** A change that was not sent, because this replica doesn't lead. */
export class NotLeader extends Error {
  override readonly name = "NotLeader";
}

/** A client that sends changes only while this replica leads; what is under way when it no longer does is cut off. */
export function fencedClient(client: KubeClient, leadership: Pick<Leadership, "isLeader" | "term">): KubeClient {
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
    write: (
      fence: <Options extends WriteOptions>(options?: Options) => WriteOptions & { signal: AbortSignal },
    ) => Promise<Result>,
  ): Promise<Result> {
    if (!leadership.isLeader) throw new NotLeader("This replica doesn't lead.");
    const { term } = leadership;
    try {
      return await write((options) => ({
        ...options,
        signal: options?.signal === undefined ? term : AbortSignal.any([options.signal, term]),
      }));
    } catch (error) {
      if (term.aborted && !(error instanceof KubeError)) {
        throw new NotLeader("This replica no longer leads.", { cause: error });
      }
      throw error;
    }
  }
}
