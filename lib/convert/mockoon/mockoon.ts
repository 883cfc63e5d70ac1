/**
 * Converts an environment file of Mockoon into a definition of OpenAPI 3.1.
 *
 * @module
 */
import { stringify } from "yaml";
import { shellWord } from "../../http/message.ts";
import type { Source } from "../../schema/json/source.ts";
import type { Conversion, Leftover } from "../conversion.ts";
import { createCrudConversion, type CrudPaths } from "./crud.ts";
import { convertEndpoint } from "./endpoint.ts";
import { type Environment, isEnvironment, type MockoonRoute, readEnvironment } from "./environment.ts";
import { convertRoute } from "./operation.ts";
import { createPathItems, type PathItems } from "./path_items.ts";

/** The methods of the operations that a Mockoon route for all methods becomes. */
const ALL_METHODS = ["get", "post", "put", "patch", "delete"];
const METHODS = new Set([...ALL_METHODS, "head", "options"]);

/** Tells whether a text is an environment file of Mockoon. */
export function isMockoon({ value }: Source): boolean {
  return isEnvironment(value);
}

export function convertMockoon({ value }: Source): Conversion {
  const leftovers: Leftover[] = [];
  if (!isEnvironment(value)) return { text: "", leftovers };
  const environment = readEnvironment(value);
  const buckets = new Map(environment.buckets.filter(({ id }) => id !== "").map((bucket) => [bucket.id, bucket]));
  const building: Building = {
    environment,
    convertCrud: createCrudConversion(buckets, leftovers),
    paths: createPathItems(),
    collections: [],
    leftovers,
  };
  for (const route of environment.routes) addRoute(building, route);
  const mocking = {
    ...environment.latency === 0 ? {} : { delay: environment.latency },
    ...environment.proxy === undefined ? {} : { enabled: true },
  };
  const definition = {
    openapi: "3.1.1",
    info: { title: environment.name || "API", version: "1.0.0" },
    ...Object.keys(mocking).length === 0 ? {} : { "x-svc": { mocking } },
    ...building.paths.finish(),
  };
  const flags = [...flagsOf(environment, leftovers), ...itemsFlag(building.collections)];
  const start = `# gw mock openapi.yaml${flags.map((flag) => ` ${flag}`).join("")}\n`;
  return { text: `${start}${stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false })}`, leftovers };
}

/** The definition that is being made, with what can't be converted. */
interface Building {
  readonly environment: Environment;
  readonly convertCrud: ReturnType<typeof createCrudConversion>;
  readonly paths: PathItems;
  readonly collections: CrudPaths[];
  readonly leftovers: Leftover[];
}

function addRoute({ environment, convertCrud, paths, collections, leftovers }: Building, route: MockoonRoute): void {
  const left = (key: string, message: string): void => {
    leftovers.push({ pointer: `${route.pointer}/${key}`, message });
  };
  if (route.type === "ws") {
    return left("type", "gw mocks no WebSockets. gw serve passes them on to an upstream (x-svc.websocket).");
  }
  if (route.isStreamed) {
    left(
      "streamingMode",
      "gw streams media types of sequences, such as text/event-stream, from items (documentation, page mocking).",
    );
  }
  const endpoint = convertEndpoint(environment.prefix, route.endpoint);
  if (endpoint.kind === "left") return left("endpoint", endpoint.message);
  for (const path of endpoint.paths) {
    if (route.type === "crud") {
      const crud = convertCrud(route);
      if (crud === undefined) continue;
      collections.push(crud);
      paths.share(path, crud.list, `${crud.name}-list`, route.documentation);
      paths.share(`${path === "/" ? "" : path}/{id}`, crud.item, `${crud.name}-item`);
      continue;
    }
    const methods = route.method === "all" ? ALL_METHODS : [route.method];
    if (!METHODS.has(route.method) && route.method !== "all") {
      left("method", `OpenAPI 3.1 has no method ${route.method}.`);
      continue;
    }
    for (const method of methods) {
      if (paths.has(path, method)) {
        if (route.method !== "all") {
          left("endpoint", "An earlier route has this method and path; this one is never reached without a fallback.");
        }
        continue;
      }
      // A route for all methods is converted once for each method, but what can't be converted is reported once.
      const rest = method === methods[0] ? leftovers : [];
      paths.add(path, method, convertRoute(route, method, path, environment, rest));
    }
  }
}

/** Returns the flags of `gw mock` that have the effect of an environment's settings. */
function flagsOf({ port, hostname, hasCors, proxy, tls, callbacks }: Environment, leftovers: Leftover[]): string[] {
  const flags = [
    ...port === undefined ? [] : [`--port ${port}`],
    ...hostname === "" ? [] : [`--host ${flagValue(hostname)}`],
    ...hasCors ? [] : ["--no-cors"],
    ...proxy === undefined ? [] : [`--proxy ${flagValue(proxy)} --proxy-unknown`],
  ];
  if (proxy !== undefined) {
    leftovers.push({
      pointer: "/proxyHost",
      message: "gw adds no headers to requests of --proxy, and removes no prefix from their paths.",
    });
  }
  if (tls !== undefined) {
    const { certPath, keyPath } = tls;
    if (typeof certPath === "string" && typeof keyPath === "string" && certPath !== "" && keyPath !== "") {
      flags.push(`--tls-cert ${flagValue(certPath)} --tls-key ${flagValue(keyPath)}`);
    } else {
      leftovers.push({
        pointer: "/tlsOptions",
        message: "gw needs a certificate and its key in PEM: --tls-cert FILE --tls-key FILE.",
      });
    }
  }
  if (callbacks > 0) {
    leftovers.push({
      pointer: "/callbacks",
      message: "Write callbacks as Callback Objects of operations, and start gw mock with --callbacks.",
    });
  }
  return flags;
}

/** The number of items that gw generates for each collection by default. The items of a longer example are all kept. */
const DEFAULT_ITEMS = 3;

/**
 * Returns `--items`, a flag of `gw mock`, if gw would generate more or fewer items by default than Mockoon starts with.
 */
function itemsFlag(collections: readonly CrudPaths[]): string[] {
  const fewest = collections.reduce((fewest, { count }) => Math.min(fewest, count), Infinity);
  const isOther = fewest < DEFAULT_ITEMS ||
    fewest > DEFAULT_ITEMS && collections.some(({ isGenerated }) => isGenerated);
  return collections.length > 0 && isOther ? [`--items ${fewest}`] : [];
}

/** The value of a flag on a command line. Control characters such as newlines are removed. */
function flagValue(text: string): string {
  return shellWord(text.replaceAll(/\p{Cc}/gu, ""));
}
