import { isToken, quotedString } from "../../http/token.ts";
import { child, entries, type Node, stringOf } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { ParameterLocation } from "../../openapi/parameter.ts";
import { securityRequirements } from "../../openapi/security_requirement.ts";
import { follow } from "../../schema/json/reference.ts";
import type { RequestParts } from "../../wire/parameter_reader.ts";
import { NO_VIOLATIONS, type RequestViolation } from "./violation.ts";

export interface SecurityCheck {
  /** The parts of a request in which credentials may be: headers, query, cookies. */
  readonly locations: readonly ParameterLocation[];
  /** The header `WWW-Authenticate` of the response to an unauthorised request (RFC 9110, section 11.6.1). */
  readonly challenge: string;
  /**
   * Lists the credentials that a request lacks, for each alternative in `security`. The list is empty if one
   * alternative is fulfilled.
   */
  readonly check: (parts: RequestParts) => readonly RequestViolation[];
}

/** What a request must have to fulfil a Security Scheme Object. */
interface Scheme {
  /** The place of the credentials, such as `["header", "Authorization"]`. */
  location: readonly [ParameterLocation, string];
  challenge: string;
  /** The end of the message about missing credentials: `must have Basic credentials`. */
  message: string;
  accepts: (parts: RequestParts) => boolean;
}

/** A Security Requirement Object: schemes that must all be fulfilled. */
type Requirement = readonly Scheme[];

/**
 * Makes the check that a request has the credentials that its operation requires, and that they are well-formed.
 * Credentials aren't verified.
 *
 * @returns `undefined` if the operation requires no credentials, or if one of the alternatives can't be checked in a
 * request (mutual TLS, for example).
 * @see {@link https://spec.openapis.org/oas/v3.1.1.html#security-requirement-object OpenAPI 3.1, Security Requirement
 * Object}
 */
export function createSecurityCheck(operation: Operation): SecurityCheck | undefined {
  const requirements = securityRequirements(operation).map((requirement) => readRequirement(operation, requirement));
  if (requirements.length === 0 || requirements.some((requirement) => requirement.length === 0)) return undefined;

  const schemes = requirements.flat();
  return {
    locations: schemes.map(({ location: [location] }) => location),
    challenge: [...new Set(schemes.map(({ challenge }) => challenge))].join(", "),
    check(parts) {
      const lacking = requirements.map((requirement) => requirement.filter((scheme) => !scheme.accepts(parts)));
      return lacking.some((schemes) => schemes.length === 0) ? NO_VIOLATIONS : listAlternatives(lacking);
    },
  };
}

/**
 * Lists one violation for each scheme that a request lacks. Messages begin with `And` if the scheme is required
 * together with the previous one, with `Or` if it begins another alternative.
 */
function listAlternatives(lacking: readonly Requirement[]): RequestViolation[] {
  const alternatives = new Map(lacking.map((schemes) => [schemes.map(demandOf).join("\n"), schemes]));
  return [...alternatives.values()].flatMap((schemes, alternative) =>
    schemes.map((scheme, index): RequestViolation => {
      const need = demandOf(scheme);
      const link = index > 0 ? "And" : "Or";
      const isAlone = alternatives.size === 1 || (alternative === 0 && index === 0);
      const message = isAlone ? `Request ${need}.` : `${link}: request ${need}.`;
      return { location: [...scheme.location], severity: "Error", code: "security", message };
    })
  );
}

/** The message about missing credentials without its subject: `header Authorization must have Basic credentials`. */
function demandOf({ location: [part, name], message }: Scheme): string {
  return `${part} ${part === "header" ? "" : "parameter "}${name} ${message}`;
}

/**
 * The schemes of a Security Requirement Object. Unknown schemes, and schemes that don't show in a request (mutual TLS),
 * are left out: they count as fulfilled.
 */
function readRequirement(operation: Operation, requirement: Node<"SecurityRequirement">): Requirement {
  return entries(requirement).flatMap(([name]) => readScheme(findScheme(operation, name)) ?? []);
}

/** Finds a Security Scheme Object by the name of its component or, since OpenAPI 3.2, by its URI. */
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
    // RFC 9110 demands a challenge in each 401 response. No authentication scheme is registered for API keys, so
    // `ApiKey` is a name of our own.
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
    // The header's name isn't a token, so that no request can have it. The scheme counts as fulfilled.
    return true;
  }
}

function isFilled(values: readonly string[] | undefined): boolean {
  return values?.some((value) => value !== "") ?? false;
}

/** Reads an HTTP authentication scheme such as `basic`. Its name is case-insensitive (RFC 9110, section 11.1). */
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
      return name.toLowerCase() === scheme && isWellFormed(scheme, credentials);
    },
  };
}

function challengeOf(scheme: string, title: string): string {
  switch (scheme) {
    case "basic":
      return 'Basic realm="*", charset="UTF-8"';
    case "digest":
      // A constant nonce will do, since credentials aren't verified.
      return 'Digest realm="*", qop="auth", algorithm=SHA-256, nonce="6d6f636b"';
    default:
      return title;
  }
}

function isWellFormed(scheme: string, credentials: string): boolean {
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

/** Whether credentials are the base64 of `user:password` (RFC 7617, section 2). */
function isUserAndPassword(credentials: string): boolean {
  try {
    return atob(credentials.trim()).includes(":");
  } catch {
    return false;
  }
}
