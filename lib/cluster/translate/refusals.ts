/**
 * What a definition wants and a gateway of a cluster can't do, or mustn't.
 *
 * @module
 */
import { atKey, error } from "../../openapi/lint/report.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import type {
  ExtensionSettings,
  Oauth2Settings,
  UpstreamHost,
  UpstreamService,
} from "../../openapi/extension/settings.ts";
import { child, type Node } from "../../schema/node.ts";
import { readRewrite } from "../../openapi/extension/rewrite_pattern.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { type PlannedRoute, showPath } from "../../gateway/route.ts";
import { CORS_ORIGIN } from "./cors_filter.ts";
import { METHODS, ROUTE_LIMITS } from "./http_route.ts";
import {
  areToldApart,
  loginOf,
  LOGOUT_PATH,
  type PlannedLogin,
  REDIRECT_URL,
  SAME_SESSIONS,
} from "../../gateway/login.ts";
import { unreachableReason } from "./path_match.ts";
import { patternOf } from "./path_pattern.ts";
import type { Mocks, RenderOptions } from "./rendering.ts";
import { TOLD_HEADERS } from "./policies.ts";
import { readOutsideHost } from "./upstream_host.ts";
import { type Guarding, type RouteEntry, shareMethod } from "./route_entry.ts";
import { upstreamNode } from "./rule.ts";

/** Collects what is refused, each place once. */
export type Refuse = (node: Node | undefined, message: string) => void;

/** The name of a Service or a namespace (RFC 1123, label). */
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of a Secret (RFC 1123, subdomain). */
const SECRET_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** A host name as HTTPRoutes have it. */
const HOSTNAME = /^(?:\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const ADDRESS = /^[0-9.]+$|:/;

/** The most that lists may have in policies of Envoy Gateway and in CORS filters. */
const MOST = { providers: 16, audiences: 8, corsEntries: 64, corsMethods: 9, givenHeaders: 8 } as const;

/** The key of a Secret in which Envoy Gateway looks for a client's secret. */
const CLIENT_SECRET = "client-secret";

/** Collects the diagnostics of a rendering. */
export function createRefuse(): { refuse: Refuse; diagnostics: () => UnlocatedDiagnostic[] } {
  const diagnostics = new Map<string, UnlocatedDiagnostic>();
  return {
    refuse(node, message) {
      if (node === undefined) return;
      const place = `${node.source.uri}#${node.pointer} ${message}`;
      if (diagnostics.has(place)) return;
      // People look for the key; the items of a list have none.
      const diagnostic = error("not-in-cluster", message, node);
      diagnostics.set(place, /\/\d+$/.test(node.pointer) ? diagnostic : atKey(diagnostic));
    },
    diagnostics: () => [...diagnostics.values()],
  };
}

/** Refuses hosts that no route can have. */
export function refuseHosts(hosts: readonly string[], node: Node | undefined, refuse: Refuse): void {
  for (const host of hosts) {
    if (host === "*" || (HOSTNAME.test(host) && !ADDRESS.test(host))) continue;
    refuse(node, `The host \`${host}\` can't be that of a route in a cluster: it has to be a DNS name.`);
  }
}

/** Where a route is to be. */
export interface RoutePlace extends Pick<RenderOptions, "profile" | "isNamespace"> {
  readonly mocks: Mocks;
  /** Of its API or static route. */
  readonly namespace: string;
}

/** Refuses what a route wants; whether anything was refused is told. */
export function refuseRoute(route: PlannedRoute, place: RoutePlace, refuseAt: Refuse): boolean {
  let isRefused = false;
  const refuse: Refuse = (node, message) => {
    isRefused = true;
    refuseAt(node ?? nodeOf(route), message);
  };
  // What isn't there needs no rule.
  if (route.action.kind === "disabled") return false;
  refusePath(route, refuse);
  refuseUpstreams(route, place, refuse);
  refuseRedirect(route, refuse);
  refuseCors(route, refuse);
  refuseAuth(route, place, refuse);
  if (place.profile === "portable") refuseUnportable(route, refuse);
  return isRefused;
}

/** Where a route is written. */
export function nodeOf({ operation, origins }: PlannedRoute): Node | undefined {
  return operation?.node ?? origins.public_api_path ?? origins.upstream ?? origins.upstreams;
}

function refusePath(route: PlannedRoute, refuse: Refuse): void {
  const reason = unreachableReason(patternOf(route.path));
  if (reason !== undefined) {
    refuse(nodeOf(route), `No request has the path \`${showPath(route.path)}\` behind a gateway: ${reason}.`);
  }
  if (route.method !== "*" && !METHODS.has(route.method)) {
    refuse(nodeOf(route), `The Gateway API has no method ${route.method}, so that no rule can tell it from others.`);
  }
}

function refuseUpstreams(route: PlannedRoute, place: RoutePlace, refuse: Refuse): void {
  const { action } = route;
  if (action.kind !== "upstream") return;
  const { upstreams } = action;
  for (const [index, { service, host, rewrite }] of upstreams.entries()) {
    const node = upstreamNode(route, index);
    refuseService(service, node && child(node, "service"), place, refuse);
    refuseOutside(host, node && child(node, "host"), place, refuse);
    if (rewrite === undefined) continue;
    const result = readRewrite(rewrite);
    if (result.kind === "unsupported") {
      const message = `This rewrite can't be done by Envoy: ${result.reason}.`;
      refuse(node && child(node, "rewrite"), message);
    }
  }
  const [first, ...others] = upstreams.map(({ rewrite }) => JSON.stringify(rewrite));
  if (others.some((other) => other !== first)) {
    const message = "Upstreams that share requests by weight must have the same `rewrite`: a rule has only one.";
    refuse(route.origins.upstreams, message);
  }
  if (upstreams.length > ROUTE_LIMITS.backends) {
    refuse(
      route.origins.upstreams,
      `A rule has at most ${ROUTE_LIMITS.backends} upstreams; these are ${upstreams.length}.`,
    );
  }
}

function refuseService(
  service: UpstreamService | undefined,
  node: Node | undefined,
  { mocks, namespace: own }: RoutePlace,
  refuse: Refuse,
): void {
  if (service === undefined) return;
  const { name, namespace = own } = service;
  if (name === mocks.name && namespace === mocks.namespace) {
    // Routes of all namespaces may lead there, and it answers for whichever API a header names.
    refuse(node, `The Service \`${name}\` in \`${namespace}\` is gw's own; use \`mocking\` to have it answer.`);
  }
  for (const field of ["name", "namespace"] as const) {
    const name = service[field];
    if (name === undefined || LABEL.test(name)) continue;
    refuse(node && child(node, field), `\`${name}\` can't be the ${field} of a Service: use a-z, 0-9 and hyphens.`);
  }
}

function refuseOutside(
  host: UpstreamHost | undefined,
  node: Node | undefined,
  { isNamespace }: RoutePlace,
  refuse: Refuse,
): void {
  if (host === undefined) return;
  const outside = readOutsideHost(host.hostname, isNamespace);
  if (outside.kind !== "refused") return;
  refuse(node && child(node, "hostname"), `The host \`${host.hostname}\` is refused in a cluster: ${outside.reason}.`);
}

function refuseUrl(
  written: string,
  what: string,
  node: Node | undefined,
  { isNamespace }: RoutePlace,
  refuse: Refuse,
): void {
  const url = URL.parse(written);
  const outside = readOutsideHost(url?.hostname ?? "", isNamespace);
  if (outside.kind === "refused") refuse(node, `The host of ${what} is refused in a cluster: ${outside.reason}.`);
}

function refuseRedirect({ action, origins }: PlannedRoute, refuse: Refuse): void {
  if (action.kind !== "redirect") return;
  const { host, path } = action.redirect;
  const node = origins.redirect;
  const name = host?.toLowerCase().replace(/\.$/, "");
  if (name !== undefined && (!HOSTNAME.test(name) || name.startsWith("*"))) {
    refuse(
      node && child(node, "host"),
      `\`${host}\` can't be the host of a redirect in a cluster: it has to be a DNS name.`,
    );
  }
  if (path !== undefined && path.length > 1024) {
    refuse(node && child(node, "path"), "The path of a redirect has at most 1024 characters.");
  }
}

function refuseCors({ settings: { cors }, origins: { cors: node } }: PlannedRoute, refuse: Refuse): void {
  if (cors === undefined) return;
  for (const [index, origin] of (cors.origins ?? []).entries()) {
    if (CORS_ORIGIN.test(origin)) continue;
    const message = `The origin \`${origin}\` can't be allowed in a cluster: only \`*\`, \`https://name\` and ` +
      "`http://name`, which may begin with `*.`, can.";
    refuse(node && child(child(node, "origins"), index), message);
  }
  for (const method of cors.methods ?? []) {
    if (method === "*" || METHODS.has(method)) continue;
    refuse(node && child(node, "methods"), `The method ${method} can't be allowed in a cluster.`);
  }
  for (const list of ["origins", "headers", "expose_headers"] as const) {
    if ((cors[list]?.length ?? 0) > MOST.corsEntries) {
      refuse(node && child(node, list), `\`${list}\` has at most ${MOST.corsEntries} entries in a cluster.`);
    }
  }
}

function refuseAuth(
  { settings, settings: { auth, validation }, origins, action }: PlannedRoute,
  place: RoutePlace,
  refuse: Refuse,
): void {
  const node = origins.auth;
  if (auth?.custom !== undefined && validation?.request?.enabled === true && action.kind === "upstream") {
    const message =
      `\`${EXTENSION}.auth.custom\` and \`validation.request.enabled\` exclude each other in a cluster: ` +
      "Envoy asks one server about a request. Turn one of them off here.";
    refuse(node && child(node, "custom"), message);
  }
  const { jwt, oauth2, custom } = auth ?? {};
  if (jwt !== undefined) {
    const providers = node && child(child(node, "jwt"), "providers");
    if (jwt.providers.length > MOST.providers) refuse(providers, `There can be at most ${MOST.providers} providers.`);
    for (const [index, { audiences, jwks_uri: uri }] of jwt.providers.entries()) {
      const provider = providers && child(providers, index);
      refuseUrl(uri, "`jwks_uri`", provider && child(provider, "jwks_uri"), place, refuse);
      if ((audiences?.length ?? 0) > MOST.audiences) {
        refuse(provider && child(provider, "audiences"), `There can be at most ${MOST.audiences} audiences.`);
      }
    }
  }
  if (oauth2 !== undefined) refuseLogin(oauth2, settings, node && child(node, "oauth2"), place, refuse);
  if (custom !== undefined) {
    const written = node && child(node, "custom");
    refuseService(custom.service, written && child(written, "service"), place, refuse);
    refuseOutside(custom.host, written && child(written, "host"), place, refuse);
    refuseGivenHeaders(custom.response_headers ?? [], written && child(written, "response_headers"), refuse);
  }
}

function refuseGivenHeaders(names: readonly string[], node: Node | undefined, refuse: Refuse): void {
  if (names.length > MOST.givenHeaders) {
    refuse(node, `\`response_headers\` has at most ${MOST.givenHeaders} entries in a cluster.`);
  }
  for (const [index, name] of names.entries()) {
    if (!TOLD_HEADERS.includes(name.toLowerCase())) continue;
    const message = `In a cluster \`${name}\` can't be one of the \`response_headers\`: clients send it themselves, ` +
      "and Envoy can't remove theirs and keep the server's. Use a header of another name.";
    refuse(node && child(node, index), message);
  }
}

function refuseLogin(
  oauth2: Oauth2Settings,
  settings: ExtensionSettings,
  node: Node | undefined,
  place: RoutePlace,
  refuse: Refuse,
): void {
  const at = (key: string): Node | undefined => node && child(node, key);
  const { issuer, redirect_url: redirect, logout_path: logout, client_secret_ref: { name, key } } = oauth2;
  refuseUrl(issuer, "`issuer`", at("issuer"), place, refuse);
  const url = URL.parse(issuer);
  if (url?.protocol !== "https:" || /[?#]/.test(issuer) || ADDRESS.test(url.hostname)) {
    const message = "An issuer is a URL that starts with `https://` and has the name of a host, no query and no " +
      "fragment: the client's secret goes there.";
    refuse(at("issuer"), message);
  }
  if (!SECRET_NAME.test(name)) {
    refuse(node && child(child(node, "client_secret_ref"), "name"), `\`${name}\` can't be the name of a Secret.`);
  }
  if (key !== CLIENT_SECRET) {
    const message = `Envoy Gateway reads the key \`${CLIENT_SECRET}\` of a Secret, and no other.`;
    refuse(node && child(child(node, "client_secret_ref"), "key"), message);
  }
  if (redirect !== undefined && !REDIRECT_URL.test(redirect)) {
    const message =
      "A login can come back to a URL such as `https://api.example.com/callback`, with a path other than " +
      "`/` and no query. Scheme and host may be `%REQ(x-forwarded-proto)%://%REQ(:authority)%`: those of the request.";
    refuse(at("redirect_url"), message);
  }
  if (logout !== undefined && !LOGOUT_PATH.test(logout)) {
    refuse(at("logout_path"), "A login can be ended by a path such as `/logout`, other than `/` and without a query.");
  }
  const { callbackPath, logoutPath } = loginOf(oauth2, settings);
  if (callbackPath === logoutPath) refuse(node, `A login that comes back to ${callbackPath} can't be ended there.`);
  if (settings.auth?.jwt !== undefined && oauth2.forward_access_token !== true) {
    const message =
      `Beside \`${EXTENSION}.auth.jwt\`, \`oauth2\` needs \`forward_access_token: true\`: who has logged in ` +
      "gets past `jwt` with the token of the login.";
    refuse(node, message);
  }
}

/** Refuses what the standard channel of the Gateway API has no field for. */
function refuseUnportable({ settings, origins, action }: PlannedRoute, refuse: Refuse): void {
  const needsEnvoy = (what: string, node: Node | undefined): void =>
    refuse(
      node,
      `${what} isn't in the standard channel of the Gateway API. Use a fleet with the profile \`envoy-gateway\`.`,
    );
  const { auth, validation, rate_limit: limit, qos } = settings;
  if (auth !== undefined) needsEnvoy(`\`${EXTENSION}.auth\``, origins.auth);
  if (validation?.request?.enabled === true && action.kind === "upstream") {
    needsEnvoy(`\`${EXTENSION}.validation\``, origins.validation);
  }
  if (limit !== undefined) needsEnvoy(`\`${EXTENSION}.rate_limit\``, origins.rate_limit);
  if (action.kind !== "upstream") return;
  if ((qos?.retries ?? 0) > 0) needsEnvoy(`\`${EXTENSION}.qos.retries\``, origins.qos);
  if ((qos?.idle_timeout ?? 0) > 0) needsEnvoy(`\`${EXTENSION}.qos.idle_timeout\``, origins.qos);
  for (const { host, rewrite } of action.upstreams) {
    const node = origins.upstream ?? origins.upstreams;
    if (host !== undefined) needsEnvoy("An upstream that is a host", node);
    if (rewrite !== undefined) needsEnvoy("`rewrite` by a regular expression", node);
  }
}

/**
 * Refuses logins of a plan that can't be told apart, and those that don't get through: what comes back from one is
 * understood only under the policy that sent it, so that all operations behind a login have to be in one HTTPRoute.
 */
export function refuseLogins(
  logins: readonly PlannedLogin[],
  entries: readonly RouteEntry[],
  isSplit: (guarding: Guarding) => boolean,
  refuse: Refuse,
): void {
  for (const [index, one] of logins.entries()) {
    const earlier = logins.slice(0, index);
    const { callbackPath, logoutPath } = one.login;
    const isTaken = (path: string): boolean =>
      earlier.some(({ login }) => login.callbackPath === path || login.logoutPath === path);
    const told = isTaken(callbackPath)
      ? `Another login comes back to ${callbackPath}, too, or ends there. Give this one a \`redirect_url\` with ` +
        "another path."
      : isTaken(logoutPath)
      ? `Another login ends at ${logoutPath}, too, or comes back there. Give this one another \`logout_path\`.`
      : earlier.every((other) => areToldApart(one, other))
      ? undefined
      : `Its users log in as another client than those of another login here. ${SAME_SESSIONS}`;
    if (told !== undefined) refuse(nodeOfLogin(one.route), told);
  }
  const operations = Map.groupBy(entries.filter(({ route }) => route !== undefined), ({ pattern }) => pattern.shape);
  const behind = Map.groupBy(entries, ({ guarding }) => guarding.kind === "protected" ? guarding.key : "");
  for (const [key, [first]] of behind) {
    if (first?.guarding.kind !== "protected" || first.guarding.login === undefined) continue;
    const node = first.route && nodeOfLogin(first.route);
    const { callbackPath, logoutPath } = first.guarding.login;
    for (const path of [callbackPath, logoutPath]) {
      const there = operations.get(patternOf({ kind: "template", template: path }).shape) ?? [];
      const isStrange = there.some(({ guarding, methods }) =>
        shareMethod(methods, ["GET"]) && !(guarding.kind === "protected" && guarding.key === key)
      );
      if (isStrange) refuse(node, `A login leads through ${path}, and an operation of that path isn't behind it.`);
    }
    if (isSplit(first.guarding)) {
      const message =
        "The operations behind this login don't fit into one HTTPRoute, as they have to: 16 hosts, 128 matches. " +
        "Put all operations of the API behind it, or use fewer hosts.";
      refuse(node, message);
    }
  }
}

function nodeOfLogin({ origins }: PlannedRoute): Node | undefined {
  return origins.auth && child(origins.auth, "oauth2");
}
