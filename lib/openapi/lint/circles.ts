import { child, items, type Node } from "../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { Objects } from "./objects.ts";
import { warning } from "./report.ts";

/** A schema that has to be satisfied before another one is. */
interface Requirement {
  readonly schema: Node;
  readonly isAllOf: boolean;
}

/** A schema on the way from the first one, and what it requires. */
interface Step extends Requirement {
  readonly requirements: Iterator<Requirement>;
}

/**
 * Finds schemas that are members of their own `allOf`, by whatever way: each has to be satisfied before it can be. Where
 * they are nothing but references, that is found with the references.
 *
 * @see {@link https://json-schema.org/draft/2020-12/json-schema-core#section-9.4.1 JSON Schema 2020-12, section 9.4.1}
 */
export function checkCircles({ objects, references }: Objects): UnlocatedDiagnostic[] {
  const targets = new Map(references.map(({ from, target }) => [from.node.value, target]));
  const diagnostics: UnlocatedDiagnostic[] = [];
  const done = new Set<unknown>();
  for (const { kind, node } of objects) if (kind === "Schema") search({ schema: node, isAllOf: false });
  return diagnostics;

  /** Goes through all that a schema requires; without recursion, as circles may be long. */
  function search(first: Requirement): void {
    const way: Step[] = [];
    const places = new Map<unknown, number>();
    enter(first);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const { value: next } = last.requirements.next();
      if (next === undefined) {
        done.add(last.schema.value);
        places.delete(last.schema.value);
        way.pop();
        continue;
      }
      const start = places.get(next.schema.value);
      if (start === undefined) enter(next);
      else if ([...way.slice(start + 1), next].some(({ isAllOf }) => isAllOf)) {
        const message = "The schema is a member of its own `allOf`, so that it has to be satisfied before it can be.";
        diagnostics.push(warning("circular-schema", message, next.schema));
      }
    }

    function enter(requirement: Requirement): void {
      const { schema } = requirement;
      if (typeof schema.value !== "object" || done.has(schema.value)) return;
      const target = targets.get(schema.value);
      const requirements = items(child(schema, "allOf")).map((member) => ({ schema: member, isAllOf: true }));
      if (target !== undefined) requirements.unshift({ schema: target, isAllOf: false });
      places.set(schema.value, way.length);
      way.push({ ...requirement, requirements: requirements.values() });
    }
  }
}
