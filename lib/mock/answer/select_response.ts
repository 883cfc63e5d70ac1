import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { follow, referenceOf } from "../../schema/json/reference.ts";

export type SelectedResponse =
  | {
    kind: "response";
    /** The HTTP status code of the answer. */
    status: number;
    /** The Response Object, with its `$ref` resolved. */
    node: Node<"Response">;
  }
  | {
    kind: "none";
    /** The keys of the Responses Object: `404`, `5XX`, `default`. */
    found: string[];
  }
  | {
    kind: "broken";
    /** The part of the operation that can't be used: `response 200`, `Responses Object`. */
    part: string;
    /** The `$ref` that can't be resolved; absent if the part isn't an object. */
    reference?: string;
    found: string[];
  };

export interface ResponseCriteria {
  /** The status code that the client prefers. */
  code?: number;
  /**
   * Whether an operation without an exact 2xx code is answered by its `2XX` as 200, else its lowest exact 3xx, else its
   * `default` as 200.
   */
  anyStatus?: boolean;
}

/** The number of operations without an exact 2xx response, and how many of them `anyStatus` would answer. */
export interface Unanswered {
  readonly count: number;
  readonly byAnyStatus: number;
}

/** Counts the operations that are answered with 501, because they have no exact 2xx response. */
export function countUnanswered(operations: readonly Operation[]): Unanswered {
  const unanswered = operations.filter((operation) => selectResponse(operation, {}).kind === "none");
  const rescued = unanswered.filter((operation) => selectResponse(operation, { anyStatus: true }).kind === "response");
  return { count: unanswered.length, byAnyStatus: rescued.length };
}

/** The responses of an operation, by the keys of its Responses Object. Each may be a `$ref`. */
export function listResponses(operation: Operation): [string, Node<"Response">][] {
  return entries(follow(operation.document, child(operation.node, "responses")))
    .filter(([key]) => !key.startsWith("x-"));
}

/**
 * Selects the response of an operation (OpenAPI 3.1, section 4.8.16): the lowest exact code from 200 to 299. A code
 * that the client prefers may also be described by its range (`4XX`) or by `default`.
 */
export function selectResponse(operation: Operation, { code, anyStatus = false }: ResponseCriteria): SelectedResponse {
  const written = child(operation.node, "responses");
  const responses = follow(operation.document, written);
  const found = isObject(responses.value) ? Object.keys(responses.value).filter((key) => !key.startsWith("x-")) : [];
  const broken = (part: string, node: Node): SelectedResponse => {
    const reference = referenceOf(node);
    return { kind: "broken", part, found, ...(reference === undefined ? {} : { reference }) };
  };
  const select = (status: number, ...keys: string[]): SelectedResponse => {
    for (const key of keys) {
      const isWritten = found.includes(key);
      const known = isWritten ? key : found.findLast((written) => written.toUpperCase() === key);
      if (known === undefined) continue;
      const written = child(responses, known);
      const node = follow(operation.document, written);
      return isObject(node.value)
        ? { kind: "response", status, node }
        : broken(`response ${key.replace("DEFAULT", "default")}`, written);
    }
    return { kind: "none", found };
  };
  if (found.length === 0 && referenceOf(written) !== undefined) return broken("Responses Object", written);

  if (code !== undefined) return select(code, String(code), `${Math.floor(code / 100)}XX`, "DEFAULT");
  const [lowest] = found.filter((key) => /^2\d\d$/.test(key)).sort();
  if (lowest !== undefined) return select(Number(lowest), lowest);
  if (!anyStatus) return { kind: "none", found };
  const [redirect] = found.filter((key) => /^3\d\d$/.test(key)).sort();
  return found.some((key) => key.toUpperCase() === "2XX") || redirect === undefined
    ? select(200, "2XX", "DEFAULT")
    : select(Number(redirect), redirect);
}
