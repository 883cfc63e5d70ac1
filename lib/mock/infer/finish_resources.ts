import type { Document } from "../../openapi/document.ts";
import type { Draft, DraftBinding } from "./draft.ts";
import { isSamePath } from "./id_property.ts";
import { isPrefix, keyOfSegments, type Segment } from "./path_shape.ts";
import type { Binding, Resource, ScopeParameter } from "./resource.ts";

/** Returns a name for a draft, unique among the resources of a server. */
export type Namer = (draft: Draft) => string;

/**
 * Makes a namer. A name consists of the literal segments of the collection's path. An API version is part of it only if
 * two names would be equal otherwise. So names stay the same after a reload.
 */
export function createNamer(): Namer {
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return (draft) => {
    const literals = literalsOf(draft.segments);
    const short = shortName(draft.segments);
    const candidates = draft.name === undefined ? [short, literals.join("."), pathName(draft.segments)] : [draft.name];
    const free = candidates.find((name) => name !== "" && !taken.has(name));
    const name = free ?? numbered(candidates.at(-1) ?? "");
    taken.add(name);
    return name;
  };

  function numbered(name: string): string {
    let number = numbers.get(name) ?? 2;
    while (taken.has(`${name}-${number}`)) number++;
    numbers.set(name, number + 1);
    return `${name}-${number}`;
  }
}

/** The name of a resource with this collection path, if no other has it: `users.orders`. */
export function shortName(segments: readonly Segment[]): string {
  return literalsOf(segments).filter((literal) => !isPrefix(literal)).join(".");
}

function literalsOf(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) => "literal" in segment ? [segment.literal] : []);
}

function pathName(segments: readonly Segment[]): string {
  return segments.map((segment) => "literal" in segment ? segment.literal : `{${segment.parameter}}`).join(".");
}

/** Makes resources of drafts, and sets their parents. */
export function finishResources(document: Document, drafts: readonly Draft[], nameOf: Namer): Resource[] {
  const made = drafts.map((draft) => {
    const scope: { -readonly [Key in keyof ScopeParameter]: ScopeParameter[Key] }[] = draft.scope
      .map(({ parameter, property }) => ({ parameter, ...property === undefined ? {} : { property } }));
    const bindings: Binding[] = [];
    const resource: Resource = {
      name: nameOf(draft),
      document,
      isSingleton: draft.isSingleton,
      id: draft.id,
      scope,
      schema: draft.item.node,
      bindings,
      evidence: draft.evidence,
    };
    bindings.push(...draft.bindings.map((binding) => bindingOf(binding, resource)));
    return { draft, scope, resource };
  });
  const parents = new Map<string, Resource>();
  const byName = new Map(made.map(({ resource }) => [resource.name, resource]));
  for (const { draft, resource } of made) {
    for (const { idParameter, keys, exchange: { path } } of draft.bindings) {
      const last = path.segments.at(-1);
      const isById = keys === undefined || keys.some((path) => isSamePath(path, draft.id));
      if (idParameter === undefined || !isById || last === undefined || "literal" in last) continue;
      const key = keyOfSegments(path.segments);
      if (!parents.has(key)) parents.set(key, resource);
    }
  }
  for (const { draft, scope, resource } of made) {
    scope.forEach((entry, index) => {
      const isLast = index === scope.length - 1;
      const named = isLast && draft.parentName !== undefined ? byName.get(draft.parentName) : undefined;
      const parent = named ?? parents.get(draft.scope[index]?.prefix ?? "");
      if (parent !== undefined && parent !== resource) entry.parent = parent;
    });
  }
  return made.map(({ resource }) => resource);
}

function bindingOf(binding: DraftBinding, resource: Resource): Binding {
  const { kind, exchange, idParameter, scopeParameters, envelope, element, requestEnvelope, createsMissing } = binding;
  const missing = Array.from({ length: Math.max(0, resource.scope.length - scopeParameters.length) }, () => undefined);
  return {
    kind,
    resource,
    operation: exchange.operation,
    status: exchange.status ?? 200,
    idParameter,
    scopeParameters: [...scopeParameters, ...missing],
    envelope,
    element,
    requestEnvelope,
    createsMissing,
    ...binding.keys === undefined ? {} : { keys: binding.keys },
    ...binding.listEnvelope === undefined ? {} : { listEnvelope: binding.listEnvelope },
    ...binding.isNewest === true ? { isNewest: true } : {},
    ...binding.action === undefined ? {} : { action: binding.action },
  };
}
