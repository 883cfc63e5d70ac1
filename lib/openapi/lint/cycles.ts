import { child, items, type Node } from "../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { type Objects, ofKind, targetsOfSchemas } from "./objects.ts";
import { warning } from "./report.ts";

/** A schema that another schema requires of the same value: a member of its `allOf`, or the target of its `$ref`. */
interface Requirement {
  readonly schema: Node<"Schema">;
  readonly isAllOf: boolean;
}

/** A schema on the path of the depth-first search, with the required schemas that aren't visited yet. */
interface Step extends Requirement {
  readonly requirements: Iterator<Requirement>;
}

/**
 * Finds schemas that are members of their own `allOf`, directly or indirectly. `checkReferences` reports cycles of
 * `$ref` without `allOf`.
 *
 * @see {@link https://json-schema.org/draft/2020-12/json-schema-core#section-9.4.1 JSON Schema 2020-12, section 9.4.1}
 */
export function checkCycles({ objects, references }: Objects): UnlocatedDiagnostic[] {
  const targets = targetsOfSchemas(references);
  const diagnostics: UnlocatedDiagnostic[] = [];
  const done = new Set<unknown>();
  for (const { node } of ofKind(objects, "Schema")) search({ schema: node, isAllOf: false });
  return diagnostics;

  /**
   * Visits all schemas that a schema requires, directly or indirectly. It isn't recursive, since a long cycle would
   * overflow the stack.
   */
  function search(first: Requirement): void {
    const path: Step[] = [];
    const places = new Map<unknown, number>();
    enter(first);
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { value: next } = last.requirements.next();
      if (next === undefined) {
        done.add(last.schema.value);
        places.delete(last.schema.value);
        path.pop();
        continue;
      }
      const start = places.get(next.schema.value);
      if (start === undefined) enter(next);
      else if ([...path.slice(start + 1), next].some(({ isAllOf }) => isAllOf)) {
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
      places.set(schema.value, path.length);
      path.push({ ...requirement, requirements: requirements.values() });
    }
  }
}
