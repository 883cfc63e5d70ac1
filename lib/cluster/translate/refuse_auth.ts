/**
 * Refuses authentication that a cluster can't do.
 *
 * @module
 */
import { TOLD_HEADERS } from "./ext_auth.ts";
import { patternOf } from "./path_pattern.ts";
import { ADDRESS, type Refuse, refuseOutside, refuseService, refuseUrl, type RoutePlace } from "./refuse_hosts.ts";
import { type Guarding, type RouteEntry, shareMethod } from "./route_entry.ts";
import {
  areToldApart,
  loginOf,
  LOGOUT_PATH,
  type PlannedLogin,
  REDIRECT_URL,
  SAME_SESSIONS,
} from "../../gateway/login.ts";
import type { PlannedRoute } from "../../gateway/route.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import type { ExtensionSettings, Oauth2Settings } from "../../openapi/extension/settings.ts";
import { child, type Node } from "../../schema/node.ts";

/** The most entries that lists of Envoy Gateway's policies may have. */
const MAX = { providers: 16, audiences: 8, givenHeaders: 8 } as const;

/** The name of a Secret (RFC 1123, subdomain). */
const SECRET_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The key of a Secret in which Envoy Gateway looks for a client's secret. */
const CLIENT_SECRET = "client-secret";

export function refuseAuth(
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
    if (jwt.providers.length > MAX.providers) refuse(providers, `There can be at most ${MAX.providers} providers.`);
    for (const [index, { audiences, jwks_uri: uri }] of jwt.providers.entries()) {
      const provider = providers && child(providers, index);
      refuseUrl(uri, "`jwks_uri`", provider && child(provider, "jwks_uri"), place, refuse);
      if ((audiences?.length ?? 0) > MAX.audiences) {
        refuse(provider && child(provider, "audiences"), `There can be at most ${MAX.audiences} audiences.`);
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
  if (names.length > MAX.givenHeaders) {
    refuse(node, `\`response_headers\` has at most ${MAX.givenHeaders} entries in a cluster.`);
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
