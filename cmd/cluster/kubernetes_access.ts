import { createHash } from "node:crypto";
import { GROUP } from "../../lib/cluster/names.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import { splitTarget } from "../../lib/http/url.ts";
import type { ManagementOptions } from "../../lib/management/options.ts";
import { readFlag, readQuery } from "../../lib/management/query.ts";
import type { ObjectName } from "../../lib/gateway/resource.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { isObject } from "../../lib/schema/node.ts";
import { bearerOf } from "../io/access.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Tokens, User } from "../io/tokens.ts";
import type { KubeClient } from "./client.ts";
import { createExpiringCache } from "./expiring_cache.ts";

/** What deciding on access needs. */
export interface KubernetesAccessOptions {
  client: Pick<KubeClient, "request">;
  /** The time in milliseconds; any beginning will do. */
  now: () => number;
}

/** Who may do what, as the cluster says. */
export interface KubernetesAccess {
  /** Whose token it is, by TokenReview. */
  tokens: Tokens;
  /** Whether the user of a request may do what it asks for, by SubjectAccessReview. */
  authorize: NonNullable<ManagementOptions["authorize"]>;
}

/** What the API server is asked about: a resource, or a path of a server. */
type Attributes =
  | { resource: string; group: string; verb: string; namespace: string; name: string }
  | { path: string; verb: string };

/** How long the API server's answers hold, in milliseconds. */
const LIFETIME = 10_000;
/** Of so many tokens, and of so many questions. */
const MOST = 10_000;
/** No token is longer. */
const LONGEST_TOKEN = 16 * 1024;

const TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Of an object in any namespace. */
const ANYWHERE: ObjectName = { namespace: "", name: "" };

/**
 * What each operation needs: the verb on the kind of Kubernetes that its path names, so that whoever may
 * `kubectl get services -n shop` may also `GET /services?namespace=shop`. What isn't listed needs a valid token only.
 */
const NEEDS: Readonly<Record<string, (object: ObjectName, request: Request) => Attributes[]>> = {
  ...needsOf("Api", "Apis", "apis"),
  getApiDefinition: (object) => [attributes("get", "apis", object)],
  getApiResource: (object) => [attributes("get", "apis", object)],
  replaceApi: (object) => [attributes("update", "apis", object)],
  ...needsOf("Fleet", "Fleets", "fleets"),
  getFleetResource: (object) => [attributes("get", "fleets", object)],
  replaceFleet: (object) => [attributes("update", "fleets", object)],
  deleteFleet: (object, request) => [attributes("delete", "fleets", object), ...cascadeOf(request)],
  ...needsOf("StaticRoute", "StaticRoutes", "staticroutes"),
  getStaticRouteResource: (object) => [attributes("get", "staticroutes", object)],
  replaceStaticRoute: (object) => [attributes("update", "staticroutes", object)],
  listServices: (_object, request) => [attributes("list", "services", listed(request), "")],
  getService: (object) => [attributes("get", "services", object, "")],
  listNamespaces: () => [attributes("list", "namespaces", ANYWHERE, "")],
  getMetrics: () => [{ path: "/metrics", verb: "get" }],
};

/** Makes what asks the API server about users and their rights; it answers for ten seconds. */
export function createKubernetesAccess({ client, now }: KubernetesAccessOptions): KubernetesAccess {
  const limits = { lifetime: LIFETIME, most: MOST, now };
  const users = createExpiringCache<User | undefined>(limits);
  const decisions = createExpiringCache<boolean>(limits);
  return { tokens: { find, close: () => {} }, authorize };

  async function find(token: string): Promise<User | undefined> {
    if (token.length > LONGEST_TOKEN) return undefined;
    // What is remembered can't be read out of memory again.
    const key = createHash("sha256").update(token).digest("base64");
    return await users.get(key, () => reviewToken(token));
  }

  async function reviewToken(token: string): Promise<User | undefined> {
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
    const status = statusOf(await client.request("POST", TOKEN_REVIEWS, body));
    return status["authenticated"] === true ? readUser(status["user"]) : undefined;
  }

  async function authorize(request: Request, operation: string, object: ObjectName): Promise<Response | undefined> {
    const needs = Object.hasOwn(NEEDS, operation) ? NEEDS[operation] : undefined;
    if (needs === undefined) return undefined;
    // What is to be created isn't known before its content is read; the question comes again then.
    if (operation.startsWith("create") && object.name === "") return undefined;
    try {
      const token = bearerOf(request);
      const user = token === undefined ? undefined : await find(token);
      if (user === undefined) return forbidden("Whoever sent this");
      for (const attributes of needs(object, request)) {
        if (!await isAllowed(user, attributes)) return forbidden(user.name, attributes);
      }
      return undefined;
    } catch (error) {
      throw new StoreError("unavailable", `Nobody can say who may do this: ${messageOf(error)}`, { cause: error });
    }
  }

  function isAllowed({ name, groups, uid, extra }: User, attributes: Attributes): Promise<boolean> {
    const about = "path" in attributes ? { nonResourceAttributes: attributes } : { resourceAttributes: attributes };
    const spec = {
      user: name,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
      ...about,
    };
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    return decisions.get(JSON.stringify(spec), async () => {
      return statusOf(await client.request("POST", ACCESS_REVIEWS, body))["allowed"] === true;
    });
  }
}

/** What listing, reading, making and deleting resources of a kind needs. */
function needsOf(one: string, many: string, resource: string): Record<string, (typeof NEEDS)[string]> {
  return {
    [`list${many}`]: (_object, request) => [attributes("list", resource, listed(request))],
    [`get${one}`]: (object) => [attributes("get", resource, object)],
    [`create${one}`]: (object) => [attributes("create", resource, object)],
    [`delete${one}`]: (object) => [attributes("delete", resource, object)],
  };
}

function attributes(
  verb: string,
  resource: string,
  { namespace, name }: ObjectName,
  group: string = GROUP,
): Attributes {
  return { group, resource, verb, namespace, name };
}

/** The namespace that a list is about: one that is named, or all. */
function listed({ url }: Request): ObjectName {
  return { namespace: readQuery(splitTarget(url).query)("namespace") ?? "", name: "" };
}

/** Whoever deletes a fleet with all that is on it deletes in any namespace. */
function cascadeOf({ url }: Request): Attributes[] {
  return readFlag(readQuery(splitTarget(url).query), "cascade")
    ? [attributes("delete", "apis", ANYWHERE), attributes("delete", "staticroutes", ANYWHERE)]
    : [];
}

function forbidden(who: string, attributes?: Attributes): Response {
  const detail = attributes === undefined
    ? `${who} is nobody whom the cluster knows.`
    : `${who} ${explain(attributes)}`;
  return problemResponse({ title: "Forbidden", status: 403, detail });
}

function explain(attributes: Attributes): string {
  const { verb } = attributes;
  if ("path" in attributes) return `may not ${verb} ${attributes.path}.`;
  const { group, resource, namespace, name } = attributes;
  const kind = group === "" ? resource : `${resource}.${group}`;
  const which = name === "" ? kind : `${name} of ${kind}`;
  if (namespace !== "" || resource === "namespaces") {
    return `may not ${verb} ${which}${namespace === "" ? "" : ` in the namespace ${namespace}`}.`;
  }
  const advice = verb === "list" ? " Name one where it may: `?namespace=NAME` (`gw get -n NAME`)." : "";
  return `may not ${verb} ${which} in all namespaces.${advice}`;
}

function statusOf(review: unknown): Record<string, unknown> {
  const status = isObject(review) ? review["status"] : undefined;
  return isObject(status) ? status : {};
}

function readUser(value: unknown): User | undefined {
  if (!isObject(value) || typeof value["username"] !== "string") return undefined;
  const { username: name, groups, uid, extra } = value;
  return {
    name,
    groups: texts(groups),
    ...(typeof uid === "string" && uid !== "" ? { uid } : {}),
    ...(isObject(extra)
      ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, texts(values)])) }
      : {}),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
