import { isObject } from "../../lib/schema/json/node.ts";
import { describePlace } from "./deploy_messages.ts";

/** A kind of resource that `gw get` shows. */
export interface ResourceKind {
  /** The singular: `api`. */
  name: string;
  /** The path in the management API, which is also the plural: `apis`. */
  path: string;
  /** Whether resources of this kind are derived from others, so that they can't be deleted. */
  isReadOnly: boolean;
  /** Whether the management API returns one resource by its name. */
  hasItems: boolean;
  /** Whether the query `details` adds what the table shows. Default: no. */
  hasDetails?: boolean;
  /** The columns of the table: a heading, and a function that reads the cell from a resource. */
  columns: readonly (readonly [head: string, cell: (resource: unknown) => string])[];
}

/** The kinds of the management API. */
export const RESOURCE_KINDS: readonly ResourceKind[] = [
  {
    name: "api",
    path: "apis",
    isReadOnly: false,
    hasItems: true,
    columns: [
      ["NAMESPACE", text("namespace")],
      ["NAME", text("name")],
      ["VERSION", text("version")],
      ["FLEET", nameAt("fleet")],
      ["SERVED AT", (api) => servedAt(field(api, "routing"))],
      ["UPSTREAM", (api) => texts(field(api, "routing"), "upstreams").join(",")],
      ["MOCKED", (api) => mockedShare(field(api, "routing"))],
    ],
    hasDetails: true,
  },
  {
    name: "fleet",
    path: "fleets",
    isReadOnly: false,
    hasItems: true,
    columns: [
      ["NAMESPACE", text("namespace")],
      ["NAME", text("name")],
      ["PORTS", fleetPorts],
      ["APIS", count("apis")],
      ["STATICROUTES", count("staticRoutes")],
      ["SERVICES", count("services")],
    ],
  },
  {
    name: "service",
    path: "services",
    isReadOnly: true,
    hasItems: true,
    columns: [
      ["NAMESPACE", text("namespace")],
      ["NAME", text("name")],
      ["STATUS", text("status")],
      ["TYPE", text("serviceType")],
      ["PORTS", portNumbers],
      ["URL", (service) => texts(service, "urls").join(",")],
    ],
    hasDetails: true,
  },
  {
    name: "staticroute",
    path: "staticroutes",
    isReadOnly: false,
    hasItems: true,
    columns: [
      ["NAMESPACE", text("namespace")],
      ["NAME", text("name")],
      ["FLEET", (route) => join(text("proxyFleetNamespace")(route), text("proxyFleetName")(route))],
    ],
  },
  { name: "namespace", path: "namespaces", isReadOnly: true, hasItems: false, columns: [["NAME", text("name")]] },
];

/** Finds a kind by its plural or singular: `apis`, `api`. */
export function kindOf(word: string): ResourceKind | undefined {
  return RESOURCE_KINDS.find(({ name, path }) => word === name || word === path);
}

/** Formats resources as the rows of an aligned table. */
export function tableOf(kind: ResourceKind, resources: readonly unknown[]): string[] {
  const rows = [
    kind.columns.map(([head]) => head),
    ...resources.map((resource) => kind.columns.map(([, cell]) => cell(resource) || "-")),
  ];
  const widths = kind.columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd());
}

function text(key: string): (resource: unknown) => string {
  return (resource) => {
    const value = field(resource, key);
    return typeof value === "string" ? value : "";
  };
}

function nameAt(key: string): (resource: unknown) => string {
  return (resource) => {
    const object = field(resource, key);
    return join(text("namespace")(object), text("name")(object));
  };
}

function count(key: string): (resource: unknown) => string {
  return (resource) => {
    const list = field(resource, key);
    return Array.isArray(list) ? String(list.length) : "";
  };
}

function portNumbers(service: unknown): string {
  const ports = field(service, "ports");
  return Array.isArray(ports) ? ports.map((port) => String(field(port, "port"))).join(",") : "";
}

function fleetPorts(fleet: unknown): string {
  const services = field(fleet, "services");
  return Array.isArray(services)
    ? [...new Set(services.map(portNumbers))].filter((ports) => ports !== "").join(",")
    : "";
}

/** Where an API is served: `http://127.0.0.1:8080/v1 for api.example.com`. */
function servedAt(routing: unknown): string {
  if (routing === undefined) return "";
  return describePlace({
    urls: texts(routing, "urls"),
    hosts: texts(routing, "hosts"),
    prefixes: texts(routing, "prefixes"),
  });
}

function mockedShare(routing: unknown): string {
  return routing === undefined ? "" : `${field(routing, "mocked")} of ${field(routing, "operations")}`;
}

/** The texts of a list; empty if there is none. */
function texts(resource: unknown, key: string): string[] {
  const list = field(resource, key);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

function field(resource: unknown, key: string): unknown {
  return isObject(resource) ? resource[key] : undefined;
}

function join(namespace: string, name: string): string {
  return name === "" ? "" : `${namespace}/${name}`;
}
