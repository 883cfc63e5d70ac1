import { acceptedState, CONTROLLER_REVISION, revisionNameOf } from "../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../lib/cluster/custom_resource.ts";
import { acceptanceOfSpec } from "../../lib/cluster/status/route_status.ts";
import type { KubeClient } from "./client.ts";
import { specVersionOf } from "./resource_version.ts";

/**
 * Finds the last accepted state of an object whose present spec is refused; `undefined` where the cluster has none. The
 * controller persists this state as a revision (see lib/cluster/accepted_revision.ts) before it writes the refusal into
 * the status. So a replica that reads the refusal can read the revision too, and needn't watch revisions.
 */
export type FindAcceptedState = (
  object: ApiObject | StaticRouteObject,
) => Promise<ApiObject | StaticRouteObject | undefined>;

/** Options of {@linkcode AcceptedStates}. */
export interface AcceptedStatesOptions {
  find: FindAcceptedState;
  /** Called when a look-up fails, as when the API server can't be reached. */
  onError: (key: string, error: unknown) => void;
  /** Called some time after a failed look-up: the caller should look the object up again. */
  onRetry: (key: string) => void;
}

/** The time between a failed look-up and `onRetry`, in milliseconds. */
const RETRY_AFTER = 5_000;

/** Finds accepted states in the revisions of a cluster. */
export function findAcceptedStates(client: Pick<KubeClient, "get">): FindAcceptedState {
  return async (object) => {
    const revision = await client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
    return revision === undefined ? undefined : acceptedState(revision, object);
  };
}

/**
 * Looks up the last accepted states of objects. Records the state that an object had at its last look-up, so that
 * callers can skip a look-up that would find the same.
 */
export class AcceptedStates {
  readonly #options: AcceptedStatesOptions;
  readonly #lookedUp = new Map<string, string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(options: AcceptedStatesOptions) {
    this.#options = options;
  }

  /** Whether the object was looked up when it had its present `spec`, and the same acceptance in its status as now. */
  isLookedUp(key: string, object: ApiObject | StaticRouteObject): boolean {
    return this.#lookedUp.get(key) === stateOf(object);
  }

  /** Looks up the last accepted state of the object. A failure is reported, and `onRetry` is called later. */
  async lookUp(
    key: string,
    object: ApiObject | StaticRouteObject,
  ): Promise<ApiObject | StaticRouteObject | undefined> {
    this.#lookedUp.set(key, stateOf(object));
    try {
      return await this.#options.find(object);
    } catch (error) {
      this.#options.onError(key, error);
      this.#lookedUp.delete(key);
      this.#retry(key);
      return undefined;
    }
  }

  /** Forgets that the object was looked up. */
  forget(key: string): void {
    this.#lookedUp.delete(key);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #retry(key: string): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#options.onRetry(key);
    }, RETRY_AFTER);
    this.#timers.add(timer);
  }
}

function stateOf(object: ApiObject | StaticRouteObject): string {
  return `${specVersionOf(object)} ${acceptanceOfSpec(object)}`;
}
