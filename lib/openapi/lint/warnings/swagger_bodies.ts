import type { Document } from "../../document.ts";
import { child, entries, items, type Node } from "../../../schema/node.ts";
import { follow } from "../../../schema/reference.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { warning } from "../report.ts";

const METHODS = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

/**
 * Finds operations of Swagger 2.0 with two body parameters, or a body beside form fields: a request has one body.
 *
 * @see {@link https://spec.openapis.org/oas/v2.0.html#parameter-object OpenAPI 2.0, Parameter Object}
 */
export function checkSwaggerBodies(document: Document): UnlocatedDiagnostic[] {
  if (document.version !== "2.0") return [];
  return entries(child(document.root, "paths")).flatMap(([, written]) => {
    const pathItem = follow(document, written);
    const inherited = items(child(pathItem, "parameters"));
    const operations = entries(pathItem).filter(([method]) => METHODS.has(method));
    return operations.flatMap(([, operation]) => {
      const own = items(child(operation, "parameters"));
      return checkBodies(document, own, inherited);
    });
  });
}

function checkBodies(document: Document, own: readonly Node[], inherited: readonly Node[]): UnlocatedDiagnostic[] {
  const read = (written: Node): { written: Node; place: unknown; name: unknown } => {
    const parameter = follow(document, written);
    return { written, place: child(parameter, "in").value, name: child(parameter, "name").value };
  };
  const mine = own.map(read);
  const names = new Set(mine.map(({ place, name }) => JSON.stringify([place, name])));
  const all = [
    ...inherited.map(read).filter(({ place, name }) => !names.has(JSON.stringify([place, name]))),
    ...mine,
  ];
  const [first, second] = all.filter(({ place }) => place === "body");
  if (first === undefined) return [];
  if (second !== undefined) {
    return [
      warning("duplicate-body", "The operation has two body parameters, and a request has one body.", second.written),
    ];
  }
  const field = all.find(({ place }) => place === "formData");
  if (field === undefined) return [];
  const message = "The operation has a body parameter and form fields, and a request has one body.";
  return [warning("duplicate-body", message, field.written)];
}
