/**
 * `gw deploy --wait`: waits until a cluster serves what was deployed.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { readConditions } from "../../lib/cluster/status/conditions.ts";
import type { StatusCondition } from "../../lib/cluster/object.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import type { Client } from "../io/gateway/management_client.ts";
import { isFine } from "./server.ts";

/** Whether a resource is served, with the conditions that say why not. */
export type Served =
  | { readonly kind: "served" }
  | { readonly kind: "not-served"; readonly conditions: readonly StatusCondition[] };

/** Milliseconds between two looks at the status. */
const PAUSE = 500;

/** The conditions that must be true of what is served. */
const NEEDED = ["Accepted", "Programmed"] as const;

/**
 * Waits until the conditions of a resource say that it is served. Outside of a cluster a resource has no conditions, and
 * is served as soon as it is stored. Ends early if the resource is refused.
 *
 * @param path The path of the resource in the management API.
 * @param most The most milliseconds to wait.
 */
export async function waitUntilServed(client: Client, path: string, most: number): Promise<Served> {
  const end = Date.now() + most;
  for (;;) {
    const reply = await client({ method: "GET", path: `${path}/crd` });
    const state = isFine(reply) ? stateOf(reply.body) : { kind: "not-served" as const, conditions: [] };
    const isRefused = state.kind === "not-served" &&
      state.conditions.some(({ type, status }) => type === "Accepted" && status === "False");
    if (state.kind === "served" || isRefused || Date.now() + PAUSE > end) return state;
    await sleep(PAUSE);
  }
}

/** Writes the conditions of a resource that isn't served. */
export function explainConditions(conditions: readonly StatusCondition[]): string {
  if (conditions.length === 0) return "! No controller has looked at it yet.\n";
  return conditions.filter(({ status }) => status !== "True")
    .map(({ type, status, reason, message }) => `! ${oneLine(`${type} is ${status} (${reason}): ${message}`)}\n`).join(
      "",
    );
}

function stateOf(resource: unknown): Served {
  if (!isObject(resource) || !isObject(resource["metadata"])) return { kind: "not-served", conditions: [] };
  const status = isObject(resource["status"]) ? resource["status"] : {};
  const all = readConditions(status["conditions"]);
  const generation = resource["metadata"]["generation"];
  // Outside of a cluster only a resource that isn't served has conditions.
  if (typeof generation !== "number") {
    return all.length === 0 ? { kind: "served" } : { kind: "not-served", conditions: all };
  }
  const conditions = all.filter(({ observedGeneration = generation }) => observedGeneration >= generation);
  const isServed = NEEDED.every((needed) =>
    conditions.some(({ type, status }) => type === needed && status === "True")
  );
  return isServed ? { kind: "served" } : { kind: "not-served", conditions };
}

/**
 * Reads a time such as `60s`, `2m` or `500ms`; `0` is none.
 *
 * @returns Milliseconds.
 * @throws {RangeError} If it isn't well-formed, or is longer than an hour.
 */
export function readWait(written: string): number {
  const [, count = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(written) ?? [];
  const milliseconds = written === "0" ? 0 : Number(count) * ({ ms: 1, s: 1000, m: 60_000 }[unit] ?? NaN);
  if (milliseconds <= LONGEST) return milliseconds;
  throw new RangeError("a time such as 60s, 2m or 500ms is meant here, of at most 60m; 0 doesn't wait.");
}

const LONGEST = 3_600_000;
