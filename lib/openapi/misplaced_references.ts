/**
 * References where OpenAPI has none: instead of a whole map or list, such as `content: {$ref: ./content.yaml}`, and in
 * the value of an example. Other tools resolve them before they read a definition, so people write them.
 *
 * @module
 */
import { isObject, type JsonObject, type Node } from "../schema/json/node.ts";
import { parsePointer } from "../schema/json/pointer.ts";
import { lookUp, type Scope } from "../schema/json/reference.ts";
import { resolveUri } from "../schema/json/uri.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";
import { rewriteReferences } from "./rewrite_references.ts";
import type { Misplaced } from "./text/scan.ts";

/** Limit of the values that take the places of such references: targets may contain others, and so double each time. */
const MOST_VALUES = 100_000;
/** Limit of the references that lead through each other. */
const MOST_HOPS = 100;

/**
 * Puts the targets of references where OpenAPI has none in their places. References in the targets are made absolute.
 *
 * @returns A warning for each.
 */
export function resolveMisplaced(scope: Scope, misplaced: readonly Misplaced[]): UnlocatedDiagnostic[] {
  const known = new Map(misplaced.map((one) => [one.node.value, one]));
  let left = MOST_VALUES;
  // Targets are copied from what was read, before the first one is replaced.
  const found = misplaced.map((one) => ({ one, target: targetOf(one, []) }));
  return found.flatMap(({ one, target }) => {
    if (target !== undefined) one.replace(target.value);
    return one.isData && target === undefined && !/\.(?:json|ya?ml)(?:#|$)/i.test(one.written)
      ? []
      : [warning(one, target)];
  });

  /** The value that takes the place of a reference; `undefined` if there is none, or if the reference leads to itself. */
  function targetOf(one: Misplaced, through: readonly unknown[]): { readonly value: unknown } | undefined {
    if (through.includes(one.node.value) || through.length > MOST_HOPS) return undefined;
    const target = lookUp(scope, one.uri);
    if (target === undefined) return undefined;
    const copied = copy(one, exampleAt(one, target), [...through, one.node.value]);
    return left > 0 ? { value: copied } : undefined;
  }

  function copy({ node, isMap, isData }: Misplaced, { value, source }: Node, through: readonly unknown[]): unknown {
    const replace = (object: JsonObject): { readonly value: unknown } | undefined => {
      if (left <= 0) return { value: null };
      left -= 1 + Object.keys(object).length;
      const inner = known.get(object);
      return inner && (targetOf(inner, through) ?? { value: object });
    };
    if (isData) return copyData(value, replace);
    const rewrite = (reference: string): string =>
      source.uri === node.source.uri ? reference : resolveUri(reference, source.uri);
    return rewriteReferences(value, { rewrite, replace, data: (part) => copyData(part, replace) }, isMap);
  }
}

type Replace = (object: JsonObject) => { readonly value: unknown } | undefined;

function copyData(value: unknown, replace: Replace): unknown {
  if (Array.isArray(value)) return value.map((item) => copyData(item, replace));
  if (!isObject(value)) return value;
  const replaced = replace(value);
  if (replaced !== undefined) return replaced.value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copyData(part, replace)]));
}

/** A reference in an example may lead to an Example Object, whose value is meant. */
function exampleAt({ isData }: Misplaced, target: Node): Node {
  const { value, pointer } = target;
  const isExample = isData && parsePointer(pointer).at(-2) === "examples" && isObject(value) &&
    Object.hasOwn(value, "value");
  return isExample ? { ...target, value: value["value"] } : target;
}

function warning({ node: { source, pointer }, written }: Misplaced, target: unknown): UnlocatedDiagnostic {
  const what = target === undefined
    ? `${written} leads nowhere.`
    : `gw takes what ${written} names in its place, other programs may not.`;
  return {
    severity: "warning",
    code: "misplaced-reference",
    message: `OpenAPI has no \`$ref\` here: ${what}`,
    source,
    pointer: `${pointer}/$ref`,
  };
}
