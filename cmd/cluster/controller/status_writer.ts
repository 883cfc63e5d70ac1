import { FINALIZER } from "../../../lib/cluster/names.ts";
import { covers, type KubernetesObject, type StatusCondition } from "../../../lib/cluster/object.ts";
import { readConditions, withTransitionTimes } from "../../../lib/cluster/status/conditions.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import { type KubeClient, KubeError, type ResourceType } from "../client.ts";
import { isOlder } from "../resource_version.ts";
import type { Events } from "./events.ts";

/**
 * The field manager of finalizers. It differs from the manager of `spec`, since server-side apply of `spec` would
 * otherwise remove the finalizers.
 */
const FINALIZER_MANAGER = "gw-controller";

/** Dependencies of the writes to custom resources. */
export interface StatusWriterOptions {
  client: Pick<KubeClient, "patch" | "applyStatus">;
  events: Pick<Events, "write">;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
}

/** The `status` of a custom resource. */
export type Status = Readonly<Record<string, unknown>> & { conditions?: StatusCondition[] };

/** Writes `status` and finalizers of gw's custom resources. */
export class StatusWriter {
  readonly #client: StatusWriterOptions["client"];
  readonly #events: StatusWriterOptions["events"];
  readonly #now: () => number;
  /** The API server's responses to the last writes, by `uid`, until the informer has received the writes. */
  readonly #answers = new Map<string, KubernetesObject>();

  constructor({ client, events, now }: StatusWriterOptions) {
    this.#client = client;
    this.#events = events;
    this.#now = now;
  }

  /**
   * Returns the newest known state of a custom resource: that of the last write, if the informer hasn't received it
   * yet.
   */
  newest(object: KubernetesObject): KubernetesObject {
    const answer = this.#answers.get(object.metadata.uid ?? "");
    if (answer === undefined) return object;
    if (isOlder(object, answer)) return answer;
    this.#answers.delete(object.metadata.uid ?? "");
    return object;
  }

  async addFinalizer(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { finalizers = [] } = this.newest(object).metadata;
    if (finalizers.includes(FINALIZER)) return;
    await this.#writeFinalizers(type, object, [...finalizers, FINALIZER]);
  }

  async removeFinalizer(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { finalizers = [] } = this.newest(object).metadata;
    if (!finalizers.includes(FINALIZER)) return;
    try {
      await this.#writeFinalizers(type, object, finalizers.filter((finalizer) => finalizer !== FINALIZER));
    } catch (error) {
      if (!(error instanceof KubeError) || error.status !== 404) throw error;
    }
    this.#answers.delete(object.metadata.uid ?? "");
  }

  /** Writes a status if it differs from the present one. Writes an Event for each condition that has changed. */
  async write(type: ResourceType, object: KubernetesObject, { conditions = [], ...rest }: Status): Promise<void> {
    const present = this.newest(object);
    const before = isObject(present.status) ? present.status : {};
    const known = readConditions(before["conditions"]);
    const now = new Date(this.#now()).toISOString().replace(/\.\d+/, "");
    const after = withTransitionTimes(conditions, known, now);
    const status = { ...rest, conditions: after };
    const isSame = covers(before, status) && Object.keys(before).every((key) => key in status);
    if (isSame) return;
    // With `resourceVersion`, the API server refuses the write if the object was deleted and another one was created
    // with its name.
    const { metadata: { namespace = "", name, resourceVersion } } = present;
    const metadata = { namespace, name, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    try {
      const { apiVersion, kind } = type;
      this.#remember(await this.#client.applyStatus(type, { apiVersion, kind, metadata, status }));
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return;
      throw error;
    }
    void this.#events.write(present, known, after);
  }

  async #writeFinalizers(type: ResourceType, object: KubernetesObject, finalizers: string[]): Promise<void> {
    const { metadata: { namespace = "", name, resourceVersion } } = this.newest(object);
    // With `resourceVersion`, the API server refuses the patch if another client has changed the finalizers since.
    const patch = { metadata: { resourceVersion, finalizers } };
    const options = { fieldManager: FINALIZER_MANAGER };
    this.#remember(await this.#client.patch(type, namespace, name, patch, options));
  }

  #remember(object: KubernetesObject): void {
    this.#answers.set(object.metadata.uid ?? "", object);
  }
}
