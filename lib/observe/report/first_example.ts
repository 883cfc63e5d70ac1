import { parseMediaType } from "../../http/media_type.ts";
import { splitQuery, splitTarget } from "../../http/url/url.ts";
import { isObject } from "../../schema/json/node.ts";
import type { Exchange, Message } from "../exchange.ts";
import { requestSecretRules, responseSecretRules } from "../record/secret_rules.ts";
import { type DeclaredSecrets, NO_SECRETS, secretsOfOperation } from "../secrets/declared_secrets.ts";
import type { Redactor } from "../secrets/redactor.ts";
import { RequestRedactor } from "../secrets/request_redactor.ts";
import { isSecretName } from "../../names/secret_names.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";

/** An exchange that shows a violation. Secrets are redacted. */
export interface FirstExample {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /**
   * The value at the place of the violation, or the innermost value that contains the place, shortened. Absent if no
   * value can be shown.
   */
  readonly excerpt?: string;
}

const MOST_EXCERPT = 200;
const MOST_URL = 500;
const MOST_METHOD = 40;
/** Bodies with more bytes have no excerpt, because it takes too long to parse and redact them. */
const MOST_BODY = 256 * 1024;

/** Makes the examples for the violations of one exchange. */
export class FirstExamples {
  readonly #exchange: Exchange;
  readonly #declared: DeclaredSecrets;
  /** Redacts the credentials of the request in the response, too, which may repeat them. */
  readonly #redactor: RequestRedactor;
  /** The redacted values of the bodies. A body is parsed when the first excerpt needs it. */
  readonly #bodies = new Map<Message, { value?: unknown }>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
    const { operation, request } = exchange;
    this.#declared = operation === undefined ? NO_SECRETS : secretsOfOperation(operation);
    this.#redactor = new RequestRedactor(request, this.#declared);
  }

  /** Redacts the secrets in a sentence of gw's own, such as the message of a violation. */
  sentence(text: string): string {
    return this.#redactor.sentence(text);
  }

  /** Makes the example for a violation at a place such as `["body", "items", "3"]`. */
  at(location: readonly string[]): FirstExample {
    const { request, response } = this.#exchange;
    const excerpt = this.#excerptAt(location);
    return {
      method: shorten(request.method, MOST_METHOD),
      url: shorten(this.#redactor.target, MOST_URL),
      status: response.status,
      ...(excerpt === undefined || excerpt === "" ? {} : { excerpt: shorten(excerpt, MOST_EXCERPT) }),
    };
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
        const isSecret = this.#declared.paths.has(name) || isSecretName(name, value);
        return value === undefined || isSecret ? undefined : this.#redactor.redactor.text(value);
      }
      default:
        return undefined;
    }
  }

  #excerptOf(message: Message, path: readonly string[]): string | undefined {
    try {
      return this.#nearestIn(message, path);
    } catch (error) {
      // Recursion over a body that is nested thousands of levels deep exceeds the stack.
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
    return Object.hasOwn(body, "value") ? writeJson(nearest(body.value, path)) : undefined;
  }

  /** A redactor that also uses the body's schema: values with the `format` of secrets (`password`) are redacted. */
  #redactorOf(message: Message): Redactor {
    const { operation, response } = this.#exchange;
    if (operation === undefined) return this.#redactor.redactor;
    const mediaType = message.headers.get("content-type") ?? "";
    return this.#redactor.redactorWith({
      rules: message === response
        ? responseSecretRules(operation, response.status, mediaType)
        : requestSecretRules(operation, mediaType),
    });
  }

  #headerOf({ headers }: Message, name: string): string | undefined {
    if (name === "" || isSecretName(name) || this.#declared.headers.has(name.toLowerCase())) return undefined;
    const value = safely(() => headers.get(name));
    return value === undefined || value === null ? undefined : this.#redactor.redactor.header(name, value);
  }

  #queryOf(url: string, name: string): string | undefined {
    const { query } = splitTarget(url);
    // Redact the whole query first: whether a parameter is a secret may depend on others.
    return this.#redactor.redactor.query(query).split("&").filter((pair) => {
      const [key = ""] = splitQuery(pair).keys();
      return name === "" || key === name || key.startsWith(`${name}[`) || key.startsWith(`${name}.`);
    }).join("&");
  }
}

/** Cuts a text to a number of characters. `…` is the last character of a text that was cut. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** The value at a path, or the innermost existing value that contains the path. */
function nearest(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const token of path) {
    if (!(Array.isArray(found) || isObject(found)) || !Object.hasOwn(found, token)) break;
    found = Array.isArray(found) ? found[Number(token)] : found[token];
  }
  return found;
}

/** The JSON value of a body; empty if the body isn't JSON or is too large. */
function readJson({ headers, body }: Message): { value?: unknown } {
  const mediaType = parseMediaType(headers.get("content-type") ?? "");
  const isJson = mediaType?.subtype === "json" || mediaType?.suffix === "json";
  if (!isJson || body === undefined || body.length > MOST_BODY) return {};
  try {
    const value = readJsonText(new TextDecoder().decode(body));
    return { value };
  } catch {
    // No value means no excerpt. An excerpt of a malformed body could show a secret that the redactor doesn't find.
    return {};
  }
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // `Headers.get` throws a TypeError if the definition declares a header whose name is invalid in HTTP.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
