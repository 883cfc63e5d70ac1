import type { Document } from "../../lib/openapi/document.ts";
import { EXTENSION } from "../../lib/openapi/extension/extension.ts";
import { child, entries, type JsonObject } from "../../lib/schema/json/node.ts";

/** The flags of `gw deploy` that say how operations are answered. */
export interface ActionFlags {
  readonly mock: boolean;
  readonly upstream: URL | undefined;
}

/** The settings that exclude an upstream of the flags. */
const EXCLUDED: readonly string[] = ["upstream", "upstreams", "redirect"];

/** The keys in the `x-svc` at the top of a definition that exclude another upstream. */
export function upstreamKeysIn({ root }: Pick<Document, "root">): string[] {
  return entries(child(root, EXTENSION)).map(([key]) => key).filter((key) => EXCLUDED.includes(key));
}

/**
 * The overlay that gives the operations of a definition an action, at the definition's top. Settings of paths and
 * operations override it, as they override the definition's own.
 *
 * @param replaced The keys in `x-svc` that are removed first, since an update adds to what is there.
 */
export function actionsOverlay({ mock, upstream }: ActionFlags, replaced: readonly string[]): JsonObject {
  const settings: JsonObject = {
    ...mock ? { mocking: { enabled: true, generate: true } } : {},
    ...upstream === undefined ? {} : { upstream: upstreamOf(upstream) },
  };
  return {
    overlay: "1.0.0",
    info: { title: "Flags of gw deploy", version: "1.0.0" },
    actions: [
      ...replaced.map((key) => ({ target: `$['${EXTENSION}'].${key}`, remove: true })),
      { target: "$", update: { [EXTENSION]: settings } },
    ],
  };
}

function upstreamOf({ protocol, hostname, port, pathname }: URL): JsonObject {
  const path = pathname.replace(/\/+$/, "");
  return {
    host: {
      hostname: hostname.replace(/^\[(.*)\]$/, "$1"),
      ...port === "" ? {} : { port: Number(port) },
      ...protocol === "https:" ? { tls: true } : {},
    },
    ...path === "" ? {} : { rewrite: { pattern: "^", substitution: path } },
  };
}
