import { checkDeployment } from "../gateway/check_deployment.ts";
import { SAME_SESSIONS } from "../gateway/login.ts";
import { claimLogins, findLoginConflict } from "../gateway/conflicts/login_conflict.ts";
import {
  type Api,
  findConflict,
  type PlannedRoute,
  planRoutes,
  planStaticRoute,
  qualifiedName,
  type RoutePlan,
  showPath,
  upstreamsOf,
} from "../gateway/route.ts";
import { parseStaticRoute } from "../gateway/static_route.ts";
import { type Diagnostic, locateDiagnostics } from "../openapi/diagnostic.ts";
import { type Document, parseDocument } from "../openapi/document.ts";
import { readLevel } from "../openapi/extension/extension.ts";
import type { UpstreamService } from "../openapi/extension/settings.ts";
import { child, isObject, type Node } from "../schema/node.ts";
import type { UnlocatedDiagnostic } from "../openapi/diagnostic.ts";
import type { ContentError } from "./content.ts";
import type { ManagementOptions } from "./options.ts";
import { keyOf, type ObjectName, type Summary, type UpstreamPort } from "../gateway/resource.ts";

/** A definition that is to be deployed. */
export interface Deployment extends ObjectName {
  readonly kind: "api" | "staticroute";
  readonly fleet: ObjectName;
  readonly openapi: string;
}

/** What came of looking at a definition. */
export type Examination =
  | {
    kind: "deployable";
    plan: RoutePlan;
    summary: Summary;
    /** The warnings, each after its line and column. */
    warnings: readonly string[];
  }
  | { kind: "refused"; errors: readonly ContentError[] };

/** What a definition is looked at with. */
export interface ExamineOptions extends Pick<ManagementOptions, "check"> {
  gateway: Pick<ManagementOptions["gateway"], "oauth2" | "refusalsOf">;
  services: Pick<ManagementOptions["services"], "resolves">;
}

const DEFAULT_PORT = 80;
const NOTHING: ObjectName = { name: "", namespace: "" };

/** Reads a definition, and finds why it can't be deployed, or what a gateway does for it. */
export async function examine(
  { kind, namespace, name, fleet, openapi }: Deployment,
  { gateway, services, check = checkDeployment }: ExamineOptions,
): Promise<Examination> {
  const parse = kind === "api" ? parseDocument : parseStaticRoute;
  const document = await parse(openapi, { uri: `${namespace}/${name}`, load: refuseToLoad });
  const planned = kind === "api" ? "api" : "static-route";
  const found = await check(document, { kind: planned, oauth2: gateway.oauth2 ?? false });
  const diagnostics = withoutRepeats(locateDiagnostics(found.map((diagnostic) => lenient(diagnostic, document))));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length > 0) return { kind: "refused", errors: errors.map(errorOf) };

  const api: Api = { namespace, name, fleet, document };
  const plan = kind === "api" ? planRoutes(api) : planStaticRoute(api);
  const refusals = locateDiagnostics(gateway.refusalsOf?.(plan) ?? []);
  if (refusals.length > 0) return { kind: "refused", errors: withoutRepeats(refusals).map(errorOf) };
  const upstreams = upstreamsIn(plan);
  const unresolved = upstreams
    .filter(({ namespace, name, port }) => services.resolves?.(namespace, name, port) === false)
    .map(({ namespace, name, port }) => `The upstream service ${namespace}/${name}:${port} is not known.`);
  const warnings = diagnostics.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  return { kind: "deployable", plan, summary: summaryOf(plan, upstreams), warnings: [...warnings, ...unresolved] };
}

/**
 * Reads again what lists show of a definition that was deployed: what {@linkcode examine} gave as its `summary`. Of a text
 * that isn't a definition it says nothing.
 */
export async function summarize({ kind, namespace, name, fleet, openapi }: Deployment): Promise<Summary> {
  const parse = kind === "api" ? parseDocument : parseStaticRoute;
  const document = await parse(openapi, { uri: `${namespace}/${name}` });
  if (!isObject(document.root.value)) return { version: "", service: NOTHING, analysisUrl: "", upstreams: [] };
  const api: Api = { namespace, name, fleet, document };
  const plan = kind === "api" ? planRoutes(api) : planStaticRoute(api);
  return summaryOf(plan, upstreamsIn(plan));
}

/** A server fetches nothing that somebody else's text names. */
function refuseToLoad(): Promise<never> {
  return Promise.reject(new Error("a server loads no other texts; `gw deploy` sends them along, or bundle them"));
}

/** What stands in the way of a plan on its fleet. */
export interface Obstruction {
  /** The route of the plan that it concerns. */
  readonly route: PlannedRoute;
  /** A sentence. */
  readonly message: string;
}

/** Finds what stands in the way of a plan among the other plans of its fleet. */
export function findObstruction(plan: RoutePlan, others: readonly RoutePlan[]): Obstruction | undefined {
  const conflict = findConflict(plan, others);
  if (conflict !== undefined) {
    const { other, route } = conflict;
    const message = `${nameOfRoute(route)} is taken by the ${nameOfPlan(other)} on the fleet ` +
      `${qualifiedName(plan.fleet)}. Use another path, path.prefix, host or fleet.`;
    return { route, message };
  }
  const own = claimLogins(plan);
  for (const other of others) {
    const conflict = findLoginConflict(own, claimLogins(other));
    if (conflict === undefined) continue;
    const { route, kind } = conflict;
    const message = kind === "session"
      ? `Users of ${nameOfRoute(route)} log in as another client than those of the ${
        nameOfPlan(other)
      }. ${SAME_SESSIONS}`
      : `A login of ${nameOfRoute(route)} leads through a path of the ${nameOfPlan(other)}, or the other way round. ` +
        "Use another `path.prefix`, or another `redirect_url` and `logout_path`.";
    return { route, message };
  }
  return undefined;
}

/** What stands in the way of a plan on its fleet, as a sentence. */
export function conflictOf(plan: RoutePlan, others: readonly RoutePlan[]): string | undefined {
  return findObstruction(plan, others)?.message;
}

function nameOfRoute({ method, path }: PlannedRoute): string {
  return method === "*" ? showPath(path) : `${method} ${showPath(path)}`;
}

function nameOfPlan(plan: RoutePlan): string {
  return `${plan.kind === "api" ? "API" : "static route"} ${qualifiedName(plan)}`;
}

/** A version that YAML takes for a number, such as 1.0, is shown as it is written, so that it needs no refusal. */
function lenient(diagnostic: UnlocatedDiagnostic, { written }: Document): UnlocatedDiagnostic {
  const isNumber = typeof child(child(written, "info"), "version").value === "number";
  return diagnostic.pointer === "/info/version" && isNumber ? { ...diagnostic, severity: "warning" } : diagnostic;
}

/** A Swagger 2.0 definition has diagnostics in the text as written and, repeated, in its conversion. */
function withoutRepeats(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const firsts = new Map(
    diagnostics.map((diagnostic) => [`${diagnostic.line}:${diagnostic.column}:${diagnostic.message}`, diagnostic]),
  );
  return [...firsts.values()];
}

function errorOf({ pointer, message, line, column }: Diagnostic): ContentError {
  return { pointer, detail: message, line, column, in: "openapi" };
}

function summaryOf(plan: RoutePlan, upstreams: UpstreamPort[]): Summary {
  const { settings } = readLevel(plan.document.root, "root");
  const service = upstreamsOf(settings).find(({ service }) => service !== undefined)?.service;
  return {
    version: versionOf(plan.document),
    service: service === undefined ? NOTHING : { name: service.name, namespace: service.namespace ?? plan.namespace },
    analysisUrl: settings.analysis?.url ?? "",
    upstreams,
  };
}

/** `info.version`; a number of YAML, such as 1.0, as it is written. */
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

/** The services that a plan sends requests to, each port once, in the order of namespace, name and port. */
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
