import { parseMediaType } from "../../http/media_type.ts";
import { decodeQueryText, percentDecode, splitQuery, splitTarget } from "../../http/url.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import type { Exchange, Message } from "../exchange.ts";
import { KnownSecrets } from "../secrets/known_secrets.ts";
import { redactForm, redactUrl } from "../secrets/redact_url.ts";
import { createRedactor, REDACTED, type Redactor } from "../secrets/redactor.ts";
import { isSecretName } from "../secrets/secret_name.ts";

/** An exchange as the example of a violation. It has no secrets. */
export interface Example {
  readonly method: string;
  /** Path and query of the request. */
  readonly url: string;
  readonly status: number;
  /** The value at the place of the violation, or the nearest around it, cut off; absent where there is none to show. */
  readonly excerpt?: string;
}

/** The most characters of an excerpt. */
const MOST_EXCERPT = 200;
/** The most characters of a URL. */
const MOST_URL = 500;
/** The most characters of a method. */
const MOST_METHOD = 40;
/** Larger bodies have no excerpt, in bytes: reading and redacting them takes too long. */
const MOST_BODY = 256 * 1024;

/** Makes the examples of an exchange's violations. */
export class FirstExamples {
  readonly #exchange: Exchange;
  readonly #redactor: Redactor;
  readonly #secretQueries: ReadonlySet<string>;
  readonly #url: string;
  /** The bodies without their secrets; read at the first use. */
  readonly #bodies = new Map<Message, { value?: unknown }>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    this.#redactor = createRedactor({ known: secretsOf(exchange) });
    this.#secretQueries = exchange.operation === undefined ? new Set() : secretQueries(exchange.operation);
    this.#url = this.#redactTarget();
  }

  /** The text of a message without its secrets. */
  text(text: string): string {
    return this.#redactor.text(text);
  }

  /** The example for a violation at a place, such as `["body", "items", "3"]`. */
  at(location: readonly string[]): Example {
    const { request, response } = this.#exchange;
    const excerpt = this.#excerptAt(location);
    return {
      method: shorten(request.method, MOST_METHOD),
      url: shorten(this.#url, MOST_URL),
      status: response.status,
      ...(excerpt === undefined || excerpt === "" ? {} : { excerpt: shorten(excerpt, MOST_EXCERPT) }),
    };
  }

  #redactTarget(): string {
    const { request: { url }, pathParameters } = this.#exchange;
    const { path, query } = splitTarget(url);
    const secrets = new Set(
      Object.entries(pathParameters).filter(([name, value]) => isSecretName(name, value)).map(([, value]) => value),
    );
    const segments = path.split("/").map((segment) => secrets.has(percentDecode(segment)) ? REDACTED : segment);
    const target = `${segments.join("/")}${query === "" ? "" : `?${query}`}`;
    return redactUrl(target, { redactor: this.#redactor, secretQueries: this.#secretQueries });
  }

  #excerptAt(location: readonly string[]): string | undefined {
    const { request, response, pathParameters } = this.#exchange;
    const [part, name = "", ...path] = location;
    switch (part) {
      case "response":
        return name === "body" ? this.#excerptOf(response, path) : this.#headerOf(response, path[0] ?? "");
      case "body":
        return this.#excerptOf(request, location.slice(1));
      case "header":
        return this.#headerOf(request, name);
      case "query":
      case "querystring":
        return this.#queryOf(request.url, name);
      case "path": {
        const value = Object.hasOwn(pathParameters, name) ? pathParameters[name] : undefined;
        return value === undefined || isSecretName(name, value) ? undefined : this.#redactor.text(value);
      }
      default:
        return undefined;
    }
  }

  #excerptOf(message: Message, path: readonly string[]): string | undefined {
    let body = this.#bodies.get(message);
    if (body === undefined) {
      body = readJson(message);
      if (Object.hasOwn(body, "value")) body = { value: this.#redactor.value(body.value).value };
      this.#bodies.set(message, body);
    }
    return Object.hasOwn(body, "value") ? JSON.stringify(nearest(body.value, path)) : undefined;
  }

  #headerOf({ headers }: Message, name: string): string | undefined {
    if (name === "" || isSecretName(name)) return undefined;
    const value = safely(() => headers.get(name));
    return value === undefined || value === null ? undefined : this.#redactor.header(name, value);
  }

  #queryOf(url: string, name: string): string | undefined {
    const { query } = splitTarget(url);
    const written = query.split("&").filter((pair) => {
      const [key = ""] = splitQuery(pair).keys();
      return name === "" || key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}.`);
    }).join("&");
    return redactForm(written, { redactor: this.#redactor, secretQueries: this.#secretQueries });
  }
}

/** A text, cut off where it is too long. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The value at a path, or the nearest around it that exists. */
function nearest(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const token of path) {
    if (!(Array.isArray(found) || isObject(found)) || !Object.hasOwn(found, token)) break;
    found = Array.isArray(found) ? found[Number(token)] : found[token];
  }
  return found;
}

/** The JSON value of a body. */
function readJson({ headers, body }: Message): { value?: unknown } {
  const mediaType = parseMediaType(headers.get("content-type") ?? "");
  const isJson = mediaType?.subtype === "json" || mediaType?.suffix === "json";
  if (!isJson || body === undefined || body.length > MOST_BODY) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return { value };
  } catch {
    // What is no JSON can't be searched for secrets.
    return {};
  }
}

/** The credentials of a request, which may stand elsewhere too. */
function secretsOf({ operation, pathParameters, request: { headers, url } }: Exchange): KnownSecrets {
  const known = new KnownSecrets();
  for (const [name, value] of headers) {
    if (!isSecretName(name)) continue;
    // `Bearer …`, `name=value; name=value`
    for (const piece of value.split(/[\s;,]+/)) known.add(piece.replace(/^[^=]+=(?=.)/, ""));
  }
  for (const [name, value] of Object.entries(pathParameters)) if (isSecretName(name, value)) known.add(value);
  const ofSchemes = operation === undefined ? new Set<string>() : secretQueries(operation);
  for (const [name, values] of splitQuery(splitTarget(url).query)) {
    if (!isSecretName(name) && !ofSchemes.has(name)) continue;
    for (const value of values) known.add(decodeQueryText(value));
  }
  return known;
}

/** The names of the queries that are API keys (Security Scheme Object). */
function secretQueries({ document }: Operation): ReadonlySet<string> {
  const schemes = entries(child(child(document.root, "components"), "securitySchemes"))
    .map(([, scheme]) => follow(document, scheme).value);
  return new Set(
    schemes.flatMap((scheme) =>
      isObject(scheme) && scheme.type === "apiKey" && scheme.in === "query" && typeof scheme.name === "string"
        ? [scheme.name]
        : []
    ),
  );
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // A definition may name a header as no header can be named.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
