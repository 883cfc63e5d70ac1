import { describeResources } from "../../lib/mock/infer/describe_resources.ts";
import { inferResources } from "../../lib/mock/infer/infer_resources.ts";
import { operationRoutes, type RouteOptions } from "../../lib/mock/operation/mock_route.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { nameOf, type Operation } from "../../lib/openapi/operation.ts";
import type { Log } from "../io/terminal/log.ts";

/** Logs the resources to which stateful operations are bound, and why the others aren't. */
export function announceResources(documents: readonly Document[], options: RouteOptions, log: Log): void {
  const routes = documents.flatMap((document) => operationRoutes(document, options)).filter((route) =>
    route.isStateful
  );
  if (routes.length === 0) return;
  const inferred = inferResources(documents);
  const names = new Set(routes.map(({ operation }) => nameOf(operation)));
  const isStateful = (operation: Operation): boolean => names.has(nameOf(operation));
  const stateful = new Set(routes.map(({ operation }) => inferred.bindingOf(operation)));
  const all = inferred.all
    .map((resource) => ({ ...resource, bindings: resource.bindings.filter((binding) => stateful.has(binding)) }))
    .filter(({ bindings }) => bindings.length > 0);
  for (const { name, operations } of describeResources({ ...inferred, all })) {
    log.note(`  resource ${name}`, { resource: name });
    for (const { kind, method, path, rule } of operations) {
      log.note(`    ${kind} by ${method} ${path} (${rule})`, { resource: name, kind, method, path, rule });
    }
  }
  const unbound = inferred.unbound.filter(({ operation }) => isStateful(operation));
  if (unbound.length === 0) return;
  log.note("  no resource", {});
  for (const { operation: { method, path }, reason } of unbound) {
    log.note(`    ${method} ${path}: ${reason}`, { method, path, reason });
  }
}
