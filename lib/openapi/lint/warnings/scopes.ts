import type { Document } from "../../document.ts";
import { child, entries, items, type Node, stringOf } from "../../../schema/node.ts";
import { follow } from "../../../schema/reference.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import type { PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";
import { createSuggestion } from "./suggestion.ts";
import { securitySchemesOf } from "../security.ts";

/** Finds security requirements with scopes that none of their OAuth scheme's flows has. */
export function checkScopes(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const schemes = new Map<string, ReadonlySet<string> | undefined>();
  const suggestion = createSuggestion();
  return objects.filter(({ kind }) => kind === "SecurityRequirement").flatMap(({ node }) =>
    entries(node).flatMap(([name, wanted]) => {
      if (!schemes.has(name)) schemes.set(name, scopesOf(document, child(securitySchemesOf(document), name)));
      const scopes = schemes.get(name);
      if (scopes === undefined) return [];
      return items(wanted).flatMap((at) => {
        const scope = stringOf(at);
        if (scope === undefined || scopes.has(scope)) return [];
        const nearest = suggestion(scope, scopes);
        const advice = nearest === undefined
          ? "Add it to the `scopes` of the scheme."
          : `Did you mean ${quote(nearest)}?`;
        return [warning("unknown-scope", `${quote(name)} has no scope ${quote(scope)}. ${advice}`, at)];
      });
    })
  );
}

/** The scopes of an OAuth scheme; `undefined` for other schemes, and where it can't be read. */
function scopesOf(document: Document, written: Node): ReadonlySet<string> | undefined {
  const scheme = follow(document, written);
  if (child(scheme, "type").value !== "oauth2") return undefined;
  const flows = document.version === "2.0" ? [scheme] : entries(child(scheme, "flows")).map(([, flow]) => flow);
  return new Set(flows.flatMap((flow) => entries(child(flow, "scopes")).map(([scope]) => scope)));
}
