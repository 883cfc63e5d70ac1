/**
 * Checks definitions before they are rendered: reports what would refuse their deployment, with file and line.
 *
 * @module
 */
import type { Rendering } from "../../lib/cluster/translate/render.ts";
import type { FleetRef, RoutePlan } from "../../lib/gateway/route.ts";
import { examine, findFleetConflict } from "../../lib/management/deployment.ts";
import type { Gateway } from "../../lib/management/options.ts";
import { atKey, error } from "../../lib/openapi/lint/report.ts";
import { type Diagnostic, locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import type { UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import { type Definition, definitionText } from "../io/files/definition.ts";

/** The plan of a definition, or the errors because of which it has none. */
export interface Planned {
  readonly definition: Definition;
  readonly plan: RoutePlan | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The warnings, each with its line and column in front. */
  readonly warnings: readonly string[];
}

/** A gateway without deployments. Its `apply` does nothing. */
const EMPTY_GATEWAY: Gateway = { plansOf: () => [], apply: () => Promise.resolve(), oauth2: true };

/**
 * Plans and checks a definition as the management API does. Like there, texts that the definition refers to aren't
 * loaded.
 */
export async function planDefinition(
  definition: Definition,
  { namespace, name, fleet: { namespace: home, name: fleetName } }: {
    namespace: string;
    name: string;
    fleet: FleetRef;
  },
): Promise<Planned> {
  const { document: { uri, root } } = definition;
  const openapi = definitionText(definition);
  const examined = await examine(
    { kind: "api", namespace, name, fleet: { namespace: home, name: fleetName }, openapi },
    { gateway: EMPTY_GATEWAY, services: {} },
  );
  if (examined.kind === "deployable") {
    const { plan, warnings } = examined;
    return { definition, plan, diagnostics: [], warnings };
  }
  const diagnostics = examined.errors.map(({ pointer, detail, line, column }): Diagnostic => ({
    severity: "error",
    code: "deployment-error",
    message: detail,
    uri,
    pointer,
    line,
    column,
  }));
  const isOverlaid = root.source.originOf !== undefined;
  return {
    definition,
    plan: undefined,
    diagnostics: isOverlaid
      ? diagnostics.flatMap((one) => locateDiagnostics([{ ...one, source: root.source }]))
      : diagnostics,
    warnings: [],
  };
}

/** The errors of definitions that claim the same host, method and path. */
export function conflictDiagnostics(planned: readonly Planned[]): Diagnostic[] {
  return planned.flatMap(({ definition, plan }, index) => {
    if (plan === undefined) return [];
    const earlier = planned.slice(0, index).flatMap(({ plan }) => plan ?? []);
    const conflict = findFleetConflict(plan, earlier);
    if (conflict === undefined) return [];
    const { message, route: { operation, origins } } = conflict;
    const node = operation?.node ?? origins.public_api_path ?? plan.document.root;
    return inFile(
      [atKey(error("conflict", message, node))],
      definition,
    );
  });
}

/** The errors of settings that the gateway of a cluster doesn't support. */
export function refusalDiagnostics(planned: readonly Planned[], renderings: readonly Rendering[]): Diagnostic[] {
  return planned.filter(({ plan }) => plan !== undefined).flatMap(({ definition }, index) =>
    inFile(renderings[index]?.diagnostics ?? [], definition)
  );
}

/** Adds the name of the definition's file to diagnostics: a plan is made from the text alone. */
function inFile(diagnostics: readonly UnlocatedDiagnostic[], { document: { uri, root } }: Definition): Diagnostic[] {
  if (root.source.originOf !== undefined) {
    return locateDiagnostics(diagnostics.map((diagnostic) => ({ ...diagnostic, source: root.source })));
  }
  return locateDiagnostics(diagnostics).map((diagnostic) => ({ ...diagnostic, uri }));
}
