import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { isSamePath } from "../infer/id_property.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { Item } from "./item/item.ts";
import type { StateRequest } from "./state_request.ts";

/**
 * The path of a new item for `Location` (RFC 9110, section 10.2.2), below the base path that the request used; its URL, if
 * the definition says that the header is one.
 *
 * @returns `undefined` if no operation reads single items, or the item has no value for a parameter of its path.
 */
export function locationOf(
  { binding, created }: BindingPlan,
  { path, url }: Pick<StateRequest, "path" | "url">,
  item: Item,
): string | undefined {
  const { resource, operation } = binding;
  const reading = resource.bindings.find(({ kind, idParameter, keys }) =>
    kind === "read" && idParameter !== undefined &&
    (keys === undefined || keys.some((path) => isSamePath(path, resource.id)))
  );
  if (reading?.idParameter === undefined) return undefined;
  const values = new Map([[reading.idParameter, item.key]]);
  for (const [index, parameter] of reading.scopeParameters.entries()) {
    const value = item.scope[index];
    if (parameter !== undefined && value !== undefined) values.set(parameter, value);
  }
  let isComplete = true;
  const filled = reading.operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values.get(name);
    isComplete &&= value !== undefined;
    return encodeURIComponent((value ?? "").toWellFormed());
  });
  if (!isComplete) return undefined;
  const target = basePath(operation.path, path) + filled;
  return created !== undefined && isUrl(operation.document, created.node)
    ? URL.parse(target, url)?.href ?? target
    : target;
}

/** Whether a response declares that its `Location` is a URL with a scheme. */
function isUrl(document: Document, response: Node<"Response">): boolean {
  const [, header] = entries(child(response, "headers")).find(([name]) => name.toLowerCase() === "location") ?? [];
  if (header === undefined) return false;
  const node = follow(document, header);
  const { format } = { ...fieldsOf(node), ...fieldsOf(follow(document, child(node, "schema"))) };
  return format === "uri" || format === "url" || format === "iri";
}

function fieldsOf({ value }: Node): { readonly format?: unknown } {
  return isObject(value) ? value : {};
}

/** The part of a request's path before the path of its operation: a base path of `servers`, or an empty text. */
function basePath(template: string, path: string): string {
  const segments = path.split("/");
  const own = template.replace(/\/$/, "").split("/").length - 1;
  const base = segments.slice(1, Math.max(1, segments.length - (path.endsWith("/") ? 1 : 0) - own));
  return base.map((segment) => `/${segment}`).join("");
}
