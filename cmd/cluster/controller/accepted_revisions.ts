import {
  type AcceptedPlan,
  CONTROLLER_REVISION,
  isRevisionOf,
  revisionNameOf,
  revisionOf,
} from "../../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { acceptedConditionOf } from "../../../lib/cluster/status/route_status.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";
import { type KubeClient, KubeError } from "../client.ts";
import type { StatusWriter } from "./status_writer.ts";

/** Options of {@linkcode AcceptedRevisions}. */
export interface AcceptedRevisionsOptions {
  client: Pick<KubeClient, "get" | "create" | "delete">;
  writer: Pick<StatusWriter, "newest">;
  /** Called when a revision can't be written or deleted. */
  onError: (object: KubernetesObject, error: unknown) => void;
}

/**
 * Statuses that the API server would also answer a retry with. It answers 500 when an object exceeds etcd's size limit.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 413, 422, 500]);

/**
 * Persists the last accepted spec of an object while an edit is refused, so that replicas that start later find it.
 * While no edit is refused, there is no revision, and none is looked for.
 */
export class AcceptedRevisions {
  readonly #options: AcceptedRevisionsOptions;

  constructor(options: AcceptedRevisionsOptions) {
    this.#options = options;
  }

  /**
   * Persists the last accepted plan. Call it before the status says that an edit is refused.
   *
   * @returns Why the plan can't be persisted; `undefined` when it is.
   */
  async keep(object: ApiObject | StaticRouteObject, accepted: AcceptedPlan): Promise<string | undefined> {
    try {
      const present = await this.#find(object);
      if (present !== undefined) {
        if (isRevisionOf(present, object, accepted.generation)) return undefined;
        if (present.metadata.labels?.[LABELS.managedBy] !== FIELD_MANAGER) {
          return `There is already the ControllerRevision ${present.metadata.name}, which gw has not made. Delete it.`;
        }
        // A revision can't be changed, only deleted and created again.
        await this.#delete(present);
      }
      await this.#options.client.create(CONTROLLER_REVISION, await revisionOf(object, accepted));
      return undefined;
    } catch (error) {
      return this.#report(object, error);
    }
  }

  /** Deletes the revision. Call it before the status says that an edit is accepted. */
  async drop(object: KubernetesObject): Promise<void> {
    // Only an object whose last edit was refused has a revision.
    if (acceptedConditionOf(this.#options.writer.newest(object))?.status !== "False") return;
    try {
      const present = await this.#find(object);
      if (present !== undefined && isRevisionOf(present, object)) await this.#delete(present);
    } catch (error) {
      // A revision that can't be deleted does no harm: readers ignore it, since it is older than the accepted spec, and
      // Kubernetes deletes it with its object.
      this.#report(object, error);
    }
  }

  #find(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    return this.#options.client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
  }

  async #delete({ metadata: { namespace = "", name, uid = "" } }: KubernetesObject): Promise<void> {
    await this.#options.client.delete(CONTROLLER_REVISION, namespace, name, { preconditions: { uid } });
  }

  /** Reports an error that a retry doesn't change, and throws any other. */
  #report(object: KubernetesObject, error: unknown): string {
    const isFinal = error instanceof StoreError || (error instanceof KubeError && REFUSALS.has(error.status));
    if (!isFinal) throw error;
    this.#options.onError(object, error);
    return error.message;
  }
}
