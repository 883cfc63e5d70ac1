/**
 * Refuses authentication that Envoy Gateway can't express, and logins that don't work together.
 *
 * @module
 */
import type { RouteAccess } from "./access.ts";
import { COMMON_HEADERS } from "./ext_auth.ts";
import { patternOf } from "./path_pattern.ts";
import { loginNode, type RefuseSetting } from "./refuse.ts";
import { ADDRESS, refuseOutside, refuseService, refuseUrl } from "./refuse_hosts.ts";
import type { RenderContext } from "./rendering.ts";
import { type RouteEntry, shareMethod } from "./route_entry.ts";
import {
  canShareHost,
  loginOf,
  LOGOUT_PATH,
  type PlannedLogin,
  REDIRECT_URL,
  SHARED_SESSIONS,
} from "../../gateway/login.ts";
import type { PlannedRoute } from "../../gateway/route.ts";
import { EXTENSION } from "../../openapi/extension/extension.ts";
import type { ExtensionSettings, Oauth2Settings } from "../../openapi/extension/settings.ts";
import { child, type Node } from "../../schema/json/node.ts";

/** The most items in the lists of a SecurityPolicy. */
const MAX = { providers: 16, audiences: 8, responseHeaders: 8 } as const;

/** Matches the name of a Secret (RFC 1123, subdomain). */
const SECRET_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** The key of a Secret at which Envoy Gateway reads the client secret for OAuth 2. */
const CLIENT_SECRET = "client-secret";

/** Refuses the authentication of a route that Envoy Gateway can't express. */
export function refuseAuth(
  { settings, settings: { auth, validation }, origins, action }: PlannedRoute,
  context: RenderContext,
  refuse: RefuseSetting,
): void {
  const node = origins.auth;
  if (auth?.custom !== undefined && validation?.request?.enabled === true && action.kind === "upstream") {
    const message =
      `\`${EXTENSION}.auth.custom\` and \`validation.request.enabled\` exclude each other in a cluster: ` +
      "a rule has one authorization server. Turn one of them off here.";
    refuse(node && child(node, "custom"), message);
  }
  const { jwt, oauth2, custom } = auth ?? {};
  if (jwt !== undefined) {
    const providers = node && child(child(node, "jwt"), "providers");
    if (jwt.providers.length > MAX.providers) refuse(providers, `There can be at most ${MAX.providers} providers.`);
    for (const [index, { audiences, jwks_uri: uri }] of jwt.providers.entries()) {
      const provider = providers && child(providers, index);
      refuseUrl(uri, "`jwks_uri`", provider && child(provider, "jwks_uri"), context, refuse);
      if ((audiences?.length ?? 0) > MAX.audiences) {
        refuse(provider && child(provider, "audiences"), `There can be at most ${MAX.audiences} audiences.`);
      }
    }
  }
  if (oauth2 !== undefined) refuseLogin(oauth2, settings, node && child(node, "oauth2"), context, refuse);
  if (custom !== undefined) {
    const written = node && child(node, "custom");
    refuseService(custom.service, written && child(written, "service"), context, refuse);
    refuseOutside(custom.host, written && child(written, "host"), context, refuse);
    refuseResponseHeaders(custom.response_headers ?? [], written && child(written, "response_headers"), refuse);
  }
}

function refuseResponseHeaders(names: readonly string[], node: Node | undefined, refuse: RefuseSetting): void {
  if (names.length > MAX.responseHeaders) {
    refuse(node, `\`response_headers\` has at most ${MAX.responseHeaders} entries in a cluster.`);
  }
  for (const [index, name] of names.entries()) {
    if (!COMMON_HEADERS.includes(name.toLowerCase())) continue;
    const message = `In a cluster \`${name}\` can't be one of the \`response_headers\`: clients send it themselves, ` +
      "and Envoy can't remove theirs and keep that of the authorization server. Use a header of another name.";
    refuse(node && child(node, index), message);
  }
}

function refuseLogin(
  oauth2: Oauth2Settings,
  settings: ExtensionSettings,
  node: Node | undefined,
  context: RenderContext,
  refuse: RefuseSetting,
): void {
  const at = (key: string): Node | undefined => node && child(node, key);
  const { issuer, redirect_url: redirect, logout_path: logout, client_secret_ref: { name, key } } = oauth2;
  refuseUrl(issuer, "`issuer`", at("issuer"), context, refuse);
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
      "`redirect_url` is a URL such as `https://api.example.com/callback`, with a path other than `/` and no query. " +
      "Scheme and host may be those of the request: `%REQ(x-forwarded-proto)%://%REQ(:authority)%`.";
    refuse(at("redirect_url"), message);
  }
  if (logout !== undefined && !LOGOUT_PATH.test(logout)) {
    refuse(at("logout_path"), "`logout_path` is a path such as `/logout`, other than `/` and without a query.");
  }
  const { callbackPath, logoutPath } = loginOf(oauth2, settings);
  if (callbackPath === logoutPath) {
    refuse(node, `Callback and logout of a login need two paths: both are ${callbackPath}.`);
  }
  if (settings.auth?.jwt !== undefined && oauth2.forward_access_token !== true) {
    const message =
      `Beside \`${EXTENSION}.auth.jwt\`, \`oauth2\` needs \`forward_access_token: true\`: \`jwt\` verifies the token ` +
      "of the login too.";
    refuse(node, message);
  }
}

/**
 * Refuses logins of a plan that Envoy Gateway would mix up: logins with the same callback or logout path, and logins of
 * different clients with sessions on one host.
 */
export function refuseAmbiguousLogins(logins: readonly PlannedLogin[], refuse: RefuseSetting): void {
  for (const [index, planned] of logins.entries()) {
    const message = ambiguityOf(planned, logins.slice(0, index));
    if (message !== undefined) refuse(loginNode(planned.route), message);
  }
}

function ambiguityOf(planned: PlannedLogin, earlier: readonly PlannedLogin[]): string | undefined {
  const { callbackPath, logoutPath } = planned.login;
  const isTaken = (path: string): boolean =>
    earlier.some(({ login }) => login.callbackPath === path || login.logoutPath === path);
  if (isTaken(callbackPath)) {
    return `Another login has ${callbackPath} for its callback or logout, too. Give this one a \`redirect_url\` with ` +
      "another path.";
  }
  if (isTaken(logoutPath)) {
    return `Another login has ${logoutPath} for its callback or logout, too. Give this one another \`logout_path\`.`;
  }
  if (earlier.every((other) => canShareHost(planned, other))) return undefined;
  return `Its users log in as another client than those of another login here. ${SHARED_SESSIONS}`;
}

/**
 * Refuses logins that can't complete. The policy that starts a login must also handle its callback, so all operations
 * behind the login and the login's own paths must be in one HTTPRoute.
 */
export function refuseScatteredLogins(
  entries: readonly RouteEntry[],
  isSplit: (access: RouteAccess) => boolean,
  refuse: RefuseSetting,
): void {
  const operations = Map.groupBy(entries.filter(({ route }) => route !== undefined), ({ pattern }) => pattern.shape);
  const groups = Map.groupBy(entries, ({ access }) => access.kind === "protected" ? access.key : "");
  for (const [key, [first]] of groups) {
    if (first?.access.kind !== "protected" || first.access.login === undefined) continue;
    const node = first.route && loginNode(first.route);
    const { callbackPath, logoutPath } = first.access.login;
    for (const path of [callbackPath, logoutPath]) {
      const declared = operations.get(patternOf({ kind: "template", template: path }).shape) ?? [];
      const isElsewhere = declared.some(({ access, methods }) =>
        shareMethod(methods, ["GET"]) && !(access.kind === "protected" && access.key === key)
      );
      if (isElsewhere) refuse(node, `This login needs the path ${path}, which an operation without this login has.`);
    }
    if (isSplit(first.access)) {
      const message =
        "The operations behind this login don't fit into one HTTPRoute, as they have to: 16 hosts, 128 matches. " +
        "Put all operations of the API behind it, or use fewer hosts.";
      refuse(node, message);
    }
  }
}
