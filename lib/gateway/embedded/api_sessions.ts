import { createSessions } from "../../mock/create_sessions.ts";
import type { Sessions } from "../../mock/session/sessions.ts";
import { StateBudget } from "../../mock/state/store/limits.ts";
import type { RoutePlan } from "../route.ts";
import type { GatewayPlatform } from "./platform.ts";

/**
 * The mock sessions of all APIs with stateful operations (`x-svc.mocking.stateful`). An API keeps its sessions when its
 * plan changes.
 */
export class ApiSessions {
  readonly #platform: Pick<GatewayPlatform, "now" | "random">;
  readonly #budget: StateBudget;
  readonly #sessions = new Map<string, Sessions>();

  /** @param budget The memory that the sessions of all APIs may use together. Default: a new budget. */
  constructor(platform: Pick<GatewayPlatform, "now" | "random">, budget: StateBudget = new StateBudget()) {
    this.#platform = platform;
    this.#budget = budget;
  }

  /** Returns the sessions of an API. The first call creates them. */
  of(plan: RoutePlan): Sessions {
    const key = keyOf(plan);
    const known = this.#sessions.get(key);
    if (known !== undefined) return known;
    const platform = this.#platform;
    const sessions = createSessions({
      now: () => platform.now(),
      random: () => platform.random(),
      stateBudget: this.#budget,
    });
    this.#sessions.set(key, sessions);
    return sessions;
  }

  /** Closes the sessions of all APIs that are not among the plans. */
  retain(plans: readonly RoutePlan[]): void {
    if (this.#sessions.size === 0) return;
    const kept = new Set(plans.map(keyOf));
    for (const [key, sessions] of this.#sessions) {
      if (kept.has(key)) continue;
      this.#sessions.delete(key);
      sessions.close();
    }
  }
}

function keyOf({ kind, namespace, name }: RoutePlan): string {
  return `${kind} ${namespace}/${name}`;
}
