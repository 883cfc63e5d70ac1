import { isToken, quotedString } from "../../http/token.ts";
import { child, entries, isObject, items, type Node, stringOf } from "../../schema/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import { follow } from "../../schema/reference.ts";
import type { RequestParts } from "../../wire/parameter_reader.ts";
import { FINE, type RequestViolation } from "./violation.ts";

/** The check of a request's credentials. */
export interface SecurityCheck {
  /** Where credentials are looked for. */
  readonly locations: readonly ParameterLocation[];
  /** Value of `WWW-Authenticate` for a request that is refused (RFC 9110, section 11.6.1). */
  readonly challenge: string;
  /**
   * Lists the credentials that a request lacks, for each alternative of `security`; empty if the request fulfils one.
   */
  readonly check: (parts: RequestParts) => readonly RequestViolation[];
}

/** The parts of a Security Scheme Object that can be checked in a request. */
interface Scheme {
  /** Where the credentials are expected, such as `["header", "Authorization"]`. */
  location: readonly [ParameterLocation, string];
  challenge: string;
  /** The demand: `must have Basic credentials`. */
  message: string;
  accepts: (parts: RequestParts) => boolean;
}

/** Schemes that a request must fulfil together (Security Requirement Object). */
type Requirement = readonly Scheme[];

/**
 * Makes the check of an operation's credentials: that they are present and well-formed. They are not verified.
 *
 * @returns `undefined` if the operation needs no credentials, or if a request can't show whether it fulfils one of the
 * alternatives, such as mutual TLS.
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#security-requirement-object OpenAPI 3.1, Security Requirement Object}
 */
export function createSecurityCheck(operation: Operation): SecurityCheck | undefined {
  const own = child(operation.node, "security");
  const written = own.value === undefined ? child(operation.document.root, "security") : own;
  const requirements = items(written).filter(({ value }) => isObject(value))
    .map((requirement) => readRequirement(operation, requirement));
  if (requirements.length === 0 || requirements.some((requirement) => requirement.length === 0)) return undefined;

  const schemes = requirements.flat();
  return {
    locations: schemes.map(({ location: [location] }) => location),
    challenge: [...new Set(schemes.map(({ challenge }) => challenge))].join(", "),
    check(parts) {
      const lacking = requirements.map((requirement) => requirement.filter((scheme) => !scheme.accepts(parts)));
      return lacking.some((schemes) => schemes.length === 0) ? FINE : tellAlternatives(lacking);
    },
  };
}

/** Lists the schemes that a request lacks, alternative by alternative. */
function tellAlternatives(lacking: readonly Requirement[]): RequestViolation[] {
  const alternatives = new Map(lacking.map((schemes) => [schemes.map(needOf).join("\n"), schemes]));
  return [...alternatives.values()].flatMap((schemes, alternative) =>
    schemes.map((scheme, index): RequestViolation => {
      const need = needOf(scheme);
      const link = index > 0 ? "And" : "Or";
      const isAlone = alternatives.size === 1 || (alternative === 0 && index === 0);
      const message = isAlone ? `Request ${need}.` : `${link}: request ${need}.`;
      return { location: [...scheme.location], severity: "Error", code: "security", message };
    })
  );
}

/** The demand of a scheme with its place: `header Authorization must have Basic credentials`. */
function needOf({ location: [part, name], message }: Scheme): string {
  return `${part} ${part === "header" ? "" : "parameter "}${name} ${message}`;
}

/**
 * The schemes of a requirement. Unknown schemes, and those that a request doesn't show (mutual TLS), are left out: they
 * count as fulfilled.
 */
function readRequirement(operation: Operation, requirement: Node<"SecurityRequirement">): Requirement {
  return entries(requirement).flatMap(([name]) => readScheme(findScheme(operation, name)) ?? []);
}

/** A scheme by the name of a component, or, since OpenAPI 3.2, by a URI. */
function findScheme({ document }: Operation, name: string): Node<"SecurityScheme"> {
  const component = child(child(child(document.root, "components"), "securitySchemes"), name);
  if (component.value !== undefined) return follow(document, component);
  const reference: Node<"SecurityScheme"> = { value: { $ref: name }, source: document.root.source, pointer: "" };
  return follow(document, reference);
}

function readScheme(node: Node<"SecurityScheme">): Scheme | undefined {
  switch (child(node, "type").value) {
    case "apiKey":
      return readApiKey(node);
    case "http":
      return readHttp(stringOf(child(node, "scheme")) ?? "");
    case "oauth2":
    case "openIdConnect":
      return readHttp("bearer");
    default:
      return undefined;
  }
}

function readApiKey(node: Node<"SecurityScheme">): Scheme | undefined {
  const name = stringOf(child(node, "name"));
  const location = child(node, "in").value;
  if (name === undefined || name === "") return undefined;
  const scheme = {
    // A 401 must have a challenge, but no authentication scheme for API keys is registered: `ApiKey` is made up.
    challenge: `ApiKey in=${quotedString(String(location))}, name=${quotedString(name)}`,
    message: "must have an API key",
  };
  switch (location) {
    case "header":
      return { ...scheme, location: [location, name], accepts: ({ headers }) => hasHeader(headers, name) };
    case "query":
      return { ...scheme, location: [location, name], accepts: ({ query }) => isFilled(query.get(name)) };
    case "cookie":
      return { ...scheme, location: [location, name], accepts: ({ cookies }) => isFilled(cookies.get(name)) };
    default:
      return undefined;
  }
}

function hasHeader(headers: RequestParts["headers"], name: string): boolean {
  try {
    return Boolean(headers.get(name));
  } catch {
    // No request can have a header whose name isn't a token: the demand counts as fulfilled.
    return true;
  }
}

function isFilled(values: readonly string[] | undefined): boolean {
  return values?.some((value) => value !== "") ?? false;
}

/** A scheme of the `Authorization` header; its name is compared without regard to case (RFC 9110, section 11.1). */
function readHttp(written: string): Scheme | undefined {
  const scheme = written.toLowerCase();
  if (!isToken(scheme)) return undefined;
  const title = scheme.charAt(0).toUpperCase() + scheme.slice(1);
  return {
    location: ["header", "Authorization"],
    challenge: challengeOf(scheme, title),
    message: `must have ${title} credentials`,
    accepts: ({ headers }) => {
      const [, name = "", credentials = ""] = /^(\S+) +(.+)$/.exec(headers.get("authorization") ?? "") ?? [];
      return name.toLowerCase() === scheme && looksRight(scheme, credentials);
    },
  };
}

function challengeOf(scheme: string, title: string): string {
  switch (scheme) {
    case "basic":
      return 'Basic realm="*", charset="UTF-8"';
    case "digest":
      // Credentials aren't verified, so all clients may get the same nonce.
      return 'Digest realm="*", qop="auth", algorithm=SHA-256, nonce="6d6f636b"';
    default:
      return title;
  }
}

function looksRight(scheme: string, credentials: string): boolean {
  switch (scheme) {
    case "basic":
      return isUserAndPassword(credentials);
    case "digest":
      return ["username", "realm", "nonce", "uri", "response"].every((name) =>
        new RegExp(`(?:^|[\\s,])${name}\\*?\\s*=`, "i").test(credentials)
      );
    default:
      return true;
  }
}

/** RFC 7617, section 2: the base64 of `user:password`. */
function isUserAndPassword(credentials: string): boolean {
  try {
    return atob(credentials.trim()).includes(":");
  } catch {
    return false;
  }
}
