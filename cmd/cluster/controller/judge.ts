import type { checkDeployment } from "../../../lib/gateway/check_deployment.ts";
import { type FleetRef, planRoutes, planStaticRoute, type RoutePlan } from "../../../lib/gateway/route.ts";
import { parseStaticRoute } from "../../../lib/gateway/route.ts";
import { definitionOf, isApiObject, staticRouteDefinitionOf } from "../../../lib/cluster/convert.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { type Diagnostic, locateDiagnostics } from "../../../lib/openapi/diagnostic.ts";
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { messageOf } from "../../../lib/http/message.ts";

/** What comes of looking at a definition. */
export type Judgement =
  | { kind: "deployable"; plan: RoutePlan; warnings: readonly string[] }
  /** Why it can't be deployed, each error a sentence after its place. */
  | { kind: "refused"; errors: readonly string[] };

/** A plan that was made before its object was stored. */
export interface ExpectedPlan {
  readonly plan: RoutePlan;
  readonly warnings: readonly string[];
}

/** How a definition is looked at. */
export interface JudgeOptions {
  check: typeof checkDeployment;
  expected?: ExpectedPlan | undefined;
  /** What was warned of when just this state of the object was accepted: it needs no second look. */
  accepted?: readonly string[] | undefined;
}

/** As many errors, and as many warnings, are told of a definition. */
const MOST_TOLD = 10;

/** Reads the definition of an object, and plans it. */
export async function judge(
  object: ApiObject | StaticRouteObject,
  fleet: FleetRef,
  { check, expected, accepted }: JudgeOptions,
): Promise<Judgement> {
  try {
    const { namespace = "", name } = object.metadata;
    const text = isApiObject(object) ? await definitionOf(object) : await staticRouteDefinitionOf(object);
    if (expected !== undefined && isPlanOf(expected.plan, text, fleet)) return { kind: "deployable", ...expected };

    const kind = isApiObject(object) ? "api" : "static-route";
    const parse = kind === "api" ? parseDocument : parseStaticRoute;
    const document = await parse(text, { uri: `${namespace}/${name}` });
    const found = accepted === undefined ? await look(document, kind, check) : [];
    const errors = found.filter(({ severity }) => severity === "error");
    if (errors.length > 0) return { kind: "refused", errors: tell(errors) };
    const api = { namespace, name, fleet, document };
    const plan = kind === "api" ? planRoutes(api) : planStaticRoute(api);
    return { kind: "deployable", plan, warnings: accepted ?? tell(found) };
  } catch (error) {
    return { kind: "refused", errors: [messageOf(error)] };
  }
}

async function look(
  document: Document,
  kind: "api" | "static-route",
  check: typeof checkDeployment,
): Promise<Diagnostic[]> {
  return locateDiagnostics(await check(document, { kind, oauth2: true }));
}

function tell(diagnostics: readonly Diagnostic[]): string[] {
  const told = diagnostics.slice(0, MOST_TOLD).map(({ line, column, pointer, message }) =>
    `${line}:${column}: ${pointer === "" ? "" : `${pointer}: `}${message}`
  );
  const rest = diagnostics.length - told.length;
  return rest === 0 ? told : [...told, `There are ${rest} more.`];
}

function isPlanOf({ fleet, document }: RoutePlan, text: string, { namespace, name }: FleetRef): boolean {
  return fleet.namespace === namespace && fleet.name === name && document.written.source.text() === text;
}
