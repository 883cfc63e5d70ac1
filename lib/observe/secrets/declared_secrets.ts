/**
 * What a definition says about secrets in the parameters of requests: its API keys, and parameters whose format is that
 * of a secret, such as `password`.
 *
 * @module
 */
import { isSecretName } from "../../names/secret_names.ts";
import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { templateOf } from "../../openapi/path_condition.ts";
import { child, entries, stringOf } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";

/** Names of parameters whose values are secrets, beside those that their name says. */
export interface DeclaredSecrets {
  /** Names in lower case. */
  readonly headers: ReadonlySet<string>;
  readonly queries: ReadonlySet<string>;
  readonly cookies: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
  /** The segments of an operation's path that have a secret parameter, counted from the end of the path, from 0 on. */
  readonly segments: readonly number[];
  /** The names of all query parameters that an operation declares: a declared `code` needn't be one of OAuth. */
  readonly known: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

export const NO_SECRETS: DeclaredSecrets = {
  headers: NONE,
  queries: NONE,
  cookies: NONE,
  paths: NONE,
  segments: [],
  known: NONE,
};

const BY_DOCUMENT = new WeakMap<Document, DeclaredSecrets>();
const BY_OPERATION = new WeakMap<Operation, DeclaredSecrets>();

/** The API keys of a definition, memoised. They are secret in requests to any path. */
export function secretsOfDocument(document: Document): DeclaredSecrets {
  let secrets = BY_DOCUMENT.get(document);
  if (secrets !== undefined) return secrets;
  const named = entries(child(child(document.root, "components"), "securitySchemes")).flatMap(([, written]) => {
    const scheme = follow(document, written);
    const name = stringOf(child(scheme, "name"));
    return child(scheme, "type").value !== "apiKey" || name === undefined
      ? []
      : [{ name, in: child(scheme, "in").value }];
  });
  secrets = fromParameters(named, NO_SECRETS, NONE);
  BY_DOCUMENT.set(document, secrets);
  return secrets;
}

/** The API keys of an operation's definition, and the operation's secret parameters; memoised. */
export function secretsOfOperation(operation: Operation): DeclaredSecrets {
  let secrets = BY_OPERATION.get(operation);
  if (secrets !== undefined) return secrets;
  const parameters = listParameters(operation);
  const named = parameters.filter(({ schema }) => {
    const format = schema === undefined ? undefined : stringOf(child(schema, "format"));
    return format !== undefined && isSecretName(format);
  });
  const queries = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  const declared = fromParameters(named, secretsOfDocument(operation.document), new Set(queries));
  secrets = { ...declared, segments: secretSegments(templateOf(operation.path), declared.paths) };
  BY_OPERATION.set(operation, secrets);
  return secrets;
}

/** The API keys of several definitions: those of a request that may be for any of them. */
export function secretsOfDocuments(documents: readonly Document[]): DeclaredSecrets {
  const all = documents.map(secretsOfDocument);
  const union = (part: "headers" | "queries" | "cookies"): ReadonlySet<string> =>
    new Set(all.flatMap((one) => [...one[part]]));
  return all.length === 1 && all[0] !== undefined ? all[0] : {
    headers: union("headers"),
    queries: union("queries"),
    cookies: union("cookies"),
    paths: NONE,
    segments: [],
    known: NONE,
  };
}

/**
 * Counts from the end, since a request may have the base path of a server before the path of the operation.
 *
 * @param named Path parameters that are secret whatever their name.
 */
function secretSegments(template: string, named: ReadonlySet<string>): number[] {
  return template.split("/").reverse().flatMap((segment, index) => {
    const names = [...segment.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
    return names.some((name) => named.has(name) || isSecretName(name)) ? [index] : [];
  });
}

function fromParameters(
  parameters: readonly { readonly name: string; readonly in: unknown }[],
  base: DeclaredSecrets,
  known: ReadonlySet<string>,
): DeclaredSecrets {
  const names = (place: string): string[] =>
    parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  return {
    headers: new Set([...base.headers, ...names("header").map((name) => name.toLowerCase())]),
    queries: new Set([...base.queries, ...names("query")]),
    cookies: new Set([...base.cookies, ...names("cookie")]),
    paths: new Set(names("path")),
    segments: base.segments,
    known,
  };
}
