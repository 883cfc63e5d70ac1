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

/** Options of {@linkcode createKubernetesAccess}. */
export interface KubernetesAccessOptions {
  client: Pick<KubeClient, "request">;
  /** A clock in milliseconds, of which only differences matter. */
  now: () => number;
}

/** Authentication and authorization by the cluster. */
export interface KubernetesAccess {
  /** Authenticates tokens by TokenReview. */
  tokens: Tokens;
  /** Authorizes requests by SubjectAccessReview. */
  authorize: NonNullable<ManagementOptions["authorize"]>;
}

/** The access that a SubjectAccessReview is about: to a resource, or to a path of a server. */
type Attributes =
  | { resource: string; group: string; verb: string; namespace: string; name: string }
  | { path: string; verb: string };

/** How long reviews of the API server are cached, in milliseconds. */
const LIFETIME = 10_000;
/** The most reviews of each kind (TokenReview, SubjectAccessReview) in the cache. */
const MOST = 10_000;
/** The longest token that is reviewed, in characters. */
const LONGEST_TOKEN = 16 * 1024;

const TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Any object of any namespace. */
const ANYWHERE: ObjectName = { namespace: "", name: "" };

/**
 * The rights that each operation of the management API needs: the verb on the Kubernetes kind that its path names. So
 * users who may `kubectl get services -n shop` may also `GET /services?namespace=shop`. Operations that aren't listed
 * need only a valid token.
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

/** Asks the API server about users and their rights; its answers are cached for ten seconds. */
export function createKubernetesAccess({ client, now }: KubernetesAccessOptions): KubernetesAccess {
  const reviews = new Reviews(client, now);
  return {
    tokens: { find: (token) => reviews.userOf(token), close: () => {} },
    authorize: (request, operation, object) => authorize(reviews, request, operation, object),
  };
}

async function authorize(
  reviews: Reviews,
  request: Request,
  operation: string,
  object: ObjectName,
): Promise<Response | undefined> {
  const needs = Object.hasOwn(NEEDS, operation) ? NEEDS[operation] : undefined;
  if (needs === undefined) return undefined;
  // The name of a new object is in the body. When the body is read, `authorize` is called again with the name.
  if (operation.startsWith("create") && object.name === "") return undefined;
  try {
    const token = bearerOf(request);
    const user = token === undefined ? undefined : await reviews.userOf(token);
    if (user === undefined) return forbidden(undefined);
    for (const attributes of needs(object, request)) {
      if (!await reviews.isAllowed(user, attributes)) return forbidden(user.name, attributes);
    }
    return undefined;
  } catch (error) {
    throw new StoreError("unavailable", `Nobody can say who may do this: ${messageOf(error)}`, { cause: error });
  }
}

/** Reviews of the API server, cached. */
class Reviews {
  readonly #client: Pick<KubeClient, "request">;
  readonly #users: ExpiringCache<User | undefined>;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(client: Pick<KubeClient, "request">, now: () => number) {
    this.#client = client;
    this.#users = new ExpiringCache({ lifetime: LIFETIME, most: MOST, now });
    this.#decisions = new ExpiringCache({ lifetime: LIFETIME, most: MOST, now });
  }

  /** The user of a token; `undefined` for a token that isn't valid. */
  async userOf(token: string): Promise<User | undefined> {
    if (token.length > LONGEST_TOKEN) return undefined;
    // The key is a hash, so that nobody can read valid tokens from the memory of this process.
    const key = createHash("sha256").update(token).digest("base64");
    return await this.#users.get(key, async () => {
      const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
      const status = statusOf(await this.#client.request("POST", TOKEN_REVIEWS, body));
      return status["authenticated"] === true ? readUser(status["user"]) : undefined;
    });
  }

  isAllowed({ name, groups, uid, extra }: User, attributes: Attributes): Promise<boolean> {
    const about = "path" in attributes ? { nonResourceAttributes: attributes } : { resourceAttributes: attributes };
    const spec = {
      user: name,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
      ...about,
    };
    return this.#decisions.get(JSON.stringify(spec), async () => {
      const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
      return statusOf(await this.#client.request("POST", ACCESS_REVIEWS, body))["allowed"] === true;
    });
  }
}

/** Options of {@linkcode ExpiringCache}. */
interface ExpiringCacheOptions {
  /** How long values are kept, in milliseconds. */
  lifetime: number;
  /** The most values that are kept. */
  most: number;
  /** A clock in milliseconds, of which only differences matter. */
  now: () => number;
}

/** Caches values for a limited time. Concurrent callers share one computation; failures aren't cached. */
class ExpiringCache<Value> {
  readonly #options: ExpiringCacheOptions;
  /** In the order in which they were added. */
  readonly #entries = new Map<string, { value: Promise<Value>; until: number }>();

  constructor(options: ExpiringCacheOptions) {
    this.#options = options;
  }

  get(key: string, compute: () => Promise<Value>): Promise<Value> {
    const { lifetime, now } = this.#options;
    const before = this.#entries.get(key);
    if (before !== undefined && now() < before.until) return before.value;
    this.#entries.delete(key);
    this.#evict();
    const entry = { value: compute(), until: now() + lifetime };
    this.#entries.set(key, entry);
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  /** Deletes expired values, and the oldest where there are too many. */
  #evict(): void {
    const { most, now } = this.#options;
    for (const [key, { until }] of this.#entries) {
      if (this.#entries.size < most && now() < until) return;
      this.#entries.delete(key);
    }
  }
}

/** The rights to list, read, create and delete resources of a kind. */
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

/** The namespace in the query of a request for a list; without one, all namespaces. */
function listed({ url }: Request): ObjectName {
  return { namespace: readQuery(splitTarget(url).query)("namespace") ?? "", name: "" };
}

/**
 * The additional rights to delete a fleet with everything on it (`cascade`): to delete APIs and static routes in all
 * namespaces.
 */
function cascadeOf({ url }: Request): Attributes[] {
  return readFlag(readQuery(splitTarget(url).query), "cascade")
    ? [attributes("delete", "apis", ANYWHERE), attributes("delete", "staticroutes", ANYWHERE)]
    : [];
}

/** Answers 403. `user` is undefined for credentials that the cluster doesn't know. */
function forbidden(user: string | undefined, attributes?: Attributes): Response {
  const detail = user === undefined || attributes === undefined
    ? "The cluster doesn't know the user of these credentials."
    : `${user} ${explain(attributes)}`;
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
