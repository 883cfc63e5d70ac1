/**
 * Warnings about the tags, bodies and OAuth scopes of operations.
 *
 * @module
 */
import type { Document } from "../../document.ts";
import { equalityKey } from "../../../schema/json/equal.ts";
import { child, entries, items, type Node, stringOf } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { quote } from "../../../schema/wording.ts";
import { ofKind, type PlacedObject } from "../objects.ts";
import { warning } from "../report.ts";
import { follow } from "../../../schema/json/reference.ts";
import { createSuggestion } from "../report.ts";
import { securitySchemesOf } from "../security.ts";
import { writeJson } from "../../../schema/json/json.ts";

/** Finds tags that the definition declares twice, and tags that an operation lists twice. */
export function checkTags(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap(({ kind, node }) => {
    if (kind === "OpenAPI") return checkNames(document, items(child(node, "tags")), (tag) => child(tag, "name"));
    return kind === "Operation" ? checkNames(document, items(child(node, "tags")), (tag) => tag) : [];
  });
}

function checkNames({ version }: Document, tags: readonly Node[], nameIn: (tag: Node) => Node): UnlocatedDiagnostic[] {
  const firsts = new Map<string, { text?: string; value: unknown }>();
  return tags.flatMap((tag) => {
    const at = nameIn(tag);
    const name = stringOf(at);
    if (name === undefined) return [];
    const first = firsts.get(name);
    if (first === undefined) {
      firsts.set(name, { value: tag.value });
      return [];
    }
    // The OpenAPI schema of Swagger 2.0 requires unique tags, that of OpenAPI 3.0 unique Tag Objects. `checkStructure`
    // reports these duplicates as errors.
    const isError = (version === "2.0" || (version === "3.0" && tag !== at)) &&
      (first.text ??= equalityKey(first.value)) === equalityKey(tag.value);
    return isError ? [] : [warning("duplicate-tag", `The tag ${quote(name)} is in this list twice; remove one.`, at)];
  });
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"] as const;

/**
 * Finds Swagger 2.0 operations that declare two bodies: two body parameters, or a body parameter beside form
 * parameters.
 *
 * @see {@link https://spec.openapis.org/oas/v2.0.html#parameter-object OpenAPI 2.0, Parameter Object}
 */
export function checkSwaggerBodies(document: Document): UnlocatedDiagnostic[] {
  if (document.version !== "2.0") return [];
  return entries(child(document.root, "paths")).flatMap(([, written]) => {
    const pathItem = follow(document, written);
    const inherited = items(child(pathItem, "parameters"));
    return METHODS.flatMap((method) => {
      const operation = child(pathItem, method);
      return checkBodies(document, items(child(operation, "parameters")), inherited);
    });
  });
}

function checkBodies(
  document: Document,
  own: readonly Node<"Parameter">[],
  inherited: readonly Node<"Parameter">[],
): UnlocatedDiagnostic[] {
  const read = (written: Node<"Parameter">): { written: Node; place: unknown; name: unknown } => {
    const parameter = follow(document, written);
    return { written, place: child(parameter, "in").value, name: child(parameter, "name").value };
  };
  const mine = own.map(read);
  const names = new Set(mine.map(({ place, name }) => writeJson([place, name])));
  const all = [
    ...inherited.map(read).filter(({ place, name }) => !names.has(writeJson([place, name]))),
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

/** Finds security requirements with scopes that no flow of their OAuth scheme declares. */
export function checkScopes(document: Document, objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  const schemes = new Map<string, ReadonlySet<string> | undefined>();
  const suggestion = createSuggestion();
  return ofKind(objects, "SecurityRequirement").flatMap(({ node }) =>
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

/** The scopes of an OAuth scheme; `undefined` for schemes of other types, and for malformed ones. */
function scopesOf(document: Document, written: Node<"SecurityScheme">): ReadonlySet<string> | undefined {
  const scheme = follow(document, written);
  if (child(scheme, "type").value !== "oauth2") return undefined;
  const flows = document.version === "2.0" ? [scheme] : entries(child(scheme, "flows")).map(([, flow]) => flow);
  return new Set(flows.flatMap((flow) => entries(child(flow, "scopes")).map(([scope]) => scope)));
}
