/**
 * Finds valid parts of a definition that are probably mistakes. These checks run only in `gw validate`.
 *
 * @module
 */
import type { Document } from "../../document.ts";
import type { ReadPattern } from "../../../regexp/pattern.ts";
import { child, isObject, type Node } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { createDeclaredProperties } from "../declared_properties.ts";
import type { Objects, PlacedObject } from "../objects.ts";
import { checkCallbacks } from "./links_and_callbacks.ts";
import { checkDiscriminatorProperties } from "./undeclared_properties.ts";
import { checkEncodings } from "./undeclared_properties.ts";
import { checkEnum } from "./enums.ts";
import { checkLinks } from "./links_and_callbacks.ts";
import { checkReferenceSiblings } from "./reference_siblings.ts";
import { checkRequired } from "./undeclared_properties.ts";
import { checkArray, checkMisplaced, checkNullable } from "./schema_forms.ts";
import { checkPatterns } from "./unmatched_patterns.ts";
import { checkScopes } from "./operations.ts";
import { checkSwaggerBodies } from "./operations.ts";
import { checkTags } from "./operations.ts";

/** Finds probable mistakes, as warnings. Takes time in proportion to the size of the definition. */
export function findWarnings(document: Document, placed: Objects, readPattern: ReadPattern): UnlocatedDiagnostic[] {
  const { objects } = placed;
  const declared = createDeclaredProperties(placed);
  return [
    ...checkReferenceSiblings(document, objects),
    ...schemasIn(document, objects).flatMap((schema) => checkSchema(document, schema, readPattern)),
    ...checkRequired(objects, declared),
    ...checkDiscriminatorProperties(document, objects, declared),
    ...checkEncodings(document, objects, declared),
    ...checkScopes(document, objects),
    ...checkTags(document, objects),
    ...checkSwaggerBodies(document),
    ...checkLinks(document, objects),
    ...checkCallbacks(objects),
  ];
}

function checkSchema(
  { version }: Document,
  schema: Node<"Schema">,
  readPattern: ReadPattern,
): UnlocatedDiagnostic[] {
  return [
    ...checkEnum(schema),
    ...checkNullable(version, schema),
    ...checkArray(version, schema),
    ...checkMisplaced(version, schema),
    ...checkPatterns(schema, readPattern),
  ];
}

/** The Schema Objects; in Swagger 2.0 also parameters, headers and their `items`, which have keywords of schemas. */
function schemasIn({ version }: Document, objects: readonly PlacedObject[]): Node<"Schema">[] {
  return objects.flatMap(({ kind, node, isReference }) => {
    if (kind === "Schema") return isReference && (version === "2.0" || version === "3.0") ? [] : [node];
    if (version !== "2.0" || isReference || (kind !== "Parameter" && kind !== "Header")) return [];
    return withItems(node as Node as Node<"Schema">);
  });
}

function withItems(first: Node<"Schema">): Node<"Schema">[] {
  const nodes: Node<"Schema">[] = [];
  for (let node = first; isObject(node.value); node = child(node, "items")) nodes.push(node);
  return nodes;
}
