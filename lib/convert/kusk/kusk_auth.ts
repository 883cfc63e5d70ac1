/**
 * Converts `auth` of Kusk's extension `x-kusk`. A route that requires credentials requires them after the conversion,
 * too. If gw has no equal setting, the result is stricter, or has an error that a deployment refuses; no route becomes
 * open.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import {
  contextOf,
  convertObject,
  type Field,
  type FieldTable,
  nested,
  reportUnsupported,
  unchanged,
  unsupported,
} from "./settings_table.ts";

/**
 * The reference to the Secret that the user has to create, since gw doesn't read client secrets from the definition.
 */
const SECRET = { name: "oauth2-client", key: "client-secret" };

const PROVIDER: FieldTable = {
  name: unchanged(),
  issuer: unchanged(),
  audiences: unchanged(),
  jwks: unchanged("jwks_uri"),
  jwks_uri: unchanged(),
  default: { convert: () => undefined },
  forwardJWT: { convert: () => undefined },
};

const JWT: FieldTable = {
  providers: {
    convert: (value, context) =>
      Array.isArray(value)
        ? value.map((item, index) => convertObject(item, PROVIDER, contextOf(context, index)))
        : value,
  },
};

const CREDENTIALS: FieldTable = {
  client_id: unchanged(),
  client_secret: {
    to: "client_secret_ref",
    convert: (_, context) => {
      reportUnsupported(
        context,
        `gw reads client secrets from a Secret only. Create it, and remove the secret from the definition: ` +
          `kubectl create secret generic ${SECRET.name} --from-literal=${SECRET.key}=…`,
      );
      return SECRET;
    },
  },
  client_secret_ref: {
    convert: (value, context) => {
      reportUnsupported(
        context,
        "gw reads the Secret in the namespace of the API, at the key client-secret. Copy the Secret there if it is " +
          "elsewhere, and rename its key.",
      );
      return isObject(value) ? { name: value["name"], key: SECRET.key } : value;
    },
  },
  token_secret: unsupported("Leave it out: gw makes such secrets itself."),
  hmac_secret: unsupported("Leave it out: gw makes such secrets itself."),
  cookie_names: unsupported("The names of the cookies can't be chosen in gw."),
};

const OAUTH2: FieldTable = {
  authorization_endpoint: {
    to: "issuer",
    convert: (value, context) => {
      reportUnsupported(
        context,
        "gw finds the endpoints by the provider's issuer. It is often the origin of the endpoints, as written now; " +
          "compare it with `issuer` in the provider's /.well-known/openid-configuration.",
      );
      return originOf(value);
    },
  },
  token_endpoint: { convert: () => undefined },
  credentials: nested(CREDENTIALS),
  redirect_uri: unchanged("redirect_url"),
  redirect_path_matcher: { convert: () => undefined },
  signout_path: unchanged("logout_path"),
  forward_bearer_token: unchanged("forward_access_token"),
  auth_scopes: unchanged("scopes"),
  resources: unsupported("gw requests no resources (RFC 8707)."),
  pass_through_matcher: unsupported(
    "gw lets no request pass by a header. Give an operation without login an x-svc of its own.",
  ),
};

/** The settings of an external authorization server, in `auth.custom` and `auth.auth-upstream` of Kusk. */
const AUTHORIZER: FieldTable = {
  host: nested({
    hostname: unchanged(),
    port: unchanged(),
    path: unsupported(
      "gw has the path of authorization requests in auth.custom.path: it replaces the path of the request.",
    ),
  }),
  path_prefix: {
    to: "path",
    convert: (value, context) => {
      reportUnsupported(
        context,
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
  "auth-upstream": nested(AUTHORIZER, "custom"),
  custom: nested(AUTHORIZER),
  cloudentity: {
    to: "custom",
    convert: (value, context) => {
      reportUnsupported(context, CLOUDENTITY_NOTE);
      return convertObject(value, AUTHORIZER, context);
    },
  },
  oauth2: {
    convert: (value, context) => {
      const converted = convertObject(value, OAUTH2, context);
      if (!isObject(converted)) return converted;
      const { credentials, ...others } = converted;
      return { ...others, ...isObject(credentials) ? credentials : {} };
    },
  },
  jwt: nested(JWT),
};

const NOBODY_CHECKS =
  "gw checks no passwords itself, and nothing here names a server that does. Write auth.custom with " +
  "such a server, auth.jwt or auth.oauth2: a deployment refuses this auth.";

/** The conversion of the setting `auth` of `x-kusk`. */
export const KUSK_AUTH: Field = {
  convert: (value, context) => {
    if (!isObject(value)) return value;
    if (value["scheme"] === "cloudentity") reportUnsupported(contextOf(context, "scheme"), CLOUDENTITY_NOTE);
    const before = context.leftovers.length;
    const converted = convertObject(withPrefixInside(value), AUTH, context);
    if (!isObject(converted) || Object.keys(converted).length > 0) return converted;
    // Without any converted key, a deployment refuses the result. So the user is told why.
    const unknown = Object.entries(value).filter(([key]) => !Object.hasOwn(AUTH, key));
    if (unknown.length > 0) reportUnsupported(context, NOBODY_CHECKS);
    else if (context.leftovers.length === before) {
      reportUnsupported("scheme" in value ? contextOf(context, "scheme") : context, NOBODY_CHECKS);
    }
    // An unknown key may be a misspelt one. It stays, so that the route doesn't become open, as it would without `auth`.
    return Object.fromEntries(unknown);
  },
};

/** Moves a `path_prefix` next to `auth-upstream` into it: Kusk gives both places the same meaning. */
function withPrefixInside(auth: JsonObject): JsonObject {
  const { path_prefix: prefix, "auth-upstream": upstream } = auth;
  if (prefix === undefined || !isObject(upstream)) return auth;
  return { ...auth, "auth-upstream": { path_prefix: prefix, ...upstream } };
}

function originOf(url: unknown): unknown {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : url;
}
