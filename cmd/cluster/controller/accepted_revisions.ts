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
  /** Called if a ControllerRevision can't be written or deleted. */
  onError: (object: KubernetesObject, error: unknown) => void;
}

/**
 * Statuses that the API server would repeat. 500 is among them, because the API server answers 500 to an object that
 * exceeds etcd's limit of size.
 */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 413, 422, 500]);

/**
 * Persists the last accepted `spec` of an API or static route as a ControllerRevision while an edit is refused, so that
 * replicas that start later find it. As long as no edit is refused, there is no revision, and no request asks for it.
 */
export class AcceptedRevisions {
  readonly #options: AcceptedRevisionsOptions;

  constructor(options: AcceptedRevisionsOptions) {
    this.#options = options;
  }

  /**
   * Persists the last accepted plan of an API or static route. This must precede the status that tells of the refused
   * edit: other replicas look for the revision when they read that status.
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
        // The API server lets nobody change a revision, so it is deleted and created again.
        await this.#delete(present);
      }
      await this.#options.client.create(CONTROLLER_REVISION, await revisionOf(object, accepted));
      return undefined;
    } catch (error) {
      return this.#report(object, error);
    }
  }

  /**
   * Deletes the ControllerRevision of an API or static route. This must precede the status that tells of an accepted
   * edit.
   */
  async drop(object: KubernetesObject): Promise<void> {
    // Only an object whose last edit was refused can have a revision.
    if (acceptedConditionOf(this.#options.writer.newest(object))?.status !== "False") return;
    try {
      const present = await this.#find(object);
      if (present !== undefined && isRevisionOf(present, object)) await this.#delete(present);
    } catch (error) {
      // A revision that can't be deleted does no harm. Readers ignore it, because it is older than the accepted `spec`,
      // and Kubernetes deletes it together with its owner.
      this.#report(object, error);
    }
  }

  #find(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    return this.#options.client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
  }

  async #delete({ metadata: { namespace = "", name, uid = "" } }: KubernetesObject): Promise<void> {
    await this.#options.client.delete(CONTROLLER_REVISION, namespace, name, { preconditions: { uid } });
  }

  /** Reports an error that would come again, and throws any other error, so that the caller tries again. */
  #report(object: KubernetesObject, error: unknown): string {
    const isFinal = error instanceof StoreError || (error instanceof KubeError && REFUSALS.has(error.status));
    if (!isFinal) throw error;
    this.#options.onError(object, error);
    return error.message;
  }
}
