import type { Document } from "../document.ts";
import { child, stringOf } from "../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { oneOfKind } from "../../schema/kinds.ts";
import type { Objects, PlacedReference } from "./objects.ts";
import { error, findAtEach } from "./report.ts";

/** Finds references that are broken, that are circular, or whose target is another kind of object than expected. */
export function checkReferences(
  document: Document,
  { references }: Pick<Objects, "references">,
  most?: number,
): UnlocatedDiagnostic[] {
  const reasons = reasonsIn(document);
  const cycles = cyclesIn(references);
  return findAtEach(references, (reference) => diagnosticOf(reference) ?? [], most);

  function diagnosticOf(reference: PlacedReference): UnlocatedDiagnostic | undefined {
    const { from, target, found } = reference;
    const at = child(from.node, "$ref");
    const written = stringOf(at) ?? "";
    if (target.value === undefined) {
      const reason = reasons.get(written) ?? "there is nothing at that place";
      return error("broken-reference", `The reference ${written} leads nowhere: ${reason}.`, at);
    }
    if (found !== undefined) {
      const message = `The reference ${written} leads to ${oneOfKind(found)}; ${oneOfKind(from.kind)} is wanted here.`;
      return error("wrong-reference", message, at);
    }
    const cycle = cycles.get(reference);
    if (cycle !== undefined) {
      const message = `The reference ${written} leads back to itself: ${nameCycle(cycle)}.`;
      return error("circular-reference", message, at);
    }
    return undefined;
  }
}

/**
 * The reasons why references are broken, by the value of `$ref`. They come from the diagnostics of parsing, which
 * reports a broken reference only once, even if many objects have it.
 */
function reasonsIn({ diagnostics }: Document): Map<string, string> {
  const reported = diagnostics.flatMap(({ code, message }) =>
    code === "broken-reference" ? [/^The reference (.*) leads nowhere: (.*)\.$/s.exec(message)] : []
  );
  return new Map(reported.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]));
}

interface Cycle {
  members: readonly PlacedReference[];
  index: number;
}

/** Finds the cycles of references. Each reference is in at most one cycle, since it has only one target. */
function cyclesIn(references: readonly PlacedReference[]): Map<PlacedReference, Cycle> {
  const byHolder = new Map(references.map((reference) => [reference.from.node.value, reference]));
  const cycles = new Map<PlacedReference, Cycle>();
  const done = new Set<PlacedReference>();
  for (const first of references) {
    const way = new Set<PlacedReference>();
    let at: PlacedReference | undefined = first;
    for (; at !== undefined && !done.has(at) && !way.has(at); at = byHolder.get(at.target.value)) way.add(at);
    if (at !== undefined && way.has(at)) {
      const members = [...way].slice([...way].indexOf(at));
      members.forEach((reference, index) => cycles.set(reference, { members, index }));
    }
    for (const reference of way) done.add(reference);
  }
  return cycles;
}

/** Limit of the references in a message about a cycle. */
const MOST_NAMED = 5;

/** Names the references of a cycle in a message: `#/a -> #/b -> #/a`. */
function nameCycle({ members, index }: Cycle): string {
  const places = [...members.slice(index, index + MOST_NAMED), ...members.slice(0, Math.min(index, MOST_NAMED))]
    .slice(0, MOST_NAMED).map(({ from }) => `#${from.node.pointer}`);
  return [...places, ...(members.length > MOST_NAMED ? ["…"] : []), places[0]].join(" -> ");
}
