import { checkDeployment } from "../gateway/check_deployment.ts";
import { SHARED_SESSIONS } from "../gateway/login.ts";
import { claimLogins, findLoginConflict } from "../gateway/conflicts/login_conflict.ts";
import { parseStaticRoute, type PlannedApi, planRoutes, planStaticRoute } from "../gateway/plan_routes.ts";
import {
  findConflict,
  type PlannedRoute,
  qualifiedName,
  type RoutePlan,
  showRoutePath,
  upstreamsOf,
} from "../gateway/route.ts";
import { type Diagnostic, locateDiagnostics, type UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import { type Document, parseDocument } from "../openapi/document.ts";
import { VALIDATION_RULES } from "../openapi/rules.ts";
import { readLevel } from "../openapi/extension/extension.ts";
import type { UpstreamService } from "../openapi/extension/settings.ts";
import { child, isObject, type Node } from "../schema/json/node.ts";
import type { ContentError } from "./content.ts";
import type { Gateway, ManagementOptions } from "./options.ts";
import { keyOf, type ObjectName, type ResourceSummary, type UpstreamPort } from "../gateway/resource.ts";

/** A definition, with the place where it is to be deployed. */
export interface Deployment extends ObjectName {
  readonly kind: "api" | "staticroute";
  readonly fleet: ObjectName;
  readonly openapi: string;
}

/** The result of examining a definition. */
export type Examination =
  | {
    kind: "deployable";
    plan: RoutePlan;
    summary: ResourceSummary;
    /** The warnings, as `line:column: message` where they have a place. */
    warnings: readonly string[];
  }
  | { kind: "refused"; errors: readonly ContentError[] };

/** The options of the management API that {@linkcode examine} needs. */
export interface ExamineOptions extends Pick<ManagementOptions, "check"> {
  gateway: Pick<ManagementOptions["gateway"], "oauth2" | "refusalsOf">;
  services: Pick<ManagementOptions["services"], "resolves" | "advice">;
}

const DEFAULT_PORT = 80;
const NOTHING: ObjectName = { name: "", namespace: "" };

/** Checks a definition before its deployment. Returns its errors, or, if there are none, the plan of its routes. */
export async function examine(
  { kind, namespace, name, fleet, openapi }: Deployment,
  { gateway, services, check = checkDeployment }: ExamineOptions,
): Promise<Examination> {
  const parse = kind === "api" ? parseDocument : parseStaticRoute;
  const document = await parse(openapi, { uri: `${namespace}/${name}`, load: refuseToLoad });
  const planned = kind === "api" ? "api" : "static-route";
  const found = await check(document, { kind: planned, oauth2: gateway.oauth2 ?? false });
  const diagnostics = withoutRepeats(
    locateDiagnostics(found.map((diagnostic) => allowNumericVersion(diagnostic, document))),
  );
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { kind: "refused", errors: errors.map(errorOf) };

  const api: PlannedApi = { namespace, name, fleet, document };
  const plan = kind === "api" ? planRoutes(api) : planStaticRoute(api);
  const unsupported = locateDiagnostics(gateway.refusalsOf?.(plan) ?? []);
  if (unsupported.length > 0) return { kind: "refused", errors: withoutRepeats(unsupported).map(errorOf) };
  const upstreams = upstreamsIn(plan);
  const unresolved = upstreams
    .filter(({ namespace, name, port }) => services.resolves?.(namespace, name, port) === false)
    .map(({ namespace, name, port }) => `The upstream service ${namespace}/${name}:${port} is not known.`);
  const advice = unresolved.length === 0 ? [] : services.advice ?? [];
  const isOfText = ({ code }: Diagnostic): boolean => Object.hasOwn(VALIDATION_RULES, code);
  // The last ones may be left out, where `gw validate` shows all: so they must be those that it knows.
  const warnings = [
    ...shortened([...diagnostics.filter((diagnostic) => !isOfText(diagnostic)).map(warningOf), ...unresolved]),
    ...advice,
    ...diagnostics.filter(isOfText).map(warningOf),
  ];
  return { kind: "deployable", plan, summary: summaryWith(plan, upstreams), warnings };
}

function warningOf({ line, column, message }: Diagnostic): string {
  return `${line}:${column}: ${message}`;
}

/** The most warnings of a deployment that `gw validate` doesn't have. */
const MOST_OWN_WARNINGS = 15;

function shortened(warnings: readonly string[]): readonly string[] {
  const more = warnings.length - MOST_OWN_WARNINGS;
  return more <= 0 ? warnings : [...warnings.slice(0, MOST_OWN_WARNINGS), `There are ${more} more of the gateway.`];
}

/**
 * Refuses external references (`$ref` to other texts). Otherwise a client could make the server send requests to any
 * address.
 */
function refuseToLoad(): Promise<never> {
  return Promise.reject(new Error("a server loads no other texts; `gw deploy` sends them along, or bundle them"));
}

/** A conflict between two plans of a fleet: equal claims, or logins that collide. */
export interface FleetConflict {
  /** The conflicting route of the examined plan. */
  readonly route: PlannedRoute;
  /** The plan with which the examined plan conflicts. */
  readonly other: RoutePlan;
  /** The conflict as a sentence, with advice. */
  readonly message: string;
}

/** Lists the plans that the gateway serves now and that may conflict with a plan. */
export function rivalsOf(plan: RoutePlan, gateway: Pick<Gateway, "plansOf" | "rivalsOf">): readonly RoutePlan[] {
  return gateway.rivalsOf?.(plan) ?? gateway.plansOf(plan.fleet);
}

/** Finds the first conflict of a plan with other plans of its fleet. */
export function findFleetConflict(plan: RoutePlan, others: readonly RoutePlan[]): FleetConflict | undefined {
  const conflict = findConflict(plan, others);
  if (conflict !== undefined) {
    const { other, route } = conflict;
    const message = `${nameOfRoute(route)} is taken by the ${nameOfPlan(other)} on the fleet ` +
      `${qualifiedName(plan.fleet)}. Use another path, path.prefix, host or fleet.`;
    return { route, other, message };
  }
  const own = claimLogins(plan);
  for (const other of others) {
    const conflict = findLoginConflict(own, claimLogins(other));
    if (conflict === undefined) continue;
    const { route, kind } = conflict;
    const message = kind === "session"
      ? `Users of ${nameOfRoute(route)} log in as another client than those of the ${
        nameOfPlan(other)
      }. ${SHARED_SESSIONS}`
      : `A login of ${nameOfRoute(route)} leads through a path of the ${nameOfPlan(other)}, or the other way round. ` +
        "Use another `path.prefix`, or another `redirect_url` and `logout_path`.";
    return { route, other, message };
  }
  return undefined;
}

/** Returns the message of the first conflict of a plan with other plans of its fleet; `undefined` if there is none. */
export function conflictOf(plan: RoutePlan, others: readonly RoutePlan[]): string | undefined {
  return findFleetConflict(plan, others)?.message;
}

function nameOfRoute(route: PlannedRoute): string {
  return route.method === "*" ? showRoutePath(route) : `${route.method} ${showRoutePath(route)}`;
}

function nameOfPlan(plan: RoutePlan): string {
  return `${plan.kind === "api" ? "API" : "static route"} ${qualifiedName(plan)}`;
}

/**
 * Reduces the error that `info.version` is a number, such as 1.0 in YAML, to a warning. Lists of APIs show the number
 * as it is written.
 */
function allowNumericVersion(diagnostic: UnlocatedDiagnostic, { written }: Document): UnlocatedDiagnostic {
  const isNumber = typeof child(child(written, "info"), "version").value === "number";
  return diagnostic.pointer === "/info/version" && isNumber ? { ...diagnostic, severity: "warning" } : diagnostic;
}

/**
 * Removes repeated diagnostics. A definition in Swagger 2.0 has errors twice: they are found in its own text, and again
 * in its conversion to OpenAPI 3.
 */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const firsts = new Map(
    diagnostics.map((diagnostic) => [`${diagnostic.line}:${diagnostic.column}:${diagnostic.message}`, diagnostic]),
  );
  return [...firsts.values()];
}

function errorOf({ pointer, message, line, column }: Diagnostic): ContentError {
  return { pointer, detail: message, line, column, in: "openapi" };
}

/** Summarises a definition for lists of APIs. */
export function summaryOf(plan: RoutePlan): ResourceSummary {
  if (!isObject(plan.document.root.value)) return { version: "", service: NOTHING, analysisUrl: "", upstreams: [] };
  return summaryWith(plan, upstreamsIn(plan));
}

function summaryWith(plan: RoutePlan, upstreams: UpstreamPort[]): ResourceSummary {
  const { settings } = readLevel(plan.document, plan.document.root, "root");
  const service = upstreamsOf(settings).find(({ service }) => service !== undefined)?.service;
  return {
    version: versionOf(plan.document),
    service: service === undefined ? NOTHING : { name: service.name, namespace: service.namespace ?? plan.namespace },
    analysisUrl: settings.analysis?.url ?? "",
    upstreams,
  };
}

/** Returns `info.version`. A number such as 1.0 is returned as it is written in the YAML, not as `1`. */
function versionOf({ written }: Document): string {
  const version = child(child(written, "info"), "version");
  if (typeof version.value === "string") return version.value;
  return typeof version.value === "number" ? writtenScalar(version) : "";
}

function writtenScalar({ source, pointer, value }: Node): string {
  const [offset = 0] = source.locate([{ pointer }]);
  const [scalar = String(value)] = /^[-+.\w]+/.exec(source.text().slice(offset, offset + 100)) ?? [];
  return scalar;
}

/** Lists the Services to which a plan sends requests, once for each port, sorted by namespace, name and port. */
function upstreamsIn({ namespace, routes }: RoutePlan): UpstreamPort[] {
  const found = new Map<string, UpstreamPort>();
  for (const { action } of routes) {
    if (action.kind !== "upstream") continue;
    for (const { service } of action.upstreams) {
      if (service === undefined) continue;
      const upstream = upstreamPort(service, namespace);
      found.set(`${keyOf(upstream)}\0${String(upstream.port).padStart(5, "0")}`, upstream);
    }
  }
  return [...found].sort(([a], [b]) => a < b ? -1 : 1).map(([, upstream]) => upstream);
}

function upstreamPort({ name, namespace, port = DEFAULT_PORT }: UpstreamService, own: string): UpstreamPort {
  return { name, namespace: namespace ?? own, port };
}
