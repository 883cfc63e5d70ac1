/**
 * The rule that stands for most of an API: a prefix that leads to where most of its operations go. Where all go to one
 * place it is the only rule. Requests to paths that the definition doesn't have go there as well.
 *
 * @module
 */
import { percentDecode } from "../../http/percent.ts";
import type { RoutePlan } from "../route.ts";
import { LONGEST_PATH, matchOf, UNAMBIGUOUS, unreachableReason } from "./path_match.ts";
import {
  compareSpecificity,
  overlaps,
  type PathPattern,
  patternOf,
  prefixPattern,
  type Segment,
} from "./path_pattern.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";

/** Which share of the operations must go to an upstream for the rest of the paths to go there too. */
const MOST_TO_UPSTREAM = 0.9;
/** The mocks answer paths that nobody has as nobody's. */
const MOST_TO_MOCKS = 0.5;

/**
 * Replaces entries by one for a prefix, where the same requests are answered alike.
 *
 * @param neighbours Plans of the fleet that share a host with the plan.
 */
export function withDefaultRule(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  neighbours: readonly RoutePlan[],
): readonly RouteEntry[] {
  if (plan.kind !== "api") return entries;
  const operations = entries.filter(({ route }) => route?.operation !== undefined);
  const prefix = prefixPattern(prefixOf(plan));
  if (operations.length === 0 || unreachableReason(prefix) !== undefined) return entries;
  const { value } = matchOf(prefix);
  if (value.length > LONGEST_PATH || !UNAMBIGUOUS.test(value) || !isOwn(prefix, neighbours)) return entries;
  const chosen = chooseDefault(operations, entries);
  if (chosen === undefined) return entries;

  const { content, guarding } = chosen.entry;
  const rest = entries.filter((entry) => !chosen.stands(entry));
  const explicit = entries.filter((entry) =>
    chosen.stands(entry) &&
    rest.some((other) =>
      shareMethod(entry.methods, other.methods) && overlaps(entry.pattern, other.pattern) &&
      compareSpecificity(entry.pattern, other.pattern) < 0
    )
  );
  const hidden = content.isMocked ? [] : rest.filter(({ isDisabled }) => isDisabled).flatMap(withSlash(entries));
  return [{ pattern: prefix, methods: [], content, guarding, isDisabled: false }, ...rest, ...explicit, ...hidden];
}

/** To many upstreams a path means the same with a slash at its end: what is hidden there is hidden here. */
function withSlash(entries: readonly RouteEntry[]): (entry: RouteEntry) => RouteEntry[] {
  const known = new Set(entries.map(({ pattern: { shape } }) => shape));
  return ({ route: _, ...entry }) => {
    const { segments, shape } = entry.pattern;
    if (shape.endsWith("/") || known.has(`${shape}/`)) return [];
    const pattern = { segments: [...segments, EMPTY], isPrefix: false, shape: `${shape}/` };
    return [{ ...entry, pattern }];
  };
}

const EMPTY: Segment = { kind: "literal", text: "" };

/** An entry, and which others its content stands for. */
interface Default {
  entry: RouteEntry;
  stands: (entry: RouteEntry) => boolean;
}

function chooseDefault(operations: readonly RouteEntry[], entries: readonly RouteEntry[]): Default | undefined {
  const alike = [...Map.groupBy(operations, keyOf).values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const [entry] = alike;
  // A path that nobody has can't be checked against a definition.
  if (entry === undefined || entry.isDisabled || entry.guarding.kind === "checked") return undefined;
  const isAlike = (other: RouteEntry): boolean => keyOf(other) === keyOf(entry);
  if (alike.length === operations.length) return { entry, stands: isAlike };
  if (entry.guarding.kind !== "open") return undefined;

  if (entry.content.isMocked) {
    const hidden = operations.filter(({ isDisabled }) => isDisabled);
    // The mocks know what is disabled. What they answer to some clients only, they must not be asked by all.
    const stands = (other: RouteEntry): boolean => isAlike(other) || other.isDisabled;
    const isSafe = entries.every(({ content, guarding }) => !content.isMocked || guarding.kind === "open");
    return isSafe && alike.length + hidden.length >= operations.length * MOST_TO_MOCKS ? { entry, stands } : undefined;
  }
  // A path that is written otherwise, as an upstream may understand it all the same, would get past what guards it.
  const isSafe = entries.every(({ guarding }) => guarding.kind === "open");
  return isSafe && alike.length >= operations.length * MOST_TO_UPSTREAM ? { entry, stands: isAlike } : undefined;
}

function keyOf({ content, guarding, isDisabled }: RouteEntry): string {
  return `${guarding.kind === "protected" ? guarding.key : guarding.kind} ${isDisabled} ${content.key}`;
}

/** Whether no other plan has anything at or below a prefix. */
function isOwn(prefix: PathPattern, neighbours: readonly RoutePlan[]): boolean {
  return neighbours.every(({ routes }) =>
    routes.every(({ path }) => {
      const pattern = patternOf(path);
      return pattern.segments.length < prefix.segments.length || !overlaps(prefix, pattern);
    })
  );
}

/**
 * A path that all operations of a plan are below: its `path.prefix`, else the segments that all their paths begin with.
 */
export function prefixOf({ routes }: Pick<RoutePlan, "routes">): string {
  const operations = routes.filter(({ action }) => action.kind !== "definition");
  const [written] = new Set(operations.map(({ settings }) => settings.path?.prefix?.replace(/\/+$/, "") ?? ""));
  const isShared = operations.every(({ settings }) => (settings.path?.prefix?.replace(/\/+$/, "") ?? "") === written);
  if (isShared && written !== undefined && written !== "" && !/[{}]/.test(written)) return written;

  let common: string[] | undefined;
  for (const { path } of operations) {
    const segments = (path.kind === "template" ? path.template : path.prefix).slice(1).split("/");
    const template = segments.findIndex((segment) => segment.includes("{"));
    const literals = template === -1 ? segments : segments.slice(0, template);
    const known = common ?? literals;
    const end = known.findIndex((segment, index) => percentDecode(segment) !== percentDecode(literals[index] ?? ""));
    common = end === -1 ? known.slice(0, literals.length) : known.slice(0, end);
  }
  const path = (common ?? []).join("/").replace(/\/+$/, "");
  return `/${path}`;
}
