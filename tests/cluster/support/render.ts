/**
 * Definitions for tests of rendering.
 *
 * @module
 */
import { planRoutes } from "../../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { isObject, type JsonObject } from "../../../lib/schema/json/node.ts";

/** The plan of a definition, given as text. */
export async function planOf(
  namespace: string,
  name: string,
  text: string,
  fleet = { name: "edge", namespace },
): Promise<RoutePlan> {
  return planRoutes({ namespace, name, fleet, document: await parseDocument(text, { uri: `${name}.yaml` }) });
}

/**
 * Adds settings to a real definition, as a user might: most operations are sent to a Service, every third is mocked,
 * every seventh disabled, every eleventh sent to another upstream. Operations of one path that differ only in
 * conditions get the same settings: otherwise a deployment may be refused, as the Gateway API can't distinguish them.
 */
export function withSettings(text: string, host: string): string {
  const definition: unknown = JSON.parse(text);
  if (!isObject(definition) || !isObject(definition["paths"])) return text;
  definition["x-svc"] = { hosts: [host], upstream: { service: { name: "real" } } };
  const indexes = new Map<string, number>();
  for (const [path, pathItem] of Object.entries(definition["paths"])) {
    if (!isObject(pathItem)) continue;
    for (const [method, operation] of Object.entries(pathItem)) {
      if (!isObject(operation) || !isObject(operation["responses"])) continue;
      const key = `${method} ${path.replace(/[?#].*/, "")}`;
      const index = indexes.get(key) ?? indexes.size;
      indexes.set(key, index);
      operation["x-svc"] = settingsOf(index);
    }
  }
  return JSON.stringify(definition);
}

function settingsOf(index: number): JsonObject {
  if (index % 11 === 5) return { redirect: { host: "elsewhere.example.com" } };
  if (index % 7 === 3) return { disabled: true };
  return index % 3 === 1 ? { mocking: { enabled: true, generate: true } } : {};
}
