import { acceptedState, CONTROLLER_REVISION, revisionNameOf } from "../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../lib/cluster/custom_resource.ts";
import type { KubeClient } from "./client.ts";

/**
 * Finds an object as it was accepted last, where an edit has been refused since; `undefined` where nothing is written
 * down. It is there before a status says that the edit is refused, so it needn't be watched.
 */
export type AcceptedStates = (
  object: ApiObject | StaticRouteObject,
) => Promise<ApiObject | StaticRouteObject | undefined>;

/** Makes what asks the cluster. */
export function createAcceptedStates(client: Pick<KubeClient, "get">): AcceptedStates {
  return async (object) => {
    const revision = await client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
    return revision === undefined ? undefined : acceptedState(revision, object);
  };
}
