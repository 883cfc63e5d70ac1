/**
 * The default rule of an API: a prefix that leads to the mocks. Through it the mocks answer most operations of a mocked
 * API, and answer 404 or 405 to undeclared requests (those that no operation handles). If the prefix would match
 * requests of other plans, each declared path gets a rule for its undeclared requests instead (see
 * undeclared_rules.ts).
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
import { percentDecode } from "../../http/url.ts";

/** The default rule replaces the rules of mocked operations if at least this share of all operations is mocked. */
const LEAST_MOCKED = 0.5;

/**
 * Adds the default rule, if the plan may have one, and entries for the undeclared requests that it doesn't match. Leaves
 * out the entries that the default rule replaces.
 */
export function withDefaultRule(
  plan: RoutePlan,
  entries: readonly RouteEntry[],
  context: RenderContext,
): readonly RouteEntry[] {
  if (plan.kind !== "api") return entries;
  const ownPrefix = ownPrefixOf(plan, context.neighbours);
  const mocked = ownPrefix && commonMockOf(entries);
  // Without mocked operations to replace, an API makes no default rule for `/`: there may be HTTPRoutes of the same
  // host that gw doesn't know.
  const prefix = ownPrefix?.segments.length === 0 && mocked === undefined ? undefined : ownPrefix;
  const undeclared = undeclaredEntries(plan, entries, prefix, context);
  if (prefix === undefined) return [...entries, ...undeclared];

  const rule = { pattern: prefix, methods: [], access: { kind: "open" }, isDisabled: false } as const;
  if (mocked === undefined) {
    return [{ ...rule, content: undeclaredContent(context), isUndeclared: true }, ...entries, ...undeclared];
  }
  const [replaced, kept] = partition(entries, (entry) => isReplaced(entry, mocked));
  // Where a kept entry with lower precedence would take requests of a replaced one, the replaced entry still needs a
  // rule.
  const shadowed = replaced.filter((entry) => kept.some((other) => takesFrom(other, entry)));
  return [{ ...rule, content: mocked.content }, ...kept, ...shadowed, ...undeclared];
}

/** A mocked entry with the most frequent content of all operations; `undefined` if the default rule may not have it. */
function commonMockOf(entries: readonly RouteEntry[]): RouteEntry | undefined {
  const operations = entries.filter(({ route }) => route?.operation !== undefined);
  const [disabled, others] = partition(operations, ({ isDisabled }) => isDisabled);
  const mocked = others.filter(({ content }) => content.isMocked);
  const [largest = []] = [...Map.groupBy(mocked, ({ content }) => content.key).values()]
    .sort((a, b) => b.length - a.length);
  // The prefix is open, so it must not lead to protected operations of the mocks.
  const isSafe = entries.every(({ content, access }) => !content.isMocked || access.kind === "open");
  // The mocks answer 404 to disabled operations, so the default rule replaces these too.
  const isEnough = largest.length + disabled.length >= operations.length * LEAST_MOCKED;
  return isSafe && isEnough ? largest[0] : undefined;
}

function isReplaced({ isDisabled, content }: RouteEntry, mocked: RouteEntry): boolean {
  return isDisabled || content.key === mocked.content.key;
}

/**
 * The prefix of all operations of a plan; `undefined` if no rule can match it, or if requests below it may belong to
 * other plans.
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
      // A static route with a shorter prefix gets the requests of its hosts to paths that no API declares: a default
      // rule of the same host would take these. A default rule of another host takes none, because Envoy has separate
      // routes for each host, and doesn't fall back to those of another one.
      return !pattern.isPrefix || !plan.hosts.some((host) => hosts.includes(host));
    })
  );
}

/** The prefix of a plan's operations: their `path.prefix`, else the literal segments that all their paths begin with. */
export function prefixOf({ routes, hidden }: Pick<RoutePlan, "routes" | "hidden">): string {
  const operations = routes.filter(({ action }) => action.kind !== "definition");
  const paths = [...operations, ...hidden].map(({ path }) => path.kind === "template" ? path.template : path.prefix);
  const prefixes = new Set(operations.map(({ settings }) => settings.path?.prefix?.replace(/\/+$/, "") ?? ""));
  const [prefix = ""] = prefixes;
  const isCommon = prefixes.size === 1 && prefix !== "" && !/[{}]/.test(prefix) &&
    paths.every((path) => `${path}/`.startsWith(`${prefix}/`));
  return isCommon ? prefix : commonPrefixOf(paths);
}

/** The literal segments that all paths begin with. */
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
