/**
 * Converts the settings of Kusk's extension `x-kusk` (Kusk Gateway 1.5) to those of `x-svc`.
 *
 * @see {@link https://github.com/kubeshop/kusk-gateway/blob/main/docs/docs/extension.md OpenAPI Extension Reference}
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { KUSK_AUTH } from "./kusk_auth.ts";
import {
  contextOf,
  type ConversionContext,
  convertObject,
  type FieldTable,
  nested,
  reportUnsupported,
  unchanged,
  unsupported,
} from "./settings_table.ts";

/** The kind of object in the definition that has the `x-kusk`. */
export type KuskLevel = "root" | "path" | "operation";

/** The namespace in which Kusk looks for a Service without `namespace`. */
const NAMESPACE = "default";

/** The status of a redirect of Kusk without `response_code`. It is the default of Envoy, which Kusk configures. */
const MOVED_PERMANENTLY = 301;

const UPSTREAM: FieldTable = {
  service: {
    convert: (value) => isObject(value) ? { ...value, namespace: value["namespace"] ?? NAMESPACE } : value,
  },
  host: unchanged(),
  rewrite: { convert: (value) => isObject(value) && !value["pattern"] ? undefined : value },
};

const WEIGHTED_UPSTREAM: FieldTable = { ...UPSTREAM, weight: unchanged() };

const REDIRECT: FieldTable = {
  scheme_redirect: unchanged("scheme"),
  host_redirect: unchanged("host"),
  port_redirect: unchanged("port"),
  path_redirect: unchanged("path"),
  response_code: unchanged(),
  rewrite_regex: unsupported("gw redirects to one path (redirect.path), not by a regular expression."),
  strip_query: {
    convert: (value, context) => {
      if (value === true) reportUnsupported(context, "gw's redirects keep the query.");
      return undefined;
    },
  },
};

const RATE_LIMIT: FieldTable = {
  requests_per_unit: unchanged(),
  unit: unchanged(),
  per_connection: {
    convert: (value, context) => {
      if (value === true) {
        reportUnsupported(context, "gw counts the requests of all connections together: choose a limit for all.");
      }
      return undefined;
    },
  },
  response_code: {
    convert: (value, context) => {
      if (value !== 429) reportUnsupported(context, "gw answers 429 (Too Many Requests) beyond the limit.");
      return undefined;
    },
  },
};

const SETTINGS: FieldTable = {
  hosts: { convert: convertHosts },
  path: nested({ prefix: unchanged(), rewrite: { convert: reportPathRewrite } }),
  disabled: unchanged(),
  websocket: unchanged(),
  mocking: nested({ enabled: unchanged() }),
  validation: nested({ request: nested({ enabled: unchanged() }) }),
  upstream: nested(UPSTREAM),
  upstreams: { convert: convertUpstreams },
  redirect: {
    convert: (value, context) => {
      const converted = convertObject(value, REDIRECT, context);
      return isObject(converted) ? { response_code: MOVED_PERMANENTLY, ...converted } : converted;
    },
  },
  cors: { convert: convertCors },
  qos: nested({ retries: unchanged(), request_timeout: unchanged(), idle_timeout: unchanged() }),
  rate_limit: nested(RATE_LIMIT),
  cache: nested({ enabled: unchanged(), max_age: unchanged() }),
  auth: KUSK_AUTH,
  public_api_path: { convert: absolutePath },
  "public-api-path": { to: "public_api_path", convert: absolutePath },
  "openapi-path": { to: "public_api_path", convert: absolutePath },
  security: unsupported(
    "gw doesn't call 42Crunch. gw validate --strict checks a definition; run 42Crunch's audit in CI.",
  ),
};

/** The settings that gw allows only at these levels of a definition. Kusk allows them at every level. */
const ONLY_AT: Readonly<Record<string, readonly KuskLevel[]>> = {
  hosts: ["root"],
  path: ["root", "path"],
  public_api_path: ["root"],
};

export function convertKuskSettings(value: unknown, level: KuskLevel, context: ConversionContext): unknown {
  if (!isObject(value)) return value;
  const here: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const name = SETTINGS[key]?.to ?? key;
    const levels = Object.hasOwn(ONLY_AT, name) ? ONLY_AT[name] : undefined;
    if (levels === undefined || levels.includes(level)) here[key] = item;
    else {reportUnsupported(
        contextOf(context, key),
        `In gw ${name} stands ${levels.includes("path") ? "at the root or in a path" : "at the root"}.`,
      );}
  }
  return convertObject(here, SETTINGS, context);
}

function convertHosts(value: unknown, context: ConversionContext): unknown {
  if (!Array.isArray(value)) return value;
  const kept = value.filter((host, index) => {
    const isOpen = typeof host === "string" && host.length > 1 && host.endsWith("*");
    if (isOpen) {
      reportUnsupported(
        contextOf(context, index),
        "gw has wildcards at the beginning only (*.example.org): name each host.",
      );
    }
    return !isOpen;
  });
  // If no valid host is left, the invalid hosts are kept, and a deployment refuses them. Without hosts, the API would
  // be served at all hosts.
  return kept.length === 0 ? value : kept;
}

/** Converts `upstreams`: Kusk has the weight of an upstream inside `service` or `host`, gw beside them. */
function convertUpstreams(value: unknown, context: ConversionContext): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item, index) => {
    if (!isObject(item)) return item;
    const target = item["service"] !== undefined ? "service" : "host";
    const inner = item[target];
    if (!isObject(inner) || inner["weight"] === undefined) {
      return convertObject(item, WEIGHTED_UPSTREAM, contextOf(context, index));
    }
    const { weight, ...rest } = inner;
    return convertObject({ ...item, [target]: rest, weight }, WEIGHTED_UPSTREAM, contextOf(context, index));
  });
}

function convertCors(value: unknown, context: ConversionContext): unknown {
  if (!isObject(value)) return value;
  const { origins, credentials } = value;
  if (credentials !== true || !Array.isArray(origins) || !origins.includes("*")) return value;
  reportUnsupported(
    contextOf(context, "credentials"),
    "gw sends no credentials to every origin (*). Name the origins, and add credentials: true.",
  );
  const { credentials: _, ...others } = value;
  return others;
}

function absolutePath(value: unknown): unknown {
  return typeof value === "string" && !value.startsWith("/") ? `/${value}` : value;
}

/** Reports a rewrite in `path`, where earlier versions of Kusk have it. gw has it in `upstream.rewrite`. */
function reportPathRewrite(value: unknown, context: ConversionContext): undefined {
  if (isObject(value) && value["pattern"]) {
    reportUnsupported(context, "Write it as upstream.rewrite, with pattern and substitution.");
  }
}
