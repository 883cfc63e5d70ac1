/**
 * The rule for the rest of an API's requests: a prefix that leads to the mocks. They answer most of the operations of a
 * mocked API by it, and 404 or 405 to what no operation takes. Where a prefix would take requests of others, each path
 * has a rule of its own.
 *
 * @module
 */
import { LONGEST_PATH, matchOf, UNAMBIGUOUS, unreachableReason } from "./path_match.ts";
import { compareSpecificity, overlaps, type PathPattern, patternOf, prefixPattern } from "./path_pattern.ts";
import type { Profile } from "./rendering.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import type { RuleContent } from "./rule.ts";
import { undeclaredEntries } from "./undeclared_rules.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url.ts";

/** Which share of the operations must be mocked for the prefix to stand for them. */
const MOST_TO_MOCKS = 0.5;

/** Options of {@linkcode withDefaultRule}. */
export interface DefaultOptions {
  /** Plans of the fleet that share a host with the plan. */
  readonly neighbours: readonly RoutePlan[];
  /** The mocks, told that the request means no operation. */
  readonly undeclared: RuleContent;
  readonly profile: Profile;
}

/** Adds entries for the requests that no entry takes, and leaves out those of which they take the requests. */
export function withDefaultRule(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  { neighbours, undeclared, profile }: DefaultOptions,
): readonly RouteEntry[] {
  if (plan.kind !== "api") return entries;
  const own = ownPrefix(plan, neighbours);
  const chosen = own && chooseMocked(entries);
  // An API that isn't mocked leaves `/` of its hosts to the routes of others, which gw needn't know.
  const prefix = own?.segments.length === 0 && chosen === undefined ? undefined : own;
  const others = undeclaredEntries(plan, entries, neighbours, { prefix, content: undeclared, profile });
  if (prefix === undefined) return [...entries, ...others];

  const content = chosen?.entry.content ?? undeclared;
  const guarding = { kind: "open" } as const;
  const rule: RouteEntry = { pattern: prefix, methods: [], content, guarding, isDisabled: false };
  if (chosen === undefined) return [{ ...rule, isUndeclared: true }, ...entries, ...others];

  const rest = entries.filter((entry) => !chosen.stands(entry));
  const explicit = entries.filter((entry) =>
    chosen.stands(entry) &&
    rest.some((other) =>
      shareMethod(entry.methods, other.methods) && overlaps(entry.pattern, other.pattern) &&
      compareSpecificity(entry.pattern, other.pattern) < 0
    )
  );
  return [rule, ...rest, ...explicit, ...others];
}

/** An entry, and which others its content stands for. */
interface Default {
  entry: RouteEntry;
  stands: (entry: RouteEntry) => boolean;
}

/** Finds what most operations are mocked by. The mocks know what is disabled. */
function chooseMocked(entries: readonly RouteEntry[]): Default | undefined {
  const operations = entries.filter(({ route }) => route?.operation !== undefined);
  const mocked = operations.filter(({ content, isDisabled }) => content.isMocked && !isDisabled);
  const alike = [...Map.groupBy(mocked, keyOf).values()].sort((a, b) => b.length - a.length)[0] ?? [];
  const [entry] = alike;
  // A prefix for all clients must not lead to mocked operations that only some clients may use.
  const isSafe = entries.every(({ content, guarding }) => !content.isMocked || guarding.kind === "open");
  const hidden = operations.filter(({ isDisabled }) => isDisabled);
  if (entry === undefined || !isSafe || alike.length + hidden.length < operations.length * MOST_TO_MOCKS) {
    return undefined;
  }
  return { entry, stands: (other) => other.isDisabled || keyOf(other) === keyOf(entry) };
}

function keyOf({ content, isDisabled }: RouteEntry): string {
  return `${isDisabled} ${content.key}`;
}

/** The prefix of a plan's operations where no other plan has anything at, below or around it. */
function ownPrefix(plan: RoutePlan, neighbours: readonly RoutePlan[]): PathPattern | undefined {
  if (!plan.routes.some(({ operation }) => operation !== undefined)) return undefined;
  const prefix = prefixPattern(prefixOf(plan));
  if (unreachableReason(prefix) !== undefined) return undefined;
  const { value } = matchOf(prefix);
  return value.length <= LONGEST_PATH && UNAMBIGUOUS.test(value) && isOwn(plan, prefix, neighbours)
    ? prefix
    : undefined;
}

function isOwn(plan: RoutePlan, prefix: PathPattern, neighbours: readonly RoutePlan[]): boolean {
  return neighbours.every(({ routes, hosts }) =>
    routes.every(({ path }) => {
      const pattern = patternOf(path);
      if (!overlaps(prefix, pattern)) return true;
      // A static route has the rest of the paths of its own hosts.
      if (pattern.isPrefix) return pattern.segments.length < prefix.segments.length && !shareName(plan.hosts, hosts);
      return pattern.segments.length < prefix.segments.length;
    })
  );
}

/** Whether two lists have a host in common: each host has routes of its own in Envoy, which don't go on to others. */
function shareName(a: readonly string[], b: readonly string[]): boolean {
  return a.some((host) => b.includes(host));
}

/**
 * A path that all operations of a plan are below: its `path.prefix`, else the segments that all their paths begin with.
 */
export function prefixOf({ routes, hidden }: Pick<RoutePlan, "routes" | "hidden">): string {
  const operations = routes.filter(({ action }) => action.kind !== "definition");
  const paths = [...operations, ...hidden].map(({ path }) => path.kind === "template" ? path.template : path.prefix);
  const [written] = new Set(operations.map(({ settings }) => settings.path?.prefix?.replace(/\/+$/, "") ?? ""));
  const isShared = operations.every(({ settings }) => (settings.path?.prefix?.replace(/\/+$/, "") ?? "") === written);
  const isPrefix = isShared && written !== undefined && written !== "" && !/[{}]/.test(written);
  if (isPrefix && paths.every((path) => `${path}/`.startsWith(`${written}/`))) return written;

  let common: string[] | undefined;
  for (const path of paths) {
    const segments = path.slice(1).split("/");
    const template = segments.findIndex((segment) => segment.includes("{"));
    const literals = template === -1 ? segments : segments.slice(0, template);
    const known = common ?? literals;
    const end = known.findIndex((segment, index) => percentDecode(segment) !== percentDecode(literals[index] ?? ""));
    common = end === -1 ? known.slice(0, literals.length) : known.slice(0, end);
  }
  const path = (common ?? []).join("/").replace(/\/+$/, "");
  return `/${path}`;
}
