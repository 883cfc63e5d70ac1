/**
 * Guard rules: they take the requests whose path an upstream may read as another path, before an open template or prefix
 * takes them. The embedded gateway refuses the same paths (see lib/http/url/normal_path.ts). The backend of guard rules is
 * the mocks, which answer 400 to unsafe paths, and 404 to others.
 *
 * - One guard of a plan is for unsafe paths below its prefix: `/files/..%2Fadmin`.
 * - A protected or disabled path has a guard for its other readings, if a template or prefix with other authentication
 *   could take one of them: `/users/admin%2F` and `/users/admin;x` beside `/users/{id}`.
 *
 * The readings of a path all have an encoded slash or a parameter where the path has none, and are otherwise as the path.
 * Each expression of a guard is for the readings that first differ at one place.
 *
 * @module
 */
import { RE2JS } from "re2js";
import { UNSAFE } from "../../http/url/normal_path.ts";
import { sortedJson } from "../../gateway/hash.ts";
import { isStricter, type PlannedRoute } from "../../gateway/route.ts";
import { prefixOf } from "./default_rule.ts";
import { expressionOf, LONGEST_PATH, padded, type PathMatch, pathOf, STEP } from "./path_match.ts";
import { orderedMatchOf, type PathOrder } from "./path_order.ts";
import {
  isConcrete,
  type PathPattern,
  patternOf,
  type PatternSegment,
  prefixPattern,
  withoutFinalSlash,
} from "./path_pattern.ts";
import type { RenderContext } from "./rendering.ts";
import { matchedMethods, type RouteEntry, shareMethod } from "./route_entry.ts";
import { undeclaredContent } from "./rule.ts";

/** A route to an upstream by a template or prefix, with its pattern. */
interface OpenRoute {
  readonly route: PlannedRoute;
  readonly pattern: PathPattern;
  /** The length of its path match. */
  readonly length: number;
}

/** Makes the entries of a plan's guard rules. Their matches take precedence over the templates that they guard. */
export function guardEntries(context: RenderContext, order: PathOrder): RouteEntry[] {
  const { plan, neighbours, profile } = context;
  // The order of regular expressions isn't specified in the portable profile.
  if (profile === "portable") return [];
  const own = openRoutesOf(plan.routes, order);
  const content = undeclaredContent(context);
  const guardOf = (pattern: PathPattern, guards: readonly PathMatch[]): RouteEntry => ({
    pattern,
    methods: [],
    guards,
    content,
    access: { kind: "open" },
    isDisabled: false,
    isUndeclared: true,
  });
  const unsafe = own.length === 0 ? [] : [unsafeGuard(prefixPattern(prefixOf(plan)), own)];
  const others = openRoutesOf(neighbours.flatMap(({ routes }) => routes), order);
  const open = distinctRoutes([...own, ...others]);
  const literal = [plan, ...neighbours].flatMap(({ routes }) => routes).map(({ path }) => patternOf(path))
    .filter(hasDivisiveText).map(samplePath);
  const stricter = [...plan.routes, ...plan.hidden].filter(({ action, settings: { auth } }) =>
    action.kind === "disabled" || auth !== undefined
  ).map((route) => ({ route, pattern: withoutFinalSlash(patternOf(route.path)) }));
  const readings = [...Map.groupBy(stricter, ({ pattern }) => pattern.shape).values()].flatMap(
    (paths): RouteEntry[] => {
      const takers = paths.flatMap(({ route, pattern }) => takersOf(route, pattern, open));
      const [first] = paths;
      if (takers.length === 0 || first === undefined) return [];
      const guards = readingGuards(first.pattern).map((guard) => before(guard, takers));
      // A definition with such a path means it as written.
      const isDeclared = literal.some((path) => guards.some(({ value }) => RE2JS.matches(value, path)));
      return isDeclared || guards.length === 0 ? [] : [guardOf(first.pattern, guards)];
    },
  );
  return [...unsafe.map(({ pattern, guard }) => guardOf(pattern, [guard])), ...readings];
}

/** Returns the routes to upstreams that match more than one path. */
function openRoutesOf(routes: readonly PlannedRoute[], order: PathOrder): OpenRoute[] {
  return routes.filter(({ action }) => action.kind === "upstream" && action.upstreams.length > 0)
    .map((route) => ({ route, pattern: patternOf(route.path) }))
    .filter(({ pattern }) => pattern.isPrefix || !isConcrete(pattern))
    .map((open) => ({ ...open, length: orderedMatchOf(open.pattern, order).value.length }));
}

/** Removes routes with repeated path, method and authentication. */
function distinctRoutes(routes: readonly OpenRoute[]): OpenRoute[] {
  const keyOf = ({ route: { method, settings: { auth } }, pattern: { shape } }: OpenRoute): string =>
    `${method} ${shape} ${auth === undefined ? "" : sortedJson(auth)}`;
  return [...new Map(routes.map((route) => [keyOf(route), route])).values()];
}

/** Lists the open routes that could take a reading of a stricter route's path. */
function takersOf(route: PlannedRoute, pattern: PathPattern, open: readonly OpenRoute[]): OpenRoute[] {
  const methods = matchedMethods(route.method);
  return open.filter((other) =>
    canTake(other.pattern, pattern, 0, 0) && shareMethod(methods, matchedMethods(other.route.method)) &&
    isStricter(route, other.route)
  );
}

/**
 * Tells whether an open pattern may match a reading of a path: each of its templates stands for any number of segments
 * of the path, joined by encoded slashes.
 */
function canTake(open: PathPattern, path: PathPattern, at: number, next: number): boolean {
  const segment = open.segments[at];
  if (segment === undefined) return open.isPrefix || next >= path.segments.length;
  if (next === path.segments.length) return path.isPrefix || segment.kind !== "literal" || segment.text === "";
  if (segment.kind === "literal") {
    const other = path.segments[next];
    return (other?.kind !== "literal" || other.text === segment.text) && canTake(open, path, at + 1, next + 1);
  }
  for (let end = next; end <= path.segments.length; end++) if (canTake(open, path, at + 1, end)) return true;
  return false;
}

function unsafeGuard(
  prefix: PathPattern,
  open: readonly OpenRoute[],
): { pattern: PathPattern; guard: PathMatch } {
  const start = prefix.segments.map((segment) => `/${expressionOf(segment)}`).join("");
  const guard: PathMatch = { type: "RegularExpression", value: `^${start}.*(?:${UNSAFE}).*$` };
  return { pattern: prefix, guard: before(guard, open) };
}

/** Pads a guard, so that it takes precedence over the matches of open routes. */
function before(guard: PathMatch, open: readonly OpenRoute[]): PathMatch {
  const longest = open.reduce((longest, { length }) => Math.max(longest, length), 0);
  const steps = Math.min(
    Math.ceil((longest + 1 - guard.value.length) / STEP),
    Math.floor((LONGEST_PATH - guard.value.length) / STEP),
  );
  return steps > 0 ? padded(guard, steps) : guard;
}

const SLASH = "%(?:2[Ff]|5[Cc])";
const PARAMETERS = "(?:;|%3[Bb])[^/]*";
const EITHER_SLASH = `(?:/|${SLASH})`;
const ANY = `(?:/|${SLASH}|${PARAMETERS})*`;

/**
 * Makes expressions for the readings of a path, as few as the length of an expression allows. No expression matches the
 * path itself.
 */
function readingGuards({ segments, isPrefix }: PathPattern): PathMatch[] {
  const texts = segments.map(expressionOf);
  const restFrom = (index: number): string => {
    const rest = texts.slice(index).map((text) => `${ANY}${EITHER_SLASH}${text}`).join("");
    return rest + (isPrefix ? `(?:(?:/|${SLASH}|;|%3[Bb]).*)?` : ANY);
  };
  const expressions: string[] = [];
  for (const [index, text] of texts.entries()) {
    const start = texts.slice(0, index).map((text) => `/${text}`).join("");
    const difference = differenceBetween(segments[index - 1], segments[index]);
    const whole = start + difference + text + restFrom(index + 1);
    // A shorter expression for more paths: whatever follows the difference and the next segment.
    expressions.push(whole.length + 2 > LONGEST_PATH ? `${start}${difference}${text}.*` : whole);
  }
  const last = segments.at(-1);
  if (last?.kind === "literal") {
    const start = texts.map((text) => `/${text}`).join("");
    expressions.push(start + (isPrefix ? `(?:${SLASH}|;|%3[Bb]).*` : `/?(?:${SLASH}|${PARAMETERS})${ANY}`));
  }
  return joined(expressions.filter((expression) => expression.length + 2 <= LONGEST_PATH))
    .map((value) => ({ type: "RegularExpression", value }));
}

/**
 * Returns an expression for what stands between two segments in a reading in place of `/`. A template takes parameters
 * at its end, and encoded slashes at its start, as its own text.
 */
function differenceBetween(before: PatternSegment | undefined, after: PatternSegment | undefined): string {
  const forms = [
    after?.kind === "literal" ? `/?${SLASH}` : SLASH,
    `${before?.kind === "literal" ? "/?" : "/"}${PARAMETERS}${EITHER_SLASH}`,
  ];
  return `(?:${forms.join("|")})(?:${ANY}${EITHER_SLASH})?`;
}

/** Joins expressions as alternatives, as many as the length of a path match allows. */
function joined(expressions: readonly string[]): string[] {
  const groups: string[][] = [];
  let length = Infinity;
  for (const expression of expressions) {
    length += expression.length + 1;
    if (length > LONGEST_PATH - "^(?:)$".length) {
      groups.push([]);
      length = expression.length;
    }
    groups.at(-1)?.push(expression);
  }
  return groups.map((group) => group.length === 1 ? `^${group[0]}$` : `^(?:${group.join("|")})$`);
}

function hasDivisiveText({ segments }: PathPattern): boolean {
  return segments.some((segment) =>
    segment.kind === "literal"
      ? /[/\\;]/.test(segment.text)
      : segment.kind === "mixed" && /[/\\;]/.test(segment.texts.join())
  );
}

/** Returns a path that a pattern matches. */
function samplePath({ segments, isPrefix, shape }: PathPattern): string {
  const literals = segments.map((segment): PatternSegment =>
    segment.kind === "literal"
      ? segment
      : { kind: "literal", text: segment.kind === "any" ? "x" : segment.texts.join("x") }
  );
  return pathOf({ segments: literals, isPrefix, shape });
}
