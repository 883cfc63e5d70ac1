import { parseMediaType } from "../../http/media_type.ts";
import { percentDecode, splitQuery, splitTarget } from "../../http/url.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject, type Node } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import type { Exchange, Message } from "../exchange.ts";
import { schemaOf } from "../record/declared_response.ts";
import { secretRules } from "../record/secret_rules.ts";
import { type CredentialNames, credentialsOf, readCredentialNames } from "../secrets/credentials.ts";
import { KnownSecrets } from "../secrets/known_secrets.ts";
import { redactForm, redactUrl } from "../secrets/redact_url.ts";
import { REDACTED } from "../secrets/redacted.ts";
import { createRedactor, type Redactor } from "../secrets/redactor.ts";
import { isSecretName } from "../secrets/secret_name.ts";
import { createContentChooser } from "../validation/content.ts";

/** An exchange as the example of a violation, without its secrets. */
export interface Example {
  readonly method: string;
  /** Path and query of the request. */
  readonly url: string;
  readonly status: number;
  /**
   * The value at the place of the violation, or the nearest value that contains the place, cut off. Absent where no
   * value can be shown.
   */
  readonly excerpt?: string;
}

/** The most characters of an excerpt. */
const MOST_EXCERPT = 200;
/** The most characters of a URL. */
const MOST_URL = 500;
/** The most characters of a method. */
const MOST_METHOD = 40;
/** Bodies with more bytes have no excerpt: reading and redacting them takes too long. */
const MOST_BODY = 256 * 1024;

/** Makes examples for the violations of one exchange. */
export class FirstExamples {
  readonly #exchange: Exchange;
  /** The credentials of the request, which the response may repeat. */
  readonly #known = new KnownSecrets();
  readonly #redactor: Redactor;
  /** The names of the definition's API keys. */
  readonly #names: CredentialNames;
  readonly #url: string;
  /** The values of the bodies without their secrets; a body is read at its first use. */
  readonly #bodies = new Map<Message, { value?: unknown }>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    const { operation, request, pathParameters } = exchange;
    const names = operation === undefined ? NO_NAMES : readCredentialNames(operation.document);
    for (const credential of credentialsOf({ ...request, pathParameters }, names)) this.#known.add(credential);
    this.#redactor = createRedactor({ known: this.#known });
    this.#names = names;
    this.#url = this.#redactTarget();
  }

  /** Replaces the secrets in a text, such as a violation's message. */
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
    return redactUrl(target, { redactor: this.#redactor, secretQueries: this.#names.queries });
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
    try {
      return this.#nearestIn(message, path);
    } catch (error) {
      // A body with thousands of levels exhausts the stack.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  #nearestIn(message: Message, path: readonly string[]): string | undefined {
    let body = this.#bodies.get(message);
    if (body === undefined) {
      body = readJson(message);
      if (Object.hasOwn(body, "value")) body = { value: this.#redactorOf(message).value(body.value).value };
      this.#bodies.set(message, body);
    }
    return Object.hasOwn(body, "value") ? JSON.stringify(nearest(body.value, path)) : undefined;
  }

  /** A redactor that also knows the body's schema: values whose format is that of a secret (`password`) are secrets. */
  #redactorOf(message: Message): Redactor {
    const { operation, response } = this.#exchange;
    if (operation === undefined) return this.#redactor;
    const mediaType = message.headers.get("content-type") ?? "";
    const schema = message === response
      ? schemaOf(operation, response.status, mediaType)
      : requestSchemaOf(operation, mediaType);
    return createRedactor({ known: this.#known, rules: secretRules(operation.document, schema, [], true) });
  }

  #headerOf({ headers }: Message, name: string): string | undefined {
    if (name === "" || isSecretName(name) || this.#names.headers.has(name.toLowerCase())) return undefined;
    const value = safely(() => headers.get(name));
    return value === undefined || value === null ? undefined : this.#redactor.header(name, value);
  }

  #queryOf(url: string, name: string): string | undefined {
    const { query } = splitTarget(url);
    const written = query.split("&").filter((pair) => {
      const [key = ""] = splitQuery(pair).keys();
      return name === "" || key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}.`);
    }).join("&");
    return redactForm(written, { redactor: this.#redactor, secretQueries: this.#names.queries });
  }
}

/** Cuts a text off after a number of characters; `…` is then the last. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The value at a path; where nothing is there, the innermost value on the way that exists. */
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
    // Without a value there is no excerpt: the secrets in a body that isn't JSON might not be found.
    return {};
  }
}

const NO_NAMES: CredentialNames = { headers: new Set<string>(), queries: new Set<string>() };

/** The schema of a request's body, by its media type. */
function requestSchemaOf({ document, node }: Operation, mediaType: string): Node<"Schema"> | undefined {
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const [, media] = contents[createContentChooser(contents.map(([key]) => key))(mediaType)] ?? [];
  return media === undefined ? undefined : child(follow(document, media), "schema");
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // `Headers.get` throws it for a declared name that isn't valid in HTTP.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
