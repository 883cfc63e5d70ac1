import { createHash } from "node:crypto";
import { GROUP } from "../../lib/cluster/names.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import { splitTarget } from "../../lib/http/url/url.ts";
import type { ManagementOptions } from "../../lib/management/options.ts";
import { flagOf, readQuery } from "../../lib/api/query.ts";
import type { ObjectName } from "../../lib/gateway/resource.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import { bearerOf } from "../io/access.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Tokens, User } from "../io/tokens.ts";
import type { KubeClient } from "./client.ts";

/** Options of {@linkcode createKubernetesAccess}. */
export interface KubernetesAccessOptions {
  client: Pick<KubeClient, "request">;
  /** Returns the time of any clock in milliseconds; only differences matter. */
  now: () => number;
}

/** Authentication and authorization by the Kubernetes API server. */
export interface KubernetesAccess {
  /** Authenticates tokens (TokenReview). */
  tokens: Tokens;
  /** Authorizes requests (SubjectAccessReview). */
  authorize: NonNullable<ManagementOptions["authorize"]>;
}

/** What a SubjectAccessReview asks about: a verb on a resource, or on a path of a server. */
type Attributes =
  | { resource: string; group: string; verb: string; namespace: string; name: string }
  | { path: string; verb: string };

/** The time for which the results of reviews are cached, in milliseconds. */
const LIFETIME = 10_000;
/** The most cached results of each kind of review. */
const MOST_REVIEWS = 10_000;
/** The longest token that is reviewed, in characters. */
const LONGEST_TOKEN = 16 * 1024;

const TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";
const ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Stands for any object of any namespace. */
const ANY_OBJECT: ObjectName = { namespace: "", name: "" };

/**
 * The rights that each operation of the management API requires: a verb on the Kubernetes kind that its path names. So
 * users who may `kubectl get services -n shop` may also `GET /services?namespace=shop`. Operations that are missing
 * here only require a valid token.
 */
const REQUIRED_RIGHTS: Readonly<Record<string, (object: ObjectName, request: Request) => Attributes[]>> = {
  ...requiredRightsFor("Api", "Apis", "apis"),
  getApiDefinition: (object) => [attributes("get", "apis", object)],
  getApiResource: (object) => [attributes("get", "apis", object)],
  replaceApi: (object) => [attributes("update", "apis", object)],
  ...requiredRightsFor("Fleet", "Fleets", "fleets"),
  getFleetResource: (object) => [attributes("get", "fleets", object)],
  replaceFleet: (object) => [attributes("update", "fleets", object)],
  deleteFleet: (object, request) => [attributes("delete", "fleets", object), ...cascadeOf(request)],
  ...requiredRightsFor("StaticRoute", "StaticRoutes", "staticroutes"),
  getStaticRouteResource: (object) => [attributes("get", "staticroutes", object)],
  replaceStaticRoute: (object) => [attributes("update", "staticroutes", object)],
  listServices: (_object, request) => [attributes("list", "services", listed(request), "")],
  getService: (object) => [attributes("get", "services", object, "")],
  listNamespaces: () => [attributes("list", "namespaces", ANY_OBJECT, "")],
  getMetrics: () => [{ path: "/metrics", verb: "get" }],
};

/** Makes functions that ask the API server about users and their rights. The results are cached for ten seconds. */
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
  const needs = Object.hasOwn(REQUIRED_RIGHTS, operation) ? REQUIRED_RIGHTS[operation] : undefined;
  if (needs === undefined) return undefined;
  // The name of a new object is in the body of the request. `authorize` is called again when the body is read.
  if (operation.startsWith("create") && object.name === "") return undefined;
  // A malformed query is the client's error: only errors of the reviews below say that the cluster doesn't answer.
  const required = needs(object, request);
  try {
    const token = bearerOf(request);
    const user = token === undefined ? undefined : await reviews.userOf(token);
    if (user === undefined) return forbidden(undefined);
    for (const attributes of required) {
      if (!await reviews.isAllowed(user, attributes)) return forbidden(user.name, attributes);
    }
    return undefined;
  } catch (error) {
    throw new StoreError("unavailable", `Nobody can say who may do this: ${messageOf(error)}`, { cause: error });
  }
}

/** Sends TokenReviews and SubjectAccessReviews, and caches the results. */
class Reviews {
  readonly #client: Pick<KubeClient, "request">;
  readonly #users: ExpiringCache<User | undefined>;
  readonly #decisions: ExpiringCache<boolean>;

  constructor(client: Pick<KubeClient, "request">, now: () => number) {
    this.#client = client;
    this.#users = new ExpiringCache({ lifetime: LIFETIME, most: MOST_REVIEWS, now });
    this.#decisions = new ExpiringCache({ lifetime: LIFETIME, most: MOST_REVIEWS, now });
  }

  /** Returns the user of a token; `undefined` if the token isn't valid. */
  async userOf(token: string): Promise<User | undefined> {
    if (token.length > LONGEST_TOKEN) return undefined;
    // The cache has hashes of tokens as its keys, so that a memory dump of this process shows no valid tokens.
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
  /** The time for which values are cached, in milliseconds. */
  lifetime: number;
  /** The most cached values. */
  most: number;
  /** Returns the time of any clock in milliseconds; only differences matter. */
  now: () => number;
}

/** Caches values for a limited time. Concurrent callers share one computation. Failures aren't cached. */
class ExpiringCache<Value> {
  readonly #options: ExpiringCacheOptions;
  /** The cached values, in the order in which they were added. */
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

  /** Removes expired values, and the oldest values beyond the limit. */
  #evict(): void {
    const { most, now } = this.#options;
    for (const [key, { until }] of this.#entries) {
      if (this.#entries.size < most && now() < until) return;
      this.#entries.delete(key);
    }
  }
}

/** Returns the rights that the operations to list, read, create and delete resources of a kind require. */
function requiredRightsFor(
  one: string,
  many: string,
  resource: string,
): Record<string, (typeof REQUIRED_RIGHTS)[string]> {
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

/** Returns the namespace in the query of a list operation; without one, all namespaces. */
function listed({ url }: Request): ObjectName {
  return { namespace: readQuery(splitTarget(url).query).get("namespace") ?? "", name: "" };
}

/**
 * Returns the further rights that are required to delete a fleet with all that is on it (`cascade`): to delete APIs and
 * static routes in all namespaces.
 */
function cascadeOf({ url }: Request): Attributes[] {
  return flagOf(readQuery(splitTarget(url).query), "cascade")
    ? [attributes("delete", "apis", ANY_OBJECT), attributes("delete", "staticroutes", ANY_OBJECT)]
    : [];
}

/** Makes the 403 response. `user` is `undefined` for credentials that the cluster doesn't accept. */
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
