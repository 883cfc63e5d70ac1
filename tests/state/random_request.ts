import type { PlannedRequest } from "../../lib/mock/callback/callback.ts";
import { planRequest } from "../../lib/mock/callback/plan_callbacks.ts";
import { type BodyGenerator, createBodyGenerator } from "../../lib/mock/generate/generate.ts";
import { pick, type Random, randomInteger } from "../../lib/mock/generate/random.ts";
import type { Document } from "../../lib/openapi/document.ts";
import type { Operation } from "../../lib/openapi/operation.ts";
import { listParameters, type Parameter } from "../../lib/openapi/parameter.ts";
import { child, entries } from "../../lib/schema/json/node.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import type { Bytes } from "../../lib/http/handler.ts";
import { encodeBody } from "../../lib/wire/encode.ts";

/** The values of path parameters by name, not percent-encoded. */
export type PathValues = ReadonlyMap<string, string>;

export interface RandomRequest {
  readonly request: Request;
  readonly pathValues: PathValues;
  /** The path, percent-encoded. */
  readonly path: string;
  readonly query: string;
  /** The value of the JSON body. */
  readonly body: unknown;
  readonly bytes: Bytes | undefined;
}

export interface RequestMaker {
  /** @param values The values of the path parameters. */
  make(operation: Operation, values: PathValues): Promise<RandomRequest>;
  /** Makes a value for a path parameter that is valid by its schema. */
  pathValue(operation: Operation, name: string): string;
}

const ORIGIN = "http://localhost";

/** The probability that a request has an optional query parameter. */
const QUERY_SHARE = 0.1;

/** The probability that a body is the definition's example instead of a generated one. */
const EXAMPLE_SHARE = 0.2;

export async function createRequestMaker(document: Document, random: Random): Promise<RequestMaker> {
  const generator = await createBodyGenerator(document);
  return { make, pathValue };

  async function make(operation: Operation, values: PathValues): Promise<RandomRequest> {
    const template = operation.path.replace(/[?#].*/, "");
    const pathValues = new Map<string, string>();
    const path = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
      const value = values.get(name) ?? pathValue(operation, name);
      pathValues.set(name, value);
      return encodeURIComponent(value);
    }).replaceAll(" ", "%20");
    const url = new URL(`${ORIGIN}${path}`);
    for (const parameter of listParameters(operation)) addQuery(url, parameter);
    const planned = await planRequest(operation, url, { generatorOf: () => Promise.resolve(generator), seed: seed() });
    const bytes = await generatedBody(operation, planned) ?? planned.body ?? undefined;
    return {
      request: requestOf(operation, planned, bytes),
      pathValues,
      path,
      query: planned.url.search.slice(1),
      body: jsonOf(planned, bytes),
      bytes,
    };
  }

  /** Generates a body in place of the definition's example, which is always the same and may be invalid. */
  async function generatedBody({ node }: Operation, { headers, body }: PlannedRequest): Promise<Bytes | undefined> {
    const contentType = contentTypeOf(headers);
    if (body === null || contentType === undefined || random() < EXAMPLE_SHARE) return undefined;
    const content = entries(child(follow(document, child(node, "requestBody")), "content"));
    const declared = content.find(([mediaType]) => mediaType === contentType)?.[1];
    const schema = declared && child(follow(document, declared), "schema");
    if (schema?.value === undefined) return undefined;
    const value = valueOf(generator, schema, seed());
    const encoded = await encodeBody(value, contentType, { document, schema }, "data");
    return encoded.body instanceof Uint8Array ? encoded.body : undefined;
  }

  function addQuery(url: URL, { in: location, name, required, schema, content }: Parameter): void {
    if (location !== "query" || required || content !== undefined || random() > QUERY_SHARE) return;
    const value = schema && valueOf(generator, schema, seed());
    if (isScalar(value)) url.searchParams.append(name, String(value));
  }

  function pathValue(operation: Operation, name: string): string {
    const parameter = listParameters(operation).find((one) => one.in === "path" && one.name === name);
    const value = parameter?.schema && valueOf(generator, parameter.schema, seed());
    return isScalar(value) && String(value) !== "" ? String(value) : `some-${randomInteger(1, 999, random)}`;
  }

  function seed(): number {
    return randomInteger(0, 1_000_000, random);
  }
}

function requestOf({ method }: Operation, { url, headers }: PlannedRequest, bytes: Bytes | undefined): Request {
  const body = method === "GET" || method === "HEAD" || bytes === undefined ? null : bytes;
  return new Request(url, {
    method,
    headers: new Headers(headers.map(([name, value]): [string, string] => [name, value])),
    body,
  });
}

function jsonOf({ headers }: PlannedRequest, bytes: Bytes | undefined): unknown {
  if (bytes === undefined || !/\bjson\b/.test(contentTypeOf(headers) ?? "")) return undefined;
  return JSON.parse(new TextDecoder().decode(bytes));
}

function contentTypeOf(headers: PlannedRequest["headers"]): string | undefined {
  return headers.find(([name]) => name === "content-type")?.[1];
}

function valueOf(generator: BodyGenerator, schema: NonNullable<Parameter["schema"]>, seed: number): unknown {
  const generated = generator.generate(schema, { seed, direction: "request" });
  return generated.kind === "body" ? generated.value : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** Picks a value at random; `undefined` if there are none. */
export function pickAny<Value>(values: readonly Value[], random: Random): Value | undefined {
  const [first, ...rest] = values;
  return first === undefined ? undefined : pick([first, ...rest], random);
}
