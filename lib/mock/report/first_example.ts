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
import { readJsonText, writeJson } from "../../schema/json.ts";

/** An exchange that shows a violation. Secrets are redacted. */
export interface Example {
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
  /** The credentials of the request. They are redacted in the response, too, which may repeat them. */
  readonly #known = new KnownSecrets();
  readonly #redactor: Redactor;
  /** The names of headers and query parameters that contain API keys, by the definition's security schemes. */
  readonly #names: CredentialNames;
  readonly #url: string;
  /** The redacted values of the bodies. A body is parsed when the first excerpt needs it. */
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

  /** Redacts the secrets in a text, such as the message of a violation. */
  text(text: string): string {
    return this.#redactor.text(text);
  }

  /** Makes the example for a violation at a place such as `["body", "items", "3"]`. */
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

const NO_NAMES: CredentialNames = { headers: new Set<string>(), queries: new Set<string>() };

/** The schema of a request's body in a media type. */
function requestSchemaOf({ document, node }: Operation, mediaType: string): Node<"Schema"> | undefined {
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const [, media] = contents[createContentChooser(contents.map(([key]) => key))(mediaType)] ?? [];
  return media === undefined ? undefined : child(follow(document, media), "schema");
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
