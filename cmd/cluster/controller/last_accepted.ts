import type { AcceptedPlan } from "../../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { acceptanceOfSpec } from "../../../lib/cluster/status/route_status.ts";
import type { CheckedPlan } from "../../io/gateway/plan_cache.ts";
import { AcceptedStates, type AcceptedStatesOptions } from "../accepted_states.ts";

/** An API or static route, with the result of checking its definition. */
export interface CheckedObject {
  readonly object: ApiObject | StaticRouteObject;
  readonly checked: CheckedPlan;
}

/** Options of {@linkcode LastAccepted}. */
export interface LastAcceptedOptions extends AcceptedStatesOptions {
  /** Checks an earlier `spec` of an API or static route, and plans it unless it is refused. */
  check: (object: ApiObject | StaticRouteObject) => Promise<CheckedPlan>;
}

/** The last accepted plan of each API and static route whose present `spec` isn't accepted. */
export class LastAccepted {
  readonly #plans = new Map<string, AcceptedPlan>();
  readonly #states: AcceptedStates;
  readonly #options: LastAcceptedOptions;

  constructor(options: LastAcceptedOptions) {
    this.#options = options;
    this.#states = new AcceptedStates(options);
  }

  get(key: string): AcceptedPlan | undefined {
    return this.#plans.get(key);
  }

  /** Stores the plan that an API or static route had before a change, if its `spec` was accepted then. */
  remember(key: string, { object: before, checked }: CheckedObject, object: ApiObject | StaticRouteObject): void {
    const { uid, generation = 0 } = before.metadata;
    const isChanged = uid === object.metadata.uid && generation !== object.metadata.generation;
    if (!isChanged || checked.kind === "refused") return;
    // The leader may have accepted the earlier `spec` after this replica read it. Then only the status of the changed
    // object tells so.
    const states = [before, { ...object, metadata: before.metadata }];
    if (states.some((state) => acceptanceOfSpec(state) === "accepted")) {
      this.#plans.set(key, { plan: checked.plan, generation });
    }
  }

  /** Reads from the cluster the `spec` that was accepted before this replica started, and stores its plan. */
  async lookUp(key: string, object: ApiObject | StaticRouteObject): Promise<void> {
    const isNew = object.status?.conditions === undefined;
    if (isNew || acceptanceOfSpec(object) === "accepted" || this.#plans.has(key)) return;
    if (this.#states.isLookedUp(key, object)) return;
    const last = await this.#states.lookUp(key, object);
    if (last === undefined) return;
    const checked = await this.#options.check(last);
    if (checked.kind === "refused") {
      const reason = `gw now refuses the definition that was accepted before: ${checked.errors.join(" ")}`;
      return this.#options.onError(key, new Error(reason));
    }
    this.#plans.set(key, { plan: checked.plan, generation: last.metadata.generation ?? 0 });
  }

  drop(key: string): void {
    this.#plans.delete(key);
    this.#states.forget(key);
  }

  stop(): void {
    this.#states.stop();
  }
}
