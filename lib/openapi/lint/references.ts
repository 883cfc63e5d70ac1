import type { Document } from "../document.ts";
import { child, stringOf } from "../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { oneOfKind } from "../../schema/kinds.ts";
import type { Objects, PlacedReference } from "./objects.ts";
import { error, findAtEach } from "./report.ts";

/** Finds references that lead nowhere, are circular, or lead to another kind of object than their place needs. */
export function checkReferences(
  document: Document,
  { references }: Pick<Objects, "references">,
  most?: number,
): UnlocatedDiagnostic[] {
  const reasons = reasonsIn(document);
  const circles = circlesIn(references);
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
    const circle = circles.get(reference);
    if (circle !== undefined) {
      const message = `The reference ${written} leads back to itself: ${nameCircle(circle)}.`;
      return error("circular-reference", message, at);
    }
    return undefined;
  }
}

/**
 * Why references lead nowhere, by the reference as written. Reading a definition reports a broken reference once,
 * however often it occurs.
 */
function reasonsIn({ diagnostics }: Document): Map<string, string> {
  const reported = diagnostics.flatMap(({ code, message }) =>
    code === "broken-reference" ? [/^The reference (.*) leads nowhere: (.*)\.$/s.exec(message)] : []
  );
  return new Map(reported.map((match) => [match?.[1] ?? "", match?.[2] ?? ""]));
}

/** A circle of references, and the index of one reference in it. */
interface Circle {
  members: readonly PlacedReference[];
  index: number;
}

/** The circles that references make; each reference is in one at most. */
function circlesIn(references: readonly PlacedReference[]): Map<PlacedReference, Circle> {
  const byHolder = new Map(references.map((reference) => [reference.from.node.value, reference]));
  const circles = new Map<PlacedReference, Circle>();
  const done = new Set<PlacedReference>();
  for (const first of references) {
    const way = new Set<PlacedReference>();
    let at: PlacedReference | undefined = first;
    for (; at !== undefined && !done.has(at) && !way.has(at); at = byHolder.get(at.target.value)) way.add(at);
    if (at !== undefined && way.has(at)) {
      const members = [...way].slice([...way].indexOf(at));
      members.forEach((reference, index) => circles.set(reference, { members, index }));
    }
    for (const reference of way) done.add(reference);
  }
  return circles;
}

/** Most references of a circle that a message names. */
const MOST_NAMED = 5;

/** `#/a -> #/b -> #/a` */
function nameCircle({ members, index }: Circle): string {
  const places = [...members.slice(index, index + MOST_NAMED), ...members.slice(0, Math.min(index, MOST_NAMED))]
    .slice(0, MOST_NAMED).map(({ from }) => `#${from.node.pointer}`);
  return [...places, ...(members.length > MOST_NAMED ? ["…"] : []), places[0]].join(" -> ");
}
