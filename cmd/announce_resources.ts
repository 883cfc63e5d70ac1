import { describeResources } from "../lib/mock/infer/describe_resources.ts";
import { inferResources } from "../lib/mock/infer/infer_resources.ts";
import { operationRoutes, type RouteOptions } from "../lib/mock/mock_route.ts";
import type { Document } from "../lib/openapi/document.ts";
import type { Log } from "./io/log.ts";

/** Logs the resources to which stateful operations are bound. */
export function announceResources(documents: readonly Document[], options: RouteOptions, log: Log): void {
  const routes = documents.flatMap((document) => operationRoutes(document, options)).filter((route) =>
    route.isStateful
  );
  if (routes.length === 0) return;
  const inferred = inferResources(documents);
  const stateful = new Set(routes.map(({ operation }) => inferred.bindingOf(operation)));
  const all = inferred.all
    .map((resource) => ({ ...resource, bindings: resource.bindings.filter((binding) => stateful.has(binding)) }))
    .filter(({ bindings }) => bindings.length > 0);
  for (const { name, operations } of describeResources({ ...inferred, all })) {
    log.note(`  resource ${name}`, { resource: name });
    for (const { kind, method, path } of operations) {
      log.note(`    ${kind} by ${method} ${path}`, { resource: name, kind, method, path });
    }
  }
}
