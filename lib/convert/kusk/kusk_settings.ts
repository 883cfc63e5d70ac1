/**
 * The settings of Kusk's extension `x-kusk` (Kusk Gateway 1.5), and what they are in `x-svc`.
 *
 * @see {@link https://github.com/kubeshop/kusk-gateway/blob/main/docs/docs/extension.md OpenAPI Extension Reference}
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/node.ts";
import { KUSK_AUTH } from "./kusk_auth.ts";
import { below, convertObject, type FieldTable, leave, nothing, object, same, type Spot } from "./settings_table.ts";

/** The level of an `x-kusk`: the kind of object that has it. */
export type KuskLevel = "root" | "path" | "operation";

/** The namespace that Kusk looks for Services in, unless the definition names another. */
const NAMESPACE = "default";

/** The status of Kusk's redirects, which are Envoy's, unless the definition names another. */
const MOVED_PERMANENTLY = 301;

const UPSTREAM: FieldTable = {
  service: {
    convert: (value) => isObject(value) ? { ...value, namespace: value["namespace"] ?? NAMESPACE } : value,
  },
  host: same(),
  rewrite: { convert: (value) => isObject(value) && !value["pattern"] ? undefined : value },
};

const WEIGHTED_UPSTREAM: FieldTable = { ...UPSTREAM, weight: same() };

const REDIRECT: FieldTable = {
  scheme_redirect: same("scheme"),
  host_redirect: same("host"),
  port_redirect: same("port"),
  path_redirect: same("path"),
  response_code: same(),
  rewrite_regex: nothing("gw redirects to one path (redirect.path), not by a regular expression."),
  strip_query: {
    convert: (value, spot) => {
      if (value === true) leave(spot, "gw's redirects keep the query.");
      return undefined;
    },
  },
};

const RATE_LIMIT: FieldTable = {
  requests_per_unit: same(),
  unit: same(),
  per_connection: {
    convert: (value, spot) => {
      if (value === true) leave(spot, "gw counts the requests of all connections together: choose a limit for all.");
      return undefined;
    },
  },
  response_code: {
    convert: (value, spot) => {
      if (value !== 429) leave(spot, "gw answers 429 (Too Many Requests) beyond the limit.");
      return undefined;
    },
  },
};

const SETTINGS: FieldTable = {
  hosts: { convert: convertHosts },
  path: object({ prefix: same(), rewrite: { convert: leavePathRewrite } }),
  disabled: same(),
  websocket: same(),
  mocking: object({ enabled: same() }),
  validation: object({ request: object({ enabled: same() }) }),
  upstream: object(UPSTREAM),
  upstreams: { convert: convertUpstreams },
  redirect: {
    convert: (value, spot) => {
      const converted = convertObject(value, REDIRECT, spot);
      return isObject(converted) ? { response_code: MOVED_PERMANENTLY, ...converted } : converted;
    },
  },
  cors: { convert: convertCors },
  qos: object({ retries: same(), request_timeout: same(), idle_timeout: same() }),
  rate_limit: object(RATE_LIMIT),
  cache: object({ enabled: same(), max_age: same() }),
  auth: KUSK_AUTH,
  public_api_path: { convert: absolutePath },
  "public-api-path": { to: "public_api_path", convert: absolutePath },
  "openapi-path": { to: "public_api_path", convert: absolutePath },
  security: nothing("gw doesn't call 42Crunch. gw validate --strict checks a definition; run 42Crunch's audit in CI."),
};

/** Settings that gw allows only at these levels. Kusk allows them at others as well. */
const ONLY_AT: Readonly<Record<string, readonly KuskLevel[]>> = {
  hosts: ["root"],
  path: ["root", "path"],
  public_api_path: ["root"],
};

/** Converts the settings of an `x-kusk`. */
export function convertKuskSettings(value: unknown, level: KuskLevel, spot: Spot): unknown {
  if (!isObject(value)) return value;
  const here: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const name = SETTINGS[key]?.to ?? key;
    const levels = Object.hasOwn(ONLY_AT, name) ? ONLY_AT[name] : undefined;
    if (levels === undefined || levels.includes(level)) here[key] = item;
    else {leave(
        below(spot, key),
        `In gw ${name} stands ${levels.includes("path") ? "at the root or in a path" : "at the root"}.`,
      );}
  }
  return convertObject(here, SETTINGS, spot);
}

function convertHosts(value: unknown, spot: Spot): unknown {
  if (!Array.isArray(value)) return value;
  const kept = value.filter((host, index) => {
    const isOpen = typeof host === "string" && host.length > 1 && host.endsWith("*");
    if (isOpen) leave(below(spot, index), "gw has wildcards at the beginning only (*.example.org): name each host.");
    return !isOpen;
  });
  // Without hosts, the API would be served at all hosts. So invalid hosts are kept, which a deployment refuses.
  return kept.length === 0 ? value : kept;
}

/** Kusk has the weight inside `service` or `host`. */
function convertUpstreams(value: unknown, spot: Spot): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item, index) => {
    if (!isObject(item)) return item;
    const target = item["service"] !== undefined ? "service" : "host";
    const inner = item[target];
    if (!isObject(inner) || inner["weight"] === undefined) {
      return convertObject(item, WEIGHTED_UPSTREAM, below(spot, index));
    }
    const { weight, ...rest } = inner;
    return convertObject({ ...item, [target]: rest, weight }, WEIGHTED_UPSTREAM, below(spot, index));
  });
}

function convertCors(value: unknown, spot: Spot): unknown {
  if (!isObject(value)) return value;
  const { origins, credentials } = value;
  if (credentials !== true || !Array.isArray(origins) || !origins.includes("*")) return value;
  leave(
    below(spot, "credentials"),
    "gw sends no credentials to every origin (*). Name the origins, and add credentials: true.",
  );
  const { credentials: _, ...others } = value;
  return others;
}

function absolutePath(value: unknown): unknown {
  return typeof value === "string" && !value.startsWith("/") ? `/${value}` : value;
}

/** Earlier versions of Kusk have the rewrite in `path`. */
function leavePathRewrite(value: unknown, spot: Spot): undefined {
  if (isObject(value) && value["pattern"]) leave(spot, "Write it as upstream.rewrite, with pattern and substitution.");
}
