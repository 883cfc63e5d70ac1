import type { Document } from "../document.ts";
import { child, type Node, stringOf } from "../node.ts";
import { baseOf, follow, followOnce, referenceOf } from "../reference.ts";
import { resolveUri, withoutFragment } from "../scan.ts";
import type { Finding } from "../source.ts";
import { type Objects, oneOfKind, type PlacedObject } from "./objects.ts";
import { error } from "./report.ts";

/** Finds references that lead nowhere, round in a circle, or to something else than what is wanted in their place. */
export function checkReferences(document: Document, { references }: Objects): Finding[] {
  return references.flatMap(({ from, target, found }) => {
    const at = child(from.node, "$ref");
    const written = stringOf(at) ?? "";
    if (target.value === undefined) {
      return [
        error("broken-reference", `The reference ${written} leads nowhere: ${reasonOf(document, from.node)}.`, at),
      ];
    }
    if (found !== undefined) {
      const message = `The reference ${written} leads to ${oneOfKind(found)}; ${oneOfKind(from.kind)} is wanted here.`;
      return [error("wrong-reference", message, at)];
    }
    if (follow(document, from.node).value === undefined && isInCircle(document, from)) {
      return [
        error(
          "circular-reference",
          `The reference ${written} leads back to itself: ${circleOf(document, from.node)}.`,
          at,
        ),
      ];
    }
    return [];
  });
}

function reasonOf(document: Document, node: Node): string {
  const uri = resolveUri(referenceOf(node) ?? "", baseOf(document, node));
  const file = withoutFragment(uri);
  const known = document.findings.find(({ code, source, pointer }) =>
    code === "broken-reference" && source === node.source && pointer === `${node.pointer}/$ref`
  );
  const told = known?.message.replace(/^.*? leads nowhere: /s, "").replace(/\.$/, "");
  if (told !== undefined) return told;
  return document.missing.includes(file) ? `${file} could not be loaded` : "there is nothing at that place";
}

/** Whether a reference is in the circle itself, not only on the way into it: the others are only victims. */
function isInCircle(document: Document, { node }: PlacedObject): boolean {
  let at = followOnce(document, node);
  for (let hops = 0; hops < 100 && at.value !== undefined; hops++) {
    if (at.source === node.source && at.pointer === node.pointer) return true;
    at = followOnce(document, at);
  }
  return false;
}

function circleOf(document: Document, node: Node): string {
  const places: string[] = [];
  let at = node;
  do {
    places.push(`#${at.pointer}`);
    at = followOnce(document, at);
  } while (places.length < 10 && (at.pointer !== node.pointer || at.source !== node.source));
  return [...places, `#${node.pointer}`].join(" -> ");
}
