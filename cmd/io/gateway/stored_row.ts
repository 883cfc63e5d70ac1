import type { SQLOutputValue } from "node:sqlite";
import type { AllowedNamespaces } from "../../../lib/gateway/allowed_namespaces.ts";
import type { GatewayResourceKind } from "../../../lib/gateway/resource.ts";
import type { StoredResource } from "../../../lib/management/store.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { isObject } from "../../../lib/schema/json/node.ts";
import { formatPointer } from "../../../lib/schema/json/pointer.ts";

/** A row of the table `resource`. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The resource of a row, or why the row has none: a clause that names the resource and the place in its `spec`. */
export type ReadRow = { kind: "read"; resource: StoredResource } | { kind: "broken"; reason: string };

/**
 * The shape of a JSON value: a type, the literals that are allowed, the shape of each item of an array, or the shapes of
 * an object's members. The name of an optional member ends with `?`.
 */
type Shape = "string" | "port" | "labels" | ReadonlySet<unknown> | readonly [item: Shape] | Members;
interface Members {
  readonly [member: string]: Shape;
}

const OBJECT_NAME = { name: "string", namespace: "string" } as const;

const ROUTES = {
  fleet: OBJECT_NAME,
  openapi: "string",
  summary: {
    version: "string",
    service: OBJECT_NAME,
    analysisUrl: "string",
    upstreams: [{ ...OBJECT_NAME, port: "port" }],
  },
} as const;

const REQUIREMENT = {
  key: "string",
  operator: new Set(["In", "NotIn", "Exists", "DoesNotExist"]),
  "values?": ["string"],
} as const;

/** The shape of `spec` in each kind of resource, as `Specs` declares it. */
const SPECS: Readonly<Record<GatewayResourceKind, Shape>> = {
  api: ROUTES,
  staticroute: ROUTES,
  fleet: {
    serviceType: new Set(["ClusterIP", "LoadBalancer"]),
    ports: [{ name: "string", nodePort: "port", port: "port", protocol: "string", targetPort: "port" }],
    "allowedNamespaces?": {
      "from?": new Set<AllowedNamespaces["from"]>(["All", "Same", "Selector"]),
      "selector?": { "matchLabels?": "labels", "matchExpressions?": [REQUIREMENT] },
    },
  },
};

/** Reads a row. Rows were valid when they were written, but other programs can edit the file. */
export function readRow({ kind, namespace, name, version, created, spec }: Row): ReadRow {
  const broken = (reason: string): ReadRow => ({ kind: "broken", reason: `${kind} ${namespace}/${name}: ${reason}` });
  const shape = isKind(kind) ? SPECS[kind] : undefined;
  if (shape === undefined) return broken(`kind must be one of ${Object.keys(SPECS).join(", ")}`);
  if (!/^\d{1,15}$/.test(String(version))) return broken("version must be a number");
  let value: unknown;
  try {
    value = JSON.parse(String(spec));
  } catch (error) {
    return broken(`spec is not JSON: ${messageOf(error)}`);
  }
  const fault = faultIn(value, shape, []);
  return fault === undefined
    ? { kind: "read", resource: { kind, namespace, name, version, created, spec: value } as StoredResource }
    : broken(`spec${fault}`);
}

/** Finds the first place where a value hasn't its shape. Returns the JSON Pointer, and what must stand there. */
function faultIn(value: unknown, shape: Shape, path: readonly (string | number)[]): string | undefined {
  const must = (what: string): string => `${formatPointer(path)} ${value === undefined ? "is missing" : what}`;
  if (shape === "string") return typeof value === "string" ? undefined : must("must be a string");
  if (shape === "port") return isPort(value) ? undefined : must("must be a number from 0 to 65535");
  if (shape instanceof Set) {
    return shape.has(value) ? undefined : must(`must be one of ${[...shape].join(", ")}`);
  }
  if (isItems(shape)) {
    if (!Array.isArray(value)) return must("must be an array");
    return firstFault(value.map((item, index) => [item, shape[0], index]), path);
  }
  if (!isObject(value)) return must("must be an object");
  if (shape === "labels") {
    return firstFault(Object.entries(value).map(([label, text]) => [text, "string", label]), path);
  }
  return firstFault(
    Object.entries(shape).flatMap(([member, inner]) => {
      const name = member.replace(/\?$/, "");
      const item = Object.hasOwn(value, name) ? value[name] : undefined;
      return item === undefined && name !== member ? [] : [[item, inner, name] as const];
    }),
    path,
  );
}

function firstFault(
  members: readonly (readonly [value: unknown, shape: Shape, key: string | number])[],
  path: readonly (string | number)[],
): string | undefined {
  for (const [value, shape, key] of members) {
    const fault = faultIn(value, shape, [...path, key]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isKind(value: unknown): value is GatewayResourceKind {
  return typeof value === "string" && Object.hasOwn(SPECS, value);
}

function isItems(shape: Shape): shape is readonly [item: Shape] {
  return Array.isArray(shape);
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65535;
}
