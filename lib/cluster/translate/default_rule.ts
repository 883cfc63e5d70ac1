/**
 * The default rule of an API: a rule for all paths below the API's prefix, whose backend is the mocks. It replaces the
 * rules of most mocked operations. The mocks also answer undeclared requests (those that no operation handles) with 404
 * or 405.
 *
 * If the prefix would match requests of other plans, there is no default rule. Then each path of the API gets a rule
 * for its undeclared requests instead (see undeclared_rules.ts).
 *
 * @module
 */
import { LONGEST_PATH, matchOf, UNAMBIGUOUS, unreachableReason } from "./path_match.ts";
import { overlaps, type PathPattern, patternOf, prefixPattern } from "./path_pattern.ts";
import { takesFrom } from "./precedence.ts";
import type { RenderContext } from "./rendering.ts";
import type { RouteEntry } from "./route_entry.ts";
import { undeclaredContent } from "./rule.ts";
import { undeclaredEntries } from "./undeclared_rules.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url/url.ts";

/** The share of operations that must be mocked for the default rule to replace their rules. */
const LEAST_MOCKED = 0.5;

/**
 * Adds the default rule to a plan's entries if the plan may have one, and leaves out the entries that it replaces. Adds
 * entries for undeclared requests (those that no operation handles) to paths outside the default rule.
 */
export function withDefaultRule(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  context: RenderContext,
): readonly RouteEntry[] {
  if (plan.kind !== "api") return entries;
  const ownPrefix = ownPrefixOf(plan, context.neighbours);
  const mocked = ownPrefix && commonMockOf(entries);
  // A default rule for `/` takes all requests of the host, perhaps also those of HTTPRoutes that gw hasn't made. It is
  // made only if it replaces rules of mocked operations.
  const prefix = ownPrefix?.segments.length === 0 && mocked === undefined ? undefined : ownPrefix;
  const undeclared = undeclaredEntries(plan, entries, prefix, context);
  if (prefix === undefined) return [...entries, ...undeclared];

  const rule = { pattern: prefix, methods: [], access: { kind: "open" }, isDisabled: false } as const;
  if (mocked === undefined) {
    return [{ ...rule, content: undeclaredContent(context), isUndeclared: true }, ...entries, ...undeclared];
  }
  const [replaced, kept] = partition(entries, (entry) => isReplaced(entry, mocked));
  // A replaced entry keeps its rule if a remaining entry with lower precedence would otherwise take its requests.
  const shadowed = replaced.filter((entry) => kept.some((other) => takesFrom(other, entry)));
  return [{ ...rule, content: mocked.content }, ...kept, ...shadowed, ...undeclared];
}

/**
 * Returns a mocked entry with the most frequent content of all operations, which the default rule gets. `undefined` if
 * the default rule must not replace mocked operations.
 */
function commonMockOf(entries: readonly RouteEntry[]): RouteEntry | undefined {
  const operations = entries.filter(({ route }) => route?.operation !== undefined);
  const [disabled, others] = partition(operations, ({ isDisabled }) => isDisabled);
  const mocked = others.filter(({ content }) => content.isMocked);
  const [largest = []] = [...Map.groupBy(mocked, ({ content }) => content.key).values()]
    .sort((a, b) => b.length - a.length);
  // The default rule is open to all requests, so it must not lead to protected operations of the mocks.
  const isSafe = entries.every(({ content, access }) => !content.isMocked || access.kind === "open");
  // The default rule also replaces disabled operations, to which the mocks answer 404.
  const isEnough = largest.length + disabled.length >= operations.length * LEAST_MOCKED;
  return isSafe && isEnough ? largest[0] : undefined;
}

function isReplaced({ isDisabled, content }: RouteEntry, mocked: RouteEntry): boolean {
  return isDisabled || content.key === mocked.content.key;
}

/**
 * Returns the common prefix of a plan's operations. `undefined` if no rule can match it, or if requests below it may
 * belong to other plans.
 */
function ownPrefixOf(plan: RoutePlan, neighbours: readonly RoutePlan[]): PathPattern | undefined {
  if (!plan.routes.some(({ operation }) => operation !== undefined)) return undefined;
  const prefix = prefixPattern(prefixOf(plan));
  if (unreachableReason(prefix) !== undefined) return undefined;
  const { value } = matchOf(prefix);
  const isValid = value.length <= LONGEST_PATH && UNAMBIGUOUS.test(value);
  return isValid && isOwn(plan, prefix, neighbours) ? prefix : undefined;
}

function isOwn(plan: RoutePlan, prefix: PathPattern, neighbours: readonly RoutePlan[]): boolean {
  return neighbours.every(({ routes, hosts }) =>
    routes.every(({ path }) => {
      const pattern = patternOf(path);
      if (!overlaps(prefix, pattern)) return true;
      if (pattern.segments.length >= prefix.segments.length) return false;
      // A static route with a shorter prefix serves the paths of its hosts that no API declares, and a default rule on
      // one of its hosts would take them. A default rule on other hosts takes none of them: Envoy matches a request
      // only against the routes of its most specific host.
      return !pattern.isPrefix || !plan.hosts.some((host) => hosts.includes(host));
    })
  );
}

/**
 * Returns the common prefix of a plan's operations: `path.prefix`, or else the literal segments with which all paths
 * begin.
 */
export function prefixOf({ routes, hidden }: Pick<RoutePlan, "routes" | "hidden">): string {
  const operations = routes.filter(({ action }) => action.kind !== "definition");
  const paths = [...operations, ...hidden].map(({ path }) => path.kind === "template" ? path.template : path.prefix);
  const prefixes = new Set(operations.map(({ settings }) => settings.path?.prefix?.replace(/\/+$/, "") ?? ""));
  const [prefix = ""] = prefixes;
  const isCommon = prefixes.size === 1 && prefix !== "" && !/[{}]/.test(prefix) &&
    paths.every((path) => `${path}/`.startsWith(`${prefix}/`));
  return isCommon ? prefix : commonPrefixOf(paths);
}

/** Returns the literal segments with which all paths begin, as a path. */
function commonPrefixOf(paths: readonly string[]): string {
  let common: string[] | undefined;
  for (const path of paths) {
    const segments = path.slice(1).split("/");
    const template = segments.findIndex((segment) => segment.includes("{"));
    const literals = template === -1 ? segments : segments.slice(0, template);
    const known = common ?? literals;
    const end = known.findIndex((segment, index) => percentDecode(segment) !== percentDecode(literals[index] ?? ""));
    common = end === -1 ? known.slice(0, literals.length) : known.slice(0, end);
  }
  return `/${(common ?? []).join("/").replace(/\/+$/, "")}`;
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [passed: T[], failed: T[]] {
  const { passed = [], failed = [] } = Object.groupBy(items, (item) => test(item) ? "passed" : "failed");
  return [passed, failed];
}
