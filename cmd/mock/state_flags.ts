import { operationRoutes, type RouteOptions } from "../../lib/mock/operation/mock_route.ts";
import type { RuleLimits, StateLimits } from "../../lib/mock/state/store/limits.ts";
import type { Document } from "../../lib/openapi/document.ts";
import type { Flag } from "../line/flag.ts";
import { isGiven } from "./mistakes.ts";
import { MOCK_COMMAND, type MockSettings } from "./settings.ts";

/** The flags that affect stateful operations only, apart from limits on rules. */
const STATE_FLAGS = ["state", "items", "state-limit"] as const;

const RULE_LIMITS: ReadonlySet<keyof StateLimits> = new Set<keyof RuleLimits>(["rules", "allRules", "allRuleBytes"]);

/** The warning that flags of state have no effect, because no operation is stateful. */
export function idleStateFlags(
  settings: MockSettings,
  documents: readonly Document[],
  options: RouteOptions,
): string | undefined {
  const flags: Readonly<Record<string, Flag>> = MOCK_COMMAND.flags;
  const hasRuleLimit = settings["state-limit"].some(({ limit }) => RULE_LIMITS.has(limit));
  const given = STATE_FLAGS.filter((name) =>
    flags[name] !== undefined && isGiven(flags[name], settings[name]) && !(name === "state-limit" && hasRuleLimit)
  );
  if (given.length === 0) return undefined;
  const isStateful = documents.some((document) => operationRoutes(document, options).some((route) => route.isStateful));
  if (isStateful) return undefined;
  const names = given.map((name) => `--${name}`).join(", ");
  return `${names} ${given.length === 1 ? "has" : "have"} no effect, as no operation is stateful: add --stateful, or ` +
    "x-svc: {mocking: {stateful: true}} to the definition.";
}
