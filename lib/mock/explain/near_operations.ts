/**
 * The operations near to a request that fits none, and what keeps the request from each.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import { percentDecode } from "../../http/url/url.ts";
import { namesOf } from "../../openapi/operation.ts";
import { type ConditionedRequest, showCondition, templateOf } from "../../openapi/path_condition.ts";
import { writeJson } from "../../schema/json/json.ts";
import { nearestPaths } from "../answer/problems.ts";
import type { MockRoute, OperationRoute } from "../operation/mock_route.ts";
import { fitsSegment, type Match, type Router } from "../route/router.ts";
import { listUnmet } from "../route/unmet_conditions.ts";
import type { NearOperation } from "./explanation.ts";
import type { Places } from "./places.ts";

/** Limit of the operations that are listed. */
const MOST_NEAR = 5;

/** Limit of the segments of a path that are compared. */
const MOST_SEGMENTS = 64;

/** Limit of the base paths below which a template is compared. */
const MOST_BASE_PATHS = 8;

/** Limit of the comparisons with a template below a base path. Operations beyond it are left out. */
const MOST_COMPARED = 20_000;

/** The operations of a server, and how it matches requests with them. */
export interface RoutedServer {
  readonly operations: readonly OperationRoute[];
  readonly router: Router<MockRoute>;
  /** The base paths below which a route matches, besides its path alone. */
  readonly basePathsOf: (route: OperationRoute) => readonly string[];
}

/** A request that fits no operation. */
interface UnmatchedRequest extends ConditionedRequest {
  readonly method: string;
  /** The path without query. */
  readonly path: string;
}

type Obstacle = Pick<NearOperation, "obstacle" | "reason" | "segment">;

/** Lists the operations near to a request that fits none, the nearest first. */
export function nearOperations(
  server: RoutedServer,
  request: UnmatchedRequest,
  match: Exclude<Match<MockRoute>, { kind: "found" }>,
  places: Places,
): NearOperation[] {
  const show = ({ operation }: OperationRoute, { segment, ...obstacle }: Obstacle): NearOperation => ({
    ...namesOf(operation),
    ...obstacle,
    ...segment === undefined ? {} : { segment },
    at: places.of(operation.node),
  });
  if (match.kind === "method-not-allowed") {
    return match.allowed.flatMap((method) => {
      const other = server.router.match(method, request.path, request);
      return other.kind === "found" && other.route.operation !== undefined
        ? [show(other.route, methodObstacle(other.route, request))]
        : [];
    });
  }
  if (match.unmet !== undefined) {
    const ofMethod = match.unmet.filter(({ method }) => method === request.method);
    const routes = ofMethod.length > 0 ? ofMethod : match.unmet;
    return listUnmet(request, routes).flatMap(({ route, conditions }) => {
      const own = routes.find((one) => one === route);
      const wanted = conditions.map(showCondition).join(" and ");
      return own?.operation === undefined
        ? []
        : [show(own, { obstacle: "condition", reason: `The path fits; the request lacks ${wanted}.` })];
    }).slice(0, MOST_NEAR);
  }
  return nearPaths(server, request).map(({ route, obstacle }) => show(route, obstacle));
}

function methodObstacle({ method, path, action }: OperationRoute, request: UnmatchedRequest): Obstacle {
  return action.kind === "disabled"
    ? { obstacle: "disabled", reason: `${method} ${path} is disabled by x-svc.disabled.` }
    : { obstacle: "method", reason: `The path fits; the method is ${request.method}, not ${method}.` };
}

interface Near {
  readonly route: OperationRoute;
  readonly obstacle: Obstacle;
  /** The lower, the nearer. */
  readonly distance: number;
}

/** The operations whose paths are nearest, one for each path: that with the request's method, else the first. */
function nearPaths({ operations, basePathsOf }: RoutedServer, { method, path }: UnmatchedRequest): Near[] {
  const segments = path.split("/", MOST_SEGMENTS + 1).slice(1);
  // The paths that the answer names come first.
  const named = nearestPaths(path, operations);
  const near = new Map<string, Near>();
  let compared = 0;
  for (const route of operations) {
    if (compared > MOST_COMPARED) break;
    const known = near.get(route.path);
    if (known !== undefined && (known.route.method === method || route.method !== method)) continue;
    const basePaths = known === undefined ? basePathsOf(route).slice(0, MOST_BASE_PATHS) : [];
    compared += 1 + basePaths.length;
    const found = known ?? nearest(route, basePaths, segments);
    const rank = named.indexOf(route.path);
    if (found === undefined) continue;
    near.set(route.path, { ...found, route, distance: rank === -1 ? found.distance : rank - named.length });
  }
  return [...near.values()].sort((a, b) => a.distance - b.distance).slice(0, MOST_NEAR);
}

/** The obstacle between a path and a route, below the base path that is nearest; `undefined` if the route isn't near. */
function nearest(route: OperationRoute, basePaths: readonly string[], segments: readonly string[]): Near | undefined {
  const template = templateOf(route.path);
  const below = belowOtherBase(route, template, basePaths, segments);
  if (below !== undefined) return below;
  let best: Near | undefined;
  for (const basePath of ["", ...basePaths]) {
    const compared = compare(segments, (basePath + template).split("/").slice(1), route);
    if (compared !== undefined && compared.distance < (best?.distance ?? Infinity)) best = { route, ...compared };
  }
  return best;
}

/** The obstacle of a path that ends with the template, after a base path that no server has. */
function belowOtherBase(
  route: OperationRoute,
  template: string,
  basePaths: readonly string[],
  segments: readonly string[],
): Near | undefined {
  const wanted = template.split("/").slice(1);
  const before = segments.length - wanted.length;
  const hasLiteral = wanted.some((segment) => segment !== "" && !segment.includes("{"));
  if (before <= 0 || !hasLiteral) return undefined;
  if (!wanted.every((segment, index) => fitsSegment(segment, segments[before + index] ?? ""))) return undefined;
  const written = `/${segments.slice(0, before).join("/")}`;
  const has = basePaths.length === 0 ? "have no base path" : `have ${basePaths.join(", ")}`;
  const reason = `The path ends as ${template}, but begins with ${written}: the definition's servers ${has}. ` +
    `\`servers: [{url: ${written}}]\` in the definition adds it.`;
  return { route, obstacle: { obstacle: "server", reason }, distance: before / 10 };
}

/** Compares the segments of a path with those of a template. `undefined` if they have nothing in common. */
function compare(
  segments: readonly string[],
  wanted: readonly string[],
  { path }: OperationRoute,
): Pick<Near, "obstacle" | "distance"> | undefined {
  let first: number | undefined;
  let distance = Math.abs(segments.length - wanted.length);
  let inCommon = 0;
  for (let index = 0; index < Math.min(segments.length, wanted.length); index++) {
    const [segment = "", literal = ""] = [segments[index], wanted[index]];
    if (fitsSegment(literal, segment)) {
      if (!literal.includes("{") && literal !== "") inCommon++;
      continue;
    }
    first ??= index;
    const isAlike = !literal.includes("{") && suggest(percentDecode(segment), [literal]).length > 0;
    if (isAlike) inCommon++;
    distance += isAlike ? 0.5 : 1;
  }
  if (inCommon === 0) return undefined;
  return { distance, obstacle: first === undefined ? lengthObstacle(segments, wanted, path) : segmentObstacle(first) };

  function segmentObstacle(index: number): Obstacle {
    const [segment = "", literal = ""] = [segments[index], wanted[index]];
    const at = { obstacle: "segment", segment: index + 1 } as const;
    if (literal.includes("{") && segment === "") {
      return {
        ...at,
        reason: `Segment ${index + 1} of the path is empty; ${path} has the parameter ${literal} there.`,
      };
    }
    const isCase = segment.toLowerCase() === literal.toLowerCase();
    return {
      ...at,
      reason: `Segment ${index + 1} of the path is ${writeJson(segment)}; ${path} has ${writeJson(literal)} there.` +
        (isCase ? " Upper and lower case differ." : ""),
    };
  }
}

function lengthObstacle(segments: readonly string[], wanted: readonly string[], path: string): Obstacle {
  const obstacle = "length" as const;
  if (segments.length === wanted.length + 1 && segments.at(-1) === "") {
    return { obstacle, reason: `The path ends with a slash, and ${path} doesn't.` };
  }
  if (wanted.length === segments.length + 1 && wanted.at(-1) === "") {
    return { obstacle, reason: `${path} ends with a slash, and the path doesn't.` };
  }
  const counted = segments.length === 1 ? "1 segment" : `${segments.length} segments`;
  return { obstacle, reason: `The path has ${counted}; ${path} has ${wanted.length}.` };
}
