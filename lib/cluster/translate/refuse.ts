/**
 * Collects the errors of a rendering: settings that a cluster can't express, or that the author of a definition has no
 * right to use.
 *
 * @module
 */
import type { PlannedRoute } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { atKey, error } from "../../openapi/lint/report.ts";
import { child, type Node } from "../../schema/json/node.ts";

/** A function that reports an error at a node of the definition. */
export type RefuseSetting = (node: Node | undefined, message: string) => void;

/**
 * The errors of one rendering. Operations that inherit a setting share its node, so an error is recorded only once for
 * each node.
 */
export class Refusals {
  readonly #diagnostics = new Map<string, UnlocatedDiagnostic>();

  /** Adds an error. Without a node it has no place in the definition, and is dropped. */
  add(node: Node | undefined, message: string): void {
    if (node === undefined) return;
    const key = `${node.source.uri}#${node.pointer} ${message}`;
    if (this.#diagnostics.has(key)) return;
    // The error is located at the key of the setting. An item of a list has no key, so its value is the place.
    const diagnostic = error("not-in-cluster", message, node);
    this.#diagnostics.set(key, /\/\d+$/.test(node.pointer) ? diagnostic : atKey(diagnostic));
  }

  diagnostics(): UnlocatedDiagnostic[] {
    return [...this.#diagnostics.values()];
  }
}

/** Returns the node of a route: its operation, or else the setting that makes the route, such as `upstream`. */
export function nodeOf({ operation, origins }: PlannedRoute): Node | undefined {
  return operation?.node ?? origins.public_api_path ?? origins.upstream ?? origins.upstreams;
}

export function upstreamNode({ origins, settings }: PlannedRoute, index: number): Node | undefined {
  if (settings.upstreams !== undefined) return origins.upstreams && child(origins.upstreams, index);
  return origins.upstream;
}

export function loginNode({ origins }: PlannedRoute): Node | undefined {
  return origins.auth && child(origins.auth, "oauth2");
}
