import { acceptedState, CONTROLLER_REVISION, revisionNameOf } from "../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../lib/cluster/custom_resource.ts";
import { acceptanceOfSpec } from "../../lib/cluster/status/route_status.ts";
import type { KubeClient } from "./client.ts";
import { specVersionOf } from "./resource_version.ts";

/**
 * Finds an API or static route with its last accepted `spec`, while its present `spec` is refused; `undefined` if the
 * cluster doesn't have it.
 *
 * The controller persists the accepted `spec` as a ControllerRevision (see lib/cluster/accepted_revision.ts) before it
 * writes the refusal into the status. So a replica that reads the refusal can read the revision, too, and need not
 * watch revisions.
 */
export type FindAcceptedState = (
  object: ApiObject | StaticRouteObject,
) => Promise<ApiObject | StaticRouteObject | undefined>;

/** Options of {@linkcode AcceptedStates}. */
export interface AcceptedStatesOptions {
  find: FindAcceptedState;
  /** Called when a look-up fails, for instance because the API server can't be reached. */
  onError: (key: string, error: unknown) => void;
  /** Called some time after a failed look-up: the caller should call `lookUp` again. */
  onRetry: (key: string) => void;
}

/** The time from a failed look-up to `onRetry`, in milliseconds. */
const RETRY_AFTER = 5_000;

/** Makes the function that reads last accepted specs from ControllerRevisions of a cluster. */
export function findAcceptedStates(client: Pick<KubeClient, "get">): FindAcceptedState {
  return async (object) => {
    const revision = await client.get(CONTROLLER_REVISION, object.metadata.namespace ?? "", revisionNameOf(object));
    return revision === undefined ? undefined : acceptedState(revision, object);
  };
}

/**
 * Looks up the last accepted specs of APIs and static routes. Remembers the state of each object at its last look-up,
 * so that callers can skip a look-up with the same result.
 */
export class AcceptedStates {
  readonly #options: AcceptedStatesOptions;
  readonly #lookedUp = new Map<string, string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(options: AcceptedStatesOptions) {
    this.#options = options;
  }

  /** Tells whether the object was looked up with its present `spec` and the present acceptance in its status. */
  isLookedUp(key: string, object: ApiObject | StaticRouteObject): boolean {
    return this.#lookedUp.get(key) === stateOf(object);
  }

  /**
   * Looks up the object with its last accepted `spec`. An error is reported to `onError`, and `onRetry` is called
   * later.
   */
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

  /** Forgets the last look-up of an object, so that it is looked up again. */
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
