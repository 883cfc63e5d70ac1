import { readConditions } from "../../../lib/cluster/status/conditions.ts";
import { FIELD_MANAGER, LABELS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import {
  type AcceptedPlan,
  CONTROLLER_REVISION,
  isRevisionOf,
  isSameRevision,
  revisionNameOf,
  revisionOf,
} from "../../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";
import { isObject } from "../../../lib/schema/node.ts";
import { type KubeClient, KubeError } from "../client.ts";
import type { StatusWriter } from "./status_writer.ts";

/** Writes down what stays in force of an object while an edit of it is refused. */
export interface Revisions {
  /**
   * Sees to it that it is written down what was accepted of an object; before its status says that an edit is refused.
   *
   * @returns Why it can't be; `undefined` when it is.
   */
  keep(object: ApiObject | StaticRouteObject, accepted: AcceptedPlan): Promise<string | undefined>;
  /** Takes away what was written down; before the status says that an edit is accepted. */
  drop(object: KubernetesObject): Promise<void>;
}

/** What that needs. */
export interface RevisionsOptions {
  client: Pick<KubeClient, "get" | "create" | "delete">;
  writer: Pick<StatusWriter, "newest">;
  /** Told of what can't be written down, or taken away. */
  onError: (object: KubernetesObject, error: unknown) => void;
}

/** Answers of the API server that trying again at once doesn't change; 500 is what etcd's limit becomes. */
const REFUSALS: ReadonlySet<number> = new Set([400, 403, 413, 422, 500]);

/** Makes what writes revisions. They are looked at only where an edit is, or was, refused. */
export function createRevisions({ client, writer, onError }: RevisionsOptions): Revisions {
  return { keep, drop };

  async function keep(object: ApiObject | StaticRouteObject, accepted: AcceptedPlan): Promise<string | undefined> {
    try {
      const wanted = await revisionOf(object, accepted);
      const present = await find(object);
      if (present !== undefined) {
        if (isRevisionOf(present, object) && isSameRevision(present, wanted)) return undefined;
        if (present.metadata.labels?.[LABELS.managedBy] !== FIELD_MANAGER) {
          return `There is already the ControllerRevision ${present.metadata.name}, which gw has not made. Delete it.`;
        }
        // It can't be changed.
        await remove(present);
      }
      await client.create(CONTROLLER_REVISION, wanted);
      return undefined;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      onError(object, error);
      return error.message;
    }
  }

  async function drop(object: KubernetesObject): Promise<void> {
    const { status } = writer.newest(object);
    const conditions = readConditions(isObject(status) ? status["conditions"] : undefined);
    const accepted = conditions.find(({ type }) => type === "Accepted");
    // Nothing is written down but while it is refused.
    if (accepted?.status !== "False") return;
    try {
      const present = await find(object);
      if (present !== undefined && isRevisionOf(present, object)) await remove(present);
    } catch (error) {
      // What stays there is older than what is accepted, and goes with the object.
      if (!isRefusal(error)) throw error;
      onError(object, error);
    }
  }

  function find(object: KubernetesObject): Promise<KubernetesObject | undefined> {
    return client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
  }

  async function remove({ metadata: { namespace = "", name, uid = "" } }: KubernetesObject): Promise<void> {
    await client.delete(CONTROLLER_REVISION, namespace, name, { preconditions: { uid } });
  }
}

function isRefusal(error: unknown): error is StoreError | KubeError {
  return error instanceof StoreError || (error instanceof KubeError && REFUSALS.has(error.status));
}
