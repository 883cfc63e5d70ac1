/**
 * The setting `allowedNamespaces` of a fleet (a group of proxies that share listeners): the namespaces whose APIs and
 * static routes the fleet admits. Its fields are those of `RouteNamespaces` in the Gateway API.
 *
 * @see {@link https://gateway-api.sigs.k8s.io/reference/spec/#routenamespaces Gateway API, RouteNamespaces}
 * @module
 */
import { isObject } from "../schema/json/node.ts";
import { type FleetRef, qualifiedName } from "./route.ts";

export interface AllowedNamespaces {
  /**
   * Which namespaces the fleet admits: all of them, only its own, or those that `selector` selects. Default: `Same`.
   */
  from?: "All" | "Same" | "Selector";
  /** Selects namespaces by their labels. Used only with `from: Selector`. */
  selector?: LabelSelector;
}

/**
 * A label selector, as in Kubernetes: all its requirements must hold. A selector without requirements selects every
 * object.
 */
export interface LabelSelector {
  matchLabels?: Readonly<Record<string, string>>;
  matchExpressions?: readonly LabelRequirement[];
}

/** A requirement on one label, as in Kubernetes. */
export interface LabelRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** The values that `In` and `NotIn` compare with; unused by the other operators. */
  values?: readonly string[];
}

/** A namespace and its labels. */
export interface LabelledNamespace {
  name: string;
  /** The labels of the namespace. Default: only the label {@linkcode NAME_LABEL}. */
  labels?: Readonly<Record<string, string>> | undefined;
}

/**
 * The label by which Kubernetes repeats the name of each namespace. Outside a cluster, a namespace has no other label.
 */
const NAME_LABEL = "kubernetes.io/metadata.name";

/**
 * Tells whether a fleet admits a namespace.
 *
 * @param allowed The setting of the fleet. A fleet without it admits all namespaces.
 * @param home The namespace of the fleet.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(admitsNamespace({ from: "Same" }, "edge", { name: "shop" }), false);
 * const selector = { matchLabels: { team: "a" } };
 * assert.equal(admitsNamespace({ from: "Selector", selector }, "edge", { name: "shop", labels: { team: "a" } }), true);
 * ```
 */
export function admitsNamespace(
  allowed: AllowedNamespaces | undefined,
  home: string,
  { name, labels }: LabelledNamespace,
): boolean {
  if (allowed === undefined) return true;
  switch (allowed.from) {
    case "All":
      return true;
    case "Selector":
      return allowed.selector !== undefined && selects(allowed.selector, { ...labels, [NAME_LABEL]: name });
    // `Same`, and any value that a later version may add: an unknown value must not admit more namespaces.
    default:
      return name === home;
  }
}

/**
 * Returns the reason why a fleet doesn't admit a namespace.
 *
 * @param namespace The namespace. Absent `labels` are unknown: then a selector of other labels than the name leaves
 * open whether the fleet admits the namespace.
 * @returns A sentence; `undefined` if the fleet admits the namespace, or if that is left open.
 */
export function refusalOfNamespace(
  fleet: FleetRef,
  allowed: AllowedNamespaces | undefined,
  namespace: LabelledNamespace,
): string | undefined {
  if (namespace.labels === undefined && asksForLabels(allowed)) return undefined;
  return admitsNamespace(allowed, fleet.namespace, namespace) ? undefined : notAdmitted(fleet, allowed, namespace.name);
}

/** Makes the sentence that says that a fleet doesn't admit a namespace, and what to do about it. */
export function notAdmitted(fleet: FleetRef, allowed: AllowedNamespaces | undefined, namespace: string): string {
  return `The fleet ${qualifiedName(fleet)} doesn't admit the namespace ${namespace}: its allowedNamespaces says ` +
    `${describe(allowed)}. Name another fleet, or ask the owner of this one.`;
}

const SOURCES = ["All", "Same", "Selector"] as const;
const OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

/**
 * Reads the setting `allowedNamespaces`.
 *
 * @param value A valid value. The result of an invalid value admits fewer namespaces, never more.
 * @returns `undefined` without a value.
 */
export function readAllowedNamespaces(value: unknown): AllowedNamespaces | undefined {
  if (value === undefined) return undefined;
  const { from, selector } = isObject(value) ? value : {};
  return {
    from: SOURCES.find((source) => source === from) ?? "Same",
    ...(isObject(selector) ? { selector: readSelector(selector) } : {}),
  };
}

function readSelector({ matchLabels, matchExpressions }: Record<string, unknown>): LabelSelector {
  const labels = isObject(matchLabels) ? matchLabels : {};
  const expressions = Array.isArray(matchExpressions) ? matchExpressions : [];
  return {
    ...(matchLabels === undefined ? {} : {
      matchLabels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, String(value)])),
    }),
    ...(matchExpressions === undefined ? {} : { matchExpressions: expressions.map(readRequirement) }),
  };
}

function readRequirement(value: unknown): LabelRequirement {
  const { key, operator, values } = isObject(value) ? value : {};
  return {
    key: String(key),
    // An unknown operator becomes `In`, which holds for no label unless `values` lists the label's value.
    operator: OPERATORS.find((one) => one === operator) ?? "In",
    ...(Array.isArray(values) ? { values: values.map(String) } : {}),
  };
}

function describe({ from = "Same", selector }: AllowedNamespaces = { from: "All" }): string {
  return from === "Selector" ? `Selector ${JSON.stringify(selector ?? null)}` : from;
}

/** Tells whether a fleet's selector has requirements on other labels than the namespace's name. */
function asksForLabels(allowed: AllowedNamespaces | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = allowed?.selector ?? {};
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  return allowed?.from === "Selector" && keys.some((key) => key !== NAME_LABEL);
}

function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Record<string, string>): boolean {
  return Object.entries(matchLabels).every(([key, value]) => valueOf(labels, key) === value) &&
    matchExpressions.every((requirement) => isMet(requirement, labels));
}

/** Tells whether a namespace's labels meet a requirement. A requirement that Kubernetes would refuse is never met. */
function isMet({ key, operator, values = [] }: LabelRequirement, labels: Record<string, string>): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return values.length > 0 && (value === undefined || !values.includes(value));
    case "Exists":
      return values.length === 0 && value !== undefined;
    case "DoesNotExist":
      return values.length === 0 && value === undefined;
    default:
      return false;
  }
}

function valueOf(labels: Record<string, string>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
