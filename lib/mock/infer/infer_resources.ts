import type { Document } from "../../openapi/document.ts";
import { listOperations, nameOf, type Operation } from "../../openapi/operation.ts";
import { child, entries, type Node } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { selectResponse } from "../select_response.ts";
import type { Binding, BindingKind, Resource, Resources, UnboundOperation } from "./resource.ts";

/** Binds the operations of definitions to resources: pure, and done once when definitions are loaded. */
export function inferResources(documents: readonly Document[]): Resources {
  const all: Resource[] = [];
  const unbound: UnboundOperation[] = [];
  const bindings = new Map<Document, Map<string, Binding>>();
  for (const document of documents) {
    const operations = listOperations(document);
    const bound = new Map<string, Binding>();
    bindings.set(document, bound);
    for (const resource of pairsOf(document, operations, new Set(all.map(({ name }) => name)))) {
      all.push(resource);
      for (const binding of resource.bindings) bound.set(keyOf(binding.operation), binding);
    }
    for (const operation of operations) {
      if (!bound.has(keyOf(operation))) {
        unbound.push({ operation, reason: `${nameOf(operation)} has no pair of paths.` });
      }
    }
  }
  return { all, unbound, bindingOf: (operation) => bindings.get(operation.document)?.get(keyOf(operation)) };
}

/** Operations are listed anew by each caller, so that their identity can't be the key. */
function keyOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

const KINDS: Readonly<Record<"collection" | "item", Readonly<Record<string, BindingKind>>>> = {
  collection: { GET: "list", POST: "create" },
  item: { GET: "read", PUT: "replace", PATCH: "update", DELETE: "delete" },
};

function pairsOf(document: Document, operations: readonly Operation[], names: Set<string>): Resource[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return [...byPath].flatMap(([path, onItem]) => {
    const [, collection, idParameter] = /^(.*\/[^{}/]+)\/\{([^{}]+)\}$/.exec(path) ?? [];
    const onCollection = collection === undefined ? undefined : byPath.get(collection);
    const reading = onItem.find(({ method }) => method === "GET");
    const schema = reading && schemaOf(reading);
    if (collection === undefined || idParameter === undefined || onCollection === undefined || schema === undefined) {
      return [];
    }
    const name = collection.slice(1).replaceAll(/\/\{[^{}]*\}/g, "").replaceAll("/", ".");
    if (names.has(name)) return [];
    names.add(name);
    const scope = [...collection.matchAll(/\{([^{}]+)\}/g)].map(([, parameter = ""]) => ({ parameter }));
    const bindings: Binding[] = [];
    const resource: Resource = {
      name,
      document,
      isSingleton: false,
      id: ["id"],
      scope,
      schema,
      bindings,
      evidence: [`${collection} and ${path} are a collection and its items.`],
    };
    for (const [place, found] of [["collection", onCollection], ["item", onItem]] as const) {
      for (const operation of found) {
        const kind = KINDS[place][operation.method];
        const response = selectResponse(operation, {});
        if (kind === undefined || response.kind !== "response") continue;
        bindings.push({
          kind,
          resource,
          operation,
          status: response.status,
          idParameter: place === "item" ? idParameter : undefined,
          scopeParameters: scope.map(({ parameter }) => parameter),
          envelope: schemaOf(operation) === undefined ? undefined : [],
          element: [],
          requestEnvelope: ["POST", "PUT", "PATCH"].includes(operation.method) ? [] : undefined,
          createsMissing: false,
        });
      }
    }
    return [resource];
  });
}

function schemaOf(operation: Operation): Node<"Schema"> | undefined {
  const response = selectResponse(operation, {});
  if (response.kind !== "response") return undefined;
  const media = entries(child(response.node, "content")).find(([mediaType]) => /[/+]json\b/.test(mediaType));
  const schema = media && child(follow(operation.document, media[1]), "schema");
  return schema?.value === undefined ? undefined : schema;
}
