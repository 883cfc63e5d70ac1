/**
 * Converts `auth` of Kusk's extension `x-kusk`. A route that requires credentials still requires them afterwards. If gw
 * has no equal setting, the result is stricter, or a deployment refuses it; it is never open.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/node.ts";
import { below, convertObject, type Field, type FieldTable, leave, nothing, object, same } from "./settings_table.ts";

/** Kusk's name of a Secret's key, and gw's. */
const SECRET = { name: "oauth2-client", key: "client-secret" };

const PROVIDER: FieldTable = {
  name: same(),
  issuer: same(),
  audiences: same(),
  jwks: same("jwks_uri"),
  jwks_uri: same(),
  default: { convert: () => undefined },
  forwardJWT: { convert: () => undefined },
};

const JWT: FieldTable = {
  providers: {
    convert: (value, spot) =>
      Array.isArray(value) ? value.map((item, index) => convertObject(item, PROVIDER, below(spot, index))) : value,
  },
};

const CREDENTIALS: FieldTable = {
  client_id: same(),
  client_secret: {
    to: "client_secret_ref",
    convert: (_, spot) => {
      leave(
        spot,
        `gw reads client secrets from a Secret only. Create it, and remove the secret from the definition: ` +
          `kubectl create secret generic ${SECRET.name} --from-literal=${SECRET.key}=…`,
      );
      return SECRET;
    },
  },
  client_secret_ref: {
    convert: (value, spot) => {
      leave(
        spot,
        "gw reads the Secret in the namespace of the API, at the key client-secret. Copy the Secret there if it is " +
          "elsewhere, and rename its key.",
      );
      return isObject(value) ? { name: value["name"], key: SECRET.key } : value;
    },
  },
  token_secret: nothing("Leave it out: gw makes such secrets itself."),
  hmac_secret: nothing("Leave it out: gw makes such secrets itself."),
  cookie_names: nothing("The names of the cookies can't be chosen in gw."),
};

const OAUTH2: FieldTable = {
  authorization_endpoint: {
    to: "issuer",
    convert: (value, spot) => {
      leave(
        spot,
        "gw finds the endpoints by the provider's issuer. It is often the origin of the endpoints, as written now; " +
          "compare it with `issuer` in the provider's /.well-known/openid-configuration.",
      );
      return originOf(value);
    },
  },
  token_endpoint: { convert: () => undefined },
  credentials: object(CREDENTIALS),
  redirect_uri: same("redirect_url"),
  redirect_path_matcher: { convert: () => undefined },
  signout_path: same("logout_path"),
  forward_bearer_token: same("forward_access_token"),
  auth_scopes: same("scopes"),
  resources: nothing("gw requests no resources (RFC 8707)."),
  pass_through_matcher: nothing(
    "gw lets no request pass by a header. Give an operation without login an x-svc of its own.",
  ),
};

/** A server that authorizes requests. */
const AUTHORIZER: FieldTable = {
  host: object({
    hostname: same(),
    port: same(),
    path: nothing(
      "gw has the path of authorization requests in auth.custom.path: it replaces the path of the request.",
    ),
  }),
  path_prefix: {
    to: "path",
    convert: (value, spot) => {
      leave(
        spot,
        "Kusk puts this prefix before the path of the client's request. gw asks the server at this path alone; " +
          "without auth.custom.path it asks at the path of the client's request.",
      );
      return value;
    },
  },
};

const CLOUDENTITY_NOTE =
  "gw asks the authorizer for each request, but doesn't register the API with Cloudentity: use Cloudentity's own tools.";

const AUTH: FieldTable = {
  scheme: { convert: () => undefined },
  path_prefix: { convert: () => undefined },
  "auth-upstream": object(AUTHORIZER, "custom"),
  custom: object(AUTHORIZER),
  cloudentity: {
    to: "custom",
    convert: (value, spot) => {
      leave(spot, CLOUDENTITY_NOTE);
      return convertObject(value, AUTHORIZER, spot);
    },
  },
  oauth2: {
    convert: (value, spot) => {
      const converted = convertObject(value, OAUTH2, spot);
      if (!isObject(converted)) return converted;
      const { credentials, ...others } = converted;
      return { ...others, ...isObject(credentials) ? credentials : {} };
    },
  },
  jwt: object(JWT),
};

const NOBODY_CHECKS =
  "gw checks no passwords itself, and nothing here names a server that does. Write auth.custom with " +
  "such a server, auth.jwt or auth.oauth2: a deployment refuses this empty auth.";

/** The field `auth`. */
export const KUSK_AUTH: Field = {
  convert: (value, spot) => {
    if (!isObject(value)) return value;
    if (value["scheme"] === "cloudentity") leave(below(spot, "scheme"), CLOUDENTITY_NOTE);
    const before = spot.leftovers.length;
    const converted = convertObject(withPrefixInside(value), AUTH, spot);
    // The conversion is empty then, and an empty `auth` is refused at deployment.
    const isSilent = isObject(converted) && Object.keys(converted).length === 0 && spot.leftovers.length === before;
    if (isSilent) leave("scheme" in value ? below(spot, "scheme") : spot, NOBODY_CHECKS);
    return converted;
  },
};

/** Kusk reads a `path_prefix` next to `auth-upstream` like one inside it. */
function withPrefixInside(auth: JsonObject): JsonObject {
  const { path_prefix: prefix, "auth-upstream": upstream } = auth;
  if (prefix === undefined || !isObject(upstream)) return auth;
  return { ...auth, "auth-upstream": { path_prefix: prefix, ...upstream } };
}

function originOf(url: unknown): unknown {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : url;
}
